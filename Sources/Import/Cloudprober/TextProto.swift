// SPDX-License-Identifier: MIT

import Basics

/// Text of a protocol buffer, as cloudprober's .cfg is written: `name: value`, `name { … }`, lists in brackets, comments
/// with `#`. Templates of Go are not worked out.
struct TextProto {
  private let bytes: [UInt8]
  private var place = 0
  private var line = 1
  private var values = 0

  static func read(_ bytes: [UInt8]) throws(ImportProblem) -> ForeignNode {
    guard bytes.count <= ForeignLimits.bytes else { throw ImportProblem("is larger than 16 MiB") }
    var reader = TextProto(bytes: bytes)
    let entries = try reader.entries(until: nil, depth: 1)
    return ForeignNode(content: .map(entries), line: 1)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skip() {
    while let byte = next {
      switch byte {
      case 0x0a: line += 1
      case 0x20, 0x09, 0x0d, UInt8(ascii: ","), UInt8(ascii: ";"): break
      case UInt8(ascii: "#"):
        while let more = next, more != 0x0a { _ = more; place += 1 }
        continue
      default: return
      }
      place += 1
    }
  }

  private func problem(_ words: String) -> ImportProblem { ImportProblem("line \(line): \(words)") }

  private mutating func entries(
    until close: UInt8?, depth: Int
  ) throws(ImportProblem) -> [(name: String, value: ForeignNode)] {
    guard depth <= ForeignLimits.depth else { throw problem("nested too deep") }
    var entries: [(name: String, value: ForeignNode)] = []
    while true {
      skip()
      guard let byte = next else {
        if close == nil { return entries }
        throw problem("a } is missing")
      }
      if byte == close {
        place += 1
        return entries
      }
      let name = word()
      guard !name.isEmpty else {
        throw ImportProblem(
          "line \(line): no name of a field", hint: "templates {{ }} must be worked out first")
      }
      skip()
      if next == UInt8(ascii: ":") {
        place += 1
        skip()
      }
      entries.append((name, try value(depth: depth)))
    }
  }

  private mutating func word() -> String {
    let start = place
    while let byte = next, isASCIIAlphanumeric(byte) || "_.-+".utf8.contains(byte) { place += 1 }
    // Names of extensions stand in brackets.
    if start == place, next == UInt8(ascii: "[") {
      while let byte = next, byte != 0x0a {
        place += 1
        if byte == UInt8(ascii: "]") { break }
      }
    }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  private mutating func value(depth: Int) throws(ImportProblem) -> ForeignNode {
    values += 1
    guard values <= ForeignLimits.values else { throw problem("more than \(ForeignLimits.values) values") }
    let start = line
    switch next {
    case UInt8(ascii: "{"):
      place += 1
      return ForeignNode(content: .map(try entries(until: UInt8(ascii: "}"), depth: depth + 1)), line: start)
    case UInt8(ascii: "<"):
      place += 1
      return ForeignNode(content: .map(try entries(until: UInt8(ascii: ">"), depth: depth + 1)), line: start)
    case UInt8(ascii: "["):
      guard depth <= ForeignLimits.depth else { throw problem("nested too deep") }
      place += 1
      var items: [ForeignNode] = []
      skip()
      while next != UInt8(ascii: "]") {
        guard next != nil else { throw problem("a ] is missing") }
        items.append(try value(depth: depth + 1))
        skip()
      }
      place += 1
      return ForeignNode(content: .list(items), line: start)
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"):
      var text: [UInt8] = []
      // Texts beside one another are one.
      while let quote = next, "\"'`".utf8.contains(quote) {
        text += try quoted(quote)
        skip()
      }
      return ForeignNode(content: .scalar(String(decoding: text, as: UTF8.self), isPlain: false), line: start)
    default:
      let text = word()
      guard !text.isEmpty else { throw problem("no value") }
      return ForeignNode(content: .scalar(text, isPlain: true), line: start)
    }
  }

  private mutating func quoted(_ quote: UInt8) throws(ImportProblem) -> [UInt8] {
    var text: [UInt8] = []
    place += 1
    while let byte = next {
      place += 1
      if byte == quote { return text }
      if byte == 0x0a { line += 1 }
      if let end = template() {
        text.append(byte)
        text += bytes[place..<end]
        place = end
        continue
      }
      guard byte == UInt8(ascii: "\\"), quote != UInt8(ascii: "`"), let escape = next else {
        text.append(byte)
        continue
      }
      place += 1
      switch escape {
      case UInt8(ascii: "n"): text.append(0x0a)
      case UInt8(ascii: "r"): text.append(0x0d)
      case UInt8(ascii: "t"): text.append(0x09)
      default: text.append(escape)
      }
    }
    throw problem("a text has no end")
  }

  /// The end of a template of Go on this line, whose first brace was read: it is worked out before texts are, and has
  /// quotes of its own.
  private func template() -> Int? {
    let brace = UInt8(ascii: "{")
    guard place < bytes.count, bytes[place] == brace, bytes[place - 1] == brace else { return nil }
    var end = place + 1
    while end + 1 < bytes.count, bytes[end] != 0x0a, bytes[end] != brace {
      if bytes[end] == UInt8(ascii: "}"), bytes[end + 1] == UInt8(ascii: "}") { return end + 2 }
      end += 1
    }
    return nil
  }
}

extension ForeignNode {
  /// All values of that name: a field of a message may come more than once.
  func each(_ name: String) -> [ForeignNode] {
    (entries ?? []).filter { $0.name == name }.flatMap { $0.value.items ?? [$0.value] }
  }
}
