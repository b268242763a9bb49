// SPDX-License-Identifier: MIT

import Basics
import Groups
import History
import Monitoring
import QuartzAPI
import Scheduler
import Spool

extension StatusSnapshot {
  /// Problems and the next step for each, the worst first. Empty where none needs action.
  package var problems: [Notice] { problems(of: checks) }

  /// - Parameter told: the checks whose own trouble is wanted.
  package func problems(of told: [CheckStatus]) -> [Notice] {
    let all =
      notices + clockProblems + checkProblems(told) + storeProblems + deliveryProblems + scheduleProblems
      + (alerts?.channels.compactMap(\.notice) ?? []) + (alerts?.leftOpen ?? [])
    return all.filter(\.isCritical) + all.filter { !$0.isCritical }
  }

  /// Problems that no state of a check shows: those of the agent, results that stopped coming, and checks that other
  /// regions find down. Worst first.
  package var problemsBesideStates: [Notice] {
    let open = checks.filter { $0.enabled && $0.maintenance == nil }
    let all = problems(of: []) + silent(open) + open.compactMap(dissent)
    let worst = all.filter(\.isCritical)
    return worst + all.filter { !$0.isCritical }
  }

  /// Those of the agent itself, without those of its checks and of telling people.
  package var ownProblems: [Notice] {
    (notices + clockProblems + storeProblems + deliveryProblems + scheduleProblems).filter {
      $0.severity != .fine
    }
  }

  private var clockProblems: [Notice] {
    let count = checks.reduce(0) { $0 + $1.implausible }
    guard count > 0 || !now.isPlausible else { return [] }
    return [
      .warning(
        .clock,
        "the clock of this machine \(now.isPlausible ? "was" : "is") wrong: \(StatusFormat.grouped(count))"
          + " \(plural("result bears", count, "results bear")) a time before 2020 or after 2199 and count in no window",
        hint: now.isPlausible ? nil : "set the clock, for instance with `timedatectl set-ntp true`")
    ]
  }

  private func checkProblems(_ told: [CheckStatus]) -> [Notice] {
    guard checks.contains(where: \.enabled) || group?.others.isEmpty == false else {
      return [
        .warning(
          .configuration, "no check is enabled",
          hint:
            "add checks to agent.yaml, or enable some in Quartz where quartz.checks.pull takes them from there"
        )
      ]
    }
    // Work on it is under way in a window.
    let open = told.filter { $0.enabled && $0.maintenance == nil }
    let spoken = open.filter { !$0.isSilent }
    return silent(open) + own(spoken.filter { !$0.failsWithParent })
      + taken(spoken.filter(\.failsWithParent)) + open.compactMap(dissent)
  }

  /// Other places find it down, and have for longer than a moment, though too few for it to be down: shown, never hidden.
  private func dissent(_ check: CheckStatus) -> Notice? {
    guard check.state != .down else { return nil }
    let places = check.places.filter { place in
      guard !place.isOwn, let verdict = place.verdict, verdict.isDown, let since = verdict.since else {
        return false
      }
      return since.duration(to: now) > check.interval * 3
    }
    guard let first = places.compactMap(\.verdict).min(by: { $0.since ?? now < $1.since ?? now }) else {
      return nil
    }
    let name = StatusFormat.name(check.name)
    let names = places.compactMap(\.verdict?.text).joined(separator: ", ")
    return .warning(
      .check(name),
      "\(name) is down elsewhere for \(StatusFormat.age(first.since ?? now, now: now)): \(names.printable(maxBytes: 256))",
      hint: Reason.regional.advice())
  }

  /// All that fail with something else are one line: it is that which is to be seen to.
  private func taken(_ checks: [CheckStatus]) -> [Notice] {
    guard let first = checks.first else { return [] }
    let name = StatusFormat.name(first.name)
    guard checks.count > 1 else {
      return [.warning(.check(name), "\(name) is not judged\(forHow(first)): \(why(first))")]
    }
    let others = checks.dropFirst().prefix(2).map { StatusFormat.name($0.name) }
    let rest = checks.count - 1 - others.count
    let names = ([name] + others + (rest > 0 ? ["\(StatusFormat.grouped(rest)) more"] : [])).joined(
      separator: ", ")
    return [
      .warning(
        .check(name),
        "\(StatusFormat.grouped(checks.count)) checks are not judged, for they fail along with what they depend on: \(names)",
        hint: "see to the parent that is down; the result of each names it")
    ]
  }

  private func own(_ checks: [CheckStatus]) -> [Notice] {
    checks.compactMap { check in
      let name = StatusFormat.name(check.name)
      switch check.state {
      case .down:
        return .critical(
          .check(name), "\(name) is down\(forHow(check)): \(why(check))",
          hint: check.last?.advice)
      case .degraded:
        return .warning(
          .check(name), "\(name) is degraded\(forHow(check)): \(why(check))",
          hint: check.last?.advice)
      // The report is not overdue, or is waited for again since the agent's start: no action is needed.
      case .unknown where check.last?.reason == .heartbeatMissed: return nil
      case .unknown where check.last != nil:
        return .warning(
          .check(name), "\(name) cannot be judged from here: \(why(check))",
          hint: check.last?.advice)
      case .up, .unknown: return nil
      }
    }
  }

  private func forHow(_ check: CheckStatus) -> String {
    check.since.map { " for \(StatusFormat.age($0, now: now))" } ?? ""
  }

  private func why(_ check: CheckStatus) -> String {
    guard let last = check.last else { return "no result yet" }
    guard let message = last.message else { return last.reason.rawValue }
    return "\(last.reason.rawValue), \(message.printable(maxBytes: 256))"
  }

  private var storeProblems: [Notice] {
    guard let spool else { return [] }
    var problems: [Notice] = []
    if let problem = spoolProblem { problems.append(problem) }
    if spool.dropped > 0 {
      problems.append(
        .critical(
          .store,
          "\(counted(spool.dropped, "result was", "results were")) overwritten before they could be delivered",
          hint: "raise spool.size, or repair delivery"))
    }
    // Delivery names those of this run with their codes.
    let told = delivery?.tally.quarantined ?? 0
    let others = spool.quarantined - told
    if others > 0 {
      let what = counted(others, "result was", "results were")
      problems.append(
        .warning(
          .store, "\(what) refused by the receiver\(told > 0 ? " before this start" : "") and set aside",
          hint: "see them with: quartz-agent spool quarantine ls"))
    }
    return problems
  }

  private var deliveryProblems: [Notice] {
    guard let delivery else { return [] }
    var problems: [Notice] = []
    if let error = delivery.lastError {
      let ago = StatusFormat.ago(error.since ?? .epoch, now: now)
      problems.append(
        .warning(.delivery, "delivery to \(delivery.dialect) failed \(ago): \(error.what)", hint: error.hint))
    }
    for (reason, checks) in Dictionary(grouping: undelivered, by: { ByteText($0.what) })
      .sorted(by: { $0.key.text < $1.key.text })
    {
      let names = checks.andMore(after: 3) { StatusFormat.name($0.place.text) }
      problems.append(.warning(.delivery, "results of \(names) are not delivered: \(reason)"))
    }
    return problems
  }

  private var scheduleProblems: [Notice] {
    guard let scheduler, let p99 = scheduler.lateP99, p99 > .seconds(1) else { return [] }
    return [
      .warning(
        .schedule, "probes start late: p99 \(StatusFormat.latency(p99))",
        hint:
          "limits.in_flight or in_flight_per_host may hold them back, the pace of API checks to one address (8 a second), or this machine is too busy"
      )
    ]
  }
}
