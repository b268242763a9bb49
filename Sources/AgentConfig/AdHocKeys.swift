// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import YAML

/// Keys of a check on the command line as the text of a file: those of the target, of options of their own, and of
/// `--with`.
struct AdHocKeys {
  /// One key, and its value as it stands in a flow map.
  struct Entry: Hashable, Sendable {
    var name: String
    var value: String

    init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    var text: String { "\(name): \(value)" }
  }

  let text: String
  /// Columns of the second line that hold the keys of options of their own.
  private let shortColumns: Range<Int>

  /// - Parameter with: a map's inside.
  init(_ target: [Entry], shortcuts: [Entry], with: String?) {
    var (target, shortcuts) = (target, shortcuts)
    let with = with.map { Self.merge(&target, &shortcuts, into: $0) }
    let head = "checks: [{"
    let (own, short) = (target.flow, shortcuts.flow)
    // From 1, and behind a comma.
    let start = head.utf8.count + own.utf8.count + (own.isEmpty ? 1 : 3)
    shortColumns = start..<start + short.utf8.count
    let parts = [own, short, with].compactMap(\.self).filter { !$0.isEmpty }
    text = "defaults: {retries: 0}\n\(head)\(parts.joined(separator: ", "))}]\n"
  }

  /// Whether the problem is with a key that an option of its own gave.
  func isOfShortcut(_ problem: ConfigProblem) -> Bool {
    problem.line == 2 && shortColumns.contains(problem.column)
  }

  /// Moves maps that `--with` has as well into that map; `tls: true` gives way to a map of its name.
  ///
  /// - Returns: the keys with what they took over.
  private static func merge(_ target: inout [Entry], _ shortcuts: inout [Entry], into keys: String) -> String
  {
    let text = "{\(keys)}"
    guard let tree = try? ConfigText.tree(text, file: "--with"), tree.problems.isEmpty,
      case .map(let theirs) = tree.node.content
    else { return keys }
    var scalars = Array(text.unicodeScalars)
    // From the end, so that places before it stay what they are.
    for their in theirs.sorted(by: { $0.value.position > $1.value.position }) {
      guard case .map = their.value.content, let place = index(of: their.value.position, in: scalars),
        scalars[place] == "{"
      else { continue }
      func isShared(_ entry: Entry) -> Bool {
        entry.name == their.key && (entry.value.hasPrefix("{") || entry.value == "true")
      }
      let shared = (target + shortcuts).filter(isShared)
      target.removeAll(where: isShared)
      shortcuts.removeAll(where: isShared)
      let moved = shared.filter { $0.value != "true" }.map { $0.value.dropFirst().dropLast() + ", " }.joined()
      // bounded: behind a place within them
      scalars.insert(contentsOf: moved.unicodeScalars, at: place + 1)
    }
    var merged = String.UnicodeScalarView()
    merged.append(contentsOf: scalars.dropFirst().dropLast())
    return String(merged)
  }

  private static func index(of position: Position, in scalars: [Unicode.Scalar]) -> Int? {
    var (line, column) = (1, 1)
    for (index, scalar) in scalars.enumerated() {
      if line == position.line, column == position.column { return index }
      (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
    }
    return nil
  }
}

extension [AdHocKeys.Entry] {
  /// As the inside of a flow map.
  var flow: String { map(\.text).joined(separator: ", ") }
}

extension GivenMap {
  var adHocKeys: [AdHocKeys.Entry] {
    entries.map { name, given in
      switch given.value {
      case .map(let map): AdHocKeys.Entry(name, "{\(map.adHocKeys.flow)}")
      case .text(let text): AdHocKeys.Entry(name, flowScalar(text))
      default: AdHocKeys.Entry(name, given.flag.map(\.description) ?? given.integer.map(\.description) ?? "")
      }
    }
  }
}
