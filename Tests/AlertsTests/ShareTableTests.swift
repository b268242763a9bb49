// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// What an agent makes of the entries of its group's store, case by case, and the values in them.
@Suite struct ShareTableTests {
  private static let check = UniqueID(high: 0, low: 2)
  private static let id = UniqueID(high: 5, low: 1)

  private func trouble(_ check: UniqueID = Self.check, rule: String = "down") -> Trouble {
    Trouble(
      key: Trouble.Key(rule: rule, check: check), subject: .availability, severity: .high, name: "Shop",
      since: after(0))
  }

  private func incident(isTold: Bool = false, isOver: Bool = false, members: Int = 1) -> Incident {
    var incident = Incident(
      id: Self.id, subject: .availability, begin: after(0), opened: after(0), at: reading(0).boot)
    for place in 0..<members { incident.take(trouble(rule: "r\(place)"), at: reading(0)) }
    guard isTold else { return incident }
    var heard = Heard()
    heard.alerts[trouble().key] = .init(severity: .high, level: 1)
    heard.isOver = isOver
    incident.log["ops", default: .init()].deliver(heard, at: reading(1))
    return incident
  }

  private func share(world: UInt64 = 1, revision: Int64 = 20) -> AlertShare {
    var share = AlertShare(writer: "a")
    (share.view.world, share.view.revision) = (world, revision)
    return share
  }

  private let entry = ShareEntry(nil, changed: 12)

  /// It was in this store by then, and is not any more.
  @Test(
    arguments: [
      (1, 19, false, true), (1, 20, false, true), (1, 21, false, false), (2, 19, false, false),
      (1, 19, true, false),
    ] as [(UInt64, Int64, Bool, Bool)])
  func whatIsDone(world: UInt64, changed: Int64, isThere: Bool, isDone: Bool) {
    var share = share()
    #expect(!share.isDone(Self.id))
    share.marks[Self.id] = .init(world: world, changed: changed, isTold: true)
    if isThere { share.view.entries[Self.id] = entry }
    #expect(share.isDone(Self.id) == isDone)
  }

  /// A channel has been told of it, and the store never had it.
  @Test func whatIsOwed() {
    var share = share()
    #expect(!share.isOwed(incident()) && share.isOwed(incident(isTold: true)))
    #expect(!share.isOwed(incident(isTold: true, isOver: true)))
    share.marks[Self.id] = .init(world: 1, changed: 12, isTold: true)
    #expect(!share.isOwed(incident(isTold: true)))
    share.delivered = [Self.id]
    #expect(share.isOwed(incident()))
  }

  /// Told of in a store that is no more, half a minute after this one is read.
  @Test func whatIsAnOrphan() {
    var share = share()
    let (late, early) = (reading(30), reading(29))
    share.worldSince = reading(0).boot
    #expect(!share.isOrphan(incident(isTold: true), late))
    share.marks[Self.id] = .init(world: 2, changed: 12, isTold: true)
    #expect(share.isOrphan(incident(isTold: true), late) && !share.isOrphan(incident(isTold: true), early))
    #expect(!share.isOrphan(incident(), late) && !share.isOrphan(incident(isTold: true, isOver: true), late))
    var there = share
    there.view.entries[Self.id] = entry
    #expect(!there.isOrphan(incident(isTold: true), late))
    var same = share
    same.marks[Self.id]?.world = 1
    #expect(!same.isOrphan(incident(isTold: true), late))
    share.worldSince = nil
    #expect(!share.isOrphan(incident(isTold: true), late))
  }

  /// Alerts of others that are as old as the copy; what this agent runs it knows better.
  @Test func whatIsOfACopy() {
    var share = share()
    share.view.entries[Self.check] = entry
    #expect(!share.isOfCopy(Self.check))
    for (copy, isOfCopy) in [(11, false), (12, true), (13, true)] as [(Int64, Bool)] {
      share.copyRevision = copy
      #expect(share.isOfCopy(Self.check) == isOfCopy && !share.isOfCopy(Self.id))
    }
    share.own[Self.check] = SharedAlerts(by: "a")
    #expect(!share.isOfCopy(Self.check))
  }

