// SPDX-License-Identifier: MIT

import Basics

/// A regular expression of Go (RE2) that must match a whole text, as Prometheus' rules have them. Takes time linear in
/// the text, whatever the pattern is.
struct GoPattern {
  /// Sets of characters, as ranges of code points.
  struct Characters: Equatable {
    var ranges: [ClosedRange<UInt32>] = []
    var isNegated = false

    func contains(_ value: UInt32) -> Bool { ranges.contains { $0.contains(value) } != isNegated }
  }

  enum Place { case lineStart, lineEnd, start, end, wordEdge, noWordEdge }

  enum Step {
    case one(Characters)
    /// The first is preferred.
    case either(Int, Int)
    case go(Int)
    case save(Int)
    case at(Place)
    case done
  }

  /// Work that is left for all matches of an import.
  struct Budget {
    var steps = 80_000_000
    var isSpent: Bool { steps < 0 }
  }

  let steps: [Step]
  /// Names of groups by their number; the whole is 0.
  let groups: [ByteText?]
  /// The pattern is a fixed text.
  private let literal: [UInt32]?

  /// `nil` for what is no pattern of Go, and for what is not worked out here (`\p{…}`).
  init?(_ text: String) {
    var parser = GoPatternParser(text)
    guard let node = parser.parse() else { return nil }
    var maker = GoPatternMaker()
    guard maker.make(node) else { return nil }
    steps = maker.steps + [.done]
    groups = parser.groups
    literal = node.literal
  }

  /// `(.*)`.
  static let everything = GoPattern()

  private init() {
    let all = Characters(ranges: [0x0a...0x0a], isNegated: true)
    steps = [.save(2), .either(2, 4), .one(all), .go(1), .save(3), .done]
    (groups, literal) = ([nil, nil], nil)
  }

  /// The parts of a text that groups hold, the whole first; `nil`: no match.
  func match(_ text: String, _ budget: inout Budget) -> [Substring?]? {
    let scalars = Array(text.unicodeScalars)
    if let literal {
      return literal.elementsEqual(scalars.lazy.map(\.value)) ? [text[...]] : nil
    }
    var machine = Machine(steps, scalars, slots: groups.count * 2)
    let slots = machine.run()
    budget.steps -= machine.work
    guard let slots else { return nil }
    let indices = Array(text.unicodeScalars.indices) + [text.endIndex]
    return groups.indices.map { group in
      if group == 0 { return text[...] }
      let (start, end) = (slots[group * 2], slots[group * 2 + 1])
      return start >= 0 && end >= start ? text[indices[start]..<indices[end]] : nil
    }
  }

  /// `$1`, `${1}`, `$name` and `${name}` of a template replaced by what was matched; `$$` is a dollar sign.
  func expand(_ template: String, _ found: [Substring?]) -> String {
    Self.expand(template, text: { String($0) }, group: { String(value(of: $0, found)) })
  }

  /// The parts of a template as Go's Expand reads it.
  ///
  /// - Parameters:
  ///   - text: what stands between the groups, as it is written.
  ///   - group: what stands for a group, which has a number or a name.
  static func expand(_ template: String, text: (Substring) -> String, group: (Substring) -> String) -> String
  {
    var made = ""
    var rest = template[...]
    while let dollar = rest.utf8.firstIndex(of: UInt8(ascii: "$")) {
      made += text(rest[..<dollar])
      rest = rest[rest.index(after: dollar)...]
      if rest.first == "$" {
        made += "$"
        rest.removeFirst()
        continue
      }
      let isBraced = rest.first == "{"
      let inner = isBraced ? rest.dropFirst() : rest
      let name = inner.prefix { $0 == "_" || $0.isLetter || $0.isNumber }
      let behind = inner[name.endIndex...]
      guard !name.isEmpty, !isBraced || behind.first == "}" else {
        made += "$"
        continue
      }
      rest = isBraced ? behind.dropFirst() : behind
      made += group(name)
    }
    return made + text(rest)
  }

  private func value(of name: Substring, _ found: [Substring?]) -> Substring {
    if name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      guard let number = Int(name), found.indices.contains(number) else { return "" }
      return found[number] ?? ""
    }
    let wanted = ByteText(name)
    // The last group of a name that took part.
    return groups.indices.last { groups[$0] == wanted && found[$0] != nil }.flatMap { found[$0] } ?? ""
  }

  /// Follows all ways at once, the preferred one first.
  private struct Machine {
    private let steps: [Step]
    private let text: [Unicode.Scalar]
    private let slots: Int
    private var seen: [Int]
    private(set) var work = 0

    init(_ steps: [Step], _ text: [Unicode.Scalar], slots: Int) {
      (self.steps, self.text, self.slots) = (steps, text, slots)
      seen = Array(repeating: -1, count: steps.count)
      work = steps.count / 8
    }

    mutating func run() -> [Int]? {
      var ways = reach([(0, Array(repeating: -1, count: slots))], at: 0)
      for place in text.indices {
        guard !ways.isEmpty else { return nil }
        let value = text[place].value
        work += ways.count
        let next = ways.compactMap { way -> (step: Int, slots: [Int])? in
          guard case .one(let set) = steps[way.step], set.contains(value) else { return nil }
          return (way.step + 1, way.slots)
        }
        ways = reach(next, at: place + 1)
      }
      return ways.first { if case .done = steps[$0.step] { true } else { false } }?.slots
    }

    /// The steps that wait for a character, from these on, in the order of preference.
    private mutating func reach(
      _ from: [(step: Int, slots: [Int])], at place: Int
    ) -> [(step: Int, slots: [Int])] {
      var found: [(step: Int, slots: [Int])] = []
      for start in from {
        var open = [start]
        while var way = open.popLast() {
          guard seen[way.step] != place else { continue }
          seen[way.step] = place
          work += 1
          switch steps[way.step] {
          case .one, .done: found.append(way)
          case .go(let next): open.append((next, way.slots))
          case .either(let first, let second):
            open.append((second, way.slots))
            open.append((first, way.slots))
          case .save(let slot):
            way.slots[slot] = place
            work += slots / 4
            open.append((way.step + 1, way.slots))
          case .at(let wanted): if holds(wanted, place) { open.append((way.step + 1, way.slots)) }
          }
        }
      }
      return found
    }

    private func holds(_ wanted: Place, _ place: Int) -> Bool {
      switch wanted {
      case .start: place == 0
      case .end: place == text.count
      case .lineStart: place == 0 || text[place - 1] == "\n"
      case .lineEnd: place == text.count || text[place] == "\n"
      case .wordEdge: isWord(place - 1) != isWord(place)
      case .noWordEdge: isWord(place - 1) == isWord(place)
      }
    }

    private func isWord(_ place: Int) -> Bool {
      text.indices.contains(place) && GoPatternParser.word.contains(text[place].value)
    }
  }
}
