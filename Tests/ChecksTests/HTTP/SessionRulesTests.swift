// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Testing

@testable import Checks
@testable import Network

/// Challenges and redirects of one attempt, without a server.
@Suite struct SessionRulesTests {
  private func plan(
    at url: String = "https://good.test/path?q=1", _ change: (inout CheckDefinition) -> Void = { _ in }
  ) throws -> HTTPPlan {
    let check = try httpCheck(url, change)
    guard case .http(let settings) = check.kind else { throw WrongKind() }
    return HTTPPlan(
      Attempt(of: check, until: .now + .seconds(5)), settings,
      finder: TargetFinder(resolver: NameTable(), policy: EgressPolicy()), userAgent: "test")
  }

  private func answer(_ status: Int, _ headers: [(String, String)] = []) -> TransferReport {
    var report = TransferReport(outcome: .complete)
    (report.statusCode, report.headers) = (status, headers.map { HeaderField($0.0, $0.1) })
    return report
  }

  private func authorization(_ request: TransferRequest) -> String? {
    request.headers.first { $0.name == "Authorization" }?.value.reveal()
  }

  private func challenge(stale: Bool = false, nonce: String = "n1") -> TransferReport {
    let value = "Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\"" + (stale ? ", stale=true" : "")
    return answer(401, [("WWW-Authenticate", value)])
  }

  private static let now = Timestamp(seconds: 1_800_000_000)

  private func digestPlan() throws -> HTTPPlan {
    try plan { ($0.auth.digest.username, $0.auth.digest.password) = ("me", Redacted("pw")) }
  }

  /// The first request asks for a challenge; each that is answered with it counts on; a second challenge is an answer.
  @Test func aChallengeIsAnsweredOnce() throws {
    let plan = try digestPlan()
    let step = HTTPStep(plan.settings)
    var session = HTTPSession(plan)
    let first = session.request(for: step)
    #expect(first.stopsAtChallenge && authorization(first) == nil)
    #expect(session.decide(after: step, challenge(), now: { Self.now }) == .again)
    let second = session.request(for: step)
    #expect(!second.stopsAtChallenge)
    let header = try #require(authorization(second))
    #expect(header.hasPrefix(#"Digest username="me", realm="r", nonce="n1", uri="/path?q=1", response=""#))
    #expect(header.contains("qop=auth, nc=00000001, cnonce=\""))
    let third = session.request(for: step)
    #expect(authorization(third)?.contains("nc=00000002,") == true)
    #expect(session.decide(after: step, challenge(nonce: "n2"), now: { Self.now }) == .final)
  }

  /// The path that is signed is the one that is requested: libcurl is told to send it as it is.
  @Test(arguments: ["https://good.test/a/../b/./c?q=/../1", "https://good.test/b/c?q=/../1"])
  func theSignedPathIsTheRequestedOne(url: String) throws {
    let plan = try plan(at: url) {
      ($0.auth.digest.username, $0.auth.digest.password) = ("me", Redacted("pw"))
    }
    let step = HTTPStep(plan.settings)
    var session = HTTPSession(plan)
    _ = session.request(for: step)
    _ = session.decide(after: step, challenge(), now: { Self.now })
    let request = session.request(for: step)
    #expect(request.url == "https://good.test/b/c?q=/../1")
    #expect(authorization(request)?.contains("uri=\"/b/c?q=/../1\"") == true)
  }

  /// A nonce that was too old is renewed once, and counts from one again.
  @Test func anOldNonceIsRenewedOnce() throws {
    let plan = try digestPlan()
    let step = HTTPStep(plan.settings)
    var session = HTTPSession(plan)
    #expect(session.decide(after: step, challenge(), now: { Self.now }) == .again)
    _ = session.request(for: step)
    #expect(session.decide(after: step, challenge(stale: true, nonce: "n2"), now: { Self.now }) == .again)
    let renewed = try #require(authorization(session.request(for: step)))
    #expect(renewed.contains("nonce=\"n2\"") && renewed.contains("nc=00000001,"))
    #expect(session.decide(after: step, challenge(stale: true, nonce: "n3"), now: { Self.now }) == .final)
  }

  /// What a redirect leads to may have a realm or a nonce of its own, once a hop: the credentials got there.
  @Test(arguments: ["r", "other"])
  func aHopHasAChallengeOfItsOwn(realm: String) throws {
    let plan = try digestPlan()
    let step = HTTPStep(plan.settings)
    var session = HTTPSession(plan)
    #expect(session.decide(after: step, challenge(), now: { Self.now }) == .again)
    _ = session.request(for: step)
    let led = session.decide(after: step, answer(302, [("Location", "/next")]), now: { Self.now })
    guard case .follow(let next) = led else { throw WrongKind() }
    #expect(authorization(session.request(for: next))?.contains("nonce=\"n1\"") == true)
    let value = "Digest realm=\"\(realm)\", nonce=\"n2\", qop=\"auth\""
    let second = answer(401, [("WWW-Authenticate", value)])
    #expect(session.decide(after: next, second, now: { Self.now }) == .again)
    let header = try #require(authorization(session.request(for: next)))
    #expect(header.contains("realm=\"\(realm)\", nonce=\"n2\"") && header.contains("nc=00000001,"))
    #expect(session.decide(after: next, second, now: { Self.now }) == .final)
  }

