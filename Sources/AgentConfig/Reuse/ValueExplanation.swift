// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import YAML

/// Where the values of a check come from, for `validate --explain`.
package struct ValueExplanation: Sendable {
  package struct Source: Sendable {
    /// `the check itself`, `template "web"`, `built in`.
    package var label: String
    /// `agent.yaml:4:7`; nil for what is built in.
    package var place: String?
    /// As it is written there; nothing secret.
    package var value: String
  }

  package struct Value: Sendable {
    /// Below the check: `expect.status`.
    package var key: String
    /// The first counts; the others are those that it hides, or, of tags, those that add to it.
    package var sources: [Source]
  }

  /// Of the check.
  package var check: String
  package var values: [Value]

  /// - Parameter question: a check's name or id, and a key of it behind a dot; without a key, all that were given.
  init?(_ question: String, _ reading: ConfigLoader.Reading) {
    let named = reading.loaded.settings.checks.flatMap { check in
      [(check.name, check), (check.id.description, check)]
    }
    let fitting = named.filter { question == $0.0 || question.hasPrefix($0.0 + ".") }
    guard let (word, check) = fitting.max(by: { $0.0.utf8.count < $1.0.utf8.count }) else { return nil }
    let path = question.dropFirst(word.count).split(separator: ".").map(String.init)
    let walk = reading.walk
    var expansion = Expansion(reading.files) { _, _, _ in }
    let origin = expansion.origin(type: { walk.checkType($0) }) { keys in
      guard case .scalar(let name, _)? = keys.first(where: { $0.key == "name" })?.value.content else {
        return false
      }
      return (try? walk.references.resolve(name))?.text == check.name
    }
    guard let origin else { return nil }
    var finder = SourceFinder(origin: origin, walk: walk, check: check, table: .check(check.type))
    finder.find(path)
    guard !finder.values.isEmpty else { return nil }
    (self.check, values) = (check.name, finder.values)
  }
}

/// Looks through the layers of one check.
private struct SourceFinder {
  let origin: Expansion.Origin
  let walk: Walk
  let check: MonitoringCheck
  let table: KeyTable
  var values: [ValueExplanation.Value] = []

  mutating func find(_ path: [String]) {
    let root = YAMLNode(content: .map(origin.entries), position: Position(line: 0, column: 0))
    if let node = root.below(path) {
      leaves(node, path)
    } else if let facts = facts(path) {
      let source = ValueExplanation.Source(
        label: "built in", value: effective(path) ?? (facts.fallback ?? "none").filter { $0 != "`" })
      values.append(ValueExplanation.Value(key: path.joined(separator: "."), sources: [source]))
    }
  }

  private mutating func leaves(_ node: YAMLNode, _ path: [String]) {
    if case .map(let entries) = node.content {
      for entry in entries { leaves(entry.value, path + [entry.key]) }
      return
    }
    var sources: [ValueExplanation.Source] = []
    for layer in origin.layers {
      let root = YAMLNode(content: .map(layer.entries), position: node.position)
      guard let found = root.below(path) else { continue }
      // What counts is shown as it is read, with its host; of tags each layer has its own.
      let shown = sources.isEmpty && path != ["tags"] ? node : found
      sources.append(
        ValueExplanation.Source(
          label: layer.label, place: walk.place(found.position), value: text(shown, path)))
    }
    if let source = correction(node, path) { sources.insert(source, at: 0) }
    values.append(ValueExplanation.Value(key: path.joined(separator: "."), sources: sources))
  }

  /// Source of a value that is not the one written nearest. `nil` where that counts.
  private func correction(_ node: YAMLNode, _ path: [String]) -> ValueExplanation.Source? {
    guard let value = effective(path), case .scalar(let text, _) = node.content else { return nil }
    if node.isTakenAway { return ValueExplanation.Source(label: "built in", value: value) }
    // A timeout of some defaults gives way to a shorter interval.
    guard path == ["timeout"], let written = Duration(text: text), written > check.timeout else { return nil }
    return ValueExplanation.Source(label: "the interval, which is shorter", value: value)
  }

  /// Value of a key whose default depends on others.
  private func effective(_ path: [String]) -> String? {
    switch path {
    case ["interval"]: check.interval.text
    case ["timeout"]: check.timeout.text
    case ["retries"]: String(check.plan.retries)
    case ["retry_delay"]: check.plan.retryDelay.text
    default: nil
    }
  }

  private func facts(_ path: [String]) -> KeyFacts? {
    var table = table
    for (index, name) in path.enumerated() {
      guard let facts = table[name] else { return nil }
      if index == path.count - 1 { return facts }
      guard case .map(let inner) = facts.value else { return nil }
      table = inner
    }
    return nil
  }

  /// Hides all of a key with secret values, except that it is a reference.
  private func text(_ node: YAMLNode, _ path: [String]) -> String {
    switch node.content {
    // A value that is taken away is no secret.
    case .scalar(let text, _) where node.isTakenAway: return text
    case .scalar(let text, _):
      return isHidden(path) && !text.hasPrefix("${") ? Redacted.mark : text.printable(maxBytes: 200)
    case .bytes: return ""
    case .list(let items): return "[\(items.map { text($0, path) }.joined(separator: ", "))]"
    case .map(let entries):
      let pairs = entries.map { "\($0.key.printable(maxBytes: 60)): \(text($0.value, path + [$0.key]))" }
      return "{\(pairs.joined(separator: ", "))}"
    }
  }

  private func isHidden(_ path: [String]) -> Bool {
    for count in 1...max(path.count, 1) where count <= path.count {
      switch facts(Array(path.prefix(count)))?.value {
      case .secret, .hidden, .headers, .either(.secret, _), .either(.hidden, _): return true
      // Steps of a dialog may hold a password; the name of a preset does not.
      case .either(_, .list) where path.count > count: return true
      default: continue
      }
    }
    return false
  }
}

extension YAMLNode {
  fileprivate func below(_ path: [String]) -> YAMLNode? {
    var node = self
    for name in path {
      guard case .map(let entries) = node.content,
        let entry = entries.first(where: { $0.key == name })
      else { return nil }
      node = entry.value
    }
    return node
  }
}
