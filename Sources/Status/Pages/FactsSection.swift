// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The facts of one result, as `once --explain` shows it: phases, conditions, addresses, certificates, attempts.
struct FactsSection {
  let result: CheckResult

  /// Rows of each list.
  private static let shown = 20

  func render() -> Markup {
    let parts = [phases, assertions, addresses, path, answers, attempts, excerpt].compactMap(\.self)
    guard !parts.isEmpty else { return "" }
    return """
      <section class="card" id="facts"><h2>Latest result in full</h2>\
      <p class="dim">\(Layout.state(result.state)) \(Layout.minute(result.startedAt))\(place)</p>\(Markup(parts))</section>
      """
  }

  private var place: Markup {
    let facts = [
      result.address, result.statusCode.map { "status \($0)" }, result.httpVersion.map { "HTTP/\($0)" },
      result.phase.map { "failed in \($0.rawValue.replacing("_", with: " "))" },
    ].compactMap(\.self)
    return facts.isEmpty ? "" : " · \(facts.joined(separator: " · "))"
  }

  private func part(_ title: String, _ rows: [Markup]) -> Markup? {
    guard !rows.isEmpty else { return nil }
    let more: Markup =
      rows.count > Self.shown ? "<li class=\"dim\">and \(rows.count - Self.shown) more</li>" : ""
    return "<h3>\(title)</h3><ul class=\"problems\">\(Markup(Array(rows.prefix(Self.shown))))\(more)</ul>"
  }

  private func mark(_ ok: Bool) -> Markup {
    let state: CheckState = ok ? .up : .down
    return "<span class=\"mark \(state.rawValue)\" aria-hidden=\"true\">\(ok ? "✓" : "✕")</span>&nbsp;"
  }

  private var phases: Markup? {
    let timings = result.timings
    guard let total = timings.total else { return nil }
    let parts: [(style: String, name: String, value: Duration?)] = [
      ("dns", "dns", timings.dns), ("connect", "connect", timings.connect),
      ("starttls", "starttls", timings.startTLS), ("tls", "tls", timings.tls),
      ("first", "first byte", timings.firstByte), ("rest", "transfer", timings.transfer),
    ]
    let rows: [Markup] = parts.compactMap { part in
      part.value.map {
        """
        <dt><svg class="key" viewBox="0 0 10 10" aria-hidden="true"><rect class="w-\(part.style)" width="10" height="10"/></svg> \
        \(part.name)</dt><dd class="num">\(StatusFormat.latency($0))</dd>
        """
      }
    }
    guard !rows.isEmpty else { return nil }
    return """
      \(Drawing.waterfall(timings, scale: total))<dl class="facts phases">\(Markup(rows))\
      <dt>total</dt><dd class="num">\(StatusFormat.latency(total))</dd></dl>
      """
  }

  private var assertions: Markup? {
    part(
      "Conditions",
      result.assertions.map { one in
        let found = one.actual.isEmpty ? "nothing" : one.actual
        return """
          <li>\(mark(one.ok))\(one.what) <span class="dim">found <b class="num">\(found)</b>, expected \(one.expected)</span></li>
          """
      })
  }

  private var addresses: Markup? {
    part(
      "Addresses",
      result.addresses.map { one in
        let words = [one.reason == .ok ? nil : one.reason.rawValue, one.message].compactMap(\.self)
        return """
          <li>\(mark(one.state != .down))<span class="num">\(one.address)</span> <span class="dim">\
          \(StatusFormat.latency(one.responseTime)) \(words.joined(separator: ": "))</span></li>
          """
      })
  }

  private var path: Markup? {
    part(
      "Certificates, as presented",
      (result.tls?.chain ?? []).map { one in
        """
        <li>\(one.subject) <span class="dim">issued by \(one.issuer), valid until \(Layout.minute(one.notAfter))</span></li>
        """
      })
  }

  private var answers: Markup? {
    part(
      "DNS answers",
      (result.dns?.answers ?? []).map { one in
        "<li class=\"num\">\(one.name) \(String(one.ttl)) \(one.type) \(one.data)</li>"
      })
  }

  private var attempts: Markup? {
    guard result.attempts.count > 1 else { return nil }
    return part(
      "Attempts",
      result.attempts.map { one in
        """
        <li>\(mark(one.status == .success))\(Layout.clock(one.startedAt)) UTC <span class="dim">\
        \(StatusFormat.latency(one.responseTime)) \(one.reason.rawValue)</span></li>
        """
      })
  }

  private var excerpt: Markup? {
    result.excerpt.map { "<h3>Answer of the target</h3><p class=\"num excerpt\">\($0)</p>" }
  }
}
