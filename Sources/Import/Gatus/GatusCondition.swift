// SPDX-License-Identifier: MIT

import Basics

/// `[PLACEHOLDER] operator value`: one condition, the placeholder on the left.
struct GatusCondition {
  enum Function { case none, length, has }

  enum Operand {
    case text(String)
    case any([String])
    case pattern(GatusPattern)
    /// `pat(…)` that is no pattern and matches nothing.
    case noPattern
  }

  /// In capitals: `[STATUS]`, `[BODY]`.
  var placeholder: String
  /// Path behind `[BODY]`.
  var path = ""
  var function = Function.none
  var operation: String
  var right: String
  /// A side joins conditions by `&&` or `||`, which Gatus compares as 0.
  private(set) var isJoined = false
  /// Result of a condition without a placeholder. `nil` for others.
  private(set) var constant: Bool?

  /// Why a condition is none that can be read.
  struct Unreadable: Error { var why: String }

  private static let placeholders = [
    "[STATUS]", "[IP]", "[RESPONSE_TIME]", "[DNS_RCODE]", "[CONNECTED]", "[CERTIFICATE_EXPIRATION]",
    "[DOMAIN_EXPIRATION]", "[BODY]",
  ]

  init(_ text: String) throws(Unreadable) {
    guard
      let operation = ["==", "!=", "<=", ">=", ">", "<"].first(where: { text.range(of: " \($0) ") != nil }),
      let range = text.range(of: " \(operation) ")
    else { throw Unreadable(why: "Gatus knows no such condition") }
    guard text[range.upperBound...].range(of: " \(operation) ") == nil else {
      throw Unreadable(why: "it compares more than two values")
    }
    var (left, right) = (text[..<range.lowerBound].trimmed, text[range.upperBound...].trimmed)
    guard !GatusVariables.isIn(left + right) else {
      throw Unreadable(why: "a variable of the environment in a condition is not known before the start")
    }
    if !["==", "!="].contains(operation) {
      if Self.joins(left) { (left, isJoined) = ("0", true) }
      if Self.joins(right) { (right, isJoined) = ("0", true) }
    }
    switch (Self.read(left), Self.read(right)) {
    case (let found?, nil):
      (placeholder, path, function) = found
      (self.operation, self.right) = (operation, right)
    case (nil, let found?):
      (placeholder, path, function) = found
      let mirrored = ["<": ">", ">": "<", "<=": ">=", ">=": "<="]  // own text
      (self.operation, self.right) = (mirrored[operation] ?? operation, left)
    case (_?, _?): throw Unreadable(why: "two values of the answer are not compared with one another")
    case (nil, nil):
      guard isJoined, let one = GatusNumber.compared(left), let other = GatusNumber.compared(right) else {
        throw Unreadable(why: "it has no placeholder that is known")
      }
      (placeholder, self.operation, self.right) = ("", operation, right)
      constant = compares(one, other)
    }
  }

  private static func joins(_ text: String) -> Bool {
    text.range(of: " && ") != nil || text.range(of: " || ") != nil
  }

  private static func read(_ text: String) -> (String, String, Function)? {
    var inner = text
    var function = Function.none
    if let wrapped = wrapped("len", text) { (inner, function) = (wrapped, .length) }
    if let wrapped = wrapped("has", text) { (inner, function) = (wrapped, .has) }
    let upper = inner.uppercased()
    if placeholders.contains(upper) { return (upper, "", function) }
    if upper.hasPrefix("[BODY]."), inner.utf8.count == upper.utf8.count {
      return ("[BODY]", String(inner.dropFirst(7)), function)
    }
    if upper.hasPrefix("[BODY]["), inner.utf8.count == upper.utf8.count {
      return ("[BODY]", String(inner.dropFirst(6)), function)
    }
    return upper.hasPrefix("[CONTEXT]") ? ("[CONTEXT]", "", function) : nil
  }

  static func wrapped(_ name: String, _ text: String) -> String? {
    guard text.hasPrefix("\(name)("), text.hasSuffix(")"), text.utf8.count >= name.utf8.count + 2 else {
      return nil
    }
    return String(text.dropFirst(name.count + 1).dropLast())
  }

  var isEquality: Bool { operation == "==" || operation == "!=" }

  var operand: Operand {
    if let pattern = Self.wrapped("pat", right) {
      return GatusPattern(pattern).map { .pattern($0) } ?? .noPattern
    }
    if let options = Self.wrapped("any", right) {
      return .any(options.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmed })
    }
    return .text(right)
  }

  /// Whether it holds for a value; `nil` when Gatus compares something that is no number.
  func holds(_ value: String) -> Bool? {
    guard isEquality else {
      guard let other = GatusNumber.compared(right), let number = GatusNumber.compared(value) else {
        return nil
      }
      return compares(number, other)
    }
    let isEqual =
      switch operand {
      case .text(let text):
        if let one = GatusNumber.integer(text), let other = GatusNumber.integer(value) {
          one == other
        } else {
          text.utf8.elementsEqual(value.utf8)
        }
      case .any(let options): options.contains { $0.utf8.elementsEqual(value.utf8) }
      case .pattern(let pattern): pattern.matches(value)
      case .noPattern: false
      }
    return isEqual == (operation == "==")
  }

  /// The same for numbers, read once for all of them.
  func ofNumbers() -> ((Int) -> Bool)? {
    guard isEquality else { return GatusNumber.compared(right).map { other in { compares($0, other) } } }
    let isEqual = operation == "=="
    switch operand {
    case .text(let text):
      let other = GatusNumber.integer(text)
      return { ($0 == other) == isEqual }
    case .any(let options):
      let texts = Set(options.map { ByteText($0) })
      return { texts.contains(ByteText(String($0))) == isEqual }
    case .pattern(let pattern): return { pattern.matches(String($0)) == isEqual }
    case .noPattern: return { _ in !isEqual }
    }
  }

  func compares(_ number: Int, _ other: Int) -> Bool {
    switch operation {
    case "<": number < other
    case "<=": number <= other
    case ">": number > other
    case ">=": number >= other
    case "==": number == other
    default: number != other
    }
  }

  /// Expected value of `has(…)` or `[CONNECTED]`; `nil` when it is compared with something else.
  var flag: Bool? {
    guard isEquality, right == "true" || right == "false" else { return nil }
    return (right == "true") == (operation == "==")
  }
}

extension Substring {
  /// Without blanks at both ends.
  var trimmed: String {
    var rest = self
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return String(rest)
  }
}
