// SPDX-License-Identifier: MIT

import Basics

/// A pattern of `pat(…)`: `*`, `?`, `[a-z]`, `[^a]` and `\`, as Go's filepath.Match reads it, of a whole text.
struct GatusPattern {
  private enum Token {
    case any, one
    case literal(Unicode.Scalar)
    case set([ClosedRange<UInt32>], isNegated: Bool)
  }

  private var tokens: [Token] = []

  /// `nil` when Gatus holds it for no pattern, so that it matches nothing.
  init?(_ text: String) {
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "*": if case .any? = tokens.last {} else { tokens.append(.any) }
      case "?": tokens.append(.one)
      case "[":
        guard let set = Self.set(&rest) else { return nil }
        tokens.append(set)
      case "\\":
        guard let next = rest.popFirst() else { return nil }
        tokens.append(.literal(next))
      default: tokens.append(.literal(scalar))
      }
    }
  }

  private static func set(_ rest: inout Substring.UnicodeScalarView) -> Token? {
    let isNegated = rest.first == "^"
    if isNegated { rest.removeFirst() }
    var ranges: [ClosedRange<UInt32>] = []
    var count = 0
    while let scalar = rest.first {
      if scalar == "]", count > 0 {
        rest.removeFirst()
        return .set(ranges, isNegated: isNegated)
      }
      guard let low = bound(&rest) else { return nil }
      var high = low
      if rest.first == "-" {
        rest.removeFirst()
        guard let end = bound(&rest) else { return nil }
        high = end
      }
      count += 1
      if low <= high { ranges.append(low...high) }
    }
    return nil
  }

  private static func bound(_ rest: inout Substring.UnicodeScalarView) -> UInt32? {
    guard let scalar = rest.popFirst(), scalar != "-", scalar != "]" else { return nil }
    return scalar == "\\" ? rest.popFirst()?.value : scalar.value
  }

  /// Matches every text.
  var matchesAll: Bool { if tokens.count == 1, case .any = tokens[0] { true } else { false } }

  var endsOpen: Bool { if case .any? = tokens.last { true } else { false } }

  /// Whether it matches, in time that grows with the product of both lengths.
  func matches(_ text: String) -> Bool {
    let text = Array(text.unicodeScalars)
    var (place, token) = (0, 0)
    var back: (place: Int, token: Int)?
    while place < text.count {
      if token < tokens.count, case .any = tokens[token] {
        back = (place, token)
        token += 1
      } else if token < tokens.count, fits(tokens[token], text[place]) {
        (place, token) = (place + 1, token + 1)
      } else if let start = back {
        back = (start.place + 1, start.token)
        (place, token) = (start.place + 1, start.token + 1)
      } else {
        return false
      }
    }
    return tokens[token...].allSatisfy { if case .any = $0 { true } else { false } }
  }

  private func fits(_ token: Token, _ scalar: Unicode.Scalar) -> Bool {
    switch token {
    case .any, .one: true
    case .literal(let literal): literal == scalar
    case .set(let ranges, let isNegated): ranges.contains { $0.contains(scalar.value) } != isNegated
    }
  }

  /// As a regular expression.
  ///
  /// - Parameters:
  ///   - start: what matches the start of the text.
  ///   - end: what matches its end.
  func expression(start: String = "\\A", end: String = "\\z") -> String {
    var middle = tokens[...]
    var made = "(?s)"
    if case .any? = middle.first { middle = middle.dropFirst() } else { made += start }
    let isOpen = if case .any? = middle.last { true } else { false }
    if isOpen { middle = middle.dropLast() }
    for token in middle { made += Self.expression(token) }
    // A pattern of one star.
    let matchesAll = tokens.count == 1 && middle.isEmpty
    return isOpen || matchesAll ? made : made + end
  }

  private static func expression(_ token: Token) -> String {
    switch token {
    case .any: ".*"
    case .one: "."
    case .literal(let scalar): PatternText.escaped(String(scalar))
    case .set(let ranges, let isNegated) where ranges.isEmpty: isNegated ? "." : "(?!)"
    case .set(let ranges, let isNegated):
      "[\(isNegated ? "^" : "")"
        + ranges.map { "\\x{\(String($0.lowerBound, radix: 16))}-\\x{\(String($0.upperBound, radix: 16))}" }
        .joined() + "]"
    }
  }
}

/// Numbers as Gatus reads them.
enum GatusNumber {
  /// Go's ParseInt of any base.
  static func integer(_ text: String) -> Int? {
    var digits = text.lowercased()[...]
    let isNegative = digits.hasPrefix("-")
    if isNegative || digits.hasPrefix("+") { digits = digits.dropFirst() }
    var radix = 10
    for (prefix, base) in [("0x", 16), ("0b", 2), ("0o", 8)] where digits.hasPrefix(prefix) {
      radix = base
      digits = digits.dropFirst(2)
    }
    if radix == 10, digits.hasPrefix("0"), digits.utf8.count > 1 { radix = 8 }
    guard let first = digits.first, first.isLetter || first.isNumber else { return nil }
    return Int(digits, radix: radix).map { isNegative ? -$0 : $0 }
  }

  /// A number of a comparison: a duration in milliseconds, or a number without its fraction. `nil` for other texts, which
  /// Gatus takes for 0.
  static func compared(_ text: String) -> Int? {
    if text.utf8.allSatisfy({ ![0x64, 0x77, 0x79].contains($0) }), text.utf8.last.map({ $0 > 0x39 }) == true,
      let duration = ForeignDuration.milliseconds(text)
    {
      return duration
    }
    if let number = integer(text) { return number.magnitude < 1_000_000_000_000_000 ? number : nil }
    guard text.utf8.count <= 40, let number = Double(text), abs(number) < 1e15 else { return nil }
    return Int(number)
  }
}
