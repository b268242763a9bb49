// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

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
      let form = String(decoding: normalForm(condition.operand), as: UTF8.self)
      test = (try? Pattern(form)).map(Test.pattern) ?? .broken
    } else {
      let text = String(decoding: normalForm(condition.operand), as: UTF8.self)
      test = .literal(tokens: presentationTokens(text), text: text.lowercased())
    }
  }

  var isPattern: Bool { if case .pattern = test { true } else { false } }

  /// Result of comparing a record: a pattern that exceeds its limits is neither a match nor none.
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
      return isText && joinedText(data, foldsCase: true) == text ? .match : .none
    case .pattern(let pattern):
      let first = outcome(pattern, data)
      guard first == .none, isText else { return first }
      return outcome(pattern, joinedText(data, foldsCase: false))
    case .broken: return .limit
    }
  }

  private func outcome(_ pattern: Pattern, _ text: String) -> Outcome {
    switch pattern.firstMatch(in: normalForm(text), time: budget.left) {
    case .match: .match
    case .none: .none
    case .limit: .limit
    }
  }
}

/// The words of a record's data, escapes resolved, in lower case and Unicode's normal form, names without their final dot:
/// equal for equal data. Strings in quotes are one word each. In a word that is no UTF-8, bytes above 127 keep their
/// escape.
func presentationTokens(_ text: String) -> [String] {
  presentationWords(text).map { $0.text(foldsCase: true) }
}

/// All words of a record's data in one piece: a character may begin in one string and end in the next.
private func joinedText(_ text: String, foldsCase: Bool) -> String {
  let words = presentationWords(text)
  return PresentationWord(raw: words.flatMap(\.raw), escaped: words.flatMap(\.escaped)).text(
    foldsCase: foldsCase)
}

/// One word of a record's data.
private struct PresentationWord {
  var raw: [UInt8] = []
  /// With bytes above 127 as they are escaped.
  var escaped: [UInt8] = []
  /// Not in quotes.
  var isName = false
  /// The last byte was escaped: a dot is then one of the name, and not its end.
  var endsInEscape = false

  func text(foldsCase: Bool) -> String {
    var bytes = String(validating: raw, as: UTF8.self) == nil ? escaped : normalForm(raw)
    if isName, !endsInEscape, bytes.count > 1, bytes.last == 0x2e { bytes.removeLast() }
    let text = String(decoding: bytes, as: UTF8.self)
    return foldsCase ? text.lowercased() : text
  }

  mutating func append(_ byte: UInt8) {
    raw.append(byte)
    escaped.append(byte)
    endsInEscape = false
  }
}

private func presentationWords(_ text: String) -> [PresentationWord] {
  var words: [PresentationWord] = []
  var word = PresentationWord()
  var isQuoted = false
  var isOpen = false
  func close(isName: Bool) {
    word.isName = isName
    words.append(word)
    word = PresentationWord()
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
      let digits = Array(bytes.prefix(3))
      let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
      // An escape of more than a byte is none.
      word.raw += value < 256 ? [UInt8(value)] : [0x5c] + digits
      word.escaped += value < 128 ? [UInt8(value)] : [0x5c] + digits
      word.endsInEscape = true
      bytes = bytes.dropFirst(3)
      isOpen = true
    case 0x5c:
      if let next = bytes.popFirst() { word.append(next) }
      word.endsInEscape = true
      isOpen = true
    case 0x20 where !isQuoted, 0x09 where !isQuoted:
      if isOpen { close(isName: true) }
    default:
      word.append(byte)
      isOpen = true
    }
  }
  if isOpen { close(isName: !isQuoted) }
  return words
}
