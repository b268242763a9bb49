// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The news of the public face as JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). It has no addresses: the server does
/// not know the name that readers reach it by.
package struct JSONFeed {
  let feed: PublicFeed

  package init(feed: PublicFeed) { self.feed = feed }

  package func render() -> [UInt8] {
    var json = JSONWriter(reserving: 4096)
    json.object { json in
      json.field("version", "https://jsonfeed.org/version/1.1")
      json.field("title", feed.title)
      json.field("language", feed.language.rawValue)
      json.key("items")
      json.array { json in
        for item in feed.items {
          json.object { json in
            json.field("id", "urn:uuid:\(item.id.description)")
            json.field("title", item.title)
            json.field("content_text", item.text)
            json.field("date_published", item.published)
            json.field("date_modified", item.updated)
          }
        }
      }
    }
    return json.bytes
  }
}
