// SPDX-License-Identifier: MIT

import Curl
import Monitoring

/// Judges the last answer of an http probe by the check's conditions. Pure, and fails closed: a condition whose
/// subject never arrived does not hold. All conditions are judged, always, whatever the verdict.
struct HTTPJudge {
  let settings: HTTPSettings
  /// The verdict of a transfer or redirect that ended the probe early; nil when the answer is complete.
  let failure: Verdict?
  let report: TransferReport?
  /// The leaf's end of validity, of the last hop with TLS.
  let certificateEnd: Timestamp?
  let now: Timestamp

  var verdict: Verdict {
    if let failure { return failure }
    if !status.ok {
      return Verdict(
        .httpStatus, phase: .assertion, message: "status \(status.actual), expected \(status.expected)")
    }
    if let broken = body.first(where: { !$0.ok }) {
      let words = broken.what == "body.contains" ? "does not contain" : "contains"
      return Verdict(.body, phase: .assertion, message: "body \(words) \"\(broken.expected)\"")
    }
    return certificate.verdict ?? .ok
  }

  var assertions: [Assertion] { [status] + body + certificate.assertions }

  /// On failure only, and only if a body was wanted: what the target said, without the check's secrets.
  var excerpt: String? {
    guard !verdict.isSuccess, let body = report?.body, !body.isEmpty else { return nil }
    var text = String(decoding: body.prefix(64 * 1024), as: UTF8.self)
    for secret in settings.secrets where !secret.isEmpty {
      text = text.replacing(secret, with: Redacted.mark)
    }
    return text.printable(maxBytes: 1024)
  }

  private var status: Assertion {
    let code = report?.statusCode
    let wanted = settings.expect.status
    let holds = code.map { code in wanted.isEmpty || wanted.contains { $0.contains(code) } } ?? false
    let words = wanted.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
    return Assertion(
      what: "status", expected: wanted.isEmpty ? "any" : words.joined(separator: ", "),
      actual: code.map(String.init) ?? "", ok: holds)
  }

  private var body: [Assertion] {
    settings.expect.bodyContains.map { condition("body.contains", $0, wanted: true) }
      + settings.expect.bodyNotContains.map { condition("body.not_contains", $0, wanted: false) }
  }

  private func condition(_ what: String, _ literal: String, wanted: Bool) -> Assertion {
    guard let report, report.statusCode != nil else {
      return Assertion(what: what, expected: literal, actual: "", ok: false)
    }
    let isThere = contains(report.body, Array(literal.utf8))
    let isWhole = report.outcome == .complete && failure == nil
    // What is in the part that came is in the whole; what is not may still come.
    let holds = wanted ? isThere : !isThere && isWhole
    let actual = isThere ? "found" : isWhole ? "not found" : "not in the first \(report.body.count) bytes"
    return Assertion(what: what, expected: literal, actual: actual, ok: holds)
  }

  private var certificate: CertificateRule {
    CertificateRule(thresholds: settings.expect.certificateDays, notAfter: certificateEnd, now: now)
  }
}

extension HTTPSettings {
  /// Every value that must not turn up in what we keep of an answer.
  fileprivate var secrets: [String] {
    var secrets = headers.map { $0.value.reveal() }
    if let body { secrets.append(body.reveal()) }
    switch auth {
    case .basic(let username, let password), .digest(let username, let password):
      secrets += [password.reveal(), base64(Array("\(username):\(password.reveal())".utf8))]
    case .bearer(let token): secrets.append(token.reveal())
    case .oauth2(let settings): secrets.append(settings.clientSecret.reveal())
    case nil: break
    }
    // The longest first, so that no part of a secret is left over from a shorter one.
    return secrets.sorted { $0.utf8.count > $1.utf8.count }
  }
}

/// Whether `needle` is somewhere in `bytes`. An empty one is everywhere.
func contains(_ bytes: [UInt8], _ needle: [UInt8]) -> Bool {
  guard let first = needle.first else { return true }
  guard bytes.count >= needle.count else { return false }
  var start = 0
  while start <= bytes.count - needle.count {
    if bytes[start] == first, bytes[start..<(start + needle.count)] == needle[...] { return true }
    start += 1
  }
  return false
}
