// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// A resource as its checks show it, by the backend's rule: down when every check fails, degraded when any fails or
/// warns, else up.
///
/// A check fails once `failure_threshold` results in a row were down; before that it counts as it was, up. Checks that
/// say nothing about the target are left out: those that are unknown, disabled or in maintenance.
package struct ResourceStatus: Hashable, Sendable {
  package var id: UniqueID
  /// Unknown when no check says anything.
  package var state: CheckState
  /// Names of its enabled checks, in the order of the configuration.
  package var checks: [String]
  /// Names of the checks that fail or warn.
  package var failing: [String]
  /// The latest run of its checks.
  package var lastChecked: Timestamp?
}

extension StatusSnapshot {
  /// In the order in which the configuration first names them.
  package var resources: [ResourceStatus] {
    var order: [UniqueID] = []
    var members: [UniqueID: [CheckStatus]] = [:]
    for check in checks where check.enabled {
      guard let resource = check.resourceID else { continue }
      if members[resource] == nil { order.append(resource) }
      members[resource, default: []].append(check)
    }
    return order.map { ResourceStatus(id: $0, checks: members[$0] ?? []) }
  }
}

extension ResourceStatus {
  fileprivate init(id: UniqueID, checks all: [CheckStatus]) {
    self.id = id
    checks = all.map(\.name)
    lastChecked = all.compactMap { $0.last?.startedAt }.max()
    let heard = all.filter { $0.state != .unknown && $0.maintenance == nil && $0.last?.maintenance != true }
    let down = heard.filter(\.isFailing)
    let warned = heard.filter { $0.isFailing || $0.state == .degraded }
    failing = warned.map(\.name)
    if heard.isEmpty {
      state = .unknown
    } else if down.count == heard.count {
      state = .down
    } else {
      state = warned.isEmpty ? .up : .degraded
    }
  }

  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("id", id.description)
      json.field("state", state.rawValue)
      json.fieldIfPresent("last_checked_at", lastChecked)
      json.key("checks")
      json.array { json in checks.forEach { json.string($0) } }
      json.key("failing")
      json.array { json in failing.forEach { json.string($0) } }
    }
  }
}
