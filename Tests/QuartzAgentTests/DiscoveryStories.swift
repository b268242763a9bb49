// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Synchronization
import TestSupport
import Testing

/// Targets that come and go while the agent runs.
@Suite struct DiscoveryStories {
  /// What the source says, and how: nil is an answer of 500.
  private final class Source: Sendable {
    let list = Mutex<String?>(nil)
    let asked = Mutex<[String]>([])

    @Sendable func answer(_ connection: LoopbackConnection) {
      let request = connection.read(until: "\r\n\r\n")
      asked.withLock { $0.append(request) }
      let body = list.withLock(\.self)
      connection.write(
        "HTTP/1.1 \(body == nil ? "500 Sorry" : "200 OK")\r\nContent-Length: \(body?.utf8.count ?? 0)\r\nConnection: close\r\n\r\n\(body ?? "")"
      )
    }
  }

  @Test func targetsOverHTTPComeGoAndStayWhileTheSourceIsAway() async throws {
    let source = Source()
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { first in
        try await withLoopbackServer(script: RunStories.web) { second in
          try await withLoopbackServer(script: { source.answer($0) }) { cmdb in
            let more = """
              templates: {t: {type: http, url: "http://${target}/", interval: 1s, timeout: 1s}}
              discover: [{http: "http://127.0.0.1:\(cmdb.port)/targets", extends: t, refresh: 10s, headers: {X-Key: k}}]
              """
            func list(_ ports: [UInt16]) -> String {
              let targets = ports.map { "\"127.0.0.1:\($0)\"" }.joined(separator: ",")
              return #"[{"targets": [\#(targets)], "labels": {"site": "north"}}]"#
            }
            source.list.withLock { $0 = list([first.port]) }
            try RunStories.config("  []", more: more, in: folder)
            let process = try AgentProcess(["run"], in: folder)
            try await process.wait(for: "the first target") { first.accepted >= 2 }
            #expect(
              source.asked.withLock { $0[0].contains("X-Key: k") && $0[0].contains("X-Prometheus-Refresh") })

            source.list.withLock { $0 = list([first.port, second.port]) }
            try await process.wait(for: "the second target") { second.accepted >= 2 }

            // What it says is nothing to go by: those known before stay, over a restart too.
            source.list.withLock { $0 = nil }
            try await process.wait(for: "a word of it") {
              process.stderr.contains("targets cannot be discovered; those known before stay")
            }
            let status = try await agent("status", in: folder)
            #expect(status.stdout.contains("the targets known before stay"), "\(status.stdout)")
            process.send(SIGTERM)
            #expect(try await process.finish().status == 0)
            let (one, two) = (first.accepted, second.accepted)
            let again = try AgentProcess(["run"], in: folder)
            try await again.wait(for: "both again") { first.accepted > one && second.accepted > two }
            let told = try await agent("validate", in: folder)
            #expect(told.status == 0 && told.stdout.contains("ok, 2 checks"), "\(told.stdout)\(told.stderr)")

            // Another source in the file: the one before is asked no more, at the reload and not at the next start.
            let other = more.replacingOccurrences(of: "/targets", with: "/others").replacingOccurrences(
              of: "extends: t,", with: "extends: t, name: \"o ${target}\",")
            try RunStories.config("  []", more: other, in: folder)
            again.send(SIGHUP)
            source.list.withLock { $0 = list([second.port]) }
            try await again.wait(for: "the other source") {
              source.asked.withLock { $0.contains { $0.contains("GET /others ") } }
            }
            try await again.wait(for: "its check") { again.stderr.contains("other targets were discovered") }
            let asked = source.asked.withLock { $0.count { $0.contains("GET /targets ") } }
            #expect(!again.stderr.contains("take effect at the next start"), "\(again.stderr)")

            // All gone at once: that is looked at before it is believed.
            source.list.withLock { $0 = "[]" }
            try await again.wait(for: "a word of it") {
              again.stderr.contains("1 of 1 targets disappeared at once; the previous list is kept")
            }
            let seen = second.accepted
            try await again.wait(for: "its check going on") { second.accepted > seen + 1 }
            #expect(source.asked.withLock { $0.count { $0.contains("GET /targets ") } } == asked)
            again.send(SIGTERM)
            #expect(try await again.finish().status == 0)
          }
        }
      }
    }
  }
}
