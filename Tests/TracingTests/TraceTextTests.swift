// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing
import Tracing

/// Lines of a trace for people: notes, columns that leave, and words that are long.
@Suite struct TraceTextTests {
  private func answer(
    _ address: UInt32, received: Int, flows: [Int] = [0, 1], _ change: (inout TraceAnswer) -> Void = { _ in }
  ) -> TraceAnswer {
    var answer = TraceAnswer(
      address: .v4(address), received: received, best: .microseconds(900), average: .milliseconds(12),
      worst: .milliseconds(1203), flows: flows)
    change(&answer)
    return answer
  }

  private func trace(_ hops: [TraceHop], _ change: (inout RouteTrace) -> Void = { _ in }) -> RouteTrace {
    var trace = RouteTrace(
      host: "shop.example", target: SocketAddress(.v4(0x0a00_0009), port: 443),
      startedAt: Timestamp(seconds: 0), method: .tcp, why: "as asked", flows: 3, hops: hops,
      end: .silent(after: 2))
    change(&trace)
    return trace
  }

  /// All notes of a hop in their order; those of the hop itself stand at its first answer only.
  @Test func notes() {
    let first = answer(0x0a00_0001, received: 2, flows: [0, 2]) {
      ($0.replyTTL, $0.labels) = (62, [MPLSLabel(label: 16, ttl: 1), MPLSLabel(label: 17, ttl: 1)])
    }
    let second = answer(0x0a00_0002, received: 1, flows: [1]) {
      ($0.replyTTL, $0.says) = (62, "host unreachable")
    }
    let again = answer(0x0a00_0001, received: 6) { $0.replyTTL = 60 }
    let trace = trace([
      TraceHop(ttl: 1, sent: 6, answers: [first, second], method: .udp),
      TraceHop(ttl: 2, sent: 6, answers: [again]), TraceHop(ttl: 3, sent: 0), TraceHop(ttl: 4, sent: 2),
    ]) {
      $0.narrowings = [
        TraceNarrowing(ttl: 1, by: .v4(1), mtu: 1400),
        TraceNarrowing(ttl: 2, by: nil, mtu: 1300, isSilent: true),
        TraceNarrowing(ttl: nil, by: nil, mtu: 1200),
      ]
    }
    #expect(
      RouteTraceText(trace, width: 300, isComplete: false).text == """
        shop.example (10.0.0.9) port 443: as asked; 3 flows
        HOP  ROUTER     LOSS  SENT      BEST      AVG    WORST  NOTE
          1  10.0.0.1    50%     6  0.900 ms  12.0 ms  1203 ms  by udp, flow 1,3, next link 1400 bytes, \
        MPLS 16/17, answers seldom, 3 hops back
             10.0.0.2               0.900 ms  12.0 ms  1203 ms  host unreachable, flow 2
          2  10.0.0.1     0%     6  0.900 ms  12.0 ms  1203 ms  larger than 1300 bytes vanish
          3  *                   0                              not asked
          4  *          100%     2                              no answer

        """)
  }

  /// On a narrow terminal the columns of least worth leave, one after the other; the hop, who it is, its loss and
  /// its best time stay.
  @Test func columnsThatLeave() {
    let named = answer(0x0a00_0001, received: 3) {
      ($0.name, $0.network) = ("gw.example", "AS64500 Lab")
      $0.labels = [MPLSLabel(label: 16, ttl: 1)]
    }
    let trace = trace([
      TraceHop(ttl: 1, sent: 6, answers: [named]), TraceHop(ttl: 2, sent: 6),
      TraceHop(ttl: 3, sent: 6, answers: [answer(0x0a00_0009, received: 6)]),
    ])
    func titles(_ width: Int) -> String {
      let lines = RouteTraceText(trace, width: width).lines
      let title = lines.first { $0.hasPrefix("HOP") } ?? ""
      return title.split(separator: " ").joined(separator: " ")
    }
    let all = "HOP ROUTER NETWORK LOSS SENT BEST AVG WORST NOTE"
    #expect(titles(105) == all && titles(80) == all)
    #expect(titles(79) == "HOP ROUTER LOSS SENT BEST AVG WORST NOTE" && titles(70) == titles(79))
    #expect(titles(69) == "HOP ROUTER LOSS BEST AVG WORST NOTE" && titles(64) == titles(69))
    #expect(titles(63) == "HOP ROUTER LOSS BEST AVG NOTE" && titles(55) == titles(63))
    #expect(titles(54) == "HOP ROUTER LOSS BEST NOTE" && titles(46) == titles(54))
    #expect(titles(45) == "HOP ROUTER LOSS BEST" && titles(36) == titles(45))
    // What shrinks meanwhile: the network and the note first, the router's name last.
    func table(_ width: Int) -> [Substring] {
      RouteTraceText(trace, width: width).lines.drop { !$0.hasPrefix("HOP") }.prefix(2).map { $0[...] }
    }
    #expect(
      table(95) == [
        "HOP  ROUTER                 NETWORK    LOSS  SENT      BEST      AVG    WORST  NOTE",
        "  1  gw.example (10.0.0.1)  AS64500…    50%     6  0.900 ms  12.0 ms  1203 ms  MPLS 16, answer…",
      ])
    #expect(
      table(85).first == "HOP  ROUTER             NETWORK    LOSS  SENT     BEST      AVG    WORST  NOTE")
    #expect(table(85).last?.hasPrefix("  1  gw.example (10.0…  AS64500…    50%     6  ") == true)
    #expect(table(85).last?.hasSuffix("  12.0 ms  1203 ms  MPLS 16, a…") == true)
  }

  /// A network's name has 28 columns at most.
  @Test func longNetworks() {
    let far = answer(1, received: 3) { $0.network = "AS64500 " + String(repeating: "n", count: 40) }
    let lines = RouteTraceText(trace([TraceHop(ttl: 1, sent: 3, answers: [far])]), width: 300).lines
    #expect(
      lines[1] == "HOP  ROUTER   NETWORK                        LOSS  SENT      BEST      AVG    WORST  NOTE")
    #expect(lines[2].contains("  AS64500 nnnnnnnnnnnnnnnnnnn…     0%  "))
  }

  /// Words that are longer than a line are broken, in the first line as in the last.
  @Test(arguments: [20, 30, 40]) func longWords(width: Int) {
    let host = String(repeating: "h", count: 100)
    let lines = RouteTraceText(trace([]) { $0.host = host }, width: width).lines
    #expect(lines.allSatisfy { $0.columns <= width }, "\(lines)")
    #expect(lines.joined().count { $0 == "h" } >= 200)
    #expect(lines[1].hasPrefix("  h") && !lines[0].hasPrefix(" "))
  }

  /// Which of this machine's words the last lines are, and that they come only when it is over.
  @Test func lastLines() {
    let trace = trace([]) {
      ($0.mtu, $0.host) = (nil, "10.0.0.9")
      $0.narrowings = [TraceNarrowing(ttl: 1, by: nil, mtu: 1400)]
    }
    let lines = RouteTraceText(trace, width: 200).lines
    #expect(
      lines.suffix(2) == [
        "10.0.0.9 was not reached: silence behind hop 2.",
        "The link behind hop 1 takes packets of 1400 bytes at most.",
      ])
    #expect(lines.first == "10.0.0.9 port 443: as asked; 3 flows")
    #expect(RouteTraceText(trace, width: 200, isComplete: false).lines == Array(lines.dropLast(2)))
  }
}
