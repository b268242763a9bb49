// SPDX-License-Identifier: MIT

import Basics

/// Parts of a source's text that stand for variables.
struct Placeholders: Sendable {
  enum Part {
    case text(Substring)
    case variable(ByteText)
  }

  /// Values that the source has open.
  var values: [ByteText: String] = [:]
  /// A text in parts; `nil` where something in it stands for what is no variable.
  let parts: @Sendable (String) -> [Part]?

  /// Puts values, and references to variables of the environment, into a check.
  ///
  /// - Returns: why the check cannot be; `nil`: its placeholders are replaced.
  func replace(in check: inout ImportedCheck) -> String? {
    var why: String?
    var missing: Set<ByteText> = []
    func value(_ given: AgentValue) -> AgentValue {
      switch given {
      case .text(let text), .plain(let text): return made(text, given, &missing, &why)
      case .secret(let secret, _): return made(secret.reveal(), given, &missing, &why)
      case .joined(let items): return .joined(items.map(value))
      case .list(let items): return .list(items.map(value))
      case .map(let entries): return .map(entries.map { ($0.name, value($0.value)) })
      case .reference: return given
      }
    }
    check.keys = check.keys.map { ($0.name, value($0.value)) }
    guard !missing.isEmpty, why == nil else { return why }
    let names = missing.map { $0.text.printable(maxBytes: 80) }.sorted().joined(separator: ", ")
    check.notes.append(
      ImportNote(place: "placeholders", why: "set these variables before the start: \(names)"))
    return nil
  }

  private func made(
    _ text: String, _ given: AgentValue, _ missing: inout Set<ByteText>, _ why: inout String?
  ) -> AgentValue {
    guard let parts = parts(text) else {
      why = "a placeholder in it is no name of a variable"
      return given
    }
    guard parts.contains(where: { if case .variable = $0 { true } else { false } }) else {
      return Self.joined(parts, as: given)
    }
    let whole = parts.reduce(into: "" as String?) { made, part in
      switch part {
      case .text(let text): made?.append(contentsOf: text)
      case .variable(let name): made = values[name].flatMap { value in made.map { $0 + value } }
      }
    }
    if let whole {
      if case .secret(_, let words) = given { return .secret(Redacted(whole), as: words) }
      return .text(whole)
    }
    let fixed = parts.reduce(into: "") { if case .text(let text) = $1 { $0 += text } }
    if case .secret = given, !["", "Bearer ", "Basic ", "Token "].contains(fixed) {
      why = "a secret is a variable only in part: put it into one variable"
      return given
    }
    return .reference(
      parts.reduce(into: "") { made, part in
        switch part {
        case .text(let text): made += text.replacing("${", with: "$${")
        case .variable(let name):
          if let value = values[name] {
            made += value.replacing("${", with: "$${")
          } else {
            missing.insert(name)
            made += "${env:\(name.text)}"
          }
        }
      })
  }

  /// Texts alone, in which a dollar may have been written as two.
  private static func joined(_ parts: [Part], as given: AgentValue) -> AgentValue {
    let text = parts.reduce(into: "") { if case .text(let text) = $1 { $0 += text } }
    switch given {
    case .secret(_, let words): return .secret(Redacted(text), as: words)
    case .text: return .text(text)
    default: return given
    }
  }

  /// A name of a variable of the environment.
  static func isName(_ text: some StringProtocol) -> Bool {
    guard let first = text.unicodeScalars.first, !("0"..."9").contains(first) else { return false }
    return text.unicodeScalars.allSatisfy { GoPatternParser.word.contains($0.value) }
  }
}
