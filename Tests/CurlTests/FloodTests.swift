// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Curl

/// What a server sends at full speed and holds nothing of an answer ends its own transfer, and no other one notices.
@Suite(.serialized, .timeLimit(.minutes(3))) struct FloodTests {
  private static let timeout = Duration.milliseconds(1500)
  /// For the slowest of a hundred healthy ones.
  private static let quiet = Duration.milliseconds(50)

  private func withIdentity(_ body: (TestAuthority.Identity) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      try await body(try TestAuthority(in: folder).selfSigned("flood"))
    }
  }

  /// Each ends by its deadline at the latest, and is the target's fault: one that floods is not up, and it is not this
  /// machine that failed.
  @Test(arguments: Machine.hasFewRounds ? Flood.few : Flood.all)
  func endsTheTransfer(_ flood: Flood) async throws {
    try await withIdentity { identity in
      try await flood.serve(identity) { server in
        let report = try await transfer(flood.request(server.port, timeout: Self.timeout))
        let failure = try #require(report.failure)
        if case .local = failure.kind { Issue.record("\(failure)") }
        #expect(report.times.ended + report.times.queued < Self.timeout + .milliseconds(500))
        #expect(failure.kind != .timeout || report.times.ended >= Self.timeout)
      }
    }
  }

  /// A hundred checks a second on the same engine, while one kind of flood after the other runs beside them: 99 of 100
  /// take no more than 50 ms. The same number at the same time goes over an engine that none of them sees: where those
  /// are late as well, the cores are others', and not ours to judge. A flood that holds the thread up does it for the
  /// whole 600 ms that it has, each time.
  @Test func silencesNobodyElse() async throws {
    try await withIdentity { identity in
      try await withLoopbackServer(script: { link in
        link.read(until: "\r\n\r\n")
        link.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }) { healthy in
        try await withCurlEngine { engine in
          try await withCurlEngine { other in
            var rounds: [(calm: Duration, beside: Duration)] = []
            while rounds.count < 4, !rounds.contains(where: { $0.beside <= max(Self.quiet, $0.calm * 2) }) {
              let end = End()
              async let calm = latencies(of: other, healthy.port, until: end)
              async let beside = latencies(of: engine, healthy.port, until: end)
              try await runAll(identity, on: engine)
              end.come()
              let taken = try await (calm: calm, beside: beside)
              #expect(taken.calm.count >= 900 && taken.beside.count >= 900)
              rounds.append((percentile(99, of: taken.calm), percentile(99, of: taken.beside)))
            }
            print("p99 on another engine, and beside floods: \(rounds)")
            #expect(rounds.contains { $0.beside <= max(Self.quiet, $0.calm * 2) }, "\(rounds)")
          }
        }
      }
    }
  }

  /// One kind after the other, three a second.
  private func runAll(_ identity: TestAuthority.Identity, on engine: CurlEngine) async throws {
    let clock = ContinuousClock()
    for flood in Flood.all {
      let begun = clock.now
      try await flood.serve(identity) { server in
        _ = try await engine.perform(flood.request(server.port, timeout: .milliseconds(600)))
      }
      try await clock.sleep(until: begun + .milliseconds(330))
    }
  }

  private final class End: Sendable {
    private let flag = Mutex(false)

    var hasCome: Bool { flag.withLock { $0 } }

    func come() { flag.withLock { $0 = true } }
  }

  /// How long each healthy request took, a hundred of them a second.
  private func latencies(
    of engine: CurlEngine, _ port: UInt16, until end: End
  ) async throws -> [Duration] {
    try await withThrowingTaskGroup(of: Duration.self) { group in
      let clock = ContinuousClock()
      var due = clock.now
      while !end.hasCome {
        group.addTask {
          let report = try await engine.perform(request(port, timeout: .seconds(10)))
          #expect(report.outcome == .complete)
          return report.times.queued + report.times.ended
        }
        due = due + .milliseconds(10)
        try await clock.sleep(until: due)
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  private func percentile(_ rank: Int, of values: [Duration]) -> Duration {
    values.sorted()[min(values.count - 1, values.count * rank / 100)]
  }

  /// Cancelling and shutting down are obeyed while bytes stream in.
  @Test func isLeftAtOnce() async throws {
    try await withIdentity { identity in
      for flood in Flood.http2.prefix(2) + Flood.clearTLS.prefix(1) + Flood.http1[1...1] {
        try await flood.serve(identity) { server in
          let engine = try CurlEngine()
          let floods = (0..<10).map { _ in
            Task { try await engine.perform(flood.request(server.port, timeout: .seconds(3600))) }
          }
          try await until("all floods") { server.accepted >= 10 }
          floods[0].cancel()
          // Nothing else ends them within the time of this test.
          _ = await floods[0].result
          await engine.shutdown()
          for flood in floods { _ = await flood.result }
        }
      }
    }
  }

  /// Records that hold application data are what a connection is for; all others are counted.
  @Test func countsRecordsWithoutContent() {
    var budget = RecordBudget()
    let isContentFree = (0..<100_000).allSatisfy { _ in
      budget.take(content: 256, first: 23) && budget.take(content: 257, first: 23)
    }
    #expect(isContentFree)
    let isWithinLimit = (0..<RecordBudget.limit).allSatisfy { _ in budget.take(content: 22, first: 4) }
    #expect(isWithinLimit)
    let (isHeaderTaken, isContentTaken) = (
      budget.take(content: 256, first: 22), budget.take(content: 256, first: 23)
    )
    #expect(!isHeaderTaken && !isContentTaken)
  }

  /// A megabyte needs no reason, and each byte that was handed over excuses 32.
  @Test func allowsWhatAnAnswerComesIn() {
    #expect(!WireBudget.isSpent(consumed: 1 << 20, delivered: 0))
    #expect(WireBudget.isSpent(consumed: 1 << 20 + 1, delivered: 0))
    #expect(!WireBudget.isSpent(consumed: 64 << 20, delivered: 2 << 20))
    #expect(!WireBudget.isSpent(consumed: .max, delivered: .max))
  }

  /// A flood is the server's fault, or the proxy's where none but it was spoken to.
  @Test func saysWhoseFaultAFloodIs() {
    func kind(_ phase: TransferPhase, proxy: Bool = false) -> TransferFailureKind? {
      let end = TransferEnd(
        code: CURLE_RECV_ERROR, stop: .flood, phase: phase, proxy: proxy ? ProxyEnd() : nil)
      if case .failed(let failure) = end.outcome { return failure.kind }
      return nil
    }
    #expect(kind(.tls) == .tls(.handshake))
    #expect(kind(.firstByte) == .httpProtocol)
    #expect(kind(.transfer) == .httpProtocol)
    #expect(kind(.proxy, proxy: true) == .proxyConnect)
  }

  /// A thread that sleeps is no thread that hangs.
  @Test func tellsHowLongATurnTakes() async throws {
    let clock = ThreadClock()
    #expect(clock.age == .zero)
    clock.begin()
    while clock.age < .milliseconds(2) {}
    clock.end()
    #expect(clock.age == .zero)
    try await withCurlEngine { engine in
      try await until("a thread that sleeps") { engine.turnAge() == .zero }
    }
  }
}
