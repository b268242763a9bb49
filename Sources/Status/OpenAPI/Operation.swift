// SPDX-License-Identifier: MIT

import Basics

/// One request that the API answers, as the document describes it.
struct Operation: Sendable {
  enum Answer: Sendable {
    /// In the envelope.
    case data(Schema)
    /// In the envelope, with `total`, `limit` and `offset` in `meta`.
    case page(Schema)
    case text(String)
    case json
  }

  struct Parameter: Sendable {
    var name: String
    var schema: Schema
    var summary: String
    var isInPath = false
    var isRequired = false
  }

  var method = "get"
  var path: String
  var id: String
  var summary: String
  var parameters: [Parameter] = []
  var answer: Answer
  /// Answers besides 200, by what they say.
  var failures: [(status: Int, summary: String)] = []
  /// Bytes in the request's body.
  var hasBody = false
  /// Of this operation's own; nil: what reading takes.
  var needsToken = false

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("operationId", id)
      json.field("summary", summary)
      if !parameters.isEmpty {
        json.key("parameters")
        json.array { json in
          for parameter in parameters { parameter.write(to: &json) }
        }
      }
      if hasBody { writeBody(to: &json) }
      if needsToken {
        json.key("security")
        json.array { json in
          json.object { json in
            json.key("token")
            json.array { _ in }
          }
        }
      }
      json.key("responses")
      json.object { json in
        json.key("200")
        writeAnswer(to: &json)
        for failure in failures {
          json.key(dynamic: String(failure.status))
          Self.write(failure.summary, to: &json)
        }
        json.key("default")
        Self.write("Refused: who asks, how, or for what the agent does not have", to: &json)
      }
    }
  }

  private func writeBody(to json: inout JSONWriter) {
    json.key("requestBody")
    json.object { json in
      json.field("required", true)
      Self.content("application/octet-stream", .string(), to: &json)
    }
  }

  private func writeAnswer(to json: inout JSONWriter) {
    json.object { json in
      json.field("description", "The requested document")
      switch answer {
      case .data(let schema): Self.content("application/json", Self.envelope(schema, .ref("Meta")), to: &json)
      case .page(let schema):
        Self.content("application/json", Self.envelope(schema, .ref("PageMeta")), to: &json)
      case .text(let type): Self.content(type, .string(), to: &json)
      case .json: Self.content("application/json", .object([]), to: &json)
      }
    }
  }

  private static func write(_ summary: String, to json: inout JSONWriter) {
    json.object { json in
      json.field("description", summary)
      json.key("content")
      json.object { json in
        for (type, schema) in [("application/json", Schema.ref("Failure")), ("text/plain", .string())] {
          json.key(dynamic: type)
          json.object { json in
            json.key("schema")
            schema.write(to: &json)
          }
        }
      }
    }
  }

  private static func envelope(_ data: Schema, _ meta: Schema) -> Schema {
    .object([.field("success", .flag), .field("data", data), .field("meta", meta)])
  }

  private static func content(_ type: String, _ schema: Schema, to json: inout JSONWriter) {
    json.key("content")
    json.object { json in
      json.key(dynamic: type)
      json.object { json in
        json.key("schema")
        schema.write(to: &json)
      }
    }
  }
}

extension Operation.Parameter {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("name", name)
      json.field("in", isInPath ? "path" : "query")
      if isInPath || isRequired { json.field("required", true) }
      json.field("description", summary)
      json.key("schema")
      schema.write(to: &json)
    }
  }
}
