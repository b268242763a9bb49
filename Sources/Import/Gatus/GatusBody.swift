// SPDX-License-Identifier: MIT

import Basics

// [BODY]
extension GatusConditions {
  mutating func body(_ condition: GatusCondition, _ check: inout ImportedCheck) throws(NotCarried) {
    switch kind {
    case "dns": try answers(condition, &check)
    case "tcp": try dialog(condition, &check)
    case "http":
      if condition.path.isEmpty {
        try whole(condition, &check)
      } else {
        try part(condition, &check)
      }
    default: throw NotCarried("only http, tcp and dns checks have a body to judge")
    }
  }

  // MARK: http

  private mutating func whole(_ condition: GatusCondition, _ check: inout ImportedCheck) throws(NotCarried) {
    switch condition.function {
    case .has:
      guard let isThere = condition.flag else { throw NotCarried("it can only be true or false") }
      check.append(isThere ? "expect.body.matches" : "expect.body.not_matches", .text("\\S"))
      return
    case .length:
      guard asksForMore(condition) == 1 else { throw NotCarried("the length of a body is no condition") }
      check.append("expect.body.matches", .text("(?s)\\A(?!\\[\\s*\\]\\z)."))
      return
    case .none: break
    }
    guard condition.isEquality else { return try number(condition, GatusPath.root, &check) }
    let start = "\\A\\s*"
    let end = "\\s*\\z"
    let expression: String
    switch condition.operand {
    case .text(let text): expression = "\(start)\(PatternText.escaped(text))\(end)"
    case .any(let texts):
      expression = "\(start)(\(texts.map(PatternText.escaped).joined(separator: "|")))\(end)"
    case .pattern(let pattern):
      guard !pattern.matchesAll else { return try constant(condition.operation == "==") }
      expression = pattern.expression(start: start, end: end)
    case .noPattern: return try constant(condition.operation != "==")
    }
    check.append(
      condition.operation == "==" ? "expect.body.matches" : "expect.body.not_matches", .text(expression))
  }

  /// A condition that says nothing is carried by leaving it out.
  private func constant(_ holds: Bool) throws(NotCarried) {
    if !holds { throw NotCarried("in Gatus it holds for no answer") }
  }

  /// The least length that `len(…)` asks for; `nil` when it asks for something else.
  private func asksForMore(_ condition: GatusCondition) -> Int? {
    guard let number = GatusNumber.compared(condition.right) else { return nil }
    switch condition.operation {
    case ">": return number + 1
    case ">=": return number
    case "!=": return number == 0 ? 1 : nil
    default: return nil
    }
  }

  private mutating func part(_ condition: GatusCondition, _ check: inout ImportedCheck) throws(NotCarried) {
    guard let path = GatusPath(condition.path) else {
      throw NotCarried("the path is none that can be written")
    }
    switch condition.function {
    case .has:
      guard let isThere = condition.flag else { throw NotCarried("it can only be true or false") }
      guard isThere else { throw NotCarried("that something is absent is no condition") }
      return try json(path, "!= null", &check)
    case .length: return try length(condition, path, &check)
    case .none: break
    }
    guard condition.isEquality else { return try number(condition, path, &check) }
    let isEqual = condition.operation == "=="
    let sign = isEqual ? "~" : "!~"
    switch condition.operand {
    // To Gatus null is absent, and only the text equals it: this holds for every answer.
    case .text("null") where !isEqual: throw NotCarried("in Gatus it holds for every answer", nil)
    case .text(let text): try equals(text, condition, path, &check)
    case .any(let texts):
      try json(path, "\(sign) (?s)\\A(\(texts.map(PatternText.escaped).joined(separator: "|")))\\z", &check)
    case .pattern(let pattern):
      guard !pattern.matchesAll else { return try constant(isEqual) }
      try json(path, "\(sign) \(pattern.expression())", &check)
    case .noPattern: return try constant(!isEqual)
    }
    if !isEqual { absentFails(&check) }
  }

  private mutating func equals(
    _ text: String, _ condition: GatusCondition, _ path: GatusPath, _ check: inout ImportedCheck
  ) throws(NotCarried) {
    if text.hasPrefix("["), text != "[]" { throw NotCarried("lists are compared as Go prints them") }
    let isEqual = condition.operation == "=="
    if text == "null" { return try json(path, text, &check) }
    // A number or a word of JSON equals the text of the same letters, too.
    let isBare = GatusNumber.integer(text) != nil || Double(text) != nil || ["true", "false"].contains(text)
    let word = GatusNumber.integer(text).map { String($0) } ?? text
    guard isEqual, !isBare, let first = text.unicodeScalars.first, !"~!<>=\"".unicodeScalars.contains(first)
    else {
      return try json(path, "\(isEqual ? "~" : "!~") (?s)\\A\(PatternText.escaped(word))\\z", &check)
    }
    try json(path, text, &check)
  }

