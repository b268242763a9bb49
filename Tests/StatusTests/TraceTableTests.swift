// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import StatusSupport
import Testing
import Tracing
@testable import Status

/// The drawing of the way to a target: each row, each cell, and where it ends.
@Suite struct TraceTableTests {
  private static let target = SocketAddress(.v4(0xcb00_7107), port: 443)

  private func answer(_ last: UInt32, received: Int = 3) -> TraceAnswer {
    TraceAnswer(
      address: .v4(0x0a00_0000 + last), received: received, best: .milliseconds(Int(last)),
      average: .seconds(9), worst: .seconds(9), flows: [0])
  }

  private func hop(_ ttl: Int, _ last: UInt32?) -> TraceHop {
    TraceHop(ttl: ttl, sent: 3, answers: last.map { [answer($0)] } ?? [])
  }

  /// So many hops, the last one of them the target where it is reached.
  private func trace(_ hops: [TraceHop], _ end: TraceEnd = .reached("accepted"), port: UInt16 = 443)
    -> RouteTrace
  {
    RouteTrace(
      host: "shop.example", target: SocketAddress(Self.target.address, port: port),
      startedAt: now.advanced(by: .seconds(-60)), method: .tcp, why: "", flows: 1, hops: hops, end: end)
  }

  private var reached: [TraceHop] {
    var last = hop(3, 3)
    last.answers[0].address = Self.target.address
    return [hop(1, 1), hop(2, 2), last]
  }

  private func html(
    _ latest: RouteTrace, before: RouteTrace? = nil, _ change: (inout TraceView) -> Void = { _ in }
  )
    -> String
  {
    var view = TraceView()
    view.latest = TraceView.Latest(
      cause: .failure(.connectTimeout), begin: latest.startedAt, trace: latest, before: before,
      comparison: TraceComparison(latest, good: before))
    change(&view)
    return TraceSection(view: view, now: now).render().html
  }

  /// `mark ttl|cell|cell` of each row, without markup; the cut as `cut`.
  private func rows(_ html: String) -> [String] {
    let table = html.components(separatedBy: "<tbody>").dropFirst().first?.components(separatedBy: "</tbody>")
      .first
    return (table ?? "").components(separatedBy: "<tr").dropFirst().map { row in
      if row.hasPrefix(" class=\"cut\"") { return row.contains("colspan=\"2\"") ? "cut 2" : "cut" }
      let mark = row.firstMatch(of: /<span aria-hidden="true">([^<]*)<\/span><b>([0-9]+)<\/b>/)
      let rail = row.contains("class=\"gone\"") ? "-" : ""
      let cells = row.components(separatedBy: "<td>").dropFirst().map {
        $0.components(separatedBy: "</td>")[0].replacing("</span>", with: " ").replacing("</b>", with: " ")
          .replacing(/<[^>]*>/, with: "").trimmingCharacters(in: .whitespaces)
      }
      return "\(rail)\(mark?.1 ?? "?") \(mark?.2 ?? "?")|" + cells.joined(separator: "|")
    }
  }

