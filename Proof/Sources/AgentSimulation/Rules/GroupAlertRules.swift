// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Groups
import Monitoring

/// An incident of the group is told once, whichever member tells it: one beginning, one end when its checks are well, and
/// nobody is left untold. Pure; every instant is of the one true clock.
///
/// Two of anything need a reason in what the world did, of those that docs/groups.md names: who told the first died, or
/// stood still, before the store had its note; the receiver took the first and did not say so; the store did not serve who
/// told.
struct GroupAlertRules {
  /// A message that arrived.
  struct Telling {
    let id: UniqueID
    let seat: Int
    let decided: Instant
    let arrived: Instant
    /// The receiver did not say that it has it.
    let isUnanswered: Bool
  }

  private struct Story {
    var opened: [Telling] = []
    var ended: [Telling] = []
    /// Seats that notified of it without the store: they cannot know whether another member resolved it.
    var toldAlone: Set<Int> = []
    /// That were wrong when it was told.
    var checks: Set<UniqueID> = []
    /// That had an entry in the store as its own.
    var entered: Set<UniqueID> = []
    /// When the store first had it that people know of the beginning, and of the end.
    var openNoted: Instant?
    var endNoted: Instant?
  }

  /// A check was in the beginning of an incident.
  private struct Begin {
    let incident: UniqueID
    /// The first that named the check: others may have told of the incident before it joined.
    let telling: Telling
  }

  private struct Failing {
    var count = 0
    /// When it reached its threshold with one member.
    var due: Instant?
  }

  private struct Place: Hashable {
    let check: UniqueID
    let seat: Int
  }

  var outages: StoreOutages
  /// No message came through somewhere until then.
  var deafUntil = Instant(nanoseconds: 0)
  private let isSkewed: Bool
  private var losses: [Instant] = []
  private var setBacks: [Instant] = []
  private var stories: [UniqueID: Story] = [:]
  /// By check, since any member last saw it work: one for each incident that was told of it.
  private var told: [UniqueID: [Begin]] = [:]
  private var worked: [UniqueID: Instant] = [:]
  private var firstFailure: [UniqueID: Instant] = [:]
  private var failing: [Place: Failing] = [:]
  /// Incidents in the store, and the checks in each.
  private var entries: [UniqueID: Set<UniqueID>] = [:]
  /// When processes ended, or stood still.
  private var ends: [Int: [Instant]] = [:]
  /// Second tellings that had a reason.
  private(set) var excused = 0
  var incidents: Int { stories.values.count { !$0.opened.isEmpty } }

  /// From a result to the member that notifies, by way of the store: each looks every three seconds.
  static let news: Duration = .seconds(8)
  /// From the threshold to the message: what is gathered, what waits for the store, and the way.
  static let patience: Duration = .seconds(60)

  init(ttl: Duration, isSkewed: Bool) {
    outages = StoreOutages(ttl: ttl)
    self.isSkewed = isSkewed
  }

  /// The store was wiped, or set back: the note of what was just told is lost.
  ///
  /// - Parameter isCopy: it has what it had once: incidents are open in it whose end people know, and others are not in it.
  mutating func lost(isCopy: Bool, now: Instant) {
    losses.append(now)
    if isCopy { setBacks.append(now) }
  }

  mutating func ended(_ seat: Int, now: Instant) {
    ends[seat, default: []].append(now)
    failing = failing.filter { $0.key.seat != seat }
  }

  mutating func found(_ result: CheckResult, of check: MonitoringCheck, by seat: Int, now: Instant) {
    switch result.state {
    case .up, .degraded:
      worked[check.id] = now
      (told[check.id], firstFailure[check.id]) = (nil, nil)
      if !failing.isEmpty { failing = failing.filter { $0.key.check != check.id } }
    case .down:
      firstFailure[check.id] = firstFailure[check.id] ?? now
      let place = Place(check: check.id, seat: seat)
      failing[place, default: Failing()].count += 1
      if failing[place]?.count == check.plan.failureThreshold { failing[place]?.due = now }
    case .unknown: break
    }
  }

  /// The store has another entry of a check.
  mutating func noted(_ entry: IncidentEntry, now: Instant) {
    guard let value = entry.value else {
      if entries.removeValue(forKey: entry.check) != nil { note(entry.check, isOver: true, now) }
      return
    }
    let reading = ClockReading(boot: now, wall: .epoch)
    guard case .incident(let shared)? = SharedValue(json: value, at: entry.check, now: reading) else {
      return
    }
    let incident = shared.incident
    entries[incident.id] = incident.checks
    stories[incident.id, default: Story()].entered.formUnion(incident.checks)
    if incident.isNotified { note(incident.id, isOver: incident.isResolveNotified, now) }
  }

  private mutating func note(_ id: UniqueID, isOver: Bool, _ now: Instant) {
    var story = stories[id] ?? Story()
    story.openNoted = story.openNoted ?? now
    if isOver { story.endNoted = story.endNoted ?? now }
    stories[id] = story
  }

  mutating func arrived(_ message: AlertMessage, _ telling: Telling) -> Violation.Found? {
    var story = stories[message.incident] ?? Story()
    let found = take(message, telling, &story)
    stories[message.incident] = story
    return found
  }

