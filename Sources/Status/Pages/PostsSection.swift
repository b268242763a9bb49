// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// Posts of the public page that are not resolved, with the author and the latest update.
struct PostsSection {
  let snapshot: StatusSnapshot

  /// `nil` where there is none.
  func render() -> Markup? {
    let open = snapshot.posts.filter { !$0.isOver }
    guard !open.isEmpty else { return nil }
    // A book has no more than twenty that are open.
    return """
      <section class="card"><h2>Posts on the public page</h2><ul class="problems">\
      \(Markup(open.reversed().map(row)))</ul></section>
      """
  }

  private func row(_ post: StatusPost) -> Markup {
    let update = post.updates.last
    let text: Markup = update?.text.map { "<br>\(Layout.name($0))" } ?? ""
    let by: Markup = update?.by.map { " by \(Layout.name($0))" } ?? ""
    return """
      <li>\(Layout.name(post.title)) <span class="dim">\(post.state.rawValue) · \
      \(Layout.ago(post.changed, now: snapshot.now))\(by) · \(post.short)\(text)</span></li>
      """
  }
}
