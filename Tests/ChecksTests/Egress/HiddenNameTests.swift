// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Checks

/// Who can write checks into the API must not learn from what is delivered which names exist in here: a private name
/// and a missing one both bring nothing.
@Suite(.timeLimit(.minutes(2))) struct HiddenNameTests {
  private static let types = ["http", "tcp", "tls", "ping"]
  /// A server answers by the first label; no message of it says more than that of a real one.
  private static func answer(_ request: [UInt8], _ client: UDPClient, _ gone: Bool) {
    var wire = Wire(to: request)
    let isV4 = wire.question.suffix(4) == [0, 1, 0, 1]
    let label = String(
      decoding: wire.question.dropFirst().prefix(Int(wire.question.first ?? 0)), as: UTF8.self)
    switch label {
    case "db": if isV4 { wire.answers = [Wire.a(10, 0, 0, 5)] }
    case "bare": break
    case "sick": wire.flags = 0x8182
    case "shut": wire.flags = 0x8185
    case "site" where !gone: if isV4 { wire.answers = [Wire.a(9, 9, 9, 9)] }
    case "todb" where !gone, "tonone" where !gone: if isV4 { wire.answers = [Wire.a(9, 9, 9, 9)] }
    case "todb":
      wire.answers = [Wire.cname("db.corp.example")]
      if isV4 { wire.answers.append(Wire.a(10, 0, 0, 5, name: Wire.name("db.corp.example"))) }
    case "tonone":
      wire.answers = [Wire.cname("none.corp.example")]
      wire.flags = 0x8183
    default: wire.flags = 0x8183
    }
    client.send(wire.bytes)
  }

  /// One finder, as an agent has it, and a name server on which things can disappear.
  private struct Bench {
    let finder: TargetFinder
    let isGone: Mutexed
    let port: UInt16

    func verdict(_ type: String, _ host: String, _ origin: CheckOrigin = .api) async throws -> Verdict? {
      let check = try makeCheck(type) {
        ($0.origin, $0.host) = (origin, host)
        if type == "tcp" || type == "tls" { $0.port = 443 }
        if type == "http" { ($0.host, $0.url) = (nil, "http://\(host)/") }
        if type == "dns" { ($0.host, $0.server, $0.queryName) = (nil, host, "example.com") }
      }
      return try await verdict(check)
    }

    func verdict(_ check: MonitoringCheck) async throws -> Verdict? {
      let target = try #require(check.ownTarget)
      let finding = try await finder.find(target, for: check, until: .after(.seconds(10)))
      if case .ended(let outcome) = finding { return outcome.verdict }
      return nil
    }
  }

  private final class Mutexed: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }

  private func withBench(_ body: (Bench) async throws -> Void) async throws {
    let gone = Mutexed()
    try await withUDPResponder(script: { Self.answer($0, $1, gone.isSet) }) { server in
      try await withResolver("nameserver 127.0.0.1", port: server.port) { _, system in
        let finder = TargetFinder(resolver: system, policy: EgressPolicy())
        try await body(Bench(finder: finder, isGone: gone, port: server.port))
      }
    }
  }

  /// Neither is delivered: the state of both is unknown. The words on this machine's own page differ.
  @Test(arguments: types + ["dns"], ["db", "none", "bare", "sick", "shut"])
  func nothingIsToldOfANameInHere(type: String, label: String) async throws {
    try await withBench { bench in
      let verdict = try #require(try await bench.verdict(type, "\(label).corp.example"))
      #expect(verdict.state == .unknown, "\(verdict)")
      // The administrator's own check says what there is to say.
      guard label != "db" else { return }
      let own = try #require(try await bench.verdict(type, "\(label).corp.example", .local))
      #expect(own.state == .down && own.reason == verdict.reason, "\(own)")
      #expect(own.message != nil && verdict.message?.hasPrefix(own.message ?? "-") == true)
    }
  }

  /// A name that led to an open address is known outside: that it disappears is an outage, and is told.
  @Test(arguments: types) func theEndOfAPublicNameIsTold(type: String) async throws {
    try await withBench { bench in
      let first = try await bench.verdict(type, "site.example")
      #expect(first == nil)
      bench.isGone.set()
      let verdict = try #require(try await bench.verdict(type, "site.example"))
      #expect(verdict.reason == .dnsNXDomain && verdict.state == .down, "\(verdict)")
      let other = try #require(try await bench.verdict(type, "SITE.example."))
      #expect(other.state == .down, "\(other)")
      let last = try await bench.verdict(type, "other.example")
      #expect(last?.state == .unknown)
    }
  }

  /// A name of the stranger's own that becomes an alias of one in here tells nothing of that one.
  @Test(arguments: ["todb", "tonone"]) func anAliasIsNoWayAround(label: String) async throws {
    try await withBench { bench in
      let first = try await bench.verdict("tcp", "\(label).example")
      #expect(first == nil)
      bench.isGone.set()
      let last = try await bench.verdict("tcp", "\(label).example")
      #expect(last?.state == .unknown)
    }
  }

  /// The name of a resolver is one more name that could be asked about.
  @Test(arguments: ["db", "none", "bare"]) func norOfAResolversName(label: String) async throws {
    try await withBench { bench in
      let check = try makeCheck("tcp") {
        ($0.origin, $0.host, $0.port, $0.resolver) = (.api, "site.example", 443, "\(label).corp.example:53")
      }
      let last = try await bench.verdict(check)
      #expect(last?.state == .unknown)
    }
  }

  /// This machine's name servers are in here: a stranger's dns check does not ask them.
  @Test func aStrangersDNSCheckNamesItsServer() async throws {
    try await withUDPResponder(script: { Self.answer($0, $1, false) }) { server in
      for name in ["db.corp.example", "none.corp.example"] {
        let outcome = try await dnsAttempt(system: "nameserver 127.0.0.1", systemPort: server.port) {
          ($0.origin, $0.queryName) = (.api, name)
        }
        #expect(outcome.verdict.reason == .policyDenied && outcome.verdict.state == .unknown)
        #expect(outcome.responseTime == nil && outcome.timings == Timings())
      }
      #expect(server.received.isEmpty)
    }
  }

  /// A redirect to a private name and to a missing one end alike, word for word and without a time.
  @Test func aRedirectTellsNothing() async throws {
    try await withBench { bench in
      let check = try makeCheck("http") { ($0.origin, $0.url) = (.api, "http://site.example/") }
      var outcomes: [ProbeOutcome] = []
      for label in ["db", "none", "bare", "sick"] {
        let finding = try await bench.finder.find(
          Endpoint(host: "\(label).corp.example", port: 80), redirectedFrom: .v4(0x0909_0909), for: check,
          until: .after(.seconds(10)))
        if case .ended(let outcome) = finding { outcomes.append(outcome) }
      }
      #expect(outcomes.count == 4)
      for outcome in outcomes {
        #expect(outcome.verdict == RedirectRule.denied)
        #expect(outcome.responseTime == nil && outcome.timings == Timings())
      }
    }
  }

  /// What is kept is bounded, and what was forgotten is learned again.
  @Test func memoryIsBounded() {
    let names = KnownNames()
    for number in 0..<(KnownNames.limit + 10) { names.learn("n\(number).example", []) }
    #expect(!names.knows("n0.example", []))
    #expect(names.knows("n\(KnownNames.limit + 9).example", []))
    names.learn("N0.example.", ["b.example"])
    #expect(names.knows("n0.EXAMPLE", ["B.example."]))
    #expect(!names.knows("n0.example", ["c.example"]))
    // A server that makes up a path of thousands pushes nothing out.
    names.learn("long.example", (0..<KnownNames.limit).map { "a\($0).example" })
    #expect(!names.knows("long.example", []))
    #expect(names.knows("n0.example", ["b.example"]))
  }
}
