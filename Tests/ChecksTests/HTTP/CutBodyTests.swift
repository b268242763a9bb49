// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Testing

@testable import Checks

/// Conditions on a body that is not all there, and which checks ask for one at all.
@Suite struct CutBodyTests {
  private func settings(_ change: (inout CheckDefinition) -> Void) throws -> HTTPSettings {
    guard case .http(let settings) = try httpCheck("https://shop.test/path", change).kind else {
      throw WrongKind()
    }
    return settings
  }

  private func judge(_ settings: HTTPSettings, _ change: (inout TransferReport) -> Void) throws -> HTTPJudge {
    var report = TransferReport(outcome: .complete)
    (report.statusCode, report.httpVersion, report.body) = (200, "1.1", Array(#"{"a":1}"#.utf8))
    report.times.lastByte = .milliseconds(1)
    change(&report)
    return HTTPJudge(
      settings: settings, failure: nil, report: report, lastURL: settings.url, tls: nil,
      now: Timestamp(seconds: 1_800_000_000))
  }

  /// A word found in a part is in the whole; a condition on the whole of a body that was cut does not hold.
  @Test func ofACutBodyOnlyWhatWasFoundHolds() throws {
    let settings = try settings {
      $0.http.expect.bodyContains = ["a"]
      $0.http.expect.bodyNotContains = ["zzz"]
      $0.http.expect.bodyMatches = ["a"]
      $0.http.expect.bodyNotMatches = ["z+"]
      $0.expect.json = [("$.a", "1")]
    }
    let whole = try judge(settings) { _ in }
    #expect(whole.verdict == .ok && whole.assertions.allSatisfy(\.ok) && whole.excerpt == nil)
    let cut = try judge(settings) { $0.truncated = true }
    #expect(cut.verdict.reason == .body)
    #expect(
      cut.assertions.map(\.what) == [
        "status", "body.contains", "body.not_contains", "body.matches", "body.not_matches", "json.$.a",
      ])
    #expect(cut.assertions.map(\.ok) == [true, true, false, false, false, false])
    #expect(
      cut.assertions.map(\.actual) == [
        "200", "found", "not found in the first 7 bytes", "not judged in the first 7 bytes",
        "not judged in the first 7 bytes", "not judged: only 7 bytes of the body arrived",
      ])
    #expect(cut.excerpt == #"{"a":1}"#)
    // A body whose end never came is cut as well.
    let unread = try judge(settings) { $0.times.lastByte = nil }
    #expect(unread.assertions.map(\.ok) == [true, true, false, false, false, false])
  }

