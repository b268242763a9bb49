// SPDX-License-Identifier: MIT

import Basics

/// Assertions of a check, as conditions. For one check.
struct ChecklyAssertions {
  private let ledger: Ledger
  /// Statuses that every assertion lets pass; without one, and unless the check is to fail, those below 400.
  private var statuses: StatusSet
  /// Headers and paths that have a condition.
  private var named: Set<ByteText> = []

  /// - Parameter fails: `shouldFail`, where the error is what is wanted.
  init(_ ledger: Ledger, fails: Bool) {
    self.ledger = ledger
    statuses = StatusSet(fails ? 400...599 : 200...399)
  }

  mutating func take(_ node: ForeignNode, _ check: inout ImportedCheck) {
    guard let why = judge(node, &check) else {
      ledger.carry(node)
      return
    }
    ledger.list(node, why, .laxer)
  }

  /// The conditions that several assertions make together.
  func finish(_ check: inout ImportedCheck) { check["expect.status"] = statuses.value }

  /// `nil` when it is taken, else the reason why not.
  private mutating func judge(_ node: ForeignNode, _ check: inout ImportedCheck) -> String? {
    let comparison = node["comparison"]?.text ?? ""
    let target = node["target"]?.text ?? ""
    let property = node["property"]?.text ?? ""
    let pattern = node["regex"]?.text ?? ""
    switch node["source"]?.text ?? "" {
    case "STATUS_CODE": return status(comparison, target)
    case "RESPONSE_TIME":
      guard comparison == "LESS_THAN", let limit = Int(target), limit > 0 else {
        return "only a longest time is a condition"
      }
      let known = (check["expect.response_time.fail"]?.word).flatMap { ForeignDuration.milliseconds($0) }
      if limit < min(known ?? 30_000, 30_000) { check["expect.response_time.fail"] = .duration(limit) }
      if let warn = (check["expect.response_time.warn"]?.word).flatMap({ ForeignDuration.milliseconds($0) }),
        warn > limit
      {
        check["expect.response_time.warn"] = .duration(limit)
      }
      return nil
    case "TEXT_BODY": return body(comparison, target, property.isEmpty ? pattern : property, &check)
    case "JSON_BODY":
      guard pattern.isEmpty else { return "what a pattern takes out of a value is not compared" }
      return json(property, comparison, target, &check)
    case "HEADERS": return header(property, pattern, comparison, target, &check)
    default: return "there is no such condition"
    }
  }

  private mutating func status(_ comparison: String, _ target: String) -> String? {
    guard let code = Int(target), (100...599).contains(code) else { return "it is compared with no status" }
    let isKept: (Int) -> Bool
    switch comparison {
    case "EQUALS": isKept = { $0 == code }
    case "NOT_EQUALS": isKept = { $0 != code }
    case "LESS_THAN": isKept = { $0 < code }
    case "GREATER_THAN": isKept = { $0 > code }
    default: return "there is no such condition on a status"
    }
    return statuses.keep(isKept) ? nil : "no status meets it together with shouldFail and the others"
  }

  private func body(
    _ comparison: String, _ target: String, _ pattern: String, _ check: inout ImportedCheck
  ) -> String? {
    guard pattern.isEmpty else {
      switch comparison {
      case "NOT_EMPTY", "NOT_NULL": check.append("expect.body.matches", .text(Self.pattern(pattern)))
      case "IS_EMPTY", "IS_NULL": check.append("expect.body.not_matches", .text(Self.pattern(pattern)))
      default: return "what a pattern takes out of the body is not compared"
      }
      return nil
    }
    switch comparison {
    case "CONTAINS" where !target.isEmpty: check.append("expect.body.contains", .text(target))
    case "NOT_CONTAINS" where !target.isEmpty: check.append("expect.body.not_contains", .text(target))
    case "EQUALS":
      check.append("expect.body.matches", .text("\\A\(PatternText.escaped(target))\\z"))
    case "NOT_EQUALS":
      check.append("expect.body.not_matches", .text("\\A\(PatternText.escaped(target))\\z"))
    case "NOT_EMPTY": check.append("expect.body.matches", .text("(?s)."))
    case "IS_EMPTY": check.append("expect.body.not_matches", .text("(?s)."))
    default: return "there is no such condition on a body"
    }
    return nil
  }

