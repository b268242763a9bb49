// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import AgentConfig

/// Names of targets on the command line, and whole texts about them.
struct AdHocWordsTests {
  private func error(
    _ target: String, keys: String? = nil, _ fill: (inout AdHocShortcuts) -> Void = { _ in }
  ) throws -> AdHocTargetError {
    var shortcuts = AdHocShortcuts()
    fill(&shortcuts)
    return try #require(throws: AdHocTargetError.self) {
      try MonitoringCheck(adHoc: target, keys: keys, shortcuts: shortcuts, sources: .test)
    }
  }

  /// A section's name and a query are no part of a name, whichever comes first.
  @Test(arguments: [
    "https://a.example/x", "https://a.example/x#top", "https://a.example/x?y", "https://a.example/x?y#z",
    "https://a.example/x#a?b", "https://a.example/x#", "https://a.example/x?",
  ])
  func aNameHasNoQueryAndNoSection(target: String) throws {
    for keys in [nil, "timeout: 5s"] {
      #expect(
        try MonitoringCheck(adHoc: target, keys: keys, sources: .test).name == "https://a.example/x")
    }
  }

  /// As in names, so in what is said of a target.
  @Test(arguments: ["#secret", "?secret", "#secret?x", "?secret#x"])
  func problemsHaveNoQueryAndNoSection(tail: String) throws {
    let byJudge = try error("https://u@a.example/x" + tail)
    #expect(
      byJudge.message == "https://<redacted>@a.example/x: url must not contain user info; use auth instead")
    let byLoader = try error("https://a.example/x" + tail, keys: "timeot: 5s")
    #expect(byLoader.message == "https://a.example/x: unknown key \"timeot\"")
  }

  /// The same where an option does not go with the target. A question holds what stands behind a number sign.
  @Test(arguments: [
    ("ping://a?count=2", "ping://a is a ping target"), ("dns:///a#b", "dns:///a is a dns target"),
    ("dns:///a#b?type=MX", "dns:///a is a dns target"), ("tls://a?starttls=smtp", "tls://a is a tls target"),
  ])
  func optionsHaveNoQueryAndNoSection(target: String, what: String) throws {
    let found = try error(target) { $0.method = "PUT" }
    #expect(found.message == "-X goes with http targets, and " + what)
  }

  /// What is said is about the target, of which at most 300 bytes are shown.
  @Test func aLongTargetIsCutInWhatIsSaid() throws {
    func shown(_ length: Int) throws -> String {
      let target = "https://a.example/" + String(repeating: "a", count: length - 18)
      let message = try error(target, keys: "timeot: 5s").message
      return String(message.dropLast(": unknown key \"timeot\"".count))
    }
    #expect(try shown(300) == "https://a.example/" + String(repeating: "a", count: 282))
    #expect(try shown(301) == "https://a.example/" + String(repeating: "a", count: 279) + "…")
  }

  /// Each kind's usage.
  @Test(arguments: [
    (
      "example.com",
      "targets: https://host/path, tcp://host:port, tls://host:port, dns://server/name?type=A, ping://host"
    ),
    ("tcp://db", "tcp://host:port, such as tcp://db:5432 or tcp://mail:25?dialog=smtp"),
    ("tcp://db:1/a", "tcp://host:port, such as tcp://db:5432 or tcp://mail:25?dialog=smtp"),
    ("tls://a:1/b", "tls://host:port, such as tls://mail:25?starttls=smtp; the port may be left out"),
    ("dns://a", "dns://server/name?type=A; dns:///name asks the system's resolvers"),
    ("dns://a/", "dns://server/name?type=A; dns:///name asks the system's resolvers"),
    ("ping://a/b", "ping://host, such as ping://192.0.2.1?count=10"),
    ("ping://a:1", "ping://host, or ping://host?method=tcp&port=443"),
    ("htps://a", "did you mean https://?"),
    ("gopher://a", "one of http, https, tcp, tls, dns, ping"),
    ("tcp://a:1?x=y", "options: dialog=…, starttls=…, tls=…, each once; others with --with"),
    ("tls://a:1?tls=true", "options: starttls=…, each once; others with --with"),
    (
      "dns:///a?x=y",
      "options: class=…, dnssec=…, recursion=…, transport=…, type=…, each once; others with --with"
    ),
    ("ping://a?x=y", "options: count=…, method=…, port=…, size=…, each once; others with --with"),
  ])
  func usages(target: String, hint: String) throws {
    #expect(try error(target).hint == hint)
  }

  /// Options are words, truth values and whole numbers as they are written at once.
  @Test(arguments: [
    ("ping://a?count=01", "count must be a whole number, found \"01\""),
    ("ping://a?count=+1", "count must be a whole number, found \"+1\""),
    ("ping://a?count=1000000000", "count must be a whole number, found \"1000000000\""),
    ("ping://a?count=x", "count must be a whole number, found \"x\""),
    ("tcp://a:1?tls=yes", "tls must be true or false, found \"yes\""),
    ("dns:///a?dnssec=1", "dnssec must be true or false, found \"1\""),
    ("dns:///a?recursion=FALSE", "recursion must be true or false, found \"FALSE\""),
    ("ping://a?count=", "\"count=\" is no option of a ping target"),
    ("ping://a?count", "\"count\" is no option of a ping target"),
    ("ping://a?size=9&count=1&size=9", "\"size=9\" is no option of a ping target"),
    ("tcp://a:1#b", "\"#b\" has no place in this target"),
    ("tls://a:b:c", "\"tls://a:b:c\" is no host and port"),
    ("tls://a:0", "\"tls://a:0\" is no host and port"),
  ])
  func optionsAreSpelledPlainly(target: String, message: String) throws {
    #expect(try error(target).message == message)
  }

  @Test func numbersOfNineDigitsAreJudgedByTheKey() throws {
    #expect(try error("ping://a?count=999999999").message.hasPrefix("ping://a: count "))
    let bare = try MonitoringCheck(adHoc: "tcp://a:1?tls=false", keys: nil, sources: .test)
    let braced = try MonitoringCheck(adHoc: "tcp://a:1?tls=false", keys: "{}", sources: .test)
    #expect(bare.kind == braced.kind && bare.name == braced.name && bare.retries == braced.retries)
  }

  /// Keys may stand in the braces of their map, also with blanks around them.
  @Test(arguments: ["timeout: 5s", "{timeout: 5s}", "  {timeout: 5s} ", "\t{ timeout: 5s }\n"])
  func keysMayHaveBraces(keys: String) throws {
    #expect(
      try MonitoringCheck(adHoc: "tcp://a:1", keys: keys, sources: .test).timeout == .seconds(5))
  }

  /// A problem without a hint of its own has that of the options, if there are any.
  @Test func hintsOfProblems() throws {
    let own = try error("https://a.example/", keys: "url: https://b.example/") { $0.retries = 1 }
    #expect(own.hint == "remove one of them")
    let usual = try error("https://a.example/") { $0.method = "A B" }
    #expect(usual.message.hasPrefix("https://a.example/: method "))
    let many = try error("https://a.example/", keys: "timeot: 5s, ipp: 4") { $0.timeout = "5" }
    #expect(many.message.split(separator: "; ").count == 3)
    #expect(many.hint != nil)
    // A problem with a key that no option gave has no word about options.
    for keys in ["ip: 5", "tls: {max_version: x}"] {
      let other = try error("https://a.example/", keys: keys) { ($0.timeout, $0.headers) = ("3s", ["A: b"]) }
      #expect(other.hint?.hasPrefix("-H") != true, "\(other)")
    }
    #expect(try error("https://a b.example/") { $0.timeout = "3s" }.hint?.hasPrefix("-H") != true)
    #expect(usual.hint == AdHocShortcuts.all)
    let described = AdHocTargetError(message: "a", hint: "b")
    #expect(described.description == "a\n  hint: b")
    #expect(AdHocTargetError(message: "a", hint: nil).description == "a")
  }

  /// The user's name and password of a target are left out up to the last @ of its place, and only there.
  @Test(arguments: [
    ("x http://a:b@c/d", "x http://<redacted>@c/d"), ("x http://a@b@c/d", "x http://<redacted>@c/d"),
    ("x http://c/d@e", "x http://c/d@e"), ("x http://c?d@e", "x http://c?d@e"),
    ("x http://c#d@e", "x http://c#d@e"), ("\"http://c\" d@e", "\"http://c\" d@e"),
    ("http://c d@e", "http://c d@e"), ("a@b", "a@b"),
  ])
  func loginsAreLeftOut(text: String, shown: String) {
    #expect(AdHocTargetError(message: text, hint: nil).message == shown)
  }

  /// A login is shown by no message, whatever the target and the password are, and however long they are.
  @Test(arguments: [
    ("user:hunter2@host:80", "\"<redacted>@host:80\" is neither the name of a check nor a target"),
    ("user:hun/ter2@host:80", "\"<redacted>@host:80\" is neither the name of a check nor a target"),
    ("ftp://user:hun#ter2@host", "\"ftp://<redacted>@host\" has the unknown scheme \"ftp\""),
    (
      "dns://user:hunter2@127.0.0.1/x",
      "\"dns://<redacted>@127.0.0.1/x\" has an @; these targets hold no user name and password"
    ),
    (
      "dns:///user:hunter2@x?type=A",
      "\"dns://<redacted>@x\" has an @; these targets hold no user name and password"
    ),
    (
      "tcp://user:hun?ter2@db:5432",
      "\"tcp://<redacted>@db:5432\" has an @; these targets hold no user name and password"
    ),
    (
      "ping://user:hunter2@host",
      "\"ping://<redacted>@host\" has an @; these targets hold no user name and password"
    ),
    ("https://user:hun/ter2@a.example/x", "https://<redacted>@a.example/x: url has an invalid port"),
  ])
  func loginsAreInNoMessage(target: String, message: String) throws {
    let found = try error(target)
    #expect(found.message == message || target.hasPrefix("https"))
    #expect(found.message.hasPrefix(String(message.prefix(22))))
    #expect(!found.description.contains("hun") && !found.description.contains("ter2"))
    let long = target.replacing("user", with: String(repeating: "u", count: 300))
    #expect(try !error(long).description.contains("uu"))
  }

  /// Zones are named as what is wrong, and what is no address is not called a port.
  @Test(arguments: [
    ("ping://fe80::1%lo", "\"ping://fe80::1%lo\" has a zone, and zones are not supported"),
    ("tcp://[fe80::1%25eth0]:22", "\"tcp://[fe80::1%25eth0]:22\" has a zone, and zones are not supported"),
    ("dns://fe80::1%lo/a", "\"dns://fe80::1%lo\" has a zone, and zones are not supported"),
    (
      "https://[fe80::1%25lo]/",
      "https://[fe80::1%25lo]/: url has an address with a zone, and zones are not supported"
    ),
    ("ping://2001:db8::zz", "\"ping://2001:db8::zz\" is no host"),
    (
      "ping://fe80::1",
      "ping://fe80::1: host must not be a link-local address, which needs a zone, found \"fe80::1\""
    ),
  ])
  func zones(target: String, message: String) throws {
    #expect(try error(target).message == message)
  }

  /// The options as they are written, in one order.
  @Test func namesOfOptions() {
    var shortcuts = AdHocShortcuts()
    #expect(shortcuts.isEmpty && shortcuts.names.isEmpty && shortcuts.hint == nil)
    (shortcuts.retries, shortcuts.timeout, shortcuts.isInsecure) = (0, "5s", true)
    (shortcuts.data, shortcuts.method, shortcuts.headers) = ([""], "GET", [""])
    #expect(shortcuts.names == ["-H", "-X", "-d", "-k", "--timeout", "--retries"])
    #expect(!shortcuts.isEmpty)
    #expect(
      shortcuts.hint == AdHocShortcuts.all
        && AdHocShortcuts.all
          == "-H, -X, -d, -k, --timeout and --retries are the keys headers, method, body, tls, timeout and retries"
    )
  }

  /// Whole texts about options.
  @Test func optionsThatContradict() throws {
    let request = try error("tcp://db:5432") { ($0.headers, $0.data) = (["A: b"], ["x"]) }
    #expect(request.message == "-H goes with http targets, and tcp://db:5432 is a tcp target")
    #expect(request.hint == "leave -H out, or ask that target in a command of its own")
    let overTCP = try error("tcp://db:5432") { $0.isInsecure = true }
    #expect(overTCP.hint == "TLS on its connection: --with 'tls: {verify: false}'")
    let ping = try error("ping://db") { $0.isInsecure = true }
    #expect(ping.message == "-k goes with https and tls targets, and ping://db is a ping target")
    #expect(ping.hint == "leave -k out")
    let noFile = try error("https://a.example/") { $0.data = ["@"] }
    #expect(noFile.message == "-d @ names no file")
    #expect(noFile.hint == "one file is the whole body: -d @body.json")
    for data in [["@body.json", "a=b"], ["a=b", "@body.json"]] {
      let two = try error("https://a.example/") { $0.data = data }
      #expect(two.message == "-d @body.json goes alone")
      #expect(two.hint == "one file is the whole body: -d @body.json")
    }
    let nameless = try error("https://a.example/") { $0.headers = ["A: b", ": c"] }
    #expect(nameless.message == "-H number 2 has no name and colon")
    let usage = "-H 'Accept: text/html', or with a secret: -H 'Authorization: Bearer ${env:TOKEN}'"
    #expect(nameless.hint == usage)
    let valueless = try error("https://a.example/") { $0.headers = ["A:\t "] }
    #expect(valueless.message == "-H \"A\" has no value")
    #expect(valueless.hint == "an empty value is written -H 'A;'")
    #expect(try error("https://a.example/") { $0.headers = ["A; b"] }.hint == usage)
  }

  /// A file is the whole body; it is a form as well, unless something else is said.
  @Test func aFileIsTheBody() throws {
    var shortcuts = AdHocShortcuts()
    shortcuts.data = ["@body.json"]
    shortcuts.headers = ["X-A: \tb"]
    let check = try MonitoringCheck(
      adHoc: "https://a.example/", keys: nil, shortcuts: shortcuts, sources: .test)
    guard case .http(let http) = check.kind else {
      Issue.record("no http check")
      return
    }
    #expect(http.body?.reveal() == "{}" && http.method == "POST")
    #expect(
      http.headers == [
        HeaderField("X-A", "b"), HeaderField("Content-Type", "application/x-www-form-urlencoded"),
      ])
  }

  /// A double-quoted scalar of YAML.
  @Test func scalarsAreQuoted() {
    #expect(flowScalar("a\"b\\c ~") == "\"a\\\"b\\\\c ~\"")
    #expect(flowScalar("\u{1f}\u{7f}ü") == "\"\\U0000001f\\U0000007f\\U000000fc\"")
    #expect(flowScalar("${a}$b${") == "\"$${a}$b$${\"")
    #expect(flowScalar("${env:A}", resolves: true) == "\"${env:A}\"")
  }
}
