// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring

/// What people are told of each check: nothing that has not failed, that is muted or acknowledged; and all the rest. Pure. By the
/// wall clock, which is not set meanwhile.
struct TellRules {
  private struct Case {
    let check: MonitoringCheck
    var failures = 0
    /// The same over changes of the check, over which the agent counts on.
    var inARow = 0
    /// In this life of the process, which may have lost those before.
    var counted = 0
    /// When it failed as often as it takes in this life.
    var counting = Instant(nanoseconds: 0)
    /// It was told among many.
    var isInStorm = false
    /// When it failed as often as it takes, the last time.
    var reached: (at: Instant, wall: Timestamp)?
    var worked = Timestamp.epoch
    /// The last result of any kind.
    var last = Timestamp.epoch
    /// Something kept people from being told of it, or may have.
    var hindered: Instant
    var isDown = false
    /// Somebody knows of it by an acknowledgement, of these incidents.
    var known: Set<UniqueID> = []
    /// Incidents that say that it is down, as people have them.
    var told: Set<UniqueID> = []
  }

  private var cases: [UniqueID: Case] = [:]
  /// In the list in force.
  private var listed: Set<UniqueID> = []
  /// When the process started.
  private var born = Timestamp.epoch
  /// Told, and not said to be over; the newest last.
  private(set) var open: [UniqueID] = []

  /// From a failure to the word of it: looks, the wait for others, what else is on its way.
  static let patience: Duration = .seconds(300)

  mutating func apply(_ checks: [MonitoringCheck], wall: Timestamp, now: Instant) {
    listed = Set(checks.map(\.id))
    for id in cases.keys where !listed.contains(id) { rest(id, wall, now) }
    for check in checks {
      var one = cases[check.id] ?? Case(check: check, hindered: now)
      if one.check != check {
        let (reached, worked, known, told) = (one.reached, one.worked, one.known, one.told)
        let inARow = one.inARow
        one = Case(check: check, hindered: now)
        (one.reached, one.worked, one.known, one.told) = (reached, worked, known, told)
        one.inARow = inARow
      }
      cases[check.id] = one
    }
  }

  mutating func found(_ result: CheckResult, wall: Timestamp, now: Instant) {
    // A run may end after its check has left the list: that is no news.
    guard cases[result.checkID] != nil, listed.contains(result.checkID) else { return }
    cases[result.checkID]?.last = wall
    if result.maintenance { return rest(result.checkID, wall, now) }
    switch result.state {
    case .up, .degraded: rest(result.checkID, wall, now)
    case .unknown:
      cases[result.checkID]?.isDown = false
      cases[result.checkID]?.hindered = now
    case .down:
      cases[result.checkID]?.isDown = true
      cases[result.checkID]?.failures += 1
      cases[result.checkID]?.inARow += 1
      cases[result.checkID]?.counted += 1
      if let one = cases[result.checkID], one.counted == one.check.plan.failureThreshold {
        cases[result.checkID]?.counting = now
      }
      if let one = cases[result.checkID], one.inARow >= one.check.plan.failureThreshold {
        // Also where a list has lowered the threshold, which the failures were past then.
        let isOld = one.reached.map { $0.wall < one.worked } ?? true
        if isOld || one.failures == one.check.plan.failureThreshold {
          cases[result.checkID]?.reached = (now, wall)
        }
      }
    }
  }

  mutating func rest(_ id: UniqueID, _ wall: Timestamp, _ now: Instant) {
    cases[id]?.failures = 0
    cases[id]?.inARow = 0
    cases[id]?.counted = 0
    cases[id]?.isInStorm = false
    cases[id]?.isDown = false
    cases[id]?.worked = wall
    cases[id]?.hindered = now
  }

  /// A window left its slot out: alerts end, and counting starts over after it.
  mutating func skipped(_ id: UniqueID, wall: Timestamp, now: Instant) {
    if listed.contains(id) { rest(id, wall, now) }
  }

  /// Checks that are down now, as people may see.
  var down: [MonitoringCheck] {
    cases.values.filter { $0.isDown && $0.failures >= $0.check.plan.failureThreshold }.map(\.check).sorted {
      $0.id < $1.id
    }
  }

  /// What an acknowledgement of this incident certainly covers: it was told, and is down.
  func covered(by incident: UniqueID, now: Instant) -> Set<UniqueID> {
    let old = cases.filter { _, one in
      let since = one.reached.map { max($0.at, one.hindered) }
      return one.told.contains(incident) && one.isDown
        && since.map { $0.duration(to: now) > .seconds(90) } ?? false
    }
    return Set(old.keys)
  }

  /// It may cover whatever fails by now.
  mutating func acknowledged(_ incident: UniqueID) {
    for id in cases.keys where cases[id]?.failures ?? 0 > 0 { cases[id]?.known.insert(incident) }
  }

  mutating func restarted(wall: Timestamp) {
    born = wall
    for id in cases.keys { cases[id]?.counted = 0 }
  }

