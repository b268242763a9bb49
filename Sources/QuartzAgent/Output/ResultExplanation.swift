// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Tracing

/// Everything one result knows, laid out so that a person sees where the time went and what failed.
struct ResultExplanation {
  var color: Bool
  /// Columns of the terminal; longer lines are folded, never cut.
  var width = 120

  func render(_ result: CheckResult) -> String {
    var lines = title(result)
    lines += TimeDrawing(result, paint: paint, width: width - 2).lines
    lines += section("hops", hops(result))
    if let account = result.account {
      lines += section("names", names(account))
      lines += section("headers", headers(account))
      if let trace = account.trace { lines += section("path", path(trace)) }
    }
    lines += section("kernel", KernelText.lines(result))
    lines += section("dialog", dialog(result.dialog))
    if let dns = result.dns { lines += section("dns", answers(dns)) }
    if let ping = result.ping { lines += section("ping", replies(ping)) }
    if let tls = result.tls {
      lines += section("certificate", CertificateText(paint: paint).lines(tls, at: result.startedAt))
    }
    lines += section("assertions", assertions(result.assertions))
    lines += section("addresses", addresses(result.addresses))
    lines += section("attempts", attempts(result.attempts))
    if let excerpt = result.excerpt {
      // The output of a job has lines; any other excerpt is one.
      let plain = excerpt.split(separator: "\n", omittingEmptySubsequences: false)
        .map { String($0).printable(maxBytes: 1024) }
      lines += section(
        "excerpt", JSONExcerpt.lines(excerpt.printable(maxBytes: 1024), paint) ?? plain)
    }
    return lines.flatMap { fold($0, width: width) }.joined(separator: "\n") + "\n"
  }

  private var paint: Paint { Paint(isOn: color) }

  private func title(_ result: CheckResult) -> [String] {
    let name = result.check.printable(maxBytes: 200)
    let state = paint("\(result.state.mark) \(result.state.rawValue.uppercased())", result.state.ansi)
    let target = "\(result.type.rawValue) \(result.target.printable(maxBytes: 300))"
    var facts: [String] = []
    if let time = result.responseTime { facts.append(precise(time)) }
    if let code = result.statusCode { facts.append("status \(code)") }
    if let version = result.httpVersion { facts.append("HTTP/\(version)") }
    if let address = result.address { facts.append(address) }
    if result.truncated { facts.append("body not read beyond max_body") }
    var lines = ["\(state)  " + (name == result.target ? target : "\(name)  \(target)")]
    if !facts.isEmpty { lines.append("  " + facts.joined(separator: "  ")) }
    guard result.reason != .ok else { return lines + (result.message.map { ["  \($0)"] } ?? []) }
    let reason = [result.reason.rawValue, result.message].compactMap(\.self).joined(separator: ": ")
    lines.append("  " + paint(reason, result.state.ansi))
    if let phase = result.phase { lines.append("  where  \(phase.rawValue.replacing("_", with: " "))") }
    let advice = result.reason.advice(in: result.phase, of: result.message, isExplained: true)
    return lines + (advice.map { ["  next   \($0)"] } ?? [])
  }

  private func section(_ name: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["  " + paint(name, Paint.heading)] + lines.map { "    " + $0 }
  }

  private func hops(_ result: CheckResult) -> [String] {
    // A single hop says nothing new, but where it leads nowhere.
    guard result.hops.count > 1 || result.reason.isAboutRedirect else { return [] }
    let locations = result.account?.locations ?? []
    return result.hops.enumerated().flatMap { index, hop in
      let code = hop.statusCode.map(String.init) ?? "---"
      let parts = phases(of: hop.timings).map { "\($0.name) \(precise($0.span))" }
      let total = hop.timings.total.map { "= \(precise($0))" }
      return [
        "\(index + 1)  \(code)  \(hop.url.printable(maxBytes: 300))  \(hop.address ?? "")",
        "        " + (parts + [total].compactMap(\.self)).joined(separator: "  "),
        index < locations.count ? locations[index].map { "        Location: \($0)" } ?? "" : "",
      ].map(trimmed).filter { !$0.isEmpty }
    }
  }

  private func path(_ trace: RouteTrace) -> [String] {
    let comparison = TraceComparison(trace, good: nil)
    return [paint(comparison.shortSummary, comparison.brokenAfter == nil ? Paint.good : Paint.bad)]
      + RouteTraceText(trace, width: width - 4, color: color).lines
  }

  /// A name that every hop asks for is said once.
  private func names(_ account: ProbeAccount) -> [String] {
    account.names.enumerated().filter { !account.names[..<$0].contains($1) }.map { name($1) }
  }

  private func name(_ name: ResolvedName) -> String {
    let found =
      name.addresses.isEmpty ? "no address" : name.addresses.map(\.description).joined(separator: ", ")
    let source =
      switch name.source {
      case .hostsFile: "/etc/hosts"
      case .localhostRule: "this machine, as localhost always is"
      case .nameServer(let server): "name server \(server) of /etc/resolv.conf"
      case .ownResolver(let endpoint, let server):
        endpoint.host == server.address.description
          ? "the check's resolver \(server)" : "the check's resolver \(endpoint), which is \(server)"
      }
    let words = name.words.map { ", which says: \($0)" } ?? ""
    return "\(name.name.printable(maxBytes: 300))  \(found)  from \(source)\(words)"
  }

