// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Text to trees, by rules: the one reader of libyaml's events.
package struct YAMLReader {
  private let rules: YAMLRules
  private let source: Int
  /// The first of them, in the order they were found.
  package private(set) var problems: [YAMLProblem] = []
  /// How many there are.
  package private(set) var count = 0
  /// The documents of a text whose only problems are those behind which the reader goes on: a key that is given twice or
  /// is no text. They hold each value of a key that is given twice. Empty where there are other problems, or none.
  package private(set) var faulty: [YAMLNode] = []
  private var failure: YAMLFailure?
  /// The trees hold an anchor, a tag or an alias somewhere.
  private var isMarked = false
  private var anchors: [ByteText: YAMLNode] = [:]
  private var size = (values: 0, text: 0)

  /// Nothing is read any more; `problems` or `failure` say why.
  private struct Stop: Error {}

  /// - Parameter source: what places in the trees say of the file.
  package init(_ rules: YAMLRules, source: Int = 0) { (self.rules, self.source) = (rules, source) }

  /// The documents of a text. None when `problems` says why.
  package mutating func read(_ text: String) -> [YAMLNode] {
    guard isSmall(text.utf8.count) else { return [] }
    var text = text
    return text.withUTF8 { read($0) }
  }

  /// The documents of bytes that may be no text.
  package mutating func read(_ bytes: [UInt8]) -> [YAMLNode] {
    guard isSmall(bytes.count) else { return [] }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      note(.noUTF8)
      return []
    }
    return bytes.withUnsafeBufferPointer { read($0) }
  }

  private mutating func isSmall(_ count: Int) -> Bool {
    if count > rules.bytes { note(.tooLarge) }
    return count <= rules.bytes
  }

  private mutating func read(_ text: UnsafeBufferPointer<UInt8>) -> [YAMLNode] {
    var documents: [YAMLNode] = []
    var isRead = false
    do throws(Stop) {
      try checkStart(of: text)
      guard let parser = YAMLParser(text) else { throw stop(.noMemory) }
      try read(parser, into: &documents)
      isRead = true
    } catch {}
    if rules.refusesExtras, isMarked || failure != nil { tellMarks(of: text) }
    if let failure, problems.isEmpty {
      note(
        .failure(failure.words, began: failure.began.map { inside(text, $0) }),
        failure.position.map { inside(text, $0) })
    }
    if problems.isEmpty { return documents }
    if isRead, rules.refusesExtras, !isMarked { faulty = documents }
    return []
  }

  /// Problems that are seen without libyaml.
  private mutating func checkStart(of text: UnsafeBufferPointer<UInt8>) throws(Stop) {
    guard case .read(let limit, _, _) = rules.extras else {
      guard !text.starts(with: [0xef, 0xbb, 0xbf]) else {
        throw stop(.byteOrderMark, Position(line: 1, column: 1))
      }
      return
    }
    var (directives, line, isStart) = (0, 1, true)
    for byte in text {
      if isStart, byte == UInt8(ascii: "%") { directives += 1 }
      guard directives <= limit else { throw stop(.tooManyDirectives, Position(line: line, column: 1)) }
      isStart = byte == 0x0a || byte == 0x0d
      if byte == 0x0a { line += 1 }
    }
  }

  /// Refused parts of YAML are told first and all at once: other errors may follow from them.
  private mutating func tellMarks(of text: UnsafeBufferPointer<UInt8>) {
    guard let scanner = YAMLParser(text) else {
      note(.noMemory)
      return
    }
    let marks = scanner.marks(limit: rules.problems)
    guard !marks.isEmpty else { return }
    (problems, count) = ([], 0)
    for mark in marks { note(.mark(mark.kind), mark.position) }
  }

  /// The parser complains about an early end on the line after the last one.
  private func inside(_ text: UnsafeBufferPointer<UInt8>, _ position: Position) -> Position {
    let lines = text.count { $0 == UInt8(ascii: "\n") } + 1
    guard position.line > lines else { return position }
    let last = text.reversed().prefix { $0 != UInt8(ascii: "\n") }.count { $0 & 0xc0 != 0x80 }
    return Position(line: lines, column: last + 1)
  }

  private mutating func note(_ kind: YAMLProblem.Kind, _ position: Position? = nil) {
    count += 1
    if count <= rules.problems { problems.append(YAMLProblem(kind: kind, position: position)) }
  }

  private mutating func stop(_ kind: YAMLProblem.Kind, _ position: Position? = nil) -> Stop {
    note(kind, position)
    return Stop()
  }

  /// A problem behind which the reader goes on, if the rules ask for more than one.
  private mutating func tell(_ kind: YAMLProblem.Kind, _ position: Position) throws(Stop) {
    note(kind, position)
    if rules.problems == 1 { throw Stop() }
  }
}

// MARK: - Trees