  /// How long a restarted agent waits for the first result of what it has been told is down.
  private static let waits: Duration = .seconds(590)

  /// State files were not written when the process died: what it knew is gone.
  mutating func forgot() {
    for id in cases.keys {
      cases[id]?.known = []
      cases[id]?.told = []
    }
    open = []
  }

  /// - Parameter isLate: the agent stood still a moment before.
  mutating func arrived(
    _ message: AlertMessage, _ orders: OrderRules, isLate: Bool
  ) -> Violation.Found? {
    let firing = message.members.filter { $0.until == nil && $0.checkID != nil }
    switch message.kind {
    case .opened, .update:
      let found = isLate ? nil : judge(message, firing, orders)
      note(message, firing)
      return found
    case .recovered:
      open.removeAll { $0 == message.incident }
      for id in cases.keys {
        cases[id]?.told.remove(message.incident)
        cases[id]?.known.remove(message.incident)
      }
    case .digest:
      for id in cases.keys where cases[id]?.isDown == false { cases[id]?.told = [] }
    case .acknowledged, .report, .test: break
    }
    return nil
  }

  private mutating func note(_ message: AlertMessage, _ firing: [AlertMessage.Member]) {
    open.removeAll { $0 == message.incident }
    open.append(message.incident)
    for member in message.members {
      guard let id = member.checkID else { continue }
      if member.until == nil, message.isStorm { cases[id]?.isInStorm = true }
      if member.until == nil {
        cases[id]?.told.insert(message.incident)
      } else {
        cases[id]?.told.remove(message.incident)
      }
    }
  }

  private func judge(
    _ message: AlertMessage, _ firing: [AlertMessage.Member], _ orders: OrderRules
  ) -> Violation.Found? {
    let title = "\"\(message.title)\" of \(message.at)"
    for member in firing {
      guard let one = member.checkID.flatMap({ cases[$0] }) else { continue }
      let isOld = one.reached.map { $0.wall < one.worked } ?? true
      let isUnheard = one.last < born && !waits(message, firing)
      if isOld, !isUnheard, one.worked.advanced(by: .seconds(120)) < message.at {
        return (
          .cause, "\(title) says that \(member.name) is down, which has not failed as often as it takes"
        )
      }
    }
    let isNews = [.opened, .joined, .rose].contains(message.trigger)
    // Among others it is named.
    let repeats = [.reminder, .eased, .flapping].contains(message.trigger)
    let named = isNews ? firing.filter { $0.isNew || message.trigger == .opened } : firing
    guard isNews || repeats, !named.isEmpty else { return nil }
    let muted = named.filter { isMuted($0, message.at, orders) }
    if isNews ? !muted.isEmpty : muted.count == named.count {
      return (.muted, "\(title) tells of \(muted.first?.name ?? "") although it is muted")
    }
    guard let known = orders.acknowledgements[message.incident], known.at < message.at else { return nil }
    let seen = named.filter { $0.checkID.map(known.covered.contains) ?? false }
    if isNews ? !seen.isEmpty : seen.count == named.count {
      return (.muted, "\(title) tells of \(seen.first?.name ?? "") although that is acknowledged")
    }
    return nil
  }

  /// Whether a restarted agent holds this until a result says what is so: while there is none at all, and not for ever.
  private func waits(_ message: AlertMessage, _ firing: [AlertMessage.Member]) -> Bool {
    let isHeld = [.opened, .reminder, .rootRecovered].contains(message.trigger)
    let isHeard = firing.contains { $0.checkID.flatMap { cases[$0] }.map { $0.last >= born } ?? true }
    return isHeld && !isHeard && message.at <= born.advanced(by: Self.waits)
  }

  private func isMuted(_ member: AlertMessage.Member, _ at: Timestamp, _ orders: OrderRules) -> Bool {
    member.checkID.flatMap { cases[$0]?.check }.map { orders.isMuted($0, at: at) } ?? false
  }

  /// Whether something fails and nobody was told of it.
  ///
  /// - Parameters:
  ///   - free: since then nothing has kept messages from people.
  ///   - isHeld: an order or a window holds it, or held it a moment ago.
  func owed(now: Instant, free: Instant, isHeld: (MonitoringCheck) -> Bool) -> Violation.Found? {
    // One goes at each look, and the newest first.
    let busy = cases.values.count { $0.isDown || !$0.told.isEmpty }
    let patience = Self.patience + .seconds(60) * busy
    for (_, one) in cases.sorted(by: { $0.key < $1.key }) {
      guard one.isDown, !one.isInStorm, one.counted >= one.check.plan.failureThreshold, one.told.isEmpty,
        one.known.isEmpty,
        let reached = one.reached?.at
      else { continue }
      let due = max(reached, one.counting, one.hindered, free)
      guard due.duration(to: now) > patience, !isHeld(one.check) else { continue }
      return (.owed, "nobody was told of \(one.check.name), down for \(reached.duration(to: now))")
    }
    return nil
  }
}
