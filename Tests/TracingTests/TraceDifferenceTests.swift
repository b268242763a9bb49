// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing
import Tracing

/// Words on what differs between two looks at one way, case by case.
@Suite struct TraceDifferenceTests {
  private func now(_ hops: [[String]], _ end: TraceEnd, _ change: (inout RouteTrace) -> Void = { _ in })
    -> RouteTrace
  {
    var trace = Way(hops, end, isLater: true).trace
    change(&trace)
    return trace
  }

  private func before(_ hops: [[String]], _ end: TraceEnd, _ change: (inout RouteTrace) -> Void = { _ in })
    -> RouteTrace
  {
    var trace = Way(hops, end).trace
    change(&trace)
    return trace
  }

  private func words(_ trace: RouteTrace, _ good: RouteTrace?) -> [String] {
    TraceComparison(trace, good: good).changes.map { "\($0.kind.rawValue) \($0.ttl ?? -1): \($0.words)" }
  }

  private var good: RouteTrace { before(Way.whole(5), .reached("accepted")) }
  private let none = "no trace of it at work to compare with"

  /// A router is named by its address and its name, where it has one.
  @Test func namesOfRouters() {
    func silent(_ name: String?) -> String {
      TraceComparison(now(Way.routers(3), .silent(after: 3)) { $0.hops[2].answers[0].name = name }, good: nil)
        .shortSummary
    }
    #expect(silent("core.example") == "the route ends behind 10.0.3.1 core.example (hop 3)")
    #expect(silent("") == "the route ends behind 10.0.3.1 (hop 3)" && silent(nil) == silent(""))
    // The target, and who refuses, by their names as well.
    let named = before(Way.whole(5), .reached("accepted")) { $0.hops[5].answers[0].name = "shop" }
    #expect(
      words(now(Way.routers(5), .silent(after: 5)), named) == [
        "ends 5: the route ends behind 10.0.5.1 (hop 5 of 6); the target, 203.0.113.7 shop, answered 5 h before"
      ])
    let end = TraceEnd.refused(by: IPAddress("10.0.2.1"), ttl: 4, says: "x")
    #expect(
      words(now(Way.routers(3), end) { $0.hops[1].answers[0].name = "fw" }, good)
        == ["refused 4: 10.0.2.1 fw (hop 4) says: x"])
    #expect(
      words(now(Way.routers(3), .refused(by: .v4(9), ttl: 2, says: "y")), good)
        == ["refused 2: 0.0.0.9 (hop 2) says: y"])
    #expect(
      words(now(Way.routers(3), .refused(by: nil, ttl: 2, says: "z")), good)
        == ["refused 2: a device at hop 2 says: z"])
  }

  /// A look that did not work is not compared with, and one that did not work is not excused by it.
  @Test func looksThatDidNotWork() {
    let silent = now(Way.routers(3), .silent(after: 3))
    #expect(
      TraceComparison(silent, good: before(Way.whole(5), .fault("x"))).summary
        == "the route ends behind 10.0.3.1 (hop 3); \(none)")
    let failed = TraceComparison(now([], .fault("x")), good: nil)
    #expect(failed.summary == "the trace could not be made: x" && failed.shortSummary == failed.summary)
    #expect(failed.brokenAfter == nil && failed.changes.map(\.kind) == [.fault])
  }

  /// How long the way was is said only where it was seen whole.
  @Test func silence() {
    let partly = before(Way.routers(5), .silent(after: 5))
    #expect(
      words(now(Way.routers(3), .silent(after: 3)), partly)
        == ["ends 3: the route ends behind 10.0.3.1 (hop 3); hop 4, 10.0.4.1, answered 5 h before"])
    #expect(
      words(now([["10.0.1.1"], []], .silent(after: 2)), good)
        == ["ends 2: the route ends behind hop 2 of 6; hop 3, 10.0.3.1, answered 5 h before"])
    #expect(
      words(now([[]], .silent(after: 0)), nil) == ["ends 0: no answer, not even from the first router"])
    #expect(
      words(now([["10.0.1.1"], []], .silent(after: 2)), nil) == ["ends 2: the route ends behind hop 2"])
    // A place that was silent before is passed over.
    let hole = before([["10.0.1.1"], ["10.0.2.1"], [], ["203.0.113.7"]], .reached("accepted"))
    #expect(
      words(now(Way.routers(2), .silent(after: 2)), hole) == [
        "ends 2: the route ends behind 10.0.2.1 (hop 2 of 4); the target, 203.0.113.7, answered 5 h before"
      ])
    #expect(words(now([], .loop(from: 4)), good) == ["loop 4: packets go in circles from hop 4 on"])
    // The furthest place of another protocol counts, behind the end only.
    let other = now(Way.routers(5), .silent(after: 3)) {
      for index in [0, 3, 4] { $0.hops[index].method = .icmp }
    }
    #expect(words(other, nil)[0].hasSuffix("(hop 3); icmp gets to hop 5, so something drops tcp"))
    let nearer = now(Way.routers(3), .silent(after: 3)) { $0.hops[2].method = .icmp }
    #expect(words(nearer, nil) == ["ends 3: the route ends behind 10.0.3.1 (hop 3)"])
  }

  /// A target that says no: it itself, what stands before it, and what is nearer than it was.
  @Test func noes() {
    let refused = "the route is complete: the target itself refuses, nothing listens on port 443"
    let reset = "the route is complete up to the target, or a device in front of it: the answer is a reset"
    #expect(words(now(Way.whole(5), .reached("refused")), good) == ["target_refused 6: \(refused)"])
    #expect(words(now(Way.whole(5), .reached("reset")), good) == ["target_refused 6: \(reset)"])
    #expect(words(now(Way.whole(5), .reached("refused")), nil) == ["target_refused 6: \(refused)"])
    #expect(words(now(Way.whole(5), .reached("answered")), good) == [])
    let same = before(Way.whole(5), .reached("refused"))
    #expect(words(now(Way.whole(5), .reached("refused")), same) == [])
    #expect(words(now(Way.whole(5), .reached("reset")), same) == ["target_refused 6: \(reset)"])
    #expect(
      words(now(Way.whole(4), .reached("refused")), good) == [
        "answered_early 5: a device at hop 5 answers in the target's name (refused); the target was hop 6 5 h before"
      ])
    #expect(
      words(now(Way.whole(4), .reached("reset")), before(Way.whole(5), .silent(after: 6)))
        == ["target_refused 5: \(reset)"])
    #expect(
      words(now(Way.whole(6), .reached("refused")), good) == [
        "target_refused 7: \(refused)", "length -1: the route is 7 hops long, it was 6 hops 5 h before",
      ])
    #expect(
      words(now(Way.whole(4), .reached("accepted")), good)
        .contains("length -1: the route is 5 hops long, it was 6 hops 5 h before"))
    // Nothing that answered has a length.
    #expect(words(now(Way.whole(5), .reached("accepted")), before([], .reached("accepted"))) == [])
  }

  /// Another router counts only where one stands alone in both, and neither is the target.
  @Test func otherRouters() {
    func changed(_ hop: [String], from old: [String]) -> [String] {
      var (hops, olds) = (Way.whole(3), Way.whole(3))
      (hops[1], olds[1]) = (hop, old)
      return words(now(hops, .reached("accepted")), before(olds, .reached("accepted")))
    }
    #expect(
      changed(["10.9.9.9"], from: ["10.0.2.1"]) == [
        "differs 2: hop 2 is 10.9.9.9, it was 10.0.2.1 5 h before"
      ])
    #expect(changed(["10.9.9.9"], from: ["10.0.2.1", "10.0.2.2"]) == [])
    #expect(changed(["10.9.9.9", "10.9.9.8"], from: ["10.0.2.1"]) == [])
    #expect(changed([], from: ["10.0.2.1"]) == [] && changed(["10.9.9.9"], from: []) == [])
    #expect(changed(["203.0.113.7"], from: ["10.0.2.1"]) == [])
    #expect(changed(["10.9.9.9"], from: ["203.0.113.7"]) == [])
  }

  /// Who narrows the way, as far as it is known.
  @Test func narrowLinks() {
    func narrow(_ ttl: Int?, _ by: String?, silent: Bool = false) -> [String] {
      words(
        now(Way.whole(2), .reached("accepted")) {
          $0.mtu = 1400
          $0.narrowings = [
            TraceNarrowing(ttl: ttl, by: by.flatMap { IPAddress($0) }, mtu: 1400, isSilent: silent)
          ]
        }, good)
    }
    let was = ", it was 1500 5 h before"
    #expect(narrow(2, "10.0.2.1").first == "mtu 2: 10.0.2.1 (hop 2) passes on at most 1400 bytes\(was)")
    #expect(narrow(nil, "10.0.2.1").first == "mtu -1: 10.0.2.1 passes on at most 1400 bytes\(was)")
    #expect(narrow(2, nil).first == "mtu 2: hop 2 passes on at most 1400 bytes\(was)")
    #expect(narrow(nil, nil).first == "mtu -1: a device on the route passes on at most 1400 bytes\(was)")
    #expect(
      narrow(2, nil, silent: true).first
        == "mtu 2: packets over 1400 bytes vanish behind hop 2, without an ICMP error\(was)")
  }

  /// Of many changes the first two are told in one sentence, what explains most before the rest.
  @Test func theFirstTwoAreTold() {
    var hops = Way.whole(6)
    hops[1] = ["10.9.9.9"]
    let trace = now(hops, .reached("refused")) {
      $0.mtu = 1400
      for index in 3..<7 {
        $0.hops[index].answers[0].best += .seconds(1)
        $0.hops[index].answers[0].received = 5
      }
    }
    let found = TraceComparison(trace, good: good)
    #expect(found.changes.map(\.kind) == [.targetRefused, .mtu, .loss, .slower, .differs, .length])
    #expect(found.summary == found.changes[0].words + "; " + found.changes[1].words)
    #expect(found.shortSummary == found.summary && found.brokenAfter == nil)
    // What is different before a place where the way ends explains nothing.
    let ended = TraceComparison(now([["10.9.9.9"]], .silent(after: 1)), good: good)
    #expect(ended.changes.map(\.kind) == [.ends])
  }
}
