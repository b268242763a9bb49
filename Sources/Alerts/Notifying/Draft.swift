// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The notification that a channel would get of an incident: the difference between the incident as it is now, seen by
/// that channel, and the state that the channel was sent. The stages may narrow it, hold it or fold it into another
/// notification.
package struct Draft: Sendable {
  package enum Trigger: String, Hashable, Sendable {
    case opened, joined, rose, flapping, acknowledged, reminder
    /// Only alerts of severity `low` are left, and the channel takes it for more severe.
    case eased
    /// The alert that the last title was about recovered, others fire.
    case rootRecovered = "root_recovered"
    /// A receiver that forgets is sent the same again.
    case keepAlive = "keep_alive"
    /// Alerts that still fire are below the channel's severity, or of rules that are not routed to it any more.
    case belowSeverity = "below_severity"
    case channelRemoved = "channel_removed"
    case resolved
    /// It is over, and the channel has heard nothing of it.
    case past

    /// It repeats what the channel knows, or says that it is less.
    var isRepetition: Bool { [.reminder, .flapping, .eased].contains(self) }
    /// The channel knows all of it: it comes again because it lasts.
    package var saysTheSame: Bool { self == .reminder || self == .keepAlive }
  }

  package internal(set) var incident: Incident
  package let channel: AlertChannel
  package let record: NotificationRecord
  package internal(set) var trigger: Trigger
  /// The members that are the channel's business.
  package internal(set) var members: [Incident.Member]
  /// Alerts that the channel has not heard of as they are: new, or worse.
  package internal(set) var fresh: Set<Trouble.Key>
  /// Alerts were left out that the channel gets later, such as those that are muted.
  private(set) var isNarrowed = false
  /// Of a storm: all that fires in it is acknowledged; `nil` for an incident by itself.
  var isStormAcknowledged: Bool?
  /// Sources of its members that fire again in a later incident.
  var fireAgain: Set<Trouble.Key> = []
  /// When it is due; the wait says it.
  var due: Instant?
  let swings: Swings

  /// `nil`: there is no difference and nothing to repeat.
  ///
  /// - Parameters:
  ///   - now: `nil` where no alert of a check that flaps is waited for.
  ///   - isLeaving: the channel is not configured any more.
  init?(
    _ incident: Incident, _ channel: AlertChannel, _ settings: AlertSettings, now: Instant? = nil,
    isLeaving: Bool = false
  ) {
    let record = incident.log[channel.name] ?? NotificationRecord()
    (self.incident, self.channel, self.record) = (incident, channel, record)
    let heard = record.heard
    members = incident.members.filter { member in
      Self.isRouted(member, to: channel, settings.rules, record)
        || isLeaving && heard.alerts[member.trouble.key] != nil
    }
    let swings = Swings(incident, heard, settings.flap, at: now)
    self.swings = swings
    fresh = Set(
      members.lazy.filter { $0.isActive && Self.isNews($0, heard, swings) }.map(\.trouble.key))
    guard let trigger = Self.trigger(incident, channel, record, members, settings, swings, isLeaving)
    else { return nil }
    self.trigger = trigger
  }

  /// Whether an alert is the channel's. One that fires by a rule that is not known here, such as of another member of the group, is
  /// every channel's. One that ended with its rule is of the channels that were sent it: where it was routed is not known any more.
  static func isRouted(
    _ member: Incident.Member, to channel: AlertChannel, _ rules: [AlertRule], _ record: NotificationRecord
  ) -> Bool {
    let trouble = member.trouble
    guard trouble.severity >= channel.severity else { return false }
    guard let rule = rules.first(where: { ByteText($0.name) == trouble.key.rule }) else {
      return member.isActive || record.mayKnow(trouble.key)
    }
    return rule.channels.isEmpty || rule.channels.contains(channel.name)
  }

  static func isNews(_ member: Incident.Member, _ heard: Heard, _ swings: Swings) -> Bool {
    let trouble = member.trouble
    guard !heard.isOver else { return true }
    guard let known = heard.alerts[trouble.key] else { return !swings.isKnown(trouble, heard) }
    guard known.end == nil || swings.isKnown(trouble, heard) else { return true }
    return known.severity < trouble.severity || known.level < trouble.level
  }

  private static func trigger(
    _ incident: Incident, _ channel: AlertChannel, _ record: NotificationRecord,
    _ members: [Incident.Member], _ settings: AlertSettings, _ swings: Swings, _ isLeaving: Bool
  ) -> Trigger? {
    let heard = record.heard
    if isLeaving { return record.mayBeKnown && !heard.isOver ? .channelRemoved : nil }
    let firing = members.filter(\.isActive)
    if !incident.isOpen { return triggerOver(record, channel, incident, settings) }
    if heard.isEmpty || heard.isOver { return firing.isEmpty ? nil : .opened }
    guard !firing.isEmpty else { return incident.activeCount > 0 ? .belowSeverity : nil }
    return difference(incident, channel, heard, firing, swings)
  }

  /// Of an incident that is over.
  static func triggerOver(
    _ record: NotificationRecord, _ channel: AlertChannel, _ incident: Incident, _ settings: AlertSettings
  ) -> Trigger? {
    if record.heard.isOver { return nil }
    if !record.heard.isEmpty || channel.keepsState && record.mayBeKnown { return .resolved }
    // Perhaps it was heard of, perhaps not: what was is right for both.
    return record.mayBeKnown || isWorthAWord(record, channel, incident, settings) ? .past : nil
  }

  /// Of an incident that the channel knows, and of which something fires.
  private static func difference(
    _ incident: Incident, _ channel: AlertChannel, _ heard: Heard, _ firing: [Incident.Member],
    _ swings: Swings
  ) -> Trigger {
    let severity = firing.map(\.trouble.severity).max() ?? .low
    let known = firing.compactMap { member in
      heard.alerts[member.trouble.key].flatMap { $0.end == nil ? (member.trouble, $0) : nil }
    }
    // What recovered hides no rise, heard or not. Where all that the channel knows recovered, it waits for the rest.
    let before = known.map(\.1.severity).max() ?? heard.severity ?? .low
    if severity > before || known.contains(where: { $1.level < $0.level }) { return .rose }
    if let less = lessening(incident, heard, firing, swings) { return less }
    if firing.contains(where: { isNews($0, heard, swings) }) { return .joined }
    return repetition(incident, channel, heard, firing, swings)
  }

  /// The alert of the title recovered, or what fires is less severe than the channel knows.
  private static func lessening(
    _ incident: Incident, _ heard: Heard, _ firing: [Incident.Member], _ swings: Swings
  ) -> Trigger? {
    if isRootOver(incident, heard, swings) { return .rootRecovered }
    guard firing.map(\.trouble.severity).max() == .low, let before = heard.severity else { return nil }
    return before > .low && !swings.holdsSevere(heard) ? .eased : nil
  }

  /// Of what fires nothing is new to the channel.
  private static func repetition(
    _ incident: Incident, _ channel: AlertChannel, _ heard: Heard, _ firing: [Incident.Member],
    _ swings: Swings
  ) -> Trigger {
    if !heard.isFlapping, firing.contains(where: swings.isOne) { return .flapping }
    if owesAcknowledgement(incident, channel, heard) { return .acknowledged }
    return channel.keepAlive == nil ? .reminder : .keepAlive
  }

  /// The channel knows the incident, and not that it is acknowledged.
  private static func owesAcknowledgement(
    _ incident: Incident, _ channel: AlertChannel, _ heard: Heard
  ) -> Bool {
    incident.isAcknowledged && !heard.isEmpty && !heard.isOver && !heard.isAcknowledged
      && channel.sendsAcknowledged
  }

  var owesAcknowledgement: Bool { Self.owesAcknowledgement(incident, channel, record.heard) }

  /// Whether the check that the last title was about is well: no rule fires for it any more. One that flaps has to be well for a while.
  private static func isRootOver(_ incident: Incident, _ heard: Heard, _ swings: Swings) -> Bool {
    guard let root = heard.root?.source, !swings.isSettling(root) else { return false }
    return !incident.members.contains { $0.isActive && $0.trouble.key.source == root }
  }

  /// Whether what a channel never heard of is worth a word once it is over: not what was too short, muted or acknowledged.
  private static func isWorthAWord(
    _ record: NotificationRecord, _ channel: AlertChannel, _ incident: Incident, _ settings: AlertSettings
  ) -> Bool {
    guard let held = record.held, !held.isMeant, !channel.keepsState else { return false }
    // An escalation is for what lasted, whatever held it besides.
    guard held == .wait || settings.escalation(to: channel.name) != nil else { return true }
    // It was due when the agent ended, or stood still.
    let own = incident.members.filter { isRouted($0, to: channel, settings.rules, record) }
    return incident.wasDue(own, to: channel.name, settings)
  }

  /// For a channel with `hide_targets`: without what says where its checks go.
  func withoutTargets() -> Draft {
    var bare = self
    bare.incident.hideTargets()
    for place in members.indices { bare.members[place].trouble.hideTarget() }
    return bare
  }

  /// Takes alerts out of an end that are silenced and that the channel was sent nothing of.
  mutating func leaveOutUnsent(_ isSilenced: (Trouble) -> Bool) {
    guard trigger == .resolved else { return }
    members.removeAll { !record.mayKnow($0.trouble.key) && isSilenced($0.trouble) }
  }

  /// Takes alerts out that the channel is not to hear of now.
  mutating func leaveOut(_ isLeftOut: (Trouble) -> Bool) {
    var out: Set<Trouble.Key> = []
    for member in members where fresh.contains(member.trouble.key) && isLeftOut(member.trouble) {
      out.insert(member.trouble.key)
    }
    guard !out.isEmpty else { return }
    fresh.subtract(out)
    isNarrowed = true
    members.removeAll { out.contains($0.trouble.key) && record.heard.alerts[$0.trouble.key] == nil }
    guard fresh.isEmpty, trigger == .rose || trigger == .joined else { return }
    // What is new is held. What the channel knows is not: it recovered, or it lasts.
    let (heard, left) = (record.heard, firing.filter { !out.contains($0.trouble.key) })
    let isKnown = left.contains { member in
      heard.alerts[member.trouble.key].map { $0.end == nil } ?? false
    }
    if let less = Self.lessening(incident, heard, left, swings) {
      trigger = less
    } else if isKnown {
      trigger = Self.repetition(incident, channel, heard, left, swings)
    }
  }
}

