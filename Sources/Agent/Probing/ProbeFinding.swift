// SPDX-License-Identifier: MIT

import Basics
import Import
import Monitoring

/// Finding of a probe for `/probe`.
struct ProbeFinding: Sendable {
  let module: BlackboxModule
  /// As it was asked for.
  let target: String
  /// Bytes of a body that the module has read; nil: all.
  var bodyLimit: Int?
  /// `nil` where nothing could be asked.
  var result: CheckResult?
  /// Where there is no result.
  var reason = Reason.unsupported
  var phase: Phase? = .prepare
  var words: String?
  /// From the question to the verdict.
  var elapsed = Duration.zero
  var at = Timestamp.epoch

  init(_ module: BlackboxModule, _ target: String) { (self.module, self.target) = (module, target) }

  /// Address of the target; `nil` when the target is a name.
  var literal: IPAddress? {
    var text = Substring(target)
    if let scheme = text.firstRange(of: "://") { text = text[scheme.upperBound...] }
    text = text.prefix { !"/?#".contains($0) }
    if let at = text.lastIndex(of: "@") { text = text[text.index(after: at)...] }
    if let address = IPAddress(String(text)) { return address }
    return Endpoint(String(text), defaultPort: 1).flatMap { IPAddress($0.host) }
  }

  var isUp: Bool { result.map { $0.state == .up || $0.state == .degraded } ?? false }
  var failure: (reason: Reason, phase: Phase?)? {
    guard let result else { return (reason, phase) }
    return isUp ? nil : (result.reason, result.phase)
  }
}

/// Output of `debug=true`: the verdict, the facts, and the metrics.
enum ProbeLog {
  static func text(_ finding: ProbeFinding, _ metrics: String) -> String {
    var lines = ["Logs for the probe:", "module=\(finding.module.name) target=\(finding.target)"]
    if let result = finding.result { lines += Self.lines(result) }
    let message = finding.result?.message ?? finding.words
    let words = [finding.failure?.reason.rawValue, message].compactMap(\.self)
    lines.append((["Probe \(finding.isUp ? "succeeded" : "failed")"] + words).joined(separator: ": "))
    lines += ["", "Metrics that would have been returned:"]
    return lines.map { $0.printable(maxBytes: 1000) }.joined(separator: "\n") + "\n" + metrics
  }

  private static func lines(_ result: CheckResult) -> [String] {
    var lines: [String] = []
    for name in result.account?.names ?? [] {
      lines.append("resolved \(name.name): \(name.addresses.map(\.description).joined(separator: " "))")
    }
    for hop in result.hops {
      lines.append(
        "request \(hop.url) at \(hop.address ?? "-"): status \(hop.statusCode.map(String.init) ?? "-")")
    }
    for step in result.dialog { lines.append("\(step.ok ? "done" : "FAILED") \(step.what)") }
    for record in result.account?.sections?.answer.prefix(64) ?? [] { lines.append("answer \(record)") }
    for assertion in result.assertions {
      lines.append(
        "\(assertion.ok ? "holds" : "FAILS") \(assertion.what): \(assertion.expected), "
          + "found \(assertion.actual)")
    }
    return lines
  }

  /// One line for the list of the last probes.
  static func line(_ finding: ProbeFinding) -> String {
    let verdict = finding.failure.map { "failed \($0.reason.rawValue)" } ?? "succeeded"
    let words =
      "\(finding.at) \(finding.module.name) \(finding.target) \(verdict) \(finding.elapsed.microseconds / 1000) ms"
    return words.printable(maxBytes: 500)
  }
}
