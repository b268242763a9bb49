// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The public page's settings: the checks it shows, and how it looks.
package struct PublicFace: Sendable {
  /// A section of the page: the checks with a tag.
  package struct Group: Sendable, ExpressibleByStringLiteral {
    package var tag: String
    /// `nil` where the tag itself says it.
    package var title: String?

    package init(tag: String, title: String? = nil) { (self.tag, self.title) = (tag, title) }
    package init(stringLiteral tag: String) { self.init(tag: tag) }

    /// The title, or what stands in the tag behind `service:` or `group=`, with a capital.
    var heading: String {
      if let title { return title }
      let value = tag.utf8.lastIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }
        .map { String(tag[tag.utf8.index(after: $0)...]) }
      let words = value.flatMap { $0.isEmpty ? nil : $0 } ?? tag
      return words.prefix(1).uppercased() + words.dropFirst()
    }
  }

  package struct Link: Sendable {
    package var title: String
    /// http or https.
    package var url: String

    package init(title: String, url: String) { (self.title, self.url) = (title, url) }
  }

  /// A picture, as it is served.
  package struct Logo: Sendable {
    package enum Kind: Sendable { case png, jpeg, webp, svg }

    package let kind: Kind
    package let bytes: [UInt8]

    /// Bytes that a logo may have.
    package static let limit = 64 << 10

    /// Bytes of a file that are read to see whether it is one.
    package static let readLimit = 1 << 20

    /// Why these bytes of a file are no logo; `nil` when they are one.
    package static func objection(to bytes: [UInt8], _ path: String) -> String? {
      guard Self(bytes) == nil else { return nil }
      return "\(path.printable(maxBytes: 500)) is no PNG, JPEG, WebP or SVG of at most 64 KiB"
    }

    /// `nil` for what is no PNG, JPEG, WebP or SVG, by its first bytes.
    package init?(_ bytes: [UInt8]) {
      guard bytes.count <= Self.limit else { return nil }
      if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]) {
        kind = .png
      } else if bytes.starts(with: [0xff, 0xd8, 0xff]) {
        kind = .jpeg
      } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
        kind = .webp
      } else if bytes.starts(with: "<svg".utf8) || bytes.starts(with: "<?xml".utf8) {
        kind = .svg
      } else {
        return nil
      }
      self.bytes = bytes
    }
  }

  package var title: String
  /// Of a page with a name of its own, `/name`; empty for the one at `/`.
  package var path = ""
  /// Pages with names of their own, each with checks of its own.
  package var pages: [PublicFace] = []
  /// In the order of the page.
  package var groups: [Group]
  /// Names or ids of further checks; they come first, under a heading of their own.
  package var checks: [String]
  package var hidesTargets: Bool
  /// Language of feeds and badges, and of readers who ask for none that there is.
  package var language = PublicLanguage.english
  /// How long before its begin a maintenance window is announced.
  package var announce: Duration = .seconds(7 * 86_400)
  /// Shows names of maintenance windows, beside those of the checks.
  package var namesMaintenance = false
  package var logo: Logo?
  /// `#rrggbb` of the band on top and the mark, and the same on dark ground; `nil`: the palette's.
  package var color: String?
  package var darkColor: String?
  package var links: [Link] = []
  /// URL of the legal notice.
  package var imprint: String?
  /// One more paragraph at the end of the page.
  package var footer: String?

  package init(title: String, groups: [Group], checks: [String], hidesTargets: Bool) {
    (self.title, self.groups, self.checks) = (title, groups, checks)
    self.hidesTargets = hidesTargets
  }
}
