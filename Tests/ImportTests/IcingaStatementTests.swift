// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Icinga 2: statements of a file with objects in them, and limits of time.
@Suite struct IcingaStatementTests {
  private static let host =
    "object Host \"h\" {\n address = \"192.0.2.1\"\n check_command = \"hostalive\"\n}\n"
  private static let why = "objects inside a statement of the language are not worked out"

  /// Objects of a condition, a loop, a function or a namespace are left out, one line for each statement.
  @Test(
    arguments: [
      ("if (x) {\n  object Host \"a\" { }\n}", "if", 5),
      ("for (i in range(2)) { object Host i { } }", "for", 5),
      ("function f(n) {\n\n object Host n { }\n}", "function", 5),
      ("namespace n { apply Service \"s\" { } }", "namespace", 5),
      ("\n\nif (x) { object Host \"a\" { }\n object Host \"b\" { } }", "if", 7),
    ])
  func objectsInside(text: String, word: String, line: Int) throws {
    let made = try ReadSource(.icinga2, Self.host + text + "\n")
    #expect(made.names == ["h host"])
    #expect(made.imported.leftOut.map(\.name) == ["\"objects in \(word) at line \(line)\""])
    #expect(made.imported.leftOut.map(\.why) == [Self.why])
    #expect(made.imported.notes.map(\.place) == ["f:\(line): \(word)"])
    #expect(made.imported.carried + made.imported.listed == made.imported.total)
  }

  /// A condition with two branches is two statements when a line is between them.
  @Test func bothBranches() throws {
    let text = "if (x) {\n object Host \"a\" { }\n}\nelse {\n object Host \"b\" { }\n}\n"
    let made = try ReadSource(.icinga2, Self.host + text)
    let names = made.imported.leftOut.map(\.name)
    #expect(names == ["\"objects in if at line 5\"", "\"objects in else at line 8\""])
  }

  /// Other statements are passed over.
  @Test(
    arguments: [
      "library \"checker\"", "include <itl>", "globals.x = { a = 1 }",
      "if (x) {\n var y = 2\n}", "function f(n) {\n return n\n}", "f(\"a\")",
    ])
  func otherStatements(text: String) throws {
    let made = try ReadSource(.icinga2, text + "\n" + Self.host)
    #expect(made.names == ["h host"] && made.imported.leftOut.isEmpty)
  }

  /// A page that is asked for by its whole URL is no path, which is another reason than a command without a check.
  @Test(
    arguments: [
      ("http", "vars.http_uri = \"http://a.example/\"", "the plugin lacks what a check needs"),
      ("dummy", "", "no check here does what \"dummy\" does"),
    ])
  func whyThereIsNoCheck(command: String, lines: String, why: String) throws {
    let made = try ReadSource(
      .icinga2,
      "object Host \"h\" {\n address = \"192.0.2.1\"\n check_command = \"\(command)\"\n \(lines)\n}\n")
    #expect(made.names == [] && made.imported.leftOut.map(\.why) == [why])
  }

  /// Icinga ends a plugin after its command's time, or the one that a host or service has in its place.
  @Test(
    arguments: [
      ("", "", "10s"), ("timeout = 5", "", "5s"), ("timeout = 20s", "", "10s"), ("timeout = 1m", "", "10s"),
      ("timeout = 5", "check_timeout = 8", "8s"), ("timeout = 5", "check_timeout = 20", "10s"),
      ("", "check_timeout = 4", "4s"), ("timeout = 2.5", "", "2500ms"),
    ])
  func limitsOfTime(command: String, host: String, timeout: String) throws {
    let made = try ReadSource(
      .icinga2,
      """
      object CheckCommand "port" {
        command = [ PluginDir + "/check_tcp" ]
        arguments = { "-H" = "$address$", "-p" = "22" }
        \(command)
      }
      object Host "h" {
        address = "192.0.2.1"
        check_command = "port"
        \(host)
      }
      """)
    #expect(made.imported.checks.map { $0["timeout"]?.word } == [timeout], "\(made.reasons)")
  }
}
