// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

/// Collects the hops of one http probe and makes its outcome. Pure.
struct HTTPTrail: Sendable {
  private let plan: HTTPPlan
  private let clock: @Sendable () -> Timestamp
  private var hops: [Hop] = []
  private var sum = Timings()
  private var tries: [DialledAddress] = []
  /// How long the first request waited for its turn.
  private var held = Duration.zero
  /// Of each hop that used TLS.
  private var certificates: [HopCertificate] = []
  private var lastURL: HTTPURL?
  private(set) var last: DialledTransfer?
  /// Source of the last hop's redirect.
  var source: HTTPRoute.Source? {
    guard let last, let lastURL else { return nil }
    return HTTPRoute.Source(url: lastURL, peer: last.peer)
  }
  private var isRedirected = false
  /// Address of the last hop. Behind a proxy the target's address is not known here.
  private var peer: SocketAddress? { plan.settings.proxy == nil ? last?.peer : nil }
  /// URL of each hop. The target of a redirect may hold a secret, and is shown once the probe has ended.
  private var places: [HTTPURL] = []
  /// Headers of each hop, for an explanation; empty where none is wanted.
  private var blocks: [HeaderBlock] = []
  private var names: [ResolvedName] = []
  private var paused = Duration.zero

  /// - Parameter now: what a certificate's remaining time is counted from.
  init(_ plan: HTTPPlan, now: @escaping @Sendable () -> Timestamp) {
    self.plan = plan
    clock = now
  }

  mutating func add(_ dialled: DialledTransfer, _ step: HTTPStep, dns: Duration?) {
    var timings = dialled.timings
    timings.dns = dns
    timings.total = dialled.elapsed + (dns ?? .zero)
    let isDirect = plan.settings.proxy == nil
    if step.redirects > 0 { isRedirected = true }
    places.append(step.url)
    let hop = Hop(
      url: step.url.display, statusCode: dialled.report.statusCode,
      address: isDirect ? dialled.peer.description : nil,
      timings: timings, tcp: dialled.report.tcp)
    // Nearly always the only one: a list of one is made faster than an empty one grows.
    if hops.isEmpty { held = dialled.report.times.queued }
    paused += dialled.report.times.paused
    if hops.isEmpty { hops = [hop] } else { hops.append(hop) }
    sum += timings
    if isDirect, !dialled.tries.isEmpty { tries += dialled.tries }
    if let tls = dialled.report.tls { certificates.append(HopCertificate(hop: hops.count, report: tls)) }
    last = dialled
    lastURL = step.url
  }

  /// For an explanation: who resolved the name of the hop that was added last.
  mutating func note(_ source: NameSource?, _ addresses: [SocketAddress], of step: HTTPStep) {
    guard plan.attempt.explains else { return }
    blocks.append(last?.report.headerBlock ?? HeaderBlock())
    let host = plan.settings.proxy?.endpoint.host ?? step.url.host
    guard let source else { return }
    names.append(ResolvedName(name: host, addresses: addresses.map(\.address), source: source))
  }

  private var account: ProbeAccount? {
    guard plan.attempt.explains else { return nil }
    let mask = SecretMask(plan.settings)
    var account = ProbeAccount()
    account.names = names.map { name in
      var name = name
      name.name = mask.shown(host: name.name)
      return name
    }
    account.bodyBytes = last.map { max($0.report.drained, $0.report.body.count) }
    account.locations = blocks.map { $0.first("location").map { ShownHeaders.reference($0, mask) } }
    if let last = blocks.last {
      let shown = ShownHeaders(last.fields, mask)
      (account.headers, account.headersLeftOut) = (shown.headers, shown.leftOut)
    }
    return account
  }

  /// How it ended.
  enum End: Sendable {
    /// The last answer is there; `nil` when it is to be judged.
    case answered(Verdict?)
    /// The last hop brought no whole answer.
    case hopFailure(Verdict)
    /// The next hop could not be dialled: its name did not resolve, or it may not be asked.
    case ended(ProbeOutcome)
  }

  /// Bytes that judging it looks at.
  var weight: Int {
    let own = plan.settings.body?.reveal().utf8.count ?? 0
    guard let report = last?.report else { return own }
    return own
      + (plan.settings.expect.isAboutStatusAlone ? min(report.body.count, 65_536) : report.body.count)
  }

  /// Whether to read the body as characters takes long although it is small, or waits for a file. A large one is judged
  /// on another thread anyway, and is not looked through here.
  var isDearText: Bool {
    let expect = plan.settings.expect
    guard expect.needsBody, !expect.comparesBytes, let report = last?.report,
      report.body.count <= JudgeBench.small
    else { return false }
    return BodyText.isDear(report.body, report.headerBlock)
  }

