// SPDX-License-Identifier: MIT

import Curl
import Foundation
import TestSupport
import Testing

/// Handshakes begin a few at a time, and whoever waits is not forgotten.
@Suite(.timeLimit(.minutes(1))) struct HandshakeQueueTests {
  @Test func serversThatNeverShakeHandsHoldNobodyUp() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let site = NginxSite(["location / { return 200 good; }"], identity: try authority.issue("good"))
      try await withNginx(in: folder, [site]) { ports in
        try await withLoopbackServer(script: { $0.waitForEnd() }) { silent in
          try await withCurlEngine(trust: TrustStore(bundle: authority.rootFile)) { engine in
            let hanging = request(silent.port, scheme: "https", timeout: .seconds(50))
            let tasks = (0..<100).map { _ in Task { try await engine.perform(hanging) } }
            defer { for task in tasks { task.cancel() } }
            while silent.accepted == 0 { try await Task.sleep(for: .milliseconds(2)) }
            let report = try await engine.perform(request(ports[0], scheme: "https"))
            #expect(report.text == "good")
          }
        }
      }
    }
  }

  @Test func shutdownReachesThoseThatWait() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { silent in
      let engine = try CurlEngine()
      let hanging = request(silent.port, scheme: "https", timeout: .seconds(50))
      let tasks = (0..<300).map { _ in Task { try await engine.perform(hanging) } }
      while silent.accepted == 0 { try await Task.sleep(for: .milliseconds(2)) }
      await engine.shutdown()
      for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    }
  }

  /// The time of a handshake is its server's, and not that of the work for all the others begun with it.
  @Test func manyAtOnceAreMeasuredOneByOne() async throws {
    try await withTemporaryDirectory { folder in
      let authority = try TestAuthority(in: folder)
      let site = NginxSite(["location / { return 200 good; }"], identity: try authority.issue("good"))
      try await withNginx(in: folder, [site]) { ports in
        let spans = try await withCurlEngine(trust: TrustStore(bundle: authority.rootFile)) { engine in
          let asked = request(ports[0], scheme: "https", timeout: .seconds(50))
          return try await withThrowingTaskGroup(of: (own: Duration, queued: Duration).self) { group in
            for _ in 0..<200 {
              group.addTask {
                let report = try await engine.perform(asked)
                #expect(report.outcome == .complete)
                return (report.times.ended, report.times.queued)
              }
            }
            return try await group.reduce(into: []) { $0.append($1) }
          }
        }
        let whole = try #require(spans.map { $0.own + $0.queued }.max())
        let own = try #require(spans.map(\.own).sorted().dropFirst(100).first)
        #expect(own < whole / 2)
      }
    }
  }
}
