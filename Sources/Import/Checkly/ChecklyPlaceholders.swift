// SPDX-License-Identifier: MIT

import Basics

/// `{{NAME}}` of a check's values: the value where the file has it open, else a variable of the environment.
enum ChecklyPlaceholders {
  /// - Parameter sections: what may have variables, the check last.
  static func of(_ sections: [Section]) -> Placeholders {
    var values: [ByteText: String] = [:]
    for section in sections {
      for variable in section["environmentVariables"]?.items ?? [] {
        guard let key = variable["key"]?.text, let value = variable["value"]?.text else { continue }
        if variable["locked"]?.flag == true || variable["secret"]?.flag == true {
          let name = key.printable(maxBytes: 80)
          section.ledger.list(variable, "its value is a secret: set \(name) before the start", always: false)
          values[ByteText(key)] = nil
        } else {
          section.ledger.carry(variable)
          values[ByteText(key)] = value
        }
      }
    }
    return Placeholders(values: values, parts: parts)
  }

  private static func parts(_ text: String) -> [Placeholders.Part]? {
    var parts: [Placeholders.Part] = []
    var rest = text[...]
    while let open = rest.range(of: "{{") {
      parts.append(.text(rest[..<open.lowerBound]))
      var inner = rest[open.upperBound...]
      let isTriple = inner.first == "{"
      if isTriple { inner.removeFirst() }
      guard let close = inner.range(of: isTriple ? "}}}" : "}}") else { return nil }
      let name = inner[..<close.lowerBound].trimmed
      guard Placeholders.isName(name) else { return nil }
      parts.append(.variable(ByteText(name)))
      rest = inner[close.upperBound...]
    }
    return parts + [.text(rest)]
  }
}
