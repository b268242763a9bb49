// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The start page: how everything is, what is wrong, every check.
package struct DashboardPage {
  package struct List: Hashable, Sendable {
    package var filter = ListFilter()
    /// Under headings, one for each tag.
    package var isGrouped = false
    /// From 1.
    package var page = 1

    package init() {}
  }

  let snapshot: StatusSnapshot
  var list = List()
  /// `nil` where no token for actions is set.
  var forms: PageForms?

  /// Rows on one page.
  static let pageSize = 200

  package init(snapshot: StatusSnapshot, list: List = List(), forms: PageForms? = nil) {
    (self.snapshot, self.list, self.forms) = (snapshot, list, forms)
  }

  package func render(nonce: String) -> Markup {
    Layout.page(
      title: Self.title(snapshot), snapshot: snapshot, nonce: nonce, live: .list,
      skip: ("checks", "the list of checks"),
      Markup([
        part("hero"), part("counts"), part("incidents"), part("problems"), checks(), part("handled"),
        part("maintenance"), part("agent"),
      ]))
  }

  static func title(_ snapshot: StatusSnapshot) -> String {
    let down = snapshot.summary.down
    return down > 0 ? "\(down) down · \(snapshot.agent.name)" : snapshot.agent.name
  }

  /// The parts beside the list, each under the name of its place on the page. They are the same for every reader.
  static func parts(_ snapshot: StatusSnapshot, _ forms: PageForms?) -> [(name: String, content: Markup)] {
    let page = DashboardPage(snapshot: snapshot, forms: forms)
    return names.map { ($0, page.content($0)) }
  }

  /// The places of the parts, also for the script.
  static let names = ["hero", "counts", "incidents", "problems", "handled", "maintenance", "agent"]

  private func part(_ name: String) -> Markup { "<div id=\"\(name)\">\(content(name))</div>\n" }

  private func content(_ name: String) -> Markup {
    switch name {
    case "hero": HeroSection(snapshot).render()
    case "counts": HeroSection(snapshot).counts()
    case "problems": problems()
    case "incidents": IncidentSection(snapshot: snapshot, forms: forms).render()
    case "handled": HandledSection(snapshot: snapshot, forms: forms).render()
    case "maintenance": MaintenanceSection(snapshot: snapshot, forms: forms).render()
    default: PartsSection(snapshot: snapshot).render()
    }
  }

  /// Beside the states of checks and the incidents: the agent's own problems, and checks without recent results.
  private func problems() -> Markup {
    let problems = snapshot.problemsBesideStates
    guard !problems.isEmpty else { return "" }
    let pages = pages(of: problems.prefix(Self.foremost + Self.further))
    let further = problems.dropFirst(Self.foremost).prefix(Self.further).map { line($0, pages) }
    let rest = problems.count - Self.foremost - further.count
    let more: Markup = rest > 0 ? "<li class=\"dim\">and \(rest) more</li>" : ""
    let folded: Markup =
      further.isEmpty
      ? ""
      : """
      <details><summary>\(problems.count - Self.foremost) more</summary>\
      <ul class="problems">\(Markup(further))\(more)</ul></details>
      """
    return """
      <section class="card notes"><h2>Problems</h2><ul class="problems">\
      \(Markup(problems.prefix(Self.foremost).map { line($0, pages) }))</ul>\(folded)</section>
      """
  }

  /// Number of notices that are shown at once, and of those that unfold.
  private static let (foremost, further) = (2, 48)

  private func line(_ problem: Notice, _ pages: [ByteText: [UniqueID]]) -> Markup {
    let state: CheckState = problem.isCritical ? .down : .degraded
    let hint = Layout.hint(problem.hint)
    let words: Markup = """
      <span class="mark \(state.rawValue)" aria-hidden="true">\(state.mark)</span>&nbsp;\(problem.what)
      """
    // What is about the agent stands on this page, further down.
    guard case .check = problem.place else { return "<li>\(words)\(hint)</li>" }
    return "<li><a href=\"\(address(of: problem.place, pages))\">\(words)</a>\(hint)</li>"
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
