// SPDX-License-Identifier: MIT

import Basics

/// `${host}` in the values of a check with `hosts`.
enum HostWord {
  static let host = "host"
}

extension YAMLNode {
  /// With `${name}` replaced in every value, in one pass: what is put in is not looked at again here. `$${name}` stays
  /// what it is, a literal of the references that are resolved later.
  func replacing(_ words: [String: String]) -> YAMLNode {  // own text: names of ours
    var node = self
    switch content {
    case .scalar(let text, let isPlain):
      guard text.utf8.contains(UInt8(ascii: "$")) else { return self }
      node.content = .scalar(replaced(text, words), isPlain: isPlain)
    case .list(let items): node.content = .list(items.map { $0.replacing(words) })
    case .map(let entries):
      node.content = .map(
        entries.map { entry in
          var entry = entry
          entry.value = entry.value.replacing(words)
          return entry
        })
    }
    return node
  }
}

private func replaced(_ text: String, _ words: [String: String]) -> String {  // own text: names of ours
  var result = ""
  var rest = text.utf8[...]
  while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
    result += String(Substring(rest[..<dollar]))
    rest = rest[dollar...]
    if rest.starts(with: "$${".utf8) {
      result += "$${"
      rest = rest.dropFirst(3)
    } else if rest.starts(with: "${".utf8), let close = rest.firstIndex(of: UInt8(ascii: "}")),
      let word = words[String(Substring(rest[..<close].dropFirst(2)))]
    {
      result += word
      rest = rest[close...].dropFirst()
    } else {
      result += "$"
      rest = rest.dropFirst()
    }
  }
  return result + String(Substring(rest))
}
