// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// More incidents at once than a channel is to have notifications of: they are one for it, from the first notification to
/// the last, and none of them is sent by itself.
package struct Storm: Hashable, Sendable {
  package let id: UniqueID
  package let begin: Timestamp
  let beganAt: Instant
  /// Those that it tells of, and whether the channel has heard that one is over.
  package internal(set) var incidents: Set<UniqueID> = []
  package internal(set) var heard: [UniqueID: Bool] = [:]
  var last: Timestamp?
  var lastAt: Instant?
  /// A notification that was written down before it was sent.
  var sending: NotificationRecord.Sending?

  /// Incidents that a channel gets one by one.
  package static let limit = 10

  init(id: UniqueID, begin: Timestamp, at instant: Instant) {
    (self.id, self.begin, beganAt) = (id, begin, instant)
  }

  var isTold: Bool { lastAt != nil }

  /// The notification due now. `nil` where there is none yet.
  ///
  /// - Parameter incidents: its own, as they are.
  func kind(_ own: [Incident], _ channel: AlertChannel, _ settings: AlertSettings, at now: Instant)
    -> AlertMessage.Kind?
  {
    let firing = own.count { $0.activeCount > 0 || $0.isOpen }
    guard let lastAt else {
      // One that may be over is not begun.
      guard own.contains(where: { $0.activeCount > 0 }) else { return nil }
      let first = own.map(\.openedAt).min() ?? beganAt
      return first + settings.groupWait <= now ? .opened : nil
    }
    if firing == 0 { return .recovered }
    let isQuiet = own.allSatisfy { $0.activeCount == 0 }
    // Nothing fires, and nothing is over yet: the end is the next notification.
    if isQuiet, channel.keepAlive.map({ lastAt + $0 > now }) ?? true { return nil }
    guard lastAt + settings.groupInterval <= now else { return nil }
    if firing <= Self.limit { return .recovered }
    if own.contains(where: { heard[$0.id] != !$0.isOpen }) { return .update }
    guard channel.updates || channel.keepAlive != nil else { return nil }
    let rest = channel.keepAlive ?? settings.remind
    return lastAt + rest <= now ? .update : nil
  }
}
