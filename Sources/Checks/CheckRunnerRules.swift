// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Holds an attempt's response time against the check's thresholds: beyond `fail` a success becomes a failure,
/// beyond `warn` it is degraded. The same for every kind of probe, so the runner applies it to all.
package struct ResponseTimeRule: Hashable, Sendable {
  private let thresholds: Thresholds<Duration>

  package init(_ thresholds: Thresholds<Duration>) { self.thresholds = thresholds }

  /// An attempt that failed keeps its reason; one that got no answer has no time to hold against anything, and so
  /// the thresholds do not hold. A time that is beyond a threshold only with a pause of this process tells nothing. Judging
  /// twice changes nothing.
  package func judge(_ outcome: inout ProbeOutcome) {
    guard thresholds.warn != nil || thresholds.fail != nil else { return }
    guard !outcome.isTimeJudged else { return }
    outcome.isTimeJudged = true
    let hasAnswer = outcome.verdict.isSuccess || outcome.verdict.phase == .assertion
    let taken = hasAnswer ? outcome.responseTime : nil
    note("response_time.warn", thresholds.warn, taken, &outcome)
    note("response_time.fail", thresholds.fail, taken, &outcome)
    guard outcome.verdict.isSuccess, let taken else { return }
    if let fail = thresholds.fail, taken > fail {
      outcome.verdict = verdict(taken, fail, degraded: false, outcome.paused)
    } else if let warn = thresholds.warn, taken > warn, !outcome.verdict.degraded {
      outcome.verdict = verdict(taken, warn, degraded: true, outcome.paused)
    }
  }

  private func note(_ what: String, _ limit: Duration?, _ taken: Duration?, _ outcome: inout ProbeOutcome) {
    guard let limit else { return }
    outcome.assertions.append(
      Assertion(
        what: what, expected: "<= \(limit.text)", actual: taken?.words(beside: limit) ?? "",
        ok: taken.map { $0 <= limit } ?? false))
  }

  private func verdict(_ taken: Duration, _ limit: Duration, degraded: Bool, _ paused: Duration) -> Verdict {
    guard taken - paused > limit else { return .paused(for: paused) }
    return Verdict(
      .responseTime, phase: .assertion,
      message: "took \(taken.words(beside: limit)), more than \(limit.text)",
      degraded: degraded)
  }
}

/// A pause of this process or machine of more than a fifth of the timeout: the time of an answer cannot be told, and one
/// that did not come, or did not come whole, may have been missed. A refusal is one all the same.
struct PauseRule: Hashable, Sendable {
  let timeout: Duration

  func judge(_ outcome: inout ProbeOutcome) {
    guard outcome.paused * 5 > timeout else { return }
    if outcome.verdict.isSuccess {
      outcome.verdict = .paused(for: outcome.paused)
    } else if outcome.verdict.status == .timeout || outcome.verdict.reason == .pingLoss {
      outcome.verdict = .paused(for: outcome.paused, phase: outcome.verdict.phase ?? .answer)
    }
  }
}

extension Duration {
  /// Rounded; exact where it is beyond the limit and would read the same.
  func words(beside limit: Duration) -> String {
    self > limit && roundedText == limit.roundedText ? text : roundedText
  }
}

extension Verdict {
  /// The time of an answer cannot be told, or an answer that would have come in time was missed.
  static func paused(for span: Duration, phase: Phase = .assertion) -> Verdict {
    Verdict(
      .localFault, phase: phase,
      message: "this machine was busy: this process was paused for \(Int(span.milliseconds)) ms")
  }
}

/// `negate`: the target must not answer. A success, degraded or not, becomes a failure, and a failure that blames the
/// target a success; unknown stays unknown, and a failure on the way there, which says nothing about the target, stays
/// one.
package struct NegateRule: Hashable, Sendable {
  /// Of the check: for a dns check the name server is the target, for all others it is on the way.
  private let type: CheckType

  package init(_ type: CheckType) { self.type = type }

  private func blamesTarget(_ verdict: Verdict) -> Bool {
    switch verdict.reason {
    case .proxyConnect, .proxyAuth, .authToken: return false
    default: break
    }
    switch verdict.phase {
    // Not even begun, or no further than the proxy.
    case .prepare, .proxy: return false
    // A name that does not exist is the target's own matter; whatever else happens to the question is not.
    case .dns where type != .dns: return verdict.reason == .dnsNXDomain || verdict.reason == .dnsNoData
    default: return true
    }
  }

  /// Judging twice changes nothing.
  package func judge(_ outcome: inout ProbeOutcome) {
    guard outcome.negated == nil, outcome.verdict.state != .unknown,
      blamesTarget(outcome.verdict)
    else { return }
    let found = outcome.verdict
    let words = [found.reason.rawValue, found.message].compactMap(\.self).joined(separator: ": ")
    outcome.negated = found
    outcome.verdict =
      found.isSuccess
      ? Verdict(.negated, phase: .assertion, message: "answered, and negate says that it must not (\(words))")
      : Verdict(.ok, message: "fails, as negate says that it must (\(words))")
    outcome.assertions.append(
      Assertion(what: "negate", expected: "a failure", actual: words, ok: !found.isSuccess))
  }
}
