// SPDX-License-Identifier: MIT

import Basics
import Testing

/// Origins of work: their names, and which go first.
@Suite struct WorkOriginTests {
  /// Label, words, whether it begins before all others, whether it is traffic of probes.
  @Test(
    arguments: [
      (.fileChecks, "file_checks", "checks of agent.yaml", false, true),
      (.apiChecks, "api_checks", "checks from the API", false, true),
      (.asked, "asked", "/probe and runs by hand", false, true),
      (.tokens, "tokens", "tokens of checks", false, false),
      (.discovery, "discovery", "discovery", false, false),
      (.notifications, "notifications", "notifications", true, false),
      (.group, "group", "the group", true, false),
      (.delivery, "delivery", "delivery and the check list", true, false),
      (.deadManSwitches, "dead_man_switches", "dead man's switches", true, false),
    ] as [(WorkOrigin.Kind, String, String, Bool, Bool)])
  func aKind(kind: WorkOrigin.Kind, label: String, words: String, isUrgent: Bool, isProbe: Bool) {
    #expect(kind.label == label && kind.words == words)
    #expect(kind.isUrgent == isUrgent && kind.isProbe == isProbe)
  }

  @Test func eachKindHasAValueOfItsOwn() {
    let kinds = WorkOrigin.Kind.allCases
    #expect(kinds.count == 9)
    var values = ByOrigin { Int($0.rawValue) * 10 }
    #expect(kinds.map { values[$0] } == [0, 10, 20, 30, 40, 50, 60, 70, 80])
    values[.tokens] += 7
    #expect(kinds.map { values[$0] } == [0, 10, 20, 37, 40, 50, 60, 70, 80])
  }

  /// One name is one key; another kind of the same name is other work.
  @Test func aNameIsAKey() {
    #expect(WorkOrigin(.asked, named: "a") == WorkOrigin(.asked, named: "a"))
    #expect(WorkOrigin(.asked, named: "a") != WorkOrigin(.asked, named: "b"))
    #expect(WorkOrigin(.asked, named: "a") != WorkOrigin(.group, named: "a"))
    #expect(WorkOrigin(.tokens).key == 0 && WorkOrigin(.tokens, key: 9).key == 9)
  }

  /// The largest since an instant, of the last two minutes; below a millisecond it is noise.
  @Test func theLargestLateness() {
    var window = LatenessWindow()
    func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }
    window.record(.microseconds(999), at: at(5))
    #expect(window.largest(since: at(0)) == .zero)
    window.record(.milliseconds(5), at: at(10))
    window.record(.milliseconds(3), at: at(20))
    #expect([0, 10, 11, 20, 21].map { window.largest(since: at($0)) } == [5, 5, 3, 3, 0].map(milliseconds))
    window.record(.milliseconds(4), at: at(30))
    #expect([10, 11, 20, 30, 31].map { window.largest(since: at($0)) } == [5, 4, 4, 4, 0].map(milliseconds))
    // Two minutes to the second are still within.
    window.record(.milliseconds(2), at: at(130))
    #expect([0, 11, 31].map { window.largest(since: at($0)) } == [5, 4, 2].map(milliseconds))
    window.record(.milliseconds(1), at: at(131))
    #expect([0, 31, 131, 132].map { window.largest(since: at($0)) } == [4, 2, 1, 0].map(milliseconds))
  }

  private func milliseconds(_ count: Int64) -> Duration { .milliseconds(count) }
}
