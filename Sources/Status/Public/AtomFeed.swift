// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The news of the public face as Atom (RFC 4287).
package struct AtomFeed {
  let feed: PublicFeed

  package init(feed: PublicFeed) { self.feed = feed }

  package func render() -> Markup {
    let items = feed.items
    let updated = items.first?.updated ?? feed.picture.now
    let language = feed.language.rawValue
    let path = feed.picture.face.path
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="\(language)">
      <id>urn:uuid:\(feed.id.description)</id>
      <title>\(Markup(name: feed.title))</title>
      <updated>\(updated.rfc3339)</updated>
      <author><name>\(Markup(name: feed.title))</name></author>
      <link rel="self" href="\(path)/feed.atom?lang=\(language)"/>
      <link rel="alternate" href="\(path)/?lang=\(language)"/>
      \(Markup(items.map(entry)))</feed>

      """
  }

  private func entry(_ item: PublicFeed.Item) -> Markup {
    let lines = item.text.split(whereSeparator: \.isNewline).map { Markup(name: String($0)) + "\n" }
    return """
      <entry>
      <id>urn:uuid:\(item.id.description)</id>
      <title>\(Markup(name: item.title))</title>
      <published>\(item.published.rfc3339)</published>
      <updated>\(item.updated.rfc3339)</updated>
      <link rel="alternate" href="\(feed.picture.face.path)/?lang=\(feed.language.rawValue)"/>
      <content type="text">\(lines.count == 1 ? Markup(name: item.text) : Markup(lines))</content>
      </entry>

      """
  }
}
