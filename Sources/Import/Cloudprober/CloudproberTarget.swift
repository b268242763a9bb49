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
  private var labels: [(name: String, value: String)] = []

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
    readLabels(section)
    guard let url = section.text("url"), let mark = url.range(of: "://") else {
      section.listRest("labels of a target have no counterpart here")
      return
    }
    scheme = String(url[..<mark.lowerBound])
    let rest = url[mark.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    // cloudprober takes the host name and the port alone.
    let address = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    if address.count < authority.count {
      section.ledger.list(section["url"], "cloudprober sends no login that is in a URL")
    }
    let place = ForeignURL.place(String(address))
    // Labels come before it.
    (host, path) = (host ?? place.host, path ?? String(rest[authority.endIndex...]))
    port = port ?? place.port
    section.listRest("labels of a target have no counterpart here")
  }

  /// Those that say how an HTTP probe asks.
  private mutating func readLabels(_ section: Section) {
    for label in section.node.each("labels") {
      guard let key = label["key"]?.text, let value = label["value"]?.text else { continue }
      labels.append((key, value))
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

extension CloudproberTarget {
  /// A text with `@target.name@`, `@target.port@` and `@target.label.KEY@`, as cloudprober fills it in. `nil`: it has
  /// more than the file says.
  func filled(_ text: String, port: Int?) -> String? {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    var made = ""
    for (index, part) in parts.enumerated() {
      guard index % 2 == 1 else {
        made += part
        continue
      }
      // The last sign has no partner.
      guard index + 1 < parts.count else { return "\(made)@\(part)" }
      let prefix = "target.label."
      if part == "target.name" {
        made += name
      } else if part == "target.port" {
        made += String(port ?? 0)
      } else if part == "target.ip" {
        guard let ip else { return nil }
        made += ip
      } else if part.hasPrefix(prefix) {
        made += labels.last { $0.name == part.dropFirst(prefix.utf8.count) }?.value ?? ""
      } else {
        return nil
      }
    }
    return made
  }
}

extension ForeignNode {
  /// A message of YAML or JSON as its text has it: names with `_`, and maps as entries with a key.
  func asMessage() -> ForeignNode {
    var made = self
    switch content {
    case .map(let entries):
      made.content = .map(
        entries.map { entry in
          let name = Self.snake(entry.name)
          let isMap = ["header", "labels", "proxy_connect_header"].contains(name)
          return (name, isMap ? entry.value.asPairs() : entry.value.asMessage())
        })
    case .list(let items): made.content = .list(items.map { $0.asMessage() })
    case .scalar: break
    }
    return made
  }

  private func asPairs() -> ForeignNode {
    guard let entries else { return self }
    var made = self
    made.content = .list(
      entries.map { entry in
        let key = ForeignNode(content: .scalar(entry.name, isPlain: false), line: entry.value.line)
        return ForeignNode(content: .map([("key", key), ("value", entry.value)]), line: entry.value.line)
      })
    return made
  }

  private static func snake(_ name: String) -> String {
    name.unicodeScalars.reduce(into: "") { made, scalar in
      if scalar.properties.isUppercase { made += "_" }
      made += scalar.properties.lowercaseMapping
    }
  }
}

/// Templates of Go that are left in a text.
enum GoTemplates {
  static let placeholders = Placeholders(parts: { parts($0) })

  /// The text with variables as `**$NAME**` alone, without blanks, which a tag has none of.
  static func short(_ text: String) -> String {
    guard let parts = parts(text) else { return text }
    return parts.reduce(into: "") { made, part in
      switch part {
      case .text(let text): made += text
      case .variable(let name): made += "**$\(name.text)**"
      }
    }
  }

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