  /// The group's is what it shares, or shared until now.
  @Test func whatIsShared() {
    let names = IncidentNames(group: "g", checks: [Self.check])
    let other = UniqueID(high: 0, low: 9)
    var share = share()
    #expect(share.isShared(Self.check, names) && !share.isShared(other, names))
    #expect(!share.isShared(Self.check, nil))
    share.own[other] = SharedAlerts(by: "a")
    #expect(share.isShared(other, names) && share.isShared(other, nil))
    share.own = [:]
    share.view.entries[other] = entry
    #expect(share.isShared(other, nil))
    #expect(share.isShared(incident(), names) && !share.isShared(incident(), nil))
    share.marks[Self.id] = .init(world: 1, changed: 12, isTold: false)
    #expect(share.isShared(incident(), nil))
    share.marks = [:]
    share.view.entries[Self.id] = entry
    #expect(share.isShared(incident(), nil))
  }

  /// Where the store had incidents is kept over a restart.
  @Test func marks() throws {
    var share = share()
    share.marks[UniqueID(high: 5, low: 2)] = .init(world: .max, changed: 13, isTold: false)
    share.marks[Self.id] = .init(world: 7, changed: 12, isTold: true)
    var json = JSONWriter()
    json.object { share.write(to: &$0) }
    #expect(
      json.text == #"{"group":[{"incident":"\#(Self.id)","world":"7","changed":12,"told":true},"#
        + #"{"incident":"\#(UniqueID(high: 5, low: 2))","world":"18446744073709551615","changed":13,"#
        + #""told":false}]}"#)
    #expect(AlertShare(try JSONValue.parse(json.bytes))?.marks == share.marks)
    let none = [AlertShare(nil), AlertShare(try JSONValue.parse("{}".utf8))]
    #expect(none.allSatisfy { $0 == nil })
    let old = #"{"group":[{"incident":"\#(Self.id)","world":"7","changed":12},{"world":"7","changed":1}]}"#
    #expect(
      AlertShare(try JSONValue.parse(old.utf8))?.marks == [
        Self.id: .init(world: 7, changed: 12, isTold: true)
      ])
  }

  /// Sixty changes at once.
  @Test(arguments: [(0, []), (60, [60]), (61, [60, 1]), (150, [60, 60, 30])] as [(Int, [Int])])
  func writesAreSplit(count: Int, parts: [Int]) {
    let changes = (0..<count).map {
      ShareWrite.Change(UniqueID(high: 0, low: UInt64($0)), nil, replacing: 1)
    }
    let writes = ShareWrite.split(changes)
    #expect(writes.map(\.changes.count) == parts && writes.flatMap(\.changes) == changes)
  }

  /// SHA-256 over the group's length and name, check, subject and begin in microseconds, by another program.
  @Test func namesOfIncidents() {
    let check = UniqueID(high: 1, low: 2)
    var one = Trouble(
      key: Trouble.Key(rule: "down", check: check), subject: .availability, severity: .high, name: "Shop",
      since: after(0))
    #expect(
      IncidentNames(group: "london", checks: [check]).id(one)
        == UniqueID(high: 0x019b_8b74_1800_8789, low: 0x8997_335b_a915_5eae))
    (one.subject, one.since) = (.certificate, after(0).advanced(by: .microseconds(1)))
    one.severity = .low
    let names = IncidentNames(group: "łódź", checks: [check])
    #expect(names.id(one) == UniqueID(high: 0x019b_8b74_1800_8c1e, low: 0x8006_17d1_94d2_7551))
    #expect(names.id(trouble()) == nil)
    one.key.check = nil
    #expect(names.id(one) == nil)
  }
}

/// Values of the store as they are written and read.
@Suite struct SharedValueTests {
  private let check = UniqueID(high: 0, low: 2)

  private func alerts(rules: Int, ended: Int) -> SharedAlerts {
    var alerts = SharedAlerts(by: "a")
    for place in 0..<rules {
      let key = Trouble.Key(rule: "r\(100 + place)", check: check)
      alerts.firing[key] = Trouble(
        key: key, subject: .availability, severity: .high, name: "Shop", since: after(0))
    }
    for place in 0..<ended {
      alerts.ended[Trouble.Key(rule: "s\(100 + place)", check: check)] = .init(
        at: after(9), end: .renamed, note: "New")
    }
    return alerts
  }

  private func read(_ text: String, at id: UniqueID) -> SharedValue? {
    SharedValue(json: Array(text.utf8), at: id, now: reading(0))
  }

