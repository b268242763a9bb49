// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// Posts by people, maintenance to come, and outages that were.
extension PublicPage {
  /// Outages that are listed, of all checks together.
  static let shownOutages = 20

  /// Open posts, each with its updates, the newest first.
  var posts: Markup {
    Markup(
      picture.posts.filter { !$0.isOver }.map { post in
        "<section class=\"card\"><h2>\(Layout.name(post.title))</h2>\(updates(post))</section>\n"
      })
  }

  /// Those of the last days that are resolved, folded.
  var resolvedPosts: Markup {
    let over = picture.posts.filter(\.isOver)
    guard !over.isEmpty else { return "" }
    let items: [Markup] = over.map { post in
      "<details id=\"p-\(post.short)\"><summary>\(Layout.name(post.title))</summary>\(updates(post))</details>"
    }
    return "<section class=\"card\"><h2>\(words.pastPosts)</h2>\(Markup(items))</section>\n"
  }

  private func updates(_ post: StatusPost) -> Markup {
    Markup(
      post.updates.reversed().map { update in
        let text: Markup = update.text.map { " \(Layout.name($0))" } ?? ""
        let at = Sentence(at: update.at, now: picture.now).markup(words)
        return """
          <div class="post s-\(update.state.rawValue)"><p><b>\(words.word(update.state))</b>\(text)</p>\
          <p class="dim">\(at)</p></div>
          """
      })
  }

  /// Windows that hold and that are announced.
  var windows: Markup {
    guard !picture.windows.isEmpty else { return "" }
    let rows: [Markup] = picture.windows.map { window in
      let from = Sentence(at: window.from, now: picture.now)
      let hours = words.fromTo(from, Sentence(at: window.until, after: window.from)).markup(words)
      let names = words.names(
        window.names.prefix(5).map { Sentence(name: $0) }, more: max(0, window.names.count - 5))
      let title: Markup = window.title.map { ": \(Layout.name($0))" } ?? ""
      let active: Markup = window.isActive ? "<span class=\"badge\">\(words.isInMaintenance)</span> " : ""
      return "<li>\(active)<b>\(names.markup(words))</b>\(title) <span class=\"dim\">\(hours)</span></li>"
    }
    let further = picture.furtherWindows
    let rest: Markup = further > 0 ? "<li class=\"dim\">\(words.more(further))</li>" : ""
    return """
      <section class="card"><h2>\(words.plannedMaintenance)</h2><ul class="news">\(Markup(rows))\(rest)</ul></section>

      """
  }

  /// Of all checks, those that last first, then the newest; what followed closely is one.
  var outages: Markup {
    guard !picture.checks.isEmpty else { return "" }
    let all = picture.checks.flatMap { OutageFold.all(of: $0) }
    let lasting = all.filter { $0.end == nil }.sorted { $0.begin > $1.begin }
    let over = all.filter { $0.end != nil }.sorted { $0.begin > $1.begin }
    let shown = (lasting + over).prefix(Self.shownOutages)
    guard !shown.isEmpty else {
      return
        "<section class=\"card\"><h2>\(words.pastOutages)</h2><p class=\"dim\">\(words.noOutages)</p></section>\n"
    }
    let rows: [Markup] = shown.map { fold in
      let at = Sentence(at: fold.begin, now: picture.now).markup(words)
      return
        "<li>\(Layout.name(fold.check.name)) <span class=\"dim\">\(at) · \(fold.words(words))</span></li>"
    }
    let rest: Markup =
      all.count > shown.count ? "<li class=\"dim\">\(words.earlier(all.count - shown.count))</li>" : ""
    return """
      <section class="card"><h2>\(words.pastOutages)</h2><ul class="news">\(Markup(rows))\(rest)</ul></section>

      """
  }
}
