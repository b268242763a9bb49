// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// The next notification of each channel.
extension Notifier {
  /// Findings of a pass over the incidents for one channel.
  private struct Findings {
    var ready: [Draft] = []
    var digest: [Draft] = []
    var silent: [Draft] = []
  }

  /// The notifications to be stored and sent now, at most one a channel. The log notes that each is on its way.
  mutating func next(_ book: inout IncidentBook, _ context: NotifyContext) -> [Notification] {
    let incidents = book.all.filter { !isSettled($0) }
    reports.follow(settings.reports, now: context.now.wall)
    var notifications: [Notification] = []
    for channel in channels {
      states[channel.name, default: ChannelState(digestUpTo: context.now.wall)].watchDigest(
        settings, quietEnd: context.quietEnd, now: context.now.wall)
      watchStorm(incidents, channel, context)
      let findings = find(incidents, channel, &book, context)
      for draft in findings.silent {
        book.update(draft.incident.id) { $0.log[channel.name, default: .init()].heard = draft.heard }
      }
      guard isFree(channel, context.now.boot) else { continue }
      if let notification = choose(findings, channel, &book, context) ?? dueReport(channel, book, context) {
        begin(notification, &book, context.now.boot)
        notifications.append(notification)
      }
    }
    letGo(incidents, &book, context)
    return notifications
  }

  /// When a channel may be sent something; the stages of the same names say so of each draft.
  private func isFree(_ channel: AlertChannel, _ now: Instant) -> Bool {
    let state = state(of: channel.name)
    return !state.isBusy && state.retryTime(isTried: false).map { $0 <= now } ?? true
      && state.lastSent.map { $0 + .seconds(1) <= now } ?? true
  }

  private mutating func dueReport(
    _ channel: AlertChannel, _ book: IncidentBook, _ context: NotifyContext
  ) -> Notification? {
    let report = reportNotification(channel, context)
    return report.flatMap { isPostponed($0, sending($0, book), context.now.boot) ? nil : $0 }
  }

  private mutating func find(
    _ incidents: [Incident], _ channel: AlertChannel, _ book: inout IncidentBook, _ context: NotifyContext
  ) -> Findings {
    var (findings, firing) = (Findings(), FiringSources(incidents))
    var resting = rests.removeValue(forKey: channel.name) ?? Rests()
    resting.trim(to: incidents)
    for incident in incidents where !resting.hold(incident, at: context.now.boot) {
      let decision = decide(incident, channel, context)
      if let due = restsUntil(decision), due > context.now.boot { resting.add(incident, until: due) }
      switch decision {
      case .nothing: continue
      case .fold(.storm, let draft):
        // What silenced it is over.
        guard draft.record.held?.isMeant == true else { continue }
        book.update(incident.id) { $0.log[channel.name, default: .init()].held = .storm }
      case .send(let draft): findings.ready.append(firing.mark(draft))
      case .fold(.digest, let draft): findings.digest.append(firing.mark(draft))
      case .fold(.nothing, let draft):
        if draft.isOver || draft.trigger == .acknowledged { findings.silent.append(draft) }
      case .hold(let stage, _, _, let draft):
        guard draft.trigger == .opened || draft.isOver, draft.record.held != stage else { continue }
        // What is below the severity of the channel for now is not over.
        if draft.isOver, stage != .quietHours || ![.resolved, .past].contains(draft.trigger) { continue }
        book.update(incident.id) { $0.log[channel.name, default: .init()].held = stage }
      }
    }
    rests[channel.name] = resting
    return findings
  }

  /// Before which another look at an incident that does not change finds nothing to send; `nil` where it may.
  private func restsUntil(_ decision: Decision) -> Instant? {
    switch decision {
    case .send: nil
    case .hold(_, _, _, let draft), .fold(_, let draft): draft.restsUntil(settings)
    // It depends on the incident and the settings alone.
    case .nothing: Instant(nanoseconds: .max)
    }
  }

  /// News of open incidents first, the newest first; then the digest; then those that are resolved; then repetitions.
  private mutating func choose(
    _ findings: Findings, _ channel: AlertChannel, _ book: inout IncidentBook, _ context: NotifyContext
  ) -> Notification? {
    if let storm = stormNotification(channel, &book, context),
      !isPostponed(storm, states[channel.name]?.storm?.sending, context.now.boot)
    {
      return storm
    }
    // Those that failed most come last, so that no incident keeps the others from the channel.
    let least = findings.ready.map(\.failures).min() ?? 0
    let ready = findings.ready.filter { $0.failures == least }
    let repeats = keepAlives(ready)
    if repeats.first?.isLate(at: context.now.boot) ?? false {
      return make(.update, .incident, repeats, channel, context.now.wall)
    }
    if !findings.digest.isEmpty, ready.allSatisfy({ $0.isOver || $0.trigger.saysTheSame }) {
      let digest = page(findings.digest, channel, context.now.wall)
      if !isPostponed(digest, sending(digest, book), context.now.boot) { return digest }
    }
    if findings.digest.isEmpty, context.quietEnd == nil { states[channel.name]?.isDigestDue = false }
    let newest = { (drafts: [Draft]) in drafts.max { $0.incident.id < $1.incident.id } }
    let news = newest(ready.filter { !$0.isOver && !$0.trigger.saysTheSame })
    let over = newest(ready.filter { $0.isOver && $0.trigger != .past })
    if let news, let before = newest(Self.ends(of: news, in: findings.ready)) {
      return make(before.kind, .incident, [before], channel, context.now.wall)
    }
    if let draft = news ?? over { return make(draft.kind, .incident, [draft], channel, context.now.wall) }
    if let past = past(ready.filter { $0.trigger == .past }, channel, context.now.wall),
      !isPostponed(past, sending(past, book), context.now.boot)
    {
      return past
    }
    if !repeats.isEmpty { return make(.update, .incident, repeats, channel, context.now.wall) }
    let reminder = longestDue(ready.filter { $0.trigger == .reminder })
    return reminder.map { make($0.kind, .incident, [$0], channel, context.now.wall) }
  }

