// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Where an alert stands with the Quartz apps, with `alerts.app: fallback`.
package enum AppStanding: Hashable, Sendable {
  /// They do not have it: local channels notify.
  case none
  case shown
  /// They have until then to show it.
  case awaited(Instant)
}

/// A stage's decision on a draft.
package enum StageRuling: Hashable, Sendable {
  case pass
  /// In words, and until when where that is known.
  case hold(String, until: Timestamp?)
  /// It is told of by another notification.
  case fold(Fold)

  package enum Fold: Hashable, Sendable { case storm, digest, nothing }
}

/// Facts about the rest of the agent that the stages use.
package struct NotifyContext {
  package var now: ClockReading
  package var settings: AlertSettings
  /// Until when an alert's check is muted, or in maintenance; `nil` when it is not.
  package var mutedUntil: (Trouble) -> Timestamp? = { _ in nil }
  package var maintenanceUntil: (Trouble) -> Timestamp? = { _ in nil }
  /// Deadline for the first result of an alert's check since the start; `nil` when there is one.
  package var confirmedBy: (Trouble) -> Instant? = { _ in nil }
  /// The check that an alert's check fails with; `nil` when it fails by itself.
  package var failsWith: (Trouble) -> String? = { _ in nil }
  /// The way to an alert's target is being looked at.
  package var isLookedAt: (Trouble) -> Bool = { _ in false }
  /// Whether the Quartz apps notify of an alert; see `alerts.app`.
  package var inApps: (Incident.Member) -> AppStanding = { _ in .none }
  /// Whether the apps can have a check at all.
  package var isInApps: (UniqueID) -> Bool = { _ in true }
  /// Why another agent of the group notifies of an incident, or why this one may not yet; `nil` when this agent does.
  package var heldByGroup: (Incident) -> String? = { _ in nil }

  /// Why no report by schedule may be sent from here now; `nil` where one may.
  var reportsHeld: String?

  package init(now: ClockReading, settings: AlertSettings) { (self.now, self.settings) = (now, settings) }

  var quietEnd: Timestamp? { settings.quietHours?.end(at: now.wall) }

  /// When the first of the mutes, or windows, of these alerts ends; `nil` where one of them has none.
  func end(of firing: [Incident.Member], by until: (Trouble) -> Timestamp?) -> Timestamp? {
    let ends = firing.map { until($0.trouble) }
    return ends.contains(nil) ? nil : ends.compactMap(\.self).min()
  }

  /// Whether quiet hours hold a notification of this severity. Receivers that keep state are held their first alone.
  func isQuiet(_ severity: AlertSeverity, for channel: AlertChannel, isFirst: Bool) -> Bool {
    guard let hours = settings.quietHours, quietEnd != nil else { return false }
    return severity < hours.except && (isFirst || !channel.keepsState)
  }

  /// When the next digest is sent: at its time of day or at the end of quiet hours, whichever is first, and not in quiet
  /// hours that hold it.
  ///
  /// - Parameter isDue: it was due already, and is held.
  func digestTime(_ severity: AlertSeverity, isDue: Bool) -> Timestamp {
    let daily = isDue ? now.wall : settings.nextDigest(after: now.wall)
    guard let hours = settings.quietHours else { return daily }
    let first = hours.nextEnd(after: now.wall).map { min(daily, $0) } ?? daily
    return severity < hours.except ? hours.end(at: first) ?? first : first
  }

  /// When an instant is by the wall clock, for people.
  func wall(_ instant: Instant) -> Timestamp { now.wall.advanced(by: now.boot.duration(to: instant)) }
}

/// One stage: it looks at a draft and lets it pass, perhaps narrower, or holds it and says why.
struct Stage: Sendable {
  let name: NotifyStage
  let judge: @Sendable (inout Draft, NotifyContext, ChannelState) -> StageRuling

  /// In the order in which a draft goes through them.
  static let all: [Stage] = [
    maintenance, dependency, mute, acknowledge, app, severity, quietHours, groupShare, wait, pathLook, storm,
    deduplicate, pace, send, retry,
  ]

  /// Those that leave alerts out.
  static let narrowing = [maintenance, dependency, mute, acknowledge, app]

  /// Stages that decide whether a channel gets an incident at all, and not when.
  static let whether = all.prefix { $0.name != .wait }