extension YAMLReader {
  private mutating func next(_ parser: YAMLParser) throws(Stop) -> YAMLItem {
    do throws(YAMLFailure) {
      var item = try parser.next()
      item.position.source = source
      return item
    } catch {
      failure = error
      throw Stop()
    }
  }

  private mutating func read(_ parser: YAMLParser, into documents: inout [YAMLNode]) throws(Stop) {
    _ = try next(parser)
    while true {
      let start = try next(parser)
      guard start.event == .documentStart else {
        if documents.isEmpty, rules.refusesExtras { throw stop(.empty) }
        return
      }
      guard documents.isEmpty || !rules.refusesExtras else { throw stop(.secondDocument, start.position) }
      isMarked = start.isMarked
      anchors = [:]
      documents.append(try node(try next(parser), parser, depth: YAMLDepth()))
      _ = try next(parser)
    }
  }

  private mutating func node(
    _ item: YAMLItem, _ parser: YAMLParser, depth: YAMLDepth
  ) throws(Stop) -> YAMLNode {
    guard !depth.isBeyond(rules, at: item.event) else { throw stop(.tooDeep, item.position) }
    isMarked = isMarked || item.isMarked
    let content: YAMLNode.Content
    switch item.event {
    case .listStart: content = .list(try items(parser, depth: depth.inside(item.event)))
    case .mapStart: content = .map(try entries(parser, depth: depth.inside(item.event)))
    case .alias where !rules.refusesExtras: return try known(item)
    default: content = try scalar(of: item)
    }
    try add((1, 0), item.position)
    let node = YAMLNode(content: content, position: item.position)
    if !rules.refusesExtras, let anchor = item.anchor { anchors[anchor] = node }
    return node
  }

  /// The content of a single value; an alias that is refused, which is told of with all the others, is an empty one.
  private mutating func scalar(of item: YAMLItem) throws(Stop) -> YAMLNode.Content {
    guard case .scalar(let text, let isPlain) = item.event else { return .scalar("", isPlain: true) }
    guard !rules.refusesExtras else { return .scalar(text, isPlain: isPlain) }
    guard item.tag == .binary else {
      try add((0, text.utf8.count), item.position)
      return .scalar(text, isPlain: isPlain && item.tag != .text)
    }
    let digits = String(decoding: text.utf8.filter { $0 > 0x20 }, as: UTF8.self)
    guard let bytes = Base64.bytes(digits, limit: rules.bytes) else {
      throw stop(.noBase64, item.position)
    }
    try add((0, bytes.count), item.position)
    return String(validating: bytes, as: UTF8.self).map { .scalar($0, isPlain: false) } ?? .bytes(bytes)
  }

  /// The node that an alias stands for.
  private mutating func known(_ item: YAMLItem) throws(Stop) -> YAMLNode {
    guard let anchor = item.anchor, let known = anchors[anchor] else {
      throw stop(.noAnchor, item.position)
    }
    let repeated = known.size
    try add((repeated.values, repeated.text), item.position)
    return known
  }

  private mutating func add(_ more: (values: Int, text: Int), _ position: Position) throws(Stop) {
    guard case .read(_, let mostValues, let mostText) = rules.extras else { return }
    size = (size.values + more.values, size.text + more.text)
    guard size.values <= mostValues else { throw stop(.tooManyValues, position) }
    guard size.text <= mostText else { throw stop(.tooMuchText, position) }
  }

  private mutating func items(_ parser: YAMLParser, depth: YAMLDepth) throws(Stop) -> [YAMLNode] {
    var items: [YAMLNode] = []
    while true {
      let next = try next(parser)
      if next.event == .listEnd { return items }
      items.append(try node(next, parser, depth: depth))
    }
  }

  private mutating func entries(_ parser: YAMLParser, depth: YAMLDepth) throws(Stop) -> [YAMLNode.Entry] {
    var map = YAMLMap()
    while true {
      let first = try next(parser)
      if first.event == .mapEnd { return map.whole }
      let key = try node(first, parser, depth: depth)
      if key.name == nil, rules.problems == 1 { throw stop(.keyIsNoText, first.position) }
      let value = try node(try next(parser), parser, depth: depth)
      guard let name = key.name else {
        try tell(.keyIsNoText, first.position)
        continue
      }
      if name.isPlain, name.text == "<<", !rules.refusesExtras {
        guard map.merge(value) else { throw stop(.noMaps, first.position) }
      } else if let last = map.add(name.text, value, at: first.position) {
        try tell(.twice(name.text, last: last), first.position)
      }
    }
  }
}

extension YAMLNode {
  /// As a key; `nil` for a list or a map. Bytes that are no text are an empty one.
  fileprivate var name: (text: String, isPlain: Bool)? {
    switch content {
    case .scalar(let text, let isPlain): (text, isPlain)
    case .bytes: ("", false)
    case .list, .map: nil
    }
  }
}
