// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Monitoring

/// Characters, pairs and counts at the edges of the judge's rules.
@Suite struct JudgeTablesTests {
  private func problems(
    _ base: CheckDefinition, patterns: PatternRule = .unchecked, _ change: (inout CheckDefinition) -> Void
  ) -> [String] {
    var definition = base
    change(&definition)
    do throws(InvalidCheck) {
      _ = try MonitoringCheck(definition, patterns: patterns)
      return []
    } catch { return error.problems.map(\.message) }
  }

  private var tls: CheckDefinition {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host) = ("Mail", "tls", "mail.example")
    return definition
  }

  /// Labels are letters, digits and underscores, from the first to the last of each.
  @Test(
    arguments: [
      ("azAZ", true), ("a09", true), ("A", true), ("Z9", true), ("z_", true), ("0x", false), ("9x", false),
      ("a/", false), ("a:", false), ("a@", false), ("a[", false), ("a`", false), ("a{", false), ("_", true),
      ("a^", false), ("_1", true),
    ])
  func namesOfLabels(name: String, isOne: Bool) {
    #expect((TagLabels.objection(to: name) == nil) == isOne)
  }

  @Test func labelsOfOurs() {
    for name in [
      "agent", "certificate", "check", "instance", "job", "le", "name", "outcome", "period", "phase",
      "quantile", "reason", "region", "state", "type", "version",
    ] {
      #expect(TagLabels.objection(to: name) == "is a label that the metrics have themselves", "\(name)")
      #expect(TagLabels.objection(to: name + "x") == nil)
    }
    let words = "must be letters, digits and _, beginning with a letter, at most 64"
    #expect(TagLabels.objection(to: "") == words && TagLabels.limit == 8)
    #expect(TagLabels.value(of: "a", tags: ["b=1", "a=2", "a:3"]) == "2")
    #expect(TagLabels.value(of: "a", tags: ["a:", "a"]) == "true")
    #expect(TagLabels.value(of: "a", tags: ["a=:x"]) == ":x")
    #expect(TagLabels.value(of: "a", tags: []) == nil && TagLabels.value(of: "a", tags: ["a b"]) == nil)
  }

  private func mail(_ fill: (inout AlertChannelDefinition.Mail) -> Void) -> Bool {
    var (definition, mail) = (AlertChannelDefinition(), AlertChannelDefinition.Mail())
    (mail.server, mail.from, mail.to) = ("mx.example", "a@x.example", ["b@x.example"])
    fill(&mail)
    (definition.name, definition.mail) = ("ops", mail)
    return (try? AlertChannel(definition)) != nil
  }

  /// Of a mail's domain and of the name given to its server the first and the last of each range of characters.
  @Test func charactersOfMail() {
    for (domain, isTaken) in [
      ("az.example", true), ("AZ", true), ("09", true), ("a-b.c", true), ("a/b", false), ("a:b", false),
      ("a@b", false), ("a[b", false), ("a`b", false), ("a{b", false), ("a,b", false),
    ] {
      #expect(mail { $0.from = "x@\(domain)" } == isTaken, "\(domain)")
      #expect(mail { $0.to = ["b@x.example", "x@\(domain)"] } == isTaken, "\(domain)")
    }
    for (hello, isTaken) in [
      ("azAZ09", true), ("[a:b]", true), ("a.b-c", true), ("a/", false), ("a;", false), ("a@", false),
      ("a\\", false), ("a^", false), ("a`", false), ("a{", false), ("a,", false),
    ] {
      #expect(mail { $0.hello = hello } == isTaken, "\(hello)")
    }
  }

  /// Characters that a name in a question would have to escape.
  @Test func charactersOfQuestions() {
    for character in ["\"", "(", ")", ";", "@", "$", ":", "?", "#", " ", "\u{7f}"] {
      let found = problems(.dns(name: "a\(character)b.example")) { _ in }.first ?? ""
      #expect(found.hasPrefix("query.name has a character that needs escaping"), "\(character)")
    }
    #expect(
      problems(.dns(name: #"a\.b.example"#)) { _ in }.first?
        .hasPrefix("query.name has a backslash, and escapes are not supported, found ") == true)
    for character in ["!", "%", "&", "'", "*", "+", "/", "=", "^", "_", "`", "{", "|", "}", "~"] {
      #expect(problems(.dns(name: "a\(character)b.example")) { _ in } == [], "\(character)")
    }
  }

  /// Scopes are visible ASCII but for the quote and the backslash.
  @Test func charactersOfScopes() {
    for (scope, isTaken) in [
      ("!", true), ("~", true), ("#", true), ("[", true), ("]", true), (" ", false), ("\"", false),
      ("\\", false), ("\u{7f}", false), ("é", false), ("\t", false),
    ] {
      let found = problems(.http()) {
        var given = OAuth2Definition()
        (given.tokenURL, given.clientID) = ("https://a.example/token", "id")
        (given.clientSecret, given.scopes) = (Redacted("s"), ["read", "a\(scope)"])
        $0.auth.oauth2 = given
      }
      #expect(found == (isTaken ? [] : ["auth.oauth2.scopes[1] is no scope"]), "\(scope)")
    }
    for (token, isTaken) in [("!~", true), ("a b", false), ("a\u{7f}", false), ("é", false), ("", false)] {
      let found = problems(.http()) { $0.auth.bearer = Redacted(token) }
      #expect(found.isEmpty == isTaken, "\(token)")
    }
  }

  /// A half of a login is one way to log in, whichever half it is.
  @Test func halvesOfLogins() {
    func found(_ fill: (inout AuthDefinition) -> Void) -> [String] { problems(.http()) { fill(&$0.auth) } }
    #expect(found { $0.basic.username = "u" } == ["auth.basic.password is missing"])
    #expect(found { $0.basic.password = Redacted("p") } == ["auth.basic.username is missing"])
    #expect(found { $0.digest.username = "u" } == ["auth.digest.password is missing"])
    #expect(found { $0.digest.password = Redacted("p") } == ["auth.digest.username is missing"])
    #expect(
      found { ($0.basic.username, $0.digest.password) = ("u", Redacted("p")) }.first
        == "auth has both basic and digest")
    #expect(
      found { ($0.bearer, $0.oauth2) = (Redacted("t"), OAuth2Definition()) }.first
        == "auth has both bearer and oauth2")
  }

  /// A header holds a tab, but no other control character.
  @Test func valuesOfHeaders() {
    for (value, isTaken) in [
      ("a\tb", true), (" ", true), ("~", true), ("é", true), ("a\u{1f}", false), ("a\u{0}", false),
      ("a\u{8}", false), ("a\u{a}", false), ("a\u{7f}", false),
    ] {
      #expect(isFieldValue(value) == isTaken, "\(value)")
    }
  }

  /// Thresholds of a certificate are judged in each kind that has one.
  @Test func thresholdsInEachKind() {
    var tcp = CheckDefinition.tcp(host: "a", port: 1)
    tcp.tls.isWanted = true
    for base in [.http(), tcp, tls] as [CheckDefinition] {
      let order = "expect.certificate.warn must be at least expect.certificate.fail (8d), found 7d"
      #expect(
        problems(base) {
          $0.expect.certificate = Thresholds(warn: .seconds(7 * 86_400), fail: .seconds(8 * 86_400))
        } == [order])
      #expect(
        problems(base) { $0.expect.certificate.fail = .seconds(3651 * 86_400) }
          == ["expect.certificate.fail must be at most 3650d, found 3651d"])
      #expect(
        problems(base) { $0.tls.caFile = "" } == ["tls.ca_file must be the path of a PEM file"])
    }
    #expect(
      problems(.tcp(host: "a", port: 1)) { $0.expect.certificateStrict = false }
        == ["expect.certificate needs tls"])
    #expect(
      problems(.tcp(host: "a", port: 1)) { ($0.startTLS, $0.tls.isWanted) = ("smtp", false) }
        == ["tls false contradicts starttls"])
  }

  /// Patterns for bytes are compiled for bytes where the check compares bytes, and nowhere else.
  @Test func patternsForBytes() {
    let rule = PatternRule(problem: { $0 == "(" ? "p" : nil }, byteProblem: { $0 == "é" ? "b" : nil })
    for (bytes, found) in [
      (false, ["expect.body.matches[1] is no regular expression: p"]),
      (
        true,
        [
          "expect.body.matches[0] is no regular expression for bytes: b",
          "expect.body.matches[1] is no regular expression: p",
          "expect.body.not_matches[0] is no regular expression for bytes: b",
        ]
      ),
    ] {
      let told = problems(.http(), patterns: rule) {
        ($0.http.expect.bodyMatches, $0.http.expect.bodyNotMatches) = (["é", "("], ["é"])
        $0.http.expect.comparesBytes = bytes
      }
      #expect(told == found)
    }
  }

  /// What a step sends names captures although it looks like a condition; names have 32 bytes, numbers two digits.
  @Test func capturesOfDialogs() {
    func send(_ text: String, after pattern: String? = nil) -> [String] {
      var (first, second) = (DialogStepDefinition(), DialogStepDefinition())
      (first.expect, second.send) = (pattern ?? "OK", Redacted(text))
      return problems(.tcp(host: "a", port: 1)) { $0.dialogSteps = [first, second] }
    }
    let end = ", which no step before it captures"
    for mark in ["~", ">", "!="] {
      #expect(send(#"\#(mark) \(code)"#) == ["dialog[1].send names code\(end)"])
    }
    #expect(send(#"\(1)"#) == ["dialog[1].send names 1\(end)"] && send(#"\(1)"#, after: "~ (a)") == [])
    #expect(send(#"\(99)"#, after: "~ (a)") == [])
    for number in ["0", "100"] {
      #expect(send(#"\(\#(number))"#, after: "~ (a)") == ["dialog[1].send names \(number)\(end)"])
    }
    let name = String(repeating: "n", count: 32)
    #expect(send(#"\(\#(name))"#, after: "~ (?<\(name)>a)") == [])
    #expect(
      send(#"\(\#(name)n)"#, after: "~ (?<\(name)n>a)")
        == [#"dialog[1].send has \( ) with something else than a name or a number"#])
    for (name, isOne) in [("azAZ09_", true), ("a/", false), ("a:", false), ("a@", false), ("a[", false)] {
      #expect(((try? DialogText(parsing: #"\(\#(name))"#)) != nil) == isOne, "\(name)")
    }
    for name in ["a`", "a{", "a^"] { #expect((try? DialogText(parsing: #"\(\#(name))"#)) == nil) }
    // Two groups of one pattern are both known.
    #expect(send(#"\(a)\(b)"#, after: "~ (?<a>x)(?<b>y)") == [])
  }

  /// The sort of an option decides, and not its place: ports of ICMP and sizes of TCP.
  @Test func optionsOfPings() {
    let ping = CheckDefinition.ping(host: "a")
    #expect(problems(ping) { $0.port = 7 } == ["port has no effect on an icmp ping"])
    #expect(problems(ping) { $0.pingMethod = "tcp" } == ["port is missing"])
    #expect(
      problems(ping) { ($0.pingMethod, $0.port, $0.size) = ("tcp", 7, 9) }
        == ["size has no effect on a tcp ping"])
    #expect(problems(ping) { ($0.pingMethod, $0.port) = ("tcp", 7) } == [])
    #expect(problems(ping) { $0.size = 9 } == [])
  }

  /// What a stranger may not have, and what is a stranger's to write in another form.
  @Test func strangers() {
    var heartbeat = CheckDefinition()
    (heartbeat.name, heartbeat.type) = ("Backup", "heartbeat")
    (heartbeat.token, heartbeat.period) = (Redacted("0123456789abcdef"), .seconds(3600))
    #expect(problems(heartbeat) { _ in } == [])
    #expect(
      problems(heartbeat) { $0.origin = .api }
        == ["type heartbeat is of the local file only, not of the API"])
    let url = "https://bücher.example/ü"
    #expect(problems(.http(url)) { _ in } == [])
    #expect(problems(.http(url)) { $0.origin = .api } == ["url contains a character outside ASCII"])
    let question = CheckDefinition.dns(name: "bücher.example")
    #expect(problems(question) { _ in } == [])
    #expect(
      problems(question) { $0.origin = .api } == ["query.name must be in ASCII, found \"bücher.example\""])
    // The address of a stranger's check is not judged against what only the file can say.
    #expect(problems(.tcp(host: "192.0.2.1", port: 1)) { ($0.origin, $0.ip) = (.api, "6") } == [])
    #expect(CheckLimits.keywordBytes(.api) == 256 && CheckLimits.keywordBytes(.local) == 4096)
  }
}
