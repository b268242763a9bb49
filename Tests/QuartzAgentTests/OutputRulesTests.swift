// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics
import Glibc
import Monitoring
import Testing

@testable import QuartzAgent

/// What programs read of results: exit codes, JUnit, figures over rounds.
@Suite struct OutputRulesTests {
  private func result(_ verdict: Verdict, name: String = "Shop", milliseconds: Double = 5) throws
    -> CheckResult
  {
    var result = try Explained.http(verdict) { $0.check = name }
    result.responseTime = Explained.ms(milliseconds)
    return result
  }

  /// One that is down decides, then one that is unknown; nothing that was run is no pass.
  @Test(
    arguments: [
      ([], 3), ([.up], 0), ([.up, .degraded], 1), ([.up, .down], 2), ([.down, .up], 2),
      ([.unknown, .down, .up], 2),
      ([.up, .unknown, .degraded], 3),
    ] as [([CheckState], Int32)])
  func theWorstDecides(states: [CheckState], status: Int32) {
    #expect(ExitStatus.of(states) == status)
  }

  /// Names and words of a server are text there: no cell, no markup, no mention, no second command.
  @Test func markdownAndGitHub() throws {
    let results = [
      try result(.ok), try result(.ok, name: "a|b", milliseconds: 0.046),
      try result(
        Verdict(.httpStatus, phase: .assertion, message: "`@all` | <b>503</b>"), milliseconds: 12.34),
    ]
    #expect(
      MarkdownText().render(results, unfinished: ["Bank"]) == """
        **2 of 4 results not up: 1 down, 1 not finished**

        | State | Check | Type | Time | Detail |
        | --- | --- | --- | ---: | --- |
        | ● up | `Shop` | http | 5.0 ms |  |
        | ● up | `a\\|b` | http | 0.046 ms |  |
        | ✕ down | `Shop` | http | 12.3 ms | `http_status: '@all' \\| <b>503</b>` |
        |  | `Bank` |  |  | was not run to its end |

        """)
    let hostile = try result(
      Verdict(.httpStatus, phase: .assertion, message: "100 %\n::stop-commands::x"), name: "a:b,c")
    let text = GitHubText.render(
      [results[0], hostile, try result(Verdict(.localFault, phase: .connect))], unfinished: ["Bank"])
    #expect(
      text == """
        ::error title=a%3Ab%2Cc::http_status: 100 %25\\u{a}::stop-commands::x
        ::warning title=Shop::unknown: local_fault
        ::warning title=Bank::was not run to its end
        3 of 4 results not up: 1 down, 1 unknown, 1 not finished

        """)
    #expect(GitHubText.render([results[0]], unfinished: []) == "1 result, up\n")
    #expect(MarkdownText().render([], unfinished: []) == "**No check was run**\n")
  }

  /// Options first, then NO_COLOR, then CLICOLOR_FORCE, then the terminal, which may be dumb.
  @Test(
    arguments: [
      ([], [:], false), (["--color", "always"], ["NO_COLOR": "1"], true),
      (["--color", "never"], ["CLICOLOR_FORCE": "1"], false),
      (["--no-color", "--color", "always"], [:], false), ([], ["CLICOLOR_FORCE": "1"], true),
      ([], ["CLICOLOR_FORCE": "0"], false), ([], ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false),
      ([], ["CLICOLOR_FORCE": "1", "NO_COLOR": ""], true),
    ] as [([String], [String: String], Bool)])
  func coloursAreAskedForOrNot(options: [String], environment: [String: String], isOn: Bool) throws {
    // A pipe: on a terminal the last rule would decide.
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let colors = try ColorOptions.parse(options)
    #expect(colors.isOn(for: Terminal(ends[1])) { environment[$0] } == isOn)
  }

  /// A result that says nothing about the target is an error, and not a pass.
  @Test func whatIsUnknownIsAnError() throws {
    let text = renderJUnit(
      [
        try result(.ok), try result(Verdict(.localFault, phase: .connect, message: "no descriptor")),
        try result(Verdict(.httpStatus, phase: .assertion, message: "status 503")),
      ], ["Bank"])
    #expect(text.contains("tests=\"4\" failures=\"1\" errors=\"2\""))
    #expect(text.contains("<error type=\"local_fault\" message=\"local_fault: no descriptor\"/>"))
    #expect(text.contains("name=\"Bank\"><error type=\"stopped\""))
  }

  /// A name may hold what XML means otherwise.
  @Test func namesAreEscaped() throws {
    let text = renderJUnit([try result(.ok, name: "a & b < c > d \"e\"")])
    #expect(text.contains("name=\"a &amp; b &lt; c &gt; d &quot;e&quot;\""))
  }

  /// The smallest value that so many are not above: of ten, the median is the fifth.
  @Test func aPercentileIsAValueAtItsRank() throws {
    let results = try [7, 3, 10, 1, 9, 2, 8, 4, 6, 5].map { try result(.ok, milliseconds: $0) }
    let summary = LatencySummary(check: "Shop", results: results)
    #expect([0.01, 0.1, 0.11, 0.5, 0.9, 0.95, 1].map { summary.percentile($0) } == [1, 1, 2, 5, 9, 10, 10])
    #expect(summary.minimum == 1 && summary.maximum == 10 && summary.loss == 0)
    #expect(LatencySummary(check: "Shop", results: []).percentile(0.5) == nil)
  }

  /// The locale is that of the first variable that is set, and an empty one is not (locale(7)).
  @Test(
    arguments: [
      ([:], false), (["LANG": "en_GB.UTF-8"], true), (["LANG": "C"], false),
      (["LC_ALL": "", "LANG": "C.utf8"], true), (["LC_ALL": "", "LC_CTYPE": "", "LANG": "de_DE.UTF8"], true),
      (["LC_ALL": "C", "LANG": "en_GB.UTF-8"], false), (["LC_CTYPE": "C", "LANG": "en_GB.UTF-8"], false),
      (["LC_CTYPE": "C.UTF-8", "LANG": "C"], true), (["LC_ALL": "POSIX", "LC_CTYPE": "C.UTF-8"], false),
      (["LC_ALL": "", "LC_CTYPE": "C", "LANG": "C.UTF-8"], false), (["LANG": ""], false),
    ] as [([String: String], Bool)])
  func locales(environment: [String: String], isUTF8: Bool) {
    #expect(Terminal.showsUTF8 { environment[$0] } == isUTF8)
  }

  /// Results that come one by one on a terminal are progress enough; all else has a line for it.
  @Test func whoNeedsProgress() {
    for format in ResultFormat.allCases {
      #expect(OncePrinter.needsProgress(format, false))
      #expect(OncePrinter.needsProgress(format, true) == (format != .ndjson), "\(format)")
    }
  }

  /// A bare name is a host; what has a blank or a sign of another kind of target is none.
  @Test(
    arguments: [
      ("a.example", true), ("192.0.2.1", true), ("2001:db8::1", true), ("ä.example", true), ("a!b", true),
      ("", false), ("a b", false), (" a", false), ("a ", false), ("a\tb", false), ("a\u{1f}", false),
      ("a@b", false), ("a/b", false), ("a:b", false), ("[::1]", false), ("a?b", false), ("a#b", false),
      ("\"a\"", false), ("a'b", false), ("a\\b", false),
    ])
  func hostsOfATrace(text: String, isHost: Bool) {
    #expect(TraceTarget.isHost(text) == isHost)
  }
}