  /// Stages of one incident, without those of what is sent besides.
  static let byItself = all.prefix { $0.name != .storm }
}

// What leaves alerts out that are not to be notified of now, and holds a draft that has none left.
extension Stage {
  static let maintenance = Stage(name: .maintenance) { draft, context, _ in
    draft.leaveOutUnsent { context.maintenanceUntil($0) != nil }
    let ruling = narrow(&draft, context, context.maintenanceUntil) { _ in "in maintenance" }
    // A check that is probed rarely has no result in the window yet.
    return silenced(draft, ruling, context, context.maintenanceUntil, "in maintenance")
  }

  static let dependency = Stage(name: .dependency) { draft, context, _ in
    var parent: String?
    return narrow(&draft, context) { trouble in
      parent = context.failsWith(trouble) ?? parent
      return context.failsWith(trouble) == nil ? nil : .epoch
    } words: { _ in
      "fails with \(parent ?? "what it depends on")"
    }
  }

  static let mute = Stage(name: .mute) { draft, context, _ in
    draft.leaveOutUnsent { context.mutedUntil($0) != nil }
    let ruling = narrow(&draft, context, context.mutedUntil) { _ in "muted" }
    return silenced(draft, ruling, context, context.mutedUntil, "muted")
  }

  /// Where all that fires is silenced nothing is repeated. A receiver that forgets is held nothing but its first trigger.
  private static func silenced(
    _ draft: Draft, _ ruling: StageRuling, _ context: NotifyContext, _ until: (Trouble) -> Timestamp?,
    _ words: String
  ) -> StageRuling {
    guard ruling == .pass, draft.trigger.isRepetition, draft.channel.keepAlive == nil,
      let end = context.end(of: draft.firing, by: until)
    else { return ruling }
    return .hold(words, until: end)
  }

  /// An acknowledged incident is not notified again before it is resolved, unless it has a new alert or got worse.
  static let acknowledge = Stage(name: .acknowledge) { draft, context, _ in
    let (incident, words) = (draft.incident, "acknowledged by \(draft.incident.acknowledged?.by ?? "")")
    // A receiver that forgets is held nothing but its first trigger: while another one is due, none is repeated.
    let forgets = draft.channel.keepAlive != nil
    let held = StageRuling.hold(words, until: nil)
    var ruling = !forgets && repeatsAcknowledged(draft, context) ? held : .pass
    if ruling == .pass {
      ruling = narrow(&draft, context, holdsUpdates: !forgets) {
        incident.isAcknowledged($0) ? .epoch : nil
      } words: { _ in
        words
      }
      // What is new was left out.
      if ruling == .pass, !forgets, repeatsAcknowledged(draft, context) { ruling = held }
    }
    guard case .hold = ruling, draft.owesAcknowledgement else { return ruling }
    draft.trigger = .acknowledged
    return .pass
  }

  /// It repeats alerts of which each is acknowledged, or muted.
  private static func repeatsAcknowledged(_ draft: Draft, _ context: NotifyContext) -> Bool {
    let incident = draft.incident
    guard draft.trigger.isRepetition else {
      return draft.trigger == .rootRecovered && incident.isAcknowledged
    }
    let firing = draft.firing.map(\.trouble)
    return firing.contains(where: incident.isAcknowledged)
      && firing.allSatisfy { incident.isAcknowledged($0) || context.mutedUntil($0) != nil }
  }

  /// With `alerts.app: fallback` the apps notify of what they show; local channels of what they do not show in time, and of its
  /// end.
  static let app = Stage(name: .app) { draft, context, _ in
    guard context.settings.app == .fallback else { return .pass }
    let standing = Dictionary(
      draft.firing.map { ($0.trouble.key, context.inApps($0)) }, uniquingKeysWith: { first, _ in first })
    let ruling = narrow(&draft, context) { trouble in
      switch standing[trouble.key] ?? .none {
      case .none: nil
      case .shown: .epoch
      case .awaited(let due): context.wall(due)
      }
    } words: { end in
      end == .epoch ? shownInApps : "waiting for the Quartz apps to show it"
    }
    guard ruling == .pass, draft.trigger.isRepetition, draft.channel.keepAlive == nil,
      draft.firing.allSatisfy({ standing[$0.trouble.key] == .shown })
    else { return ruling }
    return .hold(shownInApps, until: nil)
  }

