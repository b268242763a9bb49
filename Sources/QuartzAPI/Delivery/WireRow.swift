// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A record as the `check_results` table takes it: the same keys in every row, whole milliseconds in digits.
package struct WireRow: Hashable, Sendable {
  package let record: DeliveryRecord
  /// Send the result's own message, not only its class.
  package let withMessage: Bool
  /// The ask of the apps that it answers.
  package var ask: UniqueID?

  package init(_ record: DeliveryRecord, withMessage: Bool, ask: UniqueID? = nil) {
    self.record = record
    self.withMessage = withMessage
    self.ask = ask
  }

  /// The nine columns; `agentFields` adds what only the quartz route knows.
  package func write(into json: inout JSONWriter, agentFields: Bool) {
    json.object { json in
      json.field("id", record.sentID.description)
      json.field("monitoring_check_id", record.checkID.description)
      json.field("status", record.status.rawValue)
      orNull("response_time_ms", responseTime, &json)
      orNull("status_code", record.statusCode, &json)
      orNull("error_message", errorMessage, &json)
      orNull("ssl_expiry_date", record.certificateNotAfter?.rfc3339, &json)
      orNull("ssl_days_remaining", daysRemaining, &json)
      json.field("checked_at", record.startedAt)
      guard agentFields else { return }
      json.field("scheduled_at", record.scheduledAt)
      json.field("trigger", record.trigger.rawValue)
      json.field("state", record.state.rawValue)
      json.field("reason", record.reason.rawValue)
      json.field("maintenance", record.flags.contains(.maintenance))
      json.field("traced", record.flags.contains(.traced))
      json.fieldIfPresent("owner_rev", record.ownerRevision)
      json.fieldIfPresent("ask_id", ask?.description)
    }
  }

  private func orNull(_ name: StaticString, _ value: Int?, _ json: inout JSONWriter) {
    json.key(name)
    if let value { json.integer(value) } else { json.null() }
  }

  private func orNull(_ name: StaticString, _ value: String?, _ json: inout JSONWriter) {
    json.key(name)
    if let value { json.string(value) } else { json.null() }
  }

  /// Rounded half up; the column has 32 bits, and `12.0` is refused like `12.5`.
  var responseTime: Int? {
    record.responseTime.map { Int(min(max(0, ($0.microseconds + 500) / 1000), Int64(Int32.max))) }
  }

  /// The reason's fixed word and the phase for whatever is not up. The message is a sentence about what a target or
  /// a resolver said: it leaves the machine only where the local file allows it.
  var errorMessage: String? {
    guard record.reason != .ok else { return nil }
    let kind = record.phase.map { "\(record.reason.rawValue) in \($0.rawValue)" } ?? record.reason.rawValue
    guard withMessage, let message = record.message else { return kind }
    return "\(record.reason.rawValue): \(message)".printable(maxBytes: 256)
  }

  /// Whole days left when the check ran, rounded down.
  var daysRemaining: Int? {
    record.certificateNotAfter.map { TLSFacts.wholeDays(from: record.startedAt, to: $0) }
  }
}

/// The agent that sends.
package struct Sender: Hashable, Sendable {
  package var name: String
  package var region: String?
  /// The group's place; `nil` when the agent is in no group.
  package var location: String?
  package var version: String

  package init(name: String, region: String?, location: String? = nil, version: String) {
    self.name = name
    self.location = location
    self.region = region
    self.version = version
  }
}
