// SPDX-License-Identifier: MIT

import Basics

/// `alerts`: who is told of what, and when.
package struct AlertSettings: Hashable, Sendable {
  package var channels: [AlertChannel] = []
  /// Those of `AlertRule.defaults` where the file has none.
  package var rules: [AlertRule] = AlertRule.defaults
  package var quietHours: QuietHours?
  /// From one message on an incident that lasts to the next.
  package var remind: Duration = .seconds(4 * 3600)
  /// How long an incident may gather what belongs to it before it is told, and how long it must be over.
  package var groupWait: Duration = .seconds(15)
  /// Seconds since midnight at which what could wait is told, on the clock of `zone`.
  package var digest: Int64 = 8 * 3600
  package var zone: TimeZoneRules = .utc
  /// Where the status page is, for those who get a message.
  package var pageURL: String?

  package init() {}

  package static let remind: ClosedRange<Duration> = .seconds(60) ... .seconds(7 * 86_400)
  package static let groupWait: ClosedRange<Duration> = .zero ... .seconds(600)
}