  /// Gatus compares whole numbers, and drops what is behind the point.
  private mutating func number(
    _ condition: GatusCondition, _ path: GatusPath, _ check: inout ImportedCheck
  ) throws(NotCarried) {
    guard let number = GatusNumber.compared(condition.right) else {
      throw NotCarried("it is compared with no number")
    }
    let text =
      switch condition.operation {
      case "<": number > 0 ? "< \(number)" : "<= \(number - 1)"
      case "<=": number < 0 ? "<= \(number)" : "< \(number + 1)"
      case ">": number < 0 ? "> \(number)" : ">= \(number + 1)"
      default: number > 0 ? ">= \(number)" : "> \(number - 1)"
      }
    try json(path, text, &check)
    if condition.compares(0, number) { absentFails(&check) }
  }

  private mutating func length(
    _ condition: GatusCondition, _ path: GatusPath, _ check: inout ImportedCheck
  ) throws(NotCarried) {
    guard let least = asksForMore(condition) else {
      throw NotCarried("a length can only be asked to be more than something")
    }
    guard least > 0 else { throw NotCarried("in Gatus it holds for every answer", nil) }
    guard least > 1 else { return try json(path, "!~ \\A(\\[\\]|null|)\\z", &check) }
    try json(path.element(least - 1), "~ ^", &check)
    check.note(.stricter, "conditions", "only the length of a list is asked for, not that of a text")
  }

  private func absentFails(_ check: inout ImportedCheck) {
    check.note(
      .stricter, "conditions",
      "a path that the answer does not have, or that holds no number, fails here; in Gatus it is 0 or not equal"
    )
  }

  /// One more condition of a path: another spelling of it where it has one.
  private mutating func json(
    _ path: GatusPath, _ value: String, _ check: inout ImportedCheck
  ) throws(NotCarried) {
    let count = paths[ByteText(path.text), default: 0]
    guard let spelling = path.spelling(count) else {
      throw NotCarried("the path has as many conditions as can be written")
    }
    paths[ByteText(path.text)] = count + 1
    check.entry("expect.json", spelling, .text(value))
  }

  // MARK: Other kinds

  /// Gatus has the last answer in its body.
  private func answers(_ condition: GatusCondition, _ check: inout ImportedCheck) throws(NotCarried) {
    guard condition.function == .none, condition.isEquality, condition.path.isEmpty else {
      throw NotCarried("answers are equal or not")
    }
    let isEqual = condition.operation == "=="
    let before = ["MX": "\\d+ ", "SRV": "\\d+ \\d+ "][check["query.type"]?.word ?? ""]  // own text
    guard check["query.type"]?.word != "SRV" else {
      throw NotCarried("the host and port of a service are no text")
    }
    func expression(_ text: String) -> AgentValue {
      before.map { .text("~ (?i)\\A\($0)\(PatternText.escaped(text))\\z") } ?? .text(text)
    }
    var values: [AgentValue] = []
    switch condition.operand {
    case .text(let text): values = [expression(text)]
    case .any(let texts): values = texts.map(expression)
    case .pattern(let pattern):
      guard !pattern.matchesAll else { return try constant(isEqual) }
      values = [.text("~ \(pattern.expression(start: "\\A\(before ?? "")"))")]
    case .noPattern: return try constant(!isEqual)
    }
    guard isEqual else {
      for value in values { check.append("expect.answers.none", value) }
      check.note(.stricter, "conditions", "no answer may be it; Gatus looks at the last one only")
      return
    }
    guard check["expect.answers.any"] == nil else { throw NotCarried("answers have one such condition") }
    check["expect.answers.any"] = .list(values)
    check.note(.laxer, "conditions", "of several answers one has to be it; Gatus looks at the last one only")
  }

  /// The first 1 KiB that the service says after the body was sent.
  private func dialog(_ condition: GatusCondition, _ check: inout ImportedCheck) throws(NotCarried) {
    guard case .list(let steps)? = check["dialog"], steps.count == 1 else {
      throw NotCarried("nothing is read before something was sent, and only once")
    }
    guard condition.function == .none, condition.path.isEmpty, condition.operation == "==",
      case .pattern(let pattern) = condition.operand, pattern.endsOpen
    else {
      throw NotCarried("of a service's answer only the start can be compared: pat(text*) or pat(*text*)")
    }
    check.append("dialog", .map([("expect", .text("~ \(pattern.expression(start: "\\A\\s*"))"))]))
  }
}
