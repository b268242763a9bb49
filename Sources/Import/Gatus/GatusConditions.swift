// SPDX-License-Identifier: MIT

import Basics

/// `[PLACEHOLDER] operator value`, to keys of `expect`.
struct GatusConditions {
  private let ledger: Ledger
  /// Milliseconds; nothing may take longer anyway.
  private let timeout: Int
  /// Paths that have a condition.
  private var paths: Set<ByteText> = []

  init(_ ledger: Ledger, timeout: Int) { (self.ledger, self.timeout) = (ledger, timeout) }

  mutating func judge(_ conditions: [ForeignNode], _ check: inout ImportedCheck) {
    for node in conditions {
      if let why = take(node.text ?? "", &check) { ledger.list(node, why) } else { ledger.carry(node) }
    }
  }

  /// Nil: taken; else why not.
  private mutating func take(_ text: String, _ check: inout ImportedCheck) -> String? {
    guard let operation = ["==", "!=", "<=", ">=", "<", ">"].first(where: { text.contains(" \($0) ") }),
      let range = text.range(of: " \(operation) ")
    else { return "there is no such condition" }
    let left = text[..<range.lowerBound].trimmed
    let right = text[range.upperBound...].trimmed
    switch left {
    case "[STATUS]": return status(operation, right, &check)
    case "[RESPONSE_TIME]": return time(operation, right, &check)
    case "[CONNECTED]":
      if operation == "==", right == "true" { return nil }
      guard operation == "==", right == "false" else { return "it can only be true or false" }
      check["negate"] = .plain("true")
      return nil
    case "[CERTIFICATE_EXPIRATION]":
      guard operation.hasPrefix(">"), let span = ForeignDuration.milliseconds(right) else {
        return "a certificate can only be asked to last longer than something"
      }
      check["expect.certificate.fail"] = .duration(span)
      check["expect.certificate.warn"] = .duration(span)
      return nil
    case "[DNS_RCODE]":
      guard operation == "==" else { return "response codes are listed, not excluded" }
      check["expect.rcode"] = .list([.text(right)])
      return nil
    case "[DOMAIN_EXPIRATION]": return "nobody asks a registry here when a domain ends"
    case "[IP]": return "the address is in the result and no condition"
    default: return body(left, operation, right, &check)
    }
  }

  private func status(_ operation: String, _ right: String, _ check: inout ImportedCheck) -> String? {
    if operation == "==", let codes = Self.call("any", right) {
      check["expect.status"] = .list(codes.map { .plain($0) })
      return nil
    }
    guard let code = Int(right), (100...599).contains(code) else { return "it is compared with no status" }
    var ranges: [String]
    switch operation {
    case "==": ranges = ["\(code)"]
    case "!=": ranges = ["100-\(code - 1)", "\(code + 1)-599"]
    case "<": ranges = ["100-\(code - 1)"]
    case "<=": ranges = ["100-\(code)"]
    case ">": ranges = ["\(code + 1)-599"]
    default: ranges = ["\(code)-599"]
    }
    ranges.removeAll { $0 == "100-99" || $0 == "600-599" }
    if case .list? = check["expect.status"] {
      return "one list of statuses says it all here: join the two conditions"
    }
    check["expect.status"] = .list(ranges.map { .plain($0) })
    return nil
  }

  private func time(_ operation: String, _ right: String, _ check: inout ImportedCheck) -> String? {
    guard operation.hasPrefix("<"), let limit = Int(right) ?? ForeignDuration.milliseconds(right), limit > 0
    else {
      return "a response can only be asked to be faster than something"
    }
    if case .plain("ping")? = check["type"] {
      check["expect.rtt.fail"] = .duration(min(limit, timeout))
    } else {
      check["expect.response_time.fail"] = .duration(min(limit, timeout))
    }
    return nil
  }

