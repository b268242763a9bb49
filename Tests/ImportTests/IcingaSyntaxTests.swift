// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Constructs of Icinga 2's language that are not worked out: they leave out what they are in, and nothing else.
@Suite struct IcingaSyntaxTests {
  private static let host = "object Host \"web\" {\n address = \"192.0.2.1\"\n check_command = \"ssh\"\n}\n"
  private static let last =
    "\napply Service \"z\" {\n check_command = \"ssh\"\n assign where true\n}\n"

  private func read(_ text: String) throws -> ReadSource {
    try ReadSource(.icinga2, Self.host + text + Self.last)
  }

  /// Objects at line 5, each left out with the reason.
  @Test(
    arguments: [
      (
        "apply Service \"a\" { check_command = \"ssh\"; assign where host.vars.l.any(x => x == \"y\") }",
        "\"web a\" a lambda is not worked out"
      ),
      (
        "apply Service \"a\" { check_command = \"ssh\"; assign where host.vars.l.any((x) => { x == 1 }) }",
        "\"web a\" a lambda is not worked out"
      ),
      (
        "apply Service \"a\" { check_command = \"ssh\"; assign where host.vars.l.any((x, y) => x == y) }",
        "\"Service[a] at line 5\" it is not read: line 5: ) is expected"
      ),
      (
        "apply Service \"a\" { check_command = \"tcp\"; vars.tcp_port = ~1; assign where true }",
        "\"web a\" ~ of a value is not worked out"
      ),
      (
        "apply Service \"a\" { check_command = \"tcp\"; vars.tcp_port = if (true) { 1 } else { 2 }; assign where true }",
        "\"web a\" a condition as a value is not worked out"
      ),
      (
        "apply Service \"a\" { check_command = \"ssh\"; assign where true; vars.x |= 3 }",
        "\"web a\" a statement of the language is not worked out"
      ),
      (
        "apply Service \"a\" { check_command = \"ssh\"; assign where true; vars.x = ? }",
        "\"Service[a] at line 5\" it is not read: line 5: a value is expected"
      ),
    ])
  func whatIsLeftOut(text: String, words: String) throws {
    let made = try read(text)
    #expect(made.names == ["web host", "web z"])
    #expect(made.imported.leftOut.map { "\($0.name) \($0.why)" } == [words])
    #expect(made.imported.carried + made.imported.listed == made.imported.total)
  }

  /// What decides nothing leaves nothing out.
  @Test(
    arguments: [
      "apply Service \"a\" use (x) { check_command = \"ssh\"; assign where true }",
      "apply Service for (x in [ \"a\" ]) use (y, z) { check_command = \"ssh\" }",
      "apply Service \"a\" { check_command = \"ssh\"; vars.@class = 1; assign where true }",
      "apply Service \"a\" { vars.f = function(x) { return x }; check_command = \"ssh\"; assign where true }",
      "apply Service \"a\" { vars.l = [ x => 1, 2 ]; check_command = \"ssh\"; assign where true }",
    ])
  func whatIsRead(text: String) throws {
    let made = try read(text)
    #expect(made.names == ["web host", "web a", "web z"] && made.imported.leftOut.isEmpty)
  }

  /// Without an end of the object nothing behind it is known.
  @Test(arguments: ["object Host \"h\" {\n vars.x = ?\n", "object Host \"h\" {\n vars.x = (1 ]\n}\n"])
  func anObjectWithoutAnEnd(text: String) {
    #expect(throws: ImportProblem.self) { try read(text) }
  }
}