  private static let shownInApps = "the Quartz apps notify of it"

  /// Receivers that keep state are held nothing but their first trigger.
  ///
  /// - Parameter holdsUpdates: later ones as well.
  private static func narrow(
    _ draft: inout Draft, _ context: NotifyContext, holdsUpdates: Bool = false,
    _ until: (Trouble) -> Timestamp?, words: (Timestamp) -> String
  ) -> StageRuling {
    guard !draft.fresh.isEmpty, !draft.isOver,
      !draft.channel.keepsState || holdsUpdates || draft.trigger == .opened
    else { return .pass }
    let trigger = draft.trigger
    var last: Timestamp?
    draft.leaveOut { trouble in
      guard let end = until(trouble) else { return false }
      last = max(last ?? end, end)
      return true
    }
    guard draft.fresh.isEmpty, let last else { return .pass }
    switch draft.trigger {
    case .opened, .joined, .rose: break
    // What the channel knows is repeated when that is due: until then the news is what waits.
    case .reminder where !isReminderDue(draft, context): draft.trigger = trigger
    // What it says besides is said all the same.
    default: return .pass
    }
    return .hold(words(last), until: last == .epoch ? nil : last)
  }

  private static func isReminderDue(_ draft: Draft, _ context: NotifyContext) -> Bool {
    draft.channel.updates && !draft.isForDigest && start(draft) + context.settings.remind <= context.now.boot
  }
}

// Who is notified, and when in the day.
extension Stage {
  static let severity = Stage(name: .severity) { draft, context, state in
    // Nor is it announced to a channel that gets none.
    if draft.trigger == .reminder, !draft.channel.updates { return .fold(.nothing) }
    guard draft.isForDigest, !escalatesLater(draft, context) else { return .pass }
    if draft.trigger == .reminder { return .fold(.nothing) }
    if state.isDigestDue, !isQuiet(draft, context) {
      // One digest a group.
      return context.heldByGroup(draft.incident).map { .hold($0, until: nil) } ?? .fold(.digest)
    }
    let why = draft.severity == .low ? "of low severity" : "resolved in quiet hours"
    return .hold(
      "\(why): in the next digest", until: context.digestTime(draft.severity, isDue: state.isDigestDue))
  }

  /// It is not the channel's yet, and may never be: no digest has it before it escalates.
  private static func escalatesLater(_ draft: Draft, _ context: NotifyContext) -> Bool {
    let (incident, channel, settings) = (draft.incident, draft.channel.name, context.settings)
    return draft.trigger == .opened && settings.escalation(to: channel) != nil
      && incident.firstDue(draft.members, to: channel, settings) > context.now.boot
  }

  static let quietHours = Stage(name: .quietHours) { draft, context, _ in
    guard isQuiet(draft, context), let end = context.quietEnd else { return .pass }
    return .hold("quiet hours", until: end)
  }

  /// The end, or the easing, of what a channel takes for more severe is as urgent as that was; a repetition is as urgent as what
  /// fires.
  private static func isQuiet(_ draft: Draft, _ context: NotifyContext) -> Bool {
    guard draft.trigger != .channelRemoved else { return false }
    let heard = draft.record.heard
    let isLess = !heard.isOver && ![.reminder, .keepAlive, .flapping].contains(draft.trigger)
    let severity = max(draft.severity, isLess ? heard.severity ?? .low : .low)
    return context.isQuiet(severity, for: draft.channel, isFirst: draft.trigger == .opened)
  }

  static let groupShare = Stage(name: .groupShare) { draft, context, _ in
    context.heldByGroup(draft.incident).map { .hold($0, until: nil) } ?? .pass
  }
}

// When.
extension Stage {
  static let wait = Stage(name: .wait) { draft, context, _ in
    let (span, what) = length(draft, context.settings)
    let isFirst = draft.trigger == .opened && !draft.record.mayBeKnown
    let due =
      isFirst
      ? draft.incident.firstDue(draft.members, to: draft.channel.name, context.settings)
      : max(start(draft) + span, calm(draft, context.settings.flap))
    draft.due = due
    guard due <= context.now.boot else { return .hold(what, until: context.wall(due)) }
    // A notification that was being sent may have arrived: it is repeated unchanged.
    guard [.opened, .reminder, .rootRecovered].contains(draft.trigger), draft.record.sending == nil,
      let limit = unconfirmed(draft, context)
    else { return .pass }
    return .hold("no result since the agent started", until: context.wall(limit))
  }

