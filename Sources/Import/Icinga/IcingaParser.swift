// SPDX-License-Identifier: MIT

import Basics

/// Reads the objects of a file. Anything else (functions, includes, conditions outside objects) is passed over, and
/// named.
struct IcingaParser {
  var tokens: IcingaTokens
  var token = IcingaTokens.Token.newline
  var line = 1
  let file: String
  let ledger: Ledger
  var leaves: [IcingaObject.Leaf] = []
  var values = 0
  /// The last problem is a construct that is not known here.
  var isUnread = false
  /// Names of what is being read, for the place of a value.
  var place: [String] = []

  private(set) var objects: [IcingaObject] = []
  private(set) var constants: [(name: String, value: IcingaExpression)] = []

  init(_ source: ImportFile, _ ledger: Ledger) throws(ImportProblem) {
    guard source.bytes.count <= ForeignLimits.bytes else { throw ImportProblem("is larger than 16 MiB") }
    (tokens, file, self.ledger) = (IcingaTokens(source.bytes), source.name, ledger)
    try advance()
    while token != .end { try top() }
  }

  // MARK: Tokens

  mutating func advance() throws(ImportProblem) {
    token = try tokens.next()
    line = tokens.line
  }

  func problem(_ words: String) -> ImportProblem { ImportProblem("line \(line): \(words)") }

  /// A problem of one object, whose end is still found.
  mutating func unread(_ words: String) -> ImportProblem {
    isUnread = true
    return problem(words)
  }

  private mutating func take(_ sign: String) throws(ImportProblem) -> Bool {
    guard token == .sign(sign) else { return false }
    try advance()
    return true
  }

  private mutating func expect(_ sign: String) throws(ImportProblem) {
    guard try take(sign) else { throw unread("\(sign) is expected") }
  }

  private mutating func skipLines() throws(ImportProblem) { while token == .newline { try advance() } }

  private mutating func word() throws(ImportProblem) -> String {
    guard case .word(let word) = token else { throw unread("a name is expected") }
    try advance()
    return word
  }

  private mutating func leaf(_ text: String) throws(ImportProblem) -> ForeignNode {
    values += 1
    guard values <= ForeignLimits.values else { throw problem("more than \(ForeignLimits.values) values") }
    let node = ledger.enter(
      ForeignNode(content: .scalar(text, isPlain: false), line: line), file: file,
      path: place.joined(separator: "."))
    leaves.append(IcingaObject.Leaf(attribute: place.dropFirst().first ?? "", node: node))
    return node
  }

  // MARK: The file

  private mutating func top() throws(ImportProblem) {
    switch token {
    case .word("object"): try wholeObject(.object)
    case .word("template"): try wholeObject(.template)
    case .word("apply"): try wholeObject(.apply)
    case .word("const"), .word("var"):
      try advance()
      let name = try word()
      guard try take("=") else {
        try passOver()
        return
      }
      place = [name]
      constants.append((name, try expression(1)))
    case .newline, .sign(";"): try advance()
    default: try statementOfFile()
    }
  }

  /// A condition, a loop, a function or a namespace: objects in it are left out.
  private mutating func statementOfFile() throws(ImportProblem) {
    var words = "statement"
    if case .word(let word) = token { words = word.printable(maxBytes: 40) }
    place = [words]
    let (line, values) = (line, values)
    guard try passOver(), values < ForeignLimits.values else { return }
    let why = "objects inside a statement of the language are not worked out"
    let node = ledger.enter(
      ForeignNode(content: .scalar(words, isPlain: true), line: line), file: file, path: words)
    ledger.list(node, why)
    ledger.leaveOut("objects in \(words) at line \(line)", why)
    self.values += 1
  }

