// SPDX-License-Identifier: MIT

import Basics
import CYAML
import Monitoring

/// One event of libyaml.
enum YAMLEvent: Hashable {
  /// `isPlain`: written without quotes.
  case scalar(String, isPlain: Bool)
  /// `isFlow`: in brackets.
  case listStart(isFlow: Bool)
  case listEnd
  case mapStart(isFlow: Bool)
  case mapEnd
  case alias
  case documentStart
  case documentEnd
  case streamStart
  case streamEnd

  var isFlowStart: Bool { self == .listStart(isFlow: true) || self == .mapStart(isFlow: true) }
}

/// A tag as far as it has a meaning here.
enum YAMLTag: Hashable {
  case none
  /// `!!str`.
  case text
  /// `!!binary`.
  case binary
  case other
}

/// An event, where it begins and what is on it.
struct YAMLItem {
  var event: YAMLEvent
  var position: Position
  /// Of an alias: the anchor it stands for.
  var anchor: ByteText?
  var tag = YAMLTag.none
  /// Of a document's start.
  var hasDirectives = false

  /// An anchor, an alias, a tag or a directive.
  var isMarked: Bool { anchor != nil || tag != .none || hasDirectives }
}

/// Why libyaml could not read on.
struct YAMLFailure: Error {
  var words: LibyamlWords
  /// `nil` where it is not known, or there is no memory left.
  var position: Position?
  /// The context of the error, and where that began.
  var context: String?
  var began: Position?
}

/// libyaml at work on one text, one event at a time: nothing expands, and no two trees are compared.
///
/// A parser gives events or marks, never both. Not for several threads.
final class YAMLParser {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let text: UnsafeBufferPointer<UInt8>

  /// - Parameter text: UTF-8, lent for as long as the parser is used. `nil` when memory is out.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      return nil
    }
    // Given, so that a byte order mark does not choose it.
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, text.baseAddress, text.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  /// The next event. After the end of the stream there is none.
  func next() throws(YAMLFailure) -> YAMLItem {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw failure }
    defer { yaml_event_delete(&event) }
    let position = Position(event.start_mark)
    func item(
      _ event: YAMLEvent, _ anchor: UnsafeMutablePointer<yaml_char_t>? = nil,
      _ tag: UnsafeMutablePointer<yaml_char_t>? = nil
    ) -> YAMLItem {
      YAMLItem(
        event: event, position: position, anchor: anchor.map { ByteText(String(cString: $0)) },
        tag: YAMLTag(tag))
    }
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
      let text = String(decoding: bytes, as: UTF8.self)
      return item(.scalar(text, isPlain: isPlain), scalar.anchor, scalar.tag)
    case YAML_SEQUENCE_START_EVENT:
      let start = event.data.sequence_start
      return item(.listStart(isFlow: start.style == YAML_FLOW_SEQUENCE_STYLE), start.anchor, start.tag)
    case YAML_MAPPING_START_EVENT:
      let start = event.data.mapping_start
      return item(.mapStart(isFlow: start.style == YAML_FLOW_MAPPING_STYLE), start.anchor, start.tag)
    case YAML_DOCUMENT_START_EVENT:
      let start = event.data.document_start
      let hasTags = start.tag_directives.start != start.tag_directives.end
      var made = item(.documentStart)
      made.hasDirectives = start.version_directive != nil || hasTags
      return made
    case YAML_ALIAS_EVENT: return item(.alias, event.data.alias.anchor)
    case YAML_SEQUENCE_END_EVENT: return item(.listEnd)
    case YAML_MAPPING_END_EVENT: return item(.mapEnd)
    case YAML_DOCUMENT_END_EVENT: return item(.documentEnd)
    case YAML_STREAM_START_EVENT: return item(.streamStart)
    default: return item(.streamEnd)
    }
  }

  private var failure: YAMLFailure {
    let state = parser.pointee
    guard state.error != YAML_MEMORY_ERROR, let words = state.problem else {
      return YAMLFailure(words: LibyamlWords("out of memory"))
    }
    guard state.error != YAML_READER_ERROR else {
      // A place in bytes; marks count characters.
      return YAMLFailure(
        words: LibyamlWords(String(cString: words)), position: position(ofByte: state.problem_offset))
    }
    return YAMLFailure(
      words: LibyamlWords(String(cString: words)), position: Position(state.problem_mark),
      context: state.context.map { String(cString: $0) },
      began: state.context == nil ? nil : Position(state.context_mark))
  }

  private func position(ofByte offset: Int) -> Position? {
    guard (0...text.count).contains(offset) else { return nil }
    let before = text.prefix(offset)
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let column = before[start...].count { $0 & 0xc0 != 0x80 } + 1
    return Position(line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: column)
  }
}

