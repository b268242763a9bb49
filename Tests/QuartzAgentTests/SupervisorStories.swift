// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// What systemd hears of the agent, by the protocol of sd_notify(3).
@Suite struct SupervisorStories {
  @Test func itHearsOfTheStartOfEveryBeatAndOfTheEnd() async throws {
    try await withTemporaryDirectory { folder in
      let listener = try NotifySocket(folder.appending(path: "notify").path)
      try RunStories.config("  - {name: Self, type: tcp, host: 127.0.0.1, port: 9}", in: folder)
      let process = try AgentProcess(
        ["run"], in: folder, environment: ["NOTIFY_SOCKET": listener.path, "WATCHDOG_USEC": "400000"])
      try await process.wait(for: "the agent to be ready") {
        listener.all.contains { $0.contains("READY=1") }
      }
      #expect(listener.all.first?.contains("STATUS=probing 1 check\n") == true)
      try await process.wait(for: "three beats") { listener.beats >= 3 }
      // A process that does not run does not beat.
      try await process.pause()
      let stopped = listener.beats
      // Five times as long as from one beat to the next: nothing else tells that none comes.
      try await Task.sleep(for: .seconds(1))
      #expect(listener.beats == stopped)
      process.send(SIGCONT)
      try await process.wait(for: "another beat") { listener.beats > stopped }
      process.send(SIGTERM)
      #expect(try await process.finish().status == 0)
      #expect(listener.all.contains { $0.contains("STOPPING=1") })
      #expect(listener.all.count { $0.contains("READY=1") } == 1)
    }
  }

  @Test func whoeverDoesNotListenHoldsUpNothing() async throws {
    try await withTemporaryDirectory { folder in
      try RunStories.config("  - {name: Self, type: tcp, host: 127.0.0.1, port: 9}", in: folder)
      let process = try AgentProcess(
        ["run"], in: folder,
        environment: ["NOTIFY_SOCKET": folder.appending(path: "nobody").path, "WATCHDOG_USEC": "100000"])
      try await process.wait(for: "the start") { process.stderr.contains("probing 1 check") }
      process.send(SIGTERM)
      #expect(try await process.finish().status == 0)
    }
  }
}

/// A datagram socket in the file system, read by a thread of its own until it is gone.
final class NotifySocket: Sendable {
  let path: String
  private let messages = Mutex<[String]>([])
  private let descriptor: Int32

  var all: [String] { messages.withLock { $0 } }
  var beats: Int { all.count { $0.contains("WATCHDOG=1") } }

  init(_ path: String) throws {
    self.path = path
    let opened = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    descriptor = opened
    var storage = sockaddr_un()
    storage.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &storage.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let bound = withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(opened, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    Thread { [weak self] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = recv(opened, &buffer, buffer.count, 0)
        guard count > 0, let self else { break }
        messages.withLock { $0.append(String(decoding: buffer[..<count], as: UTF8.self)) }
      }
      close(opened)
    }.start()
  }

  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