  @Test func alertsOfACheck() {
    let alerts = alerts(rules: 1, ended: 1)
    let text = String(decoding: alerts.json, as: UTF8.self)
    #expect(
      text == #"{"v":2,"by":"a","alerts":[{"rule":"r100","check":"\#(check)","subject":"availability","#
        + #""severity":"high","name":"Shop","since":"2026-01-05T00:00:00.000Z","level":1},"#
        + #"{"rule":"s100","check":"\#(check)","ended":"2026-01-05T00:00:09.000Z","end":"renamed","#
        + #""note":"New"}]}"#)
    #expect(read(text, at: check) == .alerts(alerts))
    #expect(read(text, at: UniqueID(high: 0, low: 3)) == .alerts(SharedAlerts(by: "a")), "none is of it")
    #expect(read(text.replacing(#""v":2"#, with: #""v":1"#), at: check) == nil)
    #expect(read(#"{"v":2,"by":"a"}"#, at: check) == nil && read("[]", at: check) == nil)
    var other = alerts
    other.writer = "b"
    #expect(alerts.says(other) && alerts.firingCount == 1 && !alerts.isEmpty)
    other.ended = [:]
    #expect(!alerts.says(other) && !other.isEmpty && SharedAlerts(by: "a").isEmpty)
    var ended = alerts
    ended.firing = [:]
    #expect(!ended.isEmpty)
  }

  /// Thirty-two alerts are read, in their order; a writer's name has a hundred bytes.
  @Test func limits() {
    let text = String(decoding: alerts(rules: 20, ended: 20).json, as: UTF8.self)
    guard case .alerts(let found)? = read(text, at: check) else { return #expect(Bool(false)) }
    #expect(found.firing.count == 20 && found.ended.count == 12)
    let long = text.replacing(#""by":"a""#, with: #""by":"\#(String(repeating: "x", count: 150))""#)
    guard case .alerts(let other)? = read(long, at: check) else { return #expect(Bool(false)) }
    #expect(other.writer.utf8.count == 100)
  }

  /// 64 KiB at most.
  @Test(arguments: [(65_536, true), (65_537, false)]) func bytes(count: Int, isRead: Bool) {
    let (start, end) = (#"{"v":2,"alerts":[],"more":""#, #""}"#)
    let text = start + String(repeating: "x", count: count - start.utf8.count - end.utf8.count) + end
    #expect(text.utf8.count == count && (read(text, at: check) != nil) == isRead)
  }

  /// An incident has eighty members, those that fire first, and its last twenty notifications; never what the
  /// apps said.
  @Test(arguments: [(80, 80), (81, 80)]) func incidents(count: Int, kept: Int) {
    let id = UniqueID(high: 5, low: 1)
    var incident = Incident(
      id: id, subject: .availability, begin: after(0), opened: after(0), at: reading(0).boot)
    for place in 0..<count {
      let key = Trouble.Key(rule: "down", check: UniqueID(high: 0, low: UInt64(place)))
      incident.take(
        Trouble(key: key, subject: .availability, severity: .high, name: "c\(place)", since: after(0)),
        at: reading(0))
    }
    incident.leave(.init(rule: "down", check: UniqueID(high: 0, low: 0)), at: reading(1), .recovered)
    for place in 0..<30 {
      incident.note(SentNotification(at: after(0), channel: "ops", kind: .update, title: "\(place)"))
    }
    incident.taken[AppAlerts.Key(UniqueID(high: 0, low: 1), .availability)] = after(3)
    let bytes = SharedIncident.json(incident, by: "a", now: reading(2))
    guard case .incident(let shared)? = SharedValue(json: bytes, at: id, now: reading(2)) else {
      return #expect(Bool(false))
    }
    let names = shared.incident.members.map(\.trouble.name)
    #expect(shared.writer == "a" && names.count == kept && names.contains("c0") == (count == 80))
    let sent = ["0"] + (11..<30).map { "\($0)" }
    #expect(shared.incident.sent.map(\.title) == sent && shared.incident.taken.isEmpty)
    #expect(shared.incident.dropped == DroppedNotifications(count: 10, until: after(0)))
    #expect(SharedValue(json: bytes, at: check, now: reading(2)) == nil, "it is of another id")
  }

  /// How long members of a group wait for one another.
  @Test func spansOfTheSharing() {
    #expect(AlertShare.patience == .seconds(10) && AlertShare.settling == .seconds(60))
    #expect(AlertShare.rereading == .seconds(25) && AlertShare.rest == .seconds(15))
  }
}
