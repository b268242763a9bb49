// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Maintenance windows, and the resources as their checks show them; nothing where there are none.
struct MaintenanceSection {
  let snapshot: StatusSnapshot

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
      return """
        <li>\(mark)\(StatusFormat.name(window.name)) <span class="dim num">\(window.when)</span> \
        <span class="dim">· \(window.checks) \(noun)\(probing)</span></li>
        """
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
