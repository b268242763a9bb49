// SPDX-License-Identifier: MIT

import AgentConfig
import Foundation
import Testing

/// The schema that editors are given, as a whole: each object is closed, each list has items, each choice alternatives.
@Suite struct ConfigSchemaTests {
  private static let types: Set<String> = [
    "array", "boolean", "integer", "null", "number", "object", "string",
  ]

  /// Places of a schema that say too little.
  private func problems(_ value: Any, _ path: String) -> [String] {
    if let list = value as? [Any] {
      return list.indices.flatMap { problems(list[$0], "\(path)[\($0)]") }
    }
    guard let map = value as? [String: Any] else { return [] }
    var found: [String] = []
    if map["properties"] is [String: Any], map["additionalProperties"] as? Bool != false {
      found.append("\(path): open")
    }
    if map["type"] as? String == "array", !(map["items"] is [String: Any]) {
      found.append("\(path): no items")
    }
    if let choices = map["anyOf"] as? [Any], choices.count < 2 { found.append("\(path): no choice") }
    if let type = map["type"] as? String, !Self.types.contains(type) { found.append("\(path): type \(type)") }
    if map["minimum"] != nil, map["type"] as? String != "integer" { found.append("\(path): no integer") }
    if path.hasSuffix(".items") || path.hasSuffix("]"), map.isEmpty { found.append("\(path): empty") }
    return found + map.keys.sorted().flatMap { key in map[key].map { problems($0, "\(path).\(key)") } ?? [] }
  }

  @Test func everyPlaceSaysWhatItTakes() throws {
    let schema = try JSONSerialization.jsonObject(with: Data(ConfigSchema.json().utf8))
    #expect(problems(schema, "") == [])
    #expect((schema as? [String: Any])?["additionalProperties"] as? Bool == false)
  }
}