  private mutating func take(
    _ message: AlertMessage, _ telling: Telling, _ story: inout Story
  ) -> Violation.Found? {
    switch message.kind {
    case .opened:
      // Where clocks differ a slot comes twice, and the same begin is the same name.
      if isSkewed, let last = story.ended.last,
        story.checks.allSatisfy({ worked[$0].map { $0 > last.decided } ?? false })
      {
        story = Story()
      }
      guard !story.opened.contains(where: { $0.id == telling.id }) else { return nil }
      story.opened.append(telling)
      if story.opened.count > 1, !excuses(story.opened, story.openNoted) {
        return (.told, "the beginning of \"\(message.title)\" is told twice, by \(story.opened.map(\.seat))")
      }
      return begins(message, telling, &story)
    case .recovered:
      guard !story.ended.contains(where: { $0.id == telling.id }) else { return nil }
      story.ended.append(telling)
      if story.ended.count > 1, !story.toldAlone.contains(telling.seat),
        !excuses(story.ended, story.endNoted, after: story.opened)
      {
        return (.told, "the end of \"\(message.title)\" is told twice, by \(story.ended.map(\.seat))")
      }
      return ends(message, telling, story)
    case .update:
      let before = story.ended.last ?? story.opened.last ?? telling
      if outages.touch(telling.seat, from: before.decided, to: telling.arrived) {
        story.toldAlone.insert(telling.seat)
      }
      return nil
    case .acknowledged, .digest, .report, .test: return nil
    }
  }

  private mutating func begins(
    _ message: AlertMessage, _ telling: Telling, _ story: inout Story
  ) -> Violation.Found? {
    for member in message.members where member.until == nil {
      guard let check = member.checkID, worked[check].map({ $0 + Self.news <= telling.decided }) ?? true
      else {
        continue
      }
      story.checks.insert(check)
      let others = told[check, default: []].filter { $0.incident != message.incident }
      if others.count == told[check, default: []].count {
        told[check, default: []].append(Begin(incident: message.incident, telling: telling))
      }
      for other in others {
        let (start, first) = (firstFailure[check] ?? telling.decided, other.telling)
        guard let one = stories[other.incident],
          // It was with another member before it was in the store.
          one.entered.contains(check) || first.seat == telling.seat,
          !wasSetBack(from: first.decided, to: telling.decided),
          !outages.touch(first.seat, from: start, to: first.decided),
          !outages.touch(telling.seat, from: start, to: telling.decided)
        else {
          excused += 1
          continue
        }
        return (
          .told, "\"\(message.title)\": a second incident of the group about one that has not worked since"
        )
      }
    }
    return nil
  }

  /// Whether the last of these tellings had a reason to come after the one before it.
  private mutating func excuses(_ tellings: [Telling], _ noted: Instant?, after opened: [Telling] = [])
    -> Bool
  {
    guard let second = tellings.last, let first = tellings.dropLast().last else { return true }
    let end = min(noted ?? second.arrived, second.arrived)
    let isExcused =
      first.isUnanswered
      || ends[first.seat, default: []].contains { $0 >= first.decided && $0 <= end }
      || outages.touch(first.seat, from: first.decided, to: end)
      || outages.touch(second.seat, from: second.decided, to: second.arrived)
      || wasSetBack(from: first.decided, to: second.decided)
      || losses.contains { $0 >= first.decided && $0 <= end }
      || isUnderWay(first, second, noted)
      // Who told the beginning without the store tells the end.
      || opened.count > 1 && opened.contains { $0.seat == second.seat }
    if isExcused { excused += 1 }
    return isExcused
  }

  /// What was written since the copy is gone, as if somebody had deleted it.
  private func wasSetBack(from start: Instant, to end: Instant) -> Bool {
    setBacks.contains { $0 >= start && $0 <= end }
  }

  /// The second was decided while the first was on its way, or its note.
  private func isUnderWay(_ first: Telling, _ second: Telling, _ noted: Instant?) -> Bool {
    guard let noted, first.arrived.duration(to: noted) < .seconds(2) else { return false }
    return second.decided < noted
  }

  /// It ends when its checks are well, or when another incident goes on with them.
  private func ends(_ message: AlertMessage, _ telling: Telling, _ story: Story) -> Violation.Found? {
    guard let first = story.opened.first else { return nil }
    let failing = story.checks.filter { check in
      // It may have joined one that people know before: nobody is told of that.
      let goesOn =
        told[check, default: []].contains { $0.incident != message.incident }
        || isToldByEntry(check, besides: message.incident)
      return !goesOn && worked[check].map { $0 + Self.news < first.decided } ?? true
    }
    if failing.isEmpty || outages.touchAny(from: first.decided, to: telling.decided) { return nil }
    return (
      .told, "the end of \"\(message.title)\" is told, and \(failing.count) of it have not worked since"
    )
  }

  /// Whether an outage is kept from everybody.
  ///
  /// - Parameter isCalm: nothing has happened in this stretch.
  func judge(now: Instant, isCalm: (Instant, Instant) -> Bool) -> Violation.Found? {
    for (place, failing) in failing {
      guard let due = failing.due, due + Self.patience < now, due > deafUntil, told[place.check] == nil,
        isCalm(due, now), !isToldByEntry(place.check)
      else { continue }
      return (.told, "nobody was told of check \(place.check), down since \(due.duration(to: now)) ago")
    }
    return nil
  }

  /// One that joined an incident that people know.
  private func isToldByEntry(_ check: UniqueID, besides incident: UniqueID? = nil) -> Bool {
    entries.contains { id, checks in
      guard id != incident, checks.contains(check), let story = stories[id] else { return false }
      return !story.opened.isEmpty && story.ended.isEmpty
    }
  }

  /// All has been well for long. What the store lost when it was set back may have been taken up under another name.
  func judgeEnd() -> Violation.Found? {
    let open = stories.filter { _, story in
      guard let first = story.opened.first, story.ended.isEmpty else { return false }
      return !setBacks.contains { $0 >= first.decided }
    }
    guard let (id, story) = open.min(by: { $0.key < $1.key }) else { return nil }
    let seats = story.opened.map(\.seat)
    return (.told, "nobody was told of the end of \(open.count) incidents: \(id), that \(seats) told of")
  }
}
