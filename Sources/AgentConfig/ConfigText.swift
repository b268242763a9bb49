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

  /// - Parameter source: what places in the tree say of the file.
  static func tree(_ text: String, file: String, source: Int = 0) throws(ConfigErrors) -> YAMLNode {
    var reader = YAMLReader(
      YAMLRules(
        bytes: maxSize, depth: maxDepth, bracketsApart: true, extras: .refused, problems: ConfigProblem.most),
      source: source)
    if let node = reader.read(text).first { return node }
    let problems = reader.problems.map { ConfigProblem($0, file: file) }
    throw ConfigErrors(problems: ConfigProblem.bounded(problems, of: reader.count))
  }

  fileprivate static func words(_ kind: YAMLProblem.Kind, at position: Position?) -> (String, hint: String?) {
    switch kind {
    case .tooLarge: (tooLarge, nil)
    case .byteOrderMark: ("the file begins with a byte order mark", "save it as UTF-8 without BOM")
    case .noMemory: ("no memory left to read the file", nil)
    case .empty: ("the file is empty", "start from agent.yaml.example")
    case .secondDocument:
      ("a second document begins here", "one file holds one configuration; remove the ---")
    case .mark(let mark): (mark.message, mark.hint)
    case .failure(let words, let began): (failure(words, began, position), words.hint)
    case .tooDeep: ("nested deeper than \(maxDepth) levels", nil)
    case .keyIsNoText: ("a key must be plain text, found a list or a map", nil)
    case .twice(let name, _):
      (
        "key \"\(name.printable(maxBytes: 60))\" is given twice in one map",
        "it stands here and once more further down"
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
  fileprivate init(_ problem: YAMLProblem, file: String) {
    let (message, hint) = ConfigText.words(problem.kind, at: problem.position)
    var place = problem.position
    // Where it stands first is told.
    if case .twice(_, let last) = problem.kind { place = last }
    self.init(
      file: file, line: place?.line ?? 0, column: place?.column ?? 0, message: message, hint: hint)
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

  /// For messages: what stands here, without quoting it.
  var kindText: String {
    switch content {
    case .scalar, .bytes: isNull ? "nothing" : "a single value"
    case .list: "a list"
    case .map: "a map"
    }
  }
}
