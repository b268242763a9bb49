// SPDX-License-Identifier: MIT

import Basics

/// A place in a file; both count from 1, the column in Unicode scalars.
package struct Position: Hashable, Comparable, Sendable {
  package var line: Int
  package var column: Int
  /// Which file: 0 is the main one, the others are in the order they were included in.
  package var source: Int
  /// Whose the value is that stands there, for the check that has it.
  package var layer = ValueLayer.own

  package init(line: Int, column: Int, source: Int = 0) {
    (self.line, self.column, self.source) = (line, column, source)
  }

  package static func < (left: Position, right: Position) -> Bool {
    (left.source, left.line, left.column) < (right.source, right.line, right.column)
  }
}

/// Source of a check's written value. Earlier sources win over later ones.
package enum ValueLayer: UInt8, CaseIterable, Hashable, Sendable {
  /// Of the check itself, or of a section that is no check.
  case own
  /// Of a template that the check extends.
  case template
  /// Of the defaults of the check's group, of its file, or of the main file.
  case defaults
}

/// A value as it was given to a key: of the right type, inside its bounds, references resolved.
package struct Given: Sendable {
  package indirect enum Value: Sendable {
    case text(String)
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case duration(Duration)
    case list([Given])
    case map(GivenMap)
    /// A value is there and its problem is reported; it must not be reported again.
    case invalid
  }

  package var value: Value
  package var position: Position
  /// The value came, in whole or part, from `${file:}` or `${cred:}`.
  package var isSecret: Bool
  /// The text of each reference in a secret value, without what is written around it.
  package var secrets: [Redacted] = []
  /// The text in the file, of a secret value with references in it.
  package var written: String?
  /// The file it came from, when it is one reference and nothing else.
  package var sourceFile: String?
  /// A single value, written without quotes.
  package var isPlain: Bool
  /// Name of the credential for want of which the value is `invalid`; only the service can read it.
  package var credential: String?

  package init(
    _ value: Value, at position: Position = Position(line: 0, column: 0), isSecret: Bool = false,
    sourceFile: String? = nil, isPlain: Bool = false
  ) {
    self.value = value
    self.position = position
    self.isSecret = isSecret
    self.sourceFile = sourceFile
    self.isPlain = isPlain
  }

  package var text: String? { if case .text(let text) = value { text } else { nil } }
  package var flag: Bool? { if case .flag(let flag) = value { flag } else { nil } }
  package var integer: Int? { if case .integer(let integer) = value { integer } else { nil } }
  package var number: Double? { if case .number(let number) = value { number } else { nil } }
  package var duration: Duration? { if case .duration(let duration) = value { duration } else { nil } }
  package var list: [Given]? { if case .list(let list) = value { list } else { nil } }
  package var map: GivenMap? { if case .map(let map) = value { map } else { nil } }
  package var isInvalid: Bool { if case .invalid = value { true } else { false } }
  /// An invalid item is an empty text, so that the others keep their indices.
  package var texts: [String]? { list?.map { $0.text ?? "" } }
}

/// A map whose keys are known to be keys of its table.
package struct GivenMap: Sendable {
  package var entries: [(name: String, value: Given)]
  package var position: Position

  package init(
    _ entries: [(name: String, value: Given)] = [], at position: Position = Position(line: 0, column: 0)
  ) {
    self.entries = entries
    self.position = position
  }

  package subscript(name: String) -> Given? {
    // By index: an entry as an argument is copied with all that is below it.
    for index in entries.indices where entries[index].name == name { return entries[index].value }
    return nil
  }

  /// An empty map when the key is absent: every key below it then has its default.
  package func map(_ name: String) -> GivenMap { self[name]?.map ?? GivenMap(at: position) }

  /// Another list where there is one.
  package mutating func replace(_ name: String, _ list: [Given]) {
    for index in entries.indices where entries[index].name == name {
      guard case .list = entries[index].value.value else { continue }
      entries[index].value.value = .list(list)
    }
  }

  /// The place to point at for a path below this map: the deepest part of it that is in the file.
  package func position(of path: [String]) -> Position {
    guard let first = path.first, let found = self[first] else { return position }
    return found.position(of: path.dropFirst())
  }

  /// Whether the value at a path, or one it lies in, was reported already. A map is when one of its keys is: what else is
  /// wrong with the whole may follow from that.
  package func isInvalid(_ path: [String]) -> Bool {
    guard let first = path.first else { return entries.contains { $0.value.isInvalid } }
    guard let found = self[first] else { return false }
    return found.isInvalid(path.dropFirst())
  }

  /// Whether the value at a path, or one below it, came from a secret source.
  package func isSecret(_ path: [String]) -> Bool {
    secretPaths().contains { $0.starts(with: path) || path.starts(with: $0) }
  }

  /// The paths of everything secret by its source, for printing the configuration.
  package func secretPaths() -> [[String]] {
    entries.flatMap { entry in entry.value.secretPaths().map { [entry.name] + $0 } }
  }

  /// The texts of the references in its secret values.
  package func secrets() -> [Redacted] { entries.flatMap { $0.value.allSecrets() } }

  /// Names of the credentials that values of it could not be read for.
  package func unreadCredentials() -> [String] { entries.flatMap { $0.value.unreadCredentials() } }
}

extension Given {
  fileprivate func position(of path: ArraySlice<String>) -> Position {
    guard let first = path.first else { return position }
    switch value {
    case .map(let map):
      return map[first].map { $0.position(of: path.dropFirst()) } ?? position
    case .list(let list):
      guard let index = Int(first), list.indices.contains(index) else { return position }
      return list[index].position(of: path.dropFirst())
    default: return position
    }
  }

  fileprivate func isInvalid(_ path: ArraySlice<String>) -> Bool {
    switch value {
    case .invalid: return true
    case .map(let map): return map.isInvalid(Array(path))
    case .list(let list):
      guard let first = path.first, let index = Int(first), list.indices.contains(index) else { return false }
      return list[index].isInvalid(path.dropFirst())
    default: return false
    }
  }

  fileprivate func secretPaths() -> [[String]] {
    switch value {
    case .map(let map): map.secretPaths()
    case .list(let list):
      list.enumerated().flatMap { index, item in item.secretPaths().map { [String(index)] + $0 } }
    default: isSecret ? [[]] : []
    }
  }

  fileprivate func allSecrets() -> [Redacted] {
    switch value {
    case .map(let map): map.secrets()
    case .list(let list): list.flatMap { $0.allSecrets() }
    default: secrets
    }
  }

  package func unreadCredentials() -> [String] {
    switch value {
    case .map(let map): map.unreadCredentials()
    case .list(let list): list.flatMap { $0.unreadCredentials() }
    default: credential.map { [$0] } ?? []
    }
  }
}
