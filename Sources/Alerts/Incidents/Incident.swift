// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Alerts that belong together, as one: an identity, a begin, members that join and leave, an acknowledgement, an end,
/// and the log of what each channel was sent of it.
package struct Incident: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    package var trouble: Trouble
    package var joined: Timestamp
    /// `nil` while the alert fires.
    package var left: Timestamp?
    package var end: TroubleEnd?
    /// Of a renamed check, its new name.
    package var note: String?
    /// When the alert opened after it had recovered, and first, the latest last; as many as make it flapping.
    package var opens: [Instant] = []
    /// How often it opened in this incident, and for how long it fired before it opened the last time.
    package var openings = 1
    package var downBefore: Duration = .zero
    package var isFlapping = false
    /// When it left, for deadlines.
    package var leftAt: Instant?
    /// When its severity or its level changed last; `nil` when neither has.
    package var roseAt: Instant?

    package init(_ trouble: Trouble, joined: Timestamp) { (self.trouble, self.joined) = (trouble, joined) }

    package var isActive: Bool { left == nil }

    /// It is over and worked again: the next opening is one of a check that flaps. After another outcome, such as a maintenance
    /// window, it may have been down all the time.
    var hasRecovered: Bool { !isActive && (end ?? .recovered) == .recovered }

    /// How long it has to be well until it does not flap any more.
    func calming(_ flap: FlapSettings) -> Duration { max(flap.stable, trouble.pace * 3.0) }

    /// How long it fired in all.
    package func down(until now: Timestamp) -> Duration {
      downBefore + max(.zero, trouble.since.duration(to: left ?? now))
    }
  }

  package let id: UniqueID
  package var subject: AlertSubject
  /// When the first of its alerts began.
  package var begin: Timestamp
  /// When the agent opened it, for people and for deadlines.
  package var opened: Timestamp
  package var openedAt: Instant
  /// `nil` while it lasts.
  package var end: Timestamp? { didSet { edition.renew() } }
  /// Since when nothing fires any more; it ends when that has lasted.
  package var quietSince: Timestamp?
  package var quietAt: Instant? { didSet { edition.renew() } }
  /// In the order in which they joined; each alert once.
  package private(set) var members: [Member] = [] { didSet { edition.renew() } }
  package var acknowledged: Acknowledgement? { didSet { edition.renew() } }
  /// Times of the acknowledgements of the Quartz apps that were taken, so that each is taken once: what gets worse later is
  /// not acknowledged.
  package var taken: [AppAlerts.Key: Timestamp] = [:]
  /// `nil` until it is kept; see `AlertBook.keepOpenings(_:)`.
  package var opening: Opening?
  /// Deliveries to each channel.
  package var log: [String: NotificationRecord] = [:] { didSet { edition.renew() } }  // own text: channels
  /// Notifications that were delivered, oldest first.
  package var sent: [SentNotification] = []
  /// `nil` while all of them are kept.
  package var dropped: DroppedNotifications?
  /// Another one: something that notifications depend on has changed.
  private(set) var edition = Edition()
  private var places: [Trouble.Key: Int] = [:]
  package private(set) var activeCount = 0
  package private(set) var lastJoinedAt: Instant

  package init(
    id: UniqueID, subject: AlertSubject, begin: Timestamp, opened: Timestamp, at instant: Instant,
    lastJoinedAt: Instant? = nil
  ) {
    (self.id, self.subject, self.begin, self.opened) = (id, subject, begin, opened)
    (openedAt, self.lastJoinedAt) = (instant, lastJoinedAt ?? instant)
  }

  package var isOpen: Bool { end == nil }

  /// How long something fired; `zero` while something does.
  var lasted: Duration { quietAt.map { openedAt.duration(to: $0) } ?? .zero }

  /// Highest severity of all that were ever in it.
  package var severity: AlertSeverity { members.map(\.trouble.severity).max() ?? .low }

  /// Highest severity of what fires; of what is over, of all that was in it.
  package var shownSeverity: AlertSeverity {
    members.filter(\.isActive).map(\.trouble.severity).max() ?? severity
  }

  /// A channel has a notification of it, and every one that has knows that it is over.
  package var isNotified: Bool { log.values.contains { $0.first != nil } }
  package var isResolveNotified: Bool {
    log.values.allSatisfy { $0.first == nil || $0.heard.isOver || $0.leftOpen != nil }
  }

  /// Resolved, and every notified channel has the resolve.
  package var isEndHeard: Bool { !isOpen && isNotified && isResolveNotified }

  package func member(_ key: Trouble.Key) -> Member? { places[key].map { members[$0] } }

  /// An alert is new in it, fires again, or has other words.
  package mutating func take(_ trouble: Trouble, at now: ClockReading, _ flap: FlapSettings = FlapSettings())
  {
    (quietSince, quietAt) = (nil, nil)
    begin = min(begin, trouble.since)
    guard let place = places[trouble.key] else {
      places[trouble.key] = members.count
      var member = Member(trouble, joined: now.wall)
      member.opens = [now.boot]
      members.append(member)
      activeCount += 1
      lastJoinedAt = now.boot
      return
    }
    var member = members[place]
    if member.isActive {
      let since = min(member.trouble.since, trouble.since)
      let isOther = (trouble.severity, trouble.level) != (member.trouble.severity, member.trouble.level)
      if isOther { member.roseAt = now.boot }
      member.trouble = trouble
      member.trouble.since = since
    } else {
      activeCount += 1
      member.reopen(trouble, at: now, flap)
    }
    members[place] = member
  }

  /// Whether taking the alert would change nothing: it fires, and says the same.
  func says(_ trouble: Trouble) -> Bool {
    guard quietAt == nil, let place = places[trouble.key], members[place].isActive else { return false }
    var known = members[place].trouble
    guard known.since <= trouble.since else { return false }
    known.since = trouble.since
    return known == trouble
  }

  package mutating func leave(
    _ key: Trouble.Key, at now: ClockReading, _ end: TroubleEnd, note: String? = nil
  ) {
    guard let place = places[key], members[place].isActive else { return }
    (members[place].left, members[place].end, members[place].note) = (now.wall, end, note)
    members[place].leftAt = now.boot
    activeCount -= 1
    if activeCount == 0 { (quietSince, quietAt) = (now.wall, now.boot) }
  }

  mutating func restore(_ members: [Member]) {
    self.members = members
    activeCount = members.count { $0.isActive }
    places = Dictionary(
      members.enumerated().map { ($1.trouble.key, $0) }, uniquingKeysWith: { first, _ in first })
  }

  mutating func hideTargets() {
    for place in members.indices { members[place].trouble.hideTarget() }
  }

  /// When an alert opened of late, in other incidents too.
  mutating func note(_ key: Trouble.Key, opens: [Instant], isFlapping: Bool) {
    guard let place = places[key] else { return }
    (members[place].opens, members[place].isFlapping) = (opens, isFlapping)
  }

  /// Whether it may end: see `overAt`.
  func isOver(at now: Instant, _ groupWait: Duration, _ flap: FlapSettings) -> Bool {
    overAt(groupWait, flap).map { $0 <= now } ?? false
  }

  /// When no alert will have fired for `group_wait`, and flapping alerts will have been well for `flap.stable` and three
  /// intervals; `nil` while something fires.
  func overAt(_ groupWait: Duration, _ flap: FlapSettings) -> Instant? {
    guard let quietAt else { return nil }
    return members.lazy.filter(\.isFlapping).reduce(quietAt + groupWait) { latest, member in
      max(latest, (member.leftAt ?? quietAt) + member.calming(flap))
    }
  }
}

extension Incident.Member {
  fileprivate mutating func reopen(_ trouble: Trouble, at now: ClockReading, _ flap: FlapSettings) {
    downBefore = down(until: now.wall)
    let isCalm = isFlapping && leftAt.map { $0 + calming(flap) <= now.boot } ?? false
    if isCalm || !hasRecovered { (opens, isFlapping) = ([], false) }
    self.trouble = trouble
    (left, leftAt, end, note, roseAt) = (nil, nil, nil, nil, nil)
    openings = min(openings + 1, 1_000_000)  // bounded: by the minimum
    opens = (opens + [now.boot]).suffix(flap.opens)
    if let first = opens.first, opens.count >= flap.opens, first.duration(to: now.boot) <= flap.within {
      isFlapping = true
    }
  }
}
