// SPDX-License-Identifier: MIT

import Basics

/// Takes a pattern of Go apart.
struct GoPatternParser {
  private struct Flags { var (ignoresCase, isMultiline, dotIsAll, isLazy) = (false, false, false, false) }
  private typealias Node = GoPatternNode
  private typealias Set = GoPattern.Characters

  private var rest: Substring.UnicodeScalarView
  private var flags = Flags()
  private var depth = 0
  private(set) var groups: [ByteText?] = [nil]

  init(_ text: String) { rest = text[...].unicodeScalars }

  static let word = GoPattern.Characters(ranges: [0x30...0x39, 0x41...0x5a, 0x5f...0x5f, 0x61...0x7a])
  private static let digit = Set(ranges: [0x30...0x39])
  private static let space = Set(ranges: [0x09...0x0a, 0x0c...0x0d, 0x20...0x20])

  mutating func parse() -> GoPatternNode? {
    guard let node = choice(), rest.isEmpty else { return nil }
    return node
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  // MARK: Structure

  private mutating func choice() -> Node? {
    depth += 1
    defer { depth -= 1 }
    guard depth < ForeignLimits.depth else { return nil }
    let outer = flags
    var parts: [Node] = []
    repeat {
      guard let part = row() else { return nil }
      parts.append(part)
    } while take("|")
    flags = outer
    return parts.count == 1 ? parts[0] : .choice(parts)
  }

  private mutating func row() -> Node? {
    var parts: [Node] = []
    while let next = rest.first, next != "|", next != ")" {
      let before = rest
      guard let part = atom() else { return nil }
      guard let part else { continue }
      if before.first == "\\", before.dropFirst().first == "Q", case .row(let letters) = part {
        // What repeats is its last letter.
        parts += letters.dropLast()
        guard let last = letters.last else { continue }
        guard let repeated = times(last) else { return nil }
        parts.append(repeated)
      } else {
        guard let repeated = times(part) else { return nil }
        parts.append(repeated)
      }
    }
    return parts.isEmpty ? .nothing : parts.count == 1 ? parts[0] : .row(parts)
  }

  /// Part of a pattern that may be repeated; the inner `nil` is a change of flags.
  private mutating func atom() -> Node?? {
    guard let scalar = rest.popFirst() else { return .none }
    switch scalar {
    case "(": return group()
    case "[": return bracket().map { .some(.one($0)) }
    case ".":
      let all = Set(ranges: flags.dotIsAll ? [] : [0x0a...0x0a], isNegated: true)
      return .some(.one(all))
    case "^": return .some(.at(flags.isMultiline ? .lineStart : .start))
    case "$": return .some(.at(flags.isMultiline ? .lineEnd : .end))
    case "*", "+", "?": return .none
    case "\\": return escape().map { .some($0) }
    default: return .some(.one(folded(Set(ranges: [scalar.value...scalar.value]))))
    }
  }

  private mutating func group() -> Node?? {
    guard take("?") else { return captured(named: nil) }
    let named = take("P")
    if rest.first == "<" {
      rest.removeFirst()
      let name = String(String.UnicodeScalarView(rest.prefix { $0 != ">" }))
      rest = rest.dropFirst(name.unicodeScalars.count)
      guard take(">"), !name.isEmpty, name.unicodeScalars.allSatisfy({ Self.word.contains($0.value) }) else {
        return .none
      }
      return captured(named: ByteText(name))
    }
    guard !named else { return .none }
    let outer = flags
    guard changeFlags() else { return .none }
    if take(")") { return .some(nil) }
    guard take(":"), let node = choice(), take(")") else { return .none }
    flags = outer
    return .some(node)
  }

  private mutating func captured(named name: ByteText?) -> Node?? {
    let number = groups.count
    guard number < 100, name == nil || !groups.contains(name) else { return .none }
    groups.append(name)
    guard let node = choice(), take(")") else { return .none }
    return .some(.group(node, number: number))
  }

  /// Letters of flags up to what ends them.
  private mutating func changeFlags() -> Bool {
    var value = true
    while let scalar = rest.first, scalar != ")", scalar != ":" {
      switch scalar {
      case "i": flags.ignoresCase = value
      case "m": flags.isMultiline = value
      case "s": flags.dotIsAll = value
      case "U": flags.isLazy = value
      case "-" where value: value = false
      default: return false
      }
      rest.removeFirst()
    }
    return !rest.isEmpty
  }

  // MARK: Repetition

  private mutating func times(_ node: Node) -> Node? {
    var least = 0
    var most: Int?
    switch rest.first {
    case "*": rest.removeFirst()
    case "+":
      rest.removeFirst()
      least = 1
    case "?":
      rest.removeFirst()
      most = 1
    case "{":
      guard let bounds = bounds() else { return node }
      (least, most) = bounds
      guard least <= 1000, (most ?? 0) <= 1000, most.map({ $0 >= least }) ?? true else { return nil }
    default: return node
    }
    let isGreedy = !take("?") != flags.isLazy
    if let next = rest.first, "*+?".unicodeScalars.contains(next) { return nil }
    if rest.first == "{" {
      let behind = rest
      defer { rest = behind }
      guard bounds() == nil else { return nil }
    }
    return .times(node, least: least, most: most, isGreedy: isGreedy)
  }

  /// `{2}`, `{2,}` and `{2,5}`; `nil`, and nothing taken: a brace as it is.
  private mutating func bounds() -> (Int, Int?)? {
    let before = rest
    rest.removeFirst()
    if let least = number() {
      if take("}") { return (least, least) }
      if take(",") {
        if take("}") { return (least, nil) }
        if let most = number(), take("}") { return (least, most) }
      }
    }
    rest = before
    return nil
  }

  private mutating func number() -> Int? {
    let digits = rest.prefix { Self.digit.contains($0.value) }
    guard !digits.isEmpty, digits.count < 8 else { return nil }
    rest = rest.dropFirst(digits.count)
    return Int(String(String.UnicodeScalarView(digits)))
  }

  // MARK: Characters

  private mutating func escape() -> Node? {
    guard let scalar = rest.popFirst() else { return nil }
    switch scalar {
    case "A": return .at(.start)
    case "z": return .at(.end)
    case "b": return .at(.wordEdge)
    case "B": return .at(.noWordEdge)
    case "Q":
      var letters: [Node] = []
      while let next = rest.popFirst() {
        if next == "\\", take("E") { break }
        letters.append(.one(folded(Set(ranges: [next.value...next.value]))))
      }
      return .row(letters)
    default:
      if let set = Self.letterClass(scalar) { return .one(set) }
      return value(of: scalar).map { .one(folded(Set(ranges: [$0...$0]))) }
    }
  }

  private static func letterClass(_ scalar: Unicode.Scalar) -> Set? {
    switch scalar {
    case "d": digit
    case "D": Set(ranges: digit.ranges, isNegated: true)
    case "s": space
    case "S": Set(ranges: space.ranges, isNegated: true)
    case "w": word
    case "W": Set(ranges: word.ranges, isNegated: true)
    default: nil
    }
  }

  /// The code point that an escape stands for.
  private mutating func value(of scalar: Unicode.Scalar) -> UInt32? {
    switch scalar {
    case "n": return 0x0a
    case "t": return 0x09
    case "r": return 0x0d
    case "f": return 0x0c
    case "v": return 0x0b
    case "a": return 0x07
    case "x": return hex()
    case "0"..."7":
      // One digit that is no zero would be a reference to a group.
      let more = rest.prefix(2).prefix { ("0"..."7").contains($0) }
      guard scalar == "0" || !more.isEmpty else { return nil }
      rest = rest.dropFirst(more.count)
      return more.reduce(scalar.value - 0x30) { $0 * 8 + $1.value - 0x30 }
    default:
      return scalar.isASCII && !Self.word.contains(scalar.value) || scalar == "_" ? scalar.value : nil
    }
  }

  private mutating func hex() -> UInt32? {
    let digits: Substring.UnicodeScalarView
    if take("{") {
      digits = rest.prefix { $0 != "}" }
      rest = rest.dropFirst(digits.count)
      guard take("}") else { return nil }
    } else {
      digits = rest.prefix(2)
      rest = rest.dropFirst(digits.count)
      guard digits.count == 2 else { return nil }
    }
    guard digits.count <= 8, digits.allSatisfy(\.properties.isASCIIHexDigit),
      let value = UInt32(String(String.UnicodeScalarView(digits)), radix: 16), value <= 0x10_ffff
    else { return nil }
    return value
  }

  private mutating func bracket() -> Set? {
    let isNegated = take("^")
    var set = Set()
    var isFirst = true
    while let scalar = rest.popFirst() {
      if scalar == "]", !isFirst {
        var made = folded(set)
        made.isNegated = isNegated
        return made
      }
      isFirst = false
      if scalar == "[", rest.first == ":" {
        guard let named = namedClass() else { return nil }
        set.ranges += named
        continue
      }
      if scalar == "\\", let letter = rest.first, let inner = Self.letterClass(letter) {
        rest.removeFirst()
        set.ranges += Self.ranges(of: inner)
        continue
      }
      guard let low = one(scalar) else { return nil }
      var high = low
      if rest.first == "-", let behind = rest.dropFirst().first, behind != "]" {
        rest.removeFirst(2)
        guard let end = one(behind), end >= low else { return nil }
        high = end
      }
      set.ranges.append(low...high)
    }
    return nil
  }

  private mutating func one(_ scalar: Unicode.Scalar) -> UInt32? {
    guard scalar == "\\" else { return scalar.value }
    guard let escaped = rest.popFirst() else { return nil }
    return value(of: escaped)
  }

  private static let names: [(name: String, ranges: [ClosedRange<UInt32>])] = [
    ("alnum", [0x30...0x39, 0x41...0x5a, 0x61...0x7a]), ("alpha", [0x41...0x5a, 0x61...0x7a]),
    ("ascii", [0...0x7f]), ("blank", [0x09...0x09, 0x20...0x20]), ("cntrl", [0...0x1f, 0x7f...0x7f]),
    ("digit", digit.ranges), ("graph", [0x21...0x7e]), ("lower", [0x61...0x7a]), ("print", [0x20...0x7e]),
    ("punct", [0x21...0x2f, 0x3a...0x40, 0x5b...0x60, 0x7b...0x7e]), ("space", [0x09...0x0d, 0x20...0x20]),
    ("upper", [0x41...0x5a]), ("word", word.ranges), ("xdigit", [0x30...0x39, 0x41...0x46, 0x61...0x66]),
  ]

  /// `[:alpha:]`, the bracket taken.
  private mutating func namedClass() -> [ClosedRange<UInt32>]? {
    rest.removeFirst()
    let isNegated = take("^")
    let name = String(String.UnicodeScalarView(rest.prefix { $0 != ":" }))
    rest = rest.dropFirst(name.unicodeScalars.count)
    guard take(":"), take("]"), let ranges = Self.names.first(where: { $0.name == name })?.ranges else {
      return nil
    }
    return Self.ranges(of: Set(ranges: ranges, isNegated: isNegated))
  }

  /// A set without negation.
  private static func ranges(of set: Set) -> [ClosedRange<UInt32>] {
    guard set.isNegated else { return set.ranges }
    var made: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in set.ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if range.lowerBound > next { made.append(next...(range.lowerBound - 1)) }
      next = max(next, range.upperBound + 1)
    }
    return next <= 0x10_ffff ? made + [next...0x10_ffff] : made
  }

  /// With the other case of its letters, where the pattern ignores it.
  private func folded(_ set: Set) -> Set {
    guard flags.ignoresCase else { return set }
    var made = set
    for range in set.ranges {
      for (letters, other) in [(UInt32(0x41)...0x5a, UInt32(0x20)), (0x61...0x7a, 0)] {
        let low = max(range.lowerBound, letters.lowerBound)
        let high = min(range.upperBound, letters.upperBound)
        guard low <= high else { continue }
        made.ranges.append(other > 0 ? (low + 0x20)...(high + 0x20) : (low - 0x20)...(high - 0x20))
      }
      if range.contains(0x4b) || range.contains(0x6b) { made.ranges.append(0x212a...0x212a) }
      if range.contains(0x53) || range.contains(0x73) { made.ranges.append(0x17f...0x17f) }
    }
    return made
  }
}
