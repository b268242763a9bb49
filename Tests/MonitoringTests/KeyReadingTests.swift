// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Monitoring

/// Keys as they are given to a check, from the file and from the API.
@Suite struct KeyReadingTests {
  private func text(_ text: String) -> Given { Given(.text(text)) }
  private func list(_ texts: String...) -> Given { Given(.list(texts.map { Given(.text($0)) })) }
  private func map(_ entries: (String, Given)...) -> Given {
    Given(.map(GivenMap(entries.map { (name: $0.0, value: $0.1) })))
  }

  private func read(
    _ origin: CheckOrigin = .local, entries: [(String, Given)]
  ) -> (CheckDefinition, [String]) {
    var reader = KeyReader(origin) { "/etc/\($0)" }
    let map = GivenMap(entries.map { (name: $0.0, value: $0.1) })
    let definition = CheckDefinition(map, &reader)
    return (definition, reader.problems.map(\.message))
  }

  /// Each value goes to the property of its key.
  @Test func timesAndNumbers() {
    let (definition, problems) = read(entries: [
      ("type", text("http")), ("interval", .duration(61)), ("timeout", .duration(7)),
      ("retries", .integer(4)), ("retry_delay", .duration(3)), ("confirm_delay", .duration(5)),
      ("interval_failing", .duration(20)),
      ("failure_threshold", .integer(6)), ("max_redirects", .integer(2)), ("max_body", .integer(9)),
      ("enabled", .flag(false)), ("post", .flag(true)), ("negate", .flag(true)), ("trace", .flag(false)),
      ("strict_downtime", .flag(true)), ("follow", .flag(false)), ("allow_downgrade", .flag(true)),
      ("decompress", .flag(false)), ("read_body", .flag(true)),
    ])
    #expect(problems == [] && definition.interval == .seconds(61) && definition.timeout == .seconds(7))
    let plan = definition.plan
    #expect(plan.retries == 4 && plan.retryDelay == .seconds(3) && plan.confirmDelay == .seconds(5))
    #expect(plan.intervalFailing == .seconds(20) && plan.failureThreshold == 6)
    #expect(!plan.enabled && plan.post && plan.negate && !plan.trace && plan.strictDowntime)
    #expect(definition.maxRedirects == 2 && definition.maxBody == 9 && !definition.http.follow)
    #expect(definition.http.allowDowngrade && !definition.http.decompress && definition.http.readBody == true)
  }

  @Test func textsAndLists() {
    let (definition, problems) = read(entries: [
      ("name", text("Shop")), ("id", text("i")), ("was", text("w")), ("type", text("http")),
      ("resource", text("r")), ("tags", list("a", "b")), ("depends_on", list("c")), ("ip", text("6")),
      ("addresses", text("each")), ("resolver", text("ns")), ("source_address", text("s")),
      ("url", text("https://a.example/")), ("method", text("PUT")), ("body", text("b")),
      ("http_version", text("2")), ("proxy", text("http://p")),
      ("headers", map(("X-B", text("1")), ("X-A", text("2")))),
      (
        "tls",
        map(
          ("ca_file", text("ca.pem")), ("server_name", text("n")), ("verify", .flag(false)),
          ("min_version", text("1.1")), ("max_version", text("1.3")), ("both", .flag(true)),
          ("client_certificate", text("c.pem")), ("client_key", text("k.pem")))
      ),
    ])
    #expect(problems == [] && definition.name == "Shop" && definition.id == "i" && definition.was == "w")
    #expect(definition.resource == "r" && definition.plan.tags == ["a", "b"])
    #expect(definition.plan.dependsOn == ["c"] && definition.ip == "6" && definition.addresses == "each")
    #expect(definition.resolver == "ns" && definition.sourceAddress == "s" && definition.method == "PUT")
    #expect(definition.url == "https://a.example/" && definition.http.body?.reveal() == "b")
    #expect(definition.httpVersion == "2" && definition.proxy?.reveal() == "http://p")
    #expect(definition.headers?.map(\.name) == ["X-B", "X-A"])
    #expect(definition.headers?.map { $0.value.reveal() } == ["1", "2"])
    let tls = definition.tls
    #expect(tls.caFile == "/etc/ca.pem" && tls.serverName == "n" && tls.verify == false)
    #expect(tls.minVersion == "1.1" && tls.maxVersion == "1.3" && tls.both == true)
    #expect(tls.clientCertificate == "/etc/c.pem" && tls.clientKey == "/etc/k.pem")
  }

