// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import YAML

extension ForeignNode {
  /// All documents of a text in YAML as Go's programs read it: anchors, aliases, merge keys, and the tags `!!str` and
  /// `!!binary`.
  static func yaml(_ bytes: [UInt8]) throws(ImportProblem) -> [ForeignNode] {
    var reader = YAMLReader(
      YAMLRules(
        bytes: ForeignLimits.bytes, depth: ForeignLimits.depth, bracketsApart: false,
        extras: .read(
          directives: ForeignLimits.directives, values: ForeignLimits.values, text: ForeignLimits.bytes),
        problems: 1))
    let documents = reader.read(bytes)
    if let problem = reader.problems.first { throw ImportProblem(problem) }
    return documents.map { ForeignNode($0) }
  }

  private init(_ node: YAMLNode) {
    line = node.position.line
    switch node.content {
    case .scalar(let text, let isPlain): content = .scalar(text, isPlain: isPlain)
    case .bytes(let bytes): (content, self.bytes) = (.scalar("", isPlain: false), bytes)
    case .list(let items): content = .list(items.map { ForeignNode($0) })
    case .map(let entries): content = .map(entries.map { ($0.key, ForeignNode($0.value)) })
    }
  }
}

extension ImportProblem {
  fileprivate init(_ problem: YAMLProblem) {
    let (words, hint) = Self.words(problem.kind)
    self.init(problem.position.map { "line \($0.line): \(words)" } ?? words, hint: hint)
  }

  private static func words(_ kind: YAMLProblem.Kind) -> (String, hint: String?) {
    switch kind {
    case .tooLarge: ("is larger than 16 MiB", nil)
    case .noUTF8: ("is no valid UTF-8", "save it as UTF-8")
    case .noMemory: ("no memory left to read it", nil)
    case .failure(let words, _): ("no valid YAML: \(words.text)", nil)
    case .tooDeep: ("nested deeper than \(ForeignLimits.depth) levels", nil)
    case .tooManyDirectives:
      ("more than \(ForeignLimits.directives) directives", "remove the lines that begin with %")
    case .tooManyValues: ("more than \(ForeignLimits.values) values, aliases expanded", nil)
    case .tooMuchText: ("more than \(ForeignLimits.bytes >> 20) MiB of text, aliases expanded", nil)
    case .keyIsNoText:
      (
        "a key must be plain text",
        "values that a template sets ({{ }}) have to be in the file: render it first"
      )
    case .twice(let name, let last):
      (
        "\(name.printable(maxBytes: 80)) is given twice, first on line \(last.line)",
        "the monitor itself refuses such a file"
      )
    case .noAnchor: ("an alias without its anchor", nil)
    case .noBase64: ("!!binary that is no Base64", nil)
    case .noMaps: ("<< takes a map or a list of maps", nil)
    // Only where less of YAML is read than here.
    case .byteOrderMark, .empty, .secondDocument, .mark: ("no valid YAML", nil)
    }
  }
}
