// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network
import Testing

@testable import Checks

/// The requests that a check's keys lead to, hop by hop, without a server.
@Suite struct RequestRulesTests {
  private func plan(
    at url: String = "https://good.test/path?q=1", explains: Bool = false, isAsked: Bool = false,
    _ change: (inout CheckDefinition) -> Void = { _ in }
  ) throws -> HTTPPlan {
    let check = try httpCheck(url, change)
    guard case .http(let settings) = check.kind else { throw WrongKind() }
    return HTTPPlan(
      Attempt(of: check, until: .now + .seconds(5), explains: explains, isAsked: isAsked), settings,
      finder: TargetFinder(resolver: NameTable(), policy: EgressPolicy()), userAgent: "test")
  }

  private func request(_ plan: HTTPPlan) -> TransferRequest { HTTPStep(plan.settings).request(plan) }

  private func lines(_ request: TransferRequest) -> [String] {
    request.headers.map { "\($0.name): \($0.value.reveal())" }
  }

  /// How far an answer is read: to the end of a body that a condition needs or that is not forbidden, and not of HEAD.
  @Test func goals() throws {
    let rows:
      [(String, goal: TransferRequest.Goal, stopsAtStream: Bool, @Sendable (inout CheckDefinition) -> Void)] =
        [
          ("nothing", .drain(limit: 2000), true, { _ in }),
          ("read", .drain(limit: 2000), false, { $0.http.readBody = true }),
          ("not read", .headers, false, { $0.http.readBody = false }),
          ("HEAD", .headers, true, { $0.method = "HEAD" }),
          ("a body", .body(limit: 2000), false, { $0.http.expect.bodyContains = ["a"] }),
          ("JSON", .body(limit: 2000), false, { $0.expect.json = [("$.a", "1")] }),
          ("a header", .drain(limit: 2000), true, { $0.expect.headers = [("X", "1")] }),
        ]
    for (name, goal, stopsAtStream, change) in rows {
      let request = request(
        try plan {
          if name != "not read" { $0.maxBody = 2000 }
          change(&$0)
        })
      #expect(request.goal == goal, "\(name)")
      #expect(request.stopsAtStream == stopsAtStream, "\(name)")
      #expect(request.decompress == (goal == .body(limit: 2000)), "\(name)")
    }
    #expect(try request(plan()).goal == .drain(limit: 1_048_576))
  }

  /// A body that is judged as it comes is asked for as it is; one that nothing is held against is not decoded either.
  @Test func codings() throws {
    let asIs = request(
      try plan { ($0.http.decompress, $0.http.expect.bodyContains) = (false, ["a"]) })
    #expect(!asIs.decompress && lines(asIs) == ["User-Agent: test", "Accept-Encoding: identity"])
    let unread = request(try plan { $0.http.decompress = false })
    #expect(!unread.decompress && lines(unread) == ["User-Agent: test"])
    let decoded = request(try plan { $0.http.expect.bodyContains = ["a"] })
    #expect(decoded.decompress && lines(decoded) == ["User-Agent: test"])
    let own = request(
      try plan {
        ($0.http.decompress, $0.http.expect.bodyContains) = (false, ["a"])
        $0.headers = [("accept-encoding", Redacted("br"))]
      })
    #expect(lines(own) == ["User-Agent: test", "accept-encoding: br"])
  }

  /// A range is one of the coded bytes: with one, no coding is asked for, unless the check asks for it.
  @Test func codingsOfARange() throws {
    let range = ("RANGE", Redacted("bytes=0-4"))
    let asked = try plan { ($0.headers, $0.http.expect.bodyContains) = ([range], ["a"]) }
    let identity = "Accept-Encoding: identity"
    #expect(lines(request(asked)) == ["User-Agent: test", identity, "RANGE: bytes=0-4"])
    let unread = try plan { $0.headers = [range] }
    #expect(lines(request(unread)) == ["User-Agent: test", "RANGE: bytes=0-4"])
    let own = try plan {
      $0.headers = [range, ("Accept-Encoding", Redacted("br"))]
      $0.http.expect.bodyContains = ["a"]
    }
    #expect(lines(request(own)) == ["User-Agent: test", "RANGE: bytes=0-4", "Accept-Encoding: br"])
    // On another origin the range is not sent, and the body is whole.
    var led = HTTPStep(asked.settings)
    led.sendsOwnHeaders = false
    #expect(!lines(led.request(asked)).contains(identity))
  }

