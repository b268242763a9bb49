// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// Mail by the shipped binary, to servers that take a mail and do not let go.
@Suite struct MailStories {
  private func config(_ web: UInt16, mail: UInt16, in folder: URL) throws {
    try RunStories.config(
      "  - {name: Web, type: http, url: \"http://127.0.0.1:\(web)/\", interval: 1s, timeout: 1s, retries: 0}",
      more: """
        alerts:
          group_wait: 1s
          channels:
            - {name: ops, mail: {server: "127.0.0.1:\(mail)", tls: none, from: q@x.test, to: [a@x.test, b@x.test]}}
        """, in: folder)
  }

  /// The mail is taken, QUIT never answered: it is sent once over two lives, the stop is orderly, and the next mail of the
  /// channel waits for nothing.
  @Test(.timeLimit(.minutes(2))) func aServerThatNeverSaysGoodbye() async throws {
    try await sideBySide([MailServer.Ending.silent, .dripping]) { try await takesAndHolds($0) }
  }

  private func takesAndHolds(_ ending: MailServer.Ending) async throws {
    let (world, server) = (AlertWorld(), MailServer())
    server.set { $0.ending = ending }
    world.isBroken.store(true, ordering: .relaxed)
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { world.serve($0) }) { web in
        try await withLoopbackServer(script: { server.serve($0) }) { post in
          try config(web.port, mail: post.port, in: folder)
          let first = try AgentProcess(["run"], in: folder)
          try await first.wait(for: "the mail") { server.quits >= 2 }
          // Within the two seconds of the farewell.
          first.send(SIGTERM)
          let outcome = try await first.finish()
          #expect(outcome.status == 0, "\(outcome.stderr)")
          #expect(
            outcome.stderr.contains("notified channel=") && outcome.stderr.contains("stopped"),
            "\(outcome.stderr)")
          let second = try AgentProcess(["run"], in: folder)
          let probed = web.accepted
          try await second.wait(for: "probes of a target that is still down") { web.accepted >= probed + 3 }
          world.isBroken.store(false, ordering: .relaxed)
          try await second.wait(for: "the recovery") { server.received >= 4 }
          try await second.wait(for: "that it is noted") { second.stderr.contains("notified channel=") }
          second.send(SIGTERM)
          #expect(try await second.finish().status == 0)
          #expect(server.received == 4)
          #expect(server.mails.map(\.recipients) == [["a@x.test"], ["b@x.test"], ["a@x.test"], ["b@x.test"]])
        }
      }
    }
  }

  /// One recipient is refused for good: the server's own words for that one are in the log, `incidents`, `alert explain`, the
  /// JSON, the page and `alert test`.
  @Test(.timeLimit(.minutes(2))) func aRefusalIsToldInTheServersWords() async throws {
    let (world, server) = (AlertWorld(), MailServer())
    server.set { $0.refusal = Array("550-5.1.1 no such user\r\n550 \u{1b}[2Jask ann\r\n".utf8) }
    world.isBroken.store(true, ordering: .relaxed)
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { world.serve($0) }) { web in
        try await withLoopbackServer(script: { server.serve($0) }) { post in
          let listen = try freePort()
          try RunStories.config(
            "  - {name: Web, type: http, url: \"http://127.0.0.1:\(web.port)/\", interval: 1s, timeout: 1s, retries: 0}",
            more: """
              status: {listen: "127.0.0.1:\(listen)"}
              alerts:
                group_wait: 1s
                channels:
                  - {name: ops, mail: {server: "127.0.0.1:\(post.port)", tls: none, from: q@x.test, to: [a@x.test, bad@x.test]}}
              """, in: folder)
          let words =
            "127.0.0.1:\(post.port) refused bad@x.test: 550 5.1.1 no such user \\u{1b}[2Jask ann"
          let process = try AgentProcess(["run"], in: folder)
          try await process.wait(for: "the mail") {
            process.stderr.contains("notified, but not all recipients")
          }
          #expect(
            process.stderr.contains(words.replacing("\\", with: "\\\\")) || process.stderr.contains(words))
          let curl = { (path: String) in
            try await TimeStories().curl(["http://127.0.0.1:\(listen)\(path)"], in: folder).stdout
          }
          let json = try JSONValue.parse(try await curl("/api/v1/incidents").utf8)["data"]?.array?.first
          let told = json?["notifications"]?.array?.first
          #expect(told?["state"]?.string == "delivered" && told?["missing"]?.string == words)
          let sentence = ", not to all recipients (\(words))"
          for command in [["incidents"], ["alert", "explain"]] {
            let text = try await AgentProcess(command, in: folder).finish().stdout
            #expect(
              text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(sentence), "\(text)")
          }
          #expect(try await curl("/incidents/\(json?["id"]?.string ?? "")").contains(sentence))
          let test = try await agent("alert", "test", in: folder)
          #expect(test.status == 3 && test.stdout == "ops: delivered, but not to all recipients: \(words)\n")
          process.send(SIGTERM)
          #expect(try await process.finish().status == 0)
          #expect(server.mails.map(\.recipients) == [["a@x.test"], ["a@x.test"]])
        }
      }
    }
  }
}
