// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The whole of alerting but for the sending: rules, incidents and what is told of them, fed with results and the time.
/// A pure machine, kept over restarts.
package struct AlertBook: Sendable {
  package let settings: AlertSettings
  package internal(set) var watch: RuleWatch
  package internal(set) var incidents: IncidentBook
  private var notifier: Notifier
  /// Something changed that a restart must not forget.
  package internal(set) var isDirty = false
  /// What is known of the group's store.
  var sharing = ShareLedger()

  /// - Parameters:
  ///   - saved: what `encoded()` gave before; what is damaged is left out.
  ///   - now: digests before it are not made up for, where nothing is saved.
  package init(
    _ settings: AlertSettings, saved: JSONValue? = nil, now: Timestamp,
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.settings = settings
    let open = (saved?["open"]?.array ?? []).compactMap(Incident.init).filter { $0.isOpen }
    let over = (saved?["over"]?.array ?? []).suffix(IncidentBook.kept).compactMap(Incident.init).filter {
      !$0.isOpen
    }
    incidents = IncidentBook(patience: settings.groupWait, open: open, over: over, generator: generator)
    watch = RuleWatch(settings.rules, open: incidents.troubles)
    notifier = Notifier(settings, digestUpTo: saved?.time("digest_up_to") ?? now)
  }

  /// Takes over other checks and dependencies.
  ///
  /// - Parameter names: the group's checks, also those that other agents run; nil: there is no group.
  package mutating func apply(
    _ checks: [MonitoringCheck], _ graph: DependencyGraph, names: IncidentNames? = nil, now: Timestamp
  ) {
    incidents.names = names
    incidents.apply(graph)
    guard let names else { return take(watch.apply(checks, now: now), now) }
    take(watch.apply(checks, now: now) { names.checks.contains($0) }, now)
    adopt(Set(checks.map(\.id)), names, now)
  }

  package mutating func note(_ result: CheckResult, now: Timestamp) { take(watch.note(result), now) }

  mutating func take(_ events: [TroubleEvent], _ now: Timestamp) {
    guard !events.isEmpty else { return }
    for event in events { incidents.take(event, now: now) }
    isDirty = true
  }

  /// What the agent says of itself.
  package mutating func note(_ notices: [Notice], now: Timestamp) {
    take(watch.judge(notices, now: now), now)
  }

  /// What the windows say.
  package mutating func judge(_ figures: some RuleWatch.Figures, now: Timestamp) {
    take(watch.judge(figures, now: now), now)
  }

  package var needsFigures: Bool { watch.needsFigures }

  /// As time passes: what is to be told now, to whom.
  ///
  /// - Parameter role: whose a check is; nil: there is no group.
  package mutating func advance(
    to now: Timestamp, role: Role? = nil, isMuted: (Trouble) -> Bool
  ) -> [(decision: Notifier.Decision, incidents: [Incident])] {
    take(watch.advance(to: now), now)
    let before = incidents.open.count
    incidents.advance(to: now)
    if incidents.open.count != before { isDirty = true }
    var all = incidents.over + incidents.opened
    let told = all.map(\.told)
    let silent = role.map { role in Set(all.filter { !speaks($0, now: now, role: role) }.map(\.id)) } ?? []
    let decisions = notifier.decide(
      &all, now: now, speaks: { silent.isEmpty || !silent.contains($0.id) }, isMuted: isMuted)
    var changed: [UniqueID: [String: Told]] = [:]  // own text: channels
    for (place, incident) in all.enumerated() where incident.told != told[place] {
      changed[incident.id] = incident.told
    }
    if !changed.isEmpty {
      incidents.note(changed)
      isDirty = true
    }
    incidents.forget()
    let byID = Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    return decisions.map { decision in (decision, decision.incidents.compactMap { byID[$0] }) }
  }

  /// Somebody knows of it. Nil: no open incident, or several, are called so.
  package mutating func acknowledge(
    _ word: String, by: String, note: String?, now: Timestamp
  ) -> Incident? {
    let incident = incidents.change(word) { incident in
      incident.acknowledged = Incident.Acknowledgement(at: now, by: by, note: note)
    }
    if incident != nil { isDirty = true }
    return incident
  }

  /// Everything that a restart must not forget.
  package mutating func encode(to json: inout JSONWriter) {
    isDirty = false
    json.field("digest_up_to", notifier.digestUpTo)
    json.key("open")
    json.array { json in for incident in incidents.opened { incident.write(to: &json) } }
    json.key("over")
    json.array { json in for incident in incidents.over { incident.write(to: &json) } }
  }
}
