// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// Values that only the public page has.
extension Codec<String> {
  /// `#rrggbb`; in lower case afterwards.
  static var color: Codec {
    Codec(.text, isQuoted: true, text: \.self) { typed, place, reader in
      guard let text = typed.text else { return nil }
      let digits = text.utf8.dropFirst()
      if text.utf8.count == 7, text.hasPrefix("#"), digits.allSatisfy(isHexDigit) { return text.lowercased() }
      reader.problem(
        place.position, "\(place.key) must be a colour as #rrggbb, found \(typed.found(text))",
        hint: "such as \"#0f766e\", in quotes: what follows a # is a comment otherwise")
      return nil
    }
  }

  /// URL that readers of the public page follow, perhaps with a query and a section.
  static var publicURL: Codec {
    Codec(.text, isQuoted: true, text: \.self) { typed, place, reader in
      guard let text = typed.text else { return nil }
      if (try? HTTPURL(text)) != nil { return text }
      reader.problem(
        place.position,
        "\(place.key) must be an http or https URL without login, found \(typed.found(text))",
        hint: "such as https://shop.example/help")
      return nil
    }
  }

  /// Names that are addresses of the public page itself.
  private static let takenNames = ["badge", "hb", "livez", "logo", "widget"]

  /// Name of a public page, as its address has it.
  static var pageName: Codec {
    Codec(.text, isQuoted: true, text: \.self) { typed, place, reader in
      guard let text = typed.text else { return nil }
      let isPlain = text.utf8.allSatisfy {
        (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
      }
      guard isPlain, (1...40).contains(text.utf8.count) else {
        reader.problem(
          place.position,
          "\(place.key) must be 1 to 40 lower case letters, digits and dashes, found \(typed.found(text))",
          hint: "such as shop")
        return nil
      }
      guard !takenNames.contains(text) else {
        reader.problem(
          place.position, "\(place.key) must not be \(quoted(text)): the public page has that address",
          hint: "choose another name")
        return nil
      }
      return text
    }
  }

  static var footer: Codec {
    text { text, place, reader in
      if text.utf8.count > SettingLimits.footerBytes {
        reader.problem(
          place.position,
          "\(place.key) must be at most \(SettingLimits.footerBytes) bytes, found \(text.utf8.count)")
      } else if text.hasControlCharacter {
        reader.problem(place.position, "\(place.key) contains a line break or another control character")
      }
    }
  }
}

private func isHexDigit(_ byte: UInt8) -> Bool {
  (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
}

extension Codec<[PublicGroup]> {
  /// Each a tag, or a map with a title for it.
  static var publicGroups: Codec {
    Codec(
      .list(.either(.text, .map(KeyTable(PublicGroup.keys)))),
      text: { "[\($0.map(\.tag).joined(separator: ", "))]" }
    ) { typed, place, reader in
      guard let list = typed.list else { return nil }
      var groups: [PublicGroup] = []
      for (index, given) in list.enumerated() {
        var group = PublicGroup()
        if let tag = given.text {
          group.tag = tag
        } else {
          guard let map = given.map, reader.read(map, into: &group, place.path + [String(index)]) else {
            continue
          }
        }
        groups.append(group)
      }
      return groups
    }.printed { groups, name, printer in
      guard groups.contains(where: { $0.title != nil }) else {
        return printer.texts(name, groups.map(\.tag))
      }
      printer.map(name) { printer in
        for (index, group) in groups.enumerated() {
          printer.item(String(index)) { $0.settings(group) }
        }
      }
    }
  }
}

extension Codec<[PublicLink]> {
  static var publicLinks: Codec {
    Codec(
      .list(.map(KeyTable(PublicLink.keys))), text: { "[\($0.map(\.url).joined(separator: ", "))]" }
    ) { typed, place, reader in
      guard let list = typed.list else { return nil }
      if list.count > SettingLimits.publicLinks {
        reader.problem(
          place.position,
          "\(place.key) may list at most \(SettingLimits.publicLinks) links, found \(list.count)")
        return nil
      }
      var links: [PublicLink] = []
      for (index, given) in list.enumerated() {
        var link = PublicLink()
        if let map = given.map, reader.read(map, into: &link, place.path + [String(index)]) {
          links.append(link)
        }
      }
      return links
    }.printed { links, name, printer in
      printer.map(name) { printer in
        for (index, link) in links.enumerated() { printer.item(String(index)) { $0.settings(link) } }
      }
    }
  }
}

extension Codec<[PublicPageSettings]> {
  static var publicPages: Codec {
    Codec(
      .list(.map(KeyTable(PublicPageSettings.keys))),
      text: { "[\($0.map(\.name).joined(separator: ", "))]" }
    ) { typed, place, reader in
      guard let list = typed.list else { return nil }
      if list.count > SettingLimits.publicPages {
        reader.problem(
          place.position,
          "\(place.key) may list at most \(SettingLimits.publicPages) pages, found \(list.count)")
        return nil
      }
      var pages: [PublicPageSettings] = []
      for (index, given) in list.enumerated() {
        var page = PublicPageSettings()
        guard let map = given.map, reader.read(map, into: &page, place.path + [String(index)]) else {
          continue
        }
        if pages.contains(where: { $0.name == page.name }) {
          reader.problem(
            given.position, "\(place.key) names the page \(quoted(page.name)) twice",
            hint: "give it another name")
        }
        pages.append(page)
      }
      return pages
    }.printed { pages, name, printer in
      printer.map(name) { printer in
        for (index, page) in pages.enumerated() { printer.item(String(index)) { $0.settings(page) } }
      }
    }
  }
}
