// SPDX-License-Identifier: MIT

import Glibc

/// How long the thread that asks was ready to run and got no core (`schedstats`, the second number of
/// /proc/thread-self/schedstat, in nanoseconds). Zero where the kernel does not say.
package final class ProcessorWait {
  /// Descriptor for the thread that asked first; negative where there is none, and `nil` until the first call.
  private var descriptor: Int32?
  /// In all, as last asked.
  package private(set) var total = Duration.zero

  package init() {}

  deinit { if let descriptor, descriptor >= 0 { close(descriptor) } }

  /// Asks again: how much more it is.
  @discardableResult package func look() -> Duration {
    let before = total
    total = max(before, .nanoseconds(read()))
    return total - before
  }

  private func read() -> Int64 {
    let descriptor = self.descriptor ?? open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
    self.descriptor = descriptor
    guard descriptor >= 0 else { return 0 }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { room in
      let count = pread(descriptor, room.baseAddress, room.count, 0)
      guard count > 0 else { return 0 }
      let numbers = room[..<count].split(separator: 0x20, maxSplits: 2)
      guard numbers.count > 1 else { return 0 }
      return numbers[1].prefix(18).reduce(0) { sum, digit in
        (0x30...0x39).contains(digit) ? sum * 10 + Int64(digit - 0x30) : sum
      }
    }
  }
}
