// SPDX-License-Identifier: MIT

import Basics
import Groups
import History
import Monitoring

/// The frame of every page.
enum Layout {
  /// Seconds after which the page is fetched again; no script is needed for that.
  static let refresh = 15

  /// How a page that is open follows the agent.
  enum Live: String {
    /// Not at all: its address is no page, such as the answer to a form.
    case none
    /// Its script fetches it whole.
    case page
    /// Its script changes it part by part.
    case list
    /// It is fetched whole as soon as something changes, and has nothing to press.
    case wall
  }

  /// - Parameters:
  ///   - snapshot: `nil` for a page that people see who may not read the others.
  ///   - skip: where the first link of the page leads, and what is there.
  static func page(
    title: String, snapshot: StatusSnapshot?, nonce: String, live: Live = .page,
    skip: (place: String, words: String) = ("main", "content"), _ content: Markup
  ) -> Markup {
    let meta: Markup = live == .none ? "" : "<meta http-equiv=\"refresh\" content=\"\(refresh)\">"
    // With a script nothing is taken from under who reads: WCAG 2.2, 2.2.1 and 3.2.5.
    let again: Markup = "<noscript>\(meta)</noscript>"
    let kind: Markup =
      live == .none
      ? "" : " data-live=\"\(live.rawValue)\"\(live == .wall ? " class=\"wall\"" as Markup : "")"
    let isWall = live == .wall
    let skipping: Markup =
      isWall ? "" : "<a class=\"skip\" href=\"#\(skip.place)\">Skip to \(skip.words)</a>\n"
    return """
      \(head())
      \(again)
      <title>\(title)</title>
      <link id="icon" rel="icon" href="\(icon(snapshot.map(worst) ?? .unknown))">
      <style nonce="\(nonce)">\(style)\(startStyle)\(chartStyle)\(isWall ? wallStyle : "")</style>
      </head>
      <body\(kind)>
      \(skipping)<header class="top"><div class="wrap">
      \(brand(snapshot, isLink: ![.list, .wall].contains(live)))\(clock(snapshot))
      </div></header>
      <main class="wrap" id="main">
      \(content)
      </main>
      \(isWall ? "" : footer(snapshot, reloads: live != .none))
      <div id="said" role="status"></div>
      <script nonce="\(nonce)">\(script)</script>
      </body>
      </html>

      """
  }

  /// Beginning of every page.
  static func head(_ language: String = "en") -> Markup {
    """
    <!doctype html>
    <html lang="\(language)">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    """
  }

  private static func brand(_ snapshot: StatusSnapshot?, isLink: Bool) -> Markup {
    let gem: Markup = """
      <svg viewBox="0 0 24 24" aria-hidden="true"><path class="gem" d="M12 2 20 8.5 12 22 4 8.5Z"/><path class="facet" d="M12 2 15.5 8.5 12 22 8.5 8.5Z"/></svg>
      """
    let words = snapshot.map { name($0.agent.name) } ?? "quartz-agent"
    return isLink
      ? "<a class=\"brand\" href=\"/\">\(gem)<span>\(words)</span></a>\n"
      : "<span class=\"brand\">\(gem)<span>\(words)</span></span>\n"
  }

  private static func clock(_ snapshot: StatusSnapshot?) -> Markup {
    guard let snapshot else { return "" }
    return """
      <span class="dim from">\(region(snapshot))quartz-agent \(snapshot.agent.version)</span>
      <span class="dim clock"><span id="live" role="status"></span> <span class="asof">as of </span>\
      <time id="asof" datetime="\(snapshot.now.rfc3339)">\(clock(snapshot.now))</time><span class="utc"> UTC</span></span>
      """
  }

  private static func footer(_ snapshot: StatusSnapshot?, reloads: Bool) -> Markup {
    guard let snapshot else { return "" }
    let fetched: Markup =
      reloads ? "This page is live; without scripts it reloads every \(refresh) s. " : ""
    return """
      <footer class="wrap dim">\(fetched)Running for \(StatusFormat.age(snapshot.agent.started, now: snapshot.now)). \
      <a href="/api/v1/summary?full=true">JSON</a><a href="/metrics">metrics</a>\
      <a href="/api/v1/status.txt">text</a><a href="/report">report</a><a href="\(FormPath.signIn)">sign in</a></footer>
      """
  }

  private static func region(_ snapshot: StatusSnapshot) -> String {
    snapshot.agent.region.map { StatusFormat.name($0) + " · " } ?? ""
  }

  static func worst(_ snapshot: StatusSnapshot) -> CheckState {
    let summary = snapshot.summary
    if summary.down > 0 { return .down }
    if summary.degraded > 0 { return .degraded }
    return summary.up > 0 ? .up : .unknown
  }

  /// `12:34:56`.
  static func clock(_ instant: Timestamp) -> String { String(instant.rfc3339.dropFirst(11).prefix(8)) }

  /// `2026-01-04 12:34:56`.
  static func moment(_ instant: Timestamp) -> String { StatusFormat.moment(instant) }

  /// `16:52` of today, `2026-01-04 16:52` of another day; a script adds the reader's own time.
  static func minute(_ instant: Timestamp, now: Timestamp? = nil) -> Markup {
    let day = instant.rfc3339.prefix(10)
    let isToday = now.map { $0.rfc3339.prefix(10) == day } ?? false
    let text = (isToday ? "" : "\(day) ") + clock(instant).prefix(5)
    return "<time datetime=\"\(instant.rfc3339)\">\(text)</time> UTC"
  }

  /// `since 16:52 UTC, 8m ago`; the age goes on by script.
  static func since(_ instant: Timestamp, now: Timestamp) -> Markup {
    "since \(minute(instant, now: now)), \(ago(instant, now: now))"
  }

  static func ago(_ instant: Timestamp, now: Timestamp) -> Markup {
    "<time class=\"ago\" datetime=\"\(instant.rfc3339)\">\(StatusFormat.ago(instant, now: now))</time>"
  }

  /// `acknowledged by ann, 16:57 UTC: on it`.
  static func acknowledged(_ by: String, _ incident: IncidentStatus) -> Markup {
    let at: Markup = incident.acknowledgedAt.map { ", \(minute($0))" } ?? ""
    let note: Markup = incident.acknowledgedNote.map { ": \($0)" } ?? ""
    return "acknowledged by \(name(by))\(at)\(note)"
  }

  /// A whole name, apart from the direction of what stands round it.
  static func name(_ text: String) -> Markup { "<bdi>\(Markup(name: text))</bdi>" }

  /// Rows of a list of facts, each a label and a figure.
  static func facts(_ facts: [(String, String)]) -> [Markup] {
    facts.map { "<dt>\($0.0)</dt><dd class=\"num\">\($0.1)</dd>" }
  }

  /// Advice behind a problem; empty without any.
  static func hint(_ text: String?) -> Markup {
    text.map { "<span class=\"hint\">→ \($0)</span>" } ?? ""
  }

  /// Last item of a list that is shown in part.
  static func more(_ count: Int, shown: Int) -> Markup {
    count > shown ? "<li class=\"dim\">and \(count - shown) more</li>" : ""
  }

  /// The gem in the state's colour. Without an icon a browser asks for `/favicon.ico`, which the policy refuses.
  static func icon(_ state: CheckState) -> String {
    let color =
      switch state {
      case .up: "%2322C55E"
      case .degraded: "%23F59E0B"
      case .down: "%23EF4444"
      case .unknown: "%236B7280"
      }
    return "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'>"
      + "<path fill='\(color)' d='M12 2 20 8.5 12 22 4 8.5Z'/></svg>"
  }

  /// Mark and word; the mark alone is coloured, so the word keeps its contrast.
  static func state(_ check: CheckStatus) -> Markup {
    let (style, mark) =
      !check.enabled
      ? ("off", "–")
      : check.maintenance != nil
        ? ("off", StatusFormat.maintenanceMark)
        : check.isPending ? ("unknown", StatusSnapshot.pendingMark) : (check.state.rawValue, check.state.mark)
    return
      "<span class=\"state \(style)\"><i aria-hidden=\"true\">\(mark)</i> <span>\(word(check))</span></span>"
  }

  static func word(_ check: CheckStatus) -> String {
    guard check.enabled else { return "OFF" }
    if check.maintenance != nil { return "MAINT" }
    return check.isPending ? StatusSnapshot.pendingWord : check.state.word
  }

  /// Badges of a muted and of an acknowledged check.
  static func badges(_ check: CheckStatus) -> Markup {
    let words = [
      check.mutedUntil.map { _ in "muted" }, check.acknowledgedBy.map { _ in "acknowledged" },
    ].compactMap(\.self)
    return Markup(words.map { "<span class=\"badge\">\($0)</span> " as Markup })
  }

  static func state(_ state: CheckState) -> Markup {
    "<span class=\"state \(state.rawValue)\"><i aria-hidden=\"true\">\(state.mark)</i> <span>\(state.word)</span></span>"
  }
}

/// An address that is not served.
package struct MissingPage {
  let snapshot: StatusSnapshot
  var id: UniqueID?

  package init(snapshot: StatusSnapshot, id: UniqueID? = nil) { (self.snapshot, self.id) = (snapshot, id) }

  package func render(nonce: String) -> Markup {
    if let check = snapshot.group?.elsewhere.first(where: { $0.id == id }) {
      let isKnown = check.member != nil
      let rest = isKnown ? ", another member of the group: its state is shown there" : " of the group"
      let words = "Run by \(GroupStatus.runner(check.member))\(rest)."
      return Layout.page(
        title: StatusFormat.name(check.name), snapshot: snapshot, nonce: nonce,
        """
        <section class="card empty"><h1>\(StatusFormat.name(check.name))</h1>
        <p>\(words)</p>
        <p><a class="button" href="/">All checks of this agent</a></p></section>
        """)
    }
    return Layout.page(
      title: "No such check", snapshot: snapshot, nonce: nonce,
      """
      <section class="card empty"><h1>No such check</h1>
      <p>It may have been removed from the configuration, and its history with it.</p>
      <p><a class="button" href="/">All checks</a></p></section>
      """)
  }
}
