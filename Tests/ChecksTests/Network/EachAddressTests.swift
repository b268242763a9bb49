// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// `addresses: each`.
@Suite(.timeLimit(.minutes(2))) struct EachAddressTests {
  private static let both: [IPAddress] = [.loopback, .v4(0x7f00_0009)]

  private func names(_ addresses: [IPAddress]) -> NameTable {
    NameTable(hosts: ["good.test": ResolvedHost(addresses: addresses, elapsed: .milliseconds(3))])
  }

  private func run(
    _ check: MonitoringCheck, _ addresses: [IPAddress], egress: EgressSettings = EgressSettings(),
    budget: EgressBudget? = nil, time: TimeSource = .system
  ) async throws -> CheckResult {
    try await withCurlEngine { engine in
      let reactor = try Reactor()
      let system = SystemResolver(
        reactor: reactor, resolvConf: "/nonexistent/a", hosts: "/nonexistent/b", port: 1)
      let finder = TargetFinder(resolver: names(addresses), policy: EgressPolicy(egress), budget: budget)
      let runner = CheckRunner(
        engine: engine, reactor: reactor, system: system, finder: finder, userAgent: "test", time: time)
      return try await runner.run(check, slot: ProbeSlot(scheduledAt: .now(), trigger: .manual))
    }
  }

  private func tcp(_ port: UInt16, _ change: (inout CheckDefinition) -> Void = { _ in }) throws
    -> MonitoringCheck
  {
    try makeCheck("tcp") {
      $0.host = "good.test"
      $0.port = Int(port)
      $0.addresses = "each"
      change(&$0)
    }
  }

  @Test func oneThatFailsFailsTheCheck() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let result = try await run(try tcp(server.port), Self.both)
      #expect(result.state == .down && result.reason == .connectRefused)
      #expect(result.addresses.map(\.address) == ["127.0.0.1:\(server.port)", "127.0.0.9:\(server.port)"])
      #expect(result.addresses.map(\.state) == [.up, .down])
      #expect(result.address == "127.0.0.9:\(server.port)")
      #expect(
        result.message
          == "127.0.0.9:\(server.port), 1 of 2 addresses failing: good.test:\(server.port): connection refused"
      )
      #expect(result.json.contains(#""addresses":[{"address":"127.0.0.1"#))
      // With `any` the same host is up.
      let any = try await run(try tcp(server.port) { $0.addresses = "any" }, Self.both)
      #expect(any.state == .up && any.addresses.isEmpty)
    }
  }

  @Test func allThatAnswerAreUp() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let result = try await run(try tcp(server.port), [.loopback, .loopback])
      #expect(result.state == .up && result.message == nil)
      #expect(result.addresses.map(\.state) == [.up, .up])
      // The slowest counts, and resolving is in its time.
      #expect(result.responseTime == result.addresses.compactMap(\.responseTime).max())
      #expect(result.timings.dns == .milliseconds(3))
    }
  }

  @Test func oneAddressIsNotNamed() async throws {
    let port = try freePort()
    let result = try await run(try tcp(port), [.loopback])
    #expect(result.message == "good.test:\(port): connection refused")
    #expect(result.addresses.count == 1)
  }

  /// All at once: a silent one does not eat the others' time.
  @Test func eachHasTheWholeTime() async throws {
    try await withFullListener { silent in
      let check = try tcp(silent) { $0.timeout = .seconds(1) }
      let result = try await run(check, Array(repeating: .loopback, count: 16))
      #expect(result.addresses.count == 16)
      #expect(result.addresses.allSatisfy { $0.reason == .connectTimeout || $0.reason == .localFault })
      // Each until its own second is over, whatever the others took.
      for address in result.addresses where address.reason == .connectTimeout {
        #expect(try #require(address.responseTime) >= .milliseconds(800))
      }
    }
  }

  @Test func httpAnswersForEachAddress() async throws {
    try await withLoopbackServer(script: { link in
      link.read(until: "\r\n\r\n")
      link.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      link.waitForEnd()
    }) { server in
      let check = try makeCheck("http") {
        $0.url = "http://good.test:\(server.port)/"
        $0.addresses = "each"
      }
      let result = try await run(check, Self.both)
      // The server listens on 127.0.0.1 alone: the other address refuses.
      #expect(result.addresses.map(\.statusCode) == [200, nil])
      #expect(result.state == .down)
    }
  }

  @Test func dnsAsksEachAddressOfTheServer() async throws {
    try await withUDPResponder(script: { request, client in
      client.send(
        Wire(to: request).with { wire in
          wire.flags = 0x8180
          wire.answers = [Wire.record(1, [192, 0, 2, 1])]
        }.bytes)
    }) { server in
      let check = try makeCheck("dns") {
        $0.server = "good.test:\(server.port)"
        $0.queryName = "example.com"
        $0.addresses = "each"
        $0.timeout = .seconds(5)
      }
      let result = try await run(check, Self.both)
      #expect(result.addresses.map(\.state) == [.up, .down])
      #expect(result.addresses.map(\.address) == ["127.0.0.1:\(server.port)", "127.0.0.9:\(server.port)"])
    }
  }

  @Test func tlsAndPingMakeAVerdictForEach() async throws {
    let port = try freePort()
    let tls = try await run(
      try makeCheck("tls") {
        $0.host = "good.test"
        $0.port = Int(port)
        $0.addresses = "each"
      }, Self.both)
    #expect(tls.addresses.map(\.reason) == [.connectRefused, .connectRefused])
    #expect(tls.message?.contains("2 of 2 addresses failing") == true)
    let ping = try await run(
      try makeCheck("ping") {
        $0.host = "good.test"
        $0.ping.count = 1
        $0.addresses = "each"
      }, Self.both)
    #expect(ping.addresses.map(\.address).count == 2)
  }

  /// What the policy denies is no address of the host.
  @Test func deniedAddressesAreNotProbed() async throws {
    try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
      let egress = EgressSettings(deny: [EgressRule(try #require(CIDR("127.0.0.9")))])
      let result = try await run(try tcp(server.port), Self.both, egress: egress)
      #expect(result.state == .up && result.addresses.count == 1)
    }
  }

  /// The conditions of a check are in its result, also when there was no address to hold against them.
  @Test func withoutAnAddressTheConditionsAreThere() async throws {
    for addresses in ["any", "each"] {
      let check = try makeCheck("http") {
        $0.url = "http://nowhere.test/"
        $0.addresses = addresses
      }
      let result = try await run(check, [.loopback])
      #expect(result.reason.rawValue.hasPrefix("dns_"))
      #expect(result.assertions.map(\.what) == ["status"] && result.assertions.allSatisfy { !$0.ok })
    }
  }

  /// A stranger's check pays for each of the addresses once.
  @Test func eachAddressIsPaidForOnce() async throws {
    let (clock, port) = (FakeClock(), try freePort())
    var limits = EgressBudget.Limits()
    limits.ratePerAddress = 1
    let budget = EgressBudget(limits, time: clock.time)
    let egress = EgressSettings(allow: [EgressRule(try #require(CIDR("127.0.0.0/8")), ports: [port])])
    let check = try tcp(port) { $0.origin = .api }
    let result = try await run(check, Self.both, egress: egress, budget: budget, time: clock.passing)
    #expect(result.addresses.map(\.reason) == [.connectRefused, .connectRefused])
    #expect(clock.sleeps.isEmpty)
    for address in Self.both {
      #expect(
        budget.admit([SocketAddress(address, port: port)], of: "good.test") == .later(.seconds(1)))
    }
  }

  private func outcome(
    _ reason: Reason, _ time: Duration, degraded: Bool = false
  ) -> (SocketAddress, ProbeOutcome) {
    (
      SocketAddress(.loopback, port: 1),
      ProbeOutcome(
        Verdict(reason, message: reason == .ok ? nil : "words", degraded: degraded), responseTime: time,
        timings: Timings(total: time), peer: SocketAddress(.loopback, port: UInt16(time.microseconds)))
    )
  }

  @Test func theWorstDecides() throws {
    func merge(
      _ outcomes: [(SocketAddress, ProbeOutcome)], fail: Duration? = nil, negated: Bool = false
    ) throws -> ProbeOutcome {
      let check = try tcp(1) {
        $0.responseTime = Thresholds(fail: fail)
        $0.negate = negated
      }
      return CheckRunner.merge(outcomes.map { (peer: $0.0, outcome: $0.1) }, of: check, dns: nil).outcome
    }
    let up = outcome(.ok, .milliseconds(1))
    let slow = outcome(.ok, .milliseconds(9))
    let unknown = outcome(.localFault, .milliseconds(2))
    let down = outcome(.connectRefused, .milliseconds(3))
    let later = outcome(.connectTimeout, .milliseconds(4))
    #expect(try merge([up, slow]).responseTime == .milliseconds(9))
    #expect(try merge([up, unknown, slow]).verdict.state == .unknown)
    #expect(try merge([unknown, up, down, later]).verdict.reason == .connectRefused)
    let late = try merge([up, slow], fail: .milliseconds(5))
    #expect(late.verdict.reason == .responseTime && late.verdict.state == .down)
    #expect(late.verdict.message?.hasPrefix("127.0.0.1:9000, 1 of 2 addresses failing: ") == true)
    #expect(late.addresses.map(\.state) == [.up, .down])
    // All of them must fail: one that answers is found out, and one that nobody can tell about leaves it open.
    #expect(try merge([down, slow, later], negated: true).verdict == .ok)
    #expect(try merge([down, unknown, later], negated: true).verdict.state == .unknown)
    #expect(try merge([down, later], negated: true).verdict.reason == .connectRefused)
  }
}
