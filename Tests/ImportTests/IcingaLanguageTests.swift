// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// Icinga 2's language, by its reference: words and numbers, functions, assignments, conditions and rules.
@Suite struct IcingaLanguageTests {
  private func tokens(_ text: String) throws -> [IcingaTokens.Token] {
    var reader = IcingaTokens(Array(text.utf8))
    var found: [IcingaTokens.Token] = []
    while let token = Optional(try reader.next()), token != .end { found.append(token) }
    return found
  }

  /// Texts with their escapes, numbers with their units, and what is passed over.
  @Test func words() throws {
    let rows: [(text: String, found: [IcingaTokens.Token])] = [
      (#""a\"b\\c\n\t\r\b\f""#, [.text("a\"b\\c\n\t\r\u{8}\u{c}")]), ("1", [.number(1)]),
      ("1.5", [.number(1.5)]),
      ("250ms", [.number(0.25)]), ("2s", [.number(2)]), ("2m", [.number(120)]), ("2h", [.number(7200)]),
      ("2d", [.number(172_800)]), ("1.5h", [.number(5400)]), ("2x", [.word("2x")]),
      ("a // b\nc", [.word("a"), .newline, .word("c")]), ("a # b\nc", [.word("a"), .newline, .word("c")]),
      ("a /* b\n */ c", [.word("a"), .word("c")]), ("{{{a \"b\"\n}}}", [.text("a \"b\"\n")]),
      ("a_1.b", [.word("a_1"), .sign("."), .word("b")]), ("a+=b", [.word("a"), .sign("+="), .word("b")]),
      ("a=>b", [.word("a"), .sign("=>"), .word("b")]), ("a<=b", [.word("a"), .sign("<="), .word("b")]),
      ("!a&&b||c", [.sign("!"), .word("a"), .sign("&&"), .word("b"), .sign("||"), .word("c")]),
    ]
    for (text, found) in rows { #expect(try tokens(text) == found, "\(text)") }
  }

  /// Lines count through comments and texts of several lines.
  @Test(arguments: [
    ("/*\n\n*/\n\"x", "line 4: a text has no end"), ("{{{\n\n}}}\n\"x\n", "line 4: a text has no end"),
    ("\n{{{ x", "line 2: {{{ has no end"),
  ])
  func lines(text: String, words: String) { #expect(throws: ImportProblem(words)) { try tokens(text) } }

  /// A service that is applied where the condition holds.
  private func holds(_ condition: String, _ variables: String = "") throws -> Bool? {
    let made = try ReadSource(
      .icinga2,
      """
      object Host "web1" {
        address = "192.0.2.1"
        vars.n = 2
        vars.t = "b"
        vars.list = [ "a", "b" ]
        vars.map = { x = 1; z = "q" }
        vars.none = ""
        \(variables)
      }
      apply Service "s" {
        check_command = "ssh"
        assign where \(condition)
      }
      """)
    return made.imported.leftOut.isEmpty ? made.names == ["web1 s"] : nil
  }

  /// Functions and methods.
  @Test(
    arguments: [
      ("match(\"web*\", host.name)", true), ("match(\"w?b1\", host.name)", true),
      ("match(\"web\", host.name)", false),
      ("match(\"*\", host.name)", true), ("match(\"w??1\", host.name)", true),
      ("match(\"?\", host.name)", false), ("match(\"WEB*\", host.name)", true),
      // All of a list, or any of it; an empty one is neither, and what is not set is an empty text.
      ("match(\"a\", host.vars.list)", false), ("match(\"?\", host.vars.list)", true),
      ("match(\"a\", host.vars.list, MatchAll)", false), ("match(\"a\", host.vars.list, MatchAny)", true),
      ("match(\"b\", host.vars.list, MatchAny)", true), ("match(\"c\", host.vars.list, MatchAny)", false),
      ("match(\"?\", host.vars.list, MatchAll)", true), ("match(\"a\", [ \"a\" ])", true),
      ("match(\"*\", [])", false), ("match(\"*\", [], MatchAny)", false),
      ("match(\"b\", host.vars.t, MatchAny)", true), ("match(\"*\", host.vars.gone)", true),
      ("match(\"?\", host.vars.gone)", false), ("match(\"2\", host.vars.n)", true),
      ("len(host.vars.list) == 2", true), ("len(host.vars.map) == 2", true), ("len(host.vars.t) == 1", true),
      ("host.vars.list.len() == 2", true), ("host.vars.list.contains(\"b\")", true),
      ("host.vars.list.contains(\"c\")", false), ("host.vars.map.contains(\"x\")", true),
      ("host.vars.map.contains(\"q\")", false), ("host.vars.t.contains(\"b\")", true),
      ("host.name.contains(\"eb\")", true), ("host.name.contains(\"be\")", false),
      ("host.name.upper() == \"WEB1\"", true), ("\"WEB1\".lower() == host.name", true),
      ("\"x\" in host.vars.map.keys()", true), ("\"q\" in host.vars.map.keys()", false),
      ("string(host.vars.n) == \"2\"", true), ("number(\"2\") == host.vars.n", true),
      ("bool(host.vars.n)", true),
      ("bool(host.vars.none)", false), ("host.vars.list[1] == \"b\"", true),
      ("host.vars.list[0] == \"b\"", false),
      ("host.vars[\"t\"] == \"b\"", true), ("host.vars.map.x == 1", true),
      ("host.vars.map[\"z\"] == \"q\"", true),
      ("host.vars.t + \"c\" == \"bc\"", true), ("host.vars.t + host.vars.n == \"b2\"", true),
      ("host.vars.list + [ \"c\" ] == [ \"a\", \"b\", \"c\" ]", true), ("-host.vars.n == -2", true),
    ] as [(String, Bool)])
  func functions(condition: String, result: Bool) throws { #expect(try holds(condition) == result) }

  /// What is empty, zero or nothing is false.
  @Test(
    arguments: [
      ("host.vars.none", false), ("!host.vars.none", true), ("host.vars.gone", false),
      ("!host.vars.gone", true),
      ("host.vars.n", true), ("host.vars.n - 2", false), ("host.vars.list", true), ("[]", false),
      ("{}", false),
      ("true", true), ("false", false), ("null", false), ("\"false\"", true),
      ("host.vars.gone == \"\"", true),
      ("host.vars.gone == null", true), ("host.vars.none == null", true), ("host.vars.t == null", false),
      ("\"a\" in host.vars.gone", false), ("\"a\" !in host.vars.gone", true),
      ("host.vars.gone && gone", false),
      ("host.vars.n || gone", true), ("(host.vars.n || host.vars.gone) && host.vars.t", true),
    ] as [(String, Bool)])
  func truths(condition: String, result: Bool) throws { #expect(try holds(condition) == result) }

  /// Values of two kinds are the same where both are numbers, with true as 1 and false as 0, or where both are empty.
  @Test(
    arguments: [
      ("true == 1", true), ("1 == true", true), ("false == 0", true), ("0 == false", true),
      ("true == 2", false), ("2 == true", false), ("false == 1", false), ("0 == true", false),
      ("true != 2", true), ("1 != true", false), ("true == true", true), ("true == false", false),
      ("true == \"true\"", false), ("false == \"\"", false), ("false == null", false), ("0 == null", false),
      ("0 == \"\"", false), ("2 == \"2\"", false), ("null == \"\"", true), ("\"\" == null", true),
      ("true in [ 1 ]", true), ("1 in [ true ]", true), ("2 in [ true ]", false), ("0 in [ false ]", true),
      ("[ 1 ].contains(true)", true), ("[ true, 0 ] == [ 1, false ]", true), ("[ 1 ] == [ 1, 2 ]", false),
    ] as [(String, Bool)])
  func valuesOfTwoKinds(condition: String, result: Bool) throws { #expect(try holds(condition) == result) }

  /// Signs of assignments, on numbers, lists, maps and parts of them.
  @Test(
    arguments: [
      ("vars.n += 3", "host.vars.n == 5", true), ("vars.n -= 3", "host.vars.n == -1", true),
      ("vars.n *= 3", "host.vars.n == 6", true), ("vars.n /= 2", "host.vars.n == 1", true),
      ("vars.list += [ \"c\" ]", "len(host.vars.list) == 3", true),
      ("vars.list = [ \"c\" ]", "len(host.vars.list) == 1", true),
      ("vars.map += { y = 2 }", "len(host.vars.map) == 3", true),
      ("vars.map += { x = 2 }", "host.vars.map.x == 2 && host.vars.map.z == \"q\"", true),
      ("vars.map.x = 7", "host.vars.map.x == 7 && host.vars.map.z == \"q\"", true),
      ("vars.map[\"w v\"] = 7", "host.vars.map[\"w v\"] == 7", true),
      ("vars += { n = 9 }", "host.vars.n == 9", true),
      ("vars = { n = 9 }", "host.vars.t", false), ("vars.new += [ 1 ]", "len(host.vars.new) == 1", true),
      ("if (vars.n == 2) { vars.k = 1 } else { vars.k = 2 }", "host.vars.k == 1", true),
      ("if (vars.n == 3) { vars.k = 1 } else { vars.k = 2 }", "host.vars.k == 2", true),
      (
        "if (vars.n == 3) { vars.k = 1 } else if (vars.n == 2) { vars.k = 3 } else { vars.k = 2 }",
        "host.vars.k == 3", true
      ),
      ("if (vars.n == 3) { vars.k = 1 }", "!host.vars.k", true),
    ] as [(String, String, Bool)])
  func assignments(statement: String, condition: String, result: Bool) throws {
    #expect(try holds(condition, statement) == result)
  }

  /// One of several rules is enough, and one that ignores wins.
  @Test(
    arguments: [
      ("false\n assign where true", true), ("false\n assign where false", false),
      ("true\n ignore where false", true), ("true\n ignore where true", false),
      ("true\n ignore where false\n ignore where true", false), ("false\n ignore where false", false),
      ("true\n assign where gone()", true), ("false\n ignore where gone()", false),
      ("true\n ignore where gone()", nil), ("gone()", nil), ("gone()\n ignore where true", false),
    ] as [(String, Bool?)])
  func rules(rules: String, result: Bool?) throws { #expect(try holds(rules) == result) }

  /// Five minutes, one minute and three attempts are Icinga's own.
  @Test(
    arguments: [
      ("", "5m", "3", "1m", "10s"), ("check_interval = 30s\n retry_interval = 10s", "30s", "3", "10s", "10s"),
      ("max_check_attempts = 1", "5m", nil, nil, "10s"), ("max_check_attempts = 2", "5m", "2", "1m", "10s"),
      ("retry_interval = 5m", "5m", "3", nil, "10s"), ("check_interval = 90", "90s", "3", "1m", "10s"),
      ("retry_interval = 0.5", "5m", "3", "1s", "10s"), ("check_timeout = 4s", "5m", "3", "1m", "4s"),
      ("check_timeout = 20s", "5m", "3", "1m", "10s"), ("max_check_attempts = 100", "5m", "100", "1m", "10s"),
    ] as [(String, String, String?, String?, String)])
  func paces(lines: String, interval: String, attempts: String?, retry: String?, timeout: String) throws {
    let made = try ReadSource(
      .icinga2, "object Host \"h\" {\n address = \"192.0.2.1\"\n check_command = \"ssh\"\n \(lines)\n}\n")
    let check = try #require(made.imported.checks.first)
    #expect(check["interval"]?.word == interval && check["failure_threshold"]?.word == attempts)
    #expect(check["interval_failing"]?.word == retry && check["timeout"]?.word == timeout)
    let notes = lines.contains("0.5") ? ["500ms is made 1s, the shortest there is"] : []
    #expect(check.notes.map(\.why) == notes && check["retries"]?.word == "0")
  }

  /// Names of what is applied for each item.
  @Test(
    arguments: [
      ("\"p-\" for (i in [ \"a\", \"b\" ])", ["h p-a", "h p-b"]), ("for (i in [ \"a\" ])", ["h a"]),
      ("\"p-\" for (k => v in { x = { y = 1 } })", ["h p-x"]), ("for (k => v in host.vars.gone)", []),
      ("\"p-\" for (k in { x = 1; w = 2 })", ["h p-x", "h p-w"]),
    ] as [(String, [String])])
  func loops(head: String, names: [String]) throws {
    let made = try ReadSource(
      .icinga2,
      """
      object Host "h" { address = "192.0.2.1" }
      apply Service \(head) { check_command = "ssh" }
      """)
    #expect(made.names.sorted() == names.sorted())
  }

  /// A notification reaches a user for what both name.
  @Test(
    arguments: [
      ("", "", "", true, true, true, "30m"), ("states = [ Critical ]", "", "", true, false, true, "30m"),
      ("states = [ Warning, OK ]", "", "", false, true, true, "30m"),
      ("states = [ OK ]", "", "", false, false, false, nil),
      ("types = [ Problem ]", "", "", true, true, false, "30m"),
      ("types = [ Recovery ]", "", "", false, false, false, nil),
      ("types = [ Problem, Recovery ]", "", "", true, true, true, "30m"),
      ("", "states = [ Critical, OK ]", "", true, false, true, "30m"),
      ("", "types = [ Problem ]", "", true, true, false, "30m"),
      ("", "types = [ Recovery ]", "", false, false, false, nil),
      ("", "enable_notifications = false", "", false, false, false, nil),
      ("", "", "enable_notifications = false", false, false, false, nil),
      ("interval = 2m", "", "", true, true, true, "2m"),
      ("interval = 0", "", "", true, true, true, nil), ("interval = 30s", "", "", true, true, true, "1m"),
    ] as [(String, String, String, Bool, Bool, Bool, String?)])
  func notifications(
    lines: String, user: String, service: String, fails: Bool, warns: Bool, recovers: Bool, remind: String?
  ) throws {
    let made = try ReadSource(
      .icinga2,
      """
      object NotificationCommand "mail" { command = [ "mail", "$user.email$" ] }
      object User "ann" {
        email = "ann@a.example"
        \(user)
      }
      object Host "h" { address = "192.0.2.1" }
      object Service "s" {
        host_name = "h"
        check_command = "tcp"
        vars.tcp_port = 80
        vars.tcp_wtime = 1
        \(service)
      }
      apply Notification "n" to Service {
        command = "mail"
        users = [ "ann" ]
        \(lines)
        assign where true
      }
      """)
    let sections = made.imported.sections
    let (failed, warned) = (fails ? ["consecutive_failures"] : [], warns ? ["state"] : [])
    #expect(sections.rules.compactMap { $0["type"]?.word } == failed + warned)
    #expect(
      sections.channels.compactMap { $0["recovered"]?.word } == (fails || warns ? ["\(recovers)"] : []))
    #expect(sections.remind.map { ForeignDuration.text($0) } == remind)
  }
}
