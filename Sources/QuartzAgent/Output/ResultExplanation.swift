// SPDX-License-Identifier: MIT

import History
import Monitoring

/// Everything one result knows, laid out so that a person sees where the time went and what failed.
struct ResultExplanation {
  var color: Bool

  func render(_ result: CheckResult) -> String {
    var lines: [String] = []
    lines += waterfall(result.timings)
    lines += hops(result.hops)
    if let dns = result.dns { lines += answers(dns) }
    if let ping = result.ping { lines += replies(ping) }
    if let tls = result.tls { lines += certificate(tls) }
    lines += assertions(result.assertions)
    lines += attempts(result.attempts)
    if let excerpt = result.excerpt { lines += section("excerpt", [excerpt.printable(maxBytes: 1024)]) }
    let head = title(result)
    return ([head] + lines.map { "  " + $0 }).joined(separator: "\n") + "\n"
  }

  private func title(_ result: CheckResult) -> String {
    var words =
      "\(result.state.mark) \(result.state.rawValue.uppercased())  \(result.check.printable(maxBytes: 200))"
    words += "  \(result.type.rawValue) \(result.target)"
    if result.reason != .ok {
      words += "\n  " + [result.reason.rawValue, result.message].joinedPresent(": ")
    }
    if let phase = result.phase { words += "\n  failed in: \(phase.rawValue)" }
    guard color else { return words }
    return "\u{1b}[\(result.state.ansi)m" + words + "\u{1b}[0m"
  }

  private func section(_ name: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : [name + ":"] + lines.map { "  " + $0 }
  }

  private func waterfall(_ timings: Timings) -> [String] {
    let parts: [(String, Duration?)] = [
      ("dns", timings.dns), ("connect", timings.connect), ("tls", timings.tls),
      ("first byte", timings.firstByte), ("transfer", timings.transfer),
    ]
    let known = parts.compactMap { name, duration in duration.map { (name, $0) } }
    guard let total = timings.total, total > .zero else { return [] }
    var before = 0.0
    var lines: [String] = []
    for (name, duration) in known {
      lines.append(bar(name, duration, from: before, total: total.milliseconds))
      before += duration.milliseconds
    }
    lines.append(pad("total", 11) + padLeft(precise(total), 12))
    return section("time", lines)
  }

  private func bar(_ name: String, _ duration: Duration, from start: Double, total: Double) -> String {
    let columns = 40.0
    let offset = min(Int(start / total * columns), 39)
    let length = max(1, min(Int((duration.milliseconds / total * columns).rounded()), 40 - offset))
    let drawing = String(repeating: " ", count: offset) + String(repeating: "█", count: length)
    return pad(name, 11) + padLeft(precise(duration), 12) + "  " + drawing
  }

  private func hops(_ hops: [Hop]) -> [String] {
    guard hops.count > 1 else { return [] }
    return section(
      "hops",
      hops.enumerated().map { index, hop in
        let code = hop.statusCode.map(String.init) ?? "-"
        let time = hop.timings.total.map(precise) ?? "-"
        return "\(index + 1). \(code)  \(hop.url)  \(hop.address ?? "-")  \(time)"
      })
  }

  private func answers(_ dns: DNSFacts) -> [String] {
    let flags = [dns.authoritative ? "authoritative" : nil, dns.truncated ? "truncated over udp" : nil]
    let head = ([dns.rcode, "over " + dns.transport] + flags.compactMap(\.self)).joined(separator: ", ")
    return section("dns", [head] + dns.answers.map { "\($0.name) \($0.ttl) \($0.type) \($0.data)" })
  }

  private func replies(_ ping: PingFacts) -> [String] {
    var words = "\(ping.received) of \(ping.sent) replies, \(decimal(ping.loss)) % lost"
    if let low = ping.minimum, let mean = ping.average, let high = ping.maximum {
      words += ", min/avg/max \(precise(low)) / \(precise(mean)) / \(precise(high))"
    }
    return section("ping", [words])
  }

  private func certificate(_ tls: TLSFacts) -> [String] {
    var lines = [[tls.version, tls.cipher].joinedPresent(", ")]
    lines.append(tls.verified ? "verified" : "not verified: \(tls.verifyError ?? "not judged")")
    for (index, certificate) in tls.chain.enumerated() {
      lines.append("\(index). \(certificate.subject)")
      lines.append("   issued by \(certificate.issuer)")
      lines.append("   valid \(day(certificate.notBefore)) to \(day(certificate.notAfter))")
      if index == 0, let days = tls.daysRemaining { lines.append("   \(days) days remaining") }
      if index == 0, !certificate.sans.isEmpty {
        lines.append("   for \(certificate.sans.joined(separator: ", "))")
      }
    }
    return section("certificate", lines)
  }

  private func assertions(_ assertions: [Assertion]) -> [String] {
    section(
      "assertions",
      assertions.map { assertion in
        let mark = assertion.ok ? "✓" : "✕"
        let found = assertion.actual.isEmpty ? "nothing" : assertion.actual
        return "\(mark) \(assertion.what): expected \(assertion.expected), found \(found)"
      })
  }

  private func attempts(_ attempts: [Attempt]) -> [String] {
    guard attempts.count > 1 else { return [] }
    return section(
      "attempts",
      attempts.enumerated().map { index, attempt in
        let time = attempt.responseTime.map(precise) ?? "-"
        return "\(index + 1). \(attempt.startedAt.rfc3339)  \(attempt.reason.rawValue)  \(time)"
      })
  }

  private func precise(_ duration: Duration) -> String {
    let microseconds = duration.microseconds
    let fraction = String(microseconds % 1000)
    return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction + " ms"
  }

  private func day(_ time: Timestamp) -> String { String(time.rfc3339.prefix(10)) }
}

extension [String?] {
  fileprivate func joinedPresent(_ separator: String) -> String {
    compactMap(\.self).joined(separator: separator)
  }
}
