// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The start page: how everything is, what is wrong, every check.
struct DashboardPage {
  struct List: Hashable, Sendable {
    var filter = ListFilter()
    /// Under headings, one for each tag.
    var isGrouped = false
    /// From 1.
    var page = 1
  }

  let snapshot: StatusSnapshot
  var list = List()

  /// Rows on one page.
  static let pageSize = 200

  func render(nonce: String) -> Markup {
    Layout.page(
      title: Self.title(snapshot), snapshot: snapshot, nonce: nonce, isLive: true,
      Markup([
        "<h1 class=\"only\">All checks of \(StatusFormat.name(snapshot.agent.name))</h1>\n", part("banner"),
        part("cards"), "<div class=\"split\">", part("health"), part("problems"), "</div>\n",
        part("incidents"), checks(), part("maintenance"), part("agent"),
      ]))
  }

  static func title(_ snapshot: StatusSnapshot) -> String {
    let down = snapshot.summary.down
    return down > 0 ? "\(down) down · \(snapshot.agent.name)" : snapshot.agent.name
  }

  /// The parts beside the list, each under the name of its place on the page. They are the same for every reader.
  static func parts(_ snapshot: StatusSnapshot) -> [(name: String, content: Markup)] {
    let page = DashboardPage(snapshot: snapshot)
    return names.map { ($0, page.content($0)) }
  }

  /// The places of the parts, also for the script.
  static let names = ["banner", "cards", "health", "problems", "incidents", "maintenance", "agent"]

  private func part(_ name: String) -> Markup { "<div id=\"\(name)\">\(content(name))</div>\n" }

  private func content(_ name: String) -> Markup {
    switch name {
    case "banner": banner(snapshot.summary)
    case "cards": cards(snapshot.summary)
    case "health":
      "<section class=\"card\"><h2>Health</h2>\(Drawing.pie(snapshot.summary))</section>"
    case "problems": problems()
    case "incidents": IncidentSection(snapshot: snapshot).render()
    case "maintenance": MaintenanceSection(snapshot: snapshot).render()
    default: PartsSection(snapshot: snapshot).render()
    }
  }

  private func banner(_ summary: StatusSummary) -> Markup {
    guard summary.down > 0 else { return "" }
    let names = snapshot.checks.filter { $0.enabled && $0.state == .down && $0.maintenance == nil }.prefix(3)
      .map(\.name)
    let more = summary.down > 3 ? " and \(summary.down - 3) more" : ""
    return """
      <p class="banner" role="alert"><a href="/?state=down#checks"><span class="mark down" aria-hidden="true">✕</span> \
      \(summary.down) \(summary.down == 1 ? "check is" : "checks are") DOWN: \
      \(names.map(StatusFormat.name).joined(separator: ", "))\(more)</a></p>
      """
  }

  private func cards(_ summary: StatusSummary) -> Markup {
    let spool = snapshot.spool.map { StatusFormat.grouped($0.depth) } ?? "–"
    let oldest = snapshot.spool?.oldest.map { "oldest " + StatusFormat.age($0, now: snapshot.now) }
    let cards: [(title: String, value: String, note: String, address: String)] = [
      ("Checks", StatusFormat.grouped(summary.total), "enabled", "/#checks"),
      ("Up", StatusFormat.grouped(summary.up), "● now", "/?state=up#checks"),
      ("Down", StatusFormat.grouped(summary.down), "✕ now", "/?state=down#checks"),
      ("Degraded", StatusFormat.grouped(summary.degraded), "▲ now", "/?state=degraded#checks"),
      (
        "Average uptime", StatusFormat.percent(summary.averageUptime24h),
        "24h" + StatusFormat.remark(summary.averageData24h), "/#checks"
      ),
      ("To deliver", spool, oldest ?? (snapshot.spool == nil ? "no delivery" : "nothing waits"), "#agent"),
    ]
    return """
      <nav class="cards" aria-label="Summary">\
      \(Markup(cards.map { "<a class=\"card\" href=\"\($0.address)\"><b>\($0.title)</b><span class=\"value\">\($0.value)</span><br><span class=\"dim\">\($0.note)</span></a>" as Markup }))\
      </nav>
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
    let pages = pages(of: problems.prefix(Self.foremost + Self.further))
    let further = problems.dropFirst(Self.foremost).prefix(Self.further).map { line($0, pages) }
    let rest = problems.count - Self.foremost - further.count
    let more: Markup = rest > 0 ? "<li class=\"dim\">and \(rest) more</li>" : ""
    let folded: Markup =
      further.isEmpty
      ? ""
      : """
      <details><summary>and \(problems.count - Self.foremost) more</summary>\
      <ul class="problems">\(Markup(further))\(more)</ul></details>
      """
    return """
      <section class="card"><h2>What needs attention</h2><ul class="problems">\
      \(Markup(problems.prefix(Self.foremost).map { line($0, pages) }))</ul>\(folded)</section>
      """
  }

  /// What needs attention and is seen at once, and what unfolds.
  private static let (foremost, further) = (12, 48)

  private func line(_ problem: Notice, _ pages: [ByteText: [UniqueID]]) -> Markup {
    let state: CheckState = problem.isCritical ? .down : .degraded
    let hint: Markup = problem.hint.map { "<span class=\"hint\">→ \($0)</span>" } ?? ""
    return """
      <li><a href="\(address(of: problem.place, pages))"><span class="mark \(state.rawValue)" aria-hidden="true">\(state.mark)</span> \
      \(problem.what)</a>\(hint)</li>
      """
  }

  /// The checks that bear the names problems speak of, looked up in one go: there may be thousands of them.
  private func pages(of problems: ArraySlice<Notice>) -> [ByteText: [UniqueID]] {
    var pages: [ByteText: [UniqueID]] = [:]  // bounded: of the problems that are shown
    for problem in problems { if case .check(let name) = problem.place { pages[ByteText(name)] = [] } }
    guard !pages.isEmpty else { return pages }
    for check in snapshot.checks { pages[ByteText(StatusFormat.name(check.name))]?.append(check.id) }
    return pages
  }

  /// The check's own page where one check alone bears the name, else those of the name.
  private func address(of place: Notice.Place, _ pages: [ByteText: [UniqueID]]) -> String {
    guard case .check(let name) = place else { return "#agent" }
    if let ids = pages[ByteText(name)], ids.count == 1 { return "/checks/\(ids[0].description)" }
    return "/?q=\(percentEncoded(name))#checks"
  }
}
