// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// An incident by itself: what joins and leaves it, when it is over, and each field of it as it is kept.
@Suite struct IncidentValueTests {
  private static let id = UniqueID(high: 5, low: 1)
  private static let check = UniqueID(high: 0, low: 2)

  private func trouble(
    _ rule: String = "down", _ severity: AlertSeverity = .high, since seconds: Int64 = 0,
    check: UniqueID? = Self.check
  ) -> Trouble {
    Trouble(
      key: Trouble.Key(rule: rule, check: check), subject: .availability, severity: severity, name: "Shop",
      since: after(seconds))
  }

  private func incident(_ troubles: [Trouble] = [], at seconds: Int64 = 0) -> Incident {
    var incident = Incident(
      id: Self.id, subject: .availability, begin: after(seconds), opened: after(seconds),
      at: reading(seconds).boot)
    for trouble in troubles { incident.take(trouble, at: reading(seconds)) }
    return incident
  }

  /// The begin is that of the oldest, whichever came first; an alert that says more is the same one, as old
  /// as before.
  @Test func whatIsTaken() {
    var incident = incident([trouble(since: 5)], at: 9)
    #expect(incident.begin == after(5) && incident.activeCount == 1)
    incident.take(trouble("long", .critical, since: 3), at: reading(20))
    #expect(incident.begin == after(3) && incident.activeCount == 2)
    #expect(incident.lastJoinedAt == reading(20).boot && incident.severity == .critical)
    incident.take(trouble(since: 7), at: reading(21))
    #expect(incident.members.map(\.trouble.since) == [after(5), after(3)])
    #expect(incident.members.map(\.roseAt) == [nil, nil] && incident.lastJoinedAt == reading(20).boot)
    incident.take(trouble("down", .low, since: 4), at: reading(22))
    #expect(incident.members[0].roseAt == reading(22).boot && incident.members[0].trouble.since == after(4))
    var step = trouble("down", .low, since: 4)
    step.level = 2
    incident.take(step, at: reading(23))
    #expect(incident.members[0].roseAt == reading(23).boot && incident.members.count == 2)
  }

  /// Only what fires, begins no later and says the same is nothing new.
  @Test func whatSaysTheSame() {
    var incident = incident([trouble(since: 5)], at: 9)
    #expect(incident.says(trouble(since: 5)) && incident.says(trouble(since: 6)))
    #expect(!incident.says(trouble(since: 4)) && !incident.says(trouble("long")))
    #expect(!incident.says(trouble("down", .critical, since: 5)))
    incident.take(trouble("long"), at: reading(10))
    incident.leave(trouble().key, at: reading(11), .recovered)
    #expect(!incident.says(trouble(since: 5)) && incident.says(trouble("long")))
    incident.leave(trouble("long").key, at: reading(12), .recovered)
    #expect(!incident.says(trouble("long")))
  }

  /// What leaves, leaves once, with what became of it; with the last one the incident is quiet.
  @Test func whatLeaves() {
    var incident = incident([trouble(), trouble("long", .critical)])
    incident.leave(trouble("none").key, at: reading(5), .recovered)
    incident.leave(trouble().key, at: reading(10), .renamed, note: "New")
    incident.leave(trouble().key, at: reading(11), .removed)
    let member = incident.members[0]
    #expect(member.left == after(10) && member.leftAt == reading(10).boot && member.end == .renamed)
    #expect(member.note == "New" && incident.activeCount == 1 && incident.quietAt == nil)
    #expect(incident.shownSeverity == .critical && incident.lasted == .zero)
    incident.leave(trouble("long").key, at: reading(20), .recovered)
    #expect(incident.activeCount == 0 && incident.quietSince == after(20))
    #expect(incident.quietAt == reading(20).boot && incident.lasted == .seconds(20))
    #expect(incident.shownSeverity == .critical && incident.isOpen)
    incident.take(trouble(since: 30), at: reading(30))
    #expect(incident.quietAt == nil && incident.quietSince == nil && incident.activeCount == 1)
    #expect(incident.shownSeverity == .high && incident.members[0].openings == 2)
    #expect(incident.members[0].downBefore == .seconds(10) && incident.members[0].note == nil)
    #expect(incident.members[0].end == nil && incident.members[0].leftAt == nil)
    // Only an opening after a recovery counts for flapping.
    #expect(incident.members[0].opens == [reading(30).boot])
  }

