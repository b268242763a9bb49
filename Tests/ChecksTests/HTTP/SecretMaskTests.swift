// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import Testing

@testable import Checks

/// A page that repeats what it was sent, in whichever form its framework likes.
@Suite struct SecretMaskTests {
  private static let secret = "k3y\"</& ü"

  @Test(
    arguments: [
      "k3y\"</& ü", "azN5Ijw" + "vJiDDvA==", "k3y%22%3C%2F%26%20%C3%BC", "k3y%22%3c%2f%26%20%c3%bc",
      "6b3379223c2f2620c3bc", "6B3379223C2F2620C3BC", "k3y\\\"</& ü", "k3y&quot;&lt;/&amp; ü",
      "k3y%22%3C/%26%20%C3%BC", "k3y%22</&%20ü", "k3y\\\"<\\/& ü", "k3y\\u0022\\u003c\\/\\u0026 ü",
      "k3y&#34;&lt;&#x2F;&amp; ü", "azN5Ijw" + "vJiDDvA",
      "azN5Ijw" + "vJiDDvA%3D%3D", "azN5Ijw" + "vJiDDvA\\u003d=", "k3y\\\"</& \\u00fc", "k3y\\\"</& \\u00FC",
      "k3y&#34;&lt;/&amp; &#252;", "k3y&#34;&lt;/&amp; &#xFC;",
    ])
  func noFormOfItStays(echo: String) throws {
    let check = try httpCheck("http://good.test/") { $0.headers = [("X-Key", Redacted(Self.secret))] }
    guard case .http(let settings) = check.kind else { throw WrongKind() }
    #expect(SecretMask(settings).excerpt(of: Array("sent: \(echo)!".utf8)) == "sent: <redacted>!")
  }

  private func hidden(_ text: String, _ change: (inout CheckDefinition) -> Void) throws -> String? {
    let check = try httpCheck("http://good.test/p?a=1&tok=SECRET%2FQ1", change)
    guard case .http(let settings) = check.kind else { throw WrongKind() }
    return SecretMask(settings).excerpt(of: Array(text.utf8))
  }

  /// A page that tells of one part: one field, one cookie, one token.
  @Test(arguments: [
    ("unknown token SECRET/Q1", "unknown token <redacted>"), ("?tok=SECRET%2FQ1", "?tok=<redacted>"),
    ("invalid token TOKEN123!", "invalid token <redacted>!"),
    ("no session abcd1234.", "no session <redacted>."),
    ("bad password hunter2", "bad password <redacted>"), ("the type is text/html", "the type is text/html"),
  ])
  func partsAreHiddenToo(text: String, shown: String) throws {
    let found = try hidden(text) {
      $0.headers = [
        ("Authorization", Redacted("Bearer TOKEN123")), ("Cookie", Redacted("theme=dark1; sid=abcd1234")),
        ("Accept", Redacted("text/html, text/plain")),
      ]
      $0.method = "POST"
      $0.http.body = Redacted(#"{"user": "bob", "password": "hunter2"}"#)
    }
    #expect(found == shown)
  }

  /// What a file gave is hidden without what the configuration writes around it, whatever that is.
  @Test func whatAFileGaveIsHidden() throws {
    let found = try hidden("no such key Pw9aBcDeFg, nor UHc5YUJjRGVGZw") {
      $0.method = "POST"
      $0.http.body = Redacted("<a><key>Pw9aBcDeFg</key></a>")
      $0.http.secrets = SecretTexts([Redacted("Pw9aBcDeFg")])
    }
    #expect(found == "no such key <redacted>, nor <redacted>")
  }

  /// Headers have more forms than a name and a token.
  @Test(arguments: [
    ("Token token=\"Pw9aBcDeFg\"", "Pw9aBcDeFg"), ("{\"key\":\"Pw9aBcDeFg\"}", "Pw9aBcDeFg"),
    ("ApiKey me:Pw9aBcDeFg", "Pw9aBcDeFg"), ("Basic bWU6UHc5YTpCY0RlRmc=", "Pw9a:BcDeFg"),
    ("Basic bWU6UHc5YTpCY0RlRmc=", "me:Pw9a:BcDeFg"),
  ])
  func aTokenInAHeader(value: String, told: String) throws {
    let found = try hidden("invalid \(told)!") { $0.headers = [("X-Auth", Redacted(value))] }
    #expect(found == "invalid <redacted>!")
  }

  /// A gateway puts a key into the credentials of its own.
  @Test(arguments: ["", "x", "xy", "xyz", "apikey:"], ["", "a", "bc"])
  func aKeyAmongOtherBytesOfBase64(before: String, after: String) throws {
    let echo = Base64.text(Array("\(before)Pw9aBcDeFg1234\(after)".utf8))
    let found = try #require(
      try hidden("Basic \(echo)") { $0.headers = [("X-Key", Redacted("Pw9aBcDeFg1234"))] })
    #expect(found.contains("<redacted>"))
    // Of a key of 19 digits no group of four is left.
    #expect(found.utf8.count <= "Basic <redacted>".utf8.count + (echo.utf8.count - 16))
  }

