// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

/// Gets the token of one attempt: from the cache, or from its endpoint, which is found, judged and pinned as every
/// target is. The time it takes is part of the deadline, not of the target's latency.
struct TokenFetch: Sendable {
  let cache: TokenCache
  let transfer: PinnedTransfer
  let route: HTTPRoute
  let settings: HTTPSettings
  let oauth2: OAuth2Settings
  let userAgent: String

  /// `nil` on success, when `token` is set.
  func renew(
    _ token: inout String?, within time: inout AttemptTime
  ) async throws(CancellationError) -> Verdict? {
    token = cache.token(for: key)
    if token != nil { return nil }
    switch try await ask(.header, within: &time) {
    case .success(.token(let fresh, let lifetime)):
      cache.keep(fresh, for: key, lifetime: lifetime)
      token = fresh
      return nil
    case .success(.refused(let words, _)): return refusal(words)
    case .failure(let failure): return failure.verdict
    }
  }

  /// The server did not take it.
  func refuse(_ token: String) { cache.drop(token, for: key) }

  private var key: TokenCache.Key {
    TokenCache.Key(settings: oauth2, origin: route.check.origin, tls: tls, proxy: settings.proxy)
  }

  /// The check's authorities and versions hold for the endpoint too; its own name and certificate are for the target
  /// alone.
  private var tls: TLSOptions {
    TLSOptions(
      caFile: settings.tls.caFile, minimumVersion: settings.tls.minimumVersion,
      maximumVersion: settings.tls.maximumVersion)
  }

  private struct Failure: Error { let verdict: Verdict }

  private func ask(
    _ proof: TokenRequest.Proof, within time: inout AttemptTime
  ) async throws(CancellationError) -> Result<TokenAnswer, Failure> {
    switch try await route.find(oauth2.tokenURL, after: nil, until: time.deadline) {
    case .ended(let outcome): return .failure(Failure(verdict: wrapped(outcome.verdict)))
    case .postponed: return .failure(Failure(verdict: wrapped(.heldBack(for: .zero))))
    case .found(let addresses, let name):
      time.spend(name?.spent)
      var request = TokenRequest(settings: oauth2, proof: proof).transfer(userAgent: userAgent)
      request.tls = tls
      request.proxy = settings.proxy
      request.origin = WorkOrigin(.tokens, named: endpoint.host)
      let dialled = try await transfer.perform(request, to: addresses, until: time.deadline)
      time.spend(dialled.spent)
      if let failure = dialled.report.failure {
        // Its limit is not the check's.
        if failure.kind == .bodyTooLarge {
          return .failure(Failure(verdict: refusal("the answer is too large")))
        }
        return .failure(Failure(verdict: wrapped(route.verdict(failure, of: dialled, at: endpoint))))
      }
      let answer = TokenAnswer(dialled.report)
      if proof == .header, case .refused(_, isAboutClient: true) = answer {
        return try await ask(.body, within: &time)
      }
      return .success(answer)
    }
  }

  private var endpoint: Endpoint { oauth2.tokenURL.endpoint }

  private func refusal(_ words: String) -> Verdict {
    Verdict(.authToken, phase: .transfer, message: "token endpoint \(endpoint): \(words)")
  }

  /// The target was never asked, so what happened to the endpoint is not what happened to it.
  private func wrapped(_ verdict: Verdict) -> Verdict {
    let words = verdict.message ?? verdict.reason.rawValue
    return Verdict(
      verdict.reason.isLocal ? verdict.reason : .authToken, phase: verdict.phase,
      message: "token endpoint \(endpoint): \(words)", isUnknown: verdict.isUnknown,
      timedOut: verdict.status == .timeout)
  }
}
