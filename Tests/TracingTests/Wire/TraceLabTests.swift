// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network
import TestSupport
import Testing

@testable import Tracing

/// Broken networks, and what a trace says of them.
@Suite(.enabled(if: NetworkNamespace.isAvailable), .serialized, .timeLimit(.minutes(2)))
struct TraceLabTests {
  typealias Family = TraceLab.Family
  private let lab: TraceLab

  init() throws { lab = try TraceLab.shared.get() }

  private func hops(_ family: Family, _ numbers: [Int]) -> [String] { numbers.map(family.hop) }

  @Test(arguments: Family.allCases) func aPlainWay(family: Family) async throws {
    let trace = try await lab.trace(family.server) { $0.findsMTU = true }
    #expect(trace.end == .reached("accepted"))
    #expect(trace.method == .tcp && trace.why == "TCP to port 443, the service's own")
    #expect(trace.path == hops(family, Array(1...9)))
    #expect(trace.hops.allSatisfy { $0.sent == 9 && $0.received == 9 && $0.loss == 0 })
    #expect(trace.hops.allSatisfy { $0.answers.first?.flows == [0, 1, 2] })
    let first = try #require(trace.hops.first?.answers.first)
    #expect(.zero < first.best && first.best <= first.average && first.average <= first.worst)
    // The first router's answers come with the TTL that they began with, each next with one less.
    #expect(trace.hops.dropLast().map { $0.answers.first?.replyTTL } == (0..<8).map { 64 - $0 })
    #expect(trace.mtu == 1500 && trace.narrowings.isEmpty)
  }

  @Test(arguments: Family.allCases) func aPortThatNobodyListensOn(family: Family) async throws {
    let trace = try await lab.trace(family.server, port: 81)
    #expect(trace.end == .reached("refused"))
    #expect(trace.path == hops(family, Array(1...9)))
  }

  @Test(arguments: [TraceMethod.udp, .icmp], Family.allCases)
  func otherMethods(method: TraceMethod, family: Family) async throws {
    let trace = try await lab.trace(family.server, port: 0) { $0.method = method }
    #expect(trace.end == .reached(method == .udp ? "port unreachable" : "echo reply"))
    #expect(trace.path == hops(family, Array(1...9)), "\(trace.path)")
    #expect(trace.hops.last?.answers.first?.replyTTL == 56)
  }

  /// A router that answers once a second after a burst: its loss is its own, and nobody behind it has any.
  @Test(arguments: Family.allCases) func aRouterThatLimitsItsAnswers(family: Family) async throws {
    let trace = try await lab.with("limits") {
      try await lab.trace(family.server) { $0.probes = 8 }
    }
    #expect(trace.end == .reached("accepted"))
    #expect(trace.path == hops(family, Array(1...9)))
    let limited = trace.hops[3]
    #expect(limited.sent == 24 && limited.loss > 25, "\(limited)")
    #expect(trace.isOwnSilence(3))
    #expect(trace.hops.filter { $0.ttl != 4 }.allSatisfy { $0.loss == 0 })
  }

  @Test(arguments: Family.allCases) func aSilentHop(family: Family) async throws {
    let trace = try await lab.with("silent") { try await lab.trace(family.server) }
    #expect(trace.end == .reached("accepted"))
    var expected = hops(family, Array(1...9))
    expected[3] = "*"
    #expect(trace.path == expected)
    #expect(trace.hops[3].loss == 100 && trace.isOwnSilence(3))
  }

  /// The way back from the sixth router on is longer by one: seen by the TTL of its answers.
  @Test(arguments: Family.allCases) func anAsymmetricWay(family: Family) async throws {
    let trace = try await lab.with("asymmetric") { try await lab.trace(family.server) }
    #expect(trace.end == .reached("accepted"))
    let back = trace.hops.dropLast().map { hop in
      hop.answers.first.flatMap { trace.wayBack($0, at: hop.ttl) }
    }
    #expect(back == [nil, nil, nil, nil, nil, 7, 8, 9], "\(back)")
  }

  /// Each flow keeps to its way: over r3 and r4, or over q3 and q4, and never over r3 and q4.
  @Test(arguments: Family.allCases) func aLoadBalancerIsNoZigzag(family: Family) async throws {
    // Chance sends all eight the same way once in 128 times.
    let trace = try await lab.with("balanced") {
      for _ in 0..<4 {
        let trace = try await lab.trace(family.server) { $0.flows = 8 }
        if trace.widths.contains(2) { return trace }
      }
      return try await lab.trace(family.server) { $0.flows = 8 }
    }
    #expect(trace.end == .reached("accepted"))
    // Over IPv6 r5 answers from where a packet came in.
    #expect(trace.widths == [1, 1, 2, 2, family == .v4 ? 1 : 2, 1, 1, 1, 1], "\(trace.path)")
    func flows(_ ttl: Int, _ link: Int) -> [Int]? {
      trace.hops[ttl - 1].answers.first { $0.address.description == family.hop(link) }?.flows
    }
    #expect(flows(3, 3) == flows(4, 4) && flows(3, 13) == flows(4, 14))
    #expect((flows(3, 3) ?? []).count + (flows(3, 13) ?? []).count == 8)
  }
}