  /// Ends of earlier incidents of checks that fire again: they are sent before that, where they did not fail more often. The
  /// last that a channel hears of a check is how it is.
  private static func ends(of news: Draft, in ready: [Draft]) -> [Draft] {
    let sources = Set(news.firing.map(\.trouble.key.source))
    return ready.filter { draft in
      draft.trigger == .resolved && draft.incident.id < news.incident.id && draft.failures <= news.failures
        && draft.members.contains { sources.contains($0.trouble.key.source) }
    }
  }

  /// Whether it failed and is tried again later, by the channel's back-off or that of the recipients that are left.
  private func isPostponed(
    _ notification: Notification, _ sending: NotificationRecord.Sending?, _ now: Instant
  ) -> Bool {
    let own = sending.flatMap { $0.id == notification.id ? $0 : nil }
    let times = [state(of: notification.channel.name).retryTime(isTried: own != nil), own?.retryAt]
    return times.compactMap(\.self).contains { $0 > now }
  }

  /// - Returns: under the id of what was on its way already, where it is the same.
  mutating func make(
    _ kind: AlertMessage.Kind, _ form: Notification.Form, _ parts: [Draft], _ channel: AlertChannel,
    _ now: Timestamp
  ) -> Notification {
    let sendings = parts.map(\.record.sending)
    let isSame =
      sendings.first??.kind == kind && Set(sendings.map { $0?.id }).count == 1
      && zip(parts, sendings).allSatisfy { $0.heard == $1?.heard }
    let known: NotificationRecord.Sending? = isSame ? (sendings.first ?? nil) : nil
    return Notification(
      id: known?.id ?? UniqueID.v7(at: now, using: &generator), channel: channel, kind: kind, form: form,
      parts: parts, recipients: known?.recipients,
      isPlain: parts.contains { draft in draft.record.refused.map { $0.heard == draft.heard } ?? false })
  }

  private mutating func begin(
    _ notification: Notification, _ book: inout IncidentBook, _ now: Instant
  ) {
    states[notification.channel.name]?.sending = notification.id
    states[notification.channel.name]?.lastSent = now
    if case .storm(let id, _, _) = notification.form {
      let known = states[notification.channel.name]?.storm?.sending
      states[notification.channel.name]?.storm?.sending = .init(notification, Heard(), after: known)
      if states[notification.channel.name]?.storm?.id != id { return }
    }
    if case .report(let schedule, let due) = notification.form {
      let known = reports.sending(schedule.name, notification.channel.name, due: due.at)
      reports.begin(
        schedule.name, notification.channel.name, due: due.at, .init(notification, Heard(), after: known))
    }
    for draft in notification.parts {
      book.update(draft.incident.id) { incident in
        var record = incident.log[notification.channel.name] ?? .init()
        record.sending = .init(notification, draft.heard, after: record.sending)
        incident.log[notification.channel.name] = record
      }
    }
  }
}

/// Checks, and parts of the agent, that fire now, each with the latest incident in which it does.
private struct FiringSources {
  private let incidents: [Incident]
  private lazy var latest = incidents.reduce(into: [Trouble.Key: UniqueID]()) { latest, incident in
    guard incident.isOpen else { return }
    for member in incident.members where member.isActive {
      let source = member.trouble.key.source
      latest[source] = max(latest[source] ?? incident.id, incident.id)
    }
  }

  init(_ incidents: [Incident]) { self.incidents = incidents }

  /// An end, with what fires again since.
  mutating func mark(_ draft: Draft) -> Draft {
    guard !draft.incident.isOpen, draft.isOver else { return draft }
    var draft = draft
    for source in draft.members.map(\.trouble.key.source) {
      if let id = latest[source], id > draft.incident.id { draft.fireAgain.insert(source) }
    }
    return draft
  }
}

extension NotificationRecord.Sending {
  /// - Parameter known: what was being sent before: what its recipients said stays, where it is the same notification.
  fileprivate init(_ notification: Notification, _ heard: Heard, after known: Self?) {
    self.init(
      id: notification.id, kind: notification.kind, heard: heard, recipients: notification.recipients)
    guard let known, known.id == id else { return }
    (isTaken, refused, failures, retryAt) = (known.isTaken, known.refused, known.failures, known.retryAt)
  }
}
