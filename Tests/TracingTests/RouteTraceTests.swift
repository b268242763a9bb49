// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing
import Tracing

/// A trace as a document and as text.
@Suite struct RouteTraceTests {
  private static func answer(
    _ address: UInt32, received: Int = 3, _ change: (inout TraceAnswer) -> Void = { _ in }
  ) -> TraceAnswer {
    var answer = TraceAnswer(
      address: .v4(address), received: received, best: .microseconds(900), average: .milliseconds(12),
      worst: .milliseconds(1203), flows: [0, 1])
    change(&answer)
    return answer
  }

  private static func trace(_ change: (inout RouteTrace) -> Void = { _ in }) -> RouteTrace {
    var trace = RouteTrace(
      host: "shop.example", target: SocketAddress(.v4(0x0a00_0009), port: 443),
      startedAt: Timestamp(seconds: 0),
      elapsed: .milliseconds(1500), method: .tcp, why: "TCP to port 443, the service's own", flows: 2,
      end: .reached("accepted"))
    trace.hops = [
      TraceHop(
        ttl: 1, sent: 6,
        answers: [
          answer(0x0a00_0001) {
            ($0.name, $0.network, $0.replyTTL) = ("gw.example", "AS64500 Lab", 64)
            $0.labels = [MPLSLabel(label: 16, ttl: 1)]
          }
        ]), TraceHop(ttl: 2, sent: 6),
      TraceHop(ttl: 3, sent: 6, answers: [answer(0x0a00_0009, received: 6) { $0.says = "accepted" }]),
    ]
    change(&trace)
    return trace
  }

