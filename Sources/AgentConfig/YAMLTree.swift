// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The file as a tree of text with places: what the typed walk reads. Nothing is interpreted yet, so `no`, `0123` and
/// `12:30` are what the writer wrote, not what YAML 1.1 makes of them.
struct YAMLNode: Sendable {
  struct Entry: Sendable {
    var key: String
    var position: Position
    var value: YAMLNode
  }

  enum Content: Sendable {
    /// `isPlain`: written without quotes, so that `true`, `null` and numbers mean themselves.
    case scalar(String, isPlain: Bool)
    case list([YAMLNode])
    case map([Entry])
  }

  var content: Content
  var position: Position

  /// Written as nothing, `~` or `null`.
  var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }

  /// Written as `null`: what a check, template or defaults would inherit here is taken away.
  var isTakenAway: Bool {
    guard case .scalar("null", isPlain: true) = content else { return false }
    return true
  }

  /// For messages: what stands here, without quoting it.
  var kindText: String {
    switch content {
    case .scalar: isNull ? "nothing" : "a single value"
    case .list: "a list"
    case .map: "a map"
    }
  }
}

/// Text to tree: the caps, the refusals, and the parser's own complaints in our words.
package struct YAMLReader {
  /// Bytes.
  package static let maxSize = 16 * 1024 * 1024
  static let tooLarge = "the file is larger than 16 MiB"
  static let maxDepth = 32
  /// A file with so many is no configuration.
  private static let maxMarks = 100

  let file: String
  private let source: Int
  /// The first of them.
  private(set) var problems: [ConfigProblem] = []
  private var count = 0
  /// The tree holds an anchor, a tag or an alias somewhere.
  private var isMarked = false

  /// - Parameter source: what places in the tree say of the file.
  init(file: String, source: Int = 0) {
    self.file = file
    self.source = source
  }

  /// Nil when there is nothing to walk; `problems` then says why.
  mutating func read(_ text: String) -> YAMLNode? {
    guard text.utf8.count <= Self.maxSize else {
      problem(nil, Self.tooLarge)
      return nil
    }
    if text.utf8.starts(with: [0xef, 0xbb, 0xbf]) {
      problem(
        Position(line: 1, column: 1), "the file begins with a byte order mark",
        hint: "save it as UTF-8 without BOM")
      return nil
    }
    var text = text
    let node = text.withUTF8 { read($0) }
    return problems.isEmpty ? node : nil
  }

  /// Unsupported parts of YAML are reported first and all at once: other errors may follow from them.
  private mutating func read(_ text: UnsafeBufferPointer<UInt8>) -> YAMLNode? {
    guard let parser = YAMLParser(text), let scanner = YAMLParser(text) else {
      problem(nil, "no memory left to read the file")
      return nil
    }
    var (node, failure): (YAMLNode?, YAMLFailure?)
    do throws(YAMLFailure) { node = try document(parser) } catch { failure = error }
    if isMarked || failure != nil {
      let marks = scanner.marks(limit: Self.maxMarks)
      if !marks.isEmpty {
        (problems, count) = ([], 0)
        for mark in marks { problem(mark.position, mark.kind.message, hint: mark.kind.hint) }
        return nil
      }
    }
    if let failure, problems.isEmpty { explain(failure, in: text) }
    return node
  }

  private mutating func problem(_ position: Position?, _ message: String, hint: String? = nil) {
    count += 1
    guard count <= ConfigProblem.most else { return }
    problems.append(
      ConfigProblem(
        file: file, line: position?.line ?? 0, column: position?.column ?? 0, message: message, hint: hint))
  }

  var errors: ConfigErrors { ConfigErrors(problems: ConfigProblem.bounded(problems, of: count)) }

  /// The one document of the stream.
  private mutating func document(_ parser: YAMLParser) throws(YAMLFailure) -> YAMLNode? {
    _ = try parser.next()
    let start = try parser.next()
    guard start.event == .documentStart else {
      problem(nil, "the file is empty", hint: "start from agent.yaml.example")
      return nil
    }
    isMarked = start.isMarked
    let node = try node(try parser.next(), parser, depth: YAMLDepth())
    // It stopped in the middle.
    guard let node else { return nil }
    _ = try parser.next()
    let end = try parser.next()
    if end.event != .streamEnd {
      problem(
        end.position, "a second document begins here",
        hint: "one file holds one configuration; remove the ---")
    }
    return node
  }

  /// `nil` where the tree is too deep, and nothing is read any more.
  private mutating func node(
    _ first: (event: YAMLEvent, position: Position, isMarked: Bool), _ parser: YAMLParser, depth: YAMLDepth
  ) throws(YAMLFailure) -> YAMLNode? {
    guard !depth.isBeyond(Self.maxDepth, at: first.event) else {
      problem(first.position, "nested deeper than \(Self.maxDepth) levels")
      return nil
    }
    isMarked = isMarked || first.isMarked
    var position = first.position
    position.source = source
    switch first.event {
    case .scalar(let text, let isPlain):
      return YAMLNode(content: .scalar(text, isPlain: isPlain), position: position)
    case .listStart:
      guard let items = try items(parser, depth: depth.inside(first.event)) else { return nil }
      return YAMLNode(content: .list(items), position: position)
    case .mapStart:
      guard let entries = try entries(parser, depth: depth.inside(first.event)) else { return nil }
      return YAMLNode(content: .map(entries), position: position)
    default:
      // An alias, which is told of with all the others.
      return YAMLNode(content: .scalar("", isPlain: true), position: position)
    }
  }

  private mutating func items(_ parser: YAMLParser, depth: YAMLDepth) throws(YAMLFailure) -> [YAMLNode]? {
    var items: [YAMLNode] = []
    while true {
      let next = try parser.next()
      if next.event == .listEnd { return items }
      guard let item = try node(next, parser, depth: depth) else { return nil }
      items.append(item)
    }
  }

  private mutating func entries(
    _ parser: YAMLParser, depth: YAMLDepth
  ) throws(YAMLFailure) -> [YAMLNode.Entry]? {
    var entries: [YAMLNode.Entry] = []
    var seen = SeenKeys()
    while true {
      let next = try parser.next()
      if next.event == .mapEnd { return entries }
      guard let key = try node(next, parser, depth: depth),
        let value = try node(try parser.next(), parser, depth: depth)
      else { return nil }
      guard case .scalar(let name, _) = key.content else {
        problem(key.position, "a key must be plain text, found a list or a map")
        continue
      }
      if let first = seen.note(name, at: key.position) {
        problem(
          first, "key \"\(name.printable(maxBytes: 60))\" is given twice in one map",
          hint: "it stands here and once more further down")
        continue
      }
      entries.append(YAMLNode.Entry(key: name, position: key.position, value: value))
    }
  }
}

