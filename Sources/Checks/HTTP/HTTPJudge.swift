// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

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
  ///   - tls: of the hop whose certificate decides.
  ///   - hop: the place of that hop, from 1; `nil` where there is no other one.
  init(
    settings: HTTPSettings, failure: Verdict?, report: TransferReport?, lastURL: HTTPURL? = nil,
    tls: TLSReport?, hop: Int? = nil, now: Timestamp, within budget: CPUBudget? = nil
  ) {
    let isRelayed = settings.proxy?.scheme == .http && lastURL?.scheme == .http
    let status = HTTPConditions.status(
      settings.expect.status, report?.statusCode, through: isRelayed ? settings.proxy?.endpoint : nil)
    var judged = [status]
    var (assertions, mask) = ([status.assertion], SecretMask?.none)
    var (body, notes) = (report?.body ?? [], [String]())
    // Most checks ask for a status and nothing else.
    if !settings.expect.isAboutStatusAlone {
      let own = SecretMask(settings)
      let budget = budget ?? CPUBudget(bytes: report?.body.count ?? 0)
      let answer = HTTPAnswer(
        report: report, lastURL: lastURL, isJudged: failure == nil, settings, within: budget)
      body = answer.text.bytes
      if failure == nil { notes = answer.notes }
      judged += HTTPConditions(settings.expect, mask: own, within: budget).judge(answer)
      assertions = judged.map(\.assertion)
      mask = own
    }
    var certificate = CertificateRule(
      settings.expect.certificateDays, tls, strict: settings.tls.isStrict, now: now)
    certificate.hop = hop
    if failure == nil { notes += [certificate.note].compactMap(\.self) }
    assertions += certificate.assertions
    self.assertions = assertions
    let verdict = failure ?? Self.verdict(of: judged) ?? certificate.verdict ?? .ok
    self.verdict = notes.isEmpty ? verdict : verdict.noting(notes)
    excerpt =
      verdict.isSuccess
      ? nil : report.flatMap { verdict.excerpt($0, body: body, mask ?? SecretMask(settings)) }
  }

  /// The first that does not hold, in the order of the keys; how many more there are is said behind it.
  private static func verdict(of judged: [JudgedCondition]) -> Verdict? {
    guard judged.contains(where: { !$0.assertion.ok }) else { return nil }
    let broken = judged.filter { !$0.assertion.ok }
    guard let first = broken.first else { return nil }
    let others = broken.count - 1
    let more = others == 0 ? "" : ", and \(others) more \(plural("condition", others))"
    return Verdict(first.reason, phase: .assertion, message: first.words + more)
  }
}

extension Verdict {
  /// The target's words that led here: of a redirect that was not followed, its target.
  fileprivate func excerpt(_ report: TransferReport, body: [UInt8], _ mask: SecretMask) -> String? {
    guard reason.isAboutRedirect, let location = report.headerBlock.first("location") else {
      return mask.excerpt(of: body)
    }
    return location.isEmpty ? "Location:" : mask.hide("Location: \(location)").printable(maxBytes: 256)
  }
}

extension Verdict {
  /// With what does not change it and should be known.
  func noting(_ notes: [String]) -> Verdict {
    with(message: ([message].compactMap(\.self) + notes).joined(separator: "; "))
  }
}

/// The part of an answer that conditions are about.
struct HTTPAnswer {
  /// `nil` where no answer arrived.
  let status: Int?
  let version: String?
  let url: HTTPURL?
  /// `nil` where none arrived, or not all.
  let headers: HeaderBlock?
  /// Bytes of the body.
  let size: Int
  /// The body as conditions see it.
  let text: BodyText
  /// Oddities of the body that change nothing.
  let notes: [String]
  /// The body was read, and nothing of it is missing.
  let isWhole: Bool

  /// - Parameter isJudged: the answer is the one the check asks about, and it is complete.
  init(
    report: TransferReport?, lastURL: HTTPURL?, isJudged: Bool, _ settings: HTTPSettings,
    within budget: CPUBudget
  ) {
    guard let report else {
      (status, version, url, headers, isWhole) = (nil, nil, nil, nil, false)
      (size, text, notes) = (0, BodyText(asBytes: []), [])
      return
    }
    status = report.statusCode
    version = report.httpVersion
    size = report.body.count
    text =
      settings.expect.needsBody && !settings.expect.comparesBytes
      ? BodyText(report.body, report.headerBlock, within: budget) : BodyText(asBytes: report.body)
    let isDecoded = settings.expect.needsBody && settings.decompress && !report.body.isEmpty
    let codings = isDecoded ? report.headerBlock.values("content-encoding") : []
    let ending = ContentCodings.areUndone(codings) ? "decoded without it" : "judged as it is"
    notes =
      ContentCodings.misnomers(codings).withoutRepetitions().prefix(3).map {
        "Content-Encoding \"\($0)\" is no coding: the body was \(ending)"
      }
      + [text.note].compactMap(\.self)
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
  /// Made of the check's own words, numbers and codes. It leaves this machine: of what the target said there is no more in
  /// it than the start of the value that was found, without the check's secrets.
  var words: String
}
