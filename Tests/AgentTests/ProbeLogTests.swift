// SPDX-License-Identifier: MIT

import Basics
import Import
import Monitoring
import Testing

@testable import Agent

/// What /probe says of a finding in words.
@Suite struct ProbeLogTests {
  private func finding(target: String, _ verdict: Verdict? = nil) throws -> ProbeFinding {
    let module = try #require(
      try BlackboxModule.read(Array("modules:\n  web:\n    prober: http\n".utf8)).first)
    var finding = ProbeFinding(module, target)
    guard let verdict else { return finding }
    finding.result = CheckResult(
      id: UniqueID(high: 5, low: 1), check: try tcpCheck("Shop"), trigger: .manual, scheduledAt: .epoch,
      startedAt: .epoch, late: .zero, verdict: verdict)
    return finding
  }

  /// The address that a target is, without scheme, user, port and path.
  @Test(
    arguments: [
      ("192.0.2.1", "192.0.2.1"), ("2001:db8::1", "2001:db8::1"), ("192.0.2.1:80?x@y", "192.0.2.1"),
      ("http://192.0.2.1:80/a", "192.0.2.1"), ("https://u:p@[2001:db8::1]:443/?x", "2001:db8::1"),
      ("http://u@x@192.0.2.1#@y", "192.0.2.1"), ("[2001:db8::1]", "2001:db8::1"), ("shop.example", nil),
      ("http://shop.example/@192.0.2.1", nil), ("192.0.2.1@shop.example:80", nil), ("", nil),
    ] as [(String, String?)])
  func addressesOfTargets(target: String, address: String?) throws {
    #expect(try finding(target: target).literal?.description == address)
  }

  /// Up and degraded are success; without a result there is a reason all the same.
  @Test func verdicts() throws {
    let rows: [(Verdict?, isUp: Bool, Reason?, Phase?)] = [
      (.ok, true, nil, nil), (Verdict(.responseTime, degraded: true), true, nil, nil),
      (Verdict(.connectRefused, phase: .connect), false, .connectRefused, .connect),
      (Verdict(.localFault, phase: .dns), false, .localFault, .dns), (nil, false, .unsupported, .prepare),
    ]
    for row in rows {
      let found = try finding(target: "a.example", row.0)
      #expect(found.isUp == row.isUp && found.failure?.reason == row.2)
      #expect(found.failure?.phase == row.3)
    }
  }

  /// Milliseconds are rounded down, and what cannot be printed is not.
  @Test func aLineAProbe() throws {
    var found = try finding(target: "http://a.example/\u{1B}[1m", .ok)
    (found.at, found.elapsed) = (Timestamp(seconds: 1_767_528_000), .microseconds(1_500_999))
    let line = ProbeLog.line(found)
    #expect(line.hasPrefix("2026-01-04T12:00:00.000Z web http://a.example/"))
    #expect(line.hasSuffix("[1m succeeded 1500 ms") && !line.contains("\u{1B}"))
    found = try finding(target: "a.example", Verdict(.connectRefused, phase: .connect, message: "no"))
    (found.at, found.elapsed) = (Timestamp(seconds: 1_767_528_000), .microseconds(999))
    #expect(ProbeLog.line(found) == "2026-01-04T12:00:00.000Z web a.example failed connect_refused 0 ms")
    #expect(try ProbeLog.line(finding(target: String(repeating: "a", count: 600))).utf8.count <= 500)
  }

  /// The facts in the order they came in, then the verdict, then the metrics.
  @Test func allOfAProbe() throws {
    var found = try finding(target: "shop.example", Verdict(.body, phase: .assertion, message: "no \"ok\""))
    var account = ProbeAccount()
    account.names = [
      ResolvedName(
        name: "shop.example",
        addresses: ["192.0.2.1", "2001:db8::1"].compactMap { IPAddress($0) }, source: .hostsFile)
    ]
    account.sections = AnswerSections()
    account.sections?.answer = (0..<65).map { "record \($0)" }
    found.result?.account = account
    found.result?.hops = [
      Hop(url: "http://shop.example/", statusCode: 301, address: "192.0.2.1:80"),
      Hop(url: "http://shop.example/a"),
    ]
    found.result?.dialog = [
      DialogStepFacts(what: "EHLO", elapsed: .zero, ok: true),
      DialogStepFacts(what: "STARTTLS", elapsed: .zero, ok: false),
    ]
    found.result?.assertions = [
      Assertion(what: "status", expected: "200", actual: "201", ok: true),
      Assertion(what: "body.contains", expected: "ok", actual: "none", ok: false),
    ]
    let records = (0..<64).map { "answer record \($0)\n" }.joined()
    #expect(
      ProbeLog.text(found, "m 1\n") == """
        Logs for the probe:
        module=web target=shop.example
        resolved shop.example: 192.0.2.1 2001:db8::1
        request http://shop.example/ at 192.0.2.1:80: status 301
        request http://shop.example/a at -: status -
        done EHLO
        FAILED STARTTLS

        """ + records + """
          holds status: 200, found 201
          FAILS body.contains: ok, found none
          Probe failed: body: no "ok"

          Metrics that would have been returned:
          m 1

          """)
    var none = try finding(target: "a.example")
    none.words = "no such thing"
    #expect(ProbeLog.text(none, "").contains("\nProbe failed: unsupported: no such thing\n\nMetrics"))
    #expect(try ProbeLog.text(finding(target: "a", .ok), "").contains("\nProbe succeeded\n\nMetrics"))
  }
}
