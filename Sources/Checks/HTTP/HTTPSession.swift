// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

/// State that one attempt carries from hop to hop: its URLs, its cookies, and its credentials. Pure but for the nonces
/// of digest.
struct HTTPSession {
  enum Decision: Hashable {
    /// This answer is the one to judge.
    case final
    case follow(HTTPStep)
    case refused(Verdict)
    /// The same request once more, with the answer to the server's challenge.
    case again
    /// The same request once more, with a token that is not this one.
    case refuseToken(String)
  }

  private let plan: HTTPPlan
  /// Made at the first redirect, as most answers are none.
  private var rule: RedirectRule?
  private var jar = CookieJar()
  private var digest: DigestState?
  /// The request that is made once more after a 401, and its cookies with those that the 401 set.
  private var retried: (url: HTTPURL, cookies: String?)?
  /// Of OAuth 2, once fetched.
  var token: String?
  /// The token before, which the server did not take. One is asked for once more, and no more.
  private var refusedToken: String?
  /// All that were sent, or were to be.
  var tokens: [String] { [refusedToken, token].compactMap(\.self) }

  init(_ plan: HTTPPlan) { self.plan = plan }

  mutating func request(for step: HTTPStep) -> TransferRequest {
    var step = step
    if let retried, retried.url == step.url { step.cookies = retried.cookies }
    var request = step.request(plan)
    if let authorization = authorization(for: step) {
      request.headers.append(HeaderField("Authorization", authorization))
      // A token may have run out, which is mended once. Any other 401 is an answer to be judged, and read for that.
      request.stopsAtChallenge = token != nil && refusedToken == nil
    } else if step.sendsOwnHeaders, case .digest = plan.settings.auth {
      request.stopsAtChallenge = true
    }
    return request
  }

  /// - Parameter now: what cookies expire by.
  mutating func decide(after step: HTTPStep, _ report: TransferReport, now: () -> Timestamp) -> Decision {
    if report.statusCode == 401, step.sendsOwnHeaders, let again = answerChallenge(report, to: step) {
      let now = now()
      jar.take(report.headerBlock.values("set-cookie"), from: step.url, at: now)
      retried = (step.url, jar.header(for: step.url, at: now))
      return again
    }
    retried = nil
    // Without a next request there are no cookies to send with it.
    guard plan.settings.follow, RedirectRule.isRedirect(report.statusCode),
      let location = report.headerBlock.reference("location")
    else { return .final }
    let now = now()
    jar.take(report.headerBlock.values("set-cookie"), from: step.url, at: now)
    let jar = jar
    var rule = rule ?? RedirectRule(plan.settings)
    defer { self.rule = rule }
    let decision = rule.decide(
      after: step, status: report.statusCode, location: location,
      cookies: { jar.header(for: $0, at: now) })
    switch decision {
    case .final: return .final
    case .follow(let next): return .follow(next)
    case .refused(let verdict): return .refused(verdict)
    }
  }

  /// `nil` where the 401 is the answer.
  private mutating func answerChallenge(_ report: TransferReport, to step: HTTPStep) -> Decision? {
    switch plan.settings.auth {
    case .digest:
      guard let answer = DigestAnswer.strongest(of: report.headerBlock.values("www-authenticate")) else {
        return nil
      }
      // The credentials got here: what a redirect leads to may have another realm, or a nonce of its own.
      if let before = digest, before.redirects < step.redirects { digest = nil }
      // A second challenge means that the credentials are wrong, unless only the nonce was too old.
      if let digest, !answer.isStale || digest.renewals > 0 { return nil }
      digest = DigestState(
        answer: answer, redirects: step.redirects, renewals: digest.map { $0.renewals + 1 } ?? 0)
      return .again
    case .oauth2:
      guard let token, refusedToken == nil else { return nil }
      refusedToken = token
      return .refuseToken(token)
    case .basic, .bearer, nil: return nil
    }
  }

  private mutating func authorization(for step: HTTPStep) -> String? {
    guard step.sendsOwnHeaders else { return nil }
    switch plan.settings.auth {
    case .digest(let username, let password):
      digest?.count += 1
      guard let digest else { return nil }
      let request = DigestAnswer.Request(
        method: step.method, uri: step.url.path + (step.url.query.map { "?" + $0 } ?? ""), username: username,
        password: password.reveal())
      return digest.answer.header(request, count: digest.count, clientNonce: digest.clientNonce)
    case .oauth2: return token.map { "Bearer " + $0 }
    case .basic, .bearer, nil: return nil
    }
  }
}

/// One challenge and the requests answered with it.
private struct DigestState {
  let answer: DigestAnswer
  /// Redirects that had been followed when it came.
  let redirects: Int
  var count: UInt32 = 0
  /// Times the server called a nonce too old.
  var renewals: Int
  let clientNonce =
    String(UInt64.random(in: .min ... .max), radix: 16) + String(UInt64.random(in: .min ... .max), radix: 16)
}