  /// A host has no capitals, so that a token in the host of a redirect comes in small letters.
  @Test func aTokenInAHost() throws {
    let check = try httpCheck("http://good.test/") { $0.auth.bearer = Redacted("QzTok9aBcDeF") }
    guard case .http(let settings) = check.kind else { throw WrongKind() }
    let mask = SecretMask(settings)
    #expect(mask.shown(host: "qztok9abcdef.example") == "<redacted>.example")
    #expect(mask.shown(host: "good.test") == "good.test")
    let url = try settings.url.resolving(location: "http://QzTok9aBcDeF.example/a")
    #expect(mask.shown(url) == "http://<redacted>.example/a")
    let verdict = Verdict(.dnsNXDomain, phase: .dns, message: "qztok9abcdef.example does not exist")
    #expect(mask.shown(verdict).message == "<redacted>.example does not exist")
  }

  /// An explanation names the hosts that were looked up, and a redirect may have put a token into one.
  @Test func aTokenInAHostThatIsExplained() throws {
    let check = try httpCheck("http://good.test/") { $0.auth.bearer = Redacted("QzTok9aBcDeF") }
    guard case .http(let settings) = check.kind else { throw WrongKind() }
    let plan = HTTPPlan(
      Attempt(of: check, until: .now + .seconds(5), explains: true), settings,
      finder: TargetFinder(resolver: NameTable(), policy: EgressPolicy()), userAgent: "test")
    var trail = HTTPTrail(plan, now: { Timestamp(seconds: 1_800_000_000) })
    var step = HTTPStep(settings)
    trail.note(.hostsFile, [], of: step)
    step.url = try settings.url.resolving(location: "http://QzTok9aBcDeF.example/a")
    trail.note(.hostsFile, [], of: step)
    let account = try #require(trail.outcome(.answered(nil), within: CPUBudget(bytes: 0)).account)
    #expect(account.names.map(\.name) == ["good.test", "<redacted>.example"])
  }

  /// A redirect may lead to a URL of 8000 bytes. A result shows as much of it as a check's own URL may have.
  @Test func aLongURLIsCut() throws {
    let check = try httpCheck("http://good.test/")
    guard case .http(let settings) = check.kind else { throw WrongKind() }
    let mask = SecretMask(settings)
    for (length, isWhole) in [(2030, true), (2031, true), (2032, false), (7000, false)] {
      let url = try settings.url.resolving(location: "/" + String(repeating: "a", count: length))
      let shown = mask.shown(url)
      #expect(shown.utf8.count <= 2048 && (shown == url.text) == isWhole && shown.hasSuffix("…") == !isWhole)
    }
  }

  /// What a check accepts is what an answer is: `once --explain` showed `Content-Type: <redacted>`.
  @Test func theMediaTypeOfTheAnswerIsShown() throws {
    let check = try httpCheck("http://good.test/") {
      $0.headers = [("Accept", Redacted("application/json")), ("X-Key", Redacted("k3y-of-mine"))]
    }
    guard case .http(let settings) = check.kind else { throw WrongKind() }
    let mask = SecretMask(settings)
    #expect(mask.hide("application/json", ofHeader: "Content-Type") == "application/json")
    #expect(mask.hide("application/json", ofHeader: "X-Echo") == "<redacted>")
    #expect(mask.hide("text/k3y-of-mine", ofHeader: "content-type") == "text/<redacted>")
  }

  /// A form's plus is a blank, as its percent signs are bytes: both forms are hidden.
  @Test(arguments: [
    ("said hun ter2!", "said <redacted>!"), ("said hun+ter2!", "said <redacted>!"),
    ("said a b&c d", "said <redacted>"), ("said a+b%26c+d", "said <redacted>"), ("said user", "said user"),
  ])
  func fieldsOfFormsAreHiddenAsTheyAreMeant(text: String, shown: String) throws {
    let found = try hidden(text) {
      $0.method = "POST"
      $0.http.body = Redacted("user=x&password=hun+ter2&answer=a+b%26c+d")
    }
    #expect(found == shown)
  }

  /// JSON writes what is beyond 16 bits as two escapes.
  @Test func anEscapedPairIsHidden() throws {
    let found = try hidden(#"[\ud83d, \uD83D\uDD11pass1, \ud83d\udd11pass1, \u00e4]"#) {
      $0.headers = [("X-Key", Redacted("\u{1f511}pass1"))]
    }
    #expect(found == #"[\ud83d, <redacted>, <redacted>, \u00e4]"#)
  }

  /// Some services have a key in the path.
  @Test func thePathOfASecretURLIsHidden() async throws {
    let outcome = try await faultOutcome(
      change: {
        $0.url = ($0.url ?? "") + "bot/KEY-123456/send"
        $0.hasSecretURL = true
      }, script: answering("HTTP/1.1 404 Not Found\r\nContent-Length: 17\r\n\r\nno bot KEY-123456"))
    #expect(outcome.verdict.reason == .httpStatus)
    #expect(outcome.hops.allSatisfy { $0.url.hasSuffix("/<redacted>") })
    #expect(outcome.excerpt?.contains("KEY") != true)
  }

  @Test func theFieldsOfAFormAreHidden() throws {
    let found = try hidden("got hunter+2 and hunter 2") {
      $0.method = "POST"
      $0.http.body = Redacted("user=bob&password=hunter+2")
    }
    #expect(found == "got <redacted> and <redacted>")
  }

  /// An excerpt has at most 1 KiB, the sign that it was cut included.
  @Test(arguments: [(1023, 1023), (1024, 1024), (1025, 1024), (70_000, 1024)])
  func theLengthOfAnExcerpt(length: Int, shown: Int) throws {
    let text = String(repeating: "a", count: length)
    let found = try #require(try hidden(text) { _ in })
    #expect(found.utf8.count == shown)
    let kept = length == shown ? text : String(text.prefix(1021)) + "…"
    #expect(found == kept)
  }
}
