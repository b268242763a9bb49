// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring

/// The outages of the public face as a feed (RFC 4287): who subscribes is told when one begins and when it is over.
struct AtomFeed {
  let picture: PublicPicture

  static let entries = 100
  /// For the ids of entries and of feeds; drawn once at random.
  private static let namespace = UniqueID(high: 0x6f1b_3c9d_52e7_4a08, low: 0x9d44_71c2_0be5_8a36)

  func render() -> Markup {
    let all = picture.checks.flatMap { check in check.outages.map { (check, $0) } }
      .sorted { Self.updated($0.1) > Self.updated($1.1) }
    let updated = all.first.map { Self.updated($0.1) } ?? picture.now
    let title = picture.face.title
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <feed xmlns="http://www.w3.org/2005/Atom">
      <id>urn:uuid:\(UniqueID.v5(namespace: Self.namespace, name: title).description)</id>
      <title>\(title)</title>
      <updated>\(updated.rfc3339)</updated>
      <author><name>\(title)</name></author>
      <link rel="self" href="/feed.atom"/>
      <link rel="alternate" href="/"/>
      \(Markup(all.prefix(Self.entries).map(entry)))</feed>

      """
  }

  /// An entry changes once: when the outage is over.
  private static func updated(_ outage: PublicCheck.Downtime) -> Timestamp { outage.end ?? outage.begin }

  private func entry(_ item: (PublicCheck, PublicCheck.Downtime)) -> Markup {
    let (check, outage) = item
    let id = UniqueID.v5(namespace: check.id, name: "outage \(outage.begin.rfc3339)")
    let name = StatusFormat.name(check.name)
    let title =
      outage.end == nil
      ? "\(name) is down" : "\(name) was down for \(StatusFormat.span(outage.length.microseconds))"
    let words =
      outage.end.map { "From \(outage.begin.rfc3339) to \($0.rfc3339)." } ?? "Since \(outage.begin.rfc3339)."
    return """
      <entry>
      <id>urn:uuid:\(id.description)</id>
      <title>\(title)</title>
      <published>\(outage.begin.rfc3339)</published>
      <updated>\(Self.updated(outage).rfc3339)</updated>
      <link rel="alternate" href="/"/>
      <content type="text">\(words)</content>
      </entry>

      """
  }
}
