// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring

/// The checks of the group that other members run, with the member: this agent knows no state of them.
struct ElsewhereSection {
  let group: GroupStatus?

  func render() -> Markup {
    guard let group, let others = group.othersText else { return "" }
    let rows: [Markup] = group.elsewhere.map { check in
      "<li>\(StatusFormat.name(check.name)) <span class=\"dim\">run by \(GroupStatus.runner(check.member))</span></li>\n"
    }
    let rest = group.others.map(\.checks).reduce(0, +) - rows.count
    let more: Markup =
      rest > 0
      ? "<li class=\"dim\">and \(StatusFormat.grouped(rest)) more: quartz-agent group --checks</li>" : ""
    return """
      <section class="card" id="elsewhere"><h2>Run by others of the group</h2>
      <p class="fine">\(others)\(group.alone == nil ? "" : ", as of the last view"). They are counted and shown where they run.</p>
      <details><summary>Which checks</summary><ul class="problems">\(Markup(rows))\(more)</ul></details></section>

      """
  }
}
