// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The start page: how everything is, what is wrong, every check.
struct DashboardPage {
  struct List: Hashable, Sendable {
    var filter = ListFilter()
    /// From 1.
    var page = 1
  }

  let snapshot: StatusSnapshot
  var list = List()

  /// Rows on one page.
  static let pageSize = 200

  func render(nonce: String) -> Markup {
    let summary = snapshot.summary
    let title = summary.down > 0 ? "\(summary.down) down · \(snapshot.agent.name)" : snapshot.agent.name
    return Layout.page(
      title: title, snapshot: snapshot, nonce: nonce,
      Markup([
        banner(summary), cards(summary),
        """
        <div class="split"><section class="card"><h2>Health</h2>\(Drawing.pie(summary))</section>
        \(problems())</div>
        \(checks())
        """,
        MaintenanceSection(snapshot: snapshot).render(), PartsSection(snapshot: snapshot).render(),
      ]))
  }

  private func banner(_ summary: StatusSummary) -> Markup {
    guard summary.down > 0 else { return "" }
    let names = snapshot.checks.filter { $0.enabled && $0.state == .down && $0.maintenance == nil }.prefix(3)
      .map(\.name)
    let more = summary.down > 3 ? " and \(summary.down - 3) more" : ""
    return """
      <p class="banner" role="alert"><span class="mark down" aria-hidden="true">✕</span> \
      \(summary.down) \(summary.down == 1 ? "check is" : "checks are") DOWN: \
      \(names.map(StatusFormat.name).joined(separator: ", "))\(more)</p>

      """
  }

  private func cards(_ summary: StatusSummary) -> Markup {
    let spool = snapshot.spool.map { StatusFormat.grouped($0.depth) } ?? "–"
    let oldest = snapshot.spool?.oldest.map { "oldest " + StatusFormat.age($0, now: snapshot.now) }
    let cards: [(title: String, value: String, note: String)] = [
      ("Checks", StatusFormat.grouped(summary.total), "enabled"),
      ("Up", StatusFormat.grouped(summary.up), "● now"),
      ("Down", StatusFormat.grouped(summary.down), "✕ now"),
      ("Degraded", StatusFormat.grouped(summary.degraded), "▲ now"),
      (
        "Average uptime", StatusFormat.percent(summary.averageUptime24h),
        "24h" + StatusFormat.remark(summary.averageData24h)
      ),
      ("To deliver", spool, oldest ?? (snapshot.spool == nil ? "no delivery" : "nothing waits")),
    ]
    return """
      <section class="cards" aria-label="Summary">\
      \(Markup(cards.map { "<div class=\"card\"><b>\($0.title)</b><span class=\"value\">\($0.value)</span><br><span class=\"dim\">\($0.note)</span></div>" as Markup }))\
      </section>

      """
  }

  private func problems() -> Markup {
    let problems = snapshot.problems
    guard !problems.isEmpty else {
      return """
        <section class="card"><h2>What needs attention</h2><p class="fine">\
        <span class="mark up" aria-hidden="true">●</span> Nothing. Every check that was judged is up.</p></section>
        """
    }
    let shown: [Markup] = problems.prefix(12).map { problem in
      let state: CheckState = problem.isCritical ? .down : .degraded
      let hint: Markup = problem.hint.map { "<span class=\"hint\">→ \($0)</span>" } ?? ""
      return """
        <li><span class="mark \(state.rawValue)" aria-hidden="true">\(state.mark)</span> \(problem.what)\(hint)</li>
        """
    }
    let more: Markup = problems.count > 12 ? "<li class=\"dim\">and \(problems.count - 12) more</li>" : ""
    return """
      <section class="card"><h2>What needs attention</h2><ul class="problems">\(Markup(shown))\(more)</ul></section>
      """
  }

  private func checks() -> Markup {
    guard !snapshot.checks.isEmpty else {
      return """
        <section class="card empty"><h1>No checks yet</h1>
        <p>Add checks to agent.yaml, or set quartz.checks.pull to take them from the Quartz API.</p></section>
        """
    }
    let order: [CheckState] = [.down, .degraded, .unknown, .up]
    let found = snapshot.checks.filter(list.filter.matches)
    let judged = found.filter { $0.enabled && $0.maintenance == nil }
    let sorted =
      order.flatMap { state in judged.filter { $0.state == state } }
      + found.filter { $0.enabled && $0.maintenance != nil } + found.filter { !$0.enabled }
    let pages = max(1, (sorted.count + Self.pageSize - 1) / Self.pageSize)
    let page = min(list.page, pages)
    let rows = sorted.dropFirst((page - 1) * Self.pageSize).prefix(Self.pageSize)
    let content: Markup =
      rows.isEmpty
      ? "<p class=\"fine\">No check matches. <a href=\"/\">Show all</a></p>"
      : """
      <div class="row head" aria-hidden="true"><span>State</span><span>Check</span><span>Recent</span>\
      <span class="r">Latency</span><span class="r">24h</span><span class="r">7d</span><span class="r">30d</span>\
      <span class="r">90d</span></div><ul class="checks">\
      \(Markup(rows.map { CheckRow(check: $0, now: snapshot.now).render() }))</ul>
      """
    return """
      <section class="card"><h2>Checks</h2>\(tools())\(content)\(pager(page, of: pages, found: sorted.count))</section>

      """
  }

