// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Tracing

/// One check: how it is, how it was, its latest results.
package struct CheckPage {
  let snapshot: StatusSnapshot
  let check: CheckStatus
  /// Newest first.
  let results: [CheckResult]
  package var past = CheckPast()
  /// `nil` where paths are not traced.
  package var way: TraceView?
  /// `nil` where no token for actions is set.
  package var forms: PageForms?

  /// Rows of the table.
  static let shown = 50

  package init(snapshot: StatusSnapshot, check: CheckStatus, results: [CheckResult]) {
    (self.snapshot, self.check, self.results) = (snapshot, check, results)
  }

  package func render(nonce: String) -> Markup {
    let name = StatusFormat.name(check.name)
    return Layout.page(
      title: "\(standing.word) · \(name)", snapshot: snapshot, nonce: nonce,
      """
      <nav class="bar" aria-label="This check"><a class="button" href="/">← All checks</a>\(runButton())</nav>
      \(hero)
      \(incidents())
      \(responseTimes())
      \(uptimes())
      \(PlacesSection(places: check.places).render())
      \(results.first.map { FactsSection(result: $0).render() } ?? "")
      \(way.map { TraceSection(view: $0, now: snapshot.now).render() } ?? "")
      \(OutageList(outages: past.outages, checks: snapshot.checks.count, now: snapshot.now).render())
      \(chart())
      \(certificate())
      \(recent())
      """)
  }

  /// As the word beside the name says it: off and in maintenance are no state of the target.
  private var standing: (word: String, mark: String, style: String) {
    if !check.enabled { return ("OFF", "–", "unknown") }
    if check.maintenance != nil { return ("MAINT", StatusFormat.maintenanceMark, "unknown") }
    if check.isPending { return (StatusSnapshot.pendingWord, StatusSnapshot.pendingMark, "unknown") }
    return (check.state.word, check.state.mark, check.state.rawValue)
  }

  private func runButton() -> Markup {
    guard let forms, check.enabled else { return "" }
    return """
      <form method="post" action="\(forms.address(of: check.id))"><button class="first">Run now</button></form>\
      \(forms.check(check))\(ranNow())
      """
  }

  /// The answer to the button: the newest result, while it is of a run that a person asked for a moment ago.
  private func ranNow() -> Markup {
    guard let result = results.first, result.trigger == .manual,
      result.startedAt.duration(to: snapshot.now) < .seconds(300)
    else { return "" }
    let what = result.reason == .ok ? StatusFormat.latency(result.responseTime) : result.reason.rawValue
    return """
      <span role="status">\(Layout.state(result.state)) <span class="dim">\(what), run now at \
      <time datetime="\(result.startedAt.rfc3339)">\(Layout.moment(result.startedAt))</time></span></span>
      """
  }

  private var hero: Markup {
    let isHeartbeat = check.type == .heartbeat
    var facts = [("type", check.type.rawValue), (isHeartbeat ? "reports" : "target", check.target)]
    facts.append((isHeartbeat ? "evaluated every" : "every", check.interval.text))
    if let since = check.stateBegan {
      // The word above is then that of maintenance.
      let what = check.maintenance == nil ? "in this state for" : "\(check.state.rawValue) for"
      facts.append((what, StatusFormat.age(since, now: snapshot.now)))
    }
    if let last = check.last {
      facts.append(("last result", StatusFormat.ago(last.startedAt, now: snapshot.now)))
      facts.append(("latency", StatusFormat.latency(last.responseTime)))
      if let code = last.statusCode { facts.append(("status code", String(code))) }
    }
    if let maintenance = check.maintenance {
      let probing = maintenance.skip ? ", not probed" : ""
      facts.append(
        ("maintenance", "\(maintenance.name), until \(Layout.moment(maintenance.until)) UTC\(probing)"))
    }
    if let until = check.mutedUntil { facts.append(("muted", "until \(Layout.moment(until)) UTC")) }
    if let by = check.acknowledgedBy { facts.append(("acknowledged by", by)) }
    if let resource = check.resourceID {
      facts.append(("resource", resource.description))
      if check.failures > 0 { facts.append(("failures in a row", "\(check.failures)")) }
    }
    if !check.tags.isEmpty { facts.append(("tags", check.tags.joined(separator: ", "))) }
    if !check.parents.isEmpty {
      facts.append(("depends on", check.parents.map(StatusFormat.name).joined(separator: ", ")))
    }
    var rows = Layout.facts(facts)
    if let runbook = check.runbook {
      rows.append("<dt>runbook</dt><dd><a href=\"\(runbook)\" rel=\"noreferrer\">\(runbook)</a></dd>")
    }
    let stale: Markup = check.stale ? " <span class=\"stale\">STALE: no recent result</span>" : ""
    return """
      <section class="card hero"><span class="big mark \(standing.style)" aria-hidden="true">\(standing.mark)</span>
      <div><h1>\(Layout.name(check.name))</h1>\(Layout.state(check))\(stale) \(Layout.badges(check))\(reason())</div></section>
      <section class="card"><dl class="facts">\(Markup(rows))</dl></section>
      """
  }

  private func reason() -> Markup {
    guard let last = check.last else {
      guard check.enabled else { return "<span class=\"dim\">disabled: it does not run</span>" }
      let first = check.firstRun(now: snapshot.now).map { ": first run \($0)" } ?? ""
      return "<span class=\"dim\">waiting for the first result\(first)</span>"
    }
    guard last.reason != .ok else { return "" }
    let message = last.message.map { ": " + $0 } ?? ""
    let hint = Layout.hint(last.reason.advice(in: last.phase, of: last.message, isExplained: true))
    return "<span>\(last.reason.rawValue)\(message)</span>\(hint)"
  }

  /// Those that tell of this check, the open ones first.
  private func incidents() -> Markup {
    guard let alerts = snapshot.alerts else { return "" }
    let own = (alerts.open + alerts.over).filter { incident in
      alerts.incidentOf[check.id] == incident.id || incident.checks.contains(check.id)
        || incident.members.contains { $0.checkID == check.id }
    }
    guard !own.isEmpty else { return "" }
    let rows: [Markup] = own.prefix(10).map { incident in
      let end: Markup =
        incident.end.map { "for \(StatusFormat.span(incident.begin.duration(to: $0).microseconds))" }
        ?? Layout.ago(incident.begin, now: snapshot.now)
      let known: Markup = incident.acknowledgedBy.map { " · ✓ \(Layout.acknowledged($0, incident))" } ?? ""
      return """
        <li><a href="/incidents/\(incident.id.description)">\(Layout.name(incident.title))</a><span class="dim">\
        \(incident.status.rawValue) · \(Layout.minute(incident.begin, now: snapshot.now)), \(end)\(known)</span></li>
        """
    }
    return
      "<section class=\"card\" id=\"incidents\"><h2>Incidents</h2><ul class=\"problems\">\(Markup(rows))</ul></section>"
  }

  private func uptimes() -> Markup {
    let cards: [Markup] = check.windows.map { window in
      let latency = window.latency.map {
        "p50 \(StatusFormat.latency($0.p50)) · p95 \(StatusFormat.latency($0.p95)) · p99 \(StatusFormat.latency($0.p99))"
      }
      let down = window.time.down > 0 ? "down \(duration(window.time.down)) · " : ""
      return """
        <div class="card"><b>\(window.period.rawValue)</b><br><span class="value">\(StatusFormat.percent(window.uptime))</span>\(strip(window.period))\
        <span class="dim">\(down)coverage \(StatusFormat.percent(window.coverage))</span><br>\
        <span class="dim">data \(data(window))</span><br>\
        <span class="dim num">\(latency ?? "no latency")</span></div>
        """
    }
    return "<section class=\"uptimes\" aria-label=\"Uptime\">\(Markup(cards))</section>" + stripLegend
  }

  /// Of the whole window; how long that is where it is little.
  private func data(_ window: WindowStatus) -> String {
    let share = StatusFormat.percent(window.data.percent)
    return window.data.isThin ? "\(StatusFormat.length(window.data.judged)), less than 1%" : share
  }

  private func duration(_ microseconds: Int64) -> String {
    let seconds = microseconds / 1_000_000
    if seconds < 60 { return "\(seconds)s" }
    if seconds < 3600 { return "\(seconds / 60)m \(seconds % 60)s" }
    return "\(seconds / 3600)h \(seconds % 3600 / 60)m"
  }

  private func chart() -> Markup {
    // A scale needs a success; without one the table says all there is.
    guard results.count > 1, results.contains(where: { $0.state == .up || $0.state == .degraded }) else {
      return ""
    }
    return """
      <section class="card"><h2>Latency of the latest \(results.count) results</h2><div class="scroll present" tabindex="0" role="group" \
      aria-label="Chart of the latest results"><div>\(Drawing.line(results))</div></div></section>
      """
  }

  private func certificate() -> Markup {
    guard let result = results.first(where: { $0.tls != nil }), let tls = result.tls else { return "" }
    var facts: [(String, String)] = [("verified", tls.verified ? "● yes" : "✕ no")]
    if let error = tls.verifyError { facts.append(("because", error)) }
    if let version = tls.version { facts.append(("version", version)) }
    if let notAfter = tls.notAfter { facts.append(("valid until", Layout.moment(notAfter) + " UTC")) }
    if let days = tls.daysRemaining {
      let ago = days < 0 ? tls.notAfter.map { TLSFacts.ago($0, at: result.startedAt) } : nil
      facts.append(ago.map { ("expired", $0) } ?? ("days left", String(days)))
    }
    if let leaf = tls.chain.first {
      facts.append(("subject", leaf.subject))
      facts.append(("issuer", leaf.issuer))
    }
    let rows = Layout.facts(facts)
    return "<section class=\"card\"><h2>Certificate</h2><dl class=\"facts\">\(Markup(rows))</dl></section>"
  }

  private func recent() -> Markup {
    guard !results.isEmpty else {
      let why: Markup =
        check.enabled
        ? "The first run comes within \(min(check.interval, .seconds(30)).text) of the check's appearance."
        : "The check is disabled and does not run."
      return "<section class=\"card empty\"><h2>No results yet</h2>\n<p>\(why)</p></section>"
    }
    let scale = results.prefix(Self.shown).compactMap(\.timings.total).max() ?? .seconds(1)
    let rows: [Markup] = results.prefix(Self.shown).map { row($0, scale: scale) }
    let hasStartTLS = results.prefix(Self.shown).contains { $0.timings.startTLS != nil }
    let legend: [Markup] = [
      ("dns", "dns"), ("connect", "connect"), ("starttls", "starttls"), ("tls", "tls"),
      ("first", "first byte"),
      ("rest", "transfer"),
    ].filter { $0.0 != "starttls" || hasStartTLS }.map { (part: (String, String)) in
      """
      <span><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="w-\(part.0)" width="10" height="10"/></svg>\
      \(part.1)</span>
      """
    }
    return """
      <section class="card"><h2>Recent results</h2><div class="scroll" tabindex="0" role="group" aria-label="Recent results"><table class="stack">
      <thead><tr><th>Time (UTC)</th><th>State</th><th>Latency</th><th class="hide-s">Code</th><th>Reason</th></tr></thead>
      <tbody>\(Markup(rows))</tbody></table></div><p class="legend dim">\(Markup(legend))</p>
      <p class="dim">All facts of each result: <a class="more" href="/api/v1/checks/\(check.id.description)/results">JSON</a></p></section>
      """
  }

  private func row(_ result: CheckResult, scale: Duration) -> Markup {
    let code = result.statusCode.map(String.init) ?? ""
    let manual = result.trigger == .manual ? " · by hand" : ""
    let maintenance = result.maintenance ? " · maintenance" : ""
    let tries = result.attempts.count > 1 ? " · \(result.attempts.count) tries" : ""
    let message = result.message.map { ": " + $0 } ?? ""
    let what = (result.reason == .ok ? "ok" : result.reason.rawValue) + message + tries + manual + maintenance
    return """
      <tr><td class="n"><time datetime="\(result.startedAt.rfc3339)">\(Layout.moment(result.startedAt))</time></td>\
      <td>\(Layout.state(result.state))</td>\
      <td class="n">\(StatusFormat.latency(result.responseTime))\(Drawing.waterfall(result.timings, scale: scale))</td>\
      <td class="n hide-s">\(code)</td><td class="why">\(what)</td></tr>

      """
  }
}
