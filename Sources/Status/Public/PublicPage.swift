// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The one page of the public face, in one language.
package struct PublicPage {
  let picture: PublicPicture
  var language = PublicLanguage.english

  var words: any PublicWords { language.words }

  package init(picture: PublicPicture, language: PublicLanguage = .english) {
    (self.picture, self.language) = (picture, language)
  }

  package func render(nonce: String) -> Markup {
    let face = picture.face
    let headline = PublicHeadline(picture, words)
    let title = Markup(
      name: (headline.detail.isEmpty ? "" : headline.sentence.text(words) + " · ") + face.title)
    return """
      \(Layout.head(language.rawValue))
      <noscript><meta http-equiv="refresh" content="60"></noscript>
      <title>\(title)</title>
      <link id="icon" rel="icon" href="\(Layout.icon(CheckState(word: headline.tone.name) ?? .unknown))">
      \(feedLinks)<style nonce="\(nonce)">\(Palette.style)\(Self.style)\(colors)</style>
      </head>
      <body \(scriptWords)>
      <header><div>\(brand)\(subscribe)</div></header>
      <main>
      \(hero(headline))
      \(posts)\(windows)\(Markup(picture.sections.map(section)))\(legend)\(outages)\(resolvedPosts)
      </main>
      \(footer)
      <script nonce="\(nonce)">\(Self.script)</script>
      </body>
      </html>

      """
  }

  private var query: String { "?lang=\(language.rawValue)" }
  private var path: String { picture.face.path }

  private var feedLinks: Markup {
    """
    <link rel="alternate" type="application/atom+xml" title="Atom" href="\(path)/feed.atom\(query)">
    <link rel="alternate" type="application/feed+json" title="JSON Feed" href="\(path)/feed.json\(query)">

    """
  }

  /// Of what the script writes itself.
  private var scriptWords: Markup {
    """
    data-own="\(words.yourTime)" data-zone="\(words.timesAreYours)" data-up="\(words.percent(100))" \
    data-none="\(words.noData)" data-maintenance="\(words.maintenance)" data-gone="\(words.isNotUpdated)"
    """
  }

  private var brand: Markup {
    let face = picture.face
    let gem: Markup = """
      <svg viewBox="0 0 24 24" aria-hidden="true"><path class="gem" d="M12 1 21 9 12 23 3 9z"/></svg>
      """
    let logo: Markup = face.logo == nil ? gem : "<img src=\"\(path)/logo\" alt=\"\">"
    return "<p class=\"brand\">\(logo)\(Layout.name(face.title))</p>"
  }

  private var subscribe: Markup {
    """
    <details class="menu"><summary>\(words.subscribe)</summary><div><a href="\(path)/feed.atom\(query)">Atom</a>\
    <a href="\(path)/feed.json\(query)">JSON Feed</a></div></details>
    """
  }

  private func hero(_ headline: PublicHeadline) -> Markup {
    let mark: Markup = headline.mark.isEmpty ? "" : "<span aria-hidden=\"true\">\(headline.mark)</span> "
    let detail = headline.detail.map { $0.markup(words) + " " }
    let line: Markup = detail.isEmpty ? "" : "<p>\(Markup(detail))</p>"
    return """
      <section class="hero t-\(headline.tone.name)"><h1>\(mark)\(headline.sentence.markup(words))</h1>\(line)</section>
      """
  }

  private var footer: Markup {
    let face = picture.face
    let languages: [Markup] = PublicLanguage.allCases.map { other in
      let current: Markup = other == language ? " aria-current=\"true\"" : ""
      return """
        <a href="?lang=\(other.rawValue)" lang="\(other.rawValue)" hreflang="\(other.rawValue)"\(current)>\(other.words.ownName)</a>
        """
    }
    var links: [Markup] = face.links.map { "<a href=\"\($0.url)\">\(Layout.name($0.title))</a>" }
    if let imprint = face.imprint { links.append("<a href=\"\(imprint)\">\(words.imprint)</a>") }
    let own: Markup = face.footer.map { "<p>\(Layout.name($0))</p>" } ?? ""
    let now = words.asOf(Sentence(at: picture.now, now: picture.now)).markup(words)
    return """
      <footer>\(own)\(links.isEmpty ? "" : "<p>\(Markup(links))</p>" as Markup)\
      <p id="asof">\(now) · <span id="zone">\(words.timesAreUTC)</span> \(words.updatesItself)</p>\
      <nav aria-label="\(words.languages)">\(Markup(languages))</nav></footer>
      """
  }
}