/// The keys of a map so far, by their bytes: texts that only look the same are not the same key, and comparing those
/// takes long.
private struct SeenKeys {
  /// As many are compared one by one.
  private static let few = 16

  private var names: [(name: String, position: Position)] = []
  private var many: [ByteText: Position] = [:]

  /// Where the name stood before; nil: nowhere.
  mutating func note(_ name: String, at position: Position) -> Position? {
    guard names.count == Self.few else {
      let bytes = name.utf8
      if let index = names.firstIndex(where: { $0.name.utf8.elementsEqual(bytes) }) {
        defer { names[index].position = position }
        return names[index].position
      }
      names.append((name, position))
      return nil
    }
    if many.isEmpty { for one in names { many[ByteText(one.name)] = one.position } }
    return many.updateValue(position, forKey: ByteText(name))
  }
}

// The parser's complaints.
extension YAMLReader {
  private mutating func explain(_ failure: YAMLFailure, in text: UnsafeBufferPointer<UInt8>) {
    let place = failure.position
    let started =
      failure.began.flatMap { $0.line != place?.line ? " (it began in line \($0.line))" : nil } ?? ""
    problem(
      place.map { inside(text, $0) }, "no valid YAML: \(failure.words.text.lowercased())\(started)",
      hint: failure.words.hint)
  }

  /// The parser complains about an early end on the line after the last one.
  private func inside(_ text: UnsafeBufferPointer<UInt8>, _ position: Position) -> Position {
    let lines = text.count { $0 == UInt8(ascii: "\n") } + 1
    guard position.line > lines else { return position }
    let last = text.reversed().prefix { $0 != UInt8(ascii: "\n") }.count { $0 & 0xc0 != 0x80 }
    return Position(line: lines, column: last + 1)
  }
}

extension YAMLMark.Kind {
  fileprivate var message: String {
    switch self {
    case .anchor: "anchors are not accepted"
    case .alias: "aliases are not accepted"
    case .tag: "tags are not accepted"
    case .directive: "directives are not accepted"
    case .tab: "a tab cannot indent"
    }
  }

  fileprivate var hint: String? {
    switch self {
    case .anchor: "write the value out, or quote a text that begins with &"
    case .alias: "write the value out, or quote a text that begins with *"
    case .tag: "leave it out, or quote a text that begins with !"
    case .directive: nil
    case .tab: "use spaces"
    }
  }
}
