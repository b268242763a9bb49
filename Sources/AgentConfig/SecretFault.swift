// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension SettingsBuilder {
  /// A problem of a value from a secret file: the rule that it breaks, and nothing of the value.
  func secretFault(_ problem: CheckProblem, _ map: GivenMap) -> String {
    let key = CheckProblem.keyText(problem.path)
    let texts = map.secretTexts(at: problem.path)
    let rule: String
    if let limit = problem.message.firstMatch(of: /at most [0-9]+ bytes( together)?/) {
      rule = "must be \(limit.output.0)"
    } else if texts.contains(where: { $0.utf8.contains { $0 == 0x0a || $0 == 0x0d } }) {
      rule = "contains a line break"
    } else if texts.contains(where: \.hasControlCharacter) {
      rule = "contains a control character"
    } else {
      rule = "is not acceptable"
    }
    return "\(key) comes from a secret file and \(rule)"
  }
}

extension GivenMap {
  /// Texts from secret files at a path, below it, or above it.
  fileprivate func secretTexts(at path: [String]) -> [String] {
    guard let first = path.first else { return entries.flatMap { $0.value.secretTexts(at: []) } }
    return self[first]?.secretTexts(at: path.dropFirst()) ?? []
  }
}

extension Given {
  fileprivate func secretTexts(at path: ArraySlice<String>) -> [String] {
    switch value {
    case .map(let map): return map.secretTexts(at: Array(path))
    case .list(let list):
      guard let first = path.first else { return list.flatMap { $0.secretTexts(at: []) } }
      guard let index = Int(first), list.indices.contains(index) else { return [] }
      return list[index].secretTexts(at: path.dropFirst())
    case .text(let text): return isSecret ? [text] : []
    default: return []
    }
  }
}

extension Duration {
  /// In the units that people read, such as `10h 22s`.
  var spelled: String {
    guard self >= .seconds(60) else { return text }
    var rest = self
    var parts: [String] = []
    for (unit, length) in [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)] as [(String, Int64)] {
      let count = rest.microseconds / (length * 1_000_000)
      if count > 0 { parts.append("\(count)\(unit)") }
      rest -= .seconds(count * length)
    }
    return (parts + (rest > .zero ? [rest.text] : [])).joined(separator: " ")
  }
}
