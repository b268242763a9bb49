// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Monitors of Kuma at the edges of what they may say, and why one does not become a check.
@Suite struct KumaRulesTests {
  private func read(_ type: String, _ members: String, _ rest: String = "") throws -> ReadSource {
    try ReadSource(
      .uptimeKuma,
      "{\"monitorList\":[{\"id\":1,\"name\":\"m\",\"type\":\"\(type)\"\(members.isEmpty ? "" : ",")\(members)}]\(rest)}"
    )
  }

  private static let port = "\"hostname\":\"a.example\",\"port\":1"
  private static let url = "\"url\":\"https://a.example/\""

  @Test(
    arguments: [
      ("http", "", "it has no url"), ("port", "\"port\":1", "it has no hostname"),
      ("port", "\"hostname\":\"a\"", "it has no port"), ("ping", "", "it has no hostname"),
      ("dns", "", "it has no hostname"), ("push", "", "it has no token"), ("smtp", "", "it has no hostname"),
      ("redis", "", "it has no hostname"), ("group", "", "a group: its monitors have its name as a tag"),
      ("docker", "", "no check here is of this kind: docker"),
      ("port", "\(port),\"expected_tls_alert\":\"certificate_required\"", "it asks for an alert of TLS"),
      ("push", "\"pushToken\":\"abcdefghij\",\"upsideDown\":true", "a push monitor that is upside down"),
      ("json-query", "\(url),\"jsonPath\":\"$.\"", "its JSON query is more than a path"),
      ("json-query", "\(url),\"jsonPath\":\"a b\"", "its JSON query is more than a path"),
      (
        "json-query", "\(url),\"jsonPath\":\"a\",\"jsonPathOperator\":\">\",\"expectedValue\":\"x\"",
        "its JSON query compares no number"
      ),
      (
        "json-query", "\(url),\"jsonPath\":\"a\",\"jsonPathOperator\":\">\",\"expectedValue\":\"nan\"",
        "its JSON query compares no number"
      ),
      (
        "json-query", "\(url),\"jsonPath\":\"a\",\"jsonPathOperator\":\"~\"",
        "its JSON query compares in a way that is not known"
      ),
    ])
  func noCheck(type: String, members: String, why: String) throws {
    let made = try read(type, members)
    #expect(made.names == [] && made.imported.leftOut.map(\.why) == [why])
  }

  @Test(
    arguments: [
      ("port", "\(port),\"interval\":0", "interval", "1m"),
      ("port", "\(port),\"interval\":99999999", "interval", "99999999s"),
      ("port", "\(port),\"interval\":100000000", "interval", "1m"),
      ("port", "\(port),\"interval\":-1", "interval", "1m"),
      ("port", "\(port),\"maxretries\":-1", "retries", "0"),
      ("port", "\(port),\"expected_tls_alert\":\"none\"", "port", "1"),
      ("port", "\(port),\"interval\":60,\"maxretries\":11,\"retryInterval\":90", "interval_failing", "1m"),
      ("port", "\(port),\"interval\":60,\"maxretries\":11,\"retryInterval\":0.5", "interval_failing", "1s"),
      ("port", "\(port),\"interval\":60,\"maxretries\":11", "interval_failing", "1m"),
      ("http", "\(url),\"timeout\":2.5", "timeout", "2500ms"),
      ("port", "\(port),\"timeout\":2.5", "timeout", "5s"), ("port", port, "timeout", "5s"),
      ("port", "\(port),\"interval\":3", "timeout", "3s"), ("ping", "\"hostname\":\"a\"", "timeout", "10s"),
      ("ping", "\"hostname\":\"a\",\"timeout\":48", "timeout", "10s"),
      ("ping", "\"hostname\":\"a\",\"timeout\":20,\"ping_per_request_timeout\":2", "timeout", "20s"),
      ("ping", "\"hostname\":\"a\"", "count", "1"),
      ("ping", "\"hostname\":\"a\",\"ping_count\":0", "count", "1"),
      ("ping", "\"hostname\":\"a\",\"ping_count\":100", "count", "100"),
      ("ping", "\"hostname\":\"a\",\"ping_count\":101", "count", "100"),
      ("ping", "\"hostname\":\"a\"", "size", nil),
      ("ping", "\"hostname\":\"a\",\"packetSize\":0", "size", "0"),
      ("ping", "\"hostname\":\"a\",\"packetSize\":1473", "size", "1472"),
      ("ping", "\"hostname\":\"a\",\"packetSize\":-1", "size", "0"),
      ("dns", "\"hostname\":\"a\"", "query.type", "A"),
      ("dns", "\"hostname\":\"a\"", "server", "1.1.1.1"),
      ("dns", "\"hostname\":\"192.0.2.7\"", "query.name", "192.0.2.7"),
      (
        "dns", "\"hostname\":\"192.0.2.7\",\"dns_resolve_type\":\"PTR\"", "query.name",
        "7.2.0.192.in-addr.arpa"
      ),
      (
        "dns", "\"hostname\":\"2001:db8::1\",\"dns_resolve_type\":\"PTR\"", "query.name",
        "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"
      ),
      ("dns", "\"hostname\":\"a\",\"dns_resolve_type\":\"PTR\"", "query.name", "a"),
      ("dns", "\"hostname\":\"a\",\"dns_resolve_server\":\"192.0.2.1, 192.0.2.2\"", "server", "192.0.2.1"),
      (
        "dns", "\"hostname\":\"a\",\"dns_resolve_server\":\"2001:db8::1\",\"port\":5353", "server",
        "[2001:db8::1]:5353"
      ),
      ("http", "\(url),\"authMethod\":\"basic\",\"basic_auth_pass\":\"p\"", "auth", nil),
      ("push", "\"pushToken\":\"abcdefghij\",\"interval\":9999999,\"maxretries\":1", "grace", "30d"),
      ("push", "\"pushToken\":\"abcdefghij\",\"interval\":2591999,\"maxretries\":1", "grace", "30d"),
      ("push", "\"pushToken\":\"abcdefghij\",\"interval\":2591998,\"maxretries\":1", "grace", "2591999s"),
    ] as [(String, String, String, String?)])
  func edges(type: String, members: String, key: String, value: String?) throws {
    let check = try #require(try read(type, members).imported.checks.first)
    #expect(check[key]?.word == value)
  }