  mutating func object(_ kind: IcingaObject.Kind) throws(ImportProblem) {
    try advance()
    var made = IcingaObject(kind: kind, type: try word(), line: line)
    leaves = []
    place = [made.type]
    if token != .word("for"), token != .sign("{"), token != .word("to") { made.name = try expression(1) }
    if case .literal(let value)? = made.name, let name = value.text {
      place = ["\(made.type)[\(name.printable(maxBytes: 80))]"]
    }
    while token != .sign("{") {
      switch token {
      case .word("for"): made.loop = try loop()
      case .word("to"):
        try advance()
        made.target = try word()
      case .word("use"):
        try advance()
        try expect("(")
        _ = try items(")", 1)
      case .word("default"):
        made.isUsual = true
        try advance()
      case .word("assign"), .word("ignore_on_error"), .newline: try advance()
      default: throw unread("{ is expected")
      }
    }
    made.body = try body(1)
    made.leaves = leaves
    objects.append(made)
  }

  private mutating func loop() throws(ImportProblem) -> (key: String, value: String, of: IcingaExpression) {
    try advance()
    try expect("(")
    let key = try word()
    let value = try take("=>") ? try word() : ""
    guard token == .word("in") else { throw unread("in is expected") }
    try advance()
    let list = try expression(1)
    try expect(")")
    return (key, value, list)
  }

  // MARK: Statements

  private mutating func body(_ depth: Int) throws(ImportProblem) -> [IcingaStatement] {
    guard depth <= ForeignLimits.depth else {
      throw problem("nested deeper than \(ForeignLimits.depth) levels")
    }
    try expect("{")
    var statements: [IcingaStatement] = []
    while true {
      while token == .newline || token == .sign(";") || token == .sign(",") { try advance() }
      if try take("}") { return statements }
      guard token != .end else { throw problem("} is expected") }
      statements.append(try statement(depth))
    }
  }

  private mutating func statement(_ depth: Int) throws(ImportProblem) -> IcingaStatement {
    switch token {
    case .word("import"):
      try advance()
      return .load(try expression(depth + 1))
    case .word("assign"), .word("ignore"):
      let isIgnored = token == .word("ignore")
      try advance()
      guard token == .word("where") else { throw unread("where is expected") }
      try advance()
      return .assign(try expression(depth + 1), isIgnored: isIgnored)
    case .word("if"): return try branch(depth)
    case .word("for"), .word("while"), .word("function"), .word("return"), .word("throw"), .word("var"),
      .word("use"), .word("try"), .word("break"), .word("continue"):
      try passOver(isInside: true)
      return .other("a statement of the language is not worked out")
    default: break
    }
    let before = place.count
    defer { place.removeLast(place.count - before) }
    var path = [try step()]
    while true {
      if case .literal(let value)? = path.last { place.append(value.text?.printable(maxBytes: 80) ?? "") }
      if try take(".") {
        path.append(try step())
      } else if try take("[") {
        path.append(try expression(depth + 1))
        try expect("]")
      } else {
        break
      }
    }
    guard case .sign(let sign) = token, ["=", "+=", "-=", "*=", "/="].contains(sign) else {
      try passOver(isInside: true)
      return .other("a statement of the language is not worked out")
    }
    try advance()
    try skipLines()
    return .set(path, sign, try expression(depth + 1))
  }

  /// A part of a path, which is no value.
  private mutating func step() throws(ImportProblem) -> IcingaExpression {
    switch token {
    case .word(let word):
      try advance()
      return .literal(IcingaValue(kind: .text(word)))
    case .text(let text):
      try advance()
      return .literal(IcingaValue(kind: .text(text)))
    default: throw unread("a name is expected")
    }
  }

  private mutating func branch(_ depth: Int) throws(ImportProblem) -> IcingaStatement {
    try advance()
    try expect("(")
    let condition = try expression(depth + 1)
    try expect(")")
    try skipLines()
    let yes = try body(depth + 1)
    guard token == .word("else") else { return .branch(condition, yes, []) }
    try advance()
    guard depth < ForeignLimits.depth else {
      throw problem("nested deeper than \(ForeignLimits.depth) levels")
    }
    if token == .word("if") { return .branch(condition, yes, [try branch(depth + 1)]) }
    return .branch(condition, yes, try body(depth + 1))
  }

  // MARK: Expressions

