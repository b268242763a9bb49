// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Which checks are traced, for which failures, to which address, and by which packets.
@Suite struct TraceRuleTableTests {
  private func result(_ definition: CheckDefinition, _ verdict: Verdict) throws -> CheckResult {
    CheckResult(
      id: UniqueID(high: 1, low: 1), check: try MonitoringCheck(definition), trigger: .schedule,
      scheduledAt: .epoch, startedAt: .epoch, late: .zero, verdict: verdict)
  }

  /// Failures that lost packets can cause; a timeout of DNS only where the name server is the target.
  @Test(arguments: Reason.allCases) func reasons(reason: Reason) throws {
    let onTheWay: Set<Reason> = [
      .connectRefused, .connectTimeout, .connectUnreachable, .connectionReset, .connectionClosed, .tlsTimeout,
      .tlsHandshake, .firstByteTimeout, .pingTimeout, .pingLoss, .dnsTimeout,
    ]
    #expect(reason.mayLieOnTheWay == onTheWay.contains(reason))
    let http = try result(.http(), Verdict(reason, phase: .connect))
    #expect(TraceRule.concerns(http) == (onTheWay.contains(reason) && reason != .dnsTimeout))
    let dns = try result(.dns(name: "a.example"), Verdict(reason, phase: .answer))
    #expect(TraceRule.concerns(dns) == onTheWay.contains(reason))
    #expect(!TraceRule.concerns(try result(.http(), Verdict(reason, phase: .proxy))))
    #expect(!TraceRule.concerns(try result(.http(), Verdict(reason, phase: .connect, degraded: true))))
    #expect(!TraceRule.concerns(try result(.http(), Verdict(reason, phase: .connect, isUnknown: true))))
  }

  @Test func checksThatAreTraced() throws {
    var (definition, settings) = (CheckDefinition.http(), TraceSettings())
    func covers() throws -> Bool { TraceRule.covers(try MonitoringCheck(definition), settings) }
    #expect(try covers() == true)
    definition.plan.trace = false
    #expect(try covers() == false)
    (definition.plan.trace, definition.origin) = (true, .api)
    #expect(try covers() == false)
    settings.apiChecks = true
    #expect(try covers() == true)
    (settings.onFailure, settings.slowFactor) = (false, 1)
    #expect(try covers() == true)
    settings.slowFactor = 0
    #expect(try covers() == false && !settings.isOn)
    settings.onFailure = true
    #expect(try covers() == true && settings.isOn)
    definition = CheckDefinition()
    (definition.name, definition.type) = ("Backup", "heartbeat")
    (definition.token, definition.period) = (Redacted("0123456789abcdef"), .seconds(3600))
    #expect(try covers() == false)
  }

  @Test func defaults() {
    let settings = TraceSettings()
    #expect(settings.onFailure && settings.slowFactor == 3 && settings.goodEvery == .seconds(86_400))
    #expect(settings.atOnce == 4 && settings.every == .seconds(300) && !settings.apiChecks && settings.names)
    #expect(TraceUsual.enough == 100)
  }

  @Test func methods() throws {
    func method(_ definition: CheckDefinition) throws -> TraceMethod? {
      TraceRule.method(of: try MonitoringCheck(definition))
    }
    var dns = CheckDefinition.dns(name: "a.example")
    dns.server = "192.0.2.53"
    for (transport, wanted) in [("udp", .udp), ("tcp", nil), ("dot", nil), ("doh", nil)]
      as [(String, TraceMethod?)]
    {
      dns.transport = transport
      #expect(try method(dns) == wanted, "\(transport)")
    }
    var ping = CheckDefinition.ping(host: "router")
    #expect(try method(ping) == .icmp)
    (ping.pingMethod, ping.port) = ("tcp", 22)
    #expect(try method(ping) == nil)
    #expect(try method(.http()) == nil)
    #expect(try method(.tcp(host: "a", port: 1)) == nil)
  }

  /// There is a way to what another machine can have, and to nothing else.
  @Test(
    arguments: [
      ("192.0.2.1", true), ("10.0.0.1", true), ("127.0.0.1", false), ("127.9.9.9", false), ("::1", false),
      ("0.0.0.0", false), ("224.0.0.1", false), ("255.255.255.255", false), ("2001:db8::1", true),
      ("::", false), ("ff02::1", false),
    ])
  func targets(text: String, isTraced: Bool) throws {
    var made = try result(.http(), Verdict(.connectTimeout))
    #expect(TraceRule.target(of: made) == nil)
    let address = SocketAddress(try #require(IPAddress(text)), port: 443)
    made.facts.peer = address
    #expect(TraceRule.target(of: made) == (isTraced ? address : nil))
  }

  @Test func figures() {
    var figures = TraceFigures()
    let usual = TraceUsual(count: 100, p99: .seconds(1))
    let causes: [(TraceCause, Int, String)] = [
      (.failure(.body), 3, "failure"), (.slow(took: .seconds(4), usual: usual), 2, "slow"),
      (.good, 1, "good"),
    ]
    for (cause, times, word) in causes {
      for _ in 0..<times { figures.begin(cause) }
      #expect(cause.word == word)
    }
    #expect(figures.failure == 3 && figures.slow == 2 && figures.good == 1)
    #expect(figures.dropped == 0 && figures.running == 0 && figures.waiting == 0)
  }

  /// A hop's loss is of what was sent, and no less than none.
  @Test(
    arguments: [
      (0, 0, 0), (4, 1, 75), (4, 4, 0), (8, 3, 62.5), (2, 3, 0), (5, 0, 100),
    ] as [(Int, Int, Double)])
  func lossOfAHop(sent: Int, received: Int, loss: Double) {
    func answer(_ count: Int) -> TraceAnswer {
      TraceAnswer(
        address: .v4(1), received: count, best: .zero, average: .zero, worst: .zero, flows: [])
    }
    let halves = [answer(received / 2), answer(received - received / 2)]
    let hop = TraceHop(ttl: 1, sent: sent, answers: halves)
    #expect(hop.received == received && hop.loss == loss)
  }

  /// Advice that changes with the part of the probe.
  @Test func advice() {
    let nameServer = "see whether the name server runs there, over UDP and TCP"
    for reason in Reason.allCases {
      let isOfAConnection = [
        .connectRefused, .connectTimeout, .connectUnreachable, .connectionReset, .connectionClosed,
      ].contains(reason)
      #expect((reason.advice(in: .dns) == nameServer) == isOfAConnection, "\(reason)")
    }
    #expect(
      Reason.httpProtocol.advice(in: .transfer)
        == "see what the service, or something on the way, does to the answer")
    for phase in [nil, .tls, .firstByte] as [Phase?] {
      #expect(
        Reason.httpProtocol.advice(in: phase)
          == "see whether HTTP is spoken on that port, and by which scheme")
    }
    #expect(Reason.ok.advice() == nil)
    let missing = Reason.allCases.filter { $0 != .ok && $0.advice() == nil }
    #expect(missing == [])
  }
}