  @Test(
    arguments: [
      ("\(port),\"interval\":60,\"maxretries\":1,\"retryInterval\":3600", []),
      (
        "\(port),\"interval\":60,\"maxretries\":1,\"retryInterval\":7200",
        ["changed: retry_interval: 2h is made 1h, the most there is"]
      ),
      ("\(port),\"interval\":60,\"maxretries\":0,\"retryInterval\":7200", []),
      (
        "\(port),\"interval\":60,\"maxretries\":99",
        [
          "changed: maxretries: a run has 10 retries at most: 100 failed runs in a row notify, and each counts as downtime"
        ]
      ),
      (
        "\(port),\"interval\":60,\"maxretries\":100",
        [
          "stricter: maxretries: 100 failed runs in a row notify, not 101",
          "changed: maxretries: a run has 10 retries at most: 100 failed runs in a row notify, and each counts as downtime",
        ]
      ),
      (
        "\(port),\"interval\":60,\"maxretries\":20000",
        [
          "stricter: maxretries: 100 failed runs in a row notify, not 10001",
          "changed: maxretries: a run has 10 retries at most: 100 failed runs in a row notify, and each counts as downtime",
        ]
      ),
    ])
  func whatIsSaidOfRetries(members: String, lines: [String]) throws {
    #expect(try read("port", members).imported.checks.first?.notes.map(\.line) == lines)
  }

