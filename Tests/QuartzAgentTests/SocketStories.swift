// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import TestSupport
import Testing

/// The socket beside a page on TCP: what a person may do by the rights of a file needs no token.
@Suite struct SocketStories {
  private func config(_ port: UInt16, _ status: String, in folder: URL) throws {
    try RunStories.config(
      "  - {name: Web, type: http, url: \"http://127.0.0.1:\(port)/\", interval: 1s, timeout: 1s, retries: 0}",
      more: "status: \(status)", in: folder)
  }

  /// With a page for a browser `mute` and `ack` go on as before; over TCP without a token they are still refused.
  @Test func ordersGoOnBesideThePage() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        try config(server.port, "{listen: \"127.0.0.1:0\"}", in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "the page") { process.stderr.contains("status page: http://127.0.0.1:") }
        let socket = folder.appending(path: "state/agent.sock").path
        // It is bound before it gets its rights.
        try await process.wait(for: "the socket with its rights") {
          var facts = stat()
          return lstat(socket, &facts) == 0 && facts.st_mode & 0o7777 == 0o660
        }
        let mute = try await agent("mute", "Web", "10m", "--why", "deploy", in: folder)
        #expect(mute.status == 0, "\(mute.stderr)")
        #expect(try await agent("status", in: folder).stdout.contains("muted     Web until "))
        #expect(try await agent("unmute", "Web", in: folder).status == 0)
        let port =
          process.stderr.components(separatedBy: "http://127.0.0.1:").last?.prefix { $0.isNumber } ?? ""
        let strange = try await agent("mute", "Web", "10m", "--socket", "127.0.0.1:\(port)", in: folder)
        #expect(strange.status == 3 && strange.stderr.contains("run_now_token"), "\(strange.stderr)")
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
        #expect(!FileManager.default.fileExists(atPath: socket))
      }
    }
  }

  /// Switched off there is only the page; another path is where it says.
  @Test(arguments: [("socket: off", nil), ("socket: \"unix:other.sock\"", "other.sock")])
  func itIsWhereItIsSaid(key: String, name: String?) async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { server in
        try config(server.port, "{listen: \"127.0.0.1:0\", \(key)}", in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "the page") { process.stderr.contains("status page: http://") }
        try await process.wait(for: "a probe") { server.accepted >= 1 }
        if let name {
          try await process.wait(for: "the socket") {
            FileManager.default.fileExists(atPath: folder.appending(path: name).path)
          }
          #expect(try await agent("mute", "Web", "10m", in: folder).status == 0)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "state/agent.sock").path))
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }
}
