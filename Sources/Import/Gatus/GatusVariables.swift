// SPDX-License-Identifier: MIT

import Basics

/// `$NAME`, `${NAME}` and `$$`, which Gatus puts in before it reads its file. A variable is marked in the texts of a file until
/// they are written, by two code points of private use.
enum GatusVariables {
  private static let (opening, closing): (Unicode.Scalar, Unicode.Scalar) = ("\u{f0000}", "\u{f0001}")

  /// The document with its variables marked. Values below a key with a variable are listed, as the key is not known.
  static func marked(_ node: ForeignNode, _ ledger: Ledger) -> ForeignNode {
    var node = node
    switch node.content {
    case .scalar(let text, let isPlain): node.content = .scalar(marked(text), isPlain: isPlain)
    case .list(let items): node.content = .list(items.map { marked($0, ledger) })
    case .map(let entries):
      node.content = .map(
        entries.compactMap { entry in
          let name = marked(entry.name)
          guard !isIn(name) else {
            ledger.list(entry.value, "its key is a variable of the environment")
            return nil
          }
          return (name, marked(entry.value, ledger))
        })
    }
    return node
  }

  private static func marked(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0 == "$" || $0 == opening || $0 == closing }) else {
      return text
    }
    var made = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == opening || scalar == closing {
        made.append("\u{fffd}")
      } else if scalar != "$" {
        made.append(scalar)
      } else if rest.first == "$" {
        rest.removeFirst()
        made.append("$")
      } else {
        take(&rest, into: &made)
      }
    }
    return String(made)
  }

  /// Name behind a dollar, as Go's os.Expand reads it.
  private static func take(
    _ rest: inout Substring.UnicodeScalarView, into made: inout String.UnicodeScalarView
  ) {
    let isWord: (Unicode.Scalar) -> Bool = {
      ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
    }
    var name = rest.prefix(0)
    if rest.first == "{" {
      let inner = rest.dropFirst()
      guard let close = inner.firstIndex(of: "}") else { return rest.removeFirst(1) }
      name = inner[..<close]
      rest = inner[inner.index(after: close)...]
    } else {
      name = rest.prefix(while: isWord)
      guard !name.isEmpty else {
        // `$*` and its like are no variables of the environment: they are empty.
        if let next = rest.first, "*#@!?-".unicodeScalars.contains(next) {
          rest.removeFirst()
        } else {
          made.append("$")
        }
        return
      }
      if let digit = name.first, ("0"..."9").contains(digit) { name = name.prefix(1) }
      rest = rest[name.endIndex...]
    }
    // The environment has no variable of another name.
    guard !name.isEmpty, name.count <= 200, name.allSatisfy(isWord) else { return }
    made.append(opening)
    // As a whole it would count all that was made so far.
    for scalar in name { made.append(scalar) }
    made.append(closing)
  }

  static func isIn(_ text: String) -> Bool { text.unicodeScalars.contains(opening) }

  /// A name of something: a variable is called by its own.
  static func name(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != opening && $0 != closing }))
  }

  /// The value with references in place of its marks.
  static func written(_ value: AgentValue) -> AgentValue {
    switch value {
    case .text(let text) where isIn(text): return .joined(parts(text) { .text($0) })
    case .secret(let secret, let words) where isIn(secret.reveal()):
      return .joined(
        parts(secret.reveal()) { isWordBefore($0) ? .text($0) : .secret(Redacted($0), as: words) })
    case .joined(let inner):
      return .joined(
        inner.flatMap { part -> [AgentValue] in
          if case .joined(let parts) = written(part) { parts } else { [part] }
        })
    case .list(let items): return .list(items.map(written))
    case .map(let entries): return .map(entries.map { ($0.name, written($0.value)) })
    default: return value
    }
  }

  /// Text before a token.
  private static func isWordBefore(_ text: String) -> Bool {
    ["", "bearer", "basic", "token"].contains(ByteText(text[...].trimmed.lowercased()))
  }

  private static func parts(_ text: String, _ plain: (String) -> AgentValue) -> [AgentValue] {
    var parts: [AgentValue] = []
    var rest = text.unicodeScalars[...]
    while !rest.isEmpty {
      let words = rest.prefix { $0 != opening }
      rest = rest[words.endIndex...]
      if !words.isEmpty { parts.append(plain(String(words))) }
      guard rest.popFirst() != nil else { break }
      let name = rest.prefix { $0 != closing }
      rest = rest[name.endIndex...].dropFirst()
      parts.append(.reference("${env:\(String(name))}"))
    }
    return parts
  }
}

extension ImportedCheck {
  /// References in place of the marks of variables.
  mutating func writeVariables() {
    keys = keys.map { ($0.name, GatusVariables.written($0.value)) }
    guard GatusVariables.isIn(name) else { return }
    name = GatusVariables.name(name)
    note(.changed, "name", "a variable of the environment is called by its own name: names are fixed")
  }
}