  /// It is over a group wait after the last alert; what flaps has to be well for as long as is said, or three
  /// intervals.
  @Test(
    arguments: [(false, 60, 15), (true, 60, 300), (true, 100, 300), (true, 101, 303)]
      as [(Bool, Int64, Int64)])
  func whenItIsOver(isFlapping: Bool, pace: Int64, wait: Int64) {
    var shop = trouble()
    shop.pace = .seconds(pace)
    var incident = incident([shop])
    let flap = FlapSettings()
    #expect(incident.overAt(.seconds(15), flap) == nil)
    incident.note(shop.key, opens: [reading(0).boot], isFlapping: isFlapping)
    incident.leave(shop.key, at: reading(20), .recovered)
    #expect(incident.overAt(.seconds(15), flap) == reading(20 + wait).boot)
    #expect(incident.isOver(at: reading(20 + wait).boot, .seconds(15), flap))
    #expect(!incident.isOver(at: reading(19 + wait).boot, .seconds(15), flap))
  }

  /// So many openings within so long; an older one does not count.
  @Test(arguments: [(900, true), (901, false)]) func flapping(span: Int64, isFlapping: Bool) {
    var incident = incident([trouble()])
    for second in [span - 10, span] {
      incident.leave(trouble().key, at: reading(second - 5), .recovered)
      incident.take(trouble(since: second), at: reading(second))
    }
    #expect(incident.members[0].isFlapping == isFlapping && incident.members[0].openings == 3)
    #expect(incident.members[0].opens.count == 3)
    incident.leave(trouble().key, at: reading(span + 5), .recovered)
    incident.take(trouble(since: span + 6), at: reading(span + 6))
    #expect(incident.members[0].opens.count == 3 && incident.members[0].isFlapping)
  }

