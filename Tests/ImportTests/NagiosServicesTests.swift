// SPDX-License-Identifier: MIT

import Import
import Testing

/// What the plugins of ports and services do without being told: greetings, states of another answer, TLS.
@Suite struct NagiosServicesTests {
  private func check(_ call: String) throws -> ImportedCheck {
    let made = try ReadSource(plugin: call)
    #expect(made.problems == [], "\(made.text)")
    return try #require(made.imported.checks.first, "\(call)")
  }

  /// A service whose text is sent, but none expected, still has to greet, at the begin of its answer. It is left as its
  /// protocol wants it, unless another text is given.
  @Test(arguments: [
    ("check_ftp -s x", #"dialog: [{send: x}, {expect: "~ \\A220"}, {send: "QUIT\\r\\n"}]"#),
    ("check_ssmtp -s x", #"dialog: [{send: x}, {expect: "~ \\A220"}, {send: "QUIT\\r\\n"}]"#),
    ("check_pop -s x", #"dialog: [{send: x}, {expect: "~ \\A\\+OK"}, {send: "QUIT\\r\\n"}]"#),
    ("check_spop -s x -q y", #"dialog: [{send: x}, {expect: "~ \\A\\+OK"}, {send: "y\\r\\n"}]"#),
    ("check_imap -s x", #"dialog: [{send: x}, {expect: "~ \\A\\* OK"}, {send: "a1 LOGOUT\\r\\n"}]"#),
    ("check_simap -e x", #"dialog: [{expect: "~ (?:x)"}, {send: "a1 LOGOUT\\r\\n"}]"#),
    ("check_tcp -p 1 -s x", "dialog: [{send: x}]"),
    ("check_tcp -p 1 -e x", #"dialog: [{expect: "~ (?:x)"}]"#),
    ("check_imap", "dialog: imap"), ("check_tcp -p 1 -q ''", #"dialog: [{send: "\\r\\n"}]"#),
  ])
  func greetings(call: String, dialog: String) throws {
    let keys = try ReadSource(plugin: call).keys().split(separator: "\n").map(String.init)
    #expect(keys.first { $0.hasPrefix("dialog") } == dialog)
    _ = try check(call)
  }

  /// Another answer is a warning to the plugins, where it is down here, unless they are told that it is a failure.
  @Test(
    arguments: [
      ("check_imap", true), ("check_imap -M warn", true), ("check_imap -M ok", true),
      ("check_imap -M crit", false),
      ("check_ftp", true), ("check_pop", true), ("check_simap", true), ("check_spop", true),
      ("check_ssmtp", true),
      ("check_tcp -p 1", false), ("check_tcp -p 1 -M warn", false), ("check_tcp -p 1 -s x", false),
      ("check_tcp -p 1 -e x", true), ("check_tcp -p 1 -e x -M crit", false), ("check_smtp", true),
      ("check_ssh", false),
      ("check_ldap", false), ("check_smtp -S -D 9", false), ("check_dig -l a -a b", true),
      ("check_dig -l a", false),
      ("check_dns -H a -q A -a 192.0.2.1", false),
    ] as [(String, Bool)])
  func anotherAnswer(call: String, isStricter: Bool) throws {
    let notes = try check(call).notes
    #expect(notes.map { $0.change?.rawValue } == (isStricter ? ["stricter"] : []), "\(notes.map(\.line))")
  }

  /// A name without an answer is down to the plugins. check_dns asks for addresses of both versions.
  @Test(
    arguments: [
      ("check_dns -H a", nil, ">= 1", "stricter"), ("check_dns -H a -q MX", "MX", ">= 1", nil),
      ("check_dns -H a -n", nil, nil, nil), ("check_dns -H a -a 192.0.2.1", nil, nil, nil),
      ("check_dns -H a -a 2001:db8::1", "AAAA", nil, nil),
      ("check_dns -H a -a 192.0.2.1 -L", nil, nil, "laxer"),
      ("check_dns -H a -a 2001:db8::1 -a 192.0.2.1", nil, nil, "stricter"),
      ("check_dns -H a -a 2001:db8::1 -q A", "A", ">= 1", "laxer"),
      ("check_dns -H a -a 2001:db8::1 -a 192.0.2.1 -q AAAA", "AAAA", nil, nil),
      ("check_dns -H 192.0.2.1", "PTR", ">= 1", nil),
      ("check_dns -H a -q A -a 192.0.2.0/24", "A", ">= 1", "laxer"), ("check_dig -l a", nil, ">= 1", nil),
      ("check_dns -H a -q -querytype=A+AAAA", nil, ">= 1", "stricter"),
      ("check_dig -l a -T MX", "MX", ">= 1", nil),
      ("check_dig -l a -a b", nil, nil, "stricter"),
    ] as [(String, String?, String?, String?)])
  func answersOfNames(call: String, type: String?, count: String?, change: String?) throws {
    let check = try check(call)
    #expect(check["query.type"]?.word == type && check["expect.count"]?.word == count)
    #expect(check.notes.map { $0.change?.rawValue } == (change == nil ? [] : [change]))
  }

  /// Options of a pattern are for those behind them, and the last pattern is looked for.
  @Test(arguments: [
    ("-r x", "x"), ("-R x", "(?i)x"), ("-l -r x", "(?s-m)x"), ("-r x -l", "x"), ("-l -R x", "(?i)(?s-m)x"),
    ("-R x -l", "(?i)x"), ("-r x -R z", "(?i)z"), ("-R x -r z", "(?i)z"), ("-R x -l -r z", "(?i)(?s-m)z"),
    ("-r x -l -r z", "(?s-m)z"), ("-lr x", "(?s-m)x"),
  ])
  func patterns(options: String, pattern: String) throws {
    let check = try check("check_http -H a.example -f follow \(options)")
    #expect(check["expect.body.matches"]?.word == pattern && check.notes.filter(\.isValue) == [])
  }

  /// Of one text all are wanted anyway.
  @Test func allOfOneText() throws {
    #expect(try check("check_tcp -p 1 -e x -A -M crit").notes == [])
    #expect(try check("check_tcp -p 1 -e x -e y -A -M crit").notes.map { $0.change?.rawValue } == ["laxer"])
  }

  /// Days of a certificate and a name of a server switch TLS on. With a text or a time to judge the port is asked, too.
  @Test(
    arguments: [
      ("check_tcp -p 1 -D 9", "tls", "9d", nil), ("check_tcp -p 1 -S -D 9", "tls", "9d", nil),
      ("check_tcp -p 1 -D 9 -e x", "tcp", "9d", nil), ("check_tcp -p 1 -D 9 -w 1", "tcp", "9d", nil),
      ("check_tcp -p 1 -D 9 -c 1", "tcp", "9d", nil), ("check_simap -D 9", "tcp", "9d", nil),
      ("check_imap -p 993 -D 9", "tcp", "9d", nil),
      ("check_tcp -p 1 --sni=a.example", "tcp", nil, "a.example"),
      ("check_tcp -p 1 -D 9 --sni=a.example", "tls", "9d", "a.example"),
      ("check_tcp -p 1 -S", "tcp", nil, nil),
      ("check_ssmtp -D 9 --sni=a.example", "tcp", "9d", "a.example"),
    ] as [(String, String, String?, String?)])
  func certificatesOfPorts(call: String, type: String, warn: String?, name: String?) throws {
    let check = try check(call)
    #expect(check["type"]?.word == type && check["tls.verify"]?.word == "false")
    #expect(check["expect.certificate.warn"]?.word == warn)
    #expect(check["expect.certificate.fail"]?.word == (warn == nil ? nil : "0d"))
    #expect(check["tls.server_name"]?.word == name)
    #expect((check["dialog"] != nil) == (call.contains("-e x") || !call.contains("check_tcp")))
    #expect(check.notes.filter(\.isValue) == [])
  }
}
