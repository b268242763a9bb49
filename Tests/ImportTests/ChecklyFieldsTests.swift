// SPDX-License-Identifier: MIT

import Import
import Testing

/// Comparisons, times and retries of Checkly, as its documentation describes them.
@Suite struct ChecklyFieldsTests {
  private func read(_ kind: String, _ request: String, _ more: String = "") throws -> ReadSource {
    try ReadSource(
      .checkly, "{\"checks\":[{\"name\":\"n\",\"checkType\":\"\(kind)\"\(more),\"request\":{\(request)}}]}")
  }

  private func check(_ kind: String, _ request: String, _ more: String = "") throws -> ImportedCheck {
    try #require(try read(kind, request, more).imported.checks.first)
  }

  private static let url = "\"url\":\"https://a.example/\""

  private func assertion(
    _ source: String, _ comparison: String, _ target: String, _ property: String = "", regex: String = ""
  ) -> String {
    "{\"source\":\"\(source)\",\"comparison\":\"\(comparison)\",\"target\":\"\(target)\","
      + "\"property\":\"\(property)\",\"regex\":\"\(regex)\"}"
  }

  /// The words of a list, or of what a map has below a name.
  private func words(_ value: AgentValue?, _ name: String = "") -> [String?] {
    switch value {
    case .list(let items)?: items.map(\.word)
    case .map(let entries)?: entries.filter { $0.name == name }.map { $0.value.word }
    default: []
    }
  }

