// SPDX-License-Identifier: MIT

import Basics

/// A target of a probe: a name of `host_names`, or an `endpoint`.
struct CloudproberTarget {
  var name: String
  /// Where it is, when the file says so.
  var ip: String?
  var port: Int?
  /// Parts of its `url`.
  var scheme: String?
  var host: String?
  var path: String?

  init(name: String) {
    let place = ForeignURL.place(name)
    // An address of version 6 has no port.
    (self.name, port) = place.port == nil ? (name, nil) : place
  }

  /// `nil`: it has no name.
  init?(_ section: Section) {
    guard let name = section.text("name") ?? section["url"]?.text else { return nil }
    self.name = name
    ip = section.text("ip")
    port = section.number("port")
    labels(section)
    guard let url = section.text("url"), let mark = url.range(of: "://") else {
      section.listRest("labels of a target have no counterpart here")
      return
    }
    scheme = String(url[..<mark.lowerBound])
    let rest = url[mark.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    let place = ForeignURL.place(String(authority))
    // Labels come before it.
    (host, path) = (host ?? place.host, path ?? String(rest[authority.endIndex...]))
    port = port ?? place.port
    section.listRest("labels of a target have no counterpart here")
  }

  /// Those that say how an HTTP probe asks.
  private mutating func labels(_ section: Section) {
    for label in section.node.each("labels") {
      guard let key = label["key"]?.text, let value = label["value"]?.text else { continue }
      switch key {
      case _ where value.isEmpty: continue
      case "fqdn": host = value
      case "relative_url": path = value.hasPrefix("/") ? value : "/\(value)"
      default: continue
      }
      section.ledger.carry(label)
    }
  }
}

/// Templates of Go that are left in a text.
enum GoTemplates {
  static let placeholders = Placeholders(parts: { parts($0) })

  /// `{{env "NAME"}}`, `{{envSecret "NAME"}}` and `**$NAME**`, which the latter becomes.
  private static func parts(_ text: String) -> [Placeholders.Part]? {
    var parts: [Placeholders.Part] = []
    var rest = text[...]
    // Each mark is looked for once behind the last one found.
    var next: [(mark: String, place: Range<String.Index>?)] = ["{{", "**$"].map { ($0, rest.range(of: $0)) }
    while true {
      for index in next.indices {
        guard let place = next[index].place, place.lowerBound < rest.startIndex else { continue }
        next[index].place = rest.range(of: next[index].mark)
      }
      let found = next.compactMap { mark, place in place.map { (mark, $0) } }
      guard let (mark, open) = found.min(by: { $0.1.lowerBound < $1.1.lowerBound }) else { break }
      let inner = rest[open.upperBound...]
      guard let close = inner.range(of: mark == "{{" ? "}}" : "**") else { return nil }
      guard let name = name(inner[..<close.lowerBound].trimmed, isCall: mark == "{{") else { return nil }
      parts += [.text(rest[..<open.lowerBound]), .variable(ByteText(name))]
      rest = inner[close.upperBound...]
    }
    return parts + [.text(rest)]
  }
  private static func name(_ text: String, isCall: Bool) -> String? {
    var name = text
    if isCall {
      let words = text.split(separator: " ", maxSplits: 2)
      guard words.count == 2, words[0] == "env" || words[0] == "envSecret" else { return nil }
      name = words[1].filter { $0 != "\"" && $0 != "`" }
    }
    return Placeholders.isName(name) ? name : nil
  }
}
