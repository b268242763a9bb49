// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Status
import Synchronization

extension AlertDesk {
  /// Incidents over that people see.
  private static let shownOver = 50

  /// As people see it.
  func view(now: Timestamp) -> AlertsView {
    let (book, context) = (state.withLock { $0.book }, context())
    var states: [UniqueID: [IncidentStatus.Notification]] = [:]
    var view = AlertsView()
    view.channels = book.settings.channels.map { channel in
      AlertsView.Channel(channel, book.notifier.state(of: channel.name))
    }
    for (incident, channel, decision) in book.decisions(context) {
      let folded = { book.notifier.reason(of: $0, to: channel, context) }
      guard var item = IncidentStatus.Notification(incident, channel, decision, folded) else { continue }
      item.awaitEnd(of: incident, decision, context)
      states[incident.id, default: []].append(item)
      if let place = view.channels.firstIndex(where: { $0.name == channel.name }) {
        let late = book.notifier.overdue(decision, to: channel, context)
        view.channels[place].count(item, overdue: late, at: now)
      }
    }
    for incident in book.incidents.all {
      let left = IncidentStatus.Notification.leftOpen(incident)
      guard !left.isEmpty else { continue }
      states[incident.id, default: IncidentStatus(incident).notifications] += left
    }
    view.leftOpen = Self.leftOpen(book, now)
    view.open = book.incidents.opened.map { IncidentStatus($0, states[$0.id]) }
    view.over = book.incidents.over.suffix(Self.shownOver).reversed().map {
      IncidentStatus($0, states[$0.id])
    }
    view.reports = Self.reports(book, context, now)
    view.quietUntil = book.settings.quietHours?.end(at: now)
    view.firing = Self.firing(book)
    view.acknowledged = Self.acknowledged(book)
    view.incidentOf = Self.incidents(book)
    return view
  }

  /// How long the status says that incidents were left open at a receiver.
  private static let leftOpenShown: Duration = .seconds(86_400)

  private static func leftOpen(_ book: AlertBook, _ now: Timestamp) -> [Notice] {
    typealias Item = (left: NotificationRecord.LeftOpen, incidents: [String])
    var byChannel: [String: Item] = [:]  // own text: channels
    for incident in book.incidents.all {
      for (channel, record) in incident.log {
        guard let left = record.leftOpen, left.at.advanced(by: leftOpenShown) > now else { continue }
        byChannel[channel, default: (left, [])].incidents.append(incident.short)
      }
    }
    return byChannel.sorted { $0.key < $1.key }.map { channel, item in
      let count = item.incidents.count
      let names = item.incidents.andMore(after: 5)
      let noun = plural("incident is", count, "incidents are")
      return .warning(
        .part("notifications by \(channel)"),
        "channel \(channel) is not configured any more: \(count) \(noun) left open at \(item.left.place): \(names)",
        hint: "resolve \(plural("it", count, "them")) at that receiver by hand", since: item.left.at)
    }
  }

  private static func acknowledged(_ book: AlertBook) -> [UniqueID: String] {
    var names: [UniqueID: String] = [:]
    var open: Set<UniqueID> = []
    for incident in book.incidents.opened {
      for member in incident.members where member.isActive {
        guard let check = member.trouble.key.check else { continue }
        if incident.isAcknowledged(member.trouble) {
          names[check] = incident.acknowledged?.by
        } else {
          open.insert(check)
        }
      }
    }
    return names.filter { !open.contains($0.key) }
  }

  private static func incidents(_ book: AlertBook) -> [UniqueID: UniqueID] {
    var ids: [UniqueID: UniqueID] = [:]
    for incident in book.incidents.opened {
      for member in incident.members where member.isActive {
        if let check = member.trouble.key.check { ids[check] = incident.id }
      }
    }
    return ids
  }