  /// `^` and `$` of JavaScript are the ends of the text.
  private static func pattern(_ text: String) -> String { PatternText.whole(text) }

  private mutating func header(
    _ name: String, _ pattern: String, _ comparison: String, _ target: String, _ check: inout ImportedCheck
  ) -> String? {
    guard !name.isEmpty else { return "it names no header" }
    guard !pattern.isEmpty else { return entry("expect.header", name, comparison, target, &check) }
    guard comparison == "NOT_EMPTY" || comparison == "NOT_NULL" else {
      return "what a pattern takes out of a header is not compared"
    }
    return set("expect.header", name, .text("~ \(Self.pattern(pattern))"), &check)
  }

  private mutating func json(
    _ property: String, _ comparison: String, _ target: String, _ check: inout ImportedCheck
  ) -> String? {
    let path = property.hasPrefix("$") ? property : property.isEmpty ? "$" : "$.\(property)"
    if path.hasSuffix(".length") { return "the length of a list is no condition" }
    guard (try? JSONPath(path)) != nil else { return "a condition is on one place of the body" }
    if comparison == "HAS_KEY" {
      let name = target.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
      return set("expect.json", "\(path)['\(name)']", .text("~ ^"), &check)
    }
    return entry("expect.json", path, comparison, target, &check)
  }

  private mutating func entry(
    _ path: String, _ name: String, _ comparison: String, _ target: String, _ check: inout ImportedCheck
  ) -> String? {
    let isJSON = path == "expect.json"
    let escaped = PatternText.escaped(target)
    let isWord = isJSON && Self.isBare(target)
    switch comparison {
    case "EQUALS":
      return set(path, name, isWord ? .plain(target) : .text(Self.literal(target)), &check)
    case "NOT_EQUALS":
      let operand = isJSON && !isWord ? JSONValue.string(target).text : target
      return set(path, name, .text("!= \(operand)"), &check)
    case "CONTAINS": return set(path, name, .text("~ \(escaped)"), &check)
    case "NOT_CONTAINS": return set(path, name, .text("!~ \(escaped)"), &check)
    case "GREATER_THAN", "LESS_THAN":
      guard JSONValue.isNumber(target) else { return "it is compared with no number" }
      return set(path, name, .text("\(comparison == "LESS_THAN" ? "<" : ">") \(target)"), &check)
    case "NOT_EMPTY": return set(path, name, .text("~ (?s)\\A(?!(?:\\[\\]|\\{\\}|null)\\z)."), &check)
    case "IS_EMPTY" where isJSON: return set(path, name, .text("~ \\A(?:\\[\\]|\\{\\}|null)?\\z"), &check)
    case "IS_NULL" where isJSON: return set(path, name, .plain("null"), &check)
    case "NOT_NULL": return set(path, name, .text(isJSON ? "!= null" : "~ ^"), &check)
    default: return "there is no such condition"
    }
  }

  /// A number, true, false or null of JSON; `00` and `nan` are texts.
  private static func isBare(_ text: String) -> Bool {
    switch try? JSONValue.parse(Array(text.utf8)) {
    case .bool?, .null?: ["true", "false", "null"].contains(text)
    default: JSONValue.isNumber(text)
    }
  }

  /// A literal that no operator stands before.
  private static func literal(_ text: String) -> String {
    let isOperator = ["~", "!", "<", ">", "="].contains { text.hasPrefix($0) }
    return isOperator ? "~ \\A\(PatternText.escaped(text))\\z" : text
  }

  private mutating func set(
    _ path: String, _ name: String, _ value: AgentValue, _ check: inout ImportedCheck
  ) -> String? {
    guard named.insert(ByteText("\(path) \(name.lowercased())")).inserted else {
      return "one name has one condition here"
    }
    check.entry(path, name, value)
    return nil
  }
}
