// SPDX-License-Identifier: MIT

import Basics
import Checks
import Monitoring
import TestSupport
import Testing

/// How many reports a check takes, minute by minute.
@Suite struct HeartbeatRateTests {
  private let clock = FakeClock()
  private let tokens = ["a", "b"].map { String(repeating: $0, count: 16) }
  private let desk: HeartbeatDesk

  init() throws {
    desk = HeartbeatDesk(time: clock.time)
    let tokens = tokens
    desk.follow(
      try tokens.map { token in
        try HeartbeatJudgeTests.check { ($0.name, $0.token) = (token, Redacted(token)) }
      })
  }

  /// So many reports at once; how many of them were taken.
  private func taken(_ count: Int, of check: Int = 0) -> Int {
    (0..<count).count { _ in desk.take(HeartbeatReport(.ok), token: tokens[check]) == .taken }
  }

  /// Sixty in each minute, the first as the fifth.
  @Test func eachMinuteHasItsSixty() {
    for minute in 0..<5 {
      #expect(taken(63) == 60, "minute \(minute)")
      clock.advance(by: .milliseconds(59_999))
      #expect(taken(5) == 0, "minute \(minute)")
      clock.advance(by: .milliseconds(1))
    }
  }

  /// A minute begins with the first report after the last one was over, and counts what is spread over it.
  @Test func aMinuteBeginsWithItsFirstReport() {
    #expect(taken(10) == 10)
    clock.advance(by: .seconds(90))
    #expect(taken(40) == 40)
    clock.advance(by: .seconds(59))
    #expect(taken(40) == 20, "59 s after its begin")
    clock.advance(by: .seconds(1))
    #expect(taken(70) == 60)
    clock.advance(by: .seconds(31))
    #expect(taken(1) == 0)
    clock.advance(by: .seconds(29))
    #expect(taken(61) == 60)
  }

  /// Each check has its own minute, whichever of them begins first.
  @Test func eachCheckHasItsOwn() {
    #expect(taken(60) == 60)
    clock.advance(by: .seconds(30))
    #expect(taken(50, of: 1) == 50 && taken(1) == 0)
    clock.advance(by: .seconds(30))
    #expect(taken(61) == 60)
    #expect(taken(30, of: 1) == 30, "from when it was followed")
    clock.advance(by: .seconds(30))
    #expect(taken(1) == 0 && taken(31, of: 1) == 30)
  }

  /// The wall clock has no part in it.
  @Test(arguments: [-3600, -1, 1, 3600] as [Int64]) func theWallClockHasNoPart(step: Int64) {
    #expect(taken(60) == 60)
    clock.stepWall(by: .seconds(step))
    #expect(taken(5) == 0)
    clock.advance(by: .seconds(60))
    clock.stepWall(by: .seconds(-step))
    #expect(taken(61) == 60 && taken(1) == 0)
  }
}