  /// HTTP/2 is left to the negotiation where the verdict does not hang on it: without a body either way, and where its
  /// version is what the check is about.
  @Test func versions() throws {
    let rows: [(String, HTTPVersionPreference, @Sendable (inout CheckDefinition) -> Void)] = [
      ("auto", .auto, { _ in }), ("1.0", .http10, { $0.httpVersion = "1.0" }),
      ("1.1", .http11, { $0.httpVersion = "1.1" }), ("2", .http2, { $0.httpVersion = "2" }),
      ("judged", .http11, { $0.http.expect.bodyContains = ["a"] }),
      ("judged over 2", .http2, { ($0.httpVersion, $0.http.expect.bodyContains) = ("2", ["a"]) }),
      ("sent", .http11, { ($0.method, $0.http.body) = ("POST", Redacted("a")) }),
      (
        "sent, with a version", .auto,
        { ($0.method, $0.http.body, $0.expect.httpVersion) = ("POST", Redacted("a"), "2") }
      ),
      (
        "judged, with a version", .auto,
        { ($0.http.expect.bodyContains, $0.expect.httpVersion) = (["a"], "!= 1.0") }
      ),
    ]
    for (name, version, change) in rows {
      #expect(try request(plan(change)).httpVersion == version, "\(name)")
    }
  }

  /// Of a redirect that is followed the body is not read; an explanation keeps the beginning; and a run on request waits
  /// for no budget, while another one waits for its whole interval.
  @Test func whatTheRunSays() throws {
    let usual = request(try plan { $0.interval = .seconds(90) })
    #expect(usual.stopsAtRedirect && !usual.keepsBeginning && usual.patience == .seconds(90))
    #expect(usual.url == "https://good.test/path?q=1" && usual.method == "GET" && usual.body == nil)
    #expect(usual.origin == WorkOrigin(.fileChecks, named: "good.test"))
    let asked = request(try plan(explains: true, isAsked: true) { $0.http.follow = false })
    #expect(!asked.stopsAtRedirect && asked.keepsBeginning && asked.patience == nil)
    #expect(asked.origin == WorkOrigin(.asked, named: "good.test"))
    let stranger = request(try plan { $0.origin = .api })
    #expect(stranger.origin == WorkOrigin(.apiChecks, named: "good.test"))
  }

  /// A check's own headers take the place of ours, and its credentials that of its own Authorization.
  @Test func headersOfACheck() throws {
    let basic = request(
      try plan {
        ($0.auth.basic.username, $0.auth.basic.password) = ("Aladdin", Redacted("open sesame"))
        $0.headers = [("USER-AGENT", Redacted("own")), ("X-A", Redacted("1"))]
      })
    // The example of RFC 7617 section 2.
    #expect(
      lines(basic) == ["USER-AGENT: own", "X-A: 1", "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="])
    let bearer = request(try plan { $0.auth.bearer = Redacted("abc") })
    #expect(lines(bearer) == ["User-Agent: test", "Authorization: Bearer abc"])
    let digest = request(
      try plan { ($0.auth.digest.username, $0.auth.digest.password) = ("me", Redacted("pw")) })
    #expect(lines(digest) == ["User-Agent: test"])
  }

  /// Cookies of the way stand behind the check's own in one header, and go along without the check's headers as well.
  @Test func cookiesOfTheWay() throws {
    let plan = try plan { $0.headers = [("cookie", Redacted("own=1")), ("X-A", Redacted("2"))] }
    var step = HTTPStep(plan.settings)
    step.cookies = "a=1; b=2"
    #expect(lines(step.request(plan)) == ["User-Agent: test", "cookie: own=1; a=1; b=2", "X-A: 2"])
    step.sendsOwnHeaders = false
    #expect(lines(step.request(plan)) == ["User-Agent: test", "Cookie: a=1; b=2"])
    let bare = try self.plan()
    var other = HTTPStep(bare.settings)
    other.cookies = "a=1"
    #expect(lines(other.request(bare)) == ["User-Agent: test", "Cookie: a=1"])
  }

  /// With a body that a redirect drops goes what describes it, each such header, and nothing else.
  @Test func whatDescribesABodyGoesWithIt() throws {
    let names = [
      "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-MD5",
    ]
    let plan = try plan {
      ($0.method, $0.http.body) = ("POST", Redacted("abc"))
      $0.headers = names.map { ($0, Redacted("x")) }
    }
    var step = HTTPStep(plan.settings)
    #expect(step.request(plan).body == Array("abc".utf8))
    #expect(step.request(plan).headers.count == 6)
    (step.method, step.sendsBody) = ("GET", false)
    #expect(step.request(plan).body == nil)
    #expect(lines(step.request(plan)) == ["User-Agent: test", "Content-MD5: x"])
    (step.method, step.sendsBody, step.sendsOwnHeaders) = ("POST", true, false)
    #expect(
      step.request(plan).headers.map(\.name)
        == ["User-Agent", "Content-Type", "Content-Encoding", "Content-Language", "Content-Location"])
  }
}