  /// Deadline of a draft none of whose alerts has had a result since the start; `nil` when one has.
  private static func unconfirmed(_ draft: Draft, _ context: NotifyContext) -> Instant? {
    let limits = draft.firing.map { context.confirmedBy($0.trouble) }
    return limits.contains(nil) ? nil : limits.compactMap(\.self).min()
  }

  private static func start(_ draft: Draft) -> Instant {
    switch draft.trigger {
    case .opened: draft.incident.openedAt
    case .belowSeverity: draft.members.compactMap(\.leftAt).max() ?? draft.incident.openedAt
    // What failed with it has the time to be found.
    case .rootRecovered:
      max(draft.rootLeftAt ?? draft.incident.openedAt, draft.record.lastAt ?? draft.incident.openedAt)
    default: draft.record.lastAt ?? draft.incident.openedAt
    }
  }

  /// When alerts of checks that flap have been well for long enough, so that their end is no swing.
  private static func calm(_ draft: Draft, _ flap: FlapSettings) -> Instant {
    let root = draft.record.heard.root?.source
    let left =
      switch draft.trigger {
      case .belowSeverity: draft.members
      case .rootRecovered: draft.incident.members.filter { $0.trouble.key.source == root }
      default: [Incident.Member]()
      }
    return draft.swings.calm(left, flap) ?? draft.incident.openedAt
  }

  private static func length(_ draft: Draft, _ settings: AlertSettings) -> (Duration, String) {
    switch draft.trigger {
    case .opened:
      let escalates = settings.escalation(to: draft.channel.name) != nil
      let words = escalates ? "escalates to this channel" : "waits for related failures: group_wait"
      return (settings.wait(to: draft.channel.name), words)
    case .joined, .flapping, .rootRecovered:
      return (settings.groupInterval, "gathers changes: group_interval")
    case .belowSeverity: return (settings.groupWait, "waits for a relapse: group_wait")
    case .reminder: return (settings.remind, "reminder")
    case .keepAlive: return (draft.channel.keepAlive ?? settings.remind, "keep-alive")
    case .rose, .eased, .acknowledged, .channelRemoved, .resolved, .past: return (.zero, "")
    }
  }

  /// A first notification waits so long for a look at the way to the target.
  private static let longestLook: Duration = .seconds(10)

  static let pathLook = Stage(name: .pathLook) { draft, context, _ in
    guard draft.trigger == .opened, let due = draft.due, due + longestLook > context.now.boot,
      draft.firing.contains(where: { context.isLookedAt($0.trouble) })
    else { return .pass }
    return .hold("the path to the target is being traced", until: context.wall(due + longestLook))
  }

  static let storm = Stage(name: .storm) { draft, _, state in
    state.storm?.incidents.contains(draft.incident.id) == true ? .fold(.storm) : .pass
  }

  /// Drops updates that the channel has already, that it does not want, and that it refused as they are.
  static let deduplicate = Stage(name: .deduplicate) { draft, _, _ in
    let channel = draft.channel
    if draft.isOver, !channel.sendsRecovered, !channel.keepsState { return .fold(.nothing) }
    return draft.refusal.map { .hold($0, until: nil) } ?? .pass
  }

  private static let onePer: Duration = .seconds(1)

  static let pace = Stage(name: .pace) { _, context, state in
    // That one is still being sent says more.
    guard !state.isBusy, let last = state.lastSent, last + onePer > context.now.boot else { return .pass }
    return .hold("one notification a second", until: context.wall(last + onePer))
  }

  static let send = Stage(name: .send) { draft, _, state in
    guard let sending = state.sending else { return .pass }
    let isOwn = draft.record.sending?.id == sending
    return .hold(isOwn ? "it is being sent" : "another notification is being sent", until: nil)
  }

  static let retry = Stage(name: .retry) { draft, context, state in
    let (channel, own) = (state.retryTime(isTried: draft.unchanged != nil), draft.unchanged?.retryAt)
    let times = [channel, own].compactMap(\.self)
    guard let next = times.max(), next > context.now.boot else { return .pass }
    return .hold("the last attempt failed: \(state.problem ?? "no answer")", until: context.wall(next))
  }
}
