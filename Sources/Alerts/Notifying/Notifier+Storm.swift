// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// Storms.
extension Notifier {
  /// Notes which incidents are one storm for a channel: more than ten that are new to it within `group_interval`, or were let go
  /// at once.
  mutating func watchStorm(_ incidents: [Incident], _ channel: AlertChannel, _ context: NotifyContext) {
    guard !leaving.contains(where: { $0.name == channel.name }) else { return }
    adoptStorm(incidents, channel)
    let known = states[channel.name]?.storm
    let grows = known?.grows(incidents, settings, at: context.now.boot) ?? false
    let fresh = incidents.compactMap { incident in
      known?.incidents.contains(incident.id) == true ? nil : joining(incident, channel, context, grows: grows)
    }
    guard !fresh.isEmpty, grows || fresh.count > Storm.limit else { return }
    var storm: Storm
    if let known {
      storm = known
    } else {
      storm = Storm(
        id: UniqueID.v7(at: context.now.wall, using: &generator),
        begin: fresh.map(\.begin).min() ?? context.now.wall,
        at: fresh.map { $0.incident.arose($0.members) }.min() ?? context.now.boot)
      states[channel.name]?.storms += 1
    }
    storm.incidents.formUnion(fresh.map(\.incident.id))
    states[channel.name]?.storm = storm
  }

  /// The first notification of an incident that may be part of a storm; `nil` where it is not.
  ///
  /// - Parameter grows: there is a storm, which all that the channel has not heard of joins.
  private func joining(
    _ incident: Incident, _ channel: AlertChannel, _ context: NotifyContext, grows: Bool
  ) -> Draft? {
    let (now, begin) = (
      context.now.boot, incident.openedAt + (settings.escalation(to: channel.name) ?? .zero)
    )
    guard incident.isOpen, incident.log[channel.name]?.mayBeKnown != true, begin <= now,
      rests[channel.name]?.hold(incident, at: now) != true,
      case .send(let draft) = decide(incident, channel, context, through: Stage.whether),
      draft.trigger == .opened
    else { return nil }
    let isNew = max(begin, draft.firingSince) + settings.groupInterval > now
    return grows || isNew || draft.isLetGo ? draft : nil
  }

  /// A storm that another member of the group sent goes on here: its incidents say which it was. It takes the place of one
  /// that this agent was about to send.
  private mutating func adoptStorm(_ incidents: [Incident], _ channel: AlertChannel) {
    let known = states[channel.name]?.storm
    guard known?.isTold != true, known?.sending == nil else { return }
    let told = incidents.filter { incident in
      incident.log[channel.name].map { $0.storm != nil && !$0.heard.isEmpty && !$0.heard.isOver } ?? false
    }
    // A receiver that keeps a state knows the storm until its end: no incident is in its log before as told of in one.
    let least = channel.keepsState ? 0 : Storm.limit
    guard told.count > least else { return }
    let byStorm = Dictionary(grouping: told) { $0.log[channel.name]?.storm ?? $0.id }
    // The largest; of equal ones the one that began first, then the older id: each member adopts the same.
    let storms = byStorm.compactMap { id, own in
      own.min { ($0.begin, $0.id) < ($1.begin, $1.id) }.map { (id: id, own: own, first: $0) }
    }
    let chosen = storms.min {
      ($1.own.count, $0.first.begin, $0.id) < ($0.own.count, $1.first.begin, $1.id)
    }
    guard let (id, own, first) = chosen, own.count > least else { return }
    var storm = Storm(id: id, begin: first.begin, at: first.openedAt)
    let records = own.compactMap { $0.log[channel.name] }
    (storm.last, storm.lastAt) = (records.compactMap(\.last).max(), records.compactMap(\.lastAt).max())
    storm.incidents = Set(own.map(\.id))
    // The channel takes each for firing.
    storm.heard = Dictionary(uniqueKeysWithValues: own.map { ($0.id, false) })
    if storm.isTold { states[channel.name]?.storm = storm }
  }

  mutating func stormNotification(
    _ channel: AlertChannel, _ book: inout IncidentBook, _ context: NotifyContext
  ) -> Notification? {
    guard let storm = states[channel.name]?.storm else { return nil }
    let stamp = StormStamp(storm, book)
    guard rests[channel.name]?.holdsStorm(stamp, at: context.now.boot) != true else { return nil }
    let isLeaving = leaving.contains { $0.name == channel.name }
    let own = storm.incidents.compactMap { book[$0] }.sorted { $0.id < $1.id }
    var parts = own.compactMap {
      Draft(whole: $0, channel, settings, now: context.now.boot, isLeaving: isLeaving)
    }
    // Of a storm that another member ended, each is over for the channel.
    let isNews = parts.contains { $0.incident.isOpen || !$0.record.heard.isOver }
    guard isNews, storm.isTold || !isLeaving else {
      states[channel.name]?.storm = nil
      return nil
    }
    if !storm.isTold, !parts.contains(where: \.incident.isOpen) {
      giveUp(parts, channel, &book)
      return nil
    }
    let state = state(of: channel.name)
    parts = parts.compactMap { Self.heldBack($0, context, state) }
    parts.noteAcknowledgement()
    let shown = parts.filter { !$0.isClosing }.map(\.incident)
    let news = storm.isTold && !isLeaving ? stormNews(parts, channel, context) : StormNews()
    guard !parts.isEmpty,
      let kind = isLeaving
        ? .recovered : storm.kind(shown, channel, settings, news: news, at: context.now.boot)
    else {
      if shown.count == own.count, let due = storm.restsUntil(shown, channel, settings, news: news) {
        rests[channel.name, default: Rests()].addStorm(stamp, until: due)
      }
      return nil
    }
    let isRepeated = kind == .update && !news.isRisen && !news.hasChanged && storm.hasHeard(of: shown)
    guard isLeaving || !isQuiet(parts, kind, isRepeated, channel, context), says(kind, parts, news, channel)
    else { return nil }
    if kind == .opened, storm.sending == nil, shown.count(where: { $0.activeCount > 0 }) <= Storm.limit {
      // Most were over before it was due: the rest is sent one by one.
      states[channel.name]?.storm = nil
      return nil
    }
    if kind == .recovered, !isLeaving, !channel.sendsRecovered, !channel.keepsState {
      for draft in parts {
        book.update(draft.incident.id) { $0.log[channel.name, default: .init()].heard = draft.heard }
      }
      states[channel.name]?.storm = nil
      return nil
    }
    let known = Self.unchanged(storm, kind, parts)
    return Notification(
      id: known?.id ?? UniqueID.v7(at: context.now.wall, using: &generator), channel: channel, kind: kind,
      form: .storm(
        storm.id, begin: storm.begin, firing: parts.count { !$0.isClosing && !$0.firing.isEmpty }),
      parts: parts, recipients: known?.recipients, isPlain: parts.contains { $0.record.refused != nil })
  }