  @Test func expectations() {
    let pair = map(("warn", .duration(1)), ("fail", .duration(2)))
    let (http, problems) = read(entries: [
      ("type", text("http")),
      (
        "expect",
        map(
          ("status", list("200", "301-302")), ("final_url", text("f")), ("http_version", text("2")),
          (
            "body",
            map(
              ("contains", list("a")), ("not_contains", list("b")), ("matches", list("c")),
              ("not_matches", list("d")), ("bytes", .flag(true)))
          ), ("header", map(("X-A", text("> 1")))),
          ("json", map(("$.a", Given(.text("1"), isPlain: true)), ("$.b", text("1")))),
          ("response_time", pair),
          ("certificate", map(("warn", .duration(3)), ("fail", .duration(4)), ("strict", .flag(true)))))
      ),
    ])
    #expect(problems == [] && http.expect.status == ["200", "301-302"])
    #expect(http.http.expect.bodyContains == ["a"] && http.http.expect.bodyNotContains == ["b"])
    #expect(http.http.expect.bodyMatches == ["c"] && http.http.expect.bodyNotMatches == ["d"])
    #expect(http.http.expect.comparesBytes && http.expect.finalURL == "f" && http.expect.httpVersion == "2")
    #expect(http.expect.headers?.map(\.condition) == ["> 1"])
    #expect(http.expect.json?.map { $0.condition.isPlain } == [true, false])
    #expect(http.plan.responseTime == Thresholds(warn: .seconds(1), fail: .seconds(2)))
    #expect(http.expect.certificate == Thresholds(warn: .seconds(3), fail: .seconds(4)))
    #expect(http.expect.certificateStrict == true)
    let (each, _) = read(entries: [("type", text("http")), ("expect", map(("status", list("any"))))])
    #expect(each.expect.status == [])
  }

  @Test func questions() {
    let query = map(
      ("name", text("n")), ("type", text("MX")), ("class", text("CH")), ("recursion", .flag(false)),
      ("dnssec", .flag(true)))
    let answers = map(("any", list("a")), ("all", list("b")), ("exact", list("c")), ("none", list("d")))
    let expect = map(
      ("rcode", list("REFUSED")), ("count", text("1")), ("ttl", text("2")), ("answers", answers),
      ("authoritative", .flag(false)), ("serial_agreement", .flag(true)))
    let (dns, _) = read(entries: [
      ("type", text("dns")), ("server", text("ns")), ("transport", text("tcp")), ("query", query),
      ("expect", expect),
    ])
    #expect(dns.server == "ns" && dns.transport == "tcp" && dns.queryName == "n" && dns.queryType == "MX")
    #expect(dns.queryClass == "CH" && !dns.dns.recursion && dns.dns.dnssec)
    #expect(dns.expect.rcodes == ["REFUSED"] && dns.expect.count == "1" && dns.expect.ttl == "2")
    #expect(dns.expect.answersAny == ["a"])
    #expect(dns.expect.answersAll == ["b"] && dns.expect.answersExact == ["c"])
    #expect(dns.expect.answersNone == ["d"] && dns.dns.expect.authoritative == false)
    #expect(dns.dns.expect.serialAgreement)
  }

  /// A check from the API has the keys that a column of its row fills, and no others.
  @Test func keysOfAStranger() {
    let (definition, problems) = read(
      .api,
      entries: [
        ("type", text("http")), ("name", text("A")), ("tags", list("a")), ("retries", .integer(3)),
      ])
    #expect(problems == ["the key tags is none that a check from the API may have"])
    #expect(definition.plan.tags == [] && definition.plan.retries == 3 && definition.name == "A")
  }

