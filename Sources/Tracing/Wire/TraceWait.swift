// SPDX-License-Identifier: MIT

import Basics
import CLinux
import Glibc
import Monitoring
import Synchronization

/// Ends a trace's thread from outside: it wakes from its wait and goes.
final class TraceStop: Sendable {
  let descriptor: Int32
  private let pulled = Atomic(false)

  /// `nil` where the process is out of descriptors; `errno` says so.
  init?() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    if descriptor < 0 { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func pull() {
    pulled.store(true, ordering: .relaxed)
    eventfd_write(descriptor, 1)
  }

  var isPulled: Bool { pulled.load(ordering: .relaxed) }

  /// Until one of the descriptors has something (errors count), or the instant, or the end.
  func wait(for descriptors: [Int32], until deadline: Instant) {
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    entries.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    let left = max(0, (Instant.now.duration(to: deadline).microseconds + 999) / 1000)
    _ = poll(&entries, nfds_t(entries.count), Int32(clamping: left))
  }
}
