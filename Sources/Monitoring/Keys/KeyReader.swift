// SPDX-License-Identifier: MIT

import Basics

/// Where a value stands: its key's path, and the position that complaints point at.
package struct KeyPlace: Sendable {
  package var path: [String]
  package var position: Position

  package init(path: [String], position: Position) {
    self.path = path
    self.position = position
  }

  package var key: String { CheckProblem.keyText(path) }

  package func below(_ name: String, _ position: Position) -> KeyPlace {
    KeyPlace(path: path + [name], position: position)
  }
}

/// Gives settings what was given to their keys, and collects what is wrong on the way.
package struct KeyReader: Sendable {
  package struct Problem: Sendable {
    package var position: Position
    package var message: String
    package var hint: String?
  }

  /// The first of them; `count` has all.
  package private(set) var problems: [Problem] = []
  package private(set) var count = 0
  /// Whose keys are read: the API gives only those that say so.
  private let origin: CheckOrigin
  /// A path of the file's, as seen from the working directory.
  package let path: @Sendable (String) -> String

  /// Enough to sort the first hundred out of, and little memory for a file that is wrong in each of its bytes.
  package static let kept = 1000

  package init(_ origin: CheckOrigin, path: @escaping @Sendable (String) -> String = { $0 }) {
    self.origin = origin
    self.path = path
  }

  /// The check that is read or judged, for what it has from elsewhere.
  package var check: String?
  /// Messages about values that many checks share.
  private var shared: Set<SharedWord> = []

  package mutating func problem(_ position: Position, _ message: String, hint: String? = nil) {
    guard isNews(position, message) else { return }
    count += 1
    guard count <= Self.kept else { return }
    problems.append(Problem(position: position, message: told(message, at: position), hint: hint))
  }

  /// False for what was said already of a value that several checks have from one place.
  package mutating func isNews(_ position: Position, _ message: String) -> Bool {
    guard position.layer != .own, shared.count < Self.kept else { return true }
    let word = SharedWord(position: position, message: ByteText(Self.ofTheCheck(message)))
    return shared.insert(word).inserted
  }

  /// Defaults and tags of groups are looked at where they stand and once more as each check's: `defaults.http.timeout must …`
  /// and `timeout must …` are one thing to say, and so are `groups[0].tags[2] is empty` and `tags[3] is empty`.
  private static func ofTheCheck(_ message: String) -> String {
    message.split(separator: " ", omittingEmptySubsequences: false).map(ofTheCheck).joined(separator: " ")
  }

  /// The same for a word, which may be a path.
  private static func ofTheCheck(_ word: Substring) -> String {
    var path = word
    if let end = path.firstRange(of: "defaults.")?.upperBound {
      path = path[end...]
      let type = CheckType.allCases.first { path.hasPrefix("\($0.rawValue).") }
      path = path.dropFirst(type.map { $0.rawValue.count + 1 } ?? 0)
    } else if path.hasPrefix("groups["), let dot = path.firstIndex(of: ".") {
      path = path[path.index(after: dot)...]
    }
    return path.hasPrefix("tags[") ? "tags" : String(path)
  }

  /// The message, with the check's name where the value stands elsewhere.
  package func told(_ message: String, at position: Position) -> String {
    guard position.layer != .own, let check else { return message }
    return "\(message) (first in the check \(quoted(check)))"
  }

  /// Gives the settings what the map says.
  ///
  /// - Parameter path: of the map, from the top.
  /// - Returns: false when a required key has no value; that was said.
  package mutating func read<Root: KeyedSettings>(
    _ map: GivenMap, into root: inout Root, _ path: [String]
  ) -> Bool {
    var isWhole = true
    for key in Root.keys {
      let below = path + [key.facts.name]
      if let given = map[key.facts.name] {
        let place = KeyPlace(path: below, position: given.position)
        if !key.read(&root, given, place, &self), key.facts.isRequired { isWhole = false }
      } else if let hint = key.facts.requiredHint {
        problem(map.position, "\(CheckProblem.keyText(below)) is missing", hint: hint)
        isWhole = false
      }
    }
    return isWhole
  }

  /// Gives a definition what the map says; nothing is judged, and nothing is missed.
  package mutating func fill<Root>(_ root: inout Root, _ map: GivenMap, _ keys: KeyList<Root>) {
    for entry in map.entries {
      guard let index = keys.place(of: entry.name) else { continue }
      guard origin == .local || keys.keys[index].facts.column != nil else {
        problem(entry.value.position, "the key \(entry.name) is none that a check from the API may have")
        continue
      }
      let place = KeyPlace(path: [], position: entry.value.position)
      _ = keys.keys[index].read(&root, entry.value, place, &self)
    }
  }
}

private struct SharedWord: Hashable, Sendable {
  var position: Position
  var message: ByteText
}
