// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Rules of several sources that one line of a file decides.
@Suite struct ImportEdgesTests {
  /// A mail server's certificate is at port 25 where no other is named, and behind STARTTLS.
  @Test(arguments: [
    ("smtp://a.example", "25"), ("smtp+starttls://a.example", "25"), ("smtp+starttls://a.example:587", "587"),
    ("smtp://a.example:26", "26"),
  ])
  func certificatesOfMail(source: String, port: String) throws {
    let made = try ReadSource(.telegraf, "[[inputs.x509_cert]]\nsources = ['\(source)']\n")
    let check = try #require(made.imported.checks.first)
    #expect(
      check["port"]?.word == port && check["starttls"]?.word == "smtp" && check["host"]?.word == "a.example")
  }

  /// Of Icinga: when a check runs, from where, and whether at all.
  @Test(
    arguments: [
      ("check_period = \"24x7\"", nil, []),
      ("check_period = \"work\"", nil, ["changed: checks run all day; write maintenance for the rest"]),
      ("command_endpoint = \"far\"", nil, ["changed: an agent probes from where it stands"]),
      ("zone = \"far\"", nil, ["changed: an agent probes from where it stands"]),
      ("enable_active_checks = false", "false", []), ("enable_active_checks = true", nil, []), ("", nil, []),
    ] as [(String, String?, [String])])
  func whenIcingaChecks(line: String, enabled: String?, notes: [String]) throws {
    let made = try ReadSource(
      .icinga2, "object Host \"h\" {\n  address = \"192.0.2.1\"\n  check_command = \"ping4\"\n  \(line)\n}\n")
    let check = try #require(made.imported.checks.first)
    #expect(check["enabled"]?.word == enabled)
    #expect(
      check.notes.filter { $0.change != nil }.map { "\($0.change?.rawValue ?? ""): \($0.why)" } == notes)
  }

  /// What becomes of a redirect, and of a status of 400 to 499, is not the same as with the plugin.
  @Test(
    arguments: [
      ("", []), ("-f ok", []), ("-f critical", []), ("-f follow", []), ("-f curl", []),
      ("-f sticky", ["laxer: follow: a redirect is followed to any address; sticky stays on one"]),
      ("-f stickyport", ["laxer: follow: a redirect is followed to any address; stickyport stays on one"]),
      ("-f warning", ["stricter: expect.status: a redirect is a warning there; it is down here"]),
    ] as [(String, [String])])
  func redirectsOfNagios(options: String, more: [String]) throws {
    let check = try #require(
      try ReadSource(plugin: "check_http -H a.example \(options)").imported.checks.first)
    let first = "stricter: expect.status: a status of 400 to 499 is a warning there; it is down here"
    #expect(check.notes.filter { $0.change != nil }.map(\.line) == [first] + more)
    let asked = try #require(
      try ReadSource(plugin: "check_http -H a.example -e 200 \(options)").imported.checks.first)
    #expect(!asked.notes.map(\.line).contains(first) && asked["follow"]?.word == "false")
  }

  private func checkly(_ kind: String, _ request: String, _ assertions: [[String]]) throws -> ImportedCheck {
    let list = assertions.map { part in
      "{\"source\":\"\(part[0])\",\"comparison\":\"\(part[1])\",\"target\":\"\(part[2])\",\"property\":\"\(part[3])\","
        + "\"regex\":\"\(part[4])\"}"
    }
    let made = try ReadSource(
      .checkly,
      "{\"checks\":[{\"name\":\"n\",\"checkType\":\"\(kind)\",\"request\":{\(request),"
        + "\"assertions\":[\(list.joined(separator: ","))]}}]}")
    return try #require(made.imported.checks.first)
  }

  /// Of Checkly: a port's dialog waits for one text, within a longest time.
  @Test(
    arguments: [
      (["RESPONSE_TIME", "LESS_THAN", "0", "", ""], "only a longest time is a condition"),
      (["RESPONSE_TIME", "LESS_THAN", "x", "", ""], "only a longest time is a condition"),
      (["RESPONSE_TIME", "GREATER_THAN", "5", "", ""], "only a longest time is a condition"),
      (
        ["RESPONSE_DATA", "CONTAINS", "a", "", "(.)"],
        "what a pattern takes out of the answer is not compared"
      ),
      (["RESPONSE_DATA", "CONTAINS", "a", "p", ""], "what a pattern takes out of the data is not compared"),
      (["RESPONSE_DATA", "CONTAINS", "", "", ""], "a dialog waits for a text that comes"),
      (["RESPONSE_DATA", "EQUALS", "a", "", ""], "a dialog waits for a text that comes"),
      (["RESPONSE_DATA", "IS_EMPTY", "", "", ""], "a dialog waits for a text that comes"),
      (["STATUS_CODE", "EQUALS", "200", "", ""], "there is no such condition"),
    ])
  func portsOfCheckly(assertion: [String], why: String) throws {
    let check = try checkly("TCP", "\"hostname\":\"a.example\",\"port\":1", [assertion])
    #expect(Set(check.notes.map { "\($0.change?.rawValue ?? ""): \($0.why)" }) == ["laxer: \(why)"])
    #expect(check["dialog"] == nil)
  }

  @Test func aSecondTextOfAPort() throws {
    let wanted = ["RESPONSE_DATA", "NOT_EMPTY", "", "", ""]
    let check = try checkly("TCP", "\"hostname\":\"a.example\",\"port\":1", [wanted, wanted])
    guard case .list(let steps)? = check["dialog"], case .map(let entries)? = steps.first else {
      Issue.record("no dialog")
      return
    }
    #expect(
      steps.count == 1 && entries.map(\.name) == ["expect"] && entries.map { $0.value.word } == ["~ (?s)."])
    #expect(Set(check.notes.map(\.why)) == ["a dialog has one condition here"])
  }

  /// Of Checkly: values that are empty or not, and what a pattern takes out is only there or not.
  @Test func emptyValuesOfCheckly() throws {
    let url = "\"url\":\"https://a.example/\""
    func json(_ comparison: String) throws -> String? {
      let check = try checkly("API", url, [["JSON_BODY", comparison, "", "a", ""]])
      guard case .map(let entries)? = check["expect.json"], entries.map(\.name) == ["$.a"] else { return nil }
      return entries[0].value.word
    }
    #expect(try json("NOT_EMPTY") == #"~ (?s)\A(?!(?:\[\]|\{\}|null)\z)."#)
    #expect(try json("IS_EMPTY") == #"~ \A(?:\[\]|\{\}|null)?\z"#)
    for (assertion, why) in [
      (["HEADERS", "EQUALS", "a", "X-A", "(.)"], "what a pattern takes out of a header is not compared"),
      (["TEXT_BODY", "EQUALS", "a", "(.)", ""], "what a pattern takes out of the body is not compared"),
      (["JSON_BODY", "EQUALS", "2", "a.length", ""], "the length of a list is no condition"),
    ] { #expect(try Set(checkly("API", url, [assertion]).notes.map(\.why)) == [why]) }
    for (limit, fail) in [("19999", "19999ms"), ("20000", "20s"), ("30000", "20s"), ("1", "1ms")] {
      let check = try checkly("API", url, [["RESPONSE_TIME", "LESS_THAN", limit, "", ""]])
      #expect(check["expect.response_time.fail"]?.word == fail && check.notes == [])
    }
  }
}
