// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The list of checks: search, filters, grouping and parts of it, all in the address.
extension DashboardPage {
  /// A row, and the heading it stands under.
  private struct Entry {
    /// `nil` where nothing is grouped; empty: without a tag.
    var group: String?
    /// Of the check among those of the snapshot: hundreds are put in order, and none is copied for it.
    var place: Int
  }

  /// Tags offered as filters, the most used first.
  static let offeredTags = 24

  func checks() -> Markup {
    guard !snapshot.checks.isEmpty else {
      return """
        <section class="card empty" id="checks"><h2>No checks yet</h2>
        <p>Add checks to agent.yaml, or set quartz.checks.pull to take them from the Quartz API.</p></section>
        """
    }
    let entries = list.isGrouped ? grouped(sorted()) : sorted().map { Entry(group: nil, place: $0) }
    let pages = max(1, (entries.count + Self.pageSize - 1) / Self.pageSize)
    let page = min(list.page, pages)
    let shown = entries.dropFirst((page - 1) * Self.pageSize).prefix(Self.pageSize)
    let content: Markup =
      shown.isEmpty
      ? "<p class=\"fine\">No check matches. <a class=\"button\" href=\"/#checks\">Show all</a></p>"
      : """
      <div class="row head" aria-hidden="true"><span>State</span><span>Check</span><span>Latest 40 runs</span>\
      <span class="r">Latency</span><span class="r">24h</span><span class="r">7d</span><span class="r">30d</span>\
      <span class="r">90d</span></div>\(rows(shown))
      """
    return """
      <section class="card" id="checks"><h2>Checks</h2>\(tools())<div id="list">\(content)\
      \(pager(page, of: pages, found: entries.count))</div></section>

      """
  }

  /// The filtered checks, the worst first, then those in maintenance and those that are disabled.
  private func sorted() -> [Int] {
    let order: [CheckState] = [.down, .degraded, .unknown, .up]
    var found = [[Int]](repeating: [], count: order.count + 2)
    for place in snapshot.checks.indices where list.filter.matches(snapshot.checks[place]) {
      let (state, isOff) = (snapshot.checks[place].state, !snapshot.checks[place].enabled)
      let rank = snapshot.checks[place].maintenance == nil ? order.firstIndex(of: state) : nil
      found[isOff ? order.count + 1 : rank ?? order.count].append(place)
    }
    return Array(found.joined())
  }

  /// A check with several tags stands under each; those without come last.
  private func grouped(_ places: [Int]) -> [Entry] {
    let tags = list.filter.tags.isEmpty ? tagCounts().map(\.tag).sorted() : list.filter.tags
    return tags.flatMap { tag in
      places.filter { snapshot.checks[$0].tags.contains(tag) }.map { Entry(group: tag, place: $0) }
    } + places.filter { snapshot.checks[$0].tags.isEmpty }.map { Entry(group: "", place: $0) }
  }

  private func rows(_ entries: ArraySlice<Entry>) -> Markup {
    var parts: [Markup] = []
    var group: String?
    var isOpen = false
    for entry in entries {
      if !isOpen || entry.group != group {
        if isOpen { parts.append("</ul>") }
        if let name = entry.group { parts.append("<h3>\(name.isEmpty ? "without a tag" : name)</h3>") }
        parts.append("<ul class=\"checks\">")
        (isOpen, group) = (true, entry.group)
      }
      parts.append(CheckRow(snapshot.checks[entry.place], snapshot).render())
    }
    parts.append("</ul>")
    return Markup(parts)
  }

  private func tools() -> Markup {
    var hidden: [Markup] = []
    for state in list.filter.states {
      hidden.append("<input type=\"hidden\" name=\"state\" value=\"\(state.rawValue)\">")
    }
    for tag in list.filter.tags { hidden.append("<input type=\"hidden\" name=\"tag\" value=\"\(tag)\">") }
    if list.isGrouped { hidden.append("<input type=\"hidden\" name=\"group\" value=\"tag\">") }
    // The Tab key need not stop at the button: Enter does the same.
    let open: Markup = list == List() ? "" : " open"
    return """
      <div class="tools"><form method="get" action="/#checks" role="search">\(Markup(hidden))\
      <input type="search" name="q" value="\(list.filter.text)" placeholder="Name, target or tag" aria-label="Search checks">\
      <button tabindex="-1">Search</button></form><details class="filter"\(open)><summary>Filter</summary>\
      <nav class="chips" id="chips" aria-label="Filter by state">\(states())</nav>\(tags())</details></div>
      """
  }

