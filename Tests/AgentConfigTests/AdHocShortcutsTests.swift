// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

/// Keys of a check as options of their own.
struct AdHocShortcutsTests {
  private func shortcuts(_ fill: (inout AdHocShortcuts) -> Void) -> AdHocShortcuts {
    var shortcuts = AdHocShortcuts()
    fill(&shortcuts)
    return shortcuts
  }

  private func http(
    _ target: String = "https://a.example/", keys: String? = nil, _ fill: (inout AdHocShortcuts) -> Void
  ) throws -> (check: MonitoringCheck, http: HTTPSettings) {
    let check = try MonitoringCheck(adHoc: target, keys: keys, shortcuts: shortcuts(fill), sources: .test)
    guard case .http(let http) = check.kind else { throw Unexpected() }
    return (check, http)
  }

  private struct Unexpected: Error {}

  /// Who asks by hand waits for the answer: there is one attempt, unless somebody says otherwise.
  @Test func aTargetIsTriedOnce() throws {
    #expect(try MonitoringCheck(adHoc: "tcp://a:1", keys: nil, sources: .test).retries == 0)
    #expect(try MonitoringCheck(adHoc: "tcp://a:1", keys: "timeout: 2s", sources: .test).retries == 0)
    #expect(try MonitoringCheck(adHoc: "tcp://a:1", keys: "retries: 3", sources: .test).retries == 3)
    let check = try http { ($0.retries, $0.timeout) = (2, "1500ms") }.check
    #expect(check.retries == 2 && check.timeout == .milliseconds(1500))
  }

  /// As with curl: a body makes it POST and a form, unless it is said what it is.
  @Test func theyAreWhatCurlDoes() throws {
    let form = try http { $0.data = ["a=${x}", "b=\"\u{85}ü\""] }.http
    #expect(form.method == "POST" && form.body?.reveal() == "a=${x}&b=\"\u{85}ü\"")
    #expect(form.headers == [HeaderField("Content-Type", "application/x-www-form-urlencoded")])
    let own = try http {
      ($0.method, $0.data, $0.headers) = ("PUT", ["{}"], ["content-type:  application/json", "X-Empty;"])
    }.http
    #expect(own.method == "PUT")
    #expect(own.headers == [HeaderField("content-type", "application/json"), HeaderField("X-Empty", "")])
    let keyed = try http(keys: "headers: {Content-Type: text/plain}") { $0.data = ["x"] }.http
    #expect(keyed.headers == [HeaderField("Content-Type", "text/plain")])
    #expect(try http { $0.isInsecure = true }.http.tls.verify == false)
    #expect(
      try http(keys: "expect: {status: 204}") { $0.method = "DELETE" }.http.expect.status == [204...204])
  }

  /// A map that an option gives and that --with has too is one map.
  @Test func mapsOfOptionsAreMerged() throws {
    let both = try http(keys: "{tags: [ü], tls: {min_version: '1.3'}, headers: {B: x, C: d}}") {
      ($0.isInsecure, $0.headers) = (true, ["A: b"])
    }.http
    #expect(!both.tls.verify && both.tls.minimumVersion == .v13)
    #expect(both.headers.map(\.name) == ["A", "B", "C"])
    let twice = try #require(throws: AdHocTargetError.self) {
      try http(keys: "headers: {A: c}") { $0.headers = ["A: b"] }
    }
    #expect(twice.message == "https://a.example/: key \"A\" is given twice in one map")
  }

  /// A header may name where its secret is, as in the file; a body is taken as it is.
  @Test func aHeaderMayBeAReference() throws {
    let found = try http { $0.headers = ["Authorization: Bearer ${env:TOKEN}"] }.http
    #expect(found.headers.first?.value.reveal().hasPrefix("Bearer ") == true)
    #expect(found.headers.first?.value.reveal().contains("${") == false)
  }

  /// What contradicts is said, with the option's name and the target; nothing of a header's value is repeated.
  @Test(arguments: [
    ("tcp://db:5432", "-d", "-d goes with http targets, and tcp://db:5432 is a tcp target"),
    ("ping://a", "-H", "-H goes with http targets, and ping://a is a ping target"),
    ("dns:///a", "-X", "-X goes with http targets, and dns:///a is a dns target"),
    ("tcp://db:5432", "-k", "-k goes with https and tls targets, and tcp://db:5432 is a tcp target"),
    ("https://a/", "hunter2", "-H number 1 has no name and colon"),
    ("https://a/", "X-Key hunter2: ", "-H \"X-Key hunter2\" has no value"),
    ("https://a/", "X-Key;hunter2", "-H \"X-Key\" has no colon"),
    ("https://a/", "Content-Length: 5", "https://a/: headers.Content-Length must not be set"),
  ])
  func whatContradictsIsSaid(target: String, option: String, message: String) throws {
    let given = shortcuts { given in
      switch option {
      case "-d": given.data = ["x"]
      case "-H": given.headers = ["A: b"]
      case "-X": given.method = "PUT"
      case "-k": given.isInsecure = true
      default: given.headers = [option]
      }
    }
    let error = try #require(throws: AdHocTargetError.self) {
      try MonitoringCheck(adHoc: target, keys: nil, shortcuts: given, sources: .test)
    }
    #expect(error.message == message)
    #expect(error.hint?.isEmpty == false)
    if message.contains("X-Key\" has no colon") || option == "hunter2" {
      #expect(!error.description.contains("hunter2"))
    }
  }

  /// The judge of the file's keys judges these, too.
  @Test(arguments: [
    ("timeout: 5s", "timeout needs a unit, found \"5\"; key \"timeout\" is given twice in one map"),
    (nil, "timeout needs a unit, found \"5\""),
  ])
  func theyAreKeys(keys: String?, message: String) throws {
    let error = try #require(throws: AdHocTargetError.self) {
      try http(keys: keys) { $0.timeout = "5" }
    }
    #expect(error.message == "https://a.example/: " + message)
  }

  /// -k of a tls target.
  @Test func aTLSTargetMayBeUnverified() throws {
    let check = try MonitoringCheck(
      adHoc: "tls://a", keys: nil, shortcuts: shortcuts { $0.isInsecure = true }, sources: .test)
    guard case .tls(let tls) = check.kind else { throw Unexpected() }
    #expect(!tls.options.verify)
  }

  /// A time that would mean something to YAML is read as it is, and is no time.
  @Test(arguments: ["#5", "&5", "*5", "!5", "%5", "'5", "`5", "|5"]) func timesAreTexts(timeout: String)
    throws
  {
    let error = try #require(throws: AdHocTargetError.self) { try http { $0.timeout = timeout } }
    #expect(error.message.hasPrefix("https://a.example/: timeout "))
    #expect(error.message.contains("\"\(timeout)\""))
  }

  /// A target is repeated with at most 200 bytes, and without its query.
  @Test func longTargetsAreCut() throws {
    let target = "ping://" + String(repeating: "a", count: 300)
    let error = try #require(throws: AdHocTargetError.self) {
      try MonitoringCheck(
        adHoc: target + "?count=2", keys: nil, shortcuts: shortcuts { $0.method = "PUT" }, sources: .test)
    }
    let shown = target.printable(maxBytes: 200)
    #expect(shown.utf8.count <= 200)
    #expect(error.message == "-X goes with http targets, and \(shown) is a ping target")
  }
}
