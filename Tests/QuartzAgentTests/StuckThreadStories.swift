// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import Synchronization
import TestSupport
import Testing
import Tracing

/// A thread that probes depend on stands still: held by ptrace(2), as no input should ever hold it.
@Suite struct StuckThreadStories {
  /// The status server says which thread is stuck, the watchdog gets no beat, and SIGTERM ends the process all the same.
  @Test(
    .enabled(if: Tracer.isUsable, "ptrace may not be used here"), .timeLimit(.minutes(2)))
  func aStuckThreadIsToldAndDoesNotHoldUpTheEnd() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        let port = try freePort()
        try RunStories.config(
          "  - {name: Web, type: http, url: \"http://127.0.0.1:\(server.port)/\", interval: 1s, timeout: 1s}",
          more: "status: {listen: \"127.0.0.1:\(port)\"}", in: folder)
        let listener = try NotifySocket(folder.appending(path: "notify").path)
        let process = try AgentProcess(
          ["run"], in: folder, environment: ["NOTIFY_SOCKET": listener.path, "WATCHDOG_USEC": "1000000"])
        try await process.wait(for: "two probes") { server.accepted >= 2 }
        _ = try Tracer(holding: "probes", of: process.identifier)
        try await process.wait(for: "the log to say so") { process.stderr.contains("a thread is stuck") }
        let ready = await statusAnswer("/readyz", port: port)
        #expect(ready.contains("503") && ready.contains("stuck: probes"), "\(ready)")
        #expect(await statusAnswer("/api/v1/status.txt", port: port).contains("stuck: probes"))
        let beats = listener.beats
        try await Task.sleep(for: .seconds(2))
        #expect(listener.beats == beats)
        let clock = Instant.now
        process.send(SIGTERM)
        let outcome = try await process.finish()
        #expect(clock.duration(to: .now) < .milliseconds(8500))
        #expect(outcome.status == 70, "\(outcome.stderr)")
        #expect(outcome.stderr.contains("did not stop in time (stuck: probes"))
      }
    }
  }
}

/// Holds one thread of another process with ptrace(2), which the C library declares with variable arguments.
private final class Tracer: Sendable {
  private typealias Call = @convention(c) (Int, Int, Int, Int) -> Int
  private static let seize = 0x4206
  private static let interrupt = 0x4207
  private static let resume = 7
  /// __WALL of waitpid(2).
  private static let anyChild: Int32 = 0x4000_0000

  private static var call: Call? {
    dlsym(nil, "ptrace").map { unsafeBitCast($0, to: Call.self) }
  }

  /// Of a thread of our own child, where nothing forbids it.
  static var isUsable: Bool { getuid() == 0 && call != nil }

  /// Held while it waits for events: at any other moment it might hold a lock of malloc(3), and nothing of the process
  /// would go on. Throws when the process has no thread of that name, or one that never waits.
  init(holding name: String, of process: Int32) throws {
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
    let found = threads.compactMap { Int($0) }.first { thread in
      let path = "/proc/\(process)/task/\(thread)/comm"
      return (try? String(contentsOfFile: path, encoding: .utf8))?.hasPrefix(name) == true
    }
    guard let thread = found, let call = Self.call else { throw POSIXFailure("no thread \(name)", ESRCH) }
    let held = DispatchSemaphore(value: 0)
    let waits = Atomic(false)
    // One thread does all of it: only the one that seized may go on with it and reap it.
    Thread {
      _ = call(Self.seize, thread, 0, 0)
      var status: Int32 = 0
      for _ in 0..<1000 where !waits.load(ordering: .relaxed) {
        _ = call(Self.interrupt, thread, 0, 0)
        guard waitpid(pid_t(thread), &status, Self.anyChild) > 0, status & 0xff == 0x7f else { break }
        if Self.waitsForEvents(thread, of: process) {
          waits.store(true, ordering: .relaxed)
        } else {
          _ = call(Self.resume, thread, 0, 0)
          usleep(1000)
        }
      }
      held.signal()
      // A traced thread that has died is its tracer's to reap; until then its process has not ended either (ptrace(2)).
      while waitpid(pid_t(thread), &status, Self.anyChild) > 0, status & 0xff == 0x7f {}
    }.start()
    held.wait()
    guard waits.load(ordering: .relaxed) else { throw POSIXFailure("\(name) never waits for events", EBUSY) }
  }

  /// The call a stopped thread is in is epoll_wait(2), or epoll_pwait(2) on arm64 (proc_pid_syscall(5)).
  private static func waitsForEvents(_ thread: Int, of process: Int32) -> Bool {
    let line = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/syscall", encoding: .utf8)
    return ["232", "281", "22"].contains(line?.split(separator: " ").first.map(String.init) ?? "")
  }
}