  /// A pattern alone and JSON alone fail of a cut body, too, however well the part fits.
  @Test func eachConditionOnACutBodyFails() throws {
    let changes: [@Sendable (inout CheckDefinition) -> Void] = [
      { $0.http.expect.bodyNotContains = ["zzz"] }, { $0.http.expect.bodyMatches = ["^"] },
      { $0.http.expect.bodyNotMatches = ["zzz"] }, { $0.expect.json = [("$.a", "1")] },
      { $0.expect.json = [("$", "!= 1")] },
    ]
    for (place, change) in changes.enumerated() {
      let settings = try settings(change)
      #expect(try judge(settings) { _ in }.verdict == .ok, "\(place)")
      let reason: Reason = place < 3 ? .body : .json
      #expect(try judge(settings) { $0.truncated = true }.verdict.reason == reason, "\(place)")
    }
    let literal = try settings { $0.http.expect.bodyContains = [#""a""#] }
    #expect(try judge(literal) { $0.truncated = true }.verdict == .ok)
  }

  /// Each word that is no coding is named once, three at most, and only where a body was to be decoded.
  @Test func wordsThatAreNoCodingAreNamed() throws {
    let wants = try settings { $0.http.expect.bodyContains = ["a"] }
    let plain = try settings {
      ($0.http.expect.bodyContains, $0.http.decompress) = (["a"], false)
    }
    func message(_ settings: HTTPSettings, _ values: [String], body: String = "a") throws -> String? {
      try judge(settings) {
        $0.headers = values.map { HeaderField("Content-Encoding", $0) }
        $0.body = Array(body.utf8)
      }.verdict.message
    }
    func words(_ names: [String]) -> String {
      names.map { "Content-Encoding \"\($0)\" is no coding: the body was judged as it is" }
        .joined(separator: "; ")
    }
    #expect(try message(wants, ["utf-8"]) == words(["utf-8"]))
    #expect(try message(wants, ["none, NONE, binary", "7bit, 8bit"]) == words(["none", "binary", "7bit"]))
    #expect(try message(wants, ["none"], body: "") == "body does not contain \"a\"")
    #expect(try message(plain, ["utf-8"]) == nil)
    #expect(try message(wants, ["identity"]) == nil)
  }

  /// Most checks ask for a status and nothing else: they are judged without looking at anything else.
  @Test func whatACheckAsksFor() throws {
    let rows: [(name: String, isAboutStatus: Bool, isPlain: Bool, change: (inout CheckDefinition) -> Void)] =
      [
        ("status", true, true, { $0.expect.status = ["204"] }),
        ("certificate", true, true, { $0.expect.certificate = Thresholds(warn: .seconds(86_400)) }),
        ("contains", false, true, { $0.http.expect.bodyContains = ["a"] }),
        ("not contains", false, true, { $0.http.expect.bodyNotContains = ["a"] }),
        ("matches", false, false, { $0.http.expect.bodyMatches = ["a"] }),
        ("not matches", false, false, { $0.http.expect.bodyNotMatches = ["a"] }),
        ("json", false, true, { $0.expect.json = [("$.a", "1")] }),
        ("json pattern", false, false, { $0.expect.json = [("$.a", "!~ x")] }),
        ("header", false, true, { $0.expect.headers = [("X", "< 1")] }),
        ("header pattern", false, false, { $0.expect.headers = [("X", "~ a")] }),
        ("final URL", false, true, { $0.expect.finalURL = "!= https://shop.test/" }),
        ("final URL pattern", false, false, { $0.expect.finalURL = "~ shop" }),
        ("version", false, true, { $0.expect.httpVersion = ">= 1.1" }),
      ]
    for (name, isAboutStatus, isPlain, change) in rows {
      let expect = try settings(change).expect
      #expect(expect.isAboutStatusAlone == isAboutStatus, "\(name)")
      #expect(expect.isWithoutPatterns == isPlain, "\(name)")
    }
  }

  /// Both ends of a range are in it, each of several ranges counts, and a list without an entry takes any status.
  @Test(
    arguments: [
      ([200...299], 199, false, "200-299"), ([200...299], 200, true, "200-299"),
      ([200...299], 299, true, "200-299"), ([200...299], 300, false, "200-299"),
      ([204...204, 300...399], 204, true, "204, 300-399"),
      ([204...204, 300...399], 205, false, "204, 300-399"),
      ([204...204, 300...399], 399, true, "204, 300-399"),
      ([204...204, 300...399], 299, false, "204, 300-399"),
      ([301...302], 302, true, "301-302"), ([], 599, true, "any"), ([], nil, false, "any"),
      ([200...299], nil, false, "200-299"),
    ] as [([ClosedRange<Int>], Int?, Bool, String)])
  func statuses(wanted: [ClosedRange<Int>], status: Int?, holds: Bool, expected: String) {
    let judged = HTTPConditions.status(wanted, status)
    let actual = status.map(String.init) ?? ""
    #expect(
      judged.assertion == Assertion(what: "status", expected: expected, actual: actual, ok: holds))
    #expect(judged.reason == .httpStatus)
    #expect(judged.words == (holds ? "" : "status \(actual), expected \(expected)"))
  }
}