  /// The first notification and the latest; the number of those that are dropped is known.
  @Test func notificationsThatAreKept() {
    var incident = incident()
    for place in 0..<62 {
      incident.note(
        SentNotification(at: after(Int64(place)), channel: "ops", kind: .update, title: "\(place)"))
      if place == 59 { #expect(incident.sent.count == 60 && incident.dropped == nil) }
    }
    #expect(incident.sent.map(\.title) == ["0"] + (3...61).map { "\($0)" })
    #expect(incident.dropped == DroppedNotifications(count: 2, until: after(2)))
  }

  /// Of each channel the first and the latest are kept, and those in between go first.
  @Test func notificationsOfSeveralChannels() {
    var incident = incident()
    func note(_ second: Int64, _ channels: [String]) {
      for channel in channels {
        incident.note(
          SentNotification(at: after(second), channel: channel, kind: .update, title: "\(second)"))
      }
    }
    note(0, ["a", "b", "c"])
    note(1, ["rare"])
    for second in 2..<40 { note(Int64(second), ["a", "b", "c"]) }
    #expect(incident.sent.count == 60)
    #expect(
      incident.sent.prefix(6).map { "\($0.channel) \($0.title)" } == [
        "a 0", "b 0", "c 0", "rare 1", "b 21", "c 21",
      ])
    #expect(incident.dropped == DroppedNotifications(count: 58, until: after(21)))
    // More channels than there is room for the first and the latest of.
    let names = (0..<70).map { "n\($0)" }
    note(50, names)
    #expect(
      incident.sent.count == 60 && incident.sent[0].channel == "a" && incident.sent[59].channel == "n69")
    #expect(incident.dropped?.count == 128)
  }

  /// What is known of dropped notifications is kept over a restart.
  @Test func droppedNotificationsAreKept() throws {
    var incident = incident([trouble()])
    incident.dropped = DroppedNotifications(count: 41, until: after(7))
    let text = text(incident, at: 10)
    #expect(text.contains(#""sent":[],"sent_dropped":41,"sent_dropped_until":"2026-01-05T00:00:07.000Z","#))
    let read = SharedValue(
      json: SharedIncident.json(incident, by: "a", now: reading(10)), at: Self.id, now: reading(10))
    guard case .incident(let shared)? = read else { return #expect(Bool(false)) }
    #expect(shared.incident.dropped == incident.dropped)
    var other = self.incident([trouble()])
    var known = shared.incident
    known.sent = [SentNotification(at: after(8), channel: "ops", kind: .update, title: "t")]
    other.merge(known)
    #expect(other.sent == known.sent && other.dropped == incident.dropped)
  }

  /// Each channel that was told knows of the end, or will not be told any more.
  @Test func whoKnowsOfTheEnd() {
    var incident = incident([trouble()])
    #expect(!incident.isNotified && incident.isResolveNotified && !incident.isEndHeard)
    incident.log["ops"] = NotificationRecord()
    #expect(!incident.isNotified && incident.isResolveNotified)
    incident.log["ops"]?.deliver(Heard(), at: reading(1))
    #expect(incident.isNotified && !incident.isResolveNotified)
    incident.log["ops"]?.leftOpen = .init(target: "", at: after(2))
    #expect(incident.isResolveNotified && !incident.isEndHeard)
    incident.end = after(3)
    #expect(incident.isEndHeard)
    incident.log["ops"]?.leftOpen = nil
    #expect(!incident.isEndHeard)
    incident.log["ops"]?.heard.isOver = true
    #expect(incident.isEndHeard)
  }

  private func text(_ incident: Incident, at seconds: Int64) -> String {
    var json = JSONWriter()
    incident.write(to: &json, now: reading(seconds))
    return json.text
  }

  private static let (zero, ten) = ("2026-01-05T00:00:00.000Z", "2026-01-05T00:00:10.000Z")

  @Test func asItIsKept() throws {
    var shop = trouble()
    (shop.target, shop.state, shop.reason, shop.text) = ("t.example", .down, .httpStatus, "status 503")
    (shop.level, shop.pace) = (2, .seconds(30))
    shop.relation = .init(host: "t.example", resource: UniqueID(high: 0, low: 3), network: "4:192.0.2")
    var incident = incident([shop])
    incident.opening = .init(name: "Shop", labels: [.init("type", "tcp")])
    incident.taken[AppAlerts.Key(Self.check, .availability)] = after(0)
    incident.note(SentNotification(at: after(0), channel: "ops", kind: .opened, title: "Shop is down"))
    let start =
      #"{"id":"\#(Self.id)","subject":"availability","begin":"\#(Self.zero)","opened":"\#(Self.zero)","#
      + #""opened_ago":10,"joined_ago":10,"#
    let middle =
      #""taken":[{"check":"\#(Self.check)","kind":"availability","at":"\#(Self.zero)"}],"#
      + #""opening":{"name":"Shop","labels":[{"name":"type","value":"tcp"}]},"log":[],"#
      + #""sent":[{"at":"\#(Self.zero)","channel":"ops","kind":"opened","title":"Shop is down"}],"#
      + #""members":[{"rule":"down","check":"\#(Self.check)","subject":"availability","severity":"high","#
      + #""name":"Shop","target":"t.example","state":"down","reason":"http_status","text":"status 503","#
      + #""since":"\#(Self.zero)","level":2,"pace_s":30,"host":"t.example","#
      + #""resource":"\#(UniqueID(high: 0, low: 3))","network":"4:192.0.2","joined":"\#(Self.zero)","#
    #expect(text(incident, at: 10) == start + middle + #""opens_ago":[10]}]}"#)
    incident.leave(shop.key, at: reading(4), .renamed, note: "New")
    incident.take(shop, at: reading(5))
    incident.leave(shop.key, at: reading(10), .renamed, note: "New")
    incident.end = after(10)
    let end = #""end":"\#(Self.ten)","quiet_since":"\#(Self.ten)","quiet_ago":0,"#
    #expect(
      text(incident, at: 10) == start + end + middle
        + #""left":"\#(Self.ten)","left_ago":0,"opens_ago":[5],"end":"renamed","note":"New","#
        + #""openings":2,"down_before_s":4,"flapping":false}]}"#)
    let read = try #require(
      Incident(try JSONValue.parse(text(incident, at: 10).utf8), SavedClock(now: reading(10))))
    #expect(read == incident)
  }

  /// The acknowledgement: who, when, what it saw, and what of it a person at an agent saw.
  @Test func anAcknowledgement() throws {
    var incident = incident([trouble(), trouble("own", .low, check: nil)])
    incident.acknowledge(by: "ann", note: "n", at: after(10))
    let ack =
      #""ack":{"at":"\#(Self.ten)","by":"ann","note":"n","#
      + #""hands":[{"at":"\#(Self.ten)","by":"ann","note":"n"}],"seen":["#
      + #"{"rule":"down","check":"\#(Self.check)","severity":"high","hand":true},"#
      + #"{"rule":"own","severity":"low","hand":true}]},"log":[]"#
    #expect(text(incident, at: 10).contains(ack))
    let read = Incident(try JSONValue.parse(text(incident, at: 10).utf8), SavedClock(now: reading(10)))
    #expect(read?.acknowledged == incident.acknowledged)
    var apps = self.incident([trouble(), trouble("own", .low, check: nil)])
    apps.acknowledge([trouble()], by: "bob", note: nil, at: after(10))
    let words = #""ack":{"at":"\#(Self.ten)","by":"bob","hands":[],"seen":["#
    let seen = #"{"rule":"down","check":"\#(Self.check)","severity":"high"}]},"#
    #expect(text(apps, at: 10).contains(words + seen) && apps.acknowledged?.hand == nil)
  }

  /// An alert that ended otherwise than well may have held all the time: its openings are no flapping.
  @Test(arguments: TroubleEnd.allCases) func openingsAfterOtherOutcomes(end: TroubleEnd) {
    var incident = incident([trouble()])
    for second: Int64 in [10, 20] {
      incident.leave(trouble().key, at: reading(second), end)
      incident.take(trouble(since: second + 1), at: reading(second + 1))
    }
    let isRecovered = end == .recovered
    #expect(incident.members[0].isFlapping == isRecovered && incident.members[0].openings == 3)
    #expect(incident.members[0].opens.count == (isRecovered ? 3 : 1))
  }
}
