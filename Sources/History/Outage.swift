// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// An unbroken stretch of time in which a check was down outside maintenance, by the same arithmetic as the windows:
/// all outages of a window add up to its down time.
///
/// It begins at the slot of the first result that was down and ends at the slot of the first verdict that is another,
/// or where the last one's hold ends when none followed in time: time without a verdict is never down.
package struct Outage: Hashable, Sendable {
  package var begin: Timestamp
  /// `nil` while it lasts: the newest verdict is down, and not stale.
  package var end: Timestamp?
  /// Up to where its verdicts hold: the end, or, while it lasts, as far as is known; never after the picture's instant.
  package var heldUntil: Timestamp
  /// Of the first result.
  package var reason: Reason
  package var phase: Phase?
  /// Of the first result and of the last, cut to `maxMessage` bytes.
  package var firstMessage: String?
  package var lastMessage: String?
  /// Results that were down; slots that a run spanned are none.
  package var results: Int
  /// Outages that this one followed closely and that are not kept any more; `nil` without any, and of all but the oldest.
  package var earlier: EarlierOutages?

  /// Shortest time between two outages that are told apart.
  package static let gap: Duration = .seconds(1800)
  /// Bytes of a message that are kept.
  package static let maxMessage = 256
  /// Outages of a check that are kept, the latest; fewer where there are more than 500 checks.
  package static let limit = 64
  /// Of all checks together.
  static let limitOfAll = 32_000

  package init(
    begin: Timestamp, end: Timestamp?, heldUntil: Timestamp, reason: Reason, phase: Phase? = nil,
    firstMessage: String? = nil, lastMessage: String? = nil, results: Int = 1
  ) {
    (self.begin, self.end, self.heldUntil) = (begin, end, heldUntil)
    (self.reason, self.phase, self.results) = (reason, phase, results)
    (self.firstMessage, self.lastMessage) = (firstMessage, lastMessage)
  }

  package var isOver: Bool { end != nil }

  /// Message of the last result where it is another than that of the first, to which the reason belongs.
  package var otherLastMessage: String? { lastMessage == firstMessage ? nil : lastMessage }

  /// Reason and message of the first result, and the message of the last where it is another.
  package var why: String {
    let first = [reason.rawValue, firstMessage].compactMap(\.self).joined(separator: ": ")
    return otherLastMessage.map { "\(first); at last: \($0)" } ?? first
  }

  /// How long it took, or has lasted so far; never below zero.
  package func duration(now: Timestamp) -> Duration {
    max(.zero, begin.duration(to: min(end ?? heldUntil, now)))
  }

  /// How many are kept of each of so many checks.
  package static func limit(checks: Int) -> Int { min(limit, max(2, limitOfAll / max(1, checks))) }
}
