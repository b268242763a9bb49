// SPDX-License-Identifier: MIT

import Basics

/// What the walk makes of a node: the right type, inside its bounds, references resolved.
struct Typed: Sendable {
  indirect enum Value: Sendable {
    case text(String)
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case duration(Duration)
    case list([Typed])
    case map(TypedMap)
    /// Something is there and its problem is reported; nobody should complain about it again.
    case invalid
  }

  var value: Value
  var position: Position
  /// The value came, in whole or part, from `${file:}` or `${cred:}`.
  var isSecret = false
  /// The file it came from, when it is one reference and nothing else.
  var sourceFile: String?
  /// A single value, written without quotes.
  var isPlain = false
}

/// A map whose keys are known to be keys of its table.
struct TypedMap: Sendable {
  var entries: [(name: String, value: Typed)] = []
  var position: Position

  subscript(name: String) -> Typed? { entries.first { $0.name == name }?.value }

  func text(_ name: String) -> String? {
    guard case .text(let text) = self[name]?.value else { return nil }
    return text
  }

  func flag(_ name: String) -> Bool? {
    guard case .flag(let flag) = self[name]?.value else { return nil }
    return flag
  }

  func integer(_ name: String) -> Int? {
    guard case .integer(let integer) = self[name]?.value else { return nil }
    return integer
  }

  func number(_ name: String) -> Double? {
    guard case .number(let number) = self[name]?.value else { return nil }
    return number
  }

  func duration(_ name: String) -> Duration? {
    guard case .duration(let duration) = self[name]?.value else { return nil }
    return duration
  }

  func list(_ name: String) -> [Typed]? {
    guard case .list(let list) = self[name]?.value else { return nil }
    return list
  }

  /// An invalid item is an empty text, so that the others keep their indices.
  func texts(_ name: String) -> [String]? {
    list(name)?.map { item in
      guard case .text(let text) = item.value else { return "" }
      return text
    }
  }

  /// An empty map when the key is absent: every key below it then has its default.
  func map(_ name: String) -> TypedMap {
    guard case .map(let map) = self[name]?.value else { return TypedMap(position: position) }
    return map
  }

  /// The place to point at for a path below this map: the deepest part of it that is in the file.
  func position(of path: [String]) -> Position {
    guard let first = path.first, let found = self[first] else { return position }
    return found.position(of: path.dropFirst())
  }

  /// Whether the value at a path, or one it lies in, was reported already.
  func isInvalid(_ path: [String]) -> Bool {
    guard let first = path.first, let found = self[first] else { return false }
    return found.isInvalid(path.dropFirst())
  }

  /// Whether the value at a path, or one below it, came from a secret source.
  func isSecret(_ path: [String]) -> Bool {
    secretPaths().contains { $0.starts(with: path) || path.starts(with: $0) }
  }

  /// The paths of everything secret by its source, for whoever prints the configuration.
  func secretPaths() -> [[String]] {
    entries.flatMap { entry in entry.value.secretPaths().map { [entry.name] + $0 } }
  }
}

extension Typed {
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
}
