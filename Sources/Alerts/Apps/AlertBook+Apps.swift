// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// What people say of alerts in the Quartz apps, and what the apps are told of.
extension AlertBook {
  /// An acknowledgement covers what began before it, within this: the clocks of browsers differ.
  static let ackTolerance: Duration = .seconds(60)
  /// Acknowledgements that wait for the audit.
  static let mostTaken = 200

  /// Takes over what the receiver said.
  package mutating func hear(_ apps: AppsView, now: ClockReading) {
    var apps = apps
    apps.judge(after: self.apps, now: now.wall)
    noteGone(apps.alerts, now.boot)
    self.apps = apps
    takeAcknowledgements()
  }

  /// Acknowledges alerts that are acknowledged in the apps, each acknowledgement once in each incident.
  mutating func takeAcknowledgements() {
    guard let apps, let alerts = apps.alerts, !incidents.open.isEmpty else { return }
    for (key, said) in alerts.acknowledgements {
      let firing = Set(
        incidents.firing(of: key.check).filter { incidents.firing($0)?.subject == key.kind })
      for id in Set(firing.flatMap { incidents.holders(of: $0) }).sorted() {
        take(said, of: key, apps.moments[key]?.local ?? apps.local(said.at), in: id, firing)
      }
    }
  }

  private mutating func take(
    _ said: AppAlerts.Acknowledgement, of key: AppAlerts.Key, _ at: Timestamp, in id: UniqueID,
    _ firing: Set<Trouble.Key>
  ) {
    guard var incident = incidents.open[id], incident.taken[key] != said.at else { return }
    // What began later, the alert that came back included, is another one to people here.
    let covered = incident.members.filter {
      $0.isActive && firing.contains($0.trouble.key)
        && $0.trouble.since <= at.advanced(by: Self.ackTolerance)
    }.map(\.trouble)
    guard let first = covered.first else { return }
    incident.taken[key] = said.at
    // Made by hand at an agent: it is known, with what it saw.
    let isEcho =
      said.agent != nil && covered.contains { incident.acknowledged?.hand?.keys.contains($0.key) == true }
    if !isEcho, !covered.allSatisfy(incident.isAcknowledged) {
      incident.acknowledge(covered, by: said.words, note: said.note, at: at)
      let taken = TakenAcknowledgement(
        incident: incident.short, by: said.words, note: said.note,
        alert: "\(first.name) (\(key.kind.rawValue))", isWhole: incident.isAcknowledged)
      takenAcknowledgements = (takenAcknowledgements + [taken]).suffix(Self.mostTaken)
    }
    incidents.update(id) { $0 = incident }
  }

  /// Acknowledgements that were taken since the last call.
  package mutating func drainTaken() -> [TakenAcknowledgement] {
    defer { takenAcknowledgements = [] }
    return takenAcknowledgements
  }

  /// Acknowledgements made by hand at an agent that the apps do not show yet, of alerts that fire here and are open there.
  ///
  /// They follow from what is so now, and not from a queue: one whose alert is over is none any more.
  package func acks(isOwner: (UniqueID) -> Bool) -> [AppAck] {
    guard let apps, let alerts = apps.alerts else { return [] }
    return alerts.open.filter { $0.value.acknowledged == nil }.sorted { $0.key < $1.key }.compactMap {
      key, alert in
      guard isOwner(key.check), let hand = hand(over: key) else { return nil }
      // The alert there may be another one than the one that was acknowledged.
      if let since = alert.since, hand.at.advanced(by: Self.ackTolerance) < apps.local(since) { return nil }
      return AppAck(key, at: hand.at, by: hand.by, why: hand.note)
    }
  }

  /// The acknowledgement by hand that covers all of a check's alerts of a kind that fire; `nil` without one.
  private func hand(over key: AppAlerts.Key) -> Incident.Acknowledgement.Hand? {
    let firing = incidents.firing(of: key.check).filter { incidents.firing($0)?.subject == key.kind }
    guard !firing.isEmpty else { return nil }
    var found: Incident.Acknowledgement.Hand?
    for trouble in firing {
      guard let id = incidents.places.incident(of: trouble), let incident = incidents.open[id],
        let hand = incident.acknowledged?.hand,
        incident.member(trouble).map({ incident.isAcknowledged($0.trouble) }) == true
      else { return nil }
      if hand.keys.contains(trouble) { found = hand }
    }
    return found
  }

  /// Remembers alerts that fire here and are shown no more. By rules of the apps they may be over before they are here.
  private mutating func noteGone(_ alerts: AppAlerts?, _ now: Instant) {
    guard settings.app == .fallback else { return lastShown = [:] }
    for key in (apps?.alerts?.open ?? [:]).keys where alerts?.open[key] == nil { lastShown[key] = now }
    lastShown = lastShown.filter {
      alerts?.open[$0.key] == nil && !incidents.firing(of: $0.key.check).isEmpty
    }
  }

  /// Where alerts stand with the apps.
  func standing(_ context: NotifyContext) -> (Incident.Member) -> AppStanding {
    guard let apps else { return { _ in .none } }
    let (now, isInApps, lastShown) = (context.now, context.isInApps, lastShown)
    return { member in
      guard let key = AppAlerts.Key(member.trouble), isInApps(key.check) else { return .none }
      var begin = member.opened(by: now)
      switch apps.knowledge {
      case .silent: return .none
      case .unheard(let since): begin = max(begin, since)
      case .known(let alerts):
        let since = member.trouble.since.advanced(by: .zero - apps.offset)
        if alerts.shows(key, since: since) { return .shown }
        if let last = lastShown[key] { begin = max(begin, last + member.trouble.pace * 3.0) }
      }
      let due = begin + AppAlerting.patience
      return due > now.boot ? .awaited(due) : .none
    }
  }
}

extension AppAlerts.Key {
  /// `nil` for what the apps do not know: budgets, and the agent itself.
  init?(_ trouble: Trouble) {
    guard let check = trouble.key.check,
      [.availability, .performance, .certificate].contains(trouble.subject)
    else { return nil }
    self.init(check, trouble.subject)
  }
}

extension AppAlerts {
  /// Whether it is open there, or was until a person resolved it.
  ///
  /// - Parameter since: by the receiver's clock. An alert that began before all of a cut list may be beyond the cut.
  func shows(_ key: Key, since: Timestamp) -> Bool {
    if open[key] != nil || closed[key] != nil { return true }
    guard isCut, let oldest = open.values.compactMap(\.since).min() else { return false }
    return since <= oldest
  }
}