// MARK: - Marks

/// A part of YAML that a reader may refuse, and where it stands.
struct YAMLMark {
  var kind: YAMLProblem.Mark
  var position: Position
}

extension YAMLParser {
  /// Every anchor, alias, tag, directive and indenting tab, as far as the text can be read; at most `limit`.
  func marks(limit: Int) -> [YAMLMark] {
    var marks: [YAMLMark] = []
    while marks.count < limit {
      var token = yaml_token_t()
      guard yaml_parser_scan(parser, &token) == 1 else {
        if let last = mark(of: failure) { marks.append(last) }
        break
      }
      defer { yaml_token_delete(&token) }
      let position = Position(token.start_mark)
      switch token.type {
      case YAML_ANCHOR_TOKEN: marks.append(YAMLMark(kind: .anchor, position: position))
      case YAML_ALIAS_TOKEN: marks.append(YAMLMark(kind: .alias, position: position))
      case YAML_TAG_TOKEN: marks.append(YAMLMark(kind: .tag, position: position))
      case YAML_VERSION_DIRECTIVE_TOKEN, YAML_TAG_DIRECTIVE_TOKEN:
        marks.append(YAMLMark(kind: .directive, position: position))
      case YAML_STREAM_END_TOKEN: return marks
      default: break
      }
    }
    return marks
  }

  /// The unsupported mark that the scanner stopped in.
  private func mark(of failure: YAMLFailure) -> YAMLMark? {
    if let position = failure.position, isTab(at: position) {
      return YAMLMark(kind: .tab, position: position)
    }
    guard let began = failure.began else { return nil }
    return switch failure.context {
    case "while scanning an anchor": YAMLMark(kind: .anchor, position: began)
    case "while scanning an alias": YAMLMark(kind: .alias, position: began)
    case "while scanning a tag", "while parsing a tag": YAMLMark(kind: .tag, position: began)
    case "while scanning a directive", "while scanning a %YAML directive", "while parsing a %TAG directive",
      "while scanning a %TAG directive", "while scanning a tag directive", "while parsing a tag directive":
      YAMLMark(kind: .directive, position: began)
    default: nil
    }
  }

  /// Whether nothing but blanks stand before it, and a tab there.
  private func isTab(at position: Position) -> Bool {
    let lines = text.split(
      separator: UInt8(ascii: "\n"), maxSplits: position.line, omittingEmptySubsequences: false)
    guard lines.indices.contains(position.line - 1) else { return false }
    let before = lines[position.line - 1].prefix(position.column)
    // Behind the line's end nothing stands.
    guard before.count == position.column else { return false }
    return before.last == 0x09 && before.allSatisfy { $0 == 0x20 || $0 == 0x09 }
  }
}

extension Position {
  fileprivate init(_ mark: yaml_mark_t) { self.init(line: mark.line + 1, column: mark.column + 1) }
}

extension YAMLTag {
  fileprivate init(_ tag: UnsafeMutablePointer<yaml_char_t>?) {
    guard let tag else {
      self = .none
      return
    }
    self =
      switch String(cString: tag) {
      case "tag:yaml.org,2002:str": .text
      case "tag:yaml.org,2002:binary": .binary
      default: .other
      }
  }
}