  private func headers(_ account: ProbeAccount) -> [String] {
    let more = account.headersLeftOut
    return account.headers.map { "\($0.name): \($0.value)" } + (more > 0 ? ["and \(more) more"] : [])
  }

  private func dialog(_ steps: [DialogStepFacts]) -> [String] {
    let width = column(steps.map(\.what), limit: 60)
    return steps.flatMap { step in
      let line = "\(mark(step.ok)) \(pad(step.what, width))  \(padLeft(precise(step.elapsed), 12))"
      guard let seen = step.seen else { return [line] }
      return [line, "    came  " + (seen.isEmpty ? "nothing" : seen)]
    }
  }

  private func answers(_ dns: DNSFacts) -> [String] {
    let flags = [
      dns.authoritative ? "authoritative" : nil, dns.authentic ? "authentic" : nil,
      dns.truncated ? "cut over udp, then asked again" : nil,
      dns.ignored > 0 ? "\(dns.ignored) foreign answers ignored" : nil,
    ]
    let head = ([dns.rcode, "over " + dns.transport] + flags.compactMap(\.self)).joined(separator: ", ")
    var lines = [head] + dns.errors.map { "the server says: \($0)" }
    lines += dns.answers.map { "\($0.name)  \($0.ttl)  \($0.type)  \($0.data)" }
    if dns.answerCount > dns.answers.count {
      lines.append("and \(dns.answerCount - dns.answers.count) more")
    }
    return lines
  }

  private func replies(_ ping: PingFacts) -> [String] {
    // One sign a packet says more than a percentage, as long as they fit.
    let signs =
      ping.sent <= 40
      ? String(repeating: "█", count: ping.received)
        + String(repeating: "·", count: max(0, ping.sent - ping.received)) + "  " : ""
    var lines = ["\(signs)\(ping.received) of \(ping.sent) replies, \(decimal(ping.loss)) % lost"]
    if let low = ping.minimum, let mean = ping.average, let high = ping.maximum {
      lines.append("min \(precise(low))  avg \(precise(mean))  max \(precise(high))")
    }
    if ping.refused > 0 { lines.append("\(ping.refused) answered by an ICMP error") }
    let spread = [
      ping.standardDeviation.map { "standard deviation \(precise($0))" },
      ping.jitter.map { "jitter \(precise($0))" },
    ].compactMap(\.self)
    if !spread.isEmpty { lines.append(spread.joined(separator: "  ")) }
    return lines
  }

  private func assertions(_ assertions: [Assertion]) -> [String] {
    let names = column(assertions.map(\.what), limit: 32)
    let found = column(assertions.map(shown), limit: 32)
    return assertions.map {
      "\(mark($0.ok)) \(pad($0.what, names))  \(padded(shown($0), found))  expected \($0.expected)"
    }
  }

  private func shown(_ assertion: Assertion) -> String {
    assertion.actual.isEmpty ? "nothing" : assertion.actual
  }

  private func addresses(_ addresses: [AddressVerdict]) -> [String] {
    let width = column(addresses.map(\.address), limit: 48)
    return addresses.map { one in
      let time = padLeft(one.responseTime.map(precise) ?? "-", 12)
      let words = [one.reason.rawValue, one.message].compactMap(\.self).joined(separator: ": ")
      return "\(paint(one.state.mark, one.state.ansi)) \(pad(one.address, width))  \(time)  \(words)"
    }
  }

  private func attempts(_ attempts: [AttemptFacts]) -> [String] {
    guard attempts.count > 1 || attempts.contains(where: { $0.dialled.count > 1 }) else { return [] }
    return attempts.enumerated().flatMap { index, attempt in
      let time = attempt.responseTime.map(precise) ?? "-"
      let clock = attempt.startedAt.rfc3339.dropFirst(11).dropLast()
      let line =
        "\(mark(attempt.status == .success)) \(index + 1)  \(clock)  \(padLeft(time, 12))  \(attempt.reason.rawValue)"
      return [line] + raced(attempt.dialled)
    }
  }

  /// Addresses in the race for a connection, and how the losers ended.
  private func raced(_ dialled: [DialledAddress]) -> [String] {
    guard dialled.count > 1 else { return [] }
    let width = column(dialled.map(\.address), limit: 48)
    return dialled.map { one in
      let outcome =
        switch one.outcome {
        case .connected: "connected"
        case .abandoned: "given up: another was first"
        case .failed: one.reason?.rawValue ?? "failed"
        }
      let start = one.after == .zero ? "" : "  (started after \(precise(one.after)))"
      return "    \(pad(one.address, width))  \(padLeft(precise(one.elapsed), 12))  \(outcome)\(start)"
    }
  }

  private func mark(_ ok: Bool) -> String { ok ? paint("✓", Paint.good) : paint("✕", Paint.bad) }

  private func column(_ texts: [String], limit: Int) -> Int { min(limit, texts.map(\.count).max() ?? 0) }

  /// Longer texts stand as they are: what came must not be cut.
  private func padded(_ text: String, _ width: Int) -> String {
    text.count >= width ? text : pad(text, width)
  }
}
