// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import YAML

/// A file as a tree: the bounds of agent.yaml, and what is wrong with one in its words.
package enum ConfigText {
  /// Bytes.
  package static let maxSize = 16 * 1024 * 1024
  static let tooLarge = "the file is larger than 16 MiB"
  private static let maxDepth = 32

  /// A file that could be read.
  struct Tree {
    var node: YAMLNode
    /// Keys that are given twice or are no text. The rest of the file is read all the same.
    var problems: [ConfigProblem] = []
    /// Number of problems, of which `problems` holds the first.
    var count = 0
  }

  /// - Parameters:
  ///   - source: what places in the tree say of the file.
  ///   - start: hint for an empty file.
  static func tree(
    _ text: String, file: String, source: Int = 0, start: String = "start from agent.yaml.example"
  ) throws(ConfigErrors) -> Tree {
    var reader = YAMLReader(
      YAMLRules(
        bytes: maxSize, depth: maxDepth, bracketsApart: true, extras: .refused, problems: ConfigProblem.most),
      source: source)
    if let node = reader.read(text).first { return Tree(node: node) }
    let problems = reader.problems.map { ConfigProblem($0, file: file, start: start) }
    if let node = reader.faulty.first { return Tree(node: node, problems: problems, count: reader.count) }
    throw ConfigErrors(problems: ConfigProblem.bounded(problems, of: reader.count))
  }

  fileprivate static func words(
    _ kind: YAMLProblem.Kind, at position: Position?, start: String
  ) -> (String, hint: String?) {
    switch kind {
    case .tooLarge: (tooLarge, nil)
    case .byteOrderMark: ("the file begins with a byte order mark", "save it as UTF-8 without BOM")
    case .noMemory: ("no memory left to read the file", nil)
    case .empty: ("the file is empty", start)
    case .secondDocument:
      ("a second document begins here", "one file holds one configuration; remove the ---")
    case .mark(let mark): (mark.message, mark.hint)
    case .failure(let words, let began): (failure(words, began, position), words.hint)
    case .tooDeep: ("nested deeper than \(maxDepth) levels", nil)
    case .keyIsNoText: ("a key must be plain text, found a list or a map", nil)
    case .twice(let name, let last):
      (
        "key \"\(name.printable(maxBytes: 60))\" is given twice in one map",
        last.line == position?.line
          ? "remove one of them" : "remove one of them; the other is in line \(last.line)"
      )
    // Only where more of YAML is read than here, or bytes that may be no text.
    case .noUTF8, .tooManyDirectives, .tooManyValues, .tooMuchText, .noAnchor, .noBase64, .noMaps:
      ("no valid YAML", nil)
    }
  }

  private static func failure(_ words: LibyamlWords, _ began: Position?, _ position: Position?) -> String {
    let started = began.flatMap { $0.line != position?.line ? " (it began in line \($0.line))" : nil } ?? ""
    return "no valid YAML: \(words.text.lowercased())\(started)"
  }
}

extension ConfigProblem {
  fileprivate init(_ problem: YAMLProblem, file: String, start: String) {
    let (message, hint) = ConfigText.words(problem.kind, at: problem.position, start: start)
    self.init(
      file: file, line: problem.position?.line ?? 0, column: problem.position?.column ?? 0, message: message,
      hint: hint)
  }
}

extension YAMLProblem.Mark {
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

extension YAMLNode {
  /// Written as `null`: what a check, template or defaults would inherit here is taken away.
  var isTakenAway: Bool {
    guard case .scalar("null", isPlain: true) = content else { return false }
    return true
  }

  /// Kind of the value, for messages that do not quote it.
  var kindText: String {
    switch content {
    case .scalar, .bytes: isNull ? "nothing" : "a single value"
    case .list: "a list"
    case .map: "a map"
    }
  }
}
