// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring

/// What arrives at the receiver of messages, against what was found. Pure.
struct AlertRules {
  /// What a group tells is judged over all of its members.
  private let isShared: Bool

  init(isShared: Bool = false) { self.isShared = isShared }

  private struct Incident {
    var opened: UniqueID?
    var recovered: UniqueID?
    /// When people were told of the one or the other.
    var openedAt = Instant(nanoseconds: 0)
    var recoveredAt = Instant(nanoseconds: 0)
  }

  private var incidents: [UniqueID: Incident] = [:]
  /// Incidents that were told of a check since it last worked, whenever they arrive.
  private var told: [UniqueID: Set<UniqueID>] = [:]
  /// When that was, by the wall clock.
  private var worked: [UniqueID: Timestamp] = [:]
  /// Messages that the agent knows to have arrived, and when.
  private var acknowledged: [UniqueID: Instant] = [:]
  private var died = Instant(nanoseconds: 0)
  private(set) var messages = 0
  /// Failures in a row, as found, lost ones too.
  private var failures: [UniqueID: Int] = [:]
  private var seen: Set<UniqueID> = []
  /// When a check reached its threshold, without a restart or trouble since, and nothing has been told.
  private var due: [UniqueID: Instant] = [:]
  /// Nil: all of them, since the start.
  private var configured: Set<UniqueID>?

  mutating func found(_ result: CheckResult, _ check: MonitoringCheck, wall: Timestamp, now: Instant) {
    // A run may end after its check was removed.
    guard configured?.contains(check.id) != false else { return }
    // In maintenance nothing is anybody's trouble, and afterwards everything begins again.
    if result.maintenance { return forget(check.id, wall) }
    switch result.state {
    case .up, .degraded: forget(check.id, wall)
    case .down:
      failures[check.id, default: 0] += 1
      if failures[check.id] == check.plan.failureThreshold, told[check.id] == nil { due[check.id] = now }
    case .unknown: break
    }
  }

  /// A window left its slot out.
  mutating func skipped(_ check: UniqueID, wall: Timestamp) {
    if configured?.contains(check) != false { forget(check, wall) }
  }

  private mutating func forget(_ check: UniqueID, _ wall: Timestamp) {
    worked[check] = wall
    failures[check] = 0
    told[check] = nil
    due[check] = nil
  }

  mutating func acknowledge(_ message: AlertMessage, now: Instant) { acknowledged[message.id] = now }

  /// The process died: what it was about to tell it may tell again, and it counts failures again.
  ///
  /// - Parameter unwrittenSince: its state files could not be written since then: what it told nobody knows any more.
  mutating func died(now: Instant, unwrittenSince start: Instant? = nil) {
    died = now
    due = [:]
    guard let start else { return }
    for (id, incident) in incidents {
      if incident.openedAt >= start {
        incidents[id]?.opened = nil
        for check in told.keys { told[check]?.remove(id) }
      }
      if incident.recoveredAt >= start { incidents[id]?.recovered = nil }
    }
  }

  /// Nobody can be told for a while.
  mutating func troubled() { due = [:] }

  /// Checks that are configured no more are no trouble.
  mutating func keep(_ checks: Set<UniqueID>, wall: Timestamp) {
    configured = checks
    for check in Set(failures.keys).union(told.keys) where !checks.contains(check) { forget(check, wall) }
  }

  mutating func arrived(_ message: AlertMessage, now: Instant) -> Violation.Found? {
    if let when = acknowledged[message.id], !(when <= died && when.duration(to: died) < .seconds(90)) {
      return (.told, "\"\(message.title)\" comes again after the agent knew that it had arrived")
    }
    guard !seen.contains(message.id) else { return nil }
    seen.insert(message.id)
    messages += 1
    if isShared { return nil }
    switch message.kind {
    case .opened: return opened(message, now)
    case .recovered:
      if let first = incidents[message.incident]?.recovered, first != message.id, acknowledged[first] != nil {
        return (.told, "the end of \"\(message.title)\" is told twice")
      }
      incidents[message.incident, default: Incident()].recovered = message.id
      incidents[message.incident]?.recoveredAt = now
    case .update, .acknowledged: note(message)
    case .digest, .report, .test: break
    }
    return nil
  }

  private mutating func note(_ message: AlertMessage) {
    for member in message.members {
      if let check = member.checkID { due[check] = nil }
    }
  }

  private mutating func opened(_ message: AlertMessage, _ now: Instant) -> Violation.Found? {
    // One without an answer may never have arrived; what is so by then is sent in its place, under an id of its own.
    if let first = incidents[message.incident]?.opened, first != message.id, acknowledged[first] != nil {
      return (.told, "the beginning of \"\(message.title)\" is told twice")
    }
    incidents[message.incident, default: Incident()].opened = message.id
    incidents[message.incident]?.openedAt = now
    note(message)
    // What works again by then is named, and is no trouble; nor is what was found to work while the message was on its way to
    // the disk, from where it is sent.
    let failing = message.members.filter { $0.until == nil }
    for check in failing.compactMap(\.checkID)
    where message.at > (worked[check] ?? .epoch).advanced(by: .seconds(1)) {
      told[check, default: []].insert(message.incident)
      if told[check, default: []].count > 1 {
        return (
          .told, "\"\(message.title)\": a second incident about a check that has not worked since the first"
        )
      }
    }
    return nil
  }

  /// Whether an outage is kept from everybody.
  func sweep(now: Instant) -> Violation.Found? {
    // Where several fail at once one message may stand for them: it names them, or is an update later.
    guard due.count == 1, let (check, since) = due.first, since.duration(to: now) > .seconds(5 * 3600) else {
      return nil
    }
    return (.told, "nobody was told of check \(check), down since \(since.duration(to: now)) ago")
  }
}
