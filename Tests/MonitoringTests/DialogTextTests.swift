// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// The little language of a dialog's texts, and how a check with one is judged.
@Suite struct DialogTextTests {
  @Test(arguments: [
    (#"EHLO\r\n"#, "EHLO\r\n"), (#"a\tb\\c"#, "a\tb\\c"), (#"\x41\x00\x7e"#, "A\0~"), ("plain", "plain"),
    ("", ""), ("žluť", "žluť"), (#"\\(name)"#, #"\(name)"#),
  ])
  func escapes(text: String, bytes: String) throws {
    let parsed = try DialogText(parsing: text)
    #expect(parsed.parts == (bytes.isEmpty ? [] : [.bytes(Array(bytes.utf8))]))
    #expect(parsed.captures.isEmpty)
  }

  @Test func captures() throws {
    let parsed = try DialogText(parsing: #"APOP \(user_1)\r\n\(2)"#)
    #expect(
      parsed.parts == [
        .bytes(Array("APOP ".utf8)), .capture("user_1"), .bytes([13, 10]), .capture("2"),
      ])
    #expect(parsed.captures == ["user_1", "2"])
  }

  @Test(arguments: [#"\"#, #"\q"#, #"\x4"#, #"\x"#, #"\xzz"#, #"\(name"#, #"\()"#, #"\(a b)"#, #"\(ž)"#])
  func isInvalid(text: String) {
    #expect(throws: DialogText.Invalid.self) { try DialogText(parsing: "before" + text) }
  }

  private func problems(_ steps: [DialogStepDefinition]) -> [String] {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("test", "tcp", "a.test", 25)
    definition.dialogSteps = steps
    do throws(InvalidCheck) {
      _ = try MonitoringCheck(definition)
      return []
    } catch { return error.problems.map(\.message) }
  }

  private func send(_ text: String) -> DialogStepDefinition {
    var step = DialogStepDefinition()
    step.send = Redacted(text)
    return step
  }

  private func expect(_ text: String) -> DialogStepDefinition {
    var step = DialogStepDefinition()
    step.expect = text
    return step
  }

  @Test func aCaptureMustStandBeforeItsUse() {
    #expect(
      problems([expect(#"~ code (?<code>\d+)"#), send(#"\(code) \(1)\r\n"#), expect(#"\(code)"#)]).isEmpty)
    #expect(
      problems([send(#"\(code)"#), expect(#"~ (?<code>\d+)"#)])
        == ["dialog[0].send names code, which no step before it captures"])
    #expect(
      problems([expect("OK"), send(#"\(1)"#)])
        == ["dialog[1].send names 1, which no step before it captures"])
  }

  @Test func aWrongEscapeIsAProblemWithoutItsText() throws {
    let found = problems([send(#"PASS secret\q"#), expect(#"\x1"#)])
    #expect(
      found == [
        "dialog[0].send has a backslash before a character that takes none",
        #"dialog[1].expect has \x without two hexadecimal digits"#,
      ])
  }

  /// A name of a group has letters, digits and underscores, in each of the ways in which it may be written.
  @Test(arguments: ["(?<a1_b2>x)", "(?P<a1_b2>x)", "(?'a1_b2'x)"]) func namesOfCaptures(_ group: String) {
    #expect(problems([expect("~ \(group)"), send(#"\(a1_b2)"#)]).isEmpty)
    #expect(
      problems([expect("~ \(group)"), send(#"\(a1)"#)])
        == ["dialog[1].send names a1, which no step before it captures"])
  }
}