extension Draft {
  package var kind: AlertMessage.Kind {
    switch trigger {
    case .opened: .opened
    case .acknowledged: .acknowledged
    case .joined, .rose, .eased, .flapping, .rootRecovered, .reminder, .keepAlive: .update
    case .belowSeverity, .channelRemoved, .resolved, .past: .recovered
    }
  }

  package var firing: [Incident.Member] { members.filter(\.isActive) }

  /// It says more at a time that is no change of the incident: when a mute ends, or a check that flaps has been well for long enough.
  var isWaiting: Bool { isNarrowed || !swings.settling.isEmpty }

  /// Why the channel is not notified of the alerts that still fire, in words.
  var exclusion: String {
    let isBelow = incident.members.allSatisfy { !$0.isActive || $0.trouble.severity < channel.severity }
    return isBelow ? "below the severity of this channel" : "not routed to this channel"
  }

  /// When the last alert of the check that the last title was about recovered.
  var rootLeftAt: Instant? {
    guard let root = record.heard.root?.source else { return nil }
    return incident.members.lazy.filter { $0.trouble.key.source == root }.compactMap(\.leftAt).max()
  }

  /// Of what fires; of what is over, the highest that it had.
  package var severity: AlertSeverity {
    let shown = isOver ? members : firing
    return shown.map(\.trouble.severity).max() ?? record.heard.alerts.values.map(\.severity).max() ?? .low
  }

