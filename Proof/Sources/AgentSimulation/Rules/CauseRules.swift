// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Whether a run says what its target gave, and puts a failure down to the uplink or to a parent where these fail, and
/// nowhere else. Pure.
struct CauseRules {
  private struct Seen {
    let state: CheckState
    let at: Instant
  }

  /// Checks that tell whether the uplink works.
  private var canaries: [UniqueID] = []
  /// What each check depends on, through others too.
  private var ancestors: [UniqueID: [UniqueID]] = [:]
  /// Since then the list is as it is.
  private var changed = Instant(nanoseconds: 0)
  /// Of the schedule's runs, the last ones of each check, oldest first.
  private var seen: [UniqueID: [Seen]] = [:]
  private var born = Instant(nanoseconds: 0)

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

  mutating func restarted(now: Instant) { born = now }

  /// - Parameter isCrowded: looks may have found no room, and that is not said.
  mutating func judge(
    _ result: CheckResult, _ answers: GivenAnswers, isCrowded: Bool = false, now: Instant
  ) -> Violation.Found? {
    defer { note(result, now) }
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

  private mutating func note(_ result: CheckResult, _ now: Instant) {
    seen[result.checkID, default: []].append(Seen(state: result.state, at: now))
    if seen[result.checkID, default: []].count > 20 { seen[result.checkID]?.removeFirst(10) }
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
      let isDown = parents.contains { parent in
        answers.saw(parent, since: given.begun, .fails) || wasDown(parent, since: given.begun)
      }
      return isDown
        ? nil : (.cause, "\(name) is put down to what it depends on, and nothing of that was down")
    }
    guard result.state == .down else { return nil }
    for parent in parents {
      if isDown(parent, since: given.ended) {
        return (.cause, "\(name) is called down although what it depends on was")
      }
      if !answers.saw(parent, since: given.begun, .works, .nothing) {
        return (.cause, "\(name) is called down, and what it depends on was not looked at")
      }
    }
    return nil
  }

  /// Its last run before that instant found it down, or one since then. A start may know an earlier one alone.
  private func wasDown(_ check: UniqueID, since start: Instant) -> Bool {
    let runs = seen[check] ?? []
    if runs.last.map({ $0.at <= born }) ?? false { return true }
    return runs.last { $0.at <= start }?.state == .down
      || runs.contains { $0.at > start && $0.state == .down }
  }

  /// Its last run found it down, before that instant, in this life and with this list.
  private func isDown(_ check: UniqueID, since start: Instant) -> Bool {
    guard let last = seen[check]?.last else { return false }
    return last.state == .down && last.at < start && last.at > born && last.at > changed
  }
}