  private func states() -> Markup {
    let summary = snapshot.summary
    let offered: [(state: ListFilter.State, word: String, mark: String, style: String, count: Int)] = [
      (.up, "Up", CheckState.up.mark, "up", summary.up),
      (.down, "Down", CheckState.down.mark, "down", summary.down),
      (.degraded, "Degraded", CheckState.degraded.mark, "degraded", summary.degraded),
      (.unknown, "Unknown", CheckState.unknown.mark, "unknown", summary.unknown),
      (.pending, "Pending", StatusSnapshot.pendingMark, "unknown", count(.pending)),
      (.stale, "Stale", "…", "unknown", count(.stale)),
      (.maintenance, "Maintenance", StatusFormat.maintenanceMark, "unknown", summary.maintenance),
      (.off, "Off", "–", "unknown", count(.off)),
    ]
    var links = [chip(nil, "", "All", snapshot.checks.count)]
    for offer in offered {
      // Those that most agents never need come when there is something to see.
      let isUsual = [.up, .down, .degraded, .unknown].contains(offer.state)
      guard isUsual || offer.count > 0 || list.filter.states.contains(offer.state) else { continue }
      let mark: Markup = "<span class=\"mark \(offer.style)\" aria-hidden=\"true\">\(offer.mark)</span>"
      links.append(chip(offer.state, mark, offer.word, offer.count))
    }
    return Markup(links)
  }

  private func count(_ state: ListFilter.State) -> Int {
    snapshot.checks.reduce(0) { $0 + (state.matches($1) ? 1 : 0) }
  }

  /// States add up, as tags do: a chip puts its own beside those that are chosen, and takes it away again.
  private func chip(_ state: ListFilter.State?, _ mark: Markup, _ word: String, _ count: Int) -> Markup {
    var target = list
    target.page = 1
    let isChosen: Bool
    if let state {
      target.filter = list.filter.toggling(state)
      isChosen = list.filter.states.contains(state)
    } else {
      target.filter.states = []
      isChosen = list.filter.states.isEmpty
    }
    let current: Markup = isChosen ? " aria-current=\"true\"" : ""
    return
      "<a href=\"\(Self.link(target))\"\(current)>\(mark)\(word) <span class=\"num\">\(count)</span></a>"
  }

  private func tagCounts() -> [(tag: String, count: Int)] {
    var counts: [String: Int] = [:]  // own text: tags of the configuration, bounded in number there
    for check in snapshot.checks {
      for tag in check.tags { counts[tag, default: 0] += 1 }
    }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
  }

  private func tags() -> Markup {
    let all = tagCounts()
    guard !all.isEmpty || !list.filter.tags.isEmpty || list.isGrouped else { return "" }
    var other = list
    (other.isGrouped, other.page) = (!list.isGrouped, 1)
    let isGrouped: Markup = list.isGrouped ? " aria-current=\"true\"" : ""
    var links: [Markup] = ["<a href=\"\(Self.link(other))\"\(isGrouped)>Group by tag</a>"]
    var offered = Array(all.prefix(Self.offeredTags))
    for tag in list.filter.tags where !offered.contains(where: { $0.tag == tag }) {
      offered.append((tag, all.first { $0.tag == tag }?.count ?? 0))
    }
    for (tag, count) in offered {
      var target = list
      (target.filter, target.page) = (list.filter.toggling(tag: tag), 1)
      let current: Markup = list.filter.tags.contains(tag) ? " aria-current=\"true\"" : ""
      links.append(
        "<a href=\"\(Self.link(target))\"\(current)>\(tag) <span class=\"num\">\(count)</span></a>")
    }
    return "<nav class=\"chips tags\" id=\"tags\" aria-label=\"Filter by tag\">\(Markup(links))</nav>"
  }

  private func pager(_ page: Int, of pages: Int, found: Int) -> Markup {
    guard pages > 1 else { return "" }
    let first = (page - 1) * Self.pageSize + 1
    let last = min(found, page * Self.pageSize)
    let step = { (word: Markup, number: Int) -> Markup in
      var target = list
      target.page = number
      return "<a class=\"button\" href=\"\(Self.link(target))\">\(word)</a>"
    }
    let back: Markup = page > 1 ? step("Back", page - 1) : ""
    let next: Markup = page < pages ? step("Next", page + 1) : ""
    return """
      <nav class="pager" aria-label="Pages">\(back)<span class="dim">\(first) to \(last) of \
      \(StatusFormat.grouped(found))</span>\(next)</nav>
      """
  }

  static func link(_ list: List) -> String {
    var items: [String] = []
    items += list.filter.states.map { "state=\($0.rawValue)" }
    items += list.filter.tags.map { "tag=" + percentEncoded($0) }
    if !list.filter.text.isEmpty { items.append("q=" + percentEncoded(list.filter.text)) }
    if list.isGrouped { items.append("group=tag") }
    if list.page > 1 { items.append("page=\(list.page)") }
    return (items.isEmpty ? "/" : "/?" + items.joined(separator: "&")) + "#checks"
  }
}
