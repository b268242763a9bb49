// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Small rules of results: bounds of their texts, days of a certificate, marks, slots and notices.
@Suite struct ResultFactsTests {
  /// Days that are over count, also where the end has passed: a second after it is the first day.
  @Test(
    arguments: [
      (0, 0), (1, 0), (86_399_999_999, 0), (86_400_000_000, 1), (86_400_000_001, 1),
      (21 * 86_400_000_000, 21), (21 * 86_400_000_000 - 1, 20), (-1, -1), (-86_400_000_000, -1),
      (-86_400_000_001, -2), (-172_799_999_999, -2), (-172_800_000_000, -2),
    ] as [(Int64, Int)])
  func daysOfACertificate(microseconds: Int64, days: Int) {
    let now = Timestamp(seconds: 1_767_492_000)
    #expect(TLSFacts.wholeDays(from: now, to: now.advanced(by: .microseconds(microseconds))) == days)
  }

  @Test func marksAndWords() {
    let rows: [(CheckState, String, String)] = [
      (.up, "●", "UP"), (.degraded, "▲", "DEGRADED"), (.down, "✕", "DOWN"), (.unknown, "?", "UNKNOWN"),
    ]
    for (state, mark, word) in rows { #expect(state.mark == mark && state.word == word) }
    #expect(rows.map { $0.0 } == CheckState.allCases)
  }

  /// Texts of others are one line each, as long as their place has room.
  @Test func boundsOfTexts() {
    let long = "a\n" + String(repeating: "x", count: 400)
    let assertion = Assertion(what: "body", expected: long, actual: long, ok: false)
    #expect(assertion.expected == long.printable(maxBytes: 256) && assertion.actual == assertion.expected)
    #expect(assertion.expected.utf8.count == 256 && assertion.expected.hasPrefix("a\\u{a}x"))
    let step = DialogStepFacts(what: long, elapsed: .zero, ok: true, seen: long)
    #expect(step.what.utf8.count == 128 && step.what.hasPrefix("a\\u{a}x"))
    #expect(step.seen?.utf8.count == 256 && step.seen?.hasPrefix("a\\u{a}x") == true)
    #expect(DialogStepFacts(what: "a", elapsed: .zero, ok: true).seen == nil)
    let verdict = Verdict(.body, phase: .transfer, message: "b", isUnknown: true, timedOut: true)
    let other = verdict.with(message: long)
    #expect(other.message?.utf8.count == 256 && other.message?.hasPrefix("a\\u{a}x") == true)
    #expect(other.reason == .body && other.phase == .transfer && other.isUnknown && other.timedOut)
    #expect(!other.degraded && verdict.message == "b")
  }

  @Test func slots() {
    let first = Timestamp(seconds: 100)
    let range = SlotRange(first: first, count: 3, interval: .milliseconds(1500))
    #expect(Array(range) == [0, 1_500_000, 3_000_000].map { Timestamp(microseconds: 100_000_000 + $0) })
    #expect(range.startIndex == 0 && range.endIndex == 3 && range.count == 3 && range[2] == range.last)
    #expect(SlotRange(first: first, count: 0, interval: .seconds(1)).isEmpty)
  }

  /// The names in the order in which they came, each once; three of them in words.
  @Test func credentialsThatCannotBeRead() {
    #expect(UnreadCredentials([]) == nil)
    #expect(UnreadCredentials(["a", "b", "a"])?.names == ["a", "b"])
    let end = ", which only the service can read"
    #expect(UnreadCredentials(["a"])?.words == "needs the credential \"a\"" + end)
    #expect(UnreadCredentials(["a", "b", "c"])?.words == "needs the credentials \"a\", \"b\", \"c\"" + end)
    #expect(
      UnreadCredentials(["a", "b", "c", "d"])?.words
        == "needs the credentials \"a\", \"b\", \"c\" and 1 more" + end)
    #expect(
      UnreadCredentials(["a", "b", "c", "d", "e"])?.words
        == "needs the credentials \"a\", \"b\", \"c\" and 2 more" + end)
    let long = String(repeating: "k", count: 41)
    #expect(
      UnreadCredentials([long])?.words
        == "needs the credential \"\(String(repeating: "k", count: 37))…\"" + end)
    #expect(UnreadCredentials(["a"])?.hidesTarget == false)
    #expect(UnreadCredentials(["a"])?.hidesConditions == false)
    #expect(UnreadCredentials.host == "credential.invalid")
  }

  @Test func notices() {
    let severities: [Notice.Severity] = [.fine, .warning, .critical]
    #expect(severities.shuffled().sorted() == severities && !(Notice.Severity.fine < .fine))
    let at = Timestamp(seconds: 5)
    let rows: [(Notice, Notice.Severity, String?, Timestamp?)] = [
      (.fine("a", "b"), .fine, nil, nil), (.warning("a", "b"), .warning, nil, nil),
      (.warning("a", "b", hint: "h", since: at), .warning, "h", at),
      (.critical("a", "b", hint: "h", since: at), .critical, "h", at),
      (Notice(.critical, "a", "b"), .critical, nil, nil),
    ]
    for (notice, severity, hint, since) in rows {
      #expect(notice.severity == severity && notice.isCritical == (severity == .critical))
      #expect(notice.place == .part("a") && notice.what == "b" && notice.hint == hint)
      #expect(notice.since == since)
    }
    #expect(Notice.Place.check("Shop").text == "Shop" && Notice.Place.check("a") != .part("a"))
    let places: [Notice.Place] = [
      .delivery, .checkList, .reach, .windows, .resources, .store, .history, .stateDirectory, .discovery,
      .schedule, .clock, .queues, .configuration, .restart, .fleet,
    ]
    #expect(
      places.map(\.text) == [
        "delivery", "the check list", "the reach of the check list", "the maintenance windows",
        "the status of resources", "the store", "the history", "state_dir", "discover", "the schedule",
        "clock", "queues", "configuration", "restart", "the fleet",
      ])
  }

  @Test func whatIsUsualOfTheAPI() throws {
    let settings = QuartzSettings(url: try HTTPURL("https://q.example/v1"), apiKey: Redacted("k"))
    #expect(settings.apiKeyFile == nil && settings.supabase == nil && !settings.updateResources)
    let pull = settings.checks
    #expect(!pull.pull && pull.every == .seconds(600) && pull.only.isEmpty && pull.except.isEmpty)
    #expect(!pull.pingICMP && !pull.readBody && !pull.cacheCredentials)
    let deliver = settings.deliver
    #expect(deliver.target == .quartz && deliver.batch == 500 && deliver.every == .seconds(15))
    #expect(!deliver.messages)
    #expect(DeliverSettings.Target.allCases.map(\.rawValue) == ["quartz", "supabase", "off"])
    #expect(PublicLanguage.allCases.map(\.rawValue) == ["en", "de", "fr", "es", "pt", "ja"])
  }

  /// What the places said stands at the end of the document of a result.
  @Test func theVerdictOfThePlacesIsInTheDocument() throws {
    var result = CheckResult(
      id: UniqueID(high: 1, low: 1), check: try MonitoringCheck(.http()), trigger: .schedule,
      scheduledAt: .epoch, startedAt: .epoch, late: .zero, verdict: .ok)
    #expect(!result.json.contains("confirmed"))
    result.maintenance = true
    result.confirmation = QuorumVerdict(.own, from: 2, places: [PlaceVerdict("ny", .up, .ok)], own: .ok)
    #expect(
      result.json.hasSuffix(
        #""reason":"ok","maintenance":true,"confirmed":{"by":0,"of":1,"from":2,"places":[{"place":"ny","#
          + #""state":"up","reason":"ok","alive":true}],"own":{"state":"up","reason":"ok"}}}"#))
    result.confirmation = nil
    #expect(result.confirmation == nil && !result.json.contains("confirmed"))
  }

  /// Segments that are lost have one cause while TLS, the first byte or the body is waited for.
  @Test func causesAndTheirReasons() {
    let rows: [(NarrowCause, [Reason])] = [
      (.prohibited, [.connectUnreachable]), (.absentNeighbour, [.connectUnreachable]),
      (.lostSegments, [.tlsTimeout, .firstByteTimeout, .transferTimeout]),
      (
        .relayed,
        [
          .firstByteTimeout, .transferTimeout, .connectionReset, .connectionClosed, .httpProtocol,
          .httpStatus,
        ]
      ), (.tlsAlert, [.tlsHandshake]), (.longChain, [.tlsHandshake]), (.noStatusLine, [.httpProtocol]),
      (.refusingRoute, [.localFault]),
      (.missingRoute, [.localFault]), (.unreadCredential, [.localFault]),
    ]
    for (cause, reasons) in rows {
      for reason in Reason.allCases {
        let found = NarrowCause(reason, "x \(cause.rawValue) y")
        #expect(found == (reasons.contains(reason) ? cause : nil), "\(cause) \(reason)")
        #expect(NarrowCause(reason, nil) == nil && NarrowCause(reason, "x") == nil)
      }
    }
    #expect(rows.map { $0.0 } == NarrowCause.allCases)
  }
}
