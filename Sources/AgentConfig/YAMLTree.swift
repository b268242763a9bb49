// SPDX-License-Identifier: MIT

import Monitoring
import Yams

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
struct YAMLReader {
  /// Bytes.
  static let maxSize = 1024 * 1024

  let file: String
  private(set) var problems: [ConfigProblem] = []

  init(file: String) { self.file = file }

  /// Nil when there is nothing to walk; `problems` then says why.
  mutating func read(_ text: String) -> YAMLNode? {
    guard text.utf8.count <= Self.maxSize else {
      problem(nil, "the file is larger than 1 MiB")
      return nil
    }
    if text.utf8.starts(with: [0xef, 0xbb, 0xbf]) {
      problem(
        Position(line: 1, column: 1), "the file begins with a byte order mark",
        hint: "save it as UTF-8 without BOM")
      return nil
    }
    for finding in YAMLGuard.findings(in: text) {
      problem(finding.position, finding.message, hint: finding.hint)
    }
    guard problems.isEmpty else { return nil }
    guard let root = compose(text) else { return nil }
    let node = convert(root, depth: 1)
    return problems.isEmpty ? node : nil
  }

  private mutating func problem(_ position: Position?, _ message: String, hint: String? = nil) {
    problems.append(
      ConfigProblem(
        file: file, line: position?.line ?? 0, column: position?.column ?? 0, message: message, hint: hint))
  }

  private mutating func compose(_ text: String) -> Node? {
    do {
      // The encoding is given because Yams otherwise lets an environment variable choose it, and the resolver without
      // rules because the default one runs ten regular expressions over each key to find it a type.
      if let root = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot() { return root }
      problem(nil, "the file is empty", hint: "start from agent.yaml.example")
    } catch let error as YamlError {
      explain(error, in: text)
    } catch {
      problem(nil, "the file is no YAML")
    }
    return nil
  }

  private mutating func convert(_ node: Node, depth: Int) -> YAMLNode? {
    let position = Position(node.mark)
    guard depth <= YAMLGuard.maxDepth else {
      problem(position, "nested deeper than \(YAMLGuard.maxDepth) levels")
      return nil
    }
    switch node {
    case .scalar(let scalar):
      return YAMLNode(content: .scalar(scalar.string, isPlain: scalar.style == .plain), position: position)
    case .sequence(let items):
      let list = items.map { convert($0, depth: depth + 1) }
      return YAMLNode(content: .list(list.compactMap(\.self)), position: position)
    case .mapping(let mapping):
      return YAMLNode(content: .map(entries(mapping, depth: depth)), position: position)
    case .alias:
      problem(position, "aliases are not accepted")
      return nil
    }
  }

  private mutating func entries(_ mapping: Node.Mapping, depth: Int) -> [YAMLNode.Entry] {
    var entries: [YAMLNode.Entry] = []
    for (key, value) in mapping {
      let position = Position(key.mark)
      guard case .scalar(let scalar) = key else {
        problem(position, "a key must be plain text, found a list or a map")
        continue
      }
      guard let value = convert(value, depth: depth + 1) else { continue }
      entries.append(YAMLNode.Entry(key: scalar.string, position: position, value: value))
    }
    return entries
  }
}

// The parser's complaints.
extension YAMLReader {
  private mutating func explain(_ error: YamlError, in text: String) {
    switch error {
    case .scanner(let context, let words, let mark, _), .parser(let context, let words, let mark, _):
      let started =
        context.map { $0.mark.line != mark.line ? " (it began in line \($0.mark.line))" : "" } ?? ""
      let position = inside(text, Position(mark))
      problem(position, "no valid YAML: \(words)\(started)", hint: syntaxHint(words))
    case .composer(_, _, let mark, _):
      problem(
        Position(mark), "a second document begins here",
        hint: "one file holds one configuration; remove the ---")
    case .reader(let words, let offset, _, let yaml):
      problem(offset.flatMap { position(of: $0, in: yaml) }, "no valid YAML: \(words.lowercased())")
    case .duplicatedKeysInMapping(let keys, let context):
      for key in keys {
        problem(
          Position(context.mark), "key \"\(key.printable(maxBytes: 60))\" is given twice in one map",
          hint: "it stands here and once more further down")
      }
    default:
      problem(nil, "no valid YAML")
    }
  }

  /// The parser complains about an early end on the line after the last one.
  private func inside(_ text: String, _ position: Position) -> Position {
    let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
    guard position.line > lines else { return position }
    let last = text.unicodeScalars.reversed().prefix { $0 != "\n" }.count
    return Position(line: lines, column: last + 1)
  }

  private func position(of offset: Int, in text: String) -> Position? {
    guard let end = text.index(text.startIndex, offsetBy: offset, limitedBy: text.endIndex) else {
      return nil
    }
    let before = text[..<end]
    let line = before.utf8.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.unicodeScalars.lastIndex(of: "\n").map(before.unicodeScalars.index(after:))
    return Position(line: line, column: before.unicodeScalars[(start ?? before.startIndex)...].count + 1)
  }

  private func syntaxHint(_ words: String) -> String? {
    if words.contains("mapping values are not allowed") {
      return "check the indentation of this line, or quote a value that contains \": \""
    }
    if words.contains("cannot start any token") { return "quote a value that begins with @, ` or %" }
    if words.contains("did not find expected key") || words.contains("could not find expected ':'") {
      return "check the indentation and quotes of this line and the one before"
    }
    return nil
  }
}

extension Position {
  init(_ mark: Mark?) { self.init(line: mark?.line ?? 1, column: mark?.column ?? 1) }
}