  private static func firing(_ book: AlertBook) -> [AlertsView.Firing] {
    var counts: [String: [AlertSeverity: Int]] = [:]  // own text: rules
    for rule in book.settings.rules { counts[rule.name] = [rule.severity: 0] }
    for (key, trouble) in book.incidents.troubles {
      counts[key.rule.text, default: [:]][trouble.severity, default: 0] += 1
    }
    return counts.sorted { $0.key < $1.key }.flatMap { rule, counts in
      counts.sorted { $0.key < $1.key }.map { .init(rule: rule, severity: $0.key, count: $0.value) }
    }
  }
}

extension AlertsView.Channel {
  fileprivate init(_ channel: AlertChannel, _ state: ChannelState) {
    self.init(name: channel.name, target: channel.target)
    for kind in AlertMessage.Kind.allCases where kind != .test {
      delivered[kind.rawValue] = state.delivered[kind] ?? 0
      failed[kind.rawValue] = state.failed[kind] ?? 0
    }
    storms = state.storms
    if let problem = state.problem {
      self.problem = .warning(
        .part("notifications by \(channel.name)"), problem,
        hint: "try it with: quartz-agent alert test \(channel.name)")
    }
  }

  mutating func count(
    _ item: IncidentStatus.Notification, overdue: Duration?, at now: Timestamp
  ) {
    switch item.state {
    case .pending:
      pending += 1  // bounded: incidents in memory
      guard let due = overdue.map({ now.advanced(by: .zero - $0) }) else { return }
      oldestPending = min(oldestPending ?? due, due)
    case .held: held[item.stage ?? "", default: 0] += 1  // bounded: incidents in memory
    case .delivered, .failed: break
    }
  }
}

extension IncidentStatus.Notification {
  /// `nil` where the channel has nothing to do with it.
  ///
  /// - Parameter folded: why what is sent with others is not sent yet, and until when.
  init?(
    _ incident: Incident, _ channel: AlertChannel, _ decision: Notifier.Decision,
    _ folded: (StageRuling.Fold) -> (words: String, until: Timestamp?)
  ) {
    let record = incident.log[channel.name]
    self.init(channel: channel.name, state: .delivered)
    (first, last, missing) = (record?.first, record?.last, record?.missing)
    switch decision {
    case .nothing, .fold(.nothing, _):
      if record?.first == nil { return nil }
    case .send: (state, reason) = (.pending, "it is due")
    case .fold(let fold, let draft):
      if let words = draft.refusal {
        (state, stage, reason) = (.failed, NotifyStage.deduplicate.words, words)
        return
      }
      (state, stage) = (.pending, (fold == .storm ? NotifyStage.storm : .severity).words)
      (reason, until) = folded(fold)
    case .hold(let stage, let words, let end, let draft):
      // What comes by and by is no news that is held: it is delivered, and what is next is said.
      state = draft.trigger.saysTheSame ? .delivered : Self.state(stage)
      (self.stage, reason, until) = (stage.words, words, end)
    }
  }

  /// Once nothing fires: a channel that takes the incident for open is sent its end when that has lasted.
  fileprivate mutating func awaitEnd(
    of incident: Incident, _ decision: Notifier.Decision, _ context: NotifyContext
  ) {
    guard case .nothing = decision, state == .delivered, let due = context.end(of: incident, at: channel)
    else { return }
    (state, stage) = (.pending, NotifyStage.wait.words)
    reason = "resolved once no alert has fired for long enough"
    // It may wait longer, for checks that failed with it.
    if due > context.now.wall { until = due }
  }

  /// Of channels whose receiver is not configured any more and was not sent the end.
  fileprivate static func leftOpen(_ incident: Incident) -> [IncidentStatus.Notification] {
    incident.log.sorted { $0.key < $1.key }.compactMap { channel, record in
      guard let left = record.leftOpen else { return nil }
      var item = IncidentStatus.Notification(channel: channel, state: .failed)
      (item.first, item.last, item.missing) = (record.first, record.last, record.missing)
      item.reason = "left open at \(left.place): this channel is not configured any more"
      return item
    }
  }

  static func state(_ stage: NotifyStage) -> State {
    switch stage {
    case .wait, .pathLook, .storm, .pace, .send, .retry: .pending
    case .maintenance, .dependency, .mute, .acknowledge, .app, .severity, .quietHours, .groupShare: .held
    case .deduplicate: .failed
    }
  }
}

