// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import YAML

/// Puts what a check has from elsewhere behind what it says itself, within a budget: a small file must not stand for
/// endless work.
struct YAMLMerge {
  /// Values, and pieces of 64 bytes of long ones, that all checks of a configuration may have from elsewhere.
  static let most = 4_000_000

  private(set) var left: Int

  init(budget: Int = YAMLMerge.most) { left = budget }

  /// Too much was asked for; what was made since is not whole.
  var isSpent: Bool { left < 0 }

  mutating func spend(_ amount: Int) {
    let (rest, isOver) = left.subtractingReportingOverflow(amount)
    left = isOver ? -1 : rest
  }

  /// The keys of a check: those that are near win. Maps are put together key by key, tags add up, everything else is
  /// taken as a whole, and so is `auth`, of which there is one way. A `null` stays, and hides all that is further away; the
  /// walk takes it for a key that is not given.
  mutating func check(_ near: [YAMLNode.Entry], behind far: [YAMLNode.Entry]) -> [YAMLNode.Entry] {
    let given = Set(near.lazy.filter { !$0.value.isTakenAway }.map { ByteText($0.key) })
    let barred = Set(Self.rivals.compactMap { given.contains($0.key) ? $0.value : nil })
    return merged(near, far.filter { !barred.contains(ByteText($0.key)) }, ["check"])
  }

  /// Of these a check has one: who writes the one means it instead of an inherited other.
  private static let rivals: [ByteText: ByteText] = [
    "body": "body_file", "body_file": "body", "period": "cron", "cron": "period",
  ]

  private mutating func merged(
    _ near: [YAMLNode.Entry], _ far: [YAMLNode.Entry], _ path: [String]
  ) -> [YAMLNode.Entry] {
    spend(near.count + far.count)
    guard !isSpent else { return near }
    let isHeaders = path == ["check", "headers"] || path == ["check", "expect", "header"]
    func name(_ key: String) -> ByteText { ByteText(isHeaders ? key.lowercased() : key) }
    var result = near
    var places: [ByteText: Int] = [:]
    for (index, entry) in near.enumerated() { places[name(entry.key)] = index }
    for entry in far {
      guard let index = places[name(entry.key)] else {
        result.append(entry)
        continue
      }
      result[index].value = both(result[index].value, entry.value, path + [entry.key])
    }
    return result
  }

  private mutating func both(_ near: YAMLNode, _ far: YAMLNode, _ path: [String]) -> YAMLNode {
    var node = near
    switch (near.content, far.content) {
    case (.map(let own), .map(let others)) where path != ["check", "auth"]:
      node.content = .map(merged(own, others, path))
    case (.list(let own), .list(let others)) where path == ["check", "tags"]:
      spend(own.count + others.count)
      guard !isSpent else { return near }
      var seen = Set(own.compactMap(\.tag))
      node.content = .list(own + others.filter { $0.tag.map { seen.insert($0).inserted } ?? true })
    default: break
    }
    return node
  }
}

extension YAMLNode {
  /// A single value's text, to find the second of two.
  fileprivate var tag: ByteText? {
    if case .scalar(let text, _) = content { ByteText(text) } else { nil }
  }

  /// How much it is, as the budget counts.
  var weight: Int {
    switch content {
    case .scalar(let text, _): 1 + text.utf8.count / 64
    case .bytes(let bytes): 1 + bytes.count / 64
    case .list(let items): items.reduce(1) { $0 + $1.weight }
    case .map(let entries): entries.weight + 1
    }
  }
}

extension [YAMLNode.Entry] {
  var weight: Int { reduce(0) { $0 + 1 + $1.key.utf8.count / 64 + $1.value.weight } }
}
