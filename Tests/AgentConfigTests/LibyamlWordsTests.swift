// SPDX-License-Identifier: MIT

import Testing

@testable import AgentConfig

/// The words by which libyaml tells mistakes apart, from the library that is linked.
@Suite struct LibyamlWordsTests {
  @Test(arguments: [
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
  ])
  func wordsAndWhatToDo(text: String, words: String, hint: String?) throws {
    let found = try #require(failure(of: text))
    #expect(found.words.text == words)
    #expect(found.words.hint?.hasPrefix(hint ?? "-") ?? (hint == nil))
  }

  private func failure(of text: String) -> YAMLFailure? {
    var text = text
    return text.withUTF8 { bytes in
      guard let parser = YAMLParser(bytes) else { return nil }
      do throws(YAMLFailure) {
        while true { if case .streamEnd = try parser.next().event { return nil } }
      } catch { return error }
    }
  }
}
