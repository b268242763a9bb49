// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

/// Finds what is dialled for a request: the addresses of its host, or those of the proxy on the way, judged by the
/// egress policy either way.
struct HTTPRoute: Sendable {
  let plan: HTTPPlan

  var attempt: Attempt { plan.attempt }
  var check: MonitoringCheck { attempt.check }
  private var finder: TargetFinder { plan.finder }
  /// `nil` for no proxy.
  private var proxy: ProxySettings? { plan.settings.proxy }

  /// The hop before: what was asked, and the address that was dialled for it.
  struct Source: Sendable {
    var url: HTTPURL
    var peer: SocketAddress
  }

  /// - Parameter source: where the redirect comes from; nil: the check's own target, or a token's.
  func find(
    _ url: HTTPURL, after source: Source?, until deadline: Instant
  ) async throws(CancellationError) -> TargetFinder.Finding {
    if let proxy { return try await find(proxy, on: url, after: source?.url, until: deadline) }
    guard let source else {
      return try await finder.find(
        TargetFinder.Target(url.endpoint), for: attempt, until: deadline)
    }
    return try await finder.find(
      url.endpoint, redirectedFrom: source.peer.address, for: attempt,
      until: deadline)
  }

  /// The verdict on a failed transfer. A failure on the path to the proxy, or at it, is not the target's.
  func verdict(_ failure: TransferFailure, of dialled: DialledTransfer, at endpoint: Endpoint) -> Verdict {
    var failure = failure
    // Nobody won the race for the proxy.
    if proxy != nil, failure.phase == .connect {
      failure.phase = .proxy
      if case .local = failure.kind {} else { failure.kind = .proxyConnect }
    }
    // A plain request ends at an http proxy, which would say what the target did: it broke off itself.
    let isRelayed =
      proxy?.scheme == .http && dialled.report.tls == nil && [.firstByte, .transfer].contains(failure.phase)
    if isRelayed, failure.phase == .firstByte,
      failure.kind == .reset || failure.kind == .closed
    {
      (failure.kind, failure.phase) = (.proxyConnect, .proxy)
      failure.message = "the proxy broke off before it had answered"
    }
    let place = failure.phase == .proxy ? proxy?.endpoint : nil
    return Verdict(
      failure, of: dialled, at: place ?? endpoint,
      through: isRelayed && place == nil ? proxy?.endpoint : nil, for: check)
  }

  /// Whether a redirect leads to a more private place than it comes from, as far as can be told without asking: the
  /// proxy's user may not want the machine's own name servers to hear of its names.
  private func leadsInward(from source: HTTPURL, to url: HTTPURL) async -> Bool {
    if source.host == url.host { return false }
    let (near, far) = (await finder.place(of: url.host), await finder.place(of: source.host))
    return near.privacyRank > far.privacyRank
  }

  /// The target's name is the proxy's to resolve. It is judged here by what it says itself: an address by its class, a
  /// name by what is written.
  private func find(
    _ proxy: ProxySettings, on url: HTTPURL, after source: HTTPURL?, until deadline: Instant
  ) async throws(CancellationError) -> TargetFinder.Finding {
    let isRedirect = source != nil
    if let source, await leadsInward(from: source, to: url) {
      return .ended(ProbeOutcome(RedirectRule.denied))
    }
    // A stranger does not choose the proxy, and reaches through ours only the names that are written down.
    guard check.origin == .local || finder.policy.settings.proxy(forHost: url.host) == proxy else {
      let words = "a check from the API goes through a proxy only to the names of 'egress.allow_names'"
      let own = Verdict(.policyDenied, phase: .prepare, message: words)
      return .ended(ProbeOutcome(isRedirect ? RedirectRule.denied : own))
    }
    if let address = IPAddress(url.host),
      case .denied(let why) = finder.policy.judge(address, port: url.port, origin: check.origin)
    {
      let own = Verdict(.policyDenied, phase: .prepare, message: why)
      return .ended(ProbeOutcome(isRedirect ? RedirectRule.denied : own))
    }
    let finding = try await finder.find(
      TargetFinder.Target(proxy.endpoint, for: .proxy), for: attempt, until: deadline)
    var outcome: ProbeOutcome
    switch finding {
    case .found: return finding
    // What has begun is not put off.
    case .postponed: if isRedirect { outcome = ProbeOutcome(.heldBack(for: .zero)) } else { return finding }
    case .ended(let ended): outcome = ended
    }
    let verdict = outcome.verdict
    let words = "proxy \(proxy.endpoint): \(verdict.message ?? verdict.reason.rawValue)"
    outcome.verdict = Verdict(
      Self.reason(verdict),
      phase: verdict.reason.isLocal ? verdict.phase : .proxy, message: words, isUnknown: verdict.isUnknown,
      timedOut: verdict.status == .timeout)
    return .ended(outcome)
  }

  private static func reason(_ verdict: Verdict) -> Reason {
    switch verdict.reason {
    // That the proxy's name is not there is what has to be mended, and no fault of a connection.
    case .dnsNXDomain, .dnsNoData: verdict.reason
    case let reason: reason.isLocal ? reason : .proxyConnect
    }
  }
}
