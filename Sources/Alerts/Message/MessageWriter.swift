// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Words notifications: from drafts to a message.
package struct MessageWriter: Sendable {
  package let agent: String
  package let region: String?
  package let pageURL: String?
  /// A check, as it is configured.
  let check: @Sendable (UniqueID) -> MonitoringCheck?
  /// Names of `metrics.labels`.
  let labels: [String]
  /// The last results of a check, newest first.
  let recent: @Sendable (UniqueID) -> [CheckResult]

  /// Results of a member that a message shows.
  static let results = 48

  package init(
    agent: String, region: String?, pageURL: String?,
    check: @escaping @Sendable (UniqueID) -> MonitoringCheck? = { _ in nil },
    labels: [String] = [],
    recent: @escaping @Sendable (UniqueID) -> [CheckResult] = { _ in [] }
  ) {
    (self.agent, self.region, self.pageURL) = (agent, region, pageURL)
    (self.check, self.labels, self.recent) = (check, labels, recent)
  }

  /// - Parameter cause: the check that the others of an incident depend on.
  package func message(
    _ notification: Notification, now: Timestamp, cause: (Incident) -> String? = { _ in nil }
  ) -> AlertMessage? {
    if case .report(let schedule, let due) = notification.form {
      return report(schedule, due.period, id: notification.id, now: now)
    }
    guard let first = notification.parts.first else { return nil }
    let hidesTargets = notification.channel.hidesTargets
    let notification = hidesTargets ? notification.withoutTargets() : notification
    var message =
      switch notification.form {
      case .digest, .past, .report: digest(notification, now)
      case .storm(let id, let begin, let firing): storm(notification, id, begin, firing, now)
      case .incident:
        self.message(
          notification.parts.first ?? first, id: notification.id, cause: cause(first.incident), now: now)
      }
    if notification.form == .incident {
      message.others = notification.parts.dropFirst().map {
        self.message($0, id: notification.id, cause: cause($0.incident), now: now)
      }
    }
    message.hidesTargets = hidesTargets
    for place in message.others.indices { message.others[place].hidesTargets = hidesTargets }
    return message
  }

  private func message(
    _ draft: Draft, id: UniqueID, cause: String?, now: Timestamp
  ) -> AlertMessage {
    let incident = draft.incident
    let end = draft.isOver ? draft.end ?? now : nil
    // A clock that was ahead at the begin and is right now puts no begin after the end: receivers refuse that.
    var message = AlertMessage(
      id: id, incident: incident.id, kind: draft.kind, severity: draft.severity,
      title: DraftWords(draft, now: now).title.printable(maxBytes: 512), at: now,
      begin: min(draft.begin, end ?? now), agent: agent)
    (message.region, message.pageURL, message.cause) = (region, pageURL, cause)
    message.end = end
    message.trigger = draft.trigger
    message.acknowledgedBy = incident.isAcknowledged ? incident.acknowledged?.by : nil
    (message.memberCount, message.alertCount) = (draft.members.checkCount, draft.members.count)
    message.opening = draft.heard.opening
    name(&message, incident)
    let ranked = draft.members.sorted { left, right in
      let one = (left.isActive, draft.isNew(left)), two = (right.isActive, draft.isNew(right))
      if one.0 != two.0 { return one.0 }
      if one.1 != two.1 { return one.1 }
      return (right.trouble.severity, left.joined) < (left.trouble.severity, right.joined)
    }
    message.members = ranked.prefix(AlertMessage.maxMembers).map { one in
      var shown = member(one, isNew: draft.isNew(one), now: now)
      shown.isWorse = draft.isWorse(one)
      return shown
    }
    return message
  }

  /// Sets the members that are the same in all notifications of an incident.
  private func name(_ message: inout AlertMessage, _ incident: Incident) {
    guard let opening = incident.opening ?? incident.members.first.map({ opening(of: $0.trouble) }) else {
      return
    }
    message.thread = "\(opening.name): \(incident.noun) [\(incident.short)]"
    message.pace = incident.members.map(\.trouble.pace).max() ?? .zero
    message.labels = [.init("check", opening.name)] + opening.labels
  }

  /// Labels of the formats' own, which no tag replaces.
  private static let taken: Set<String> = ["alertname", "incident", "severity"]  // own text: fixed words

  /// The opening of an incident that this alert opens.
  func opening(of alert: Trouble) -> Incident.Opening {
    var opening = Incident.Opening(name: alert.name.printable(maxBytes: CheckLimits.nameBytes), labels: [])
    guard let check = alert.key.check.flatMap(check) else { return opening }
    opening.labels.append(.init("type", check.type.rawValue))
    for name in labels where !Self.taken.contains(name) {
      if let value = TagLabels.value(of: name, tags: check.plan.tags) {
        opening.labels.append(.init(name, value))
      }
    }
    return opening
  }

  /// The check of an alert is configured, or the alert is the agent's own.
  func knows(_ key: Trouble.Key) -> Bool { key.check.map { check($0) != nil } ?? true }

  private func member(
    _ member: Incident.Member, isNew: Bool, now: Timestamp, showsRecent: Bool = true
  ) -> AlertMessage.Member {
    let trouble = member.trouble
    var shown = AlertMessage.Member(
      checkID: trouble.key.check, name: trouble.name, target: trouble.target, rule: trouble.key.rule.text,
      severity: trouble.severity, since: min(trouble.since, member.left ?? now))
    (shown.state, shown.reason, shown.text) = (trouble.state, trouble.reason, trouble.text)
    (shown.until, shown.outcome, shown.isNew) = (member.left, member.left == nil ? nil : member.end, isNew)
    guard let id = trouble.key.check else { return shown }
    let check = check(id)
    (shown.runbook, shown.tags) = (check?.plan.runbook, check?.plan.tags ?? [])
    guard showsRecent else { return shown }
    let results = recent(id)
    shown.lastGood =
      results.first { $0.scheduledAt < trouble.since && ($0.state == .up || $0.state == .degraded) }?
      .scheduledAt ?? trouble.lastGood
    shown.recent = results.prefix(Self.results).reversed().map {
      AlertMessage.Member.Recent(at: $0.scheduledAt, state: $0.state, responseTime: $0.facts.responseTime)
    }
    return shown
  }

  /// The message of `quartz-agent alert test`.
  package func test(now: Timestamp, using generator: inout some RandomNumberGenerator) -> AlertMessage {
    let id = UniqueID.v7(at: now, using: &generator)
    var message = AlertMessage(
      id: id, incident: id, kind: .test, severity: .low, title: "This is a test: nothing is wrong", at: now,
      begin: now, agent: agent)
    (message.region, message.pageURL) = (region, pageURL)
    return message
  }
}