  private mutating func body(
    _ left: String, _ operation: String, _ right: String, _ check: inout ImportedCheck
  ) -> String? {
    if case .plain("dns")? = check["type"] {
      guard left == "[BODY]", operation == "==" || operation == "!=" else {
        return "answers are equal or not"
      }
      let value = Self.call("pat", right).map { "~ (?i)\(Self.pattern($0[0]))" } ?? right
      check.append(operation == "==" ? "expect.answers.any" : "expect.answers.none", .text(value))
      return nil
    }
    guard case .plain("http")? = check["type"] else { return "only http checks have a body to judge" }
    if let inner = Self.wrapped("has", left), inner.hasPrefix("[BODY].") {
      guard operation == "==", right == "true" else { return "that something is missing is no condition" }
      return json(inner, .text("~ "), &check)
    }
    if left.hasPrefix("len(") { return "lengths are not compared" }
    if left.hasPrefix("[BODY].") || left.hasPrefix("[BODY][") {
      return compare(left, operation, right, &check)
    }
    guard left == "[BODY]" else { return "there is no such condition" }
    let isEqual = operation == "=="
    guard isEqual || operation == "!=" else { return "a body is equal or not" }
    if let pattern = Self.call("pat", right)?.first {
      check.append(
        isEqual ? "expect.body.matches" : "expect.body.not_matches", .text("(?s-m)\(Self.pattern(pattern))"))
    } else {
      let text = "(?s-m)^\(Self.escaped(right))$"
      check.append(isEqual ? "expect.body.matches" : "expect.body.not_matches", .text(text))
    }
    return nil
  }

  private mutating func compare(
    _ left: String, _ operation: String, _ right: String, _ check: inout ImportedCheck
  ) -> String? {
    if let choices = Self.call("any", right) {
      guard operation == "==" else { return "any only says what it may be" }
      return json(left, .text("~ ^(\(choices.map(Self.escaped).joined(separator: "|")))$"), &check)
    }
    if let pattern = Self.call("pat", right)?.first {
      return json(left, .text("\(operation == "==" ? "~" : "!~") \(Self.pattern(pattern))"), &check)
    }
    guard operation != "==" else {
      let isNumber = Double(right) != nil && !right.isEmpty
      return json(
        left, isNumber || ["true", "false", "null"].contains(right) ? .plain(right) : .text(right), &check)
    }
    return json(left, .text("\(operation) \(right)"), &check)
  }

  private mutating func json(_ path: String, _ value: AgentValue, _ check: inout ImportedCheck) -> String? {
    let path = "$" + path.dropFirst("[BODY]".count)
    guard paths.insert(ByteText(path)).inserted else { return "one path has one condition here" }
    check.entry("expect.json", path, value)
    return nil
  }

  /// `name(a, b)`: what stands inside.
  private static func call(_ name: String, _ text: String) -> [String]? {
    wrapped(name, text)?.split(separator: ",").map { $0.trimmed }
  }

  private static func wrapped(_ name: String, _ text: String) -> String? {
    guard text.hasPrefix("\(name)("), text.hasSuffix(")") else { return nil }
    return String(text.dropFirst(name.count + 1).dropLast())
  }

  /// A pattern of `*` as a regular expression of the whole text.
  private static func pattern(_ glob: String) -> String {
    var text = glob.split(separator: "*", omittingEmptySubsequences: false).map { escaped(String($0)) }
      .joined(separator: ".*")
    text = text.hasPrefix(".*") ? String(text.dropFirst(2)) : "^" + text
    return text.hasSuffix(".*") ? String(text.dropLast(2)) : text + "$"
  }

  private static func escaped(_ text: String) -> String {
    var made = ""
    for character in text {
      if "\\.^$|?*+()[]{}".contains(character) { made += "\\" }
      made.append(character)
    }
    return made
  }
}

extension Substring {
  /// Without blanks at both ends.
  var trimmed: String {
    var rest = self
    while rest.first == " " || rest.first == "\t" { rest.removeFirst() }
    while rest.last == " " || rest.last == "\t" || rest.last == "\r" { rest.removeLast() }
    return String(rest)
  }
}
