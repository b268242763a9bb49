// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A receiver's knowledge of one incident.
package struct Heard: Hashable, Sendable {
  package struct Alert: Hashable, Sendable {
    package var severity: AlertSeverity
    package var level: Int
    /// `nil` while the receiver takes it for firing.
    package var end: TroubleEnd?

    package init(severity: AlertSeverity, level: Int, end: TroubleEnd? = nil) {
      (self.severity, self.level, self.end) = (severity, level, end)
    }

    /// The receiver is told of a fall, and not of a rise that is held.
    func lowered(to now: Alert) -> Alert {
      Alert(severity: min(severity, now.severity), level: min(level, now.level), end: now.end)
    }
  }

  package var alerts: [Trouble.Key: Alert] = [:]
  /// The alert that the last title was about.
  package var root: Trouble.Key?
  package var isAcknowledged = false
  package var isFlapping = false
  /// The severity of the first notification.
  package var opening: AlertSeverity?
  /// The receiver takes the incident for resolved.
  package var isOver = false

  package init() {}

  package var isEmpty: Bool { alerts.isEmpty }

  /// Highest severity of what the receiver takes for firing; `nil` when that is nothing.
  package var severity: AlertSeverity? { alerts.values.filter { $0.end == nil }.map(\.severity).max() }
}

/// The notification log's entry of one incident and one channel: the last notification that was sent, and the one on
/// its way.
///
/// The next notification is the difference between the incident as it is and `heard`, so that nothing queues up: a
/// receiver that was away for a day has one difference an incident.
package struct NotificationRecord: Hashable, Sendable {
  /// A notification that was written down before it was sent, and whose answer is not known yet.
  package struct Sending: Hashable, Sendable {
    /// The same when it is sent again.
    package var id: UniqueID
    package var kind: AlertMessage.Kind
    /// State of the incident that the receiver knows once it has the notification.
    package var heard: Heard
    /// Of a mail, the recipients who do not have it yet; `nil`: all.
    package var recipients: [String]?
    /// Of those `recipients` that are left: whether another has it, and what was said of those that will never take it.
    package var isTaken = true
    package var refused: String?
    /// Failed attempts of this notification while the receiver could be reached, and the time of the next one where only some
    /// recipients are left; a restart begins with none.
    var failures = 0
    var retryAt: Instant?

    package init(id: UniqueID, kind: AlertMessage.Kind, heard: Heard, recipients: [String]? = nil) {
      (self.id, self.kind, self.heard, self.recipients) = (id, kind, heard, recipients)
    }

    /// An attempt failed, and not because the receiver could not be reached.
    mutating func fail() { failures = min(failures + 1, 1000) }  // bounded: by the minimum

    /// Only some recipients took it: the others are tried again after a back-off of their own.
    mutating func postpone(at now: Instant) {
      fail()
      retryAt = now + ChannelState.pause(after: failures, id: id)
    }
  }

  /// A notification that the receiver will not take.
  package struct Refusal: Hashable, Sendable {
    package var heard: Heard
    /// The receiver's.
    package var words: String
    /// It was tried without the channel's template.
    package var isPlain: Bool
  }

  /// The end was not sent: the receiver is not configured any more.
  package struct LeftOpen: Hashable, Sendable {
    /// Where to, without secrets; empty where it is not known any more.
    package var target: String
    package var at: Timestamp

    package init(target: String, at: Timestamp) { (self.target, self.at) = (target, at) }

    package var place: String { target.isEmpty ? "its receiver" : target }
  }

  package var heard = Heard()
  /// First and last delivery.
  package var first: Timestamp?
  package var last: Timestamp?
  package var lastAt: Instant?
  /// Deliveries so far. Members of a group tell by it which of two records is the newer: their clocks may differ.
  package var deliveries = 0
  /// The receiver takes the incident for open, and no notification reaches it any more; `nil` otherwise.
  package var leftOpen: LeftOpen?
  package var sending: Sending?
  /// Of the last delivery, recipients that will never have it, in the server's words; `nil` when all have it.
  package var missing: String?
  package var refused: Refusal?
  /// The storm that told of it; `nil` when it was sent by itself.
  package var storm: UniqueID?
  /// Why a first notification that was due was held: what of it is worth a word when the incident is over before it is sent.
  package var held: NotifyStage?

  package init() {}

  /// Deliveries that are counted.
  static let most: Int64 = 1_000_000

  /// The receiver has it, or may have it.
  package var mayBeKnown: Bool { !heard.isEmpty || sending != nil }

  /// The receiver was sent this alert.
  func mayKnow(_ alert: Trouble.Key) -> Bool {
    heard.alerts[alert] != nil || sending?.heard.alerts[alert] != nil
  }

  /// The receiver may take the incident for open.
  var isOwedEnd: Bool { mayBeKnown && !heard.isOver && leftOpen == nil }

  /// The entry of another receiver under the same channel name, which has heard nothing.
  var successor: NotificationRecord {
    var next = NotificationRecord()
    next.deliveries = min(deliveries + 1, Int(Self.most))  // bounded: by the minimum
    return next
  }

  mutating func deliver(_ heard: Heard, at now: ClockReading, missing: String? = nil) {
    (self.heard, self.missing) = (heard, missing)
    deliveries = min(deliveries + 1, Int(Self.most))  // bounded: by the minimum
    (first, last, lastAt) = (first ?? now.wall, now.wall, now.boot)
    (sending, refused, held) = (nil, nil, nil)
  }
}

/// Stages of a notification, in this order; each may hold it, and says why.
package enum NotifyStage: String, CaseIterable, Hashable, Sendable {
  case maintenance, dependency, mute, acknowledge, app, severity
  case quietHours = "quiet_hours"
  case groupShare = "group_share"
  case wait
  case pathLook = "path_look"
  case storm, deduplicate, pace, send, retry

  package var words: String { rawValue.replacing("_", with: " ") }

  /// It is silence by intent, or another's to break: once an incident that it held is over, nothing is sent of it.
  var isMeant: Bool {
    switch self {
    case .maintenance, .dependency, .mute, .acknowledge, .app, .groupShare: true
    case .severity, .quietHours, .wait, .pathLook, .storm, .deduplicate, .pace, .send, .retry: false
    }
  }
}
