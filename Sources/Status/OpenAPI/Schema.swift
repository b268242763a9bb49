// SPDX-License-Identifier: MIT

import Basics

/// A JSON Schema (2020-12), as far as the API's document needs one.
indirect enum Schema: Sendable {
  case string(format: String? = nil)
  case word([String])
  /// A text that a regular expression matches.
  case pattern(String)
  case integer(ClosedRange<Int>? = nil)
  case number
  /// A number from the lower bound to below the upper one.
  case numberIn(Range<Double>)
  case flag
  /// A named schema of the components.
  case ref(String)
  case list(Schema)
  case object([Field])
  /// A map whose keys are data.
  case map(Schema)
  case orNull(Schema)
  case either(Schema, Schema)
  /// Anything: a part that docs/results.md describes.
  case any

  struct Field: Sendable {
    var name: String
    var schema: Schema
    var isRequired = true
    var summary: String?

    /// One that is always there.
    static func field(_ name: String, _ schema: Schema, _ summary: String? = nil) -> Field {
      Field(name: name, schema: schema, summary: summary)
    }

    /// One that is left out where there is nothing to say.
    static func may(_ name: String, _ schema: Schema, _ summary: String? = nil) -> Field {
      Field(name: name, schema: schema, isRequired: false, summary: summary)
    }
  }

  static let time = Schema.string(format: "date-time")
  static let id = Schema.string(format: "uuid")
  static let text = Schema.string()

  func write(_ summary: String? = nil, to json: inout JSONWriter) {
    json.object { json in
      json.fieldIfPresent("description", summary)
      switch self {
      case .string(let format):
        json.field("type", "string")
        json.fieldIfPresent("format", format)
      case .word(let words):
        json.field("type", "string")
        json.key("enum")
        json.array { json in words.forEach { json.string($0) } }
      case .pattern(let expression):
        json.field("type", "string")
        json.field("pattern", expression)
      case .integer(let range):
        json.field("type", "integer")
        json.fieldIfPresent("minimum", range?.lowerBound)
        json.fieldIfPresent("maximum", range?.upperBound)
      case .number: json.field("type", "number")
      case .numberIn(let range):
        json.field("type", "number")
        json.field("minimum", range.lowerBound)
        json.field("exclusiveMaximum", range.upperBound)
      case .flag: json.field("type", "boolean")
      case .ref(let name): json.field("$ref", "#/components/schemas/\(name)")
      case .list(let item):
        json.field("type", "array")
        json.key("items")
        item.write(to: &json)
      case .object(let fields): Self.write(fields, to: &json)
      case .map(let value):
        json.field("type", "object")
        json.key("additionalProperties")
        value.write(to: &json)
      case .orNull(let schema):
        json.key("anyOf")
        json.array { json in
          schema.write(to: &json)
          json.object { $0.field("type", "null") }
        }
      case .either(let first, let second):
        json.key("anyOf")
        json.array { json in
          first.write(to: &json)
          second.write(to: &json)
        }
      case .any: break
      }
    }
  }

  private static func write(_ fields: [Field], to json: inout JSONWriter) {
    json.field("type", "object")
    let required = fields.filter(\.isRequired).map(\.name)
    if !required.isEmpty {
      json.key("required")
      json.array { json in required.forEach { json.string($0) } }
    }
    json.key("properties")
    json.object { json in
      for field in fields {
        json.key(dynamic: field.name)
        field.schema.write(field.summary, to: &json)
      }
    }
  }
}
