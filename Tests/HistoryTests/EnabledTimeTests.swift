// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import TestSupport
import Testing
@testable import History

/// A clock that is set back and found out: what was before it is not forgotten, and nothing counts twice.
@Suite struct EnabledTimeTests {
  @Test(arguments: [[-3600, 3600], [-12, 12], [-3600, -3600, 7200], [-3600, 1800, 1800]])
  func andForthAgain(steps: [Int64]) throws {
    let check = try makeCheck()
    let start = midnight.advanced(by: .seconds(43_200))
    let store = makeStore(check, enabledAt: start)
    var now = start.advanced(by: .seconds(30))
    for step in steps {
      let before = now
      now = now.advanced(by: .seconds(step))
      store.clockStepped(from: before, to: now)
      now = now.advanced(by: .seconds(7))
    }
    let day = try #require(store.checks(now: now).check(check.id)).window(.day)
    // Set back by less than was lived, the time in between is told again and counts once.
    let overlap: Int64 = steps[0] == -12 ? 7 : 0
    #expect(day.enabled == (30 + 7 * Int64(steps.count) - overlap) * 1_000_000)
  }

  /// Results between a step of the clock and its notice are of the wrong day, and do not enable all of it.
  @Test func resultsBeforeTheStepIsNoticed() throws {
    let check = try makeCheck()
    let start = midnight.advanced(by: .seconds(43_200))
    let store = makeStore(check, enabledAt: start)
    var enabled: [Int64] = []
    for second in 0..<34 {
      let now = start + .seconds((12..<24).contains(second) ? second - 86_400 : second)
      if second == 15 { store.clockStepped(from: start + .seconds(15), to: now) }
      if second == 25 { store.clockStepped(from: start + .seconds(25 - 86_400), to: now) }
      store.record(Run(slot: now).result(of: check), interval: .seconds(1))
      guard [11, 15, 23, 25, 33].contains(second) else { continue }
      let after = now + .seconds(1)
      let week = try #require(store.checks(now: after).check(check.id)).window(.week)
      enabled.append(week.enabled / 1_000_000)
    }
    // The three seconds before the notice are of the clock that was right.
    #expect(enabled == [12, 1, 9, 26, 34])
  }

  /// What an earlier process proved stays when the clock is set back, and what this one proved goes.
  @Test func whatIsProvedBeforeTheClockIsSetBack() {
    var time = EnabledTime()
    time.set(true, at: 1000)
    time.prove(at: 700, isReplayed: true)
    time.prove(at: 300)
    time.clockStepped(from: 1100, to: 400)
    #expect(time.spans == [Span(start: 400, end: .max)])
    time.prove(at: 390)
    time.clockStepped(from: 450, to: 1150)
    #expect(
      time.spans
        == [Span(start: 390, end: 450), Span(start: 700, end: 1100), Span(start: 1150, end: .max)])
  }

  /// Whatever the clock and the operator do, what is kept can be read again and no time is in it twice.
  @Test(arguments: UInt64(0)..<50)
  func whateverHappens(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var time = EnabledTime()
    var now: Int64 = 1_000_000
    for _ in 0..<200 {
      now += Int64.random(in: 0...100, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: time.set(Bool.random(using: &random), at: now)
      case 1:
        let step = Int64.random(in: -5000...5000, using: &random)
        time.clockStepped(from: now, to: now + step)
        now += step
      // A step that nobody noticed.
      case 2: now -= Int64.random(in: 0...9, using: &random)
      default: time.prove(at: now - Int64.random(in: 0...50, using: &random))
      }
      for (one, next) in zip(time.spans, time.spans.dropFirst()) { #expect(one.end <= next.start) }
      #expect(time.spans.allSatisfy { $0.start < $0.end })
    }
    var writer = ByteWriter()
    time.encode(into: &writer)
    var reader = ByteReader(writer.bytes)
    #expect(try EnabledTime(from: &reader).spans == time.spans)
  }
}
