// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Testing

/// Who is told what, and when.
@Suite struct NotifierTests {
  /// A gateway dies for ten minutes and 244 checks with it: one incident, two messages.
  @Test func oneSwitchIsTwoMessages() throws {
    let gateway = try makeCheck("gateway", host: "198.51.100.1")
    let checks = try (1...244).map { try makeCheck("c\($0)", host: "10.\($0).0.1", on: ["gateway"]) }
    var desk = Desk(makeSettings(), [gateway] + checks)
    for minute in 0..<30 {
      let isDown = (10..<20).contains(minute)
      for (place, check) in checks.enumerated() {
        // The first few are due before the gateway's own turn, and fail for themselves.
        let isFirst = minute == 10 && place < 3
        let state: CheckState = isDown ? (isFirst ? .down : .unknown) : .up
        desk.note(
          result(
            check, state, at: Int64(minute) * 60 + Int64(place % 60),
            reason: state == .unknown ? .dependency : nil))
        if place == 2 { desk.note(result(gateway, isDown ? .down : .up, at: Int64(minute) * 60 + 5)) }
      }
      desk.pass(from: Int64(minute) * 60, to: Int64(minute) * 60 + 59)
    }
    #expect(desk.kinds == [.opened, .recovered])
    #expect(Set(desk.told.map(\.message.incident)).count == 1)
    #expect(desk.told[0].message.memberCount == 4)
    #expect(desk.told[0].at == 615, "it gathers for 15 s")
    #expect(desk.told[1].message.end == after(1205))
  }

  /// Reminders come every `remind`, until somebody acknowledges it; the recovery comes all the same.
  @Test func remindersUntilAcknowledged() throws {
    let shop = try makeCheck("Shop")
    var settings = makeSettings()
    settings.remind = .seconds(3600)
    var desk = Desk(settings, [shop])
    desk.note(result(shop, .down, at: 0))
    desk.pass(from: 0, to: 8000)
    #expect(desk.kinds == [.opened, .update, .update])
    #expect(desk.told.map(\.at) == [15, 3615, 7215])
    let id = desk.told[0].message.incident.description
    #expect(desk.book.acknowledge(String(id.suffix(6)), by: "ann", note: nil, now: after(8000)) != nil)
    #expect(desk.book.acknowledge("zzzz", by: "ann", note: nil, now: after(8000)) == nil)
    desk.pass(from: 8001, to: 30_000, by: 10)
    #expect(desk.told.count == 3)
    desk.note(result(shop, .up, at: 30_000))
    desk.pass(from: 30_000, to: 30_100)
    #expect(desk.kinds.last == .recovered && desk.told.last?.message.acknowledgedBy == "ann")
    #expect(desk.told.last?.message.title == "Shop is up again")
  }

