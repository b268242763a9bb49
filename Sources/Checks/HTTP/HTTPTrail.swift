// SPDX-License-Identifier: MIT

import Curl
import Monitoring

/// Collects the hops of one http probe and makes its outcome. Pure.
struct HTTPTrail {
  private let settings: HTTPSettings
  private let now: Timestamp
  private var hops: [Hop] = []
  private var sum = Timings()
  private var tries: [DialledAddress] = []
  /// The last hop that used TLS.
  private var tls: TLSReport?
  private var lastURL: HTTPURL?
  private(set) var last: DialledTransfer?

  /// - Parameter now: what a certificate's remaining time is counted from.
  init(_ settings: HTTPSettings, now: Timestamp) {
    self.settings = settings
    self.now = now
  }

  mutating func add(_ dialled: DialledTransfer, _ step: HTTPStep, dns: Duration?) {
    var timings = dialled.timings
    timings.dns = dns
    timings.total = dialled.elapsed + (dns ?? .zero)
    // Behind a proxy nobody here knows the target's address.
    let address = settings.proxy == nil ? dialled.peer.description : nil
    hops.append(
      Hop(
        url: step.url.display, statusCode: dialled.report.statusCode, address: address, timings: timings))
    sum += timings
    if settings.proxy == nil { tries += dialled.tries }
    tls = dialled.report.tls ?? tls
    last = dialled
    lastURL = step.url
  }

  /// - Parameter failure: why the last hop is not judged by its answer; nil: it is.
  func outcome(failure: Verdict?) -> ProbeOutcome {
    let judge = HTTPJudge(
      settings: settings, failure: failure, report: last?.report, lastURL: lastURL,
      certificateEnd: tls?.earliestEnd.map { Timestamp(seconds: $0) }, now: now)
    let peer = settings.proxy == nil ? last?.peer : nil
    var outcome = ProbeOutcome(
      judge.verdict, responseTime: sum.total, timings: sum, hops: hops, address: peer?.description,
      ipVersion: peer?.address.version, statusCode: last?.report.statusCode,
      httpVersion: last?.report.httpVersion, tls: tls.map { TLSFacts($0, now: now) },
      assertions: judge.assertions,
      excerpt: judge.excerpt)
    outcome.dialled = tries
    return outcome
  }

  /// The next hop could not be dialled: its name did not resolve, or it may not be asked.
  func outcome(endedBy end: ProbeOutcome) -> ProbeOutcome {
    guard last != nil else {
      var outcome = end
      outcome.assertions = self.outcome(failure: end.verdict).assertions
      return outcome
    }
    var outcome = outcome(failure: end.verdict)
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

extension Timings {
  /// Part by part; a part that neither has stays absent.
  static func += (left: inout Timings, right: Timings) {
    func sum(_ path: KeyPath<Timings, Duration?>) -> Duration? {
      guard let a = left[keyPath: path] else { return right[keyPath: path] }
      return a + (right[keyPath: path] ?? .zero)
    }
    left = Timings(
      dns: sum(\.dns), connect: sum(\.connect), tls: sum(\.tls), firstByte: sum(\.firstByte),
      transfer: sum(\.transfer), total: sum(\.total))
  }
}
