// SPDX-License-Identifier: MIT

import Basics
import CYAML

/// Reads YAML as Go's programs do: several documents, anchors, aliases, merge keys, and the tags `!!str` and
/// `!!binary`; others are ignored. agent.yaml has none of these, so its own reader does not know them. Text repeated by
/// aliases counts against the same budget as text written out.
struct ForeignYAML {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private var anchors: [ByteText: ForeignNode] = [:]
  private var weight = ForeignWeight()

  /// All documents of the text.
  static func read(_ bytes: [UInt8]) throws(ImportProblem) -> [ForeignNode] {
    guard bytes.count <= ForeignLimits.bytes else { throw ImportProblem("is larger than 16 MiB") }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw ImportProblem("is no valid UTF-8", hint: "save it as UTF-8")
    }
    try checkDirectives(bytes)
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    defer { parser.deallocate() }
    guard yaml_parser_initialize(parser) == 1 else { throw ImportProblem("no memory left to read it") }
    defer { yaml_parser_delete(parser) }
    let result = bytes.withUnsafeBufferPointer { text -> Result<[ForeignNode], ImportProblem> in
      yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
      yaml_parser_set_input_string(parser, text.baseAddress, text.count)
      var reader = ForeignYAML(parser: parser)
      return Result { () throws(ImportProblem) in try reader.documents() }
    }
    return try result.get()
  }

  private static func checkDirectives(_ bytes: [UInt8]) throws(ImportProblem) {
    var directives = 0
    var line = 1
    var isStart = true
    for byte in bytes {
      if isStart, byte == UInt8(ascii: "%") { directives += 1 }
      guard directives <= ForeignLimits.directives else {
        throw ImportProblem(
          "line \(line): more than \(ForeignLimits.directives) directives",
          hint: "remove the lines that begin with %")
      }
      isStart = byte == 0x0a || byte == 0x0d
      if byte == 0x0a { line += 1 }
    }
  }

  private init(parser: UnsafeMutablePointer<yaml_parser_t>) { self.parser = parser }

  private mutating func documents() throws(ImportProblem) -> [ForeignNode] {
    var documents: [ForeignNode] = []
    while true {
      let event = try next()
      switch event.kind {
      case .end: return documents
      case .other: continue
      default:
        anchors = [:]
        documents.append(try node(event, depth: 1))
      }
    }
  }

  private struct Event {
    enum Kind {
      case scalar(String, isPlain: Bool)
      /// `!!binary` that is no text.
      case bytes([UInt8])
      case list, map, close, alias, other, end
    }

    var kind: Kind
    var anchor: ByteText?
    var line: Int
  }

  private func next() throws(ImportProblem) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else {
      let state = parser.pointee
      let words = state.problem.map { String(cString: $0) } ?? "out of memory"
      throw ImportProblem("line \(state.problem_mark.line &+ 1): no valid YAML: \(words)")
    }
    defer { yaml_event_delete(&event) }
    let line = Int(clamping: event.start_mark.line) &+ 1
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let written = String(
        decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      let tag = scalar.tag.map { String(cString: $0) } ?? ""
      if tag == Self.tags + "binary" {
        return Event(kind: try Self.binary(written, line), anchor: name(scalar.anchor), line: line)
      }
      let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE && tag != Self.tags + "str"
      return Event(kind: .scalar(written, isPlain: isPlain), anchor: name(scalar.anchor), line: line)
    case YAML_SEQUENCE_START_EVENT:
      return Event(kind: .list, anchor: name(event.data.sequence_start.anchor), line: line)
    case YAML_MAPPING_START_EVENT:
      return Event(kind: .map, anchor: name(event.data.mapping_start.anchor), line: line)
    case YAML_ALIAS_EVENT: return Event(kind: .alias, anchor: name(event.data.alias.anchor), line: line)
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return Event(kind: .close, line: line)
    case YAML_STREAM_END_EVENT: return Event(kind: .end, line: line)
    default: return Event(kind: .other, line: line)
    }
  }

  private static let tags = "tag:yaml.org,2002:"

  /// Decodes `!!binary`.
  private static func binary(_ text: String, _ line: Int) throws(ImportProblem) -> Event.Kind {
    let digits = String(decoding: text.utf8.filter { $0 > 0x20 }, as: UTF8.self)
    guard let bytes = Base64.bytes(digits, limit: ForeignLimits.bytes) else {
      throw ImportProblem("line \(line): !!binary that is no Base64")
    }
    return String(validating: bytes, as: UTF8.self).map { .scalar($0, isPlain: false) } ?? .bytes(bytes)
  }

  private func name(_ anchor: UnsafeMutablePointer<yaml_char_t>?) -> ByteText? {
    anchor.map { ByteText(String(cString: $0)) }
  }

  private mutating func count(_ more: ForeignWeight, _ line: Int) throws(ImportProblem) {
    weight.add(more)
    guard weight.values <= ForeignLimits.values else {
      throw ImportProblem("line \(line): more than \(ForeignLimits.values) values, aliases expanded")
    }
    guard weight.bytes <= ForeignLimits.bytes else {
      throw ImportProblem(
        "line \(line): more than \(ForeignLimits.bytes >> 20) MiB of text, aliases expanded")
    }
  }

  private mutating func node(_ event: Event, depth: Int) throws(ImportProblem) -> ForeignNode {
    guard depth <= ForeignLimits.depth else {
      throw ImportProblem("line \(event.line): nested deeper than \(ForeignLimits.depth) levels")
    }
    var made: ForeignNode
    switch event.kind {
    case .scalar(let text, let isPlain):
      try count(ForeignWeight(bytes: text.utf8.count), event.line)
      made = ForeignNode(content: .scalar(text, isPlain: isPlain), line: event.line)
    case .bytes(let bytes):
      try count(ForeignWeight(bytes: bytes.count), event.line)
      made = ForeignNode(content: .scalar("", isPlain: false), line: event.line)
      made.bytes = bytes
    case .list:
      var items: [ForeignNode] = []
      while let item = try inner() { items.append(try node(item, depth: depth + 1)) }
      made = ForeignNode(content: .list(items), line: event.line)
    case .map: made = ForeignNode(content: .map(try entries(depth: depth)), line: event.line)
    case .alias:
      guard let anchor = event.anchor, let known = anchors[anchor] else {
        throw ImportProblem("line \(event.line): an alias without its anchor")
      }
      try count(ForeignWeight(known), event.line)
      return known
    default: throw ImportProblem("line \(event.line): no valid YAML")
    }
    try count(ForeignWeight(values: 1), event.line)
    if let anchor = event.anchor { anchors[anchor] = made }
    return made
  }

  /// `nil` at the end of the list or map.
  private func inner() throws(ImportProblem) -> Event? {
    let event = try next()
    if case .close = event.kind { return nil }
    return event
  }

  private mutating func entries(depth: Int) throws(ImportProblem) -> [(name: String, value: ForeignNode)] {
    var entries: [(name: String, value: ForeignNode)] = []
    var merged: [ForeignNode] = []
    var lines: [ByteText: Int] = [:]
    while let key = try inner() {
      let given = try node(key, depth: depth + 1)
      guard case .scalar(let name, let isPlain) = given.content else {
        throw ImportProblem(
          "line \(key.line): a key must be plain text",
          hint: "values that a template sets ({{ }}) have to be in the file: render it first")
      }
      guard let first = try inner() else { throw ImportProblem("line \(key.line): a key without its value") }
      let value = try node(first, depth: depth + 1)
      if name == "<<", isPlain {
        merged += try Self.sources(value, line: key.line)
      } else if let line = lines.updateValue(key.line, forKey: ByteText(name)) {
        throw ImportProblem(
          "line \(key.line): \(name.printable(maxBytes: 80)) is given twice, first on line \(line)",
          hint: "the monitor itself refuses such a file")
      } else {
        entries.append((name, value))
      }
    }
    // Whatever is given first wins: what is written out, then the merged maps in their order.
    for source in merged {
      for entry in source.entries ?? [] where lines.updateValue(0, forKey: ByteText(entry.name)) == nil {
        entries.append(entry)
      }
    }
    return entries
  }

  /// The maps that a merge key names.
  private static func sources(_ value: ForeignNode, line: Int) throws(ImportProblem) -> [ForeignNode] {
    let sources = value.items ?? [value]
    guard sources.allSatisfy({ $0.entries != nil }) else {
      throw ImportProblem("line \(line): << takes a map or a list of maps")
    }
    return sources
  }
}
