// SPDX-License-Identifier: MIT

import Basics

// Conditions and patterns, wherever they stand.
extension CheckJudge {
  /// A condition in the form of the file: its pattern compiles, its number is one.
  mutating func condition(_ text: String?, _ path: [String], numeric: Bool = false) -> Condition? {
    guard let text else { return nil }
    let condition = Condition(parsing: text)
    judge(condition, text, path, numeric: numeric)
    return condition
  }

  private mutating func judge(_ condition: Condition, _ text: String, _ path: [String], numeric: Bool) {
    let key = CheckProblem.keyText(path)
    if text.utf8.count > CheckLimits.conditionBytes {
      problem(path, "\(key) must be at most \(CheckLimits.conditionBytes) bytes, found \(text.utf8.count)")
    }
    if misspelling(text, path) { return }
    if condition.comparison.isPattern {
      if numeric {
        problem(path, "\(key) must be a number or a comparison, found a pattern", hint: "such as \"> 60\"")
      } else {
        pattern(condition.operand, path)
      }
    } else if condition.comparison.isNumeric || numeric, condition.number == nil {
      problem(
        path, "\(key) needs a number, found \"\(condition.operand.printable(maxBytes: 60))\"",
        hint: "such as \"> 60\"")
    } else if let glued = gluedOperator(text), condition.comparison == .equal {
      // `>60` reads like a comparison and would be a literal.
      problem(
        path, "\(key) has no space after \(glued), found \"\(text.printable(maxBytes: 60))\"",
        hint: "write \"\(glued) \(text.dropFirst(glued.count))\", or \"~ \" and a pattern for the literal")
    }
  }

  /// Whether the text begins with an operator of another language; it is reported then.
  mutating func misspelling(_ text: String, _ path: [String]) -> Bool {
    guard let found = Condition.misspelling(of: text) else { return false }
    let right = Condition(found.meant, found.rest).description.printable(maxBytes: 60)
    problem(
      path,
      "\(CheckProblem.keyText(path)) begins with \"\(found.sign)\", which is no operator, found \"\(text.printable(maxBytes: 60))\"",
      hint: "\(found.sign) \(found.rest.printable(maxBytes: 60)) is written \(right)")
    return true
  }

  /// `nil` when the text does not begin with an operator that something other than a space follows.
  private func gluedOperator(_ text: String) -> String? {
    // An operator alone is a literal, and not a shorter one with something behind it.
    ["<=", ">=", "!=", "!~", "<", ">"].first(where: text.hasPrefix).flatMap {
      text.count > $0.count ? $0 : nil
    }
  }

  /// - Parameter bytes: it is held against bytes, not characters.
  mutating func pattern(_ text: String, _ path: [String], bytes: Bool = false) {
    let key = CheckProblem.keyText(path)
    if text.isEmpty {
      problem(path, "\(key) has an empty pattern", hint: "everything matches it")
    } else if text.utf8.count > CheckLimits.conditionBytes {
      problem(path, "\(key) must be at most \(CheckLimits.conditionBytes) bytes, found \(text.utf8.count)")
    } else if let why = patterns.problem(text) {
      problem(path, "\(key) is no regular expression: \(why)")
    } else if bytes, let why = patterns.byteProblem(text) {
      problem(
        path, "\(key) is no regular expression for bytes: \(why)",
        hint: "write the bytes, such as \\xe2\\x98\\xba for \\x{263a}, or leave expect.body.bytes out")
    }
  }

  mutating func patternList(_ list: [String], _ path: [String], bytes: Bool) {
    if list.count > CheckLimits.patternsPerList {
      problem(
        path,
        "\(CheckProblem.keyText(path)) has \(list.count) entries, at most \(CheckLimits.patternsPerList) are allowed"
      )
    }
    for (index, text) in list.enumerated() {
      pattern(text, path + [String(index)], bytes: bytes)
    }
  }

  /// `expect.header`.
  mutating func headerConditions() -> [HeaderCondition] {
    let given = definition.expect.headers ?? []
    let path = ["expect", "header"]
    tooMany(given.count, path)
    var seen: Set<ByteText> = []
    return given.compactMap { name, text in
      let place = path + [name]
      if !isToken(name) {
        problem(
          place, "expect.header has the name \"\(name.printable(maxBytes: 60))\", which is no header name")
      } else if !seen.insert(ByteText(name.lowercased())).inserted {
        problem(place, "expect.header.\(name) is given twice", hint: "header names do not depend on case")
      }
      return condition(text, place).map { HeaderCondition(name: name, condition: $0) }
    }
  }

  /// `expect.json`.
  mutating func jsonConditions() -> [JSONCondition] {
    let given = definition.expect.json ?? []
    let place = ["expect", "json"]
    tooMany(given.count, place)
    return given.compactMap { text, condition in
      let judged = jsonCondition(condition, place + [text])
      do throws(JSONPath.Invalid) {
        guard text.utf8.count <= CheckLimits.conditionBytes else {
          throw JSONPath.Invalid(message: "is too long")
        }
        let path = try JSONPath(text)
        return JSONCondition(path: path, condition: judged)
      } catch {
        problem(
          place + [text], "expect.json: the path \"\(text.printable(maxBytes: 80))\" \(error.message)",
          hint: "such as $.status, $.queue[0].depth or $['a b']")
        return nil
      }
    }
  }

  private mutating func jsonCondition(_ given: ConditionText, _ path: [String]) -> Condition {
    let condition = Condition(json: given)
    judge(condition, given.text, path, numeric: false)
    let isLiteral = condition.comparison == .equal && given.isPlain || condition.comparison == .notEqual
    if isLiteral, Condition.isAlmostWord(condition.operand), condition.type == .string {
      problem(
        path,
        "\(CheckProblem.keyText(path)) may be a text or not, found \"\(condition.operand.printable(maxBytes: 60))\"",
        hint: condition.comparison == .equal
          ? "put a text in quotes; numbers, true, false and null are written as in JSON"
          : "write != and the value as JSON has it, a text in quotes")
    }
    return condition
  }

  private mutating func tooMany(_ count: Int, _ path: [String]) {
    guard count > CheckLimits.conditions else { return }
    problem(
      path,
      "\(CheckProblem.keyText(path)) has \(count) entries, at most \(CheckLimits.conditions) are allowed")
  }
}
