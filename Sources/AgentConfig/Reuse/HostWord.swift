// SPDX-License-Identifier: MIT

import Basics
import YAML

/// Values of `${host}`, `${target}`, `${port}` and `${label:NAME}` in one check.
struct HostWords: Sendable {
  private var host: String
  /// Of a target that was discovered; nil: only the host is known.
  private var target: TargetList.Target?
  /// Where it was found.
  private(set) var found: FoundTarget?
  private var kind = Kind.real

  private enum Kind {
    case real
    /// Its labels are not known.
    case example
    /// Each word stands for itself.
    case kept
  }

  /// Labels that a value names and the target does not have.
  private(set) var lacks: Set<ByteText> = []

  /// One of `hosts`.
  init(host: String) { self.host = host }

  init(_ target: TargetList.Target, found: FoundTarget?) {
    (host, self.target, self.found) = (target.host, target, found)
  }

  /// For a value that is looked at where no check is at hand.
  static let example = sample("host.example:443")

  /// The same where a target has to be a URL.
  private static let exampleURL = sample("https://host.example:443")

  private static func sample(_ address: String) -> HostWords {
    var words = HostWords(TargetList.Target(address: address, host: "host.example", port: 443), found: nil)
    words.kind = .example
    return words
  }

  /// A key's value with the words replaced.
  fileprivate mutating func replaced(_ entry: YAMLNode.Entry) -> YAMLNode {
    guard kind == .example, entry.key == "url", case .scalar(let text, _) = entry.value.content,
      text.hasPrefix("${target}")
    else { return entry.value.replacing(&self) }
    var words = Self.exampleURL
    let made = entry.value.replacing(&words)
    lacks.formUnion(words.lacks)
    return made
  }

  /// For the name that checks will have: it is read now, and its words are replaced later.
  static let kept: HostWords = {
    var words = example
    words.kind = .kept
    return words
  }()

  /// `nil` where the word is none of these.
  fileprivate mutating func value(of word: String) -> String? {
    if kind == .kept {
      return ["host", "target", "port"].contains(word) || word.hasPrefix("label:") ? "$${\(word)}" : nil
    }
    if word == "host" { return host }
    guard let target else { return nil }
    if word == "target" { return target.address }
    let found: String?
    if word == "port" {
      found = target.port.map(String.init)
    } else if word.hasPrefix("label:") {
      let name = word.dropFirst(6)
      found = target.labels.first { $0.name == name }?.value
    } else {
      return nil
    }
    if found == nil { lacks.insert(ByteText(word)) }
    return found ?? ""
  }
}

extension YAMLNode.Entry {
  /// Its value with the words replaced.
  func replacing(_ words: inout HostWords) -> YAMLNode { words.replaced(self) }
}

extension YAMLNode {
  /// With the words replaced in every value, in one pass: what is put in is not looked at again here. `$${name}` stays
  /// what it is, a literal of the references that are resolved later.
  func replacing(_ words: inout HostWords) -> YAMLNode {
    var node = self
    switch content {
    case .scalar(let text, let isPlain):
      guard text.utf8.contains(UInt8(ascii: "$")) else { return self }
      let made = replaced(text, &words)
      // What a word yields may be a number as well as a text.
      let isNumber = made != text && made.utf8.allSatisfy { (0x30...0x39).contains($0) }
      node.content = .scalar(made, isPlain: isPlain || isNumber)
    case .bytes: break
    case .list(let items):
      var made: [YAMLNode] = []
      for item in items { made.append(item.replacing(&words)) }
      node.content = .list(made)
    case .map(let entries):
      var made: [Entry] = []
      for var entry in entries {
        entry.value = words.replaced(entry)
        made.append(entry)
      }
      node.content = .map(made)
    }
    return node
  }
}

private func replaced(_ text: String, _ words: inout HostWords) -> String {
  var result = ""
  var rest = text.utf8[...]
  while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
    result += String(Substring(rest[..<dollar]))
    rest = rest[dollar...]
    if rest.starts(with: "$${".utf8) {
      result += "$${"
      rest = rest.dropFirst(3)
    } else if rest.starts(with: "${".utf8), let close = rest.firstIndex(of: UInt8(ascii: "}")),
      let word = words.value(of: String(Substring(rest[..<close].dropFirst(2))))
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
