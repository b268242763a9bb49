// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring

/// Maintenance windows, and the resources as their checks show them; nothing where there are none.
struct MaintenanceSection {
  let snapshot: StatusSnapshot
  /// `nil` where nothing can be done from the page.
  var forms: PageForms?

  /// Rows of each list.
  static let shown = 20

  func render() -> Markup {
    let parts = [windows, resources].compactMap { $0 }
    return parts.isEmpty ? "" : "<div class=\"parts\">\(Markup(parts))</div>\n"
  }

  private var windows: Markup? {
    guard !snapshot.maintenance.isEmpty else { return nil }
    let rows: [Markup] = snapshot.maintenance.prefix(Self.shown).map { window in
      let noun = plural("check", window.checks)
      let mark: Markup =
        window.isActive
        ? "<span class=\"mark unknown\" aria-hidden=\"true\">\(StatusFormat.maintenanceMark)</span> " : ""
      let probing = window.skip ? " · not probed" : ""
      let order = window.id.flatMap { id in snapshot.byHand.first { $0.id == id } }
      let by: Markup =
        order.map {
          " · \(Layout.name($0.target.text))\($0.by.map { " by \(Layout.name($0))" } ?? "" as Markup)"
        } ?? ""
      let row: Markup = """
        \(mark)\(StatusFormat.name(window.name)) <span class="dim num">\(window.when)</span> \
        <span class="dim">· \(window.checks) \(noun)\(probing)\(by)</span>
        """
      guard let order, let forms else { return "<li>\(row)</li>" }
      let end = forms.end(.endMaintenance, order.id.description, "End", back: "/")
      return "<li class=\"with-act\"><span>\(row)</span>\(end)</li>"
    }
    return """
      <section class="card"><h2>Maintenance</h2><ul class="problems">\(Markup(rows))\(Layout.more(snapshot.maintenance.count, shown: Self.shown))</ul></section>
      """
  }

  private var resources: Markup? {
    let resources = snapshot.resources
    guard !resources.isEmpty else { return nil }
    let order: [CheckState] = [.down, .degraded, .unknown, .up]
    let sorted = order.flatMap { state in resources.filter { $0.state == state } }
    let rows: [Markup] = sorted.prefix(Self.shown).map { resource in
      let names = (resource.failing.isEmpty ? resource.checks : resource.failing).prefix(3)
      return """
        <li>\(Layout.state(resource.state)) <span class="num">\(resource.id.description)</span> \
        <span class="dim">\(names.map(StatusFormat.name).joined(separator: ", "))</span></li>
        """
    }
    return """
      <section class="card"><h2>Resources</h2><ul class="problems">\(Markup(rows))\(Layout.more(resources.count, shown: Self.shown))</ul></section>
      """
  }
}
