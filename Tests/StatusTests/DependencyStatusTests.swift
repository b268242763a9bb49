// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing
@testable import Status

/// What an operator is told of checks that fail along with another.
@Suite struct DependencyStatusTests {
  private func snapshot(children: Int) throws -> StatusSnapshot {
    let now = midnight + .seconds(120)
    let gateway = try makeCheck("Gateway")
    let others = try (0..<children).map { try makeCheck("c\($0)") }
    let store = HistoryStore()
    store.apply([gateway] + others, now: midnight)
    for (index, check) in ([gateway] + others).enumerated() {
      let verdict = Verdict(
        index == 0 ? .connectTimeout : .dependency, phase: .connect,
        message: index == 0 ? "no answer" : "\"Gateway\", which it depends on, is down: no answer")
      store.record(
        CheckResult(
          id: UniqueID(high: 7 << 12, low: UInt64(index)), check: check, trigger: .schedule,
          scheduledAt: midnight,
          startedAt: midnight, late: .zero, verdict: verdict), interval: .seconds(60))
    }
    return store.snapshot(now: now)
  }

  /// 244 children of a dead gateway are one line behind its own, and nobody's downtime.
  @Test func manyThatFailWithTheirParentAreOneLine() throws {
    let snapshot = try snapshot(children: 244)
    #expect(
      snapshot.problems.map(\.what) == [
        "Gateway is down for 2m: connect_timeout, no answer",
        "244 checks are not judged, for they fail along with what they depend on: c0, c1, c2, 241 more",
      ])
    #expect(snapshot.summary.down == 1 && snapshot.summary.unknown == 244)
    for check in snapshot.checks.dropFirst() {
      #expect(check.window(.day).time.down == 0 && check.failures == 0)
    }
  }

  @Test func oneIsNamedWithItsParent() throws {
    #expect(
      try snapshot(children: 1).problems.last?.what
        == "c0 is not judged for 2m: dependency, \"Gateway\", which it depends on, is down: no answer")
  }
}