  /// The notification of a storm that is on its way, where it says the same.
  private static func unchanged(
    _ storm: Storm, _ kind: AlertMessage.Kind, _ parts: [Draft]
  ) -> NotificationRecord.Sending? {
    storm.sending.flatMap { sending in
      let isSame = parts.allSatisfy {
        $0.record.sending?.id == sending.id && $0.record.sending?.heard == $0.heard
      }
      return sending.kind == kind && isSame ? sending : nil
    }
  }

  /// A storm was over before it was sent: its incidents that were due are sent as past, the rest not at all, as those that were
  /// muted, acknowledged or in maintenance.
  private mutating func giveUp(_ parts: [Draft], _ channel: AlertChannel, _ book: inout IncidentBook) {
    for draft in parts
    where draft.record.held?.isMeant != true
      && draft.incident.wasDue(draft.members, to: channel.name, settings)
    {
      book.update(draft.incident.id) { $0.log[channel.name, default: .init()].held = .storm }
    }
    states[channel.name]?.storm = nil
  }

  /// A part as the stages leave it; `nil`: nothing is left that the channel is to hear or has heard of, or another member of
  /// the group notifies of it.
  private static func heldBack(_ draft: Draft, _ context: NotifyContext, _ state: ChannelState) -> Draft? {
    guard context.heldByGroup(draft.incident) == nil else { return nil }
    var draft = draft
    // What the channel knows stays in the text until it is over, acknowledged or not.
    let stages = Stage.narrowing.filter { $0.name != .acknowledge || draft.record.heard.isEmpty }
    for stage in stages { _ = stage.judge(&draft, context, state) }
    return draft.members.isEmpty && !draft.isClosing ? nil : draft
  }

  /// Whether it says more than the channel knows, and is not refused: where all that fires is muted or acknowledged, an update
  /// says nothing.
  private func says(
    _ kind: AlertMessage.Kind, _ parts: [Draft], _ news: StormNews, _ channel: AlertChannel
  ) -> Bool {
    switch kind {
    case .update: channel.keepAlive != nil || news.isLive
    case .recovered: parts.contains { $0.refusal == nil }
    default: true
    }
  }

  /// Changes in the incidents of a storm, by the notifications that they would have by themselves.
  private func stormNews(_ parts: [Draft], _ channel: AlertChannel, _ context: NotifyContext) -> StormNews {
    let shown = parts.filter { !$0.isClosing }
    var news = StormNews()
    // What the receiver refused as it is waits for a change.
    let due = shown.filter { $0.refusal == nil }.compactMap {
      news.note(decide($0.incident, channel, context, through: Stage.narrowing[...]))
    }
    // An incident that is new has the time to be over again.
    let ripe = due.filter {
      $0.trigger == .rose
        || $0.trigger == .opened
          && $0.incident.firstDue($0.members, to: channel.name, settings) <= context.now.boot
    }
    news.isRisen = shown.risen(by: ripe) != nil
    news.isAcknowledged =
      channel.sendsAcknowledged && parts.acknowledgement != nil
      && shown.contains { !$0.firing.isEmpty && $0.owesAcknowledgement && $0.refusal == nil }
    news.mayEnd = mayEnd(shown.filter { !$0.firing.isEmpty }, channel, context)
    return news
  }

  /// Whether the incidents that still fire could be opened one by one now at a receiver that keeps a state: otherwise the end of
  /// the storm would be resolved there while they fire.
  private func mayEnd(_ firing: [Draft], _ channel: AlertChannel, _ context: NotifyContext) -> Bool {
    guard channel.keepsState, firing.count <= Storm.limit else { return true }
    return firing.allSatisfy { draft in
      var incident = draft.incident
      incident.log[channel.name] = nil
      guard case .send = decide(incident, channel, context, through: Stage.byItself) else { return false }
      return true
    }
  }

  /// As for one incident, what changes in a storm is as urgent as what the channel takes for firing in it; a repetition is as urgent
  /// as what fires.
  private func isQuiet(
    _ parts: [Draft], _ kind: AlertMessage.Kind, _ isRepeated: Bool, _ channel: AlertChannel,
    _ context: NotifyContext
  ) -> Bool {
    let told = isRepeated ? [] : parts.map(\.record.heard).filter { !$0.isOver }.compactMap(\.severity)
    let severity = (parts.map(\.severity) + told).max() ?? .low
    return context.isQuiet(severity, for: channel, isFirst: kind == .opened)
  }
}
