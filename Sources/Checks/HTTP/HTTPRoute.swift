// SPDX-License-Identifier: MIT

import Curl
import Monitoring

/// Finds what is dialled for a request: the addresses of its host, or those of the proxy on the way, judged by the
/// egress policy either way.
struct HTTPRoute: Sendable {
  let plan: HTTPPlan

  var check: MonitoringCheck { plan.check }
  private var finder: TargetFinder { plan.finder }
  /// Nil: none on the way.
  private var proxy: ProxySettings? { plan.settings.proxy }

  /// - Parameter source: the address that the hop before went to; nil: the check's own target, or a token's.
  func find(
    _ url: HTTPURL, after source: SocketAddress?, until deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> TargetFinder.Finding {
    if let proxy { return try await find(proxy, on: url, isRedirect: source != nil, until: deadline) }
    guard let source else {
      return try await finder.find(
        TargetFinder.Target(Endpoint(host: url.host, port: url.port)), for: check, until: deadline)
    }
    return try await finder.find(
      Endpoint(host: url.host, port: url.port), redirectedFrom: source.address, for: check, until: deadline)
  }

  /// What a transfer that failed says. What happened on the way to the proxy, or by it, is not the target's doing.
  func verdict(_ failure: TransferFailure, of dialled: DialledTransfer, at endpoint: Endpoint) -> Verdict {
    var failure = failure
    // Nobody won the race for the proxy.
    if proxy != nil, failure.phase == .connect {
      failure.phase = .proxy
      if case .local = failure.kind {} else { failure.kind = .proxyConnect }
    }
    // A plain request ends at an http proxy, which would say what the target did: it broke off itself.
    if proxy?.scheme == .http, dialled.report.tls == nil, failure.phase == .firstByte,
      failure.kind == .reset || failure.kind == .closed
    {
      (failure.kind, failure.phase) = (.proxyConnect, .proxy)
      failure.message = "the proxy broke off before it had answered"
    }
    let place = failure.phase == .proxy ? proxy?.endpoint : nil
    return Verdict(failure, of: dialled, at: place ?? endpoint, for: check)
  }

  /// The target's name is the proxy's to resolve. Only where it is an address can it be judged here.
  private func find(
    _ proxy: ProxySettings, on url: HTTPURL, isRedirect: Bool, until deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> TargetFinder.Finding {
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
      TargetFinder.Target(proxy.endpoint, for: .proxy), for: check, until: deadline)
    guard case .ended(var outcome) = finding else { return finding }
    let verdict = outcome.verdict
    let words = "proxy \(proxy.endpoint): \(verdict.message ?? verdict.reason.rawValue)"
    outcome.verdict = Verdict(
      verdict.reason.isLocal ? verdict.reason : .proxyConnect,
      phase: verdict.reason.isLocal ? verdict.phase : .proxy, message: words, isUnknown: verdict.isUnknown,
      timedOut: verdict.status == .timeout)
    return .ended(outcome)
  }
}

extension TransferProxy {
  init(_ settings: ProxySettings) {
    self.init(
      settings.scheme == .http ? .http : .socks5h, username: settings.username,
      password: settings.password?.reveal())
  }
}