  /// What is asked of a body as a whole, or of what a pattern takes out of it.
  @Test(
    arguments: [
      ("CONTAINS", "a.b", "", "contains", "a.b"), ("NOT_CONTAINS", "a.b", "", "not_contains", "a.b"),
      ("EQUALS", "a.b", "", "matches", #"\Aa\.b\z"#), ("NOT_EQUALS", "a.b", "", "not_matches", #"\Aa\.b\z"#),
      ("NOT_EMPTY", "", "", "matches", "(?s)."), ("IS_EMPTY", "", "", "not_matches", "(?s)."),
      ("NOT_EMPTY", "", "^a$", "matches", #"(?-m)^a\z"#), ("NOT_NULL", "", "^a$", "matches", #"(?-m)^a\z"#),
      ("IS_EMPTY", "", "^a$", "not_matches", #"(?-m)^a\z"#),
      ("IS_NULL", "", "^a$", "not_matches", #"(?-m)^a\z"#),
    ] as [(String, String, String, String, String)])
  func bodies(comparison: String, target: String, pattern: String, key: String, text: String) throws {
    let list = assertion("TEXT_BODY", comparison, target, pattern)
    let made = try read("API", "\(Self.url),\"assertions\":[\(list)]")
    let check = try #require(made.imported.checks.first)
    #expect(words(check["expect.body.\(key)"]) == [text] && made.reasons == [])
    for other in ["contains", "not_contains", "matches", "not_matches"] where other != key {
      #expect(check["expect.body.\(other)"] == nil)
    }
  }

  /// What is asked of a value of JSON.
  @Test(
    arguments: [
      ("EQUALS", "5", "a", "$.a", "5"), ("EQUALS", "x", "$.a", "$.a", "x"),
      ("EQUALS", "null", "a", "$.a", "null"), ("EQUALS", "-1.5e3", "a", "$.a", "-1.5e3"),
      ("NOT_EQUALS", "00", "a", "$.a", #"!= "00""#), ("NOT_EQUALS", "1.0", "a", "$.a", "!= 1.0"),
      ("EQUALS", "> 1", "a", "$.a", #"~ \A> 1\z"#), ("NOT_EQUALS", "5", "a", "$.a", "!= 5"),
      ("NOT_EQUALS", "true", "a", "$.a", "!= true"), ("NOT_EQUALS", "x", "a", "$.a", #"!= "x""#),
      ("CONTAINS", "a.b", "a", "$.a", #"~ a\.b"#), ("NOT_CONTAINS", "a.b", "a", "$.a", #"!~ a\.b"#),
      ("GREATER_THAN", "5", "a", "$.a", "> 5"), ("LESS_THAN", "5", "a", "$.a", "< 5"),
      ("IS_NULL", "", "a", "$.a", "null"), ("NOT_NULL", "", "a", "$.a", "!= null"),
      ("HAS_KEY", "k'", "a", #"$.a['k\'']"#, "~ ^"), ("EQUALS", "x", "", "$", "x"),
    ] as [(String, String, String, String, String)])
  func valuesOfJSON(comparison: String, target: String, property: String, path: String, value: String) throws
  {
    let list = assertion("JSON_BODY", comparison, target, property)
    let made = try read("API", "\(Self.url),\"assertions\":[\(list)]")
    #expect(words(made.imported.checks.first?["expect.json"], path) == [value] && made.reasons == [])
  }

  /// What is asked of a header.
  @Test(
    arguments: [
      ("EQUALS", "v", "", "v"), ("EQUALS", "5", "", "5"), ("NOT_EQUALS", "v", "", "!= v"),
      ("CONTAINS", "a.b", "", #"~ a\.b"#), ("NOT_CONTAINS", "a.b", "", #"!~ a\.b"#),
      ("GREATER_THAN", "5", "", "> 5"), ("LESS_THAN", "5", "", "< 5"), ("NOT_NULL", "", "", "~ ^"),
      ("NOT_EMPTY", "", "^a$", #"~ (?-m)^a\z"#), ("NOT_NULL", "", "^a$", #"~ (?-m)^a\z"#),
    ] as [(String, String, String, String)])
  func headers(comparison: String, target: String, regex: String, value: String) throws {
    let list = assertion("HEADERS", comparison, target, "X-A", regex: regex)
    let made = try read("API", "\(Self.url),\"assertions\":[\(list)]")
    #expect(words(made.imported.checks.first?["expect.header"], "X-A") == [value] && made.reasons == [])
  }

  /// What no check asks for is listed, and makes it laxer.
  @Test(arguments: [
    ("JSON_BODY", "GREATER_THAN", "x", "a", "", "it is compared with no number"),
    ("HEADERS", "IS_EMPTY", "", "X-A", "", "there is no such condition"),
    ("HEADERS", "IS_NULL", "", "X-A", "", "there is no such condition"),
    ("HEADERS", "EQUALS", "v", "", "", "it names no header"),
    ("STATUS_CODE", "EQUALS", "99", "", "", "it is compared with no status"),
    ("STATUS_CODE", "EQUALS", "600", "", "", "it is compared with no status"),
    ("STATUS_CODE", "CONTAINS", "200", "", "", "there is no such condition on a status"),
    ("RESPONSE_TIME", "GREATER_THAN", "5", "", "", "only a longest time is a condition"),
    ("RESPONSE_TIME", "LESS_THAN", "0", "", "", "only a longest time is a condition"),
    ("JSON_BODY", "EQUALS", "5", "a", "(.)", "what a pattern takes out of a value is not compared"),
    ("TEXT_BODY", "CONTAINS", "", "", "", "there is no such condition on a body"),
    ("COOKIES", "EQUALS", "5", "a", "", "there is no such condition"),
  ])
  func noCondition(
    source: String, comparison: String, target: String, property: String, regex: String, why: String
  ) throws {
    let list = assertion(source, comparison, target, property, regex: regex)
    let check = try check("API", "\(Self.url),\"assertions\":[\(list)]")
    #expect(Set(check.notes.map { "\($0.change?.rawValue ?? "listed"): \($0.why)" }) == ["laxer: \(why)"])
  }

  /// One name has one condition, in whatever case it is written; of several longest times the least counts.
  @Test func conditionsOfOneName() throws {
    let twice = [
      assertion("HEADERS", "CONTAINS", "a", "X-A"), assertion("HEADERS", "CONTAINS", "b", "x-a"),
      assertion("JSON_BODY", "EQUALS", "1", "k"), assertion("JSON_BODY", "EQUALS", "2", "$.k"),
      assertion("RESPONSE_TIME", "LESS_THAN", "700"), assertion("RESPONSE_TIME", "LESS_THAN", "900"),
    ].joined(separator: ",")
    let made = try read("API", "\(Self.url),\"assertions\":[\(twice)]")
    let check = try #require(made.imported.checks.first)
    #expect(words(check["expect.header"], "X-A") == ["~ a"] && words(check["expect.header"], "x-a") == [])
    #expect(words(check["expect.json"], "$.k") == ["1"])
    #expect(check["expect.response_time.fail"]?.word == "700ms")
    // What fails is no warning any more.
    #expect(check["expect.response_time.warn"]?.word == "700ms")
    #expect(Set(made.reasons) == ["one name has one condition here"])
  }

  /// Times after which a check is degraded, and down, where nothing else is said; none beyond the timeout of 30 s.
  @Test(
    arguments: [
      ("API", "", "10s", "20s"), ("URL", "", "3s", "5s"),
      ("API", ",\"degradedResponseTime\":500,\"maxResponseTime\":1500", "500ms", "1500ms"),
      ("API", ",\"degradedResponseTime\":0,\"maxResponseTime\":0", nil, nil),
      ("API", ",\"degradedResponseTime\":29999,\"maxResponseTime\":30000", "29999ms", nil),
      ("URL", ",\"degradedResponseTime\":30000,\"maxResponseTime\":30000", nil, nil),
    ] as [(String, String, String?, String?)])
  func times(kind: String, more: String, warn: String?, fail: String?) throws {
    let check = try check(kind, Self.url, more)
    #expect(check["expect.response_time.warn"]?.word == warn)
    #expect(check["expect.response_time.fail"]?.word == fail && check["timeout"]?.word == "30s")
  }

  /// Minutes, or seconds where there are none.
  @Test(arguments: [
    ("", "10m"), (",\"frequency\":1", "1m"), (",\"frequency\":1440", "1d"),
    (",\"frequency\":0,\"frequencyOffset\":30", "30s"), (",\"frequency\":0", "10s"),
    (",\"frequency\":5,\"frequencyOffset\":30", "5m"),
  ])
  func intervals(more: String, interval: String) throws {
    #expect(try check("API", Self.url, more)["interval"]?.word == interval)
  }

  /// Ways to try again, with Checkly's own two retries a minute apart.
  @Test(
    arguments: [
      ("", "0", nil, []), (",\"doubleCheck\":true", "1", nil, []), (",\"doubleCheck\":false", "0", nil, []),
      (",\"retryStrategy\":{\"type\":\"FIXED\"}", "2", "1m", []),
      (
        ",\"retryStrategy\":{\"type\":\"FIXED\",\"maxRetries\":3,\"baseBackoffSeconds\":30,\"sameRegion\":true}",
        "3", "30s", []
      ),
      (
        ",\"retryStrategy\":{\"type\":\"FIXED\",\"maxRetries\":11,\"baseBackoffSeconds\":3601}", "10", "1h",
        []
      ),
      (",\"retryStrategy\":{\"type\":\"SINGLE_RETRY\",\"baseBackoffSeconds\":5}", "1", "5s", []),
      (",\"retryStrategy\":{\"type\":\"NO_RETRIES\"},\"doubleCheck\":true", "0", nil, []),
      (
        ",\"retryStrategy\":{\"type\":\"LINEAR\",\"maxRetries\":1}", "1", "1m",
        ["listed: retries are the same time apart here"]
      ),
      (
        ",\"retryStrategy\":{\"type\":\"EXPONENTIAL\",\"maxRetries\":1,\"maxDurationSeconds\":600}", "1",
        "1m",
        [
          "listed: retries are the same time apart here",
          "listed: retries have no limit of time of their own",
        ]
      ),
      (
        ",\"retryStrategy\":{\"type\":\"FIXED\",\"sameRegion\":false,\"onlyOn\":\"NETWORK_ERROR\"}", "2",
        "1m",
        ["laxer: each failure is retried", "listed: an agent probes from where it stands"]
      ),
    ] as [(String, String, String?, [String])])
  func retries(more: String, retries: String, delay: String?, notes: [String]) throws {
    let check = try check("API", Self.url, more)
    #expect(check["retries"]?.word == retries && check["retry_delay"]?.word == delay)
    #expect(
      check.notes.map { "\($0.change?.rawValue ?? "listed"): \($0.why)" }.sorted() == notes.sorted(),
      "\(check.notes.map(\.line))")
  }

  /// Packets that may be lost; a share of nothing is lost always.
  @Test(
    arguments: [
      ("", "10", "9.99%", "19.99%"),
      (",\"degradedPacketLossThreshold\":0,\"maxPacketLossThreshold\":0", "10", nil, nil),
      (",\"degradedPacketLossThreshold\":100,\"maxPacketLossThreshold\":101", "10", "100%", "100%"),
    ] as [(String, String, String?, String?)])
  func losses(more: String, count: String, warn: String?, fail: String?) throws {
    let check = try check("ICMP", "\"hostname\":\"a.example\"", more)
    #expect(check["count"]?.word == count && check["ip"]?.word == "4")
    #expect(check["expect.loss.warn"]?.word == warn && check["expect.loss.fail"]?.word == fail)
  }

  @Test(
    arguments: [
      ("avg", "LESS_THAN", "1", "1ms"), ("avg", "LESS_THAN", "60000", "1m"), ("avg", "LESS_THAN", "0", nil),
      ("avg", "LESS_THAN", "60001", nil), ("max", "LESS_THAN", "5", nil), ("avg", "GREATER_THAN", "5", nil),
    ] as [(String, String, String, String?)])
  func latencies(property: String, comparison: String, target: String, limit: String?) throws {
    let list = assertion("LATENCY", comparison, target, property)
    let check = try check("ICMP", "\"hostname\":\"a.example\",\"ipFamily\":\"IPv6\",\"assertions\":[\(list)]")
    #expect(check["expect.rtt.fail"]?.word == limit && check["ip"]?.word == "6")
    #expect(check.notes.allSatisfy { $0.change == .laxer } && check.notes.isEmpty == (limit != nil))
  }

  /// How many answers there are, and which code.
  @Test(
    arguments: [
      ("JSON_ANSWER", "EQUALS", "2", "$.Answer.length", "expect.count", "2"),
      ("JSON_ANSWER", "GREATER_THAN", "2", "$.Answer.length", "expect.count", "> 2"),
      ("JSON_ANSWER", "LESS_THAN", "2", "$.Answer.length", "expect.count", "< 2"),
    ] as [(String, String, String, String, String, String)])
  func numbersOfAnswers(
    source: String, comparison: String, target: String, property: String, key: String, value: String
  ) throws {
    let list = assertion(source, comparison, target, property)
    let request = "\"query\":\"a.example\",\"nameServer\":\"192.0.2.1\",\"assertions\":[\(list)]"
    #expect(try check("DNS", request)[key]?.word == value)
  }

  @Test(arguments: [("RESPONSE_CODE", ""), ("JSON_ANSWER", "$.Status")])
  func codesOfAnswers(source: String, property: String) throws {
    let list = assertion(source, "EQUALS", "nxdomain", property)
    let request = "\"query\":\"a.example\",\"nameServer\":\"192.0.2.1\",\"assertions\":[\(list)]"
    #expect(try words(check("DNS", request)["expect.rcode"]) == ["NXDOMAIN"])
  }

  /// Units of a job's period and grace; the least period is ten seconds, the most grace thirty days.
  @Test(
    arguments: [
      ("30", "seconds", "5", "seconds", "30s", "5s", []), ("2", "minutes", "3", "minutes", "2m", "3m", []),
      ("2", "hours", "3", "hours", "2h", "3h", []), ("2", "days", "30", "days", "2d", "30d", []),
      ("9", "seconds", "0", "seconds", "10s", "0ms", []),
      ("2", "days", "31", "days", "2d", "30d", ["it is made 30d, the most there is"]),
    ] as [(String, String, String, String, String, String, [String])])
  func jobs(
    period: String, unit: String, grace: String, graceUnit: String, made: String, madeGrace: String,
    notes: [String]
  ) throws {
    let source = try ReadSource(
      .checkly,
      """
      [{"name":"n","checkType":"HEARTBEAT","heartbeat":{"period":\(period),"periodUnit":"\(unit)",
      "grace":\(grace),"graceUnit":"\(graceUnit)","pingUrl":"https://p.example/0123456789abcdef"}}]
      """)
    let check = try #require(source.imported.checks.first)
    #expect(check["period"]?.word == made && check["grace"]?.word == madeGrace)
    #expect(check.notes.filter { $0.change == .stricter }.map(\.why) == notes)
  }

  @Test(arguments: ["BROWSER", "MULTI_STEP", "PLAYWRIGHT"]) func otherKinds(kind: String) throws {
    let made = try read(kind, Self.url)
    #expect(made.names == [])
    #expect(Set(made.reasons) == ["no check here does what one of type \(kind) does"])
  }
}
