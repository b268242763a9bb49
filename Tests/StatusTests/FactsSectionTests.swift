// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// The latest result on a check's page, in full.
@Suite struct FactsSectionTests {
  @Test func everyConditionIsShownWithWhatWasFound() throws {
    let check = try makeCheck("Shop front")
    var result = makeResult(check, minute: 1, state: .down)
    result.assertions = [
      Assertion(what: "status", expected: "200-299", actual: "503", ok: false),
      Assertion(what: "body.contains", expected: "<b>ok", actual: "", ok: true),
    ]
    result.excerpt = "<script>bad</script>"
    let html = FactsSection(result: result).render().html
    #expect(
      html.contains(
        "✕</span>&nbsp;status <span class=\"dim\">found <b class=\"num\">503</b>, expected 200-299"))
    #expect(
      html.contains(
        "✓</span>&nbsp;body.contains <span class=\"dim\">found <b class=\"num\">nothing</b>, expected &lt;b&gt;ok"
      ))
    #expect(html.contains("&lt;script&gt;bad") && !html.contains("<script"))
    // Each phase with its time, and their sum.
    let phases = html.matches(of: /<dt>(?:<svg.*?<\/svg> )?([a-z ]+)<\/dt><dd class="num">([^<]+)</).map {
      "\($0.1) \($0.2)"
    }
    #expect(
      phases == [
        "dns 4.23 ms", "connect 8.46 ms", "tls 10.6 ms", "first byte 14.1 ms", "transfer 2.12 ms",
        "total 42.3 ms",
      ])
    #expect(html.contains("status 503") && html.contains("failed in assertion"))
  }

  /// Attempts are listed where there was more than one.
  @Test(arguments: [(0, 0), (1, 0), (2, 2), (20, 20), (21, 20)]) func attempts(count: Int, rows: Int) throws {
    var result = makeResult(try makeCheck("Shop front"), minute: 1, state: .down)
    result.attempts = (0..<count).map { second in
      AttemptFacts(
        startedAt: started.advanced(by: .seconds(second)), status: .timeout, reason: .connectTimeout,
        responseTime: nil)
    }
    let html = FactsSection(result: result).render().html
    #expect(html.contains("<h3>Attempts</h3>") == (rows > 0))
    #expect(html.matches(of: /UTC <span class="dim">[^<]*connect_timeout</).count == rows)
    #expect(html.contains("and 1 more") == (count == 21))
  }

  @Test func aNameIsWholeAndStandsApart() {
    #expect(Layout.name("Überweisungs\u{ad}prüfung").html == "<bdi>Überweisungs\u{ad}prüfung</bdi>")
    #expect(Layout.name("👩🏾\u{200d}💻 <b>").html == "<bdi>👩🏾\u{200d}💻 &lt;b&gt;</bdi>")
    // What turns the line around is shown, not done.
    #expect(Layout.name("a\u{202e}b").html == "<bdi>a\\u{202e}b</bdi>")
    let long = String(repeating: "x", count: 200)
    #expect(Layout.name(long).html == "<bdi>\(long)</bdi>")
  }
}
