// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Keys of a check: the bounds of their columns, whether they are secret, and how they are shown.
@Suite struct CheckKeyTests {
  /// A column's bounds are the whole numbers of its unit within its key's, and its own most.
  @Test(
    arguments: [
      (0, 0), (1, 1), (999, 1), (1000, 1), (1001, 2), (1500, 2), (1999, 2), (2000, 2), (2001, 3),
    ])
  func boundsOfAColumn(milliseconds: Int, least: Int) {
    let kind = ValueKind.duration(.milliseconds(milliseconds) ... .milliseconds(60_999))
    #expect(APIColumn("a", unit: .seconds(1)).bounds(of: kind) == least...60)
    #expect(APIColumn("a", unit: .seconds(1), most: 2).bounds(of: kind) == min(least, 2)...2)
    #expect(APIColumn("a", unit: .milliseconds(1)).bounds(of: kind) == milliseconds...60_999)
    #expect(APIColumn("a", unit: .seconds(61)).bounds(of: kind) == nil)
  }

  /// A path is secret where its value is, where a value below it is, and where it lies in one that is.
  @Test(
    arguments: [
      ([], true), (["auth"], true), (["auth", "bearer"], true), (["auth", "bearer", "0"], true),
      (["auth", "other"], false), (["list"], true), (["list", "0"], false), (["list", "1"], true),
      (["list", "1", "x"], true), (["list", "10"], false), (["body"], true), (["body", "0", "x"], true),
      (["bodyguard"], false), (["name"], false), (["name", "x"], false), (["missing"], false),
    ] as [([String], Bool)])
  func secretPaths(path: [String], isSecret: Bool) {
    let auth = GivenMap([("bearer", Given(.text("t"), isSecret: true)), ("other", Given(.text("o")))])
    let map = GivenMap([
      ("auth", Given(.map(auth))),
      ("list", Given(.list([Given(.text("a")), Given(.text("b"), isSecret: true)]))),
      ("body", Given(.text("s"), isSecret: true)), ("name", Given(.text("n"))),
    ])
    #expect(map.isSecret(path) == isSecret)
  }

  /// The most of a body is shown wherever a body may be read, as given or by default.
  @Test(
    arguments: [
      (nil, nil, 1_048_576), (nil, 4097, 4097), (true, nil, 1_048_576), (true, 4097, 4097), (false, nil, nil),
    ] as [(Bool?, Int?, Int?)])
  func shownMaxBody(reads: Bool?, given: Int?, shown: Int?) throws {
    var definition = CheckDefinition.http()
    (definition.http.readBody, definition.maxBody) = (reads, given)
    let check = try MonitoringCheck(definition)
    #expect(CheckDefinition(check).maxBody == shown)
  }

  /// A part of a table asks for nothing, also not below its keys; and each kind's table has its own below them, too.
  @Test func tablesBelowTables() throws {
    func inner(_ table: KeyTable, _ name: String) throws -> KeyTable {
      guard case .map(let inner)? = table[name]?.value else { throw Unexpected() }
      return inner
    }
    let dns = KeyTable.check(.dns)
    let (query, partial) = (try inner(dns, "query"), try inner(dns.partial, "query"))
    #expect(dns["query"]?.isRequired == true && query["name"]?.isRequired == true)
    #expect(dns.partial["query"]?.isRequired == false && partial["name"]?.isRequired == false)
    let expect = try inner(dns, "expect")
    #expect(expect["rcode"] != nil && expect["status"] == nil && expect.elsewhere["status"] == "http")
    #expect(expect.elsewhere["certificate"] == "http, tcp, tls")
    #expect(KeyTable.check(nil)["query"] != nil && KeyTable.check(nil)["url"] != nil)
    var planned = KeyTable(keys: [KeyFacts("a", .text, "A")], planned: ["b"])
    #expect(planned.partial.planned == ["b"] && planned.without(["a"]).planned == ["b"])
    #expect(planned.place(of: "a") == 0 && planned.place(of: "b") == nil)
    planned.planned = []
    #expect(planned.planned.isEmpty && KeyFacts("a", .text, "A").types == Set(CheckType.allCases))
    #expect(KeyFacts("a", .text, "A", default: "d", required: true).isRequired)
  }

  /// The default of a key is that of a check without it, in the form in which it is written, unless words say it.
  @Test func defaultsOfKeys() throws {
    func facts(_ name: String, of type: CheckType) throws -> KeyFacts {
      try #require(KeyTable.check(type)[name])
    }
    let rows: [(String, CheckType, String?, Bool)] = [
      ("max_redirects", .http, "10", true), ("max_body", .http, "1MiB", true),
      ("follow", .http, "true", true),
      ("method", .http, "GET", true), ("enabled", .tcp, "true", true), ("post", .ping, "false", true),
      ("confirm_delay", .http, "0s", true), ("failure_threshold", .dns, "1", true), ("ip", .tls, "any", true),
      ("grace", .heartbeat, "5m", true), ("count", .ping, "4", true),
      ("packet_interval", .ping, "200ms", true),
      ("size", .ping, "56", true), ("transport", .dns, "udp", true), ("id", .http, nil, false),
      ("interval", .http, "`defaults.interval`, 60s", false), ("name", .http, nil, false),
      ("tags", .http, nil, false), ("host", .tcp, nil, false),
    ]
    for (name, type, fallback, isLiteral) in rows {
      let found = try facts(name, of: type)
      if name == "id" {
        #expect(found.fallback?.hasPrefix("derived from the name") == true && !found.hasLiteralDefault)
      } else {
        #expect(found.fallback == fallback && found.hasLiteralDefault == isLiteral, "\(name)")
      }
    }
  }

  private struct Unexpected: Error {}

  /// A key that would be refused beside another is not printed.
  @Test func whatIsPrintedCanBeRead() throws {
    func lines(_ change: (inout CheckDefinition) -> Void) throws -> [String] {
      var definition = CheckDefinition.http("http://shop.example/")
      change(&definition)
      var printer = KeyPrinter(secretPaths: [])
      printer.checks([try MonitoringCheck(definition)])
      return printer.text.split(separator: "\n").map { $0.drop { $0 == " " } }.map(String.init)
    }
    func has(_ key: String, _ lines: [String]) -> Bool { lines.contains { $0.hasPrefix("\(key):") } }
    let keys = ["confirm_delay", "allow_downgrade", "max_redirects", "tls", "max_body"]
    let plain = try lines { _ in }
    #expect(keys.map { has($0, plain) } == [true, true, true, true, true])
    let tried = try lines { $0.plan.retries = 0 }
    #expect(keys.map { has($0, tried) } == [false, true, true, true, true])
    let still = try lines { $0.http.follow = false }
    #expect(keys.map { has($0, still) } == [true, false, false, false, true])
    let unread = try lines { $0.http.readBody = false }
    #expect(keys.map { has($0, unread) } == [true, true, true, true, false])
    let proxied = try lines { $0.proxy = Redacted("socks5h://u:p@proxy.example") }
    #expect(proxied.contains("proxy: \"socks5h://redacted:redacted@proxy.example:1080\""))
    let any = try lines { $0.expect.status = [] }
    #expect(any.contains("status: any") && plain.contains("status: [\"200-299\"]"))
  }
}
