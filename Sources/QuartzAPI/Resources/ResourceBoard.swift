// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The status of each resource, from the last verdicts of this agent's own checks: all down is down, one down or
/// degraded is degraded, else up. Pure.
///
/// A resource gets its first word once each of its checks has a verdict, so that a start makes no false alarm.
/// Unknown and maintenance change nothing.
package struct ResourceBoard: Hashable, Sendable {
  package struct Update: Hashable, Sendable {
    package var resource: UniqueID
    /// `up`, `degraded` or `down`.
    package var status: String
    package var checkedAt: Timestamp
  }

  private var checks: [UniqueID: [UniqueID]] = [:]
  private var resources: [UniqueID: UniqueID] = [:]
  private var states: [UniqueID: CheckState] = [:]
  private var checkedAt: [UniqueID: Timestamp] = [:]
  /// The last word the backend took.
  package private(set) var told: [UniqueID: String]

  /// - Parameter told: what an earlier run said.
  package init(told: [UniqueID: String] = [:]) { self.told = told }

  /// The checks in force; those without a resource say nothing.
  package mutating func apply(_ list: [MonitoringCheck]) {
    checks = [:]
    resources = [:]
    for check in list where check.plan.enabled {
      guard let resource = check.resourceID else { continue }
      checks[resource, default: []].append(check.id)
      resources[check.id] = resource
    }
    states = states.filter { resources[$0.key] != nil }
    checkedAt = checkedAt.filter { checks[$0.key] != nil }
    told = told.filter { checks[$0.key] != nil }
  }

  package mutating func note(_ result: CheckResult) {
    guard let resource = resources[result.checkID], !result.maintenance, result.state != .unknown else {
      return
    }
    states[result.checkID] = result.state
    checkedAt[resource] = max(checkedAt[resource] ?? result.startedAt, result.startedAt)
  }

  /// Status that the backend has not received yet, by resource.
  package var due: [Update] {
    checks.compactMap { resource, ids -> Update? in
      let states = ids.compactMap { self.states[$0] }
      guard states.count == ids.count, let at = checkedAt[resource] else { return nil }
      let status =
        if states.allSatisfy({ $0 == .down }) { "down" } else if states.allSatisfy({ $0 == .up }) {
          "up"
        } else { "degraded" }
      return told[resource] == status ? nil : Update(resource: resource, status: status, checkedAt: at)
    }.sorted { $0.resource < $1.resource }
  }

  /// Takes another agent's result of a check.
  package mutating func note(_ check: UniqueID, _ state: CheckState, at: Timestamp) {
    guard let resource = resources[check], state != .unknown else { return }
    states[check] = state
    checkedAt[resource] = max(checkedAt[resource] ?? at, at)
  }

  /// The status may have been changed since by another agent: everything is sent once more.
  package mutating func distrust() { told = [:] }

  /// A request is about to be made: until its answer is there either status may be the one that the backend has.
  ///
  /// - Returns: whether something else was known of it.
  package mutating func doubt(_ update: Update) -> Bool { told.removeValue(forKey: update.resource) != nil }

  package mutating func took(_ update: Update) { told[update.resource] = update.status }
}

extension ResourceBoard {
  /// The status that was sent, for the next run.
  func encoded(base: String) -> [UInt8] {
    // bounded: a reserve of memory for what is in memory
    var json = JSONWriter(reserving: 64 + told.count * 60)
    json.object { json in
      json.field("version", 1)
      json.field("from", base)
      json.key("told")
      json.object { json in
        for (resource, status) in told.sorted(by: { $0.key < $1.key }) {
          json.key(dynamic: resource.description)
          json.string(status)
        }
      }
    }
    return json.bytes
  }

  /// Nothing told for bytes that are another API's, damaged or absent: one request a resource says it again.
  init(restoring bytes: [UInt8]?, base: String) {
    self.init()
    guard let bytes, let json = try? JSONValue.parse(bytes), json["version"]?.integer == 1,
      json["from"]?.string == base, let members = json["told"]?.members
    else { return }
    for member in members {
      if let id = UniqueID(member.name), let status = member.value.string { told[id] = status }
    }
  }
}
