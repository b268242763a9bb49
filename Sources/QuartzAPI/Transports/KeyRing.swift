// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// The API key in use, and how to look whether a new one lies where this one came from.
package final class KeyRing: Sendable {
  private let current: Mutex<Redacted>
  private let reread: @Sendable () async -> Redacted?

  /// - Parameter reread: the key as its source has it now; nil when it cannot be read.
  package init(_ key: Redacted, reread: @escaping @Sendable () async -> Redacted? = { nil }) {
    self.current = Mutex(key)
    self.reread = reread
  }

  package var key: Redacted { current.withLock { $0 } }

  /// True when the source had another key than the one in use.
  package func renew() async -> Bool {
    guard let fresh = await reread(), !fresh.isEmpty else { return false }
    return current.withLock { key in
      defer { key = fresh }
      return key != fresh
    }
  }
}
