// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The one page of the public face.
struct PublicPage {
  let picture: PublicPicture

  /// Outages that are listed, of all checks together.
  static let shownOutages = 20

  func render(nonce: String) -> Markup {
    let face = picture.face
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <noscript><meta http-equiv="refresh" content="60"></noscript>
      <title>\(title)</title>
      <link rel="alternate" type="application/atom+xml" title="Outages" href="/feed.atom">
      <style nonce="\(nonce)">\(Layout.style)\(Layout.chartStyle)\(Self.style)</style>
      </head>
      <body>
      <header class="top"><div class="wrap"><h1 class="brand">\(face.title)</h1>
      <span class="dim clock">as of <time datetime="\(picture.now.rfc3339)">\(Layout.moment(picture.now))</time> UTC</span>
      </div></header>
      <main class="wrap">
      \(banner)
      \(Markup(picture.sections.map(section)))
      \(outages)
      </main>
      <footer class="wrap dim">Kept as it is now, once a minute. <a href="/feed.atom">Outages as a feed</a></footer>
      <script nonce="\(nonce)">\(Self.script)</script>
      </body>
      </html>

      """
  }

  /// Puts the page as it is now in the place of what is shown, without moving the reader.
  private static let script: Markup = """
    setInterval(async()=>{try{const r=await fetch('/');if(!r.ok)return;
    const d=new DOMParser().parseFromString(await r.text(),'text/html');
    for(const s of ['main','header.top'])document.querySelector(s).replaceWith(d.querySelector(s));
    document.title=d.title}catch(e){}},60000)
    """

  private static let style: Markup = """
    .public{list-style:none;margin:0;padding:0}.public li{border-top:1px solid var(--line);padding:12px 0}
    .public li:first-child{border-top:0}.public .strip{height:28px;margin:8px 0 4px}
    .line1{display:flex;flex-wrap:wrap;gap:4px 16px;justify-content:space-between;font-weight:600;overflow-wrap:anywhere}
    .figures{display:flex;flex-wrap:wrap;gap:4px 20px}
    """

  private var checks: [PublicCheck] { picture.checks }

  private func count(_ state: PublicCheck.State) -> Int { checks.count { $0.state == state } }

  private var title: String {
    let down = count(.down)
    return down > 0 ? "\(down) down · \(picture.face.title)" : picture.face.title
  }

  private var banner: Markup {
    let (down, degraded, unknown) = (count(.down), count(.degraded), count(.unknown))
    if checks.isEmpty {
      return "<section class=\"card empty\"><h2>Nothing is shown here yet</h2></section>"
    }
    if down > 0 {
      return """
        <p class="banner" role="alert"><span class="mark down" aria-hidden="true">✕</span> \
        \(down) of \(checks.count) \(plural("is", down, "are")) down</p>
        """
    }
    if degraded > 0 {
      return """
        <p class="banner warn"><span class="mark degraded" aria-hidden="true">▲</span> \
        \(degraded) of \(checks.count) \(plural("is", degraded, "are")) degraded</p>
        """
    }
    if unknown > 0 {
      return """
        <p class="banner warn"><span class="mark unknown" aria-hidden="true">?</span> \
        Of \(unknown) of \(checks.count) nothing is known at present</p>
        """
    }
    return """
      <section class="card"><p class="fine"><span class="mark up" aria-hidden="true">●</span> Everything is up</p></section>
      """
  }

  private func section(_ section: (heading: String?, checks: [PublicCheck])) -> Markup {
    let heading: Markup = section.heading.map { "<h2>\($0)</h2>" } ?? "<h2>Services</h2>"
    return """
      <section class="card">\(heading)<ul class="public">\(Markup(section.checks.map(row)))</ul></section>

      """
  }

  private func row(_ check: PublicCheck) -> Markup {
    let target: Markup = check.target.map { "<span class=\"dim\">\($0)</span>" } ?? ""
    let until: Markup =
      check.maintenanceUntil.map { "<span class=\"dim\">until \(Layout.moment($0)) UTC</span>" } ?? ""
    let figures: [Markup] = check.windows.map { window in
      "<span><span class=\"dim\">\(window.period.rawValue)</span> <span class=\"num\">\(window.text)</span></span>"
    }
    return """
      <li><div class="line1"><span>\(StatusFormat.name(check.name))</span><span>\(until) \
      <span class="state \(check.state.style)"><i aria-hidden="true">\(check.state.mark)</i> \(check.state.word.uppercased())</span></span></div>\
      \(target)\(UptimeStrip(points: check.days, period: .quarter).render())\
      <div class="figures">\(Markup(figures))</div></li>

      """
  }

  /// Of all checks, those that last first, then the newest.
  private var outages: Markup {
    let all = checks.flatMap { check in check.outages.map { (check, $0) } }
    let lasting = all.filter { $0.1.end == nil }.sorted { $0.1.begin > $1.1.begin }
    let over = all.filter { $0.1.end != nil }.sorted { $0.1.begin > $1.1.begin }
    let shown = (lasting + over).prefix(Self.shownOutages)
    guard !shown.isEmpty else {
      return
        "<section class=\"card\"><h2>Outages</h2><p class=\"fine\">None is known of the last 90 days.</p></section>"
    }
    let rows: [Markup] = shown.map { check, outage in
      let length = StatusFormat.span(outage.length.microseconds)
      return """
        <li>\(StatusFormat.name(check.name)) <span class="dim">\
        <time datetime="\(outage.begin.rfc3339)">\(Layout.moment(outage.begin))</time> UTC, \
        \(outage.end == nil ? "down for \(length) so far" : "down for \(length)")</span></li>
        """
    }
    let rest: Markup =
      all.count > shown.count ? "<li class=\"dim\">and \(all.count - shown.count) before</li>" : ""
    return """
      <section class="card"><h2>Outages of the last 90 days</h2><ul class="problems">\(Markup(rows))\(rest)</ul></section>
      """
  }
}
