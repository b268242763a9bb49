// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Tracing

/// From where on two looks at one way differ: both sides of each bound.
@Suite struct TraceBoundsTests {
  private func way(
    step: Double = 1, sent: Int = 10, received: [Int: Int] = [:], isLater: Bool = true, mtu: Int? = 1500
  ) -> Way {
    Way(
      Way.whole(5), .reached("accepted"), isLater: isLater, step: step, mtu: mtu, sent: sent,
      received: received)
  }

  private func changes(_ now: Way, _ before: Way) -> [TraceChange] {
    TraceComparison(now.trace, good: before.trace).changes
  }

  /// Words for how long ago the way was seen at work.
  @Test(
    arguments: [
      (0, "shortly before"), (59, "shortly before"), (60, "1 min before"), (3599, "59 min before"),
      (3600, "1 h before"), (172_799, "47 h before"), (172_800, "2 days before"), (864_000, "10 days before"),
    ] as [(Int64, String)])
  func howLongAgo(seconds: Int64, words: String) {
    var longer = Way(Way.whole(7), .reached("accepted"))
    longer.trace.startedAt = wayBegin.advanced(by: .seconds(seconds))
    let found = TraceComparison(longer.trace, good: way(isLater: false).trace)
    #expect(found.summary == "the route is 8 hops long, it was 6 hops \(words)")
  }

  /// Slower is what takes 20 ms more, and twice as long.
  @Test(
    arguments: [
      (1, 19_999, false), (1, 20_000, true), (10, 20_000, false), (10, 59_999, false), (10, 60_000, true),
    ] as [(Double, Int64, Bool)])
  func slower(step: Double, microseconds: Int64, isSlower: Bool) {
    var now = way(step: step)
    now.trace.hops[5].answers[0].best += .microseconds(microseconds)
    let found = changes(now, way(step: step, isLater: false))
    #expect(found.map(\.kind) == (isSlower ? [.slower] : []))
    if isSlower { #expect(found.first?.ttl == 6) }
  }

  /// A hop without an answer to compare is passed over, and one that is as quick as before ends the search.
  @Test func fromWhereOnItIsSlower() {
    var now = way()
    for index in [1, 3, 5] { now.trace.hops[index].answers[0].best += .milliseconds(50) }
    now.trace.hops[4].answers = []
    #expect(changes(now, way(isLater: false)).map(\.ttl) == [4])
  }

  /// Lost is a fifth of at least three packets, and twice of what was lost before.
  @Test(
    arguments: [
      (10, 9, 10, false), (10, 8, 10, true), (2, 1, 2, false), (3, 2, 3, true), (10, 7, 8, false),
      (10, 6, 8, true), (10, 7, 9, true), (10, 0, 10, false),
    ] as [(Int, Int, Int, Bool)])
  func lost(sent: Int, received: Int, before: Int, isLost: Bool) {
    let good = way(sent: sent, received: [6: before], isLater: false)
    var now = way(sent: sent, received: [6: received])
    if received == 0 { now.trace.hops[5].answers = [] }
    let found = changes(now, good).filter { $0.kind == .loss }
    #expect(found.count == (isLost ? 1 : 0))
    if isLost {
      #expect(
        found.first?.words
          == "from 203.0.113.7 (hop 6) on packets are lost: \(sent - received) of \(sent) to the last hop")
    }
  }

  /// A link is narrower where it takes less than it did, by a byte, and where a router says so for the first time.
  @Test func narrower() {
    let good = way(isLater: false)
    #expect(changes(way(mtu: 1500), good).isEmpty && changes(way(mtu: 1501), good).isEmpty)
    let less = changes(way(mtu: 1499), good)
    #expect(less.map(\.words) == ["packets over 1499 bytes do not get through, it was 1500 5 h before"])
    #expect(changes(way(mtu: nil), good).isEmpty)
    // Without a look at work only a router's own word counts.
    #expect(TraceComparison(way(mtu: 1400).trace, good: nil).changes.isEmpty)
    var named = way(mtu: nil)
    named.trace.narrowings = [
      TraceNarrowing(ttl: 2, by: IPAddress("10.0.2.1"), mtu: 1450),
      TraceNarrowing(ttl: 4, by: IPAddress("10.0.4.1"), mtu: 1400),
    ]
    let found = TraceComparison(named.trace, good: nil)
    #expect(found.changes.map(\.words) == ["10.0.4.1 (hop 4) passes on at most 1400 bytes"])
    #expect(found.changes.first?.ttl == 4)
  }

  /// Where a way is broken, by how it ended.
  @Test func whereItIsBroken() {
    let good = way(isLater: false).trace
    let ends: [(TraceEnd, Int?)] = [
      (.reached("accepted"), nil), (.reached("refused"), nil), (.fault("x"), nil), (.loop(from: 4), 4),
      (.refused(by: nil, ttl: 3, says: "x"), 3), (.silent(after: 2), 2), (.silent(after: 0), 0),
    ]
    for (end, place) in ends {
      var now = way()
      now.trace.end = end
      #expect(TraceComparison(now.trace, good: good).brokenAfter == place, "\(end)")
    }
    // Silence behind the same place as before is no news, and one that came further then is.
    func silent(_ before: Int) -> Int? {
      TraceComparison(
        Way(Way.routers(3), .silent(after: 3)).trace,
        good: Way(Way.routers(before), .silent(after: before)).trace
      ).brokenAfter
    }
    #expect(silent(3) == nil && silent(2) == nil && silent(4) == 3)
  }

  /// Milliseconds with one decimal, rounded.
  @Test(
    arguments: [
      (0, "0.0 ms"), (49, "0.0 ms"), (50, "0.1 ms"), (83_049, "83.0 ms"), (83_050, "83.1 ms"),
      (999_960, "1000.0 ms"),
    ] as [(Int64, String)])
  func milliseconds(microseconds: Int64, text: String) {
    #expect(TraceChangeFinder.text(.microseconds(microseconds)) == text)
  }
}
