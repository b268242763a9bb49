// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// What every page has round its content.
enum Layout {
  /// Seconds after which the page is fetched again; no script is needed for that.
  static let refresh = 15

  /// - Parameters:
  ///   - reloads: false for a page whose address is no page, such as the answer to a form.
  ///   - isLive: its script keeps it as it is now, part by part; that of another page that reloads fetches it whole.
  static func page(
    title: String, snapshot: StatusSnapshot, nonce: String, reloads: Bool = true, isLive: Bool = false,
    _ content: Markup
  ) -> Markup {
    let meta: Markup = reloads ? "<meta http-equiv=\"refresh\" content=\"\(refresh)\">" : ""
    // With a script nothing is taken from under who reads: WCAG 2.2, 2.2.1 and 3.2.5.
    let again: Markup = "<noscript>\(meta)</noscript>"
    let fetched: Markup =
      reloads ? "Changes as it happens; without scripts fetched again every \(refresh) s. " : ""
    let live: Markup = isLive ? " data-live=\"list\"" : reloads ? " data-live=\"page\"" : ""
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      \(again)
      <title>\(title)</title>
      <link id="icon" rel="icon" href="\(icon(worst(snapshot)))">
      <style nonce="\(nonce)">\(style)\(chartStyle)</style>
      </head>
      <body\(live)>
      <header class="top"><div class="wrap">
      <a class="brand" href="/"><svg viewBox="0 0 24 24" aria-hidden="true"><path class="gem" d="M12 2 20 8.5 12 22 4 8.5Z"/><path class="facet" d="M12 2 15.5 8.5 12 22 8.5 8.5Z"/></svg>\
      <span>\(StatusFormat.name(snapshot.agent.name))</span></a>
      <span class="dim">\(region(snapshot))quartz-agent \(snapshot.agent.version)</span>
      <span class="dim clock"><span id="live" role="status"></span> as of <time id="asof" datetime="\(snapshot.now.rfc3339)">\(clock(snapshot.now))</time> UTC</span>
      </div></header>
      <main class="wrap">
      \(content)
      </main>
      <footer class="wrap dim">\(fetched)Running for \
      \(StatusFormat.age(snapshot.agent.started, now: snapshot.now)). \
      <a href="/api/v1/summary?full=true">JSON</a><a href="/metrics">metrics</a>\
      <a href="/api/v1/status.txt">text</a></footer>
      <script nonce="\(nonce)">\(script)</script>
      </body>
      </html>

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
  static func moment(_ instant: Timestamp) -> String { "\(instant.rfc3339.prefix(10)) \(clock(instant))" }

  private static func icon(_ state: CheckState) -> String {
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
    guard check.enabled else {
      return "<span class=\"state off\"><i aria-hidden=\"true\">–</i> OFF</span>"
    }
    if check.maintenance != nil {
      return
        "<span class=\"state off\"><i aria-hidden=\"true\">\(StatusFormat.maintenanceMark)</i> MAINT</span>"
    }
    if check.isPending {
      return
        "<span class=\"state unknown\"><i aria-hidden=\"true\">\(StatusSnapshot.pendingMark)</i> \(StatusSnapshot.pendingWord)</span>"
    }
    return state(check.state)
  }

  /// Badges of a muted and of an acknowledged check.
  static func badges(_ check: CheckStatus) -> Markup {
    let words = [
      check.mutedUntil.map { _ in "muted" }, check.acknowledgedBy.map { _ in "acknowledged" },
    ].compactMap(\.self)
    return Markup(words.map { " <span class=\"badge\">\($0)</span>" as Markup })
  }

  static func state(_ state: CheckState) -> Markup {
    "<span class=\"state \(state.rawValue)\"><i aria-hidden=\"true\">\(state.mark)</i> \(state.word)</span>"
  }
}

/// An address that is not served.
struct MissingPage {
  let snapshot: StatusSnapshot
  var id: UniqueID? = nil

  func render(nonce: String) -> Markup {
    if let check = snapshot.group?.elsewhere.first(where: { $0.id == id }) {
      let who = check.member.map { StatusFormat.name($0) } ?? "nobody that is known"
      return Layout.page(
        title: StatusFormat.name(check.name), snapshot: snapshot, nonce: nonce,
        """
        <section class="card empty"><h1>\(StatusFormat.name(check.name))</h1>
        <p>Run by \(who), another member of the group: its state is shown there.</p>
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