  @Test func theDocument() throws {
    let trace = Self.trace {
      $0.mtu = 1400
      $0.narrowings = [TraceNarrowing(ttl: 1, by: .v4(0x0a00_0001), mtu: 1400, isSilent: true)]
      $0.hops[1].method = .udp
    }
    #expect(
      trace.json
        == """
        {"host":"shop.example","address":"10.0.0.9","port":443,"method":"tcp","why":"TCP to port 443, the service's own",\
        "flows":2,"started_at":"1970-01-01T00:00:00.000Z","elapsed_ms":1500,"end":{"kind":"reached","says":"accepted"},\
        "mtu":1400,"narrowings":[{"ttl":1,"by":"10.0.0.1","mtu":1400,"silent":true}],"hops":[{"ttl":1,"sent":6,\
        "received":3,"loss":50,"answers":[{"address":"10.0.0.1","name":"gw.example","network":"AS64500 Lab","received":3,\
        "best_ms":0.9,"avg_ms":12,"worst_ms":1203,"reply_ttl":64,"flows":[0,1],"labels":[{"label":16,"ttl":1}]}]},\
        {"ttl":2,"method":"udp","sent":6,"received":0,"loss":100,"answers":[]},{"ttl":3,"sent":6,"received":6,"loss":0,\
        "answers":[{"address":"10.0.0.9","received":6,"best_ms":0.9,"avg_ms":12,"worst_ms":1203,"flows":[0,1],\
        "says":"accepted"}]}]}
        """)
  }

  @Test(
    arguments: [
      (.reached("refused"), #"{"kind":"reached","says":"refused"}"#, "h was reached over 0 hops: refused."),
      (
        .refused(by: .v4(1), ttl: 4, says: "host unreachable"),
        #"{"kind":"refused","says":"host unreachable","by":"0.0.0.1","ttl":4}"#,
        "h was not reached. Hop 4 (0.0.0.1) says: host unreachable."
      ), (.silent(after: 4), #"{"kind":"silent","ttl":4}"#, "h was not reached: silence behind hop 4."),
      (.silent(after: 0), #"{"kind":"silent","ttl":0}"#, "h was not reached: no answer."),
      (
        .loop(from: 5), #"{"kind":"loop","ttl":5}"#,
        "h was not reached: packets go in a circle from hop 5 on."
      ),
      (.fault("why"), #"{"kind":"fault","says":"why"}"#, "The route is not known: why."),
    ] as [(TraceEnd, String, String)])
  func ends(end: TraceEnd, document: String, sentence: String) {
    var json = JSONWriter()
    end.write(to: &json)
    #expect(json.text == document)
    let trace = RouteTrace(
      host: "h", target: SocketAddress(.v4(1), port: 0), startedAt: Timestamp(seconds: 0), method: .icmp,
      why: "",
      flows: 1, end: end)
    #expect(end.sentence(trace) == sentence)
  }

  @Test func theTable() {
    #expect(
      RouteTraceText(Self.trace(), width: 120).text
        == """
        shop.example (10.0.0.9) port 443: TCP to port 443, the service's own; 2 flows
        HOP  ROUTER                 NETWORK       LOSS  SENT      BEST      AVG    WORST  NOTE
          1  gw.example (10.0.0.1)  AS64500 Lab    50%     6  0.900 ms  12.0 ms  1203 ms  MPLS 16, answers seldom
          2  *                                    100%     6                              no answer
          3  10.0.0.9                               0%     6  0.900 ms  12.0 ms  1203 ms  accepted
        shop.example was reached over 3 hops: accepted.

        """)
  }

  /// Every width has its table, and no line is wider.
  @Test(arguments: [20, 40, 60, 80]) func itFits(width: Int) {
    for line in RouteTraceText(Self.trace(), width: width).lines { #expect(line.columns <= width, "\(line)") }
  }

  /// A router that answers seldom says nothing of the way; one behind which everything is lost does.
  @Test func whoseLossItIs() {
    let trace = Self.trace()
    #expect(trace.isOwnSilence(0) && trace.isOwnSilence(1) && !trace.isOwnSilence(2))
    let cut = Self.trace { $0.hops.removeLast() }
    #expect(!cut.isOwnSilence(1) && !cut.isOwnSilence(0))
  }

  @Test(
    arguments: [
      (64, 1, nil), (63, 1, 2), (250, 6, nil), (251, 6, 5), (128, 3, 1), (32, 1, nil), (33, 1, 32),
      (65, 1, 64),
      (129, 1, 127), (255, 1, nil), (0, 1, 33), (256, 1, nil),
    ] as [(Int, Int, Int?)])
  func theWayBack(left: Int, ttl: Int, hops: Int?) {
    let trace = Self.trace()
    #expect(trace.wayBack(Self.answer(1) { $0.replyTTL = left }, at: ttl) == hops)
  }

  /// A hop's loss is its own where one behind it has less; as much loss, or more, is the way's.
  @Test(
    arguments: [
      ([3, 6, 6], [true, false, false]), ([3, 3, 3], [false, false, false]),
      ([3, 3, 6], [true, true, false]),
      ([6, 3, 3], [false, false, false]), ([3, 2, 2], [false, false, false]),
      ([2, 3, 3], [true, false, false]), ([3, 2, 4], [true, true, false]),
      ([0, 6, 6], [true, false, false]),
      ([3, 0, 0], [false, false, false]), ([0, 0, 6], [true, true, false]),
      ([3, 0, 3], [false, true, false]),
      ([0, 0, 0], [false, false, false]),
    ])
  func lossOfHops(received: [Int], own: [Bool]) {
    let trace = Self.trace {
      $0.hops = received.enumerated().map { index, count in
        TraceHop(
          ttl: index + 1, sent: 6,
          answers: count > 0 ? [Self.answer(UInt32(index + 1), received: count)] : [])
      }
    }
    #expect(received.indices.map { trace.isOwnSilence($0) } == own)
    // Only the way's loss is red, and only the router's is told.
    for (line, isOwn) in zip(RouteTraceText(trace, color: true).lines.dropFirst(2), own) {
      let isLost = !line.contains("0%") || line.contains("50%") || line.contains("100%")
      #expect(line.contains("\u{1b}[31m") == (isLost && !isOwn), "\(line)")
    }
  }

  /// Three figures below 10 ms, then tenths, then whole milliseconds.
  @Test(
    arguments: [
      (-5, "0.000 ms"), (0, "0.000 ms"), (43, "0.043 ms"), (9999, "9.999 ms"), (10_000, "10.0 ms"),
      (10_049, "10.0 ms"), (999_999, "999.9 ms"), (1_000_000, "1000 ms"), (1_999_999, "1999 ms"),
    ])
  func times(microseconds: Int, words: String) {
    let trace = Self.trace {
      $0.hops = [
        TraceHop(ttl: 1, sent: 3, answers: [Self.answer(1) { $0.best = .microseconds(microseconds) }])
      ]
    }
    let line = RouteTraceText(trace).lines.first { $0.contains("0.0.0.1") }
    #expect(line?.contains("  \(words)  12.0 ms  1203 ms") == true, "\(line ?? "")")
  }

  @Test(
    arguments: [
      (
        TraceNarrowing(ttl: 2, by: .v4(1), mtu: 1400, isSilent: true),
        "Packets larger than 1400 bytes vanish behind hop 2 (0.0.0.1), without an ICMP error."
      ),
      (
        TraceNarrowing(ttl: 2, by: nil, mtu: 1400, isSilent: true),
        "Packets larger than 1400 bytes vanish behind hop 2, without an ICMP error."
      ),
      (
        TraceNarrowing(ttl: nil, by: .v4(1), mtu: 1280, isSilent: false),
        "The link on the route (0.0.0.1) takes packets of 1280 bytes at most."
      ),
      (
        TraceNarrowing(ttl: nil, by: nil, mtu: 1280, isSilent: false),
        "The link on the route takes packets of 1280 bytes at most."
      ),
    ])
  func narrowLinks(narrowing: TraceNarrowing, words: String) {
    let trace = Self.trace { ($0.narrowings, $0.mtu) = ([narrowing], 1500) }
    let lines = RouteTraceText(trace, width: 200).lines
    #expect(
      lines.suffix(3) == [
        "shop.example was reached over 3 hops: accepted.", words,
        "Packets of 1500 bytes reach the target without fragmentation.",
      ])
    #expect(!RouteTraceText(trace, width: 200, isComplete: false).lines.contains(words))
  }

  /// Addresses, ports and flows of the first line; sentences with one hop and without a sender.
  @Test func headsAndSentences() {
    let bare = Self.trace {
      ($0.host, $0.flows, $0.why) = ("10.0.0.9", 1, "ICMP")
      $0.target = SocketAddress(.v4(0x0a00_0009), port: 0)
    }
    #expect(RouteTraceText(bare).lines.first == "10.0.0.9: ICMP; 1 flow")
    let one = Self.trace { $0.hops.removeLast(2) }
    #expect(TraceEnd.reached("open").sentence(one) == "shop.example was reached over 1 hop: open.")
    #expect(
      TraceEnd.refused(by: .v4(1), ttl: 0, says: "x").sentence(one)
        == "shop.example was not reached. This machine (0.0.0.1) says: x.")
    #expect(
      TraceEnd.refused(by: nil, ttl: 3, says: "x").sentence(one) == "shop.example was not reached: x.")
  }
}
