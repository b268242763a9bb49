// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Scheduler
import Testing

@Suite struct TimelineTests {
  private let check = MonitoringCheck.derivedID(name: "Shop front")

  /// Fixed numbers, calculated apart: whoever changes the hash moves every agent's phases and must know it.
  @Test(arguments: [
    ("london-1", 60, 10408395), ("paris-1", 60, 28394805), ("london-1", 3600, 1570408395),
  ])
  func phasesAreTheSameInEveryProcess(agent: String, seconds: Int, microseconds: Int64) {
    let timeline = Timeline(agent: agent, check: check, interval: .seconds(seconds))
    let phase = newYearWall.duration(to: timeline.slot(atOrAfter: newYearWall))
    #expect(phase == .microseconds(microseconds))
  }

  @Test func agentsOfOtherNamesHaveOtherPhases() {
    let phases = Set(
      (0..<100).map {
        Timeline(agent: "agent-\($0)", check: check, interval: .seconds(60)).slot(after: newYearWall)
      })
    #expect(phases.count == 100)
  }

  /// Chi-square over 100 buckets of 20 expected each: 99 degrees of freedom exceed 160 once in 10,000 draws, and
  /// this draw is fixed.
  @Test(arguments: [Duration.seconds(1), .seconds(60), .seconds(3600)])
  func phasesOf2000ChecksAreUniform(interval: Duration) {
    var buckets = Array(repeating: 0, count: 100)
    for number in 0..<2000 {
      let id = MonitoringCheck.derivedID(name: "check \(number)")
      let timeline = Timeline(agent: "london-1", check: id, interval: interval)
      let phase = newYearWall.duration(to: timeline.slot(atOrAfter: newYearWall))
      buckets[Int(phase.microseconds * 100 / interval.microseconds)] += 1
    }
    let chiSquare = buckets.reduce(0.0) { $0 + Double(($1 - 20) * ($1 - 20)) / 20 }
    #expect(chiSquare < 160)
    #expect(buckets.allSatisfy { $0 <= 40 })
  }

  @Test func slotsDoNotDriftInADecade() {
    let timeline = Timeline(agent: "london-1", check: check, interval: .milliseconds(1500))
    let first = timeline.slot(after: newYearWall)
    var slot = first
    for _ in 0..<100_000 { slot = timeline.slot(after: slot) }
    #expect(first.duration(to: slot) == .seconds(150_000))
    let later = first.advanced(by: .seconds(10 * 365 * 86_400))
    #expect(timeline.slot(atOrBefore: later) == later)
  }

  @Test(arguments: [
    "1901-12-13T20:45:52Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z", "2038-01-19T03:14:08Z",
    "2100-02-28T23:59:59Z",
  ])
  func neighboursAreOneIntervalApart(text: String) throws {
    let instant = try #require(Timestamp(rfc3339: text))
    let timeline = Timeline(agent: "london-1", check: check, interval: .seconds(60))
    let before = timeline.slot(atOrBefore: instant)
    let after = timeline.slot(after: instant)
    #expect(before <= instant && instant < after)
    #expect(before.duration(to: after) == .seconds(60))
    #expect(timeline.slot(atOrAfter: before) == before)
    #expect(timeline.slot(after: before) == after)
    #expect(timeline.slots(after: before, through: after) == 1)
    #expect(timeline.slots(after: after, through: before) == 0)
    #expect(timeline.slots(after: before, through: before.advanced(by: .seconds(3600))) == 60)
  }

  @Test func aRangeOfSlotsIsACollection() {
    let slots = SlotRange(first: newYearWall, count: 3, interval: .seconds(10))
    #expect(
      slots.map(\.rfc3339) == [
        "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:10.000Z", "2026-01-01T00:00:20.000Z",
      ])
  }

  private var newYearWall: Timestamp { newYear.wall }

  /// A stored result may tell any time; where its slot lay is then of no use, and no harm.
  @Test(arguments: [Int64.min, .min + 1, -1, 0, .max - 1, .max])
  func anyInstantHasASlot(microseconds: Int64) {
    let instant = Timestamp(microseconds: microseconds)
    for interval in [Duration.microseconds(1), .seconds(1), .seconds(30 * 86_400)] {
      let line = Timeline(agent: "a", check: UniqueID(high: 1, low: 2), interval: interval)
      #expect(line.slot(atOrBefore: instant) <= line.slot(after: instant))
      _ = line.slot(atOrAfter: instant)
      #expect(line.slots(after: .epoch, through: instant) >= 0)
      #expect(line.slots(after: instant, through: .epoch) >= 0)
    }
  }
}
