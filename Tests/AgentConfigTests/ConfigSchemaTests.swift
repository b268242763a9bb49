// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import Testing

@testable import AgentConfig

/// The JSON Schema against files: what the agent accepts an editor accepts, and unknown keys are marked in both.
struct ConfigSchemaTests {
  private let schema: JSONValue

  init() throws { schema = try JSONValue.parse(ConfigSchema.json().utf8) }

  private func faults(_ text: String) throws -> [String] {
    var reader = YAMLReader(file: "agent.yaml")
    let root = reader.read(text)
    let node = try #require(root)
    return SchemaValidator.faults(node, schema, at: "")
  }

  @Test(arguments: goodConfigs)
  func acceptsWhatTheAgentAccepts(config: GoodConfig) throws {
    #expect(try faults(config.text) == [])
  }

  @Test func acceptsTheExample() throws {
    let text = try String(contentsOfFile: ConfigLoaderTests.example, encoding: .utf8)
    #expect(try faults(text) == [])
    #expect(try faults(switchedOn(text)) == [])
  }

  @Test func acceptsWhatIsPrinted() throws {
    for config in goodConfigs { #expect(try faults(EffectiveConfig.print(settings(config.text))) == []) }
  }

  @Test(arguments: [
    "unknown-section", "unknown-check-key", "unknown-nested-key", "foreign-keys", "foreign-keys-tcp",
    "planned-keys",
    "section-is-scalar", "section-is-list", "checks-is-map", "check-is-scalar", "booleans", "numbers",
    "size-units",
    "duration-without-unit", "duration-words", "percent", "type-unknown", "limits", "spool",
    "check-missing-all",
  ])
  func refusesWhatTheAgentRefuses(name: String) throws {
    let text = try String(contentsOf: GalleryTests.folder.appending(path: "\(name).yaml"), encoding: .utf8)
    #expect(try !faults(text).isEmpty)
  }
}

/// As much of JSON Schema as the generated one uses, over our own tree.
private enum SchemaValidator {
  static func faults(_ node: YAMLNode, _ schema: JSONValue, at path: String) -> [String] {
    if let choices = schema["anyOf"]?.array {
      let tries = choices.map { faults(node, $0, at: path) }
      return tries.contains([]) ? [] : ["\(path): none of \(choices.count) fits"]
    }
    switch node.content {
    case .map(let entries): return object(entries, schema, path)
    case .list(let items):
      guard schema["type"]?.string == "array", let item = schema["items"] else {
        return ["\(path): no list"]
      }
      return items.enumerated().flatMap { faults($1, item, at: "\(path)[\($0)]") }
    case .scalar(let text, let isPlain): return scalar(text, isPlain, schema, path)
    }
  }

  private static func object(_ entries: [YAMLNode.Entry], _ schema: JSONValue, _ path: String) -> [String] {
    guard schema["type"]?.string == "object" else { return ["\(path): no map"] }
    let required = schema["required"]?.array?.compactMap(\.string) ?? []
    let missing = required.filter { name in !entries.contains { $0.key == name } }.map {
      "\(path): \($0) is missing"
    }
    return missing
      + entries.flatMap { entry -> [String] in
        let below = "\(path).\(entry.key)"
        if let known = schema["properties"]?[entry.key] { return faults(entry.value, known, at: below) }
        guard let other = schema["additionalProperties"] else { return [] }
        if other == .bool(false) { return ["\(below): unknown"] }
        return faults(entry.value, other, at: below)
      }
  }

  private static func scalar(_ text: String, _ isPlain: Bool, _ schema: JSONValue, _ path: String) -> [String]
  {
    let number = isPlain ? Int(text) : nil
    let isFlag = isPlain && ["true", "false"].contains(text)
    if let constant = schema["const"] {
      return constant.string == text ? [] : ["\(path): not the constant"]
    }
    if let words = schema["enum"]?.array {
      let fits = words.contains { number == nil ? $0.string == text : $0.integer == number.map(Int64.init) }
      return fits ? [] : ["\(path): no word of the list"]
    }
    let types =
      schema["type"]?.string.map { [$0] } ?? schema["type"]?.array?.compactMap(\.string) ?? []
    let isNull = isPlain && text == "null"
    let own =
      isFlag ? ["boolean"] : (isNull ? ["null"] : (number == nil ? ["string"] : ["integer", "number"]))
    guard !Set(types).isDisjoint(with: own) else { return ["\(path): \(own) is none of \(types)"] }
    if let number, let least = schema["minimum"]?.integer, number < least { return ["\(path): too small"] }
    if let number, let most = schema["maximum"]?.integer, number > most { return ["\(path): too large"] }
    if let pattern = schema["pattern"]?.string, let expression = try? Regex(pattern) {
      return text.contains(expression) ? [] : ["\(path): \(text) does not fit \(pattern)"]
    }
    return []
  }
}
