// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Whether a run says what its target gave, and puts a failure down to the uplink or to a parent where these fail, and
/// nowhere else. Pure.
struct CauseRules {
  /// Checks that tell whether the uplink works.
  private var canaries: [UniqueID] = []
  /// What each check depends on, through others too.
  private var ancestors: [UniqueID: [UniqueID]] = [:]
  /// Since then the list is as it is.
  private var changed = Instant(nanoseconds: 0)

  mutating func apply(_ checks: [MonitoringCheck], _ setup: AgentSetup, now: Instant) {
    changed = now
    let ids = Dictionary(checks.map { ($0.name, $0.id) }, uniquingKeysWith: { first, _ in first })
    canaries = setup.canaries.compactMap { ids[$0] }
    ancestors = [:]
    for check in checks {
      var name = check.name
      while let parent = setup.parents[name], let id = ids[parent] {
        ancestors[check.id, default: []].append(id)
        name = parent
      }
    }
  }

  /// - Parameter isCrowded: looks may have found no room, and that is not said.
  func judge(_ result: CheckResult, _ answers: GivenAnswers, isCrowded: Bool = false) -> Violation.Found? {
    guard let given = answers[result.checkID] else {
      return result.state == .unknown
        ? nil : (.given, "\(result.check) is \(result.state), and nothing was asked of its target")
    }
    let isSo =
      switch result.state {
      case .up, .degraded: given.answer == .works
      case .down: given.answer == .fails
      // A failure may have its cause elsewhere.
      case .unknown: given.answer != .works
      }
    let words = "\(result.check) is \(result.state) at \(result.scheduledAt), and its target"
    guard isSo else { return (.given, "\(words) \(given.answer.rawValue)") }
    guard given.answer == .fails, !given.isHeld, !isCrowded, changed < given.begun else {
      let isExcused = given.answer == .fails && result.state == .unknown
      return isExcused && canaries.isEmpty && ancestors[result.checkID] == nil
        ? (.given, "\(words) \(given.answer.rawValue)") : nil
    }
    let name = "\(result.check) at \(result.scheduledAt)"
    return judgeUplink(result, name, given, answers) ?? judgeParents(result, name, given, answers)
  }

  private func isExcusedByUplink(_ result: CheckResult) -> Bool {
    result.state == .unknown && result.reason != .dependency
  }

  private func judgeUplink(
    _ result: CheckResult, _ name: String, _ given: GivenAnswers.Given, _ answers: GivenAnswers
  ) -> Violation.Found? {
    guard !canaries.isEmpty, !canaries.contains(result.checkID) else {
      return isExcusedByUplink(result)
        ? (.cause, "\(name) is unknown although its target refuses and no canary is asked about it") : nil
    }
    if isExcusedByUplink(result) {
      // A machine that finds no path to a canary has no uplink either.
      let works = canaries.first { !answers.saw($0, since: given.begun, .fails, .nothing) }
      return works == nil
        ? nil : (.cause, "\(name) is put down to the uplink, and no look found that all canaries fail")
    }
    return canaries.contains { answers.saw($0, since: given.begun, .works) }
      ? nil : (.cause, "\(name) is called \(result.reason.rawValue), and no canary was seen to work")
  }

  private func judgeParents(
    _ result: CheckResult, _ name: String, _ given: GivenAnswers.Given, _ answers: GivenAnswers
  ) -> Violation.Found? {
    let parents = ancestors[result.checkID] ?? []
    if result.reason == .dependency {
      return parents.contains { answers.saw($0, since: given.begun, .fails) }
        ? nil : (.cause, "\(name) is put down to what it depends on, and nothing of that was down")
    }
    guard result.state == .down else { return nil }
    return parents.allSatisfy { answers.saw($0, since: given.begun, .works, .nothing) }
      ? nil : (.cause, "\(name) is called down, and what it depends on was not looked at")
  }
}
