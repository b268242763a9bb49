// SPDX-License-Identifier: MIT

import Basics
import Foundation
import TestSupport
import Testing

@testable import Curl

/// Handshakes begin a few at a time, and whoever waits is not forgotten.
@Suite(.timeLimit(.minutes(1))) struct HandshakeQueueTests {
  private static let begin = Instant(nanoseconds: 1_000_000_000)

  /// Handshakes of one origin that begin until there is room for no more.
  private func fill(_ queue: inout HandshakeQueue, _ kind: WorkOrigin.Kind, from number: UInt64 = 0) -> Int {
    var count = 0
    while count < 100, queue.hasRoom(for: kind, at: Self.begin, isGoingOn: { _ in true }) {
      queue.add(number + UInt64(count), for: kind, at: Self.begin)
      count += 1
    }
    return count
  }

  @Test(arguments: [
    (WorkOrigin.Kind.fileChecks, 16), (.apiChecks, 8), (.asked, 8), (.tokens, 4), (.discovery, 4),
  ])
  func oneOriginHasItsBound(kind: WorkOrigin.Kind, bound: Int) {
    var queue = HandshakeQueue()
    #expect(fill(&queue, kind) == bound)
  }

  /// Whatever the others hold, each begins as many as it is guaranteed.
  @Test func whatIsGuaranteedIsLeft() {
    let guaranteed: [(WorkOrigin.Kind, Int)] = [
      (.fileChecks, 6), (.apiChecks, 2), (.asked, 2), (.tokens, 1), (.discovery, 1),
    ]
    for (kind, least) in guaranteed {
      var queue = HandshakeQueue()
      for (place, other) in guaranteed.enumerated() where other.0 != kind {
        _ = fill(&queue, other.0, from: UInt64(place) * 100)
      }
      #expect(fill(&queue, kind, from: 1000) == least, "\(kind)")
    }
  }

  /// What has ended counts no more, nor what its server keeps waiting for longer than 30 ms.
  @Test func whatEndedOrHangsMakesRoom() {
    var queue = HandshakeQueue()
    #expect(fill(&queue, .apiChecks) == 8)
    #expect(queue.hasRoom(for: .apiChecks, at: Self.begin) { $0 != 3 })
    queue.add(8, for: .apiChecks, at: Self.begin)
    let (last, later) = (Self.begin + .milliseconds(30), Self.begin + .nanoseconds(30_000_001))
    #expect(!queue.hasRoom(for: .apiChecks, at: last) { _ in true })
    #expect(queue.hasRoom(for: .apiChecks, at: later) { _ in true })
  }

  /// Urgent ones take no place of the others.
  @Test func urgentOnesDoNotCount() {
    var queue = HandshakeQueue()
    for number in 0..<100 { queue.add(UInt64(number), for: .delivery, at: Self.begin) }
    #expect(fill(&queue, .fileChecks, from: 100) == 16)
  }

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
            try await until("the first of them") { silent.accepted > 0 }
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
      try await until("the first of them") { silent.accepted > 0 }
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
