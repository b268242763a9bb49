// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks

/// A canary or a parent that is not down itself is no cause of another check's failure.
@Suite struct UnknownCauseTests {
  private let time = FakeClock()

  /// Gives each check the verdict that its name stands for, and fails for any other.
  private struct Network: Probe {
    let verdicts: [String: Verdict]
    var peer: SocketAddress?

    func probe(
      _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
    ) async throws(CancellationError) -> Probed {
      let verdict = verdicts[attempt.check.name] ?? Verdict(.connectRefused, phase: .connect)
      return .done(ProbeOutcome(verdict, peer: peer))
    }
  }

  private func check(_ name: String, on parents: [String] = []) throws -> MonitoringCheck {
    try makeCheck("tcp") { definition in
      definition.name = name
      definition.host = "\(name.lowercased()).example"
      definition.port = 443
      definition.retries = 0
      definition.plan.dependsOn = parents
    }
  }

  private func runner(_ verdicts: [String: Verdict], peer: SocketAddress? = nil) -> CheckRunner {
    let network = Network(verdicts: verdicts, peer: peer)
    return CheckRunner(
      http: network, tcp: network, dns: network, tls: network, ping: network, heartbeat: network,
      time: time.passing)
  }

  /// State of a check that fails while the canaries give these verdicts.
  private func state(
    of shop: MonitoringCheck? = nil, peer: SocketAddress? = nil, canaries: Verdict...
  ) async throws -> CheckState {
    let names = canaries.indices.map { "c\($0)" }
    let plain = runner(Dictionary(uniqueKeysWithValues: zip(names, canaries)), peer: peer)
    let watch = CanaryWatch(time: time.passing) { try await plain.verdictNow($0) }
    watch.replace(try names.map { try check($0) })
    var runner = plain
    runner.canaries = watch
    return try await run(shop ?? check("Shop"), by: runner).state
  }

  /// Result of a check that fails while its parents give these verdicts.
  private func result(parents: Verdict...) async throws -> CheckResult {
    let names = parents.indices.map { "p\($0)" }
    let plain = runner(Dictionary(uniqueKeysWithValues: zip(names, parents)))
    let watch = ParentWatch(time: time.passing) { try await plain.verdictNow($0) }
    let shop = try check("Shop", on: names)
    watch.replace(DependencyGraph(try names.map { try check($0) } + [shop]))
    var runner = plain
    runner.parents = watch
    return try await run(shop, by: runner)
  }

  private func run(_ check: MonitoringCheck, by runner: CheckRunner) async throws -> CheckResult {
    try await runner.run(check, slot: ProbeSlot(scheduledAt: FakeClock.start, trigger: .schedule))
  }

  private static let down = Verdict(.connectTimeout, phase: .connect)
  private static let pathless = Verdict(.localFault, phase: .connect, message: "no route")
  private static let deaf = Verdict(.dnsTimeout, phase: .dns, isUnknown: true)
  /// Those that say nothing about the uplink.
  private static let untold = [
    Verdict(.localFault, phase: .prepare, message: "the kernel forbids ping to this process"),
    Verdict(.policyDenied, phase: .prepare), Verdict(.unsupported, phase: .prepare),
    Verdict(.localFault, phase: .assertion, message: "this machine was busy"),
    Verdict(.heartbeatMissed, phase: .answer, isUnknown: true),
    Verdict(.dnsNXDomain, phase: .dns, isUnknown: true),
  ]

  @Test func aCanaryThatCannotBeProbedExcusesNothing() async throws {
    for verdict in Self.untold {
      #expect(try await state(canaries: verdict) == .down, "\(verdict)")
      // It does not stand in the way of one that says that the uplink is down.
      #expect(try await state(canaries: verdict, Self.down) == .unknown, "\(verdict)")
      #expect(try await state(canaries: verdict, .ok) == .down, "\(verdict)")
    }
  }

  /// This machine finds no path to the canary, which is the very thing that a canary is for.
  @Test func aCanaryWithoutAPathFails() async throws {
    for verdict in [Self.down, Self.pathless, Self.deaf] {
      #expect(try await state(canaries: verdict) == .unknown, "\(verdict)")
      #expect(try await state(canaries: verdict, .ok) == .down, "\(verdict)")
    }
  }

  /// A job reports to this machine, and the loopback is no network away; a name server on it may need the uplink.
  @Test func whatNeedsNoUplinkStaysDown() async throws {
    let far = SocketAddress(.v4(0xc000_0201), port: 443), near = SocketAddress(.loopback, port: 443)
    let dns = try makeCheck("dns") {
      ($0.server, $0.queryName, $0.queryType) = ("127.0.0.1", "web.example", "A")
    }
    let proxied = try httpCheck("http://web.example/") { $0.proxy = Redacted("http://127.0.0.1:3128") }
    let job = try makeCheck("heartbeat") {
      ($0.token, $0.period) = (Redacted("0123456789abcdef0123456789abcdef"), .seconds(86_400))
    }
    let tcp = try check("Local")
    let cases: [(MonitoringCheck, SocketAddress?, CheckState)] = [
      (tcp, far, .unknown), (tcp, near, .down), (tcp, nil, .unknown), (dns, near, .unknown),
      (proxied, near, .unknown), (job, nil, .down),
    ]
    for (check, peer, state) in cases {
      let found = try await self.state(of: check, peer: peer, canaries: Self.down)
      #expect(found == state, "\(check.type) \(peer?.description ?? "-")")
    }
  }

  @Test func aParentThatIsUnknownExcusesNothing() async throws {
    for verdict in Self.untold + [Self.pathless, Self.deaf] {
      let found = try await result(parents: verdict)
      #expect(found.state == .down && found.reason == .connectRefused, "\(verdict)")
      let other = try await result(parents: verdict, Self.down)
      #expect(other.message == "\"p1\", which it depends on, is down", "\(verdict)")
    }
  }
}
