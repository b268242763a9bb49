// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// The one owner of a file descriptor; it is closed when the owner goes, and nowhere else.
package struct Descriptor: ~Copyable, Sendable {
  package let number: Int32

  /// Takes the descriptor over. `nil` when `number` is the -1 of a failed call; `errno` is untouched then.
  package init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  /// The number, the caller's to close from now on.
  package consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }

  deinit { _ = close(number) }
}
