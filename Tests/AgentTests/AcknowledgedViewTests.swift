// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import History
import Logging
import Monitoring
import Status
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// Which checks are shown as acknowledged, and in which incident each is.
@Suite struct AcknowledgedViewTests {
  private final class MemoryFile: DurableBytes {
    func read() async throws(StateFile.Failure) -> [UInt8]? { nil }
    func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {}
  }

  private let clock = FakeClock()
  private let refused = Verdict(.connectRefused, phase: .connect)

  /// A desk whose second rule is the worse one, and fires with the second failure.
  private func desk(_ checks: [MonitoringCheck], worse: AlertSeverity = .critical) async -> AlertDesk {
    var settings = AlertSettings()
    settings.channels = [AlertChannel(name: "pager", kind: .exec(ExecChannel(command: ["/bin/true"])))]
    settings.rules = [
      AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .medium),
      AlertRule("long", .consecutiveFailures(threshold: 2, recoveries: 1), severity: worse),
    ]
    let desk = await AlertDesk(
      settings, agent: AgentSettings(), history: HistoryStore(), catalog: CheckCatalog(file: checks),
      sender: OneDelivery(), file: MemoryFile(), log: Logger(label: "test") { _ in LogLines() },
      time: clock.time)
    desk.apply(checks)
    return desk
  }

  private func find(
    _ verdict: Verdict, _ check: MonitoringCheck, _ desk: AlertDesk, of all: [MonitoringCheck]
  ) {
    clock.advance(by: .seconds(60))
    desk.note(
      CheckResult(
        id: UniqueID(high: 7, low: UInt64(clock.elapsed.microseconds)), check: check, trigger: .schedule,
        scheduledAt: clock.wall, startedAt: clock.wall, late: .zero, verdict: verdict))
    // Taken up with the list.
    desk.apply(all)
  }

  /// A check is acknowledged when all that fires of it is: a worse rule for it takes that away, of this check alone.
  @Test func aCheckWithAnAlertThatIsNotAcknowledged() async throws {
    let checks = [try tcpCheck("Shop"), try tcpCheck("Mail")]
    let (shop, mail) = (checks[0], checks[1])
    let desk = await desk(checks)
    for check in checks { find(refused, check, desk, of: checks) }
    #expect(desk.view(now: clock.wall).acknowledged == [:])
    for incident in desk.view(now: clock.wall).open {
      _ = try #require(desk.acknowledge(incident.short, by: "ann", note: "seen"))
    }
    #expect(desk.view(now: clock.wall).acknowledged == [shop.id: "ann", mail.id: "ann"])
    find(refused, shop, desk, of: checks)
    let view = desk.view(now: clock.wall)
    #expect(view.acknowledged == [mail.id: "ann"])
    #expect(Set(view.incidentOf.keys) == [shop.id, mail.id])
    let incident = try #require(view.open.first { $0.id == view.incidentOf[shop.id] })
    #expect(incident.checks.contains(shop.id) && incident.acknowledgedBy == nil, "not all of it")
    _ = try #require(desk.acknowledge(incident.short, by: "bob", note: nil))
    #expect(desk.view(now: clock.wall).acknowledged[shop.id] == "bob")
    find(.ok, shop, desk, of: checks)
    let after = desk.view(now: clock.wall)
    #expect(after.acknowledged.keys.contains(shop.id) == false && after.incidentOf[shop.id] == nil)
  }

  /// Another rule that is no worse leaves it as it is.
  @Test(arguments: [(AlertSeverity.low, true), (.medium, true), (.high, false), (.critical, false)])
  func anotherRuleForTheSameCheck(severity: AlertSeverity, isShown: Bool) async throws {
    let checks = [try tcpCheck("Shop")]
    let desk = await desk(checks, worse: severity)
    find(refused, checks[0], desk, of: checks)
    let incident = try #require(desk.view(now: clock.wall).open.first)
    _ = try #require(desk.acknowledge(incident.short, by: "ann", note: nil))
    find(refused, checks[0], desk, of: checks)
    #expect(desk.view(now: clock.wall).acknowledged == (isShown ? [checks[0].id: "ann"] : [:]))
  }

  /// How many alerts of each rule and severity fire; a rule of which none does is there with its own severity.
  @Test func whatFires() async throws {
    let checks = [try tcpCheck("Shop"), try tcpCheck("Mail")]
    let desk = await desk(checks)
    func firing() -> [String] {
      desk.view(now: clock.wall).firing.map { "\($0.rule) \($0.severity) \($0.count)" }
    }
    #expect(firing() == ["down medium 0", "long critical 0"])
    for check in checks { find(refused, check, desk, of: checks) }
    #expect(firing() == ["down medium 2", "long critical 0"])
    find(refused, checks[1], desk, of: checks)
    #expect(firing() == ["down medium 2", "long critical 1"])
    find(.ok, checks[0], desk, of: checks)
    #expect(firing() == ["down medium 1", "long critical 1"])
  }
}
