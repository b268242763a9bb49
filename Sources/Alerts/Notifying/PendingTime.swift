// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// How late a notification is, for people and metrics.
extension Notifier {
  /// How long a notification has been due without being delivered; `nil` before it is due, and where nothing is to be sent.
  package func overdue(
    _ decision: Decision, to channel: AlertChannel, _ context: NotifyContext
  ) -> Duration? {
    guard let late = decision.overdue(context) else { return nil }
    // An incident of a storm waits for the storm's next notification.
    let state = state(of: channel.name)
    guard case .fold(.storm, let draft) = decision, let last = state.storm?.lastAt else { return late }
    // The end of one incident, or its acknowledgement, may have to wait for the others of the storm.
    if draft.isOver || draft.trigger == .acknowledged, state.failures == 0 { return nil }
    let due = last + settings.groupInterval
    return due > context.now.boot ? nil : min(late, due.duration(to: context.now.boot))
  }
}

extension NotifyContext {
  /// When an incident in which nothing fires will be over; `nil` while something fires, and for a channel that does not take
  /// it for open.
  package func end(of incident: Incident, at channel: String) -> Timestamp? {
    guard incident.isOpen, let record = incident.log[channel], record.first != nil, !record.heard.isOver
    else {
      return nil
    }
    return incident.overAt(settings.groupWait, settings.flap).map(wall)
  }
}

extension Notifier.Decision {
  fileprivate func overdue(_ context: NotifyContext) -> Duration? {
    switch self {
    case .nothing, .fold(.nothing, _), .fold(.digest, _): nil
    case .hold(_, _, _, let draft), .fold(.storm, let draft), .send(let draft): draft.overdue(context)
    }
  }
}

extension Draft {
  fileprivate func overdue(_ context: NotifyContext) -> Duration? {
    guard let due, due <= context.now.boot else { return nil }
    // Waits are counted from the last notification: what is to be said may be younger.
    let since = max(due, arose(context) ?? due)
    return max(.zero, since.duration(to: context.now.boot))
  }

  /// When that became so which the channel does not know; `nil` where the wait is counted from it.
  private func arose(_ context: NotifyContext) -> Instant? {
    switch trigger {
    case .opened, .joined, .rose:
      firing.filter { fresh.contains($0.trouble.key) }.map { arose($0, context) }.min()
    case .eased: firing.compactMap(\.roseAt).max()
    case .flapping: firing.filter(\.isFlapping).map { arose($0, context) }.min()
    case .acknowledged:
      incident.acknowledged.map { context.now.boot - max(.zero, $0.at.duration(to: context.now.wall)) }
    case .resolved, .past: incident.overAt(context.settings.groupWait, context.settings.flap)
    case .rootRecovered, .belowSeverity, .channelRemoved, .reminder, .keepAlive: nil
    }
  }

  /// Of an alert that the channel takes for firing when its severity or level changed, of another one when it opened.
  private func arose(_ member: Incident.Member, _ context: NotifyContext) -> Instant {
    if let heard = record.heard.alerts[member.trouble.key], heard.end == nil, !record.heard.isOver,
      let roseAt = member.roseAt
    {
      return roseAt
    }
    return member.opened(by: context.now)
  }
}

extension Incident.Member {
  /// When it opened the last time; over a restart that is not known to the monotonic clock.
  func opened(by now: ClockReading) -> Instant {
    let opened = max(joined, trouble.since)
    return opens.last ?? now.boot - max(.zero, opened.duration(to: now.wall))
  }
}
