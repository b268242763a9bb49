// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// What fires is less severe than a channel was told.
@Suite struct EasedTests {
  private static let day: Int64 = 86_400

  /// A certificate with so many seconds left.
  private func present(_ check: MonitoringCheck, _ left: Int64, at second: Int64, _ desk: inout Desk) {
    var found = result(check, .up, at: second)
    found.facts.tls = TLSFacts(verified: true, notAfter: after(second + left))
    desk.note(found)
  }

  private func settings() -> AlertSettings {
    let kind = AlertRule.Kind.certificateExpiry(before: [21, 7, 1].map { .seconds($0 * Self.day) })
    var settings = quickSettings([AlertRule("certificate", kind, severity: .low)], channels: ["ops", "pd"])
    settings.channels[1] = makePagerDuty("pd")
    settings.digest = 7200
    return settings
  }

  private func told(_ desk: Desk, _ channel: String) -> [String] {
    desk.told.filter { $0.channel == channel }.map {
      "\($0.at) \($0.message.trigger?.rawValue ?? "") \($0.message.severity.rawValue)"
    }
  }

  /// A certificate of an hour is replaced by one of 20 days: that is sent at once and once, and a rise after it is one again.
  @Test func aCertificateThatIsReplaced() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(settings(), [shop])
    present(shop, 3600, at: 0, &desk)
    desk.pass(from: 0, to: 19)
    present(shop, 20 * Self.day, at: 20, &desk)
    desk.pass(from: 20, to: 200)
    present(shop, 3600, at: 201, &desk)
    desk.pass(from: 201, to: 220)
    present(shop, 90 * Self.day, at: 221, &desk)
    desk.pass(from: 221, to: 240)
    let ops = ["3 opened high", "20 eased low", "201 rose high", "224 resolved high"]
    #expect(told(desk, "ops") == ops)
    #expect(told(desk, "pd").filter { !$0.contains("reminder") } == ops)
    let title = try #require(desk.told.first { $0.message.trigger == .eased }).message.title
    #expect(title.hasPrefix("now low: Shop: a certificate expires in 20d"))
  }

  /// A mute and an acknowledgement hold it as they hold a reminder.
  @Test(arguments: [false, true]) func held(isMuted: Bool) throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(settings(), [shop])
    present(shop, 3600, at: 0, &desk)
    desk.pass(from: 0, to: 9)
    if isMuted {
      desk.muted = [shop.id]
    } else {
      let incident = try #require(desk.book.incidents.opened.first)
      _ = desk.book.acknowledge(incident.id.description, by: "ann", note: nil, now: after(10))
    }
    present(shop, 20 * Self.day, at: 20, &desk)
    desk.pass(from: 20, to: 100)
    #expect(told(desk, "ops") == ["3 opened high"] && desk.hold(at: 100) == (isMuted ? .mute : .acknowledge))
    desk.muted = []
    desk.pass(from: 101, to: 110)
    #expect(told(desk, "ops") == ["3 opened high"] + (isMuted ? ["101 eased low"] : []))
  }

  /// A fall that stays above low is in the next reminder, and a rise after it is told.
  @Test func aFallIsHeard() throws {
    let channel = AlertChannel(name: "ops", kind: .exec(ExecChannel(command: ["/bin/true"])))
    var incident = Incident(
      id: UniqueID(high: 5, low: 1), subject: .availability, begin: after(0), opened: after(0),
      at: reading(0).boot)
    var triggers: [Draft.Trigger] = []
    for (place, severity) in [AlertSeverity.critical, .medium, .high, .low].enumerated() {
      let second = Int64(place)
      var trouble = Trouble(
        key: .init(rule: "down", check: UniqueID(high: 0, low: 1)), subject: .availability,
        severity: severity, name: "c", since: after(0))
      trouble.level = 4 - place
      incident.take(trouble, at: reading(second))
      let draft = try #require(Draft(incident, channel, quickSettings()))
      triggers.append(draft.trigger)
      #expect(draft.heard.alerts[trouble.key] == .init(severity: severity, level: 4 - place))
      incident.log["ops", default: .init()].deliver(draft.heard, at: reading(second))
    }
    #expect(triggers == [.opened, .reminder, .rose, .eased])
  }
}
