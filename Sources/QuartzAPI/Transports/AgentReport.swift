// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// How the agent does, for the receiver's list of agents: sent with every batch, and in an empty one every minute.
package struct AgentReport: Hashable, Sendable {
  /// Results that wait for delivery.
  package var spoolDepth: Int?
  /// When the oldest of them was made.
  package var oldest: Timestamp?
  /// Results that gap records speak of: lost to a full ring, a full queue or damage, in the last 30 days.
  package var lost: Int?
  /// Slots of the first and the last of them, as far as known.
  package var lostFrom: Timestamp?
  package var lostTo: Timestamp?
  /// Changes whenever the list of checks does.
  package var configVersion: String?
  /// How late probes run.
  package var lag: Duration?
  /// Start of the process.
  package var started: Timestamp?
  /// Checks that are enabled here.
  package var checks: Int?

  package init() {}

  func write(into json: inout JSONWriter, now: Timestamp) {
    json.fieldIfPresent("spool_depth", spoolDepth)
    json.fieldIfPresent("oldest_s", oldest.map { max(0, $0.duration(to: now).components.seconds) })
    json.fieldIfPresent("lost", lost)
    json.fieldIfPresent("lost_from", lostFrom.map { Int($0.microseconds / 1_000_000) })
    json.fieldIfPresent("lost_to", lostTo.map { Int($0.microseconds / 1_000_000) })
    json.fieldIfPresent("config_version", configVersion)
    json.field("sent_at", now)
    json.fieldIfPresent("started_at", started?.rfc3339)
    json.fieldIfPresent("checks", checks)
    json.fieldIfPresent("lag_s", lag.map { max(0, $0.components.seconds) })
  }
}