  /// A server may keep the nonce in a session: the request that answers the challenge has the challenge's cookies.
  @Test func theCookiesOfAChallengeAreSent() throws {
    let plan = try digestPlan()
    let step = HTTPStep(plan.settings)
    var session = HTTPSession(plan)
    var challenge = challenge()
    challenge.headers.append(HeaderField("Set-Cookie", "s=1; Path=/"))
    #expect(session.decide(after: step, challenge, now: { Self.now }) == .again)
    func cookie(_ request: TransferRequest) -> String? {
      request.headers.first { $0.name == "Cookie" }?.value.reveal()
    }
    #expect(cookie(session.request(for: step)) == "s=1")
    let led = session.decide(after: step, answer(302, [("Location", "/next")]), now: { Self.now })
    guard case .follow(let next) = led else { throw WrongKind() }
    #expect(cookie(session.request(for: next)) == "s=1")
  }

  /// Only a 401 to a request of the check's own is a challenge, and only one that can be met.
  @Test func whatIsNoChallenge() throws {
    let plan = try digestPlan()
    let own = HTTPStep(plan.settings)
    var led = own
    led.sendsOwnHeaders = false
    var session = HTTPSession(plan)
    let other = session.request(for: led)
    #expect(!other.stopsAtChallenge && authorization(other) == nil)
    #expect(session.decide(after: led, challenge(), now: { Self.now }) == .final)
    #expect(session.decide(after: own, answer(401), now: { Self.now }) == .final)
    #expect(
      session.decide(after: own, answer(403, [("WWW-Authenticate", "Digest realm=r, nonce=n")])) {
        Self.now
      } == .final)
    #expect(session.decide(after: own, challenge(), now: { Self.now }) == .again)
    let changes: [(inout CheckDefinition) -> Void] = [
      { _ in }, { $0.auth.bearer = Redacted("t") },
      { ($0.auth.basic.username, $0.auth.basic.password) = ("a", Redacted("b")) },
    ]
    for change in changes {
      var session = HTTPSession(try self.plan(change))
      let first = session.request(for: own)
      #expect(!first.stopsAtChallenge)
      #expect(session.decide(after: own, challenge(), now: { Self.now }) == .final)
    }
  }

  /// A token that the server does not take is replaced once; all that were sent are known, to be hidden.
  @Test func aTokenIsReplacedOnce() throws {
    let plan = try plan {
      var oauth2 = OAuth2Definition()
      (oauth2.tokenURL, oauth2.clientID) = ("https://id.test/token", "id")
      oauth2.clientSecret = Redacted("secret")
      $0.auth.oauth2 = oauth2
    }
    let step = HTTPStep(plan.settings)
    var session = HTTPSession(plan)
    let bare = session.request(for: step)
    #expect(session.tokens.isEmpty && authorization(bare) == nil)
    session.token = "t1"
    let first = session.request(for: step)
    #expect(first.stopsAtChallenge && authorization(first) == "Bearer t1")
    #expect(session.decide(after: step, answer(401), now: { Self.now }) == .refuseToken("t1"))
    session.token = "t2"
    let second = session.request(for: step)
    #expect(!second.stopsAtChallenge && authorization(second) == "Bearer t2")
    #expect(session.decide(after: step, answer(401), now: { Self.now }) == .final)
    #expect(session.tokens == ["t1", "t2"])
  }

  // MARK: Redirects

  /// Of all statuses five lead on, and only with a Location, and only where that is wanted.
  @Test func statusesThatLeadOn() throws {
    let plan = try plan()
    let step = HTTPStep(plan.settings)
    for status in 100...599 {
      let leadsOn = [301, 302, 303, 307, 308].contains(status)
      #expect(RedirectRule.isRedirect(status) == leadsOn)
      var session = HTTPSession(plan)
      let decision = session.decide(after: step, answer(status, [("Location", "/next")])) { Self.now }
      if case .follow(let next) = decision {
        #expect(leadsOn && next.url.text == "https://good.test/next" && next.redirects == 1)
      } else {
        #expect(!leadsOn && decision == .final, "\(status)")
      }
      #expect(session.decide(after: step, answer(status), now: { Self.now }) == .final)
    }
    #expect(!RedirectRule.isRedirect(nil))
    var still = HTTPSession(try self.plan { $0.http.follow = false })
    #expect(still.decide(after: step, answer(302, [("Location", "/next")]), now: { Self.now }) == .final)
  }

  /// The method and the body of the next request, by the status (Fetch section 4.4).
  @Test func methodsThatFollow() throws {
    for method in ["GET", "HEAD", "POST", "PUT", "DELETE"] {
      let plan = try plan {
        $0.method = method
        if method != "HEAD" { $0.http.body = Redacted("a") }
      }
      for status in [301, 302, 303, 307, 308] {
        var rule = RedirectRule(plan.settings)
        guard
          case .follow(let next) = rule.decide(
            after: HTTPStep(plan.settings), status: status, location: "/next")
        else { throw WrongKind() }
        let becomesGet =
          switch (status, method) {
          case (301, "POST"), (302, "POST"), (303, "POST"), (303, "PUT"), (303, "DELETE"): true
          default: false
          }
        #expect(next.method == (becomesGet ? "GET" : method), "\(status) \(method)")
        #expect(next.sendsBody == (!becomesGet && method != "HEAD"), "\(status) \(method)")
        #expect(next.sendsOwnHeaders && next.staysOnHost)
      }
    }
  }

  /// As many redirects as the check allows, and not one more; a request that was made before makes a circle of them.
  @Test(arguments: [0, 1, 3]) func redirectsAreCounted(most: Int) throws {
    let plan = try plan { $0.maxRedirects = most }
    for isCircle in [false, true] {
      var rule = RedirectRule(plan.settings)
      var step = HTTPStep(plan.settings)
      var followed = 0
      var refusal: Verdict?
      while refusal == nil, followed <= most {
        let location = isCircle ? "/path?q=1" : "/\(followed)"
        let decision = rule.decide(after: step, status: 302, location: location)
        switch decision {
        case .final: throw WrongKind()
        case .follow(let next): (step, followed) = (next, followed + 1)
        case .refused(let verdict): refusal = verdict
        }
      }
      #expect(followed == most)
      let words = "more than \(most) redirects" + (isCircle && most > 0 ? ", which lead in a circle" : "")
      #expect(refusal == Verdict(.httpRedirectLimit, phase: .transfer, message: words))
    }
  }

  /// Where a redirect may not lead has words of its own.
  @Test(arguments: [
    ("ftp://good.test/", "redirect to a location that has a scheme other than http and https"),
    ("mailto:a@good.test", "redirect to a location that does not start with http:// or https://"),
    ("http://a@b@good.test/", "redirect to a location that contains user info"),
    ("https://good.test:0/", "redirect to a location that has an invalid port; a port is 1 to 65535"),
    ("?a\\b", "redirect to a location that contains a backslash"),
    (
      "https://good.test/" + String(repeating: "a", count: 8000),
      "redirect to a location that is longer than 8000 bytes"
    ),
    ("http://good.test/", "redirect from https to http; set allow_downgrade to follow it"),
    ("https://other.test/", "redirect would carry the request's body to another origin"),
    ("https://good.test:444/", "redirect would carry the request's body to another origin"),
  ])
  func refusals(location: String, words: String) throws {
    let plan = try plan { ($0.method, $0.http.body) = ("POST", Redacted("a")) }
    var rule = RedirectRule(plan.settings)
    let decision = rule.decide(after: HTTPStep(plan.settings), status: 307, location: location)
    #expect(decision == .refused(Verdict(.httpRedirectRefused, phase: .transfer, message: words)))
  }

  /// Cookies that an answer on the way sets go along with the next request, to where they belong.
  @Test func cookiesOfARedirect() throws {
    let plan = try plan()
    var session = HTTPSession(plan)
    let step = HTTPStep(plan.settings)
    let set = answer(
      302, [("Location", "/next"), ("Set-Cookie", "a=1; Path=/"), ("set-cookie", "b=2; Path=/other")])
    guard case .follow(let next) = session.decide(after: step, set, now: { Self.now }) else {
      throw WrongKind()
    }
    #expect(next.cookies == "a=1")
    let away = answer(302, [("Location", "https://other.test/"), ("Set-Cookie", "c=3; Path=/")])
    guard case .follow(let far) = session.decide(after: next, away, now: { Self.now }) else {
      throw WrongKind()
    }
    #expect(far.cookies == nil && !far.sendsOwnHeaders && !far.staysOnHost)
    let back = answer(302, [("Location", "https://good.test/other/x")])
    guard case .follow(let home) = session.decide(after: far, back, now: { Self.now }) else {
      throw WrongKind()
    }
    #expect(home.cookies == "b=2; a=1; c=3" && !home.sendsOwnHeaders && !home.staysOnHost)
  }
}
