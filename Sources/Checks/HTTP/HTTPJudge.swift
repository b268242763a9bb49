// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

/// Judges the last answer of an http probe by the check's conditions. Pure, and fails closed: a condition whose
/// subject never arrived, or arrived in part, does not hold. All conditions are judged, always, whatever the verdict.
struct HTTPJudge {
  let verdict: Verdict
  /// In the order of docs/checks.md.
  let assertions: [Assertion]
  /// On failure only, and only if a body was wanted: what the target said, without the check's secrets.
  let excerpt: String?

  /// - Parameters:
  ///   - failure: the verdict of a transfer or redirect that ended the probe early; nil when the answer is complete.
  ///   - lastURL: where the answer came from.
  ///   - tls: of the last hop that used it.
  init(
    settings: HTTPSettings, failure: Verdict?, report: TransferReport?, lastURL: HTTPURL? = nil,
    tls: TLSReport?, now: Timestamp, within budget: CPUBudget? = nil
  ) {
    let status = HTTPConditions.status(settings.expect.status, report?.statusCode)
    var judged = [status]
    var (assertions, mask) = ([status.assertion], SecretMask?.none)
    // Most checks ask for a status and nothing else.
    if !settings.expect.isAboutStatusAlone {
      let own = SecretMask(settings)
      let budget = budget ?? CPUBudget(bytes: report?.body.count ?? 0)
      let answer = HTTPAnswer(report: report, lastURL: lastURL, isJudged: failure == nil)
      judged += HTTPConditions(settings.expect, mask: own, within: budget).judge(answer)
      assertions = judged.map(\.assertion)
      mask = own
    }
    let certificate = CertificateRule(settings.expect.certificateDays, tls, now: now)
    assertions += certificate.assertions
    self.assertions = assertions
    let verdict = failure ?? Self.verdict(of: judged) ?? certificate.verdict ?? .ok
    self.verdict = verdict
    excerpt = verdict.isSuccess ? nil : report.flatMap { verdict.excerpt($0, mask ?? SecretMask(settings)) }
  }

  /// The first that does not hold, in the order of the keys; how many more there are is said behind it.
  private static func verdict(of judged: [JudgedCondition]) -> Verdict? {
    guard judged.contains(where: { !$0.assertion.ok }) else { return nil }
    let broken = judged.filter { !$0.assertion.ok }
    guard let first = broken.first else { return nil }
    let others = broken.count - 1
    let more = others == 0 ? "" : others == 1 ? ", and 1 more condition" : ", and \(others) more conditions"
    return Verdict(first.reason, phase: .assertion, message: first.words + more)
  }
}

extension Verdict {
  /// What the target said that led here: of a redirect that was not followed, where it points.
  fileprivate func excerpt(_ report: TransferReport, _ mask: SecretMask) -> String? {
    guard reason.isAboutRedirect, let location = report.headerBlock.first("location") else {
      return mask.excerpt(of: report.body)
    }
    return location.isEmpty ? "Location:" : mask.hide("Location: \(location)").printable(maxBytes: 256)
  }
}

/// The part of an answer that conditions are about.
struct HTTPAnswer {
  /// Nil: no answer arrived.
  let status: Int?
  let version: String?
  let url: HTTPURL?
  /// Nil: none arrived, or not all.
  let headers: HeaderBlock?
  let body: [UInt8]
  /// The body was read, and nothing of it is missing.
  let isWhole: Bool

  /// - Parameter isJudged: the answer is the one the check asks about, and it is complete.
  init(report: TransferReport?, lastURL: HTTPURL?, isJudged: Bool) {
    guard let report else {
      (status, version, url, headers, body, isWhole) = (nil, nil, nil, nil, [], false)
      return
    }
    status = report.statusCode
    version = report.httpVersion
    body = report.body
    url = report.statusCode == nil ? nil : lastURL
    let failure = report.failure
    let isComplete = failure == nil && isJudged
    let hasHeaders = report.statusCode != nil && (isComplete || failure?.phase == .transfer)
    headers = hasHeaders ? report.headerBlock : nil
    // A challenge ends at its headers: a body that was left unread is not an empty one.
    isWhole = report.statusCode != nil && isComplete && !report.truncated && report.times.lastByte != nil
  }
}

/// One condition of an http check, judged; what to say when it is the reason of a failure.
struct JudgedCondition {
  var assertion: Assertion
  var reason: Reason
  /// Made of the check's own words, numbers and codes: it leaves this machine, so nothing the target said is in it.
  var words: String
}