  /// Operators, the weakest first.
  private static let levels = [
    ["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["in", "!in"], ["<", ">", "<=", ">="], ["<<", ">>"],
    ["+", "-"], ["*", "/", "%"],
  ]

  private mutating func expression(_ depth: Int, _ level: Int = 0) throws(ImportProblem) -> IcingaExpression {
    guard depth <= ForeignLimits.depth else {
      throw problem("nested deeper than \(ForeignLimits.depth) levels")
    }
    guard level < Self.levels.count else { return try unary(depth) }
    var left = try expression(depth, level + 1)
    var count = 0
    while let sign = try sign(of: level) {
      count += 1
      guard count <= ForeignLimits.each else { throw problem("an expression is too long") }
      try skipLines()
      left = .binary(sign, left, try expression(depth, level + 1))
    }
    return left
  }

  private mutating func sign(of level: Int) throws(ImportProblem) -> String? {
    switch token {
    case .sign("!") where Self.levels[level].contains("!in"):
      try advance()
      guard token == .word("in") else { throw unread("in is expected") }
      try advance()
      return "!in"
    case .word(let word) where word == "in" && Self.levels[level].contains(word),
      .sign(let word) where Self.levels[level].contains(word):
      try advance()
      return word
    default: return nil
    }
  }

  private mutating func unary(_ depth: Int) throws(ImportProblem) -> IcingaExpression {
    guard depth <= ForeignLimits.depth else {
      throw problem("nested deeper than \(ForeignLimits.depth) levels")
    }
    if try take("!") { return .not(try unary(depth + 1)) }
    for sign in ["~", "&", "*"] where try take(sign) {
      _ = try unary(depth + 1)
      return .unknown("\(sign) of a value is not worked out")
    }
    if try take("-") {
      return .binary("-", .literal(IcingaValue(kind: .number(0))), try unary(depth + 1))
    }
    var made = try primary(depth)
    var count = 0
    while true {
      count += 1
      guard count <= ForeignLimits.depth else { throw problem("an expression is too long") }
      if try take(".") {
        made = .member(made, try word())
      } else if try take("[") {
        made = .index(made, try expression(depth + 1))
        try expect("]")
      } else if try take("(") {
        made = .call(made, try items(")", depth))
      } else {
        return made
      }
    }
  }

  private mutating func items(_ end: String, _ depth: Int) throws(ImportProblem) -> [IcingaExpression] {
    var items: [IcingaExpression] = []
    while true {
      try skipLines()
      if try take(end) { return items }
      items.append(try expression(depth + 1))
      try skipLines()
      if try take(",") { continue }
      try expect(end)
      return items
    }
  }

  private mutating func primary(_ depth: Int) throws(ImportProblem) -> IcingaExpression {
    switch token {
    case .text(let text):
      let node = try leaf(text)
      try advance()
      return .literal(IcingaValue(kind: .text(text), sources: [node]))
    case .number(let number):
      let node = try leaf("\(number)")
      try advance()
      return .literal(IcingaValue(kind: .number(number), sources: [node]))
    case .word("true"), .word("false"):
      let flag = token == .word("true")
      let node = try leaf(flag ? "true" : "false")
      try advance()
      return .literal(IcingaValue(kind: .flag(flag), sources: [node]))
    case .word("null"):
      try advance()
      return .literal(.null)
    case .word("function"):
      try passOver(isInside: true)
      return .unknown("a function is not worked out")
    case .word("if"):
      try passOver(isInside: true)
      return .unknown("a condition as a value is not worked out")
    case .word(let name):
      try advance()
      return token == .sign("=>") ? try lambda() : .name(name)
    case .sign("["):
      try advance()
      return .list(try items("]", depth))
    case .sign("{"): return .map(try body(depth + 1))
    case .sign("("):
      try advance()
      try skipLines()
      let inner = try expression(depth + 1)
      try skipLines()
      try expect(")")
      return token == .sign("=>") ? try lambda() : inner
    case .sign("{{"):
      _ = try leaf("{{ }}")
      try tokens.skipFunction()
      try advance()
      return .unknown("a function is not worked out")
    default: throw unread("a value is expected")
    }
  }
}