  func outcome(_ end: End, within budget: CPUBudget) -> ProbeOutcome {
    if let fault = budget.lateness { return outcome(failure: fault, budget) }
    switch end {
    case .answered(let failure): return outcome(failure: failure, budget)
    case .hopFailure(let verdict):
      let placed = verdict.reason.isAboutCertificate ? atLastHop(verdict) : verdict
      return outcome(failure: isRedirected ? SecretMask(plan.settings).shown(placed) : placed, budget)
    case .ended(let outcome): return self.outcome(endedBy: outcome, budget)
    }
  }

  /// The message says which hop it was, where there are several.
  private func atLastHop(_ verdict: Verdict) -> Verdict {
    guard hops.count > 1, let message = verdict.message else { return verdict }
    return verdict.with(message: "hop \(hops.count): \(message)")
  }

  /// The name that a certificate is not for may be that of a redirect.
  private func facts(_ report: TLSReport?, at now: Timestamp) -> TLSFacts? {
    var facts = report.map { TLSFacts($0, now: now) }
    if isRedirected, let words = facts?.verifyError {
      facts?.verifyError = SecretMask(plan.settings).shown(words: words)
    }
    return facts
  }

  private var shownHops: [Hop] {
    guard isRedirected else { return hops }
    let mask = SecretMask(plan.settings)
    return zip(hops, places).map { hop, place in
      var hop = hop
      hop.url = mask.shown(place)
      return hop
    }
  }

  /// The worst of all hops: by its verdict, then by its end. The last one of those that are alike.
  private func decidingCertificate(at now: Timestamp) -> HopCertificate? {
    let expect = plan.settings.expect.certificateDays
    let isStrict = plan.settings.tls.isStrict
    let ranked = certificates.map { certificate in
      let rule = CertificateRule(expect, certificate.report, strict: isStrict, now: now)
      return (certificate, rule.severity, certificate.report.earliestEnd ?? .max)
    }
    return ranked.reversed().max { $0.1 == $1.1 ? $0.2 > $1.2 : $0.1 < $1.1 }?.0
  }

  /// - Parameter failure: why the last hop is not judged by its answer; `nil` when it is.
  private func outcome(failure: Verdict?, _ budget: CPUBudget) -> ProbeOutcome {
    // What nobody needs without a certificate.
    let now = certificates.isEmpty ? .epoch : clock()
    // A handshake that failed is what there is to show.
    let certificate = failure == nil ? decidingCertificate(at: now) : certificates.last
    let tls = certificate?.report
    let judge = HTTPJudge(
      settings: plan.settings, failure: failure, report: last?.report, lastURL: lastURL,
      tls: tls, hop: certificates.count > 1 ? certificate?.hop : nil, now: now, within: budget)
    var outcome = ProbeOutcome(
      judge.verdict, responseTime: sum.total, timings: sum, hops: shownHops, peer: peer,
      statusCode: last?.report.statusCode,
      httpVersion: last?.report.httpVersion, tls: facts(tls, at: now),
      assertions: judge.assertions,
      excerpt: judge.excerpt)
    outcome.dialled = tries
    outcome.tcp = last?.report.tcp
    outcome.truncated = last?.report.truncated ?? false
    outcome.held = held
    outcome.paused = paused
    outcome.isHeldBack = budget.lateness != nil || last?.report.isHeldBack == true
    outcome.account = account
    return outcome
  }

  private func outcome(endedBy end: ProbeOutcome, _ budget: CPUBudget) -> ProbeOutcome {
    guard last != nil else {
      var outcome = end
      outcome.assertions = self.outcome(failure: end.verdict, budget).assertions
      return outcome
    }
    var outcome = outcome(failure: SecretMask(plan.settings).shown(end.verdict), budget)
    outcome.account?.names += end.account?.names ?? []
    if end.verdict == RedirectRule.denied {
      // The time until the refusal would tell what the name resolved to.
      outcome.responseTime = nil
      outcome.timings = Timings()
    } else if let dns = end.timings.dns {
      outcome.timings += Timings(dns: dns, total: dns)
      outcome.responseTime = outcome.timings.total
    }
    return outcome
  }
}

/// The handshake of one hop.
private struct HopCertificate: Sendable {
  /// Its place among the hops, from 1.
  var hop: Int
  var report: TLSReport
}

extension Timings {
  /// Part by part; a part that neither has stays absent.
  static func += (left: inout Timings, right: Timings) {
    func add(_ span: Duration?, to sum: inout Duration?) {
      guard let span else { return }
      sum = (sum ?? .zero) + span
    }
    add(right.dns, to: &left.dns)
    add(right.connect, to: &left.connect)
    add(right.tls, to: &left.tls)
    add(right.firstByte, to: &left.firstByte)
    add(right.transfer, to: &left.transfer)
    add(right.total, to: &left.total)
  }
}
