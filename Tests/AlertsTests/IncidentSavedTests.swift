// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// An incident over a restart: each instant is what it was, whichever others are set.
@Suite struct IncidentSavedTests {
  private func trouble(_ number: UInt64, _ severity: AlertSeverity = .high) -> Trouble {
    var trouble = Trouble(
      key: Trouble.Key(rule: "down", check: UniqueID(high: 1, low: number)), subject: .availability,
      severity: severity, name: "c\(number)", target: "c\(number):80", since: after(Int64(number)))
    (trouble.state, trouble.reason, trouble.text, trouble.level) = (.down, .connectRefused, "refused", 2)
    trouble.pace = .seconds(60)
    trouble.relation = .init(host: "c\(number)", resource: UniqueID(high: 4, low: 4), network: "4:1.2.3")
    return trouble
  }

  /// Of four members the first has left, the second rose, the third left and fires again, the fourth left last.
  private func incident() -> Incident {
    var incident = Incident(
      id: UniqueID(high: 7, low: 1), subject: .availability, begin: after(1), opened: after(2),
      at: reading(2).boot)
    for number in 1...4 { incident.take(trouble(UInt64(number)), at: reading(Int64(number) + 2)) }
    incident.leave(trouble(1).key, at: reading(11), .recovered)
    incident.take(trouble(2, .critical), at: reading(12))
    incident.leave(trouble(3).key, at: reading(13), .maintenance)
    incident.take(trouble(3), at: reading(15))
    incident.acknowledge(by: "ann", note: "on it", at: after(16))
    incident.leave(trouble(4).key, at: reading(17), .renamed, note: "d")
    return incident
  }

  private func restored(_ incident: Incident, saved: Int64, read: Int64) throws -> Incident {
    var json = JSONWriter()
    json.object { json in
      json.field("saved_at", after(saved))
      json.key("incident")
      incident.write(to: &json, now: reading(saved))
    }
    let document = try JSONValue.parse(json.bytes)
    let clock = SavedClock(document, now: reading(read))
    let kept = try #require(document["incident"])
    return try #require(Incident(kept, clock))
  }

  /// Without when each opened of late, which is kept with others of the check.
  private func comparable(_ incident: Incident) -> Incident {
    var incident = incident
    for member in incident.members { incident.note(member.trouble.key, opens: [], isFlapping: false) }
    return incident
  }

  @Test(arguments: [20, 500] as [Int64]) func everyFieldIsAsItWas(read: Int64) throws {
    let incident = incident()
    #expect(incident.members.map(\.leftAt) == [reading(11).boot, nil, nil, reading(17).boot])
    #expect(incident.members.map(\.roseAt) == [nil, reading(12).boot, nil, nil])
    #expect(incident.members.map(\.openings) == [1, 1, 2, 1])
    #expect(incident.members.map(\.downBefore) == [.zero, .zero, .seconds(10), .zero])
    #expect(comparable(try restored(incident, saved: 20, read: read)) == comparable(incident))
  }

  /// While nothing fires, and when it is over.
  @Test func quietAndOver() throws {
    var quiet = incident()
    for (place, number) in [2, 3].enumerated() {
      quiet.leave(trouble(UInt64(number)).key, at: reading(18 + Int64(place)), .recovered)
    }
    #expect(quiet.quietAt == reading(19).boot && quiet.quietSince == after(19))
    #expect(comparable(try restored(quiet, saved: 20, read: 20)) == comparable(quiet))
    quiet.end = after(22)
    #expect(comparable(try restored(quiet, saved: 30, read: 90)) == comparable(quiet))
  }

  /// A channel's name has at most 100 bytes, and an entry under a longer one is left out.
  @Test func longNamesOfChannels() throws {
    var incident = incident()
    let names = [100, 101].map { String(repeating: "n", count: $0) }
    for name in names { incident.log[name] = NotificationRecord() }
    #expect(try restored(incident, saved: 20, read: 20).log.keys.sorted() == [names[0]])
  }

  /// A version without a log kept that a channel was told: it knows the incident as it is, and as open unless
  /// the entry says otherwise.
  @Test(
    arguments: [("", false), (#","over":1"#, false), (#","over":false"#, false), (#","over":true"#, true)]
  )
  func toldBeforeThereWasALog(_ over: String, _ isOver: Bool) throws {
    let text = #"{"channel":"ops","first":"2026-01-05T00:00:10Z","last":"2026-01-05T00:00:40Z"\#(over)}"#
    let incident = incident()
    let clock = SavedClock(now: reading(60))
    let record = try #require(
      NotificationRecord(told: JSONValue.parse(Array(text.utf8)), of: incident, clock))
    #expect(record.heard.isOver == isOver)
    #expect(record.first == after(10) && record.last == after(40) && record.lastAt == reading(60).boot)
    let alerts = incident.members.map { record.heard.alerts[$0.trouble.key] }
    #expect(alerts.map { $0?.end } == [.recovered, nil, nil, .renamed])
    #expect(alerts.map { $0?.severity } == [.high, .critical, .high, .high])
    #expect(alerts.map { $0?.level } == [2, 2, 2, 2])
    #expect(record.heard.root == trouble(2).key)
  }

  private func acts(_ incident: Incident) -> [String] {
    (incident.acknowledged?.acts ?? []).map { act in
      "\(after(0).duration(to: act.at).seconds) \(act.by)\(act.note.map { ": \($0)" } ?? "")"
    }
  }

  /// The latest acknowledgement counts, and those before it stay known: over a restart, of two members of a group, each once.
  @Test func acknowledgementsBefore() throws {
    let incident = incident()
    var (here, there) = (incident, incident)
    here.acknowledge(by: "bob", note: nil, at: after(20))
    there.acknowledge(by: "eve", note: "mine", at: after(21))
    #expect(here.acknowledged?.by == "bob" && acts(here) == ["16.0 ann: on it", "20.0 bob"])
    let restored = try restored(here, saved: 22, read: 30)
    #expect(restored.acknowledged == here.acknowledged)
    var (one, other) = (restored, there)
    one.merge(there)
    other.merge(here)
    let all = ["16.0 ann: on it", "20.0 bob", "21.0 eve: mine"]
    #expect(acts(one) == all && acts(other) == all && one.acknowledged == other.acknowledged)
    one.merge(other)
    #expect(acts(one) == all && one.acknowledged?.by == "eve" && one.isAcknowledged)
  }

  /// The first, and the latest ten.
  @Test func manyAcknowledgements() throws {
    var incident = incident()
    for second: Int64 in 20..<40 { incident.acknowledge(by: "bob", note: nil, at: after(second)) }
    let expected = ["16.0 ann: on it"] + (30..<40).map { "\($0).0 bob" }
    let restored = try restored(incident, saved: 50, read: 50)
    #expect(acts(incident) == expected && acts(restored) == expected)
  }
}
