// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A small strict reader of JSON Schema (2020-12): the keywords that our own schema uses and no other, so that one that is
/// added there must be understood here first.
struct SchemaCheck {
  private(set) var problems: [String] = []

  /// Words that only tell.
  private static let words = ["$schema", "title", "description"]

  mutating func check(_ value: JSONValue, _ schema: JSONValue, at path: String = "$") {
    guard case .object(let keywords) = schema else { return note(path, "a schema that is no object") }
    for keyword in keywords where !Self.words.contains(keyword.name) {
      judge(value, keyword, schema, path)
    }
  }

  private mutating func note(_ path: String, _ words: String) { problems.append("\(path): \(words)") }

  private mutating func judge(
    _ value: JSONValue, _ keyword: JSONValue.Member, _ schema: JSONValue, _ path: String
  ) {
    let rule = keyword.value
    switch keyword.name {
    case "type":
      if !Self.isType(value, rule.string ?? "") { note(path, "is no \(rule.string ?? "?")") }
    case "const": if value != rule { note(path, "is another constant") }
    case "enum": if rule.array?.contains(value) != true { note(path, "is none of the values: \(value)") }
    case "format": format(value, rule.string ?? "", path)
    case "minimum":
      if let number = value.double, let least = rule.double, number < least { note(path, "is too small") }
    case "maxItems":
      if let count = value.array?.count, let most = rule.integer, count > most { note(path, "has too many") }
    case "required":
      for name in rule.array ?? [] where value[name.string ?? ""] == nil {
        note(path, "misses \(name.string ?? "?")")
      }
    case "properties": members(value, rule, path)
    case "additionalProperties":
      if rule != .bool(false) { note(path, "additionalProperties is understood as false only") }
      guard case .object(let found) = value else { return }
      for member in found where schema["properties"]?[member.name] == nil {
        note(path, "has \(member.name), which the schema does not know")
      }
    case "items":
      for (place, item) in (value.array ?? []).enumerated() { check(item, rule, at: "\(path)[\(place)]") }
    default: note(path, "the keyword \(keyword.name) is not understood")
    }
  }

  private mutating func members(_ value: JSONValue, _ rule: JSONValue, _ path: String) {
    guard case .object(let found) = value, case .object = rule else { return }
    for member in found {
      if let schema = rule[member.name] { check(member.value, schema, at: "\(path).\(member.name)") }
    }
  }

  private mutating func format(_ value: JSONValue, _ name: String, _ path: String) {
    guard let text = value.string else { return }
    switch name {
    case "uuid": if text.utf8.count != 36 || UniqueID(text) == nil { note(path, "is no UUID: \(text)") }
    case "date-time": if Timestamp(rfc3339: text) == nil { note(path, "is no date-time: \(text)") }
    default: note(path, "the format \(name) is not understood")
    }
  }

  private static func isType(_ value: JSONValue, _ type: String) -> Bool {
    switch (type, value) {
    case ("object", .object), ("array", .array), ("string", .string), ("number", .number),
      ("boolean", .bool):
      true
    case ("integer", .number): value.integer != nil
    default: false
    }
  }
}
