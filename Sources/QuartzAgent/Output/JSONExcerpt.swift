// SPDX-License-Identifier: MIT

import Basics

/// The beginning of a body in JSON, one value a line and indented, as far as it goes.
struct JSONExcerpt {
  private let paint: Paint
  private var rest: Substring
  private var lines: [String] = []
  /// Without its indentation, which is that of its level.
  private var line = ""
  private var level = 0
  /// The brackets that are open.
  private var open: [Character] = []

  private static let (deepest, most) = (24, 100)
  /// White space as a printable text has it.
  private static let spaces = ["\\u{a}", "\\u{d}", "\\u{9}"]

  /// `nil` for a text that is no object or array of JSON. One that ends with an ellipsis was cut.
  static func lines(_ text: String, _ paint: Paint) -> [String]? {
    var excerpt = JSONExcerpt(paint: paint, rest: text[...])
    excerpt.skipSpace()
    guard let first = excerpt.rest.first, "{[".contains(first) else { return nil }
    return excerpt.draw()
  }

  private init(paint: Paint, rest: Substring) { (self.paint, self.rest) = (paint, rest) }

  private mutating func draw() -> [String]? {
    while let next = rest.first {
      guard take(next) else { return nil }
      skipSpace()
      if lines.count >= Self.most {
        (line, level, open) = ("…", 0, [])
        break
      }
      if open.isEmpty { break }
    }
    // Nothing but space follows a whole one, and one that is not whole was cut.
    guard open.isEmpty, rest.isEmpty || lines.count >= Self.most else { return nil }
    endLine()
    return lines
  }

  /// False: it has no place here.
  private mutating func take(_ next: Character) -> Bool {
    switch next {
    case "{", "[":
      rest.removeFirst()
      skipSpace()
      guard open.count < Self.deepest else { return false }
      if rest.first == Self.closer(of: next) {
        line += "\(next)\(rest.removeFirst())"
        return true
      }
      line.append(next)
      open.append(next)
      endLine()
    case "}", "]":
      guard let last = open.last, Self.closer(of: last) == next else { return false }
      rest.removeFirst()
      endLine()
      open.removeLast()
      level = open.count
      line.append(next)
    case ",":
      rest.removeFirst()
      line += ","
      endLine()
    case ":":
      rest.removeFirst()
      line += ": "
    case "\"": string()
    case "…":
      guard rest.dropFirst().isEmpty else { return false }
      cut()
    default: return literal()
    }
    return true
  }

  private static func closer(of bracket: Character) -> Character { bracket == "{" ? "}" : "]" }

  private mutating func string() {
    var text = String(rest.removeFirst())
    var isEscaped = false
    while let next = rest.popFirst() {
      text.append(next)
      if !isEscaped, next == "\"" { break }
      isEscaped = !isEscaped && next == "\\"
    }
    guard text.count > 1, text.hasSuffix("\""), !isEscaped else {
      line += text
      open = []
      return
    }
    skipSpace()
    line += rest.first == ":" ? paint(text, Paint.key) : text
  }

  private mutating func literal() -> Bool {
    let word = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    let isNumber = word.first.map { $0.isNumber || $0 == "-" } ?? false
    guard isNumber || ["true", "false", "null"].contains(word) || rest.dropFirst(word.count) == "…" else {
      return false
    }
    rest.removeFirst(word.count)
    line += paint(String(word), Paint.literal)
    return true
  }

  private mutating func cut() {
    line += "…"
    rest = ""
    open = []
  }

  private mutating func endLine() {
    if !line.isEmpty { lines.append(String(repeating: "  ", count: level) + line) }
    (line, level) = ("", open.count)
  }

  private mutating func skipSpace() {
    while true {
      rest = rest.drop { $0 == " " }
      guard let space = Self.spaces.first(where: { rest.hasPrefix($0) }) else { return }
      rest.removeFirst(space.count)
    }
  }
}
