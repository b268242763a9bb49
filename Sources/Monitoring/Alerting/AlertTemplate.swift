// SPDX-License-Identifier: MIT

import Basics

/// A title or a text with fields in it, such as `{{title}} for {{duration}}`. There is no logic in it.
package struct AlertTemplate: Hashable, Sendable {
  /// Fields of a message. Of an incident with several alerts, those of the worst.
  package enum Field: String, CaseIterable, Hashable, Sendable {
    case title, severity, kind, check, target, state, reason, message, rule, since, duration, agent, region,
      incident,
      count, cause, page
  }

  package enum Part: Hashable, Sendable {
    case text(String)
    case field(Field)
  }

  /// `nil` for the usual title.
  package var title: [Part]?
  package var text: [Part]?

  package init() {}

  /// An error in a template.
  package struct Invalid: Error, Hashable, Sendable {
    package var message: String
    package var hint: String?
  }

  /// Bytes of one that is written, and of what comes of it.
  package static let maxBytes = 4096

  package static func parse(_ text: String) throws(Invalid) -> [Part] {
    guard text.utf8.count <= maxBytes else {
      throw Invalid(message: "is longer than \(maxBytes) bytes")
    }
    var parts: [Part] = []
    var rest = text[...]
    while let open = rest.firstRange(of: "{{") {
      if open.lowerBound > rest.startIndex { parts.append(.text(String(rest[..<open.lowerBound]))) }
      guard let close = rest[open.upperBound...].firstRange(of: "}}") else {
        throw Invalid(message: "has {{ without }}", hint: "fields are written {{title}}")
      }
      let name = rest[open.upperBound..<close.lowerBound].filter { $0 != " " }
      guard let field = Field.allCases.first(where: { $0.rawValue == name }) else {
        throw Invalid(
          message: "has a field that no message has: \(quoted(name))",
          hint: "fields are \(Field.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      parts.append(.field(field))
      rest = rest[close.upperBound...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    return parts
  }

  /// As it was written.
  package static func text(_ parts: [Part]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .field(let field): "{{\(field.rawValue)}}"
      }
    }.joined()
  }
}