  /// It says that it is over, at least for this channel.
  package var isOver: Bool { kind == .recovered }

  /// Sent in the digest, and not by itself: what is of low severity, and what ended in quiet hours.
  var isForDigest: Bool {
    guard !channel.keepsState, trigger != .channelRemoved else { return false }
    // A channel that takes something more severe for firing hears at once that it recovered; low is repeated to none.
    let known = record.heard.isOver || trigger == .reminder ? nil : record.heard.severity
    return max(severity, known ?? .low) == .low || isOver && record.held == .quietHours
  }

  /// Words of the receiver that refused it as it is; `nil` where it may be sent.
  package var refusal: String? {
    guard let refused = record.refused, refused.isPlain, refused.heard == heard else { return nil }
    return refused.words
  }

  /// The notification on its way that says the same; `nil` where there is none.
  var unchanged: NotificationRecord.Sending? {
    record.sending.flatMap { $0.kind == kind && $0.heard == heard ? $0 : nil }
  }

  /// Failed attempts of it while the receiver could be reached.
  var failures: Int { unchanged?.failures ?? 0 }

  /// State of the incident that the receiver knows once it has the notification.
  package var heard: Heard {
    var heard = Heard()
    for member in members {
      let key = member.trouble.key
      let now = Heard.Alert(severity: member.trouble.severity, level: member.trouble.level, end: member.end)
      if member.isActive, !fresh.contains(key), let known = record.heard.alerts[key] {
        heard.alerts[key] = known.lowered(to: now)
      } else {
        heard.alerts[key] = now
      }
    }
    heard.root = Incident.root(of: firing)?.trouble.key
    heard.isAcknowledged = isStormAcknowledged ?? incident.isAcknowledged
    heard.isFlapping =
      firing.contains(where: swings.isOne) || record.heard.isFlapping && !swings.settling.isEmpty
    heard.isOver = isOver
    heard.opening = record.heard.opening ?? record.sending?.heard.opening ?? severity
    // Nothing of it is this channel's business any more: what it heard stays, as over.
    if heard.alerts.isEmpty { heard.alerts = record.heard.alerts }
    return heard
  }
}