  /// What gets worse is told at once: a severer rule, or the next step of a certificate.
  @Test func worseIsNews() throws {
    let shop = try makeCheck("Shop")
    let rules = [
      AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .medium),
      AlertRule("long", .consecutiveFailures(threshold: 5, recoveries: 1), severity: .critical),
    ]
    var desk = Desk(makeSettings(rules), [shop])
    for minute in 0..<10 {
      desk.note(result(shop, .down, at: Int64(minute) * 60))
      desk.pass(from: Int64(minute) * 60, to: Int64(minute) * 60 + 59)
    }
    #expect(desk.kinds == [.opened, .update])
    #expect(desk.told.map(\.message.severity) == [.medium, .critical])
    #expect(desk.told.map(\.at) == [15, 240])
  }

  /// A message that was never sent, because it was over before it was gathered, is followed by no recovery.
  @Test func aBlinkIsNotTold() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(makeSettings(), [shop])
    desk.note(result(shop, .down, at: 0))
    desk.note(result(shop, .up, at: 10))
    desk.pass(from: 0, to: 4000)
    #expect(desk.told.isEmpty)
  }

  /// In quiet hours only what is severe enough goes out; the rest comes when they end, if it still lasts.
  @Test func quietHours() throws {
    let shop = try makeCheck("Shop", host: "a.example"), bank = try makeCheck("Bank", host: "b.example")
    let rules = [
      AlertRule(
        "bank", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .critical,
        selection: MaintenanceSelection(checks: [ByteText("Bank")])),
      AlertRule(
        "shop", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .high,
        selection: MaintenanceSelection(checks: [ByteText("Shop")])),
    ]
    var settings = makeSettings(rules)
    settings.quietHours = QuietHours(from: 0, to: 7 * 3600)
    (settings.digest, settings.remind) = (12 * 3600, .seconds(86_400))
    var desk = Desk(settings, [shop, bank])
    desk.note(result(shop, .down, at: 60))
    desk.note(result(bank, .down, at: 60))
    desk.pass(from: 60, to: 7 * 3600 + 60, by: 5)
    #expect(desk.told.map(\.message.title).prefix(2) == ["Bank is down", "Shop is down"])
    #expect(desk.told.first?.at ?? 0 < 120 && desk.told[1].at == 7 * 3600)
  }

  /// What began and ended in quiet hours is told when they end, in one digest.
  @Test func theNightInOneMessage() throws {
    let checks = [try makeCheck("Shop", host: "a.example"), try makeCheck("Bank", host: "b.example")]
    var settings = makeSettings()
    settings.quietHours = QuietHours(from: 0, to: 7 * 3600)
    var desk = Desk(settings, checks)
    for (place, check) in checks.enumerated() {
      desk.note(result(check, .down, at: 3600 + Int64(place) * 1000))
      desk.note(result(check, .up, at: 3600 + Int64(place) * 1000 + 300))
    }
    desk.pass(from: 3600, to: 9 * 3600, by: 5)
    #expect(desk.kinds == [.digest])
    #expect(desk.told[0].at == 7 * 3600 && desk.told[0].message.digest.count == 2)
  }

  /// Low severity waits for the digest of the day, and is told once; its end is in the next.
  @Test func lowSeverityWaits() throws {
    let shop = try makeCheck("Shop")
    let rules = [AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .low)]
    var desk = Desk(makeSettings(rules), [shop])
    desk.note(result(shop, .down, at: 60))
    desk.pass(from: 60, to: 20 * 3600, by: 5)
    #expect(desk.kinds == [.digest] && desk.told[0].at == 8 * 3600)
    desk.note(result(shop, .up, at: 21 * 3600))
    desk.pass(from: 21 * 3600, to: 100 * 3600, by: 60)
    #expect(desk.kinds == [.digest, .digest])
    #expect(desk.told[1].message.digest.map(\.title) == ["Shop is up again"])
  }

  /// Muted is not told; what still lasts when the mute ends is.
  @Test func muted() throws {
    let shop = try makeCheck("Shop")
    var desk = Desk(makeSettings(), [shop])
    desk.muted = [shop.id]
    desk.note(result(shop, .down, at: 0))
    desk.pass(from: 0, to: 1800)
    #expect(desk.told.isEmpty)
    desk.muted = []
    desk.pass(from: 1801, to: 1900)
    #expect(desk.kinds == [.opened])
  }

  /// A rule's channels are told, the others are not.
  @Test func channelsOfARule() throws {
    let shop = try makeCheck("Shop")
    let rules = [
      AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .high, channels: ["ops"])
    ]
    var desk = Desk(makeSettings(rules, channels: ["ops", "all"]), [shop])
    desk.note(result(shop, .down, at: 0))
    desk.pass(from: 0, to: 60)
    #expect(desk.told.map(\.channel) == ["ops"])
  }

  /// A restart in the middle tells nothing twice and forgets nothing, wherever it comes.
  @Test(arguments: [1, 10, 14, 16, 100, 3614, 3616, 3700, 4000]) func restarts(at second: Int64) throws {
    let shop = try makeCheck("Shop")
    var settings = makeSettings()
    settings.remind = .seconds(3600)
    var desk = Desk(settings, [shop])
    desk.note(result(shop, .down, at: 0))
    desk.pass(from: 0, to: second)
    var again = Desk(settings, [shop], saved: try desk.saved(), at: second + 1)
    again.note(result(shop, .down, at: second + 2))
    again.pass(from: second + 2, to: 4000)
    again.note(result(shop, .up, at: max(4001, second + 3)))
    again.pass(from: 4001, to: 4100)
    let kinds = desk.kinds + again.kinds
    #expect(kinds == [.opened, .update, .recovered], "\(kinds)")
    let ids = Set((desk.told + again.told).map(\.message.incident))
    #expect(ids.count == 1)
  }
}