extension IncidentStatus {
  package init(_ incident: Incident, _ notifications: [Notification]? = nil) {
    self.init(
      id: incident.id, short: incident.short, title: incident.shownTitle,
      subject: incident.subject, severity: incident.shownSeverity, begin: incident.begin, end: incident.end)
    if incident.isAcknowledged {
      (acknowledgedBy, acknowledgedAt) = (incident.acknowledged?.by, incident.acknowledged?.at)
      acknowledgedNote = incident.acknowledged?.note
    }
    (memberCount, alertCount) = (incident.members.checkCount, incident.members.count)
    members = incident.ranked.prefix(Self.shown).map(Member.init)
    checks = Set(incident.members.compactMap(\.trouble.key.check))
    self.notifications =
      notifications
      ?? incident.log.sorted { $0.key < $1.key }.compactMap { channel, record in
        guard record.first != nil, record.leftOpen == nil else { return nil }
        var item = Notification(channel: channel, state: .delivered)
        (item.first, item.last, item.missing) = (record.first, record.last, record.missing)
        return item
      }
    timeline = Self.timeline(incident)
  }

  private static func timeline(_ incident: Incident) -> [Event] {
    var events = [Event(incident.opened, "opened")]
    let shown = incident.members.prefix(50)
    for member in shown {
      let trouble = member.trouble
      let why = trouble.text.map { ": \($0)" } ?? ""
      let state = trouble.state?.rawValue ?? trouble.key.rule.text
      // Alerts of several rules for one check are told apart.
      let check = trouble.key.check
      let isOne = check == nil || shown.count { $0.trouble.key.check == check } == 1
      let rule = isOne ? "" : " (rule \(trouble.key.rule.text))"
      events.append(Event(trouble.since, "\(trouble.name) \(state)\(rule)\(why)"))
      if let left = member.left {
        events.append(Event(left, "\(trouble.name)\(rule): \(Member(member).outcomeWords)"))
      }
    }
    let hidden = incident.members.count - shown.count
    if let next = incident.members.dropFirst(shown.count).first {
      events.append(Event(next.trouble.since, "\(counted(hidden, "more alert")), not shown here"))
    }
    events += deliveries(incident.sent)
    if let dropped = incident.dropped {
      let verb = dropped.count == 1 ? "is" : "are"
      events.append(
        Event(dropped.until, "\(counted(dropped.count, "earlier notification")) \(verb) not kept"))
    }
    for known in incident.acknowledged?.acts ?? [] {
      let note = known.note.map { ": \($0)" } ?? ""
      events.append(Event(known.at, "acknowledged by \(known.by)\(note)"))
    }
    if let end = incident.end { events.append(Event(end, "resolved")) }
    return events.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(
      \.element)
  }
}

extension IncidentStatus {
  /// Channels that got the same within a minute are one event.
  private static func deliveries(_ sent: [SentNotification]) -> [Event] {
    var groups: [(first: SentNotification, channels: [String])] = []
    for one in sent {
      let place = groups.lastIndex { first, channels in
        first.kind == one.kind && first.title == one.title && !channels.contains(one.channel)
          && first.at.duration(to: one.at) < .seconds(60)
      }
      if let place {
        groups[place].channels.append(one.channel)
      } else {
        groups.append((one, [one.channel]))
      }
    }
    return groups.map { first, channels in
      Event(first.at, "notified \(channels.sorted().joined(separator: ", ")): \(first.kind.words)")
    }
  }
}

extension IncidentStatus.Member {
  fileprivate init(_ member: Incident.Member) {
    let trouble = member.trouble
    self.init(
      checkID: trouble.key.check, name: trouble.name, rule: trouble.key.rule.text, severity: trouble.severity,
      reason: trouble.reason, text: trouble.text, since: trouble.since, until: member.left)
    (state, outcome, subject) = (trouble.state, member.end?.rawValue, trouble.subject)
  }
}