  /// A token of 16 bytes is long enough; a shorter one stands twice.
  @Test(arguments: [
    ("abcdefghijklmnop", "abcdefghijklmnop", ""),
    (
      "abcdefghijklmno", "abcdefghijklmno-abcdefghijklmno",
      ", the token twice with a - between, for it is too short"
    ),
  ])
  func tokens(given: String, made: String, words: String) throws {
    let source = try read("push", "\"pushToken\":\"\(given)\"")
    #expect(source.secrets.map { $0.value.reveal() } == [made])
    #expect(
      source.imported.checks.first?.notes.map(\.line) == [
        "changed: push_token: the job reports to /hb/TOKEN of the agent\(words)"
      ])
  }

  @Test(
    arguments: [
      (#"[]"#, nil),
      (
        #"[{\"variable\":\"record\",\"operator\":\"equals\",\"value\":\"a\"},{\"variable\":\"record\",\"operator\":\"equals\",\"value\":\"b\"}]"#,
        "laxer: f: monitorList[0].conditions: several conditions on an answer are not joined"
      ),
      (
        #"[{\"variable\":\"other\",\"operator\":\"equals\",\"value\":\"a\"}]"#,
        "laxer: f: monitorList[0].conditions: several conditions on an answer are not joined"
      ),
      (
        #"[{\"variable\":\"record\",\"operator\":\"equals\"}]"#,
        "laxer: f: monitorList[0].conditions: several conditions on an answer are not joined"
      ),
      (
        #"[{\"variable\":\"record\",\"operator\":\"not_contains\",\"value\":\"a\"}]"#,
        "laxer: f: monitorList[0].conditions: it is a condition that answers do not have"
      ),
    ] as [(String, String?)])
  func conditionsThatAreNotCarried(conditions: String, line: String?) throws {
    let check = try #require(
      try read("dns", "\"hostname\":\"a\",\"conditions\":\"\(conditions)\"").imported.checks.first)
    #expect(check["expect.answers.any"] == nil && check.notes.map(\.line) == [line].compactMap(\.self))
  }

  /// What Kuma tries again is a failed request alone; without retries the setting says nothing.
  @Test(
    arguments: [
      (
        1,
        [
          "changed: f: monitorList[0].retry_only_on_status_code_failure: a wrong value is tried again as well; "
            + "Kuma does that for a failed request alone"
        ]
      ), (0, []),
    ] as [(Int, [String])])
  func retriesOfAWrongValue(retries: Int, lines: [String]) throws {
    let made = try read(
      "json-query",
      "\(Self.url),\"jsonPath\":\"a\",\"expectedValue\":\"1\",\"maxretries\":\(retries),"
        + "\"retry_only_on_status_code_failure\":true")
    #expect(made.imported.checks.first?.notes.filter { $0.change != nil }.map(\.line) == lines)
  }

  @Test func aSecondNameServer() throws {
    let check = try read("dns", "\"hostname\":\"a\",\"dns_resolve_server\":\"192.0.2.1,192.0.2.2\"").imported
      .checks.first
    #expect(
      check?.notes.map(\.line) == [
        "stricter: dns_resolve_server: only the first server is asked; Kuma asks the next when it does not answer"
      ])
  }

  /// Headers are an object of JSON, its values texts; a path without names is the answer itself.
  @Test func requests() throws {
    let headers = #""headers":"{\"X-A\":\"b\",\"X-N\":5,\"X-T\":true}""#
    #expect(
      try read("http", "\(Self.url),\(headers)").keys()
        == "type: http\nurl: https://a.example/\nheaders:\n  X-A: b\n  X-N: \"5\"\n  X-T: \"true\"")
    let odd = try read("http", "\(Self.url),\"headers\":\"X-A: b\"")
    #expect(try odd.keys() == "type: http\nurl: https://a.example/")
    #expect(
      odd.imported.checks.first?.notes.map(\.line) == [
        "changed: f: monitorList[0].headers: it is no JSON object"
      ])
    #expect(
      try read("json-query", "\(Self.url),\"expectedValue\":\"a\"").keys()
        == "type: http\nurl: https://a.example/\nexpect:\n  json:\n    $: \"~ (?s)\\\\Aa\\\\z\"".replacing(
          "    $:", with: "    \"$\":"))
    let login =
      "\"authMethod\":\"oauth2-cc\",\"oauthTokenUrl\":\"https://t.example/\",\"oauthClientId\":\"i\","
      + "\"oauthClientSecret\":\"s\",\"oauthScopes\":\"a b\",\"oauthAudience\":\"x\""
    let made = try read("http", "\(Self.url),\(login)")
    #expect(
      try made.keys() == """
        type: http
        url: https://a.example/
        auth:
          oauth2:
            token_url: https://t.example/
            client_id: i
            client_secret: "${env:QUARTZ_C_CLIENT_SECRET}"
            scopes: [a, b]
        """)
    #expect(
      made.imported.checks.first?.notes.map(\.line) == [
        "changed: f: monitorList[0].oauthAudience: a token is asked for without it"
      ])
    let plain = try read("http", "\(Self.url),\"basic_auth_user\":\"u\",\"basic_auth_pass\":\"p\"")
    #expect(plain.reasonCounts == ["another way to log in is used, or none": 2])
  }

  /// A keyword that an answer in JSON may have with blanks in it.
  @Test(arguments: [
    ("\\\":", 1), ("\\\",", 1), ("{\\\"", 1), ("[\\\"", 1), ("a\\\"b", 0), ("{a}", 0), ("[a]", 0),
    ("a: b", 0),
  ])
  func keywordsOfJSON(keyword: String, count: Int) throws {
    let check = try #require(
      try read("keyword", "\(Self.url),\"keyword\":\"\(keyword)\"").imported.checks.first)
    #expect(check.notes.count { $0.place == "keyword" && $0.change == .changed } == count)
  }

  @Test(arguments: [
    ("\"port\":1,\"protocol\":\"http\"", "its proxy has no address"),
    ("\"host\":\"p\",\"protocol\":\"http\"", "its proxy has no address"),
    ("\"host\":\"p\",\"port\":1", "its proxy has no address"),
    ("\"host\":\"p\",\"port\":1,\"protocol\":\"socks4\"", "its proxy speaks socks4, which no check does"),
  ])
  func noProxy(members: String, why: String) throws {
    let proxies = ",\"proxyList\":[{\"id\":7,\"active\":true,\(members)}]"
    #expect(try read("http", "\(Self.url),\"proxyId\":7", proxies).imported.leftOut.map(\.why) == [why])
    let off = try read("http", "\(Self.url),\"proxyId\":7", ",\"proxyList\":[{\"id\":7,\(members)}]")
    #expect(off.names == ["m"] && off.imported.checks.first?["proxy"] == nil)
  }
}
