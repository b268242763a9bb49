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
  }

  package let id: UniqueID
  package let channel: AlertChannel
  package let kind: AlertMessage.Kind
  package let form: Form
  package let parts: [Draft]
  /// Of a mail, those who are to get it; `nil`: all.
  package let recipients: [String]?
  /// Without the channel's template: it was refused with it.
  package let isPlain: Bool
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
  case partly(String, remaining: [String])
  /// The receiver will not take what it says.
  case refused(String)
}
