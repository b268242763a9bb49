// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// When a channel gets the first notification of an incident.
extension Incident {
  /// When the first of these alerts opened. One that opened more than once is as old as the incident: alerts that swing faster than
  /// `group_wait` are due all the same.
  func arose(_ members: [Member]) -> Instant {
    members.lazy.map { $0.openings == 1 ? $0.opens.last ?? openedAt : openedAt }.min() ?? openedAt
  }

  /// When the first notification of these alerts is due at a channel. Alerts that are not routed to it may be older: from the first
  /// one that is, related failures have `group_wait` to join it.
  func firstDue(_ members: [Member], to channel: String, _ settings: AlertSettings) -> Instant {
    max(openedAt + settings.wait(to: channel), arose(members) + settings.groupWait)
  }

  /// Whether these alerts, which are over, fired until the first notification of them was due.
  func wasDue(_ members: [Member], to channel: String, _ settings: AlertSettings) -> Bool {
    guard let quietAt, lasted > settings.wait(to: channel) else { return false }
    let end = members.lazy.map { $0.leftAt ?? quietAt }.max()
    return end.map { $0 > firstDue(members, to: channel, settings) } ?? false
  }
}

extension Draft {
  /// When the first of the alerts that fire opened, the last time that it did.
  var firingSince: Instant {
    firing.lazy.map { $0.opens.last ?? incident.openedAt }.min() ?? incident.openedAt
  }

  /// The first notification of the incident was held until now, and not for its time: by a mute, a window, quiet hours, and the like.
  var isLetGo: Bool { record.held.map { held in Stage.whether.contains { $0.name == held } } ?? false }
}
