// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Variables of a source in a value of a check.
@Suite struct PlaceholdersTests {
  /// `name` in angle brackets is a variable.
  private static func parts(_ text: String) -> [Placeholders.Part] {
    text.split(separator: "<", omittingEmptySubsequences: false).enumerated().flatMap { index, piece in
      guard index > 0, let end = piece.firstIndex(of: ">") else {
        return [.text(piece)] as [Placeholders.Part]
      }
      return [.variable(ByteText(String(piece[..<end]))), .text(piece[piece.index(after: end)...])]
    }
  }

  private func replaced(_ text: String, _ values: [ByteText: String]) -> (value: AgentValue?, notes: [String])
  {
    var check = ImportedCheck(named: "c")
    check["url"] = .text(text)
    let placeholders = Placeholders(values: values) { Self.parts($0) }
    guard placeholders.replace(in: &check) == nil else { return (nil, []) }
    return (check["url"], check.notes.map(\.why))
  }

  /// What is known is a text; beside what is not, a text and a value that look like a reference are none.
  @Test func besideAReference() {
    guard case .text(let whole)? = replaced("${t}<a>", [ByteText("a"): "${home}"]).value else {
      Issue.record("no text")
      return
    }
    #expect(whole == "${t}${home}")
    let made = replaced("${t}<a>-<b>", [ByteText("a"): "${home}"])
    guard case .reference(let reference)? = made.value else {
      Issue.record("no reference")
      return
    }
    #expect(reference == "$${t}$${home}-${env:b}")
    #expect(made.notes == ["set these variables before the start: b"])
  }
}
