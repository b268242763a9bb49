// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

/// Holds the time left on a certificate and on the path above it against the thresholds of a check. Pure; fails closed:
/// without a certificate no threshold holds.
struct CertificateRule {
  let thresholds: Thresholds<Duration>
  /// The earliest end of validity on the path, the leaf's where there is no path; nil when none was presented.
  let notAfter: Timestamp?
  /// The leaf's own.
  var leafNotAfter: Timestamp?
  let now: Timestamp
  /// It must come with a stapled OCSP response, and did not.
  var isStapleMissing = false
  /// A fault of the stapled response that came.
  var stapleFault: StapleFault?
  /// Such a fault, or a missing response, degrades the check.
  var isStrict = false
  /// The handshake did not ask whether it is valid, or it is not.
  var isUnverified = false
  /// Place of the hop that presented it, for messages; `nil` where there is no other one.
  var hop: Int?

  var assertions: [Assertion] {
    if thresholds.warn == nil, thresholds.fail == nil { return [] }
    return [("certificate.warn", thresholds.warn), ("certificate.fail", thresholds.fail)].compactMap {
      what, limit in
      limit.map { Assertion(what: what, expected: ">= \($0.text)", actual: actual, ok: holds($0)) }
    }
  }

  /// `nil` when both thresholds hold.
  var verdict: Verdict? {
    guard let breach, let hop else { return breach }
    return breach.with(message: "hop \(hop): \(breach.message ?? "")")
  }

  /// The higher decides among the hops of a check.
  var severity: Int {
    guard let breach else { return note == nil ? 0 : 1 }
    return breach.state == .down ? 3 : 2
  }

  private var breach: Verdict? {
    if let fail = thresholds.fail, !holds(fail) { return verdict(fail, degraded: false) }
    if let staple, isStrict {
      return Verdict(.tlsUntrusted, phase: .tls, message: staple, degraded: true)
    }
    if let warn = thresholds.warn, !holds(warn) { return verdict(warn, degraded: true) }
    return nil
  }

  /// A note that changes nothing.
  var note: String? {
    let notes = [isStrict ? nil : staple, expiry].compactMap(\.self)
    return notes.isEmpty ? nil : (hop.map { "hop \($0): " } ?? "") + notes.joined(separator: "; ")
  }

  /// Of a certificate that is taken without verification, where no threshold says it.
  private var expiry: String? {
    guard isUnverified, breach == nil, let notAfter, notAfter < now else { return nil }
    return "\(which(notAfter)) expired on \(notAfter.rfc3339), and is not verified"
  }

  private var staple: String? {
    if let stapleFault {
      return "the stapled OCSP response \(stapleFault.rawValue): some clients refuse it"
    }
    return isStapleMissing ? Self.withoutStaple : nil
  }

  private static let withoutStaple =
    "the certificate must come with a stapled OCSP response (RFC 7633), and none came: some clients refuse it"

  private var left: Duration? { notAfter.map { now.duration(to: $0) } }

  private func holds(_ limit: Duration) -> Bool { left.map { $0 >= limit } ?? false }

  private var actual: String {
    guard let left else { return "" }
    return left < .zero ? "expired" : twoUnits(Int64(left.seconds))
  }

  /// Cut, not rounded: `364d 19h`, `5h 2m`, `30d`. Seconds of a year say nothing to a person.
  private func twoUnits(_ seconds: Int64) -> String {
    let units: [(size: Int64, mark: String)] = [(86_400, "d"), (3600, "h"), (60, "m"), (1, "s")]
    guard let first = units.firstIndex(where: { seconds >= $0.size }), first < units.count - 1 else {
      return "\(seconds)s"
    }
    let (large, small) = (units[first], units[first + 1])
    let rest = seconds % large.size / small.size
    return "\(seconds / large.size)\(large.mark)" + (rest == 0 ? "" : " \(rest)\(small.mark)")
  }

  private func verdict(_ limit: Duration, degraded: Bool) -> Verdict {
    let words = notAfter.map { until(limit, $0) } ?? "no certificate was presented"
    return Verdict(.certificateExpiring, phase: .assertion, message: words, degraded: degraded)
  }

  private func until(_ limit: Duration, _ end: Timestamp) -> String {
    end < now
      ? "\(which(end)) expired on \(end.rfc3339)"
      : "\(which(end)) is valid until \(end.rfc3339), less than \(limit.text) from now"
  }

  private func which(_ end: Timestamp) -> String {
    leafNotAfter.map { end < $0 } ?? false ? "a certificate above the server's own" : "certificate"
  }
}

extension CertificateRule {
  /// - Parameter report: nil: no certificate was presented.
  init(_ thresholds: Thresholds<Duration>, _ report: TLSReport?, strict: Bool, now: Timestamp) {
    self.init(
      thresholds: thresholds, notAfter: report?.earliestEnd.map { Timestamp(seconds: $0) },
      leafNotAfter: report?.chain.first.map { Timestamp(seconds: $0.notAfter) }, now: now,
      isStapleMissing: report?.isStapleMissing ?? false, stapleFault: report?.stapleFault, isStrict: strict,
      isUnverified: report?.verified == false)
  }
}
