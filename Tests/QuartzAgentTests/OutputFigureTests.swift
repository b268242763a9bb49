// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAgent

/// Figures of results: how they are rounded, where they stand, and what they are called.
@Suite struct OutputFigureTests {
  /// One decimal below a hundred, none above.
  @Test(
    arguments: [
      (0, "0.0"), (0.04, "0.0"), (0.06, "0.1"), (4.25, "4.3"), (-4.2, "-4.2"), (-0.04, "0.0"),
      (99.94, "99.9"),
      (99.95, "100"), (318.4, "318"), (318.5, "319"), (-100, "-100"), (999_999_999_999, "999999999999"),
      (1e12, "-"), (.nan, "-"), (.infinity, "-"),
    ] as [(Double, String)])
  func decimals(value: Double, text: String) { #expect(decimal(value) == text) }

  @Test(
    arguments: [
      (0, "0.000 ms"), (1, "0.001 ms"), (999, "0.999 ms"), (1000, "1.000 ms"), (43_100, "43.100 ms"),
      (2_000_050, "2000.050 ms"),
    ] as [(Int64, String)])
  func thousandths(microseconds: Int64, text: String) {
    #expect(precise(.microseconds(microseconds)) == text)
  }

  @Test func widths() {
    #expect(pad("abc", 5) == "abc  " && pad("abcde", 5) == "abcde" && pad("abcdef", 5) == "abcd…")
    #expect(padLeft("abc", 5) == "  abc" && padLeft("abcdef", 5) == "abcdef")
    #expect(trimmed("  a b  ") == "  a b" && trimmed("   ") == "" && trimmed("") == "")
    #expect(CheckState.allCases.map(\.ansi) == ["32", "33", "31", "90"])
    #expect(Paint(isOn: true)("a", "31") == "\u{1b}[31ma\u{1b}[0m" && Paint(isOn: true)("", "31") == "")
    #expect(Paint(isOn: false)("a", "31") == "a")
  }

  /// A report for CI servers, whole.
  @Test func aReport() {
    let cases = [
      JUnitCase(
        group: "g", name: "a", time: .microseconds(1_000_001), place: ("f.yaml", 3), outcome: .passed()),
      JUnitCase(name: "b", time: .microseconds(60), outcome: .passed("slow")),
      JUnitCase(group: "g", name: "c", time: .milliseconds(250), outcome: .failure("body", "no <x>")),
      JUnitCase(name: "d", outcome: .error("stopped", "late")),
    ]
    #expect(
      renderJUnit(cases) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuite name="quartz-agent" tests="4" failures="1" errors="1" time="1.250061">
          <testcase classname="g" name="a" file="f.yaml" line="3" time="1.000001"/>
          <testcase name="b" time="0.000060"><system-out>slow</system-out></testcase>
          <testcase classname="g" name="c" time="0.250000"><failure type="body" message="no &lt;x&gt;"/></testcase>
          <testcase name="d"><error type="stopped" message="late"/></testcase>
        </testsuite>

        """)
  }

  private func web(_ verdict: Verdict = .ok, _ fill: (inout CheckResult) -> Void = { _ in }) throws
    -> CheckResult
  {
    try Explained.http(verdict, fill)
  }

  /// Degraded passes with its words, down fails, unknown is an error; what was not measured took no time.
  @Test func statesOfAReport() throws {
    let slow = Verdict(.responseTime, message: "slow", degraded: true)
    let lines = renderJUnit([
      try web(slow) { $0.responseTime = .milliseconds(1500) }, try web(Verdict(.body)), try web(),
    ]).split(separator: "\n").map(String.init)
    #expect(lines[1].hasSuffix(#"tests="3" failures="1" errors="0" time="1.500000">"#))
    let head = #"  <testcase classname="http" name="Shop front" time="#
    #expect(
      lines[2...4] == [
        head + #""1.500000"><system-out>response_time: slow</system-out></testcase>"#,
        head + #""0.000000"><failure type="body" message="body"/></testcase>"#, head + #""0.000000"/>"#,
      ])
  }

  @Test func lists() throws {
    let result = try web()
    #expect(renderJSON([]) == "[]\n" && renderNDJSON([]) == "")
    #expect(renderJSON([result, result]) == "[\n  \(result.json),\n  \(result.json)\n]\n")
    #expect(renderNDJSON([result, result]) == "\(result.json)\n\(result.json)\n")
  }

  private func rounds() throws -> LatencySummary {
    var results = try [40.0, 44, 42, 48].map { time in try web { $0.responseTime = Explained.ms(time) } }
    results.append(try web(Verdict(.connectRefused)))
    return LatencySummary(check: "Shop front", results: results)
  }

  private func cells(_ line: Substring) -> [String] {
    line.split(separator: /\s{2,}/).map { String($0) }
  }

  /// Several rounds as a table, as a line of JSON and in Markdown: each figure in its column.
  @Test func severalRounds() throws {
    let figures = ["40.0", "42.0", "48.0", "48.0", "48.0", "3.4", "4.0"]
    let names = ["MIN", "P50", "P95", "P99", "MAX", "STDDEV", "JITTER"]
    let none = LatencySummary(check: "Bank", results: [try web(Verdict(.connectRefused))])
    let unknown = LatencySummary(
      check: "Club", results: try [web(Verdict(.localFault)), web(Verdict(.localFault))])
    let lines = LatencySummary.table([try rounds(), none, unknown], width: 200).split(separator: "\n")
    #expect(cells(lines[0]) == ["CHECK (ms)", "RUNS", "LOSS"] + names)
    #expect(cells(lines[1]) == ["Shop front", "5", "20.0 %"] + figures)
    #expect(cells(lines[2]) == ["Bank", "1", "100 %"] + Array(repeating: "-", count: 7))
    #expect(cells(lines[3]) == ["Club", "2"] + Array(repeating: "-", count: 8))
    #expect(
      try rounds().json.hasPrefix(
        #"{"summary":"Shop front","runs":5,"successes":4,"loss":20,"min_ms":40,"p50_ms":42,"p95_ms":48,"#
          + #""p99_ms":48,"max_ms":48,"stddev_ms":3.416,"jitter_ms":4,"histogram":["#))
    #expect(none.json == #"{"summary":"Bank","runs":1,"successes":0,"loss":100}"#)
    #expect(unknown.json == #"{"summary":"Club","runs":2,"successes":0,"loss":null}"#)
    let markdown = MarkdownText(summaries: [try rounds(), unknown]).render([try web()], unfinished: [])
    let titles = ["Min", "p50", "p95", "p99", "Max", "Std dev", "Jitter"].joined(separator: " | ")
    #expect(
      markdown.hasSuffix(
        "\n\n| Check (ms) | Runs | Loss | \(titles) |\n| --- |" + String(repeating: " ---: |", count: 9)
          + "\n| `Shop front` | 5 | 20.0 % | \(figures.joined(separator: " | ")) |\n| `Club` | 2 |"
          + String(repeating: "  |", count: 8) + "\n"))
  }

  @Test func sentences() throws {
    let (up, down) = (try web(), try web(Verdict(.body)))
    let degraded = try web(Verdict(.responseTime, degraded: true))
    let unknown = try web(Verdict(.localFault))
    for (results, unfinished, words) in [
      ([up], [], "1 result, up"), ([up, up], [], "2 results, all up"),
      ([degraded], [], "1 of 1 results not up: 1 degraded"),
      (
        [unknown, degraded, down, down, up], ["a", "b"],
        "6 of 7 results not up: 2 down, 1 degraded, 1 unknown, 2 not finished"
      ),
    ] as [([CheckResult], [String], String)] {
      #expect(MarkdownText.sentence(results, unfinished) == words)
    }
  }

  /// The table of `once`: a check with a name has a target beside it, and its facts in their order.
  @Test func theTable() throws {
    let shop = try web {
      ($0.statusCode, $0.responseTime, $0.peer) = (
        200, Explained.ms(42.1), SocketAddress(.v4(0xc000_0207), port: 443)
      )
      $0.tls = TLSFacts(verified: true, daysRemaining: 30, pathDaysRemaining: 12)
    }
    let broken = try web(Verdict(.httpStatus, message: "status 503"))
    let lines = ResultTable(width: 200, color: false).render([shop, broken]).split(separator: "\n")
    #expect(cells(lines[0]) == ["STATE", "CHECK", "TYPE", "LATENCY", "TARGET", "DETAIL"])
    let target = "https://shop.example/health"
    #expect(
      cells(lines[1]) == [
        "● UP", "Shop front", "http", "42.1 ms", target, "200, certificate 30 d, 192.0.2.7:443",
      ])
    #expect(cells(lines[2]) == ["✕ DOWN", "Shop front", "http", "-", target, "http_status: status 503"])
    let plain = try web { ($0.check, $0.responseTime) = (target, .microseconds(46)) }
    let bare = ResultTable(width: 200, color: true).render([plain]).split(separator: "\n")
    #expect(cells(bare[0]) == ["STATE", "TARGET", "TYPE", "LATENCY", "DETAIL"])
    #expect(bare[1].hasPrefix("\u{1b}[32m● UP\u{1b}[0m") && bare[1].contains("  0.046 ms"))
    // A number behind a target makes it no name.
    let numbered = try web { $0.check = target + " (2)" }
    let both = ResultTable(width: 200, color: false).render([plain, numbered]).split(separator: "\n")
    #expect(cells(both[0])[1] == "TARGET")
  }

  @Test func factsOfOthers() throws {
    var names = try Explained.result("dns", .ok, { $0.queryName = "a.example" }) { _ in }
    names.dns = DNSFacts(
      rcode: "NOERROR",
      answers: ["192.0.2.7", "192.0.2.8"].map { DNSAnswer(name: "a.", type: "A", ttl: 5, data: $0) },
      authoritative: false, truncated: false, transport: "udp")
    #expect(names.detail == "NOERROR 192.0.2.7, 192.0.2.8")
    var ping = try Explained.result("ping", .ok, { $0.host = "a.example" }) { _ in }
    (ping.ping, ping.peer) = (PingFacts(sent: 3, received: 2), SocketAddress(.v4(0xc000_0201), port: 0))
    #expect(ping.detail == "2/3 replies, 192.0.2.1")
  }
}
