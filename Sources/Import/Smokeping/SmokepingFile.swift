// SPDX-License-Identifier: MIT

import Basics

/// A part of a Smokeping configuration: its values, entered into the books, and the parts below it.
final class SmokepingPart {
  let name: String
  var values: [(name: String, node: ForeignNode)] = []
  var parts: [SmokepingPart] = []

  init(_ name: String) { self.name = name }

  /// The last one of that name.
  subscript(name: String) -> ForeignNode? { values.last { $0.name == name }?.node }
}

/// Reads `*** Section ***`, `+ Part`, `++ Part` and `name = value`, with files that are included in their places.
struct SmokepingFile {
  private static let levels = 16

  private struct Source {
    var file: ImportFile
    var lines: [(text: String, line: Int)]
  }

  private let ledger: Ledger
  /// By the last part of their names.
  private var sources: [ByteText: Source] = [:]
  private var sections: [SmokepingPart] = []
  private var places: [ByteText: Int] = [:]
  /// The parts that are open, one in the other; the first is the section.
  private var open: [SmokepingPart] = []
  private var defined: [(name: String, value: String)] = []
  /// Bytes that may still be put in by `@define` and `@include`.
  private var room = ForeignLimits.bytes
  private var values = 0
  /// Files that another one includes.
  private var included: Set<ByteText> = []

  /// - Throws: which line is none.
  static func read(_ files: [ImportFile], _ ledger: Ledger) throws(ImportProblem) -> [SmokepingPart] {
    var reader = SmokepingFile(ledger)
    for file in files {
      guard file.bytes.count <= ForeignLimits.bytes else {
        throw ImportProblem("is larger than 16 MiB").of(file)
      }
      let source = Source(file: file, lines: lines(of: file))
      reader.sources[ByteText(lastPart(file.name))] = source
      for (text, _) in source.lines where text.hasPrefix("@include ") {
        reader.included.insert(ByteText(lastPart(text)))
      }
    }
    for file in files where !reader.included.contains(ByteText(lastPart(file.name))) {
      guard let source = reader.sources[ByteText(lastPart(file.name))] else { continue }
      reader.open = []
      try reader.read(source, level: 1)
    }
    return reader.sections
  }

  private init(_ ledger: Ledger) { self.ledger = ledger }

  private static func lastPart(_ path: String) -> String {
    path.split { $0 == "/" || $0 == " " || $0 == "\t" }.last.map(String.init) ?? ""
  }

  /// Lines without comments, continued where they end with a backslash, with their numbers.
  private static func lines(of file: ImportFile) -> [(text: String, line: Int)] {
    var lines: [(text: String, line: Int)] = []
    var open: (text: String, line: Int)?
    for (index, bytes) in file.bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
      var text = String(decoding: bytes, as: UTF8.self)[...].trimmed
      // Of a continued line only the first has comments.
      if open == nil, let sign = text.firstIndex(of: "#") { text = text[..<sign].trimmed }
      if open == nil, text.isEmpty { continue }
      let goesOn = text.hasSuffix("\\")
      if goesOn { text.removeLast() }
      if open != nil { open?.text += " " + text } else { open = (text, index + 1) }
      if !goesOn, let whole = open {
        lines.append((whole.text[...].trimmed, whole.line))
        open = nil
      }
    }
    if let open { lines.append(open) }
    return lines
  }

  private mutating func section(_ name: String) -> SmokepingPart {
    if let place = places[ByteText(name)] { return sections[place] }
    places[ByteText(name)] = sections.count
    sections.append(SmokepingPart(name))
    return sections[sections.count - 1]
  }

  private mutating func read(_ source: Source, level: Int) throws(ImportProblem) {
    let file = source.file
    for (text, line) in source.lines {
      func problem(_ words: String) -> ImportProblem { ImportProblem("line \(line): \(words)").of(file) }
      values += 1
      guard values <= ForeignLimits.values else { throw problem("more than \(ForeignLimits.values) values") }
      if level > 1 { try putIn(text.utf8.count, file, line) }
      if text.hasPrefix("***") {
        open = [section(text.drop { $0 == "*" }.prefix { $0 != "*" }.trimmed)]
      } else if text.hasPrefix("@include ") {
        guard let other = sources[ByteText(Self.lastPart(text))], level < Self.levels else {
          let path = text.dropFirst(9).trimmed
          // The number of targets in it is unknown.
          let why = "\(path.printable(maxBytes: 200)) is not in the files given: what stands in it is missing"
          ledger.list(enter("@include", path, file, line), why)
          continue
        }
        try read(other, level: level + 1)
      } else if text.hasPrefix("@define ") {
        let words = text.dropFirst(8).trimmed.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, defined.count < 32 else { throw problem("@define takes a name and a value") }
        defined.append((words[0], words[1][...].trimmed))
      } else if text.hasPrefix("+") {
        let depth = text.prefix { $0 == "+" }.count
        guard depth <= open.count, depth <= ForeignLimits.depth else {
          throw ImportProblem(
            problem("a part that has nothing above it").message,
            hint:
              "another file includes it: give Smokeping's config, or the Targets that includes it, as well")
        }
        let part = SmokepingPart(text.dropFirst(depth).trimmed)
        open.removeLast(open.count - depth)
        open[depth - 1].parts.append(part)
        open.append(part)
      } else {
        try setting(text, file, line)
      }
    }
  }

  private mutating func setting(
    _ text: String, _ file: ImportFile, _ line: Int
  ) throws(ImportProblem) {
    let text = try replaced(text, file, line)
    guard let equals = text.firstIndex(of: "=") else {
      enter(text.split(separator: " ").first.map(String.init) ?? "", text, file, line)
      return
    }
    enter(text[..<equals].trimmed, text[text.index(after: equals)...].trimmed, file, line)
  }

  @discardableResult
  private func enter(_ name: String, _ value: String, _ file: ImportFile, _ line: Int) -> ForeignNode {
    // Names in brackets: notes of one key are folded.
    let parts = open.dropFirst().map { "[\($0.name.printable(maxBytes: 80))]" }.joined()
    let shown = "\(open.first?.name ?? "")\(parts).\(name)".printable(maxBytes: ForeignLimits.place)
    let node = ledger.enter(ForeignNode(text: value, line: line), file: file.name, path: shown)
    open.last?.values.append((name, node))
    return node
  }

  private mutating func putIn(_ bytes: Int, _ file: ImportFile, _ line: Int) throws(ImportProblem) {
    room -= bytes
    guard room >= 0 else {
      throw ImportProblem("line \(line): @define and @include put in more than 16 MiB").of(file)
    }
  }

  /// Names of `@define`, whole words.
  private mutating func replaced(
    _ text: String, _ file: ImportFile, _ line: Int
  ) throws(ImportProblem) -> String {
    guard !defined.isEmpty else { return text }
    var made = ""
    var rest = text.unicodeScalars[...]
    while let scalar = rest.first {
      let word = rest.prefix { GoPatternParser.word.contains($0.value) }
      guard !word.isEmpty else {
        made.unicodeScalars.append(scalar)
        rest.removeFirst()
        continue
      }
      let name = String(Substring(word))
      let value = defined.last { $0.name == name }?.value
      try putIn(value?.utf8.count ?? 0, file, line)
      made += value ?? name
      rest = rest[word.endIndex...]
    }
    return made
  }
}