// Of several incidents at once.
extension MessageWriter {
  private func digest(_ notification: Notification, _ now: Timestamp) -> AlertMessage {
    let drafts = notification.parts
    let count = drafts.count
    let noun = plural("incident", count)
    let title =
      notification.form == .past
      ? "\(count) \(noun) began and ended while this channel could not be reached"
      : "\(count) \(noun) since the last digest"
    let rest = notification.rest
    let more = rest > 0 ? "; \(rest) more \(plural("follows", rest, "follow"))" : ""
    var message = AlertMessage(
      id: notification.id, incident: notification.id, kind: .digest,
      severity: drafts.map(\.severity).max() ?? .low, title: title + more, at: now,
      begin: min(drafts.map(\.begin).min() ?? now, now), agent: agent)
    (message.region, message.pageURL) = (region, pageURL)
    message.digest = drafts.sorted { $0.incident.id > $1.incident.id }.prefix(Notification.mostParts).map {
      draft in
      AlertMessage.Line(
        title: DraftWords(draft, now: now).digestTitle.printable(maxBytes: 512), severity: draft.severity,
        begin: min(draft.begin, draft.incident.isOpen ? now : draft.end ?? now),
        end: draft.incident.isOpen ? nil : draft.end,
        saysWhen: draft.trigger == .past)
    }
    message.memberCount = count
    return message
  }

  private func storm(
    _ notification: Notification, _ id: UniqueID, _ begin: Timestamp, _ open: Int, _ now: Timestamp
  ) -> AlertMessage {
    let members = notification.parts.flatMap(\.members)
    let firing = members.filter(\.isActive)
    let checks = firing.checkCount
    var message = AlertMessage(
      id: notification.id, incident: id, kind: notification.kind,
      severity: (firing.isEmpty ? members : firing).map(\.trouble.severity).max() ?? .low,
      title: stormTitle(notification, firing, checks: checks, open: open), at: now, begin: min(begin, now),
      agent: agent)
    (message.region, message.pageURL, message.isStorm) = (region, pageURL, true)
    message.opening = Self.opening(notification.parts, id)
    message.thread = "Storm of incidents since \(MessageText.minute(begin)) UTC"
    message.acknowledgedBy = notification.parts.acknowledgement?.by
    if notification.kind == .recovered {
      let ends = notification.parts.map(\.end)
      let end = ends.contains(nil) ? now : ends.compactMap(\.self).max() ?? now
      (message.begin, message.end) = (min(message.begin, end), end)
    }
    let shown = firing.isEmpty ? members : firing
    (message.memberCount, message.alertCount) = (shown.checkCount, shown.count)
    message.counts = counts(firing)
    message.members = Self.worstFirst(shown).prefix(AlertMessage.maxMembers).map {
      member($0, isNew: false, now: now, showsRecent: false)
    }
    return message
  }

