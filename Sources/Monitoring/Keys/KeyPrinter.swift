// SPDX-License-Identifier: MIT

import Basics

/// Writes keys and values line by line. Every text is quoted, so that none can be taken for something else.
package struct KeyPrinter {
  let secretPaths: Set<[String]>
  /// Of the check that is printed, which has the keys of its kind only.
  var type: CheckType?
  package private(set) var text = ""
  private var depth = 0
  private var path: [String] = []
  /// The next line opens an item of a list.
  private var opensItem = false
  /// The last map that may be left out holds nothing.
  private var isEmptyMap = false

  package init(secretPaths: Set<[String]>) { self.secretPaths = secretPaths }

  private mutating func line(_ words: String) {
    let indent = String(repeating: "  ", count: opensItem ? depth - 1 : depth)
    text += indent + (opensItem ? "- " : "") + words + "\n"
    opensItem = false
  }

  /// A map under a key.
  package mutating func map(_ name: String, _ body: (inout KeyPrinter) -> Void) {
    line("\(key(name)):")
    depth += 1
    path.append(name)
    body(&self)
    path.removeLast()
    depth -= 1
  }

  /// Left out when nothing is in it: an empty map is refused.
  mutating func mapIfAny(_ name: String, _ body: (inout KeyPrinter) -> Void) {
    let before = self
    map(name) { printer in
      let start = printer.text.utf8.count
      body(&printer)
      printer.isEmptyMap = printer.text.utf8.count == start
    }
    if isEmptyMap { self = before }
  }

  /// A map in a list; `name` is its part of the path.
  package mutating func item(_ name: String, _ body: (inout KeyPrinter) -> Void) {
    depth += 1
    path.append(name)
    opensItem = true
    body(&self)
    path.removeLast()
    depth -= 1
  }

  /// A word of ours, a number or a duration: nothing that needs quotes.
  package mutating func word(_ name: String, _ value: String?) {
    guard let value else { return }
    line("\(key(name)): \(isSecret(name) ? scalar(Redacted.mark) : value)")
  }

  package mutating func flag(_ name: String, _ value: Bool) { word(name, value ? "true" : "false") }

  /// - Parameter host: the name of a host in it; nil: all of it, if it is one.
  package mutating func text(_ name: String, _ value: String?, host: String? = nil) {
    guard let value else { return }
    let isSecret = isSecret(name)
    line("\(key(name)): \(scalar(isSecret ? Redacted.mark : value))\(isSecret ? "" : note(host ?? value))")
  }

  /// A name in people's letters behind the one that is looked up.
  private func note(_ host: String) -> String { InternationalName.unicode(host).map { "  # \($0)" } ?? "" }

  /// A text that holds no secret although its source does.
  package mutating func shown(_ name: String, _ value: String) { line("\(key(name)): \(scalar(value))") }

  package mutating func secret(_ name: String, _ value: Redacted?) {
    guard value != nil else { return }
    line("\(key(name)): \(scalar(Redacted.mark))")
  }

  package mutating func texts(_ name: String, _ values: [String]) {
    let items = values.enumerated().map { index, value in
      scalar(secretPaths.contains(path + [name, String(index)]) || isSecret(name) ? Redacted.mark : value)
    }
    line("\(key(name)): [\(items.joined(separator: ", "))]")
  }

  func isSecret(_ name: String) -> Bool { secretPaths.contains(path + [name]) }

  /// Keys of ours are plain; header names may be anything a token may be.
  private func key(_ name: String) -> String {
    name.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == UInt8(ascii: "_") } ? name : scalar(name)
  }

  /// A double-quoted YAML scalar; `${` is written so that it is no reference.
  private func scalar(_ value: String) -> String {
    var quoted = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      default:
        if scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) || scalar.value == 0xfeff
          || (0x2028...0x2029).contains(scalar.value)
        {
          quoted += "\\u" + Base16.text(scalar.value, width: 4)
        } else {
          quoted.unicodeScalars.append(scalar)
        }
      }
    }
    return escapingReferences(quoted) + "\""
  }

  private func escapingReferences(_ text: String) -> String {
    var escaped = ""
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      escaped += rest[..<dollar]
      rest = rest[dollar...]
      escaped += rest.hasPrefix("${") ? "$$" : "$"
      rest = rest.dropFirst()
    }
    return escaped + rest
  }
}

extension KeyPrinter {
  /// Of an url with a secret in it, only the part that results show as well. The text in place of the query is escaped,
  /// so that the whole is still an url.
  package mutating func url(_ name: String, _ url: HTTPURL) {
    guard isSecret(name) else { return text(name, url.text, host: url.host) }
    let origin = "\(url.scheme.rawValue)://\(url.authority)"
    shown(
      name, origin + (url.path == "/" ? "/" : "/%3Credacted%3E") + (url.query == nil ? "" : "?%3Credacted%3E")
    )
  }
}
