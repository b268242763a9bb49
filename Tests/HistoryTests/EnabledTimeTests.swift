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
