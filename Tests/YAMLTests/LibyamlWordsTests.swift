// SPDX-License-Identifier: MIT

import Basics
import Testing
import YAML

/// The words by which libyaml tells mistakes apart, from the library that is linked.
@Suite struct LibyamlWordsTests {
  @Test(
    arguments: [
      ("a: b: c\n", "mapping values are not allowed in this context", "check the indentation of this line"),
      ("a: `b\n", "found character that cannot start any token", "quote a value that begins"),
      ("a: @b\n", "found character that cannot start any token", "quote a value that begins"),
      (
        "a: 1\n b: 2\nc\n", "mapping values are not allowed in this context",
        "check the indentation of this line"
      ),
      ("a: \"b\" c\n", "did not find expected key", "check the indentation and quotes"),
      ("a: 1\nb\nc: 2\n", "could not find expected ':'", "check the indentation and quotes"),
      ("a: [1\n", "did not find expected ',' or ']'", nil),
      ("a: \"b\n", "found unexpected end of stream", nil),
    ] as [(String, String, String?)])
  func wordsAndWhatToDo(text: String, words: String, hint: String?) throws {
    var reader = YAMLReader(.plain)
    #expect(reader.read(text).isEmpty)
    guard case .failure(let found, _)? = reader.problems.first?.kind else {
      Issue.record("no failure of \(text): \(reader.problems)")
      return
    }
    #expect(found.text == words)
    #expect(found.hint?.hasPrefix(hint ?? "-") ?? (hint == nil))
  }
}
