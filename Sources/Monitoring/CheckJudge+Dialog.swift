// SPDX-License-Identifier: MIT

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
    return .steps(
      steps.enumerated().compactMap { index, step in dialogStep(step, ["dialog", String(index)]) })
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
      return .literal(text)
    default:
      problem(
        path, "\(CheckProblem.keyText(path)) must be a literal or ~ and a pattern",
        hint: "\(condition.comparison.rawValue) has no meaning for what is still to come")
      return nil
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
