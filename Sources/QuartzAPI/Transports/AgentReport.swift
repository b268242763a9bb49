// SPDX-License-Identifier: MIT

import Monitoring

/// How the agent does, for the receiver's list of agents: sent with every batch, and in an empty one every minute.
package struct AgentReport: Hashable, Sendable {
  /// Results that wait for delivery.
  package var spoolDepth: Int?
  /// When the oldest of them was made.
  package var oldest: Timestamp?
  /// Changes whenever the list of checks does.
  package var configVersion: String?
  /// How late probes run.
  package var lag: Duration?

  package init() {}

  func write(into json: inout JSONWriter, now: Timestamp) {
    json.fieldIfPresent("spool_depth", spoolDepth)
    json.fieldIfPresent("oldest_s", oldest.map { max(0, $0.duration(to: now).components.seconds) })
    json.fieldIfPresent("config_version", configVersion)
    json.fieldIfPresent("lag_s", lag.map { max(0, $0.components.seconds) })
  }
}
