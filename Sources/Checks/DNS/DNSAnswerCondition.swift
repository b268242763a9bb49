// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One entry of `expect.answers`, ready to be held against records.
struct DNSAnswerCondition {
  private enum Test {
    case literal(tokens: [String], text: String)
    case pattern(Pattern)
    /// A pattern that does not compile holds for nothing; the check's own door refuses it before.
    case broken
  }

  private let test: Test
  /// As written in the file.
  let description: String

  private let budget: CPUBudget

  init(_ condition: Condition, within budget: CPUBudget) {
    self.budget = budget
    description = condition.description
    if condition.comparison == .matches {
      test = (try? Pattern(condition.operand)).map(Test.pattern) ?? .broken
    } else {
      let text = condition.operand
      test = .literal(tokens: presentationTokens(text), text: text.lowercased())
    }
  }

  var isPattern: Bool { if case .pattern = test { true } else { false } }

  /// What a record came to: a pattern that exceeds its limits is neither a match nor none.
  enum Outcome { case match, none, limit }

  /// A literal is compared in presentation format, case aside; names may do without their final dot. A text record
  /// may also be given as its strings' content in one piece, without quotes: that is how SPF and DKIM read them
  /// (RFC 7208 3.3). A pattern is looked for in either form.
  func test(_ record: DNSRecord) -> Outcome {
    guard budget.allowsMore() else { return .limit }
    let data = record.data
    let isText = record.type == .txt || record.type == .spf
    switch test {
    case .literal(let tokens, let text):
      let own = presentationTokens(data)
      if own.elementsEqual(tokens, by: { $0 == $1 }) { return .match }
      return isText && own.joined() == text ? .match : .none
    case .pattern(let pattern):
      let first = outcome(pattern, data)
      guard first == .none, isText else { return first }
      return outcome(pattern, presentationTokens(data, foldsCase: false).joined())
    case .broken: return .limit
    }
  }

  private func outcome(_ pattern: Pattern, _ text: String) -> Outcome {
    switch pattern.firstMatch(in: text, time: budget.left) {
    case .match: .match
    case .none: .none
    case .limit: .limit
    }
  }
}

/// The words of a record's data, escapes resolved, in lower case, names without their final dot: equal for equal data.
/// Strings in quotes are one word each. Bytes that are no UTF-8 keep their escape.
func presentationTokens(_ text: String, foldsCase: Bool = true) -> [String] {
  var tokens: [String] = []
  var word: [UInt8] = []
  var isQuoted = false
  var isOpen = false
  func close(isName: Bool) {
    if isName, word.count > 1, word.last == 0x2e { word.removeLast() }
    let token = String(decoding: word, as: UTF8.self)
    tokens.append(foldsCase ? token.lowercased() : token)
    word = []
    isOpen = false
  }
  var bytes = Array(text.utf8)[...]
  while let byte = bytes.popFirst() {
    switch byte {
    case 0x22:
      if isQuoted { close(isName: false) }
      isQuoted.toggle()
      isOpen = isQuoted
    case 0x5c where bytes.count >= 3 && bytes.prefix(3).allSatisfy { (0x30...0x39).contains($0) }:
      let value = bytes.prefix(3).reduce(0) { $0 * 10 + Int($1 - 0x30) }
      // Below 128 a byte is a character; others stay as they are written.
      word += value < 128 ? [UInt8(value)] : [0x5c] + Array(bytes.prefix(3))
      bytes = bytes.dropFirst(3)
      isOpen = true
    case 0x5c:
      if let next = bytes.popFirst() { word.append(next) }
      isOpen = true
    case 0x20 where !isQuoted, 0x09 where !isQuoted:
      if isOpen { close(isName: true) }
    default:
      word.append(byte)
      isOpen = true
    }
  }
  if isOpen { close(isName: !isQuoted) }
  return tokens
}
