// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing
import Tracing

/// What two looks at one way show.
@Suite struct TraceComparisonTests {
  private let good = Way(Way.whole(5), .reached("accepted")).trace

  private func compare(_ way: Way, _ good: RouteTrace? = nil) -> TraceComparison {
    TraceComparison(way.trace, good: good ?? self.good)
  }

  @Test func theEndIsNamedAndWhoAnsweredBehindIt() {
    let found = compare(Way(Way.routers(3), .silent(after: 3), isLater: true))
    #expect(found.brokenAfter == 3)
    #expect(found.changes.map(\.kind) == [.ends] && found.changes.first?.ttl == 3)
    #expect(
      found.summary == "the route ends behind 10.0.3.1 (hop 3 of 6); hop 4, 10.0.4.1, answered 5 h before")
  }

  @Test func theTargetIsCalledTheTarget() {
    let found = compare(Way(Way.routers(5), .silent(after: 5), isLater: true))
    #expect(
      found.summary
        == "the route ends behind 10.0.5.1 (hop 5 of 6); the target, 203.0.113.7, answered 5 h before")
  }

  /// A filter of one protocol: others come further.
  @Test func whatAnotherProtocolGetsThroughIsSaid() {
    var way = Way(Way.whole(5), .silent(after: 3), isLater: true)
    for index in 3..<6 { way.trace.hops[index].method = .udp }
    let found = compare(way)
    #expect(found.brokenAfter == 3)
    #expect(found.summary.hasSuffix("answered 5 h before; udp gets to hop 6, so something drops tcp"))
  }

  @Test func nobodyAtAll() {
    let found = compare(Way([[], [], []], .silent(after: 0), isLater: true))
    #expect(found.brokenAfter == 0)
    #expect(
      found.summary
        == "no answer, not even from the first router; hop 1, 10.0.1.1, answered 5 h before")
  }

  /// A way that is silent behind the same place while the target works is not broken there.
  @Test func aFirewallThatAlwaysHidesTheRestIsNoEnd() {
    let before = Way(Way.routers(3), .silent(after: 3)).trace
    let found = compare(Way(Way.routers(3), .silent(after: 3), isLater: true), before)
    #expect(found.brokenAfter == nil && found.changes.isEmpty)
    #expect(found.summary == "no answer from behind 10.0.3.1 (hop 3), as when the target worked")
  }

  @Test func whoSaysNoIsNamed() {
    let end = TraceEnd.refused(by: IPAddress("10.0.2.1"), ttl: 2, says: "administratively prohibited")
    let found = compare(Way(Way.routers(2), end, isLater: true))
    #expect(found.brokenAfter == 2 && found.changes.map(\.kind) == [.refused])
    #expect(found.summary == "10.0.2.1 (hop 2) says: administratively prohibited")
  }

  @Test func theTargetItselfRefuses() {
    let found = compare(Way(Way.whole(5), .reached("refused"), isLater: true))
    #expect(found.brokenAfter == nil && found.changes.map(\.kind) == [.targetRefused])
    #expect(found.summary.contains("the target itself refuses, nothing listens on port 443"))
  }

  /// A firewall resets in the target's name: nearer than the target is.
  @Test func somebodyAnswersInTheTargetsName() {
    let found = compare(Way(Way.whole(2), .reached("reset"), isLater: true))
    #expect(found.changes.map(\.kind) == [.answeredEarly] && found.changes.first?.ttl == 3)
    #expect(found.summary.contains("hop 3 answers in the target's name (reset); the target was hop 6"))
  }

  @Test func aCircle() {
    let found = compare(Way(Way.routers(3), .loop(from: 2), isLater: true))
    #expect(found.brokenAfter == 2)
    #expect(found.summary == "packets go in circles from 10.0.2.1 (hop 2) on")
  }

  @Test func aNarrowLinkIsNamed() {
    var way = Way(Way.whole(5), .reached("accepted"), isLater: true, mtu: 1280)
    way.trace.narrowings = [TraceNarrowing(ttl: 2, by: IPAddress("10.0.2.1"), mtu: 1280)]
    let found = compare(way)
    #expect(found.changes.map(\.kind) == [.mtu] && found.changes.first?.ttl == 2)
    #expect(found.summary == "10.0.2.1 (hop 2) passes on at most 1280 bytes, it was 1500 5 h before")
  }

  /// A black hole (RFC 2923).
  @Test func whatVanishesIsNamedByWhoIsBeforeIt() {
    var way = Way(Way.whole(5), .reached("accepted"), isLater: true, mtu: 1400)
    way.trace.narrowings = [TraceNarrowing(ttl: 2, by: IPAddress("10.0.2.1"), mtu: 1400, isSilent: true)]
    #expect(
      compare(way).summary
        == "packets over 1400 bytes vanish behind 10.0.2.1 (hop 2), without an ICMP error, it was 1500 5 h before"
    )
  }

  @Test func aLinkThatWasAlwaysNarrowIsNoChange() {
    var before = good
    (before.mtu, before.narrowings) = (1280, [TraceNarrowing(ttl: 2, by: IPAddress("10.0.2.1"), mtu: 1280)])
    var way = Way(Way.whole(5), .reached("accepted"), isLater: true, mtu: 1280)
    way.trace.narrowings = before.narrowings
    #expect(compare(way, before).changes.isEmpty)
  }

  @Test func slownessBeginsWhereEverybodyBehindHasIt() {
    var way = Way(Way.whole(5), .reached("accepted"), isLater: true)
    for index in 2..<6 { way.trace.hops[index].answers[0].best += .milliseconds(80) }
    let found = compare(way)
    #expect(found.changes.map(\.kind) == [.slower] && found.changes.first?.ttl == 3)
    #expect(
      found.summary == "from 10.0.3.1 (hop 3) on answers take longer: 83.0 ms there, it was 3.0 ms 5 h before"
    )
  }

  /// A router that is slow to answer for itself alone.
  @Test func oneSlowRouterIsNone() {
    var way = Way(Way.whole(5), .reached("accepted"), isLater: true)
    way.trace.hops[2].answers[0].best += .milliseconds(80)
    #expect(compare(way).changes.isEmpty)
  }

  @Test func lossCountsFromWhereEverybodyBehindHasIt() {
    let lost = [3: 2, 4: 5, 5: 5, 6: 4]
    let found = compare(Way(Way.whole(5), .reached("accepted"), isLater: true, received: lost))
    #expect(found.changes.map(\.kind) == [.loss] && found.changes.first?.ttl == 3)
    #expect(found.summary.contains("5 of 9 to the last hop"))
  }

  /// RFC 1812 4.3.2.8: it answers seldom, and everything behind it has all packets.
  @Test func aRouterThatAnswersSeldomLosesNothing() {
    let found = compare(Way(Way.whole(5), .reached("accepted"), isLater: true, received: [3: 1]))
    #expect(found.changes.isEmpty)
  }

  @Test func aRouterThatHasBecomeSilentIsNoChange() {
    var hops = Way.whole(5)
    hops[2] = []
    let found = compare(Way(hops, .reached("accepted"), isLater: true))
    #expect(found.changes.isEmpty)
    #expect(found.summary == "the route to the target is complete and as before, 6 hops")
  }

  @Test func anotherRouterIsNamed() {
    var hops = Way.whole(5)
    hops[2] = ["10.0.99.1"]
    let found = compare(Way(hops, .reached("accepted"), isLater: true))
    #expect(found.changes.map(\.kind) == [.differs])
    #expect(found.summary == "hop 3 is 10.0.99.1, it was 10.0.3.1 5 h before")
  }

  /// Several routers share the traffic: another of them is no other way.
  @Test(arguments: [["10.0.3.2", "10.0.3.3"], ["10.0.3.1", "10.0.3.9"]])
  func sharedTrafficIsNoChange(seen: [String]) {
    var hops = Way.whole(5)
    hops[2] = seen
    #expect(compare(Way(hops, .reached("accepted"), isLater: true)).changes.isEmpty)
  }

  @Test func aLongerWay() {
    let found = compare(Way(Way.whole(7), .reached("accepted"), isLater: true))
    #expect(found.changes.map(\.kind) == [.length])
    #expect(found.summary == "the route is 8 hops long, it was 6 hops 5 h before")
  }

  @Test func withoutAGoodLookItSaysSo() {
    let found = TraceComparison(Way(Way.routers(3), .silent(after: 3)).trace, good: nil)
    #expect(found.brokenAfter == 3)
    #expect(found.summary == "the route ends behind 10.0.3.1 (hop 3); no trace of it at work to compare with")
  }

  @Test func aLookAtAnotherAddressIsNotCompared() {
    var other = good
    other.target.address = .v4(1)
    let found = compare(Way(Way.routers(3), .silent(after: 3), isLater: true), other)
    #expect(found.summary.hasSuffix("no trace of it at work to compare with"))
  }

  @Test func aTraceThatDidNotWorkSaysWhy() {
    let found = compare(Way([], .fault("no descriptors"), isLater: true))
    #expect(
      found.changes.map(\.kind) == [.fault] && found.summary == "the trace could not be made: no descriptors")
  }

  /// Names come from name servers of others.
  @Test func namesAreCutAndHarmless() {
    var way = Way(Way.routers(3), .silent(after: 3), isLater: true)
    way.trace.hops[2].answers[0].name = String(repeating: "x", count: 300) + "\u{1b}[31m"
    let found = compare(way)
    #expect(found.summary.utf8.count <= 256 && !found.summary.contains("\u{1b}"))
  }
}