  private func tools() -> Markup {
    let summary = snapshot.summary
    let states: [(CheckState, String, Int)] = [
      (.up, "Up", summary.up), (.down, "Down", summary.down), (.degraded, "Degraded", summary.degraded),
      (.unknown, "Unknown", summary.unknown),
    ]
    var links = [chip(nil, "", "All", snapshot.checks.count)]
    links += states.map { state, word, count in
      chip(
        state.rawValue, "<span class=\"mark \(state.rawValue)\" aria-hidden=\"true\">\(state.mark)</span>",
        word, count)
    }
    if summary.maintenance > 0 || list.filter.maintenance {
      let mark: Markup =
        "<span class=\"mark unknown\" aria-hidden=\"true\">\(StatusFormat.maintenanceMark)</span>"
      links.append(chip(ListFilter.maintenanceWord, mark, "Maintenance", summary.maintenance))
    }
    let state: Markup =
      list.filter.word.map { "<input type=\"hidden\" name=\"state\" value=\"\($0)\">" } ?? ""
    return """
      <div class="tools"><form method="get" action="/" role="search">\(state)\
      <input type="search" name="q" value="\(list.filter.text)" placeholder="Name, target or tag" aria-label="Search checks">\
      <button>Search</button></form><nav class="chips" aria-label="Filter by state">\(Markup(links))</nav></div>
      """
  }

  private func chip(_ state: String?, _ mark: Markup, _ word: String, _ count: Int) -> Markup {
    let current: Markup = state == list.filter.word ? " aria-current=\"page\"" : ""
    return
      "<a href=\"\(link(state, page: 1))\"\(current)>\(mark)\(word) <span class=\"num\">\(count)</span></a>"
  }

  private func pager(_ page: Int, of pages: Int, found: Int) -> Markup {
    guard pages > 1 else { return "" }
    let first = (page - 1) * Self.pageSize + 1
    let last = min(found, page * Self.pageSize)
    let back: Markup =
      page > 1 ? "<a class=\"button\" href=\"\(link(list.filter.word, page: page - 1))\">Back</a>" : ""
    let next: Markup =
      page < pages ? "<a class=\"button\" href=\"\(link(list.filter.word, page: page + 1))\">Next</a>" : ""
    return """
      <nav class="pager" aria-label="Pages">\(back)<span class="dim">\(first) to \(last) of \
      \(StatusFormat.grouped(found))</span>\(next)</nav>
      """
  }

  private func link(_ state: String?, page: Int) -> String {
    var items: [String] = []
    if let state { items.append("state=\(state)") }
    if !list.filter.text.isEmpty { items.append("q=" + percentEncoded(list.filter.text)) }
    if page > 1 { items.append("page=\(page)") }
    return items.isEmpty ? "/" : "/?" + items.joined(separator: "&")
  }
}

/// One check in the list; the whole row leads to its page.
struct CheckRow {
  let check: CheckStatus
  let now: Timestamp

  func render() -> Markup {
    let age =
      check.last.map { StatusFormat.ago($0.startedAt, now: now) }
      ?? check.firstRun(now: now).map { "first run " + $0 } ?? "no result yet"
    let stale: Markup = check.stale ? " <span class=\"stale\">STALE</span>" : ""
    let ups: [Markup] = check.windows.map { window in
      let uptime = window.uptime == nil ? "–" : StatusFormat.percent(window.uptime)
      return """
        <span class="r up"><b class="k">\(window.period.rawValue)</b><span class="num">\(uptime)</span>\
        <small>\(coverage(window))</small></span>
        """
    }
    return """
      <li><a class="row" href="/checks/\(check.id.description)"><span class="st">\(Layout.state(check))</span>\
      <span class="who"><span class="name">\(StatusFormat.name(check.name))</span>\(stale)\
      <span class="target">\(check.type.rawValue) · \(check.target)</span></span>\
      <span class="drawn">\(Drawing.spark(check.spark))</span>\
      <span class="r lat"><span class="num">\(StatusFormat.latency(check.last?.responseTime))</span><small>\(age)</small></span>\
      <span class="ups">\(Markup(ups))</span></a></li>

      """
  }

  private func coverage(_ window: WindowStatus) -> String {
    guard window.uptime != nil, let coverage = window.coverage else { return "no data" }
    if window.data.isThin { return "of \(StatusFormat.length(window.data.judged)) only" }
    return "cov " + StatusFormat.share(coverage)
  }
}

/// Everything but unreserved characters (RFC 3986, section 2.3) as escapes.
func percentEncoded(_ text: String) -> String {
  var result = ""
  for byte in text.utf8 {
    let scalar = Unicode.Scalar(byte)
    if scalar.properties.isAlphabetic && byte < 0x80 || (0x30...0x39).contains(byte)
      || "-._~".unicodeScalars.contains(scalar)
    {
      result.unicodeScalars.append(scalar)
    } else {
      result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
  }
  return result
}
