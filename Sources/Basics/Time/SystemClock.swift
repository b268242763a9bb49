// SPDX-License-Identifier: MIT

import Glibc

/// The clocks of the system. Code that needs the time reads it here, or from a `TimeSource` that it is given.
package enum SystemClock: Sendable {
  /// CLOCK_REALTIME, which people set.
  case wall
  /// CLOCK_BOOTTIME: monotonic, and counts through sleep. An `Instant` is of this clock.
  case boot
  /// CLOCK_MONOTONIC: monotonic, and stops while the machine sleeps.
  case monotonic
  /// CLOCK_THREAD_CPUTIME_ID: the processor time this thread has had.
  case threadWork
  /// CLOCK_PROCESS_CPUTIME_ID: the processor time of all threads of this process, the system's for it included.
  case processWork

  /// Reading of the clock; 0 where the kernel has no such clock.
  package var nanoseconds: Int64 {
    let id =
      switch self {
      case .wall: CLOCK_REALTIME
      case .boot: CLOCK_BOOTTIME
      case .monotonic: CLOCK_MONOTONIC
      case .threadWork: CLOCK_THREAD_CPUTIME_ID
      case .processWork: CLOCK_PROCESS_CPUTIME_ID
      }
    // Not `timespec()` and its members: in a whole-module build Swift 6.3 takes them for SwiftOverlayShims' as soon as
    // an earlier file extends `Duration`, and MemberImportVisibility then refuses them although Glibc is imported.
    return withUnsafeTemporaryAllocation(of: timespec.self, capacity: 1) { time in
      guard let start = time.baseAddress, clock_gettime(id, start) == 0 else { return 0 }
      // Two words on the machines there are: seconds, then nanoseconds.
      let words = UnsafeRawPointer(start)
      let nanoseconds = words.load(fromByteOffset: MemoryLayout<Int>.size, as: Int.self)
      // bounded: until the year 2262, where 64 bits of nanoseconds end
      return Int64(words.load(as: Int.self)) &* 1_000_000_000 &+ Int64(nanoseconds)
    }
  }

  package var microseconds: Int64 { nanoseconds / 1000 }
}
