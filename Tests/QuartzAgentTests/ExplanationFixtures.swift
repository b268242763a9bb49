// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAgent

/// Results as probes make them, with figures that stay.
enum Explained {
  static let now = Timestamp(seconds: 1_800_000_000)

  static func ms(_ value: Double) -> Duration { .microseconds(Int64(value * 1000)) }

  static func result(
    _ type: String, _ verdict: Verdict, _ change: (inout CheckDefinition) -> Void,
    _ fill: (inout CheckResult) -> Void
  ) throws -> CheckResult {
    var definition = CheckDefinition()
    definition.name = "Shop front"
    definition.type = type
    change(&definition)
    let check = try MonitoringCheck(definition)
    var generator = SystemRandomNumberGenerator()
    var result = CheckResult(
      id: .v7(at: now, using: &generator), check: check, trigger: .manual, scheduledAt: now, startedAt: now,
      late: .zero, verdict: verdict)
    result.attempts = [
      AttemptFacts(startedAt: now, status: verdict.status, reason: verdict.reason, responseTime: nil)
    ]
    fill(&result)
    return result
  }

  static func http(
    _ verdict: Verdict, url: String = "https://shop.example/health", _ fill: (inout CheckResult) -> Void
  ) throws -> CheckResult { try result("http", verdict, { $0.url = url }, fill) }

  static func certificate(_ subject: String, by issuer: String, days: Int64, sans: [String] = [])
    -> CertificateFacts
  {
    CertificateFacts(
      subject: subject, issuer: issuer, notBefore: Timestamp(seconds: 1_700_000_000),
      notAfter: now.advanced(by: .seconds(days * 86_400)), serial: "01", sha256: "00", sans: sans)
  }

  static func chain(days: Int64) -> [CertificateFacts] {
    [
      certificate(
        "CN=shop.example", by: "CN=Intermediate", days: days, sans: ["shop.example", "www.shop.example"]),
      certificate("CN=Intermediate", by: "CN=Root", days: 800),
    ]
  }
}

/// At 80 columns without colour, word for word; then what colour and other widths may change, and what not.
func expectText(
  _ result: CheckResult, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  let plain = ResultExplanation(color: false, width: 80).render(result)
  #expect(plain == expected, sourceLocation: sourceLocation)
  #expect(plain.split(separator: "\n").allSatisfy { $0.count <= 80 }, sourceLocation: sourceLocation)
  for width in [40, 50, 80, 120] {
    let plain = ResultExplanation(color: false, width: width).render(result)
    // A bar on a line of its own has lost its place in time.
    #expect(!plain.split(separator: "\n").contains { $0.wholeMatch(of: /\s+[█▏dcstfb]+/) != nil })
    let painted = ResultExplanation(color: true, width: width).render(result)
    #expect(painted.replacing(/\u{1b}\[[0-9]+m/, with: "") == plain, sourceLocation: sourceLocation)
    #expect(painted.contains("\u{1b}[") && !plain.contains("\u{1b}"), sourceLocation: sourceLocation)
  }
}
