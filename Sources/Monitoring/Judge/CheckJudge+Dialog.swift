// SPDX-License-Identifier: MIT

import Basics

// The `dialog` of a tcp check.
extension CheckJudge {
  mutating func dialog() -> Dialog? {
    if let text = definition.dialogPreset {
      return choice(text, ["dialog"], DialogPreset.self).map(Dialog.preset)
    }
    guard let steps = definition.dialogSteps else { return nil }
    if steps.isEmpty {
      problem(
        ["dialog"], "dialog is empty",
        hint: "a list of send and expect steps, or one of \(words(DialogPreset.self))")
    }
    if steps.count > CheckLimits.dialogSteps {
      problem(["dialog"], "dialog has \(steps.count) steps, at most \(CheckLimits.dialogSteps) are allowed")
    }
    var known = KnownCaptures()
    return .steps(
      steps.enumerated().compactMap { index, step in
        let path = ["dialog", String(index)]
        let made = dialogStep(step, path)
        captures(of: step, path, &known)
        return made
      })
  }

  /// A `\(name)` must stand for something an earlier step captures.
  private mutating func captures(
    of step: DialogStepDefinition, _ path: [String], _ known: inout KnownCaptures
  ) {
    for (key, text) in [("send", step.send?.reveal()), ("expect", step.expect)] {
      guard let text, let parsed = dialogText(text) else { continue }
      if key == "expect", Condition(parsing: text).comparison != .equal { continue }
      let place = path + [key]
      for name in parsed.captures where !known.holds(name) {
        problem(
          place, "\(CheckProblem.keyText(place)) names \(name), which no step before it captures",
          hint: #"~ code (?<code>\d+) captures code; a number names a group of the last pattern"#)
      }
    }
    if let text = step.expect { known.note(Condition(parsing: text)) }
  }

  private func dialogText(_ text: String) -> DialogText? {
    do throws(DialogText.Invalid) { return try DialogText(parsing: text) } catch { return nil }
  }

  private mutating func escapes(of text: String, _ path: [String]) {
    do throws(DialogText.Invalid) {
      _ = try DialogText(parsing: text)
    } catch {
      problem(path, "\(CheckProblem.keyText(path)) \(error.message)", hint: error.hint)
    }
  }

  private mutating func dialogStep(_ step: DialogStepDefinition, _ path: [String]) -> DialogStep? {
    let key = CheckProblem.keyText(path)
    let given = [
      step.send.map { _ in "send" }, step.sendHex.map { _ in "send_hex" }, step.expect.map { _ in "expect" },
      step.expectHex.map { _ in "expect_hex" },
    ].compactMap(\.self)
    guard given.count == 1 else {
      problem(
        path, given.isEmpty ? "\(key) is empty" : "\(key) has both \(given[0]) and \(given[1])",
        hint: "each step has one of send, send_hex, expect, expect_hex")
      return nil
    }
    let place = path + [given[0]]
    if let text = step.send {
      sized(text.reveal().utf8.count, place)
      escapes(of: text.reveal(), place)
      return .send(text)
    }
    if let text = step.expect { return expectation(text, place).map(DialogStep.expect) }
    guard let digits = step.sendHex?.reveal() ?? step.expectHex else { return nil }
    guard let bytes = hexBytes(digits) else {
      problem(
        place, "\(CheckProblem.keyText(place)) must be pairs of hexadecimal digits",
        hint: "such as 0d0a or 0d 0a")
      return nil
    }
    sized(bytes.count, place)
    return step.sendHex == nil ? .expectHex(bytes) : .sendHex(bytes)
  }

  private mutating func sized(_ count: Int, _ path: [String]) {
    let key = CheckProblem.keyText(path)
    if count == 0 {
      problem(path, "\(key) is empty")
    } else if count > CheckLimits.dialogStepBytes {
      problem(path, "\(key) must be at most \(CheckLimits.dialogStepBytes) bytes, found \(count)")
    }
  }

  private mutating func expectation(_ text: String, _ path: [String]) -> DialogExpectation? {
    let condition = Condition(parsing: text)
    switch condition.comparison {
    case .matches:
      pattern(condition.operand, path)
      return .pattern(condition.operand)
    case .equal:
      sized(text.utf8.count, path)
      escapes(of: text, path)
      return .literal(text)
    default:
      problem(
        path, "\(CheckProblem.keyText(path)) must be a literal or ~ and a pattern",
        hint: "\(condition.comparison.rawValue) has no meaning for what is still to come")
      return nil
    }
  }
}

/// The groups of the patterns so far.
private struct KnownCaptures {
  private var names: Set<ByteText> = []
  private var hasPattern = false

  func holds(_ name: String) -> Bool {
    guard let number = Int(name) else { return names.contains(ByteText(name)) }
    return hasPattern && (1...99).contains(number)
  }

  mutating func note(_ condition: Condition) {
    guard condition.comparison == .matches else { return }
    hasPattern = true
    for mark in ["(?<", "(?P<", "(?'"] {
      var rest = condition.operand[...]
      while let start = rest.firstRange(of: mark) {
        rest = rest[start.upperBound...]
        names.insert(ByteText(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }))
      }
    }
  }
}

/// Pairs of digits, with spaces between pairs allowed.
private func hexBytes(_ text: String) -> [UInt8]? {
  var bytes: [UInt8] = []
  for group in text.split(separator: " ") {
    guard group.utf8.count.isMultiple(of: 2) else { return nil }
    var rest = group[...]
    while !rest.isEmpty {
      let pair = rest.prefix(2)
      guard pair.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
        let byte = UInt8(pair, radix: 16)
      else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
  }
  return bytes.isEmpty ? nil : bytes
}
