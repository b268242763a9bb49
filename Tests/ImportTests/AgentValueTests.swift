// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// How values are written into agent.yaml.
@Suite struct AgentValueTests {
  /// What stands in the file and what in files beside it, in order.
  private func parts(_ value: AgentValue) -> [String] {
    switch value {
    case .secret(let secret, _): ["file of \(secret.reveal().utf8.count) bytes"]
    case .joined(let parts): parts.flatMap { self.parts($0) }
    default: ["\(value.word ?? "?")"]
    }
  }

  /// A file behind a reference has 4 KiB at most, and line ends at its end do not count: they stand beside the reference.
  @Test func aLongSecret() {
    func written(_ text: String) -> [String] { parts(.secretText(text, as: "body")) }
    #expect(written("hunter2") == ["file of 7 bytes"])
    #expect(written(String(repeating: "x", count: 1000)) == ["file of 1000 bytes"])
    #expect(written(String(repeating: "x", count: 1001)) == ["file of 1000 bytes", "file of 1 bytes"])
    #expect(written("\r\nab\n") == ["\r\n", "file of 2 bytes", "\n"])
    #expect(written(String(repeating: "€", count: 1000)) == ["file of 3000 bytes"])
    #expect(written("\n") == ["\n"])
  }

  /// A text stands without quotes where YAML reads it as the same text, as a value and as a key.
  @Test(
    arguments: [
      ("a", "a", "a"), ("a b", "a b", "\"a b\""), ("a.b/c", "a.b/c", "\"a.b/c\""),
      ("a_b-9", "a_b-9", "a_b-9"),
      ("a ", "\"a \"", "\"a \""), ("a:", "\"a:\"", "\"a:\""), ("a: b", "\"a: b\"", "\"a: b\""),
      ("http://a.example:", "\"http://a.example:\"", "\"http://a.example:\""),
      ("http://a.example:80", "http://a.example:80", "\"http://a.example:80\""),
      (
        "https://a.example/?b=1&c=%20~+", "https://a.example/?b=1&c=%20~+",
        "\"https://a.example/?b=1&c=%20~+\""
      ),
      ("https://a.example/#b", "\"https://a.example/#b\"", "\"https://a.example/#b\""),
      ("", "\"\"", "\"\""), ("1", "\"1\"", "\"1\""), ("-a", "\"-a\"", "\"-a\""),
      ("Yes", "\"Yes\"", "\"Yes\""),
      ("NULL", "\"NULL\"", "\"NULL\""), ("n", "\"n\"", "\"n\""), ("nn", "nn", "nn"), ("ä", "\"ä\"", "\"ä\""),
      ("a\"\\\n\t\r", "\"a\\\"\\\\\\n\\t\\r\"", "\"a\\\"\\\\\\n\\t\\r\""),
      ("\u{1f}\u{20}\u{7e}\u{7f}\u{9f}\u{a0}", "\"\\x1f ~\\x7f\\x9f\u{a0}\"", "\"\\x1f ~\\x7f\\x9f\u{a0}\""),
      (
        "\u{1fff}\u{2000}\u{200f}\u{2010}", "\"\u{1fff}\\u2000\\u200f\u{2010}\"",
        "\"\u{1fff}\\u2000\\u200f\u{2010}\""
      ),
      (
        "\u{2027}\u{2028}\u{202f}\u{2030}", "\"\u{2027}\\u2028\\u202f\u{2030}\"",
        "\"\u{2027}\\u2028\\u202f\u{2030}\""
      ),
      ("\u{7}\u{feff}\u{10ffff}", "\"\\x07\\ufeff\\U0010ffff\"", "\"\\x07\\ufeff\\U0010ffff\""),
    ] as [(String, String, String)])
  func aText(_ text: String, value: String, key: String) {
    #expect(AgentYAML.quoted(text, always: false) == value)
    #expect(AgentYAML.quoted(text, always: false, isKey: true) == key)
    #expect(AgentYAML.quoted(text, always: true) == (value.hasPrefix("\"") ? value : "\"\(value)\""))
  }

  /// A long text is quoted: from 201 bytes on.
  @Test func aLongText() {
    let most = String(repeating: "a", count: 200)
    #expect(AgentYAML.quoted(most, always: false) == most)
    #expect(AgentYAML.quoted(most + "a", always: false) == "\"\(most)a\"")
  }

  /// A secret that one file cannot give stands in pieces, and line ends at its end stand beside them.
  @Test(arguments: [
    ("ab", ["ab"], ""), ("a\rb", ["a\rb"], ""), ("a\nb", ["a\nb"], ""), ("ab\t", ["ab\t"], ""),
    ("ab\r", ["ab"], "\\r"), ("ab\n", ["ab"], "\\n"), ("ab\r\n", ["ab"], "\\r\\n"),
    (String(repeating: "x", count: 4096), [String(repeating: "x", count: 4096)], ""),
  ])
  func aSecretThatOneFileCannotGive(secret: String, files: [String], rest: String) {
    var check = ImportedCheck(name: "c", type: "http")
    check["body"] = .secret(Redacted(secret), as: "body")
    var yaml = AgentYAML(secrets: .environment)
    let text = yaml.render([check], head: [])
    #expect(yaml.values.map { $0.value.reveal() } == files)
    #expect(text.contains("body: \"${env:QUARTZ_C_BODY}\(rest)\"\n"), "\(text)")
  }

  /// Beyond 4096 bytes a secret stands in pieces of a thousand characters.
  @Test func aSecretOfMoreThanOneFile() {
    var check = ImportedCheck(name: "c", type: "http")
    check["body"] = .secret(Redacted(String(repeating: "x", count: 4097)), as: "body")
    var yaml = AgentYAML(secrets: .environment)
    _ = yaml.render([check], head: [])
    #expect(yaml.values.map { $0.value.reveal().utf8.count } == [1000, 1000, 1000, 1000, 97])
  }
}
