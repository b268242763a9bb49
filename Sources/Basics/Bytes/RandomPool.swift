// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// The system's generator, asked for 256 bytes at a time: a system call for each query id and each result id was a
/// twentieth of what a DNS probe costs.
///
/// As unpredictable as the system's: every byte is used once and wiped. A child process starts with an empty pool: the
/// page is wiped on fork, its count with it.
package struct RandomPool: RandomNumberGenerator, Sendable {
  package init() {}

  package mutating func next() -> UInt64 { pool.withLock { $0.take() } }
}

private let pool = Mutex(Page())

/// One page of memory: a count of bytes left, then those bytes, taken from their end.
private struct Page: ~Copyable {
  private static let size = 4096
  /// The most bytes that one call of `getentropy` gives.
  private static let capacity = 256

  private let base: UnsafeMutableRawPointer?

  /// `nil` memory: each word is asked for on its own.
  init() {
    let page = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    // MADV_WIPEONFORK of linux/mman.h; a kernel before 4.14 refuses it, and then nothing is kept.
    guard let page, page != MAP_FAILED, madvise(page, Self.size, 18) == 0 else {
      base = nil
      return
    }
    base = page
  }

  borrowing func take() -> UInt64 {
    var system = SystemRandomNumberGenerator()
    guard let base else { return system.next() }
    let bytes = base + 8
    var left = base.load(as: Int.self)
    if left == 0 {
      guard getentropy(bytes, Self.capacity) == 0 else { return system.next() }
      left = Self.capacity
    }
    left -= 8
    base.storeBytes(of: left, as: Int.self)
    defer { bytes.storeBytes(of: 0, toByteOffset: left, as: UInt64.self) }
    return bytes.load(fromByteOffset: left, as: UInt64.self)
  }
}