  /// A way that works: routers, one that is silent, the target.
  @Test func aWholeWay() {
    var hops = reached
    hops[1] = hop(2, nil)
    let good = TraceSection(
      view: {
        var view = TraceView(); view.good = trace(hops); return view
      }(), now: now)
    let html = good.render().html
    #expect(
      rows(html) == [
        "● 1|10.0.0.1 1 ms", "○ 2|no answer", "◆ 3|203.0.113.7 the target 3 ms",
      ], "\(rows(html))")
    #expect(html.contains("<th scope=\"col\">While it worked</th></tr>"))
    #expect(html.contains("<p class=\"sum\"><span class=\"mark up\" aria-hidden=\"true\">●</span> "))
    #expect(html.contains("To 203.0.113.7, port 443 by tcp.") && !html.contains("broken link"))
    #expect(html.contains("1m ago, while the target worked."))
  }

  /// Where it is broken: behind the last router that answers, beside the way that worked.
  @Test func aBrokenWay() {
    let before = trace(reached)
    let latest = trace([hop(1, 1), hop(2, nil), hop(3, nil)], .silent(after: 1))
    let html = html(latest, before: before)
    #expect(
      rows(html) == [
        "● 1|10.0.0.1 1 ms|10.0.0.1 1 ms", "cut 2", "-○ 2|–|10.0.0.2 2 ms",
        "-◆ 3|–|203.0.113.7 the target 3 ms",
      ], "\(rows(html))")
    #expect(html.contains("<span>✕ broken link</span>") && html.contains("<span class=\"mark down\""))
    #expect(html.contains("<th scope=\"col\">When something was wrong<br>2026-01-01 01:59:00</th>"))
    #expect(html.contains("<th scope=\"col\">While it worked<br>2026-01-01 01:59:00</th>"))
    #expect(html.contains("because the check failed with connect_timeout."))
    let alone = self.html(latest)
    #expect(rows(alone).prefix(2) == ["● 1|10.0.0.1 1 ms", "cut"], "\(rows(alone))")
  }

  /// Behind nothing at all: the cut is the first row.
  @Test func brokenAtOnce() {
    let html = html(trace([hop(1, nil), hop(2, nil)], .silent(after: 0)), before: trace(reached))
    #expect(rows(html).prefix(2) == ["cut 2", "-○ 1|–|10.0.0.1 1 ms"], "\(rows(html))")
  }

  /// Another router than before is named where the target was reached and one answered in each.
  @Test func anotherRouter() {
    var hops = reached
    hops[1] = hop(2, 9)
    #expect(
      rows(html(trace(hops), before: trace(reached)))[1]
        == "● 2|10.0.0.9 9 ms another than before|10.0.0.2 2 ms")
    hops[1].answers.append(answer(8))
    #expect(
      rows(html(trace(hops), before: trace(reached)))[1]
        == "● 2|10.0.0.9 9 ms 10.0.0.8 8 ms|10.0.0.2 2 ms")
    hops[1] = hop(2, 2)
    #expect(rows(html(trace(hops), before: trace(reached)))[1] == "● 2|10.0.0.2 2 ms|10.0.0.2 2 ms")
  }

  /// A cell: three addresses, what was lost, names, networks, labels and words.
  @Test func cells() {
    var hops = reached
    hops[0].answers = (1...5).map { answer($0, received: 1) }
    (hops[0].sent, hops[0].method) = (8, .udp)
    hops[1].answers[0].name = "core.example"
    hops[1].answers[0].network = "AS64500"
    hops[1].answers[0].labels = [MPLSLabel(label: 7, ttl: 1), MPLSLabel(label: 8, ttl: 1)]
    hops[1].answers[0].says = "prohibited"
    let found = rows(html(trace(hops)))
    #expect(
      found[0]
        == "● 1|10.0.0.1 1 ms 10.0.0.2 2 ms 10.0.0.3 3 ms and 2 more share the traffic 3 of 8 without an answer by udp"
    )
    #expect(found[1] == "● 2|10.0.0.2 core.example AS64500 2 ms MPLS label 7, 8 says prohibited")
    hops[0].answers = (1...3).map { answer($0, received: 3) }
    hops[0].method = nil
    #expect(rows(html(trace(hops)))[0] == "● 1|10.0.0.1 1 ms 10.0.0.2 2 ms 10.0.0.3 3 ms")
  }

  /// Sixty-four rows at most.
  @Test(arguments: [(64, 64), (65, 64), (80, 64)]) func rowsAtMost(count: Int, shown: Int) {
    let hops = (1...count).map { hop($0, UInt32($0)) }
    #expect(rows(html(trace(hops))).count == shown)
  }

  /// What stands below: from when on a result is slow, or how many are known; the packets that get through.
  @Test func wordsBelow() {
    let plain = html(trace(reached, port: 0))
    #expect(plain.contains("To 203.0.113.7 by tcp.") && !plain.contains("Also looked at"))
    #expect(!plain.contains("What is slow") && !plain.contains("being looked at"))
    var narrow = trace(reached)
    narrow.mtu = 1400
    let slow = html(narrow) { ($0.slowFrom, $0.results, $0.isPending) = (.milliseconds(250), 40, true) }
    #expect(slow.contains("To 203.0.113.7, port 443 by tcp; packets of 1400 bytes get through."))
    #expect(
      slow.contains("Also looked at when a result takes more than 250 ms.") && !slow.contains("What is slow"))
    #expect(slow.contains(" <span class=\"stale\">being looked at again</span>"))
    #expect(TraceSection(view: TraceView(), now: now).render().html == "")
  }
}