  /// Columns of the API's row, with the unit, the value of null and the most of each number.
  @Test func columns() {
    func columns(_ type: CheckType) -> [String: APIColumn] {
      let keys = KeyTable.check(type).keys.filter { $0.column != nil && $0.name != "expect" }
      return Dictionary(uniqueKeysWithValues: keys.map { ($0.name, $0.column ?? "") })
    }
    var wanted: [String: APIColumn] = [
      "name": "resources.name", "id": "id", "type": "check_type", "resource": "resource_id",
      "interval": APIColumn("check_interval_seconds", unit: .seconds(1), null: 60, most: 86_400),
      "timeout": APIColumn("timeout_seconds", unit: .seconds(1), null: 30),
      "retries": APIColumn("retry_count", null: 3),
      "retry_delay": APIColumn("retry_delay_ms", unit: .milliseconds(1), null: 2000),
      "confirm_delay": APIColumn("confirmation_delay_ms", unit: .milliseconds(1), null: 5000),
    ]
    #expect(columns(.dns) == wanted)
    wanted["host"] = "ip_address"
    #expect(columns(.ping) == wanted)
    wanted["port"] = "port"
    #expect(columns(.tcp) == wanted)
    wanted["host"] = "url"
    wanted["port"] = "url"
    #expect(columns(.tls) == wanted)
    wanted["host"] = nil
    wanted["port"] = nil
    wanted["url"] = "url"
    wanted["method"] = "http_method"
    wanted["headers"] = "custom_headers"
    wanted["auth"] = "http_auth_credentials"
    #expect(columns(.http) == wanted)
    let units = [nil, .milliseconds(1), .seconds(1), .seconds(60)] as [Duration?]
    #expect(units.map { APIColumn("a", unit: $0).unitText } == ["", " ms", "s", ""])
  }

  /// A key of another kind is known with the kinds that have it.
  @Test func keysOfAnotherKind() {
    let ping = KeyTable.check(.ping)
    #expect(ping["count"] != nil && ping["url"] == nil && ping["tls"] == nil)
    #expect(ping.elsewhere["url"] == "http" && ping.elsewhere["tls"] == "http, tcp, dns, tls")
    #expect(ping.elsewhere["starttls"] == "tcp, tls" && ping.elsewhere["token"] == "heartbeat")
    #expect(KeyTable.check(.heartbeat).elsewhere["timeout"] == "http, tcp, dns, tls, ping")
    #expect(KeyTable.check(.tls).elsewhere["dialog"] == "tcp")
    let required = KeyTable.check(.tcp).keys.filter(\.isRequired).map(\.name)
    #expect(required == ["name", "type", "host", "port"])
    #expect(!KeyTable.check(.tcp).partial.keys.contains { $0.isRequired })
    #expect(ping.without(["count", "size"])["size"] == nil && ping.without(["count"])["size"] != nil)
  }

  /// Sizes of bytes, in the largest unit that fits without a rest.
  @Test func sizes() {
    let rows: [(Int, String)] = [
      (0, "0B"), (1, "1B"), (1023, "1023B"), (1024, "1KiB"), (1025, "1025B"), (1_572_864, "1536KiB"),
      (1 << 20, "1MiB"), (3 << 30, "3GiB"), (2 << 40, "2TiB"),
    ]
    for (bytes, text) in rows {
      #expect(ByteSize.text(bytes) == text && ByteSize.parse(text) == bytes, "\(text)")
    }
    for text in ["", "5", "5kB", "5 B", "-1B", "1.5KiB", "B", "9223372036854775807KiB", "1kib"] {
      #expect(ByteSize.parse(text) == nil, "\(text)")
    }
  }

  /// The deepest part of a path that is in the file, and whether it was reported before.
  @Test func places() {
    func at(_ line: Int) -> Position { Position(line: line, column: 1) }
    let inner = GivenMap(
      [("ok", Given(.flag(true), at: at(4))), ("bad", Given(.invalid, at: at(5)))], at: at(3))
    let items = Given(.list([Given(.text("a"), at: at(7)), Given(.invalid, at: at(8))]), at: at(6))
    let map = GivenMap([("inner", Given(.map(inner), at: at(3))), ("items", items)], at: at(1))
    let rows: [([String], Int, Bool)] = [
      ([], 1, false), (["missing", "x"], 1, false), (["inner"], 3, true), (["inner", "ok"], 4, false),
      (["inner", "ok", "x"], 4, false), (["inner", "bad", "x"], 5, true), (["inner", "none"], 3, false),
      (["items"], 6, false), (["items", "0"], 7, false), (["items", "1"], 8, true),
      (["items", "2"], 6, false),
    ]
    for (path, line, isInvalid) in rows {
      #expect(map.position(of: path) == at(line) && map.isInvalid(path) == isInvalid, "\(path)")
    }
    let (main, other) = (Position(line: 9, column: 9), Position(line: 1, column: 1, source: 1))
    #expect(main < other && at(2) < main && Position(line: 9, column: 8) < main)
  }
}

extension Given {
  fileprivate static func duration(_ seconds: Int) -> Given { Given(.duration(.seconds(seconds))) }
  fileprivate static func integer(_ value: Int) -> Given { Given(.integer(value)) }
  fileprivate static func flag(_ value: Bool) -> Given { Given(.flag(value)) }
}