  /// Severity of a storm's first notification: that of the incidents which were in it.
  private static func opening(_ parts: [Draft], _ storm: UniqueID) -> AlertSeverity? {
    let told = parts.filter { $0.record.storm == storm && $0.record.first != nil }
    guard let first = told.compactMap(\.record.first).min() else {
      return parts.compactMap(\.heard.opening).max()
    }
    return told.filter { $0.record.first == first }.compactMap(\.record.heard.opening).max()
  }

  /// By severity, then as they joined, then by name.
  private static func worstFirst(_ members: [Incident.Member]) -> [Incident.Member] {
    members.sorted { one, other in
      let (left, right) = ((other.trouble.severity, one.joined), (one.trouble.severity, other.joined))
      return left == right
        ? one.trouble.name.utf8.lexicographicallyPrecedes(other.trouble.name.utf8) : left < right
    }
  }

  private func stormTitle(
    _ notification: Notification, _ firing: [Incident.Member], checks: Int, open: Int
  ) -> String {
    let (all, state) = (counted(notification.parts.count, "incident"), stormState(notification.parts))
    let subject = "\(counted(checks, "check")) of \(counted(open, "incident"))"
    let are =
      state.map { "\(plural("is", checks, "are")) \($0)" } ?? plural("has alerts", checks, "have alerts")
    switch notification.kind {
    case .opened: return "\(subject) \(are)"
    case .recovered where notification.parts.contains { $0.trigger == .channelRemoved }:
      let lasts =
        firing.isEmpty ? "" : "; the storm of \(all) lasts: \(counted(checks, "check")) \(are)"
      return "this channel is not configured any more\(lasts)"
    case .recovered
    where firing.isEmpty && notification.parts.contains { $0.isClosing && $0.incident.isOpen }:
      let exclusion = notification.parts.first { $0.isClosing && $0.incident.isOpen }?.exclusion ?? ""
      return "what is left of the storm of \(all) is \(exclusion)"
    case .recovered where firing.isEmpty:
      let over =
        notification.parts.count == 1
        ? "the incident of the storm is over" : "all \(all) of the storm are over"
      // Of what is not up again the reason: it may be down all the same.
      let others = Incident.overTitle(
        notification.parts.flatMap(\.members), .availability,
        naming: TroubleEnd.allCases.filter { $0 != .recovered })
      return others.isEmpty ? over : "\(over); \(others)"
    case .recovered:
      let names = DraftWords.list(Self.worstFirst(firing).map(\.trouble.name))
      return "the storm of \(all) is over; still \(state ?? "affected"): \(names)"
    case .acknowledged:
      return
        "acknowledged by \(notification.parts.acknowledgement?.by ?? "an operator"): \(subject) \(are)"
    case .update where checks == 0: return "no alert of the storm of \(all) fires now"
    default:
      let still =
        state.map { "\(plural("is", checks, "are")) still \($0)" }
        ?? plural("still has alerts", checks, "still have alerts")
      let risen = notification.parts.risen(by: notification.parts).map { "now \($0.rawValue): " } ?? ""
      return "\(risen)\(subject) \(still); the storm had \(all)"
    }
  }

  /// State that the firing alerts of a storm have in common, such as `down` or `slow`; `nil` where they have none.
  private func stormState(_ parts: [Draft]) -> String? {
    let firing = parts.filter { !$0.firing.isEmpty }
    guard let subject = firing.first?.incident.subject,
      firing.allSatisfy({ $0.incident.subject == subject })
    else { return nil }
    return Incident.adjective(firing.flatMap(\.firing), subject)
  }

  /// By tag, network and reason, the five most of each.
  private func counts(_ firing: [Incident.Member]) -> [AlertMessage.Count] {
    var all: [String: [String: Set<Trouble.Key>]] = [:]  // own text
    for member in firing {
      let source = member.trouble.key.source
      for tag in member.trouble.key.check.flatMap(check)?.plan.tags ?? [] {
        all["tag", default: [:]][tag, default: []].insert(source)
      }
      if let network = member.trouble.relation.networkText {
        all["network", default: [:]][network, default: []].insert(source)
      }
      if let reason = member.trouble.reason {
        all["reason", default: [:]][reason.rawValue, default: []].insert(source)
      }
    }
    return ["tag", "network", "reason"].flatMap { of in
      (all[of] ?? [:]).mapValues(\.count).sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5).map {
        AlertMessage.Count(of: of, name: $0.key, checks: $0.value)
      }
    }
  }
}

extension Collection<Incident.Member> {
  /// Checks, or parts of the agent, each once, however many rules fire for it.
  package var checkCount: Int { Set(map(\.trouble.key.source)).count }
}
