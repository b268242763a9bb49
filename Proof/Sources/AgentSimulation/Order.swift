// SPDX-License-Identifier: MIT

/// What a seed is simulated as: one agent, or a group of them.
enum WorldKind: String, CaseIterable {
  case single, group
}

/// A seed with its kind; `g17` is the group of seed 17.
struct WorldName: CustomStringConvertible {
  let kind: WorldKind
  let seed: UInt64

  var description: String { kind == .group ? "g\(seed)" : "\(seed)" }

  init(kind: WorldKind, seed: UInt64) { (self.kind, self.seed) = (kind, seed) }

  init?(_ word: String) {
    let isGroup = word.hasPrefix("g")
    guard let seed = UInt64(isGroup ? String(word.dropFirst()) : word) else { return nil }
    self.init(kind: isGroup ? .group : .single, seed: seed)
  }
}

/// What the command line asks for.
struct Order {
  static let usualDays = 7.0
  static let usualHours = 4.0
  var seed: UInt64 = 1
  var years = 1.0
  /// Of one seed of one agent.
  var days = Order.usualDays
  /// Of one seed of a group.
  var hours = Order.usualHours
  var kinds = WorldKind.allCases
  var replay: WorldName?

  init?(_ words: [String]) {
    var words = words[...]
    while let word = words.popFirst() {
      guard let value = words.popFirst(), take(word, value) else { return nil }
    }
  }

  private mutating func take(_ word: String, _ value: String) -> Bool {
    switch word {
    case "--seed": return set(\.seed, UInt64(value))
    case "--years": return set(\.years, positive(value))
    case "--days": return set(\.days, positive(value))
    case "--hours": return set(\.hours, positive(value))
    case "--kind": return set(\.kinds, WorldKind(rawValue: value).map { [$0] })
    case "--replay":
      replay = WorldName(value)
      return replay != nil
    default: return false
    }
  }

  private func positive(_ word: String) -> Double? { Double(word).flatMap { $0 > 0 ? $0 : nil } }

  private mutating func set<Value>(_ place: WritableKeyPath<Order, Value>, _ value: Value?) -> Bool {
    guard let value else { return false }
    self[keyPath: place] = value
    return true
  }
}
