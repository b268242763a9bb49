// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The status of resources as their checks' last verdicts make it, against what the API was told. Pure.
struct ResourceRules {
  /// Checks by resource.
  private var checks: [UniqueID: [UniqueID]] = [:]
  private var resources: [UniqueID: UniqueID] = [:]
  /// Last verdicts of this life that say something.
  private var states: [UniqueID: CheckState] = [:]
  private var due: [UniqueID: (status: String, since: Instant)] = [:]

  static let patience: Duration = .seconds(600)

  mutating func apply(_ list: [MonitoringCheck], now: Instant) {
    (checks, resources) = ([:], [:])
    for check in list where check.plan.enabled {
      guard let resource = check.resourceID else { continue }
      checks[resource, default: []].append(check.id)
      resources[check.id] = resource
    }
    states = states.filter { resources[$0.key] != nil }
    due = due.filter { checks[$0.key] != nil }
    for resource in checks.keys { judge(resource, now) }
  }

  mutating func restarted() { (states, due) = ([:], [:]) }

  mutating func found(_ result: CheckResult, now: Instant) {
    guard let resource = resources[result.checkID], !result.maintenance, result.state != .unknown else {
      return
    }
    states[result.checkID] = result.state
    judge(resource, now)
  }

  private mutating func judge(_ resource: UniqueID, _ now: Instant) {
    let found = (checks[resource] ?? []).map { states[$0] }
    guard !found.contains(nil) else {
      due[resource] = nil
      return
    }
    let isDown = found.allSatisfy { $0 == .down }, isUp = found.allSatisfy { $0 == .up }
    let status = isDown ? "down" : isUp ? "up" : "degraded"
    if due[resource]?.status != status { due[resource] = (status, now) }
  }

  /// - Parameters:
  ///   - told: as the API has it.
  ///   - free: since then nothing has kept the agent from telling.
  func judge(_ told: [UniqueID: String], now: Instant, free: Instant) -> Violation.Found? {
    for (resource, one) in due.sorted(by: { $0.key < $1.key }) where told[resource] != one.status {
      let age = max(one.since, free).duration(to: now)
      guard age > Self.patience else { continue }
      return (
        .resources, "a resource is \(one.status) for \(age), and \(told[resource] ?? "nothing") in the API"
      )
    }
    return nil
  }
}
