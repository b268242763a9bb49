// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A notification that a channel took.
package struct SentNotification: Hashable, Sendable {
  package var at: Timestamp
  package var channel: String
  package var kind: AlertMessage.Kind
  package var title: String

  package init(at: Timestamp, channel: String, kind: AlertMessage.Kind, title: String) {
    (self.at, self.channel, self.kind, self.title) = (at, channel, kind, title)
  }
}

/// Notifications of an incident that are not kept any more.
package struct DroppedNotifications: Hashable, Sendable {
  package var count: Int
  /// When the latest of them was delivered.
  package var until: Timestamp

  package init(count: Int, until: Timestamp) { (self.count, self.until) = (count, until) }
}

extension Incident {
  /// Notifications that are kept.
  static let keptSent = 60

  /// Adds the latest notification that was delivered.
  mutating func note(_ notification: SentNotification) {
    sent.append(notification)
    trimSent(to: Self.keptSent)
  }

  /// Drops the oldest notifications, but keeps the first and the latest of each channel while there is room for them.
  mutating func trimSent(to limit: Int) {
    while sent.count > limit {
      let gone = sent.remove(at: mostDispensable)
      let count = min((dropped?.count ?? 0) + 1, 1_000_000)  // bounded: by the minimum
      dropped = DroppedNotifications(count: count, until: max(dropped?.until ?? gone.at, gone.at))
    }
  }

  /// The first one of all is kept in any case.
  private var mostDispensable: Int {
    var channels: Set<ByteText> = []
    for (place, one) in sent.enumerated() where !channels.insert(ByteText(one.channel)).inserted {
      // bounded: an index of the list
      if sent[(place + 1)...].contains(where: { $0.channel == one.channel }) { return place }
    }
    return 1
  }
}
