// SPDX-License-Identifier: MIT

import Basics

/// Reads TOML 1.0 into values with their lines. Tables of arrays become lists.
struct TOMLReader {
  private var rest: ArraySlice<UInt8>
  private var line = 1
  private var values = 0
  private var root = Table()

  private final class Tables { var all: [Table] = [] }

  /// A table that grows while the file is read.
  private final class Table {
    enum Value {
      case node(ForeignNode)
      case table(Table)
      case tables(Tables)
    }

    var names: [String] = []
    var values: [ByteText: Value] = [:]
    var line = 1

    func set(_ name: String, _ value: Value) {
      if values.updateValue(value, forKey: ByteText(name)) == nil { names.append(name) }
    }

    /// Depth is that of the tables' names, which is bounded.
    var node: ForeignNode {
      let entries = names.compactMap { name -> (name: String, value: ForeignNode)? in
        switch values[ByteText(name)] {
        case .node(let node): (name, node)
        case .table(let table): (name, table.node)
        case .tables(let tables): (name, ForeignNode(content: .list(tables.all.map(\.node)), line: line))
        case nil: nil
        }
      }
      return ForeignNode(content: .map(entries), line: line)
    }
  }

  static func read(_ bytes: [UInt8]) throws(ImportProblem) -> ForeignNode {
    guard bytes.count <= ForeignLimits.bytes else { throw ImportProblem("is larger than 16 MiB") }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw ImportProblem("is no valid UTF-8", hint: "save it as UTF-8")
    }
    var reader = TOMLReader(rest: bytes[...])
    return try reader.document()
  }

  private init(rest: ArraySlice<UInt8>) { self.rest = rest }

  private func problem(_ words: String) -> ImportProblem { ImportProblem("line \(line): \(words)") }

  private mutating func document() throws(ImportProblem) -> ForeignNode {
    var table = root
    while true {
      skip(lines: true)
      guard let first = rest.first else { return root.node }
      if first == UInt8(ascii: "[") {
        table = try header()
      } else {
        let path = try key()
        skip()
        guard take("=") else { throw problem("a key without =") }
        skip()
        let inner = try inside(table, path.dropLast())
        inner.set(path[path.count - 1], .node(try value(depth: 1)))
      }
      skip()
      guard rest.first == nil || rest.first == 0x0a else { throw problem("something stands behind a value") }
    }
  }

  private mutating func header() throws(ImportProblem) -> Table {
    values += 1
    guard values <= ForeignLimits.values else { throw problem("more than \(ForeignLimits.values) values") }
    _ = take("[")
    let isList = take("[")
    skip()
    let path = try key()
    skip()
    guard take("]"), !isList || take("]") else { throw problem("the name of a table has no end") }
    let table = try inside(root, isList ? path.dropLast() : path[...])
    guard isList, let name = path.last else { return table }
    let made = Table()
    made.line = line
    switch table.values[ByteText(name)] {
    case nil:
      let list = Tables()
      list.all.append(made)
      table.set(name, .tables(list))
    case .tables(let list): list.all.append(made)
    default: throw problem("\(name.printable(maxBytes: 80)) is no list of tables")
    }
    return made
  }

  /// The table that a path leads to, made where it is not there.
  private func inside(_ table: Table, _ path: ArraySlice<String>) throws(ImportProblem) -> Table {
    var table = table
    for name in path {
      switch table.values[ByteText(name)] {
      case .table(let inner): table = inner
      case .tables(let list): table = list.all[list.all.count - 1]
      case nil:
        let made = Table()
        made.line = line
        table.set(name, .table(made))
        table = made
      case .node: throw problem("\(name.printable(maxBytes: 80)) is a value and no table")
      }
    }
    return table
  }

  // MARK: Parts

  private mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: sign) else { return false }
    rest.removeFirst()
    return true
  }

  /// Blanks and comments, and line ends where they mean nothing.
  private mutating func skip(lines: Bool = false) {
    while let byte = rest.first {
      switch byte {
      case 0x20, 0x09, 0x0d: rest.removeFirst()
      case 0x0a where lines:
        rest.removeFirst()
        line += 1
      case UInt8(ascii: "#"): rest = rest.drop { $0 != 0x0a }
      default: return
      }
    }
  }

  private mutating func key() throws(ImportProblem) -> [String] {
    var path: [String] = []
    repeat {
      skip()
      switch rest.first {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): path.append(try string())
      default:
        let word = rest.prefix { GoPatternParser.word.contains(UInt32($0)) || $0 == UInt8(ascii: "-") }
        guard !word.isEmpty else { throw problem("a key is expected") }
        path.append(String(decoding: word, as: UTF8.self))
        rest = rest.dropFirst(word.count)
      }
      skip()
      guard path.count <= ForeignLimits.depth else {
        throw problem("nested deeper than \(ForeignLimits.depth) levels")
      }
    } while take(".")
    return path
  }

  private mutating func value(depth: Int) throws(ImportProblem) -> ForeignNode {
    values += 1
    guard values <= ForeignLimits.values else { throw problem("more than \(ForeignLimits.values) values") }
    guard depth <= ForeignLimits.depth else {
      throw problem("nested deeper than \(ForeignLimits.depth) levels")
    }
    let start = line
    switch rest.first {
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      return ForeignNode(content: .scalar(try string(), isPlain: false), line: start)
    case UInt8(ascii: "["): return ForeignNode(content: .list(try items(depth)), line: start)
    case UInt8(ascii: "{"): return try inlineTable(depth)
    default:
      let word = bareWord()
      guard !word.isEmpty else { throw problem("a value is expected") }
      return ForeignNode(content: .scalar(Self.decimal(word), isPlain: true), line: start)
    }
  }

  /// A number or another word; `${NAME}` in it is a variable, which Telegraf fills in before it reads the file.
  private mutating func bareWord() -> String {
    var end = rest.startIndex
    var isInside = false
    while end < rest.endIndex {
      let byte = rest[end]
      let isEnd = isInside ? byte == 0x0a : [0x20, 0x09, 0x0d, 0x0a, 0x2c, 0x5d, 0x7d, 0x23].contains(byte)
      if isEnd { break }
      if byte == UInt8(ascii: "$"), rest[end...].dropFirst().first == UInt8(ascii: "{") { isInside = true }
      if byte == UInt8(ascii: "}") { isInside = false }
      end += 1
    }
    defer { rest = rest[end...] }
    return String(decoding: rest[..<end], as: UTF8.self)
  }

  /// Whole numbers with `_` between digits, or of another base, in plain digits.
  private static func decimal(_ word: String) -> String {
    guard let first = word.utf8.first, (0x30...0x39).contains(first) || first == 0x2b || first == 0x2d else {
      return word
    }
    let digits = word.replacing("_", with: "")
    for (prefix, base) in [("0x", 16), ("0o", 8), ("0b", 2)] where digits.hasPrefix(prefix) {
      if let number = Int(digits.dropFirst(2), radix: base) { return String(number) }
    }
    return Double(digits) == nil ? word : digits
  }

  private mutating func items(_ depth: Int) throws(ImportProblem) -> [ForeignNode] {
    _ = take("[")
    var items: [ForeignNode] = []
    while true {
      skip(lines: true)
      if take("]") { return items }
      items.append(try value(depth: depth + 1))
      skip(lines: true)
      if take(",") { continue }
      guard take("]") else { throw problem("a list has no end") }
      return items
    }
  }

  private mutating func inlineTable(_ depth: Int) throws(ImportProblem) -> ForeignNode {
    _ = take("{")
    let table = Table()
    table.line = line
    while true {
      skip(lines: true)
      if take("}") { return table.node }
      let path = try key()
      skip()
      // Telegraf's own examples have a colon.
      guard take("=") || take(":") else { throw problem("a key without =") }
      skip()
      try inside(table, path.dropLast()).set(path[path.count - 1], .node(try value(depth: depth + 1)))
      skip(lines: true)
      if take(",") { continue }
      guard take("}") else { throw problem("a table has no end") }
      return table.node
    }
  }

  // MARK: Texts

  private mutating func string() throws(ImportProblem) -> String {
    guard let quote = rest.popFirst() else { throw problem("a text is expected") }
    let isLiteral = quote == UInt8(ascii: "'")
    guard rest.starts(with: [quote, quote]) else { return try text(until: [quote], isLiteral) }
    rest = rest.dropFirst(2)
    if rest.first == 0x0d { rest.removeFirst() }
    if rest.first == 0x0a {
      rest.removeFirst()
      line += 1
    }
    return try text(until: [quote, quote, quote], isLiteral)
  }

  private mutating func text(until end: [UInt8], _ isLiteral: Bool) throws(ImportProblem) -> String {
    var made: [UInt8] = []
    while let byte = rest.first {
      if rest.starts(with: end) {
        rest = rest.dropFirst(end.count)
        // Quotes before the three that end it are of the text.
        while end.count == 3, rest.first == end[0] {
          made.append(end[0])
          rest.removeFirst()
        }
        return String(decoding: made, as: UTF8.self)
      }
      rest.removeFirst()
      if byte == 0x0a {
        guard end.count == 3 else { break }
        line += 1
      }
      if byte == UInt8(ascii: "\\"), !isLiteral { try escape(&made) } else { made.append(byte) }
    }
    throw problem("a text has no end")
  }

  private mutating func escape(_ made: inout [UInt8]) throws(ImportProblem) {
    guard let byte = rest.popFirst() else { throw problem("a text has no end") }
    switch byte {
    case UInt8(ascii: "n"): made.append(0x0a)
    case UInt8(ascii: "t"): made.append(0x09)
    case UInt8(ascii: "r"): made.append(0x0d)
    case UInt8(ascii: "b"): made.append(0x08)
    case UInt8(ascii: "f"): made.append(0x0c)
    case UInt8(ascii: "e"): made.append(0x1b)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): made.append(byte)
    case UInt8(ascii: "u"), UInt8(ascii: "U"):
      let digits = rest.prefix(byte == UInt8(ascii: "u") ? 4 : 8)
      guard let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
        let scalar = Unicode.Scalar(number)
      else { throw problem("an escape is none") }
      rest = rest.dropFirst(digits.count)
      made += Array(String(Character(scalar)).utf8)
    case 0x0a, 0x20, 0x09, 0x0d:
      // A line that goes on: blanks and line ends up to the next text are none.
      if byte == 0x0a { line += 1 }
      while let next = rest.first, [0x20, 0x09, 0x0d, 0x0a].contains(next) {
        if next == 0x0a { line += 1 }
        rest.removeFirst()
      }
    default: throw problem("an escape is none")
    }
  }
}
