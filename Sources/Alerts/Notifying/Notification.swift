// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One notification for one channel, of one incident or of several; written down before it is sent.
package struct Notification: Sendable {
  package enum Form: Hashable, Sendable {
    /// Of one incident.
    case incident
    case digest
    /// Of several incidents that began and ended while the channel could not be reached.
    case past
    case storm(UniqueID, begin: Timestamp, firing: Int)
    /// Of a month or a week, and of no incident.
    case report(ReportSchedule, ReportSchedule.Due)
  }

  package let id: UniqueID
  package internal(set) var channel: AlertChannel
  package let kind: AlertMessage.Kind
  package let form: Form
  package internal(set) var parts: [Draft]
  /// Of a mail, those who are to get it; `nil`: all.
  package let recipients: [String]?
  /// Without the channel's template: it was refused with it, or is a report.
  package let isPlain: Bool
  /// Incidents that the next one is of, as one lists only so many.
  package internal(set) var rest = 0

  /// Incidents of a digest at most, so that each has its line; the others follow in another one.
  static let mostParts = 100

  func withoutTargets() -> Notification {
    var bare = self
    bare.parts = parts.map { $0.withoutTargets() }
    return bare
  }
}

/// Outcome of sending a notification.
package enum SendOutcome: Hashable, Sendable {
  package var isDelivered: Bool {
    switch self {
    case .delivered, .deliveredBut: true
    case .failed, .partly, .refused: false
    }
  }

  case delivered
  /// Taken, but not by all recipients: the others will never take it.
  case deliveredBut(String)
  /// To be tried again, after so long at least where the receiver says it.
  case failed(String, retryAfter: Duration? = nil, isUnreachable: Bool = false)
  /// Some recipients have it, these do not: it is tried again for them alone.
  ///
  /// - Parameters:
  ///   - refused: what was said of recipients that will never take it.
  ///   - isTaken: at least one recipient has it.
  case partly(String, remaining: [String], refused: String? = nil, isTaken: Bool = true)
  /// The receiver will not take what it says.
  case refused(String)
}

extension SendOutcome {
  /// The outcome for all recipients of a mail, of which this was another attempt for those that had not taken it.
  func joined(to earlier: NotificationRecord.Sending?) -> SendOutcome {
    guard let earlier, earlier.recipients != nil else { return self }
    func all(_ words: String?) -> String {
      [earlier.refused, words].compactMap(\.self).joined(separator: "; ").printable(maxBytes: Self.shown)
    }
    switch self {
    case .delivered: return earlier.refused.map { .deliveredBut($0) } ?? .delivered
    case .deliveredBut(let words): return .deliveredBut(all(words))
    case .refused(let words): return earlier.isTaken ? .deliveredBut(all(words)) : .refused(all(words))
    case .partly(let words, let remaining, let refused, let isTaken):
      let said = refused == nil ? earlier.refused : all(refused)
      return .partly(words, remaining: remaining, refused: said, isTaken: isTaken || earlier.isTaken)
    case .failed: return self
    }
  }

  /// Bytes of what receivers said that are kept.
  static let shown = 1000
}
