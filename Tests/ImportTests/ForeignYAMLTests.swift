// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// YAML as Go's programs read it.
@Suite struct ForeignYAMLTests {
  private func read(_ text: String) throws(ImportProblem) -> ForeignNode {
    try ForeignNode.yaml(Array(text.utf8))[0]
  }

  @Test func mergesAreInTheirOrder() throws {
    let node = try read(
      """
      a: &a {x: 1, y: 1, z: 1}
      b: &b {x: 2, y: 2, w: 2}
      c: {<<: [*a, *b], y: 3}
      d: {"<<": text}

      """)
    let c = node["c"]
    #expect(["x", "y", "z", "w"].map { c?[$0]?.text } == ["1", "3", "1", "2"])
    #expect(c?.entries?.count == 4)
    #expect(node["d"]?["<<"]?.text == "text")
    #expect(throws: ImportProblem("line 1: << takes a map or a list of maps")) { try read("a: {<<: 1}") }
  }

  @Test func tagsAndNothing() throws {
    let node = try read("a: !!binary aGVsbG8=\nb: !!str true\nc: {}\nd: []\ne: ~\nf: NULL\n")
    #expect(node["a"]?.text == "hello")
    if case .scalar("true", isPlain: false)? = node["b"]?.content {} else { Issue.record("b is no text") }
    let ledger = Ledger()
    _ = ledger.enter(node, file: "f")
    #expect(ledger.total == 2)
    for text in ["a: !!binary a", "a: !!binary '*'"] {
      #expect(throws: ImportProblem("line 1: !!binary that is no Base64")) { try read(text) }
    }
    let bytes = try read("a: !!binary /w==")["a"]
    #expect(bytes?.text == nil && bytes?.bytes == [0xff])
  }

  @Test func aKeyThatIsGivenTwice() {
    #expect(
      throws: ImportProblem(
        "line 3: a is given twice, first on line 1", hint: "the monitor itself refuses such a file")
    ) { try read("a: 1\nb: 2\na: 3\n") }
  }
}
