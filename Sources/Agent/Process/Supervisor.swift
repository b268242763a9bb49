// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Scheduler
import Synchronization

/// The supervisor that started the agent and watches it: systemd, by the protocol of sd_notify(3).
///
/// Messages are datagrams to a unix socket, sent without waiting: a supervisor that does not listen is no reason to
/// hold up anything.
struct Supervisor: Sendable {
  private let address: [UInt8]
  /// How often it wants a sign of life; nil: never.
  let watchdog: Duration?

  /// `nil` without a supervisor. Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  init?(environment: [String: String], pid: pid_t = getpid()) {
    guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@"),
      (2...107).contains(path.utf8.count)
    else { return nil }
    // A leading @ stands for the zero byte of an abstract address.
    address = path.hasPrefix("@") ? [0] + Array(path.utf8.dropFirst()) : Array(path.utf8)  // bounded: a list
    let isMeant = environment["WATCHDOG_PID"].map { $0 == String(pid) } ?? true
    let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init).flatMap { $0 > 0 ? $0 : nil }
    watchdog = isMeant ? microseconds.map { .microseconds($0) } : nil
  }

  /// Sends `NAME=value` lines.
  func tell(_ lines: String...) {
    // bounded: constants
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var storage = sockaddr_un()
    storage.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &storage.sun_path) { $0.copyBytes(from: address) }
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size
    let length = socklen_t(offset + address.count)  // bounded: a path of at most 107 bytes
    let bytes = Array(lines.joined(separator: "\n").utf8)
    withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
        _ = sendto(
          // bounded: constants
          descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), target,
          length)
      }
    }
  }

  /// Beaten by the scheduler's loop: the first beat says that the agent probes, every later one that it still does.
  /// A loop that is dead while the process lives says nothing, and systemd starts the agent again.
  ///
  /// - Parameter isWell: false: a thread that probes depend on is stuck, and the beat is withheld.
  func pulse(
    checks: @escaping @Sendable () -> Int, isWell: @escaping @Sendable () -> Bool = { true }
  ) -> SchedulerOptions.Pulse {
    let isReady = Flag()
    // Twice in the time allowed: one beat may come late.
    let every = watchdog.map { min(max($0 / 2, .milliseconds(50)), .seconds(3600)) } ?? .seconds(3600)
    return SchedulerOptions.Pulse(every: every) {
      guard isWell() else { return }
      if isReady.raise() {
        tell("READY=1", "STATUS=probing \(counted(checks(), "check"))", "WATCHDOG=1")
      } else {
        tell("WATCHDOG=1")
      }
    }
  }

  private final class Flag: Sendable {
    private let isRaised = Mutex(false)

    /// True the first time.
    func raise() -> Bool {
      isRaised.withLock { raised in
        defer { raised = true }
        return !raised
      }
    }
  }
}
