// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// What the judge refuses, where it says it lies, and in which words.
struct InvalidCheckTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var path: String
    var message: String
    var definition: CheckDefinition
    var testDescription: String { message }

    init(
      _ path: String, _ message: String, _ base: CheckDefinition, _ change: (inout CheckDefinition) -> Void
    ) {
      self.path = path
      self.message = message
      self.definition = base
      change(&definition)
    }
  }

  static let http = CheckDefinition.http()
  static let tcp = CheckDefinition.tcp(host: "db", port: 5432)
  static let dns = CheckDefinition.dns(name: "example.com")
  static let ping = CheckDefinition.ping(host: "router")

  static let common: [Case] = [
    Case("name", "name is missing", http) { $0.name = nil },
    Case("name", "name is empty", http) { $0.name = "  " },
    Case("name", "name contains a control character", http) { $0.name = "a\nb" },
    Case("name", "name must be at most 200 bytes, found 201", http) {
      $0.name = String(repeating: "x", count: 201)
    },
    Case("type", "type is missing", http) { $0.type = nil },
    Case("type", "type must be one of http, tcp, dns, tls, ping, heartbeat, found \"https\"", http) {
      $0.type = "https"
    },
    Case("id", "id must be a UUID, found \"7\"", http) { $0.id = "7" },
    Case("resource", "resource must be a UUID, found \"web\"", http) { $0.resource = "web" },
    Case("tags/1", "tags[1] repeats \"a\"", http) { $0.tags = ["a", "a"] },
    Case("tags/0", "tags[0] is empty", http) { $0.tags = [""] },
    Case("interval", "interval must be at least 1s, found 0s", http) { $0.interval = .zero },
    Case("interval", "interval must be at most 30d, found 31d", http) { $0.interval = .seconds(31 * 86_400) },
    Case("interval_failing", "interval_failing must be at most 30d, found 31d", http) {
      $0.intervalFailing = .seconds(31 * 86_400)
    },
    Case("interval_failing", "interval_failing must be at most the interval (1m), found 61s", http) {
      $0.interval = .seconds(60)
      $0.intervalFailing = .seconds(61)
    },
    Case("source_address", "source_address is an IPv4 address, but ip is 6", http) {
      ($0.ip, $0.sourceAddress) = ("6", "192.0.2.7")
    },
    Case("timeout", "timeout must be at most 1m, found 61s", http) { $0.timeout = .seconds(61) },
    Case("timeout", "timeout must be at most the interval (5s), found 6s", http) {
      $0.interval = .seconds(5)
      $0.timeout = .seconds(6)
    },
    Case("retries", "retries must be at most 10, found 11", http) { $0.retries = 11 },
    Case("retry_delay", "retry_delay must be at most 1h, found 2h", http) { $0.retryDelay = .seconds(7200) },
    Case("confirm_delay", "confirm_delay has no effect with retries 0", http) {
      $0.retries = 0
      $0.confirmDelay = .seconds(5)
    },
    Case("ip", "ip must be one of any, 4, 6, found \"v4\"", http) { $0.ip = "v4" },
    Case(
      "expect/response_time/warn",
      "expect.response_time.warn must be at most expect.response_time.fail (1s), found 2s", http
    ) { $0.responseTime = Thresholds(warn: .seconds(2), fail: .seconds(1)) },
    Case(
      "expect/response_time/fail", "expect.response_time.fail must be at most the timeout (10s), found 11s",
      http
    ) { $0.responseTime.fail = .seconds(11) },
  ]

  static let httpCases: [Case] = [
    Case("url", "url is missing", http) { $0.url = nil },
    Case("url", "url must start with http:// or https://", http) { $0.url = "shop.example" },
    Case("url", "url must not contain user info; use auth instead", http) {
      $0.url = "https://a:b@shop.example"
    },
    Case("method", "method must be in capitals, found \"get\"", http) { $0.method = "get" },
    Case("method", "method is no HTTP method, found \"GE T\"", http) { $0.method = "GE T" },
    Case("method", "method CONNECT asks for a tunnel and is no probe", http) { $0.method = "CONNECT" },
    Case("body", "body has no meaning in a GET request", http) { $0.http.body = Redacted("x") },
    Case("max_redirects", "max_redirects must be at most 20, found 21", http) { $0.maxRedirects = 21 },
    Case("max_redirects", "max_redirects has no effect with follow false", http) {
      $0.http.follow = false
      $0.maxRedirects = 3
    },
    Case("max_body", "max_body must be at least 1, found 0", http) { $0.maxBody = 0 },
    Case("auth", "auth has both basic and bearer", http) {
      ($0.auth.basic.username, $0.auth.basic.password) = ("u", Redacted("p"))
      $0.auth.bearer = Redacted("t")
    },
    Case("auth/basic/username", "auth.basic.username must not contain a colon or a control character", http) {
      ($0.auth.basic.username, $0.auth.basic.password) = ("a:b", Redacted("p"))
    },
    Case("auth/digest/username", "auth.digest.username must not contain a control character", http) {
      ($0.auth.digest.username, $0.auth.digest.password) = ("a\nb", Redacted("p"))
    },
    Case("tls/client_key", "tls.client_key has no certificate", http) { $0.tls.clientKey = "/k.pem" },
    Case("tls/verify", "tls.verify false would show the client certificate to anyone who answers", http) {
      ($0.tls.verify, $0.tls.clientCertificate) = (false, "/c.pem")
    },
    Case("auth/basic/password", "auth.basic.password is missing", http) { $0.auth.basic.username = "u" },
    Case("auth/bearer", "auth.bearer must be visible ASCII without spaces and not empty", http) {
      $0.auth.bearer = Redacted("two words")
    },
    Case("headers/Content-Length", "headers.Content-Length must not be set", http) {
      $0.headers = [(name: "Content-Length", value: Redacted("3"))]
    },
    Case("headers/X-A", "headers.X-A contains a line break, NUL or another control character", http) {
      $0.headers = [(name: "X-A", value: Redacted("1\r\nX-B: 2"))]
    },
    Case("headers/x-a", "headers.x-a is given twice", http) {
      $0.headers = [(name: "X-A", value: Redacted("1")), (name: "x-a", value: Redacted("2"))]
    },
    Case("headers/X-A:", "headers has the name \"X-A:\", which is no header name", http) {
      $0.headers = [(name: "X-A:", value: Redacted("1"))]
    },
    Case("headers/Authorization", "headers.Authorization and auth both set the credentials", http) {
      $0.headers = [(name: "Authorization", value: Redacted("x"))]
      $0.auth.bearer = Redacted("t")
    },
    Case("tls/verify", "tls.verify false would send the credentials to anyone who answers", http) {
      $0.tls.verify = false
      $0.auth.bearer = Redacted("t")
    },
    Case("expect/status/0", "expect.status[0] must be a code or a range, found \"2xx\"", http) {
      $0.expect.status = ["2xx"]
    },
    Case("expect/status/1", "expect.status[1] must be within 100-599, found \"600\"", http) {
      $0.expect.status = ["200", "600"]
    },
    Case("expect/status/0", "expect.status[0] must be within 100-599, found \"099\"", http) {
      $0.expect.status = ["099"]
    },
    Case("tls/max_version", "tls.max_version must be at least tls.min_version (1.2), found 1.1", http) {
      $0.tls.maxVersion = "1.1"
    },
    Case("tls/max_version", "tls.max_version must be at least tls.min_version (1.3), found 1.2", http) {
      ($0.tls.minVersion, $0.tls.maxVersion) = ("1.3", "1.2")
    },
    Case("expect/status/0", "expect.status[0] must not end before it starts, found \"299-200\"", http) {
      $0.expect.status = ["299-200"]
    },
    Case("expect/body/not_contains", "expect.body wants \"ok\" both present and absent", http) {
      $0.http.expect.bodyContains = ["ok"]
      $0.http.expect.bodyNotContains = ["ok"]
    },
    Case("expect/body", "expect.body can never hold: a HEAD response has no body", http) {
      $0.method = "HEAD"
      $0.http.expect.bodyContains = ["ok"]
    },
    Case("expect/certificate", "expect.certificate needs an https url", .http("http://shop.example/")) {
      $0.expect.certificate.warn = .seconds(86_400)
    },
  ]

  static let otherCases: [Case] = [
    Case("host", "host is missing", tcp) { $0.host = nil },
    Case("port", "port is missing", tcp) { $0.port = nil },
    Case("port", "port must be at least 1, found 0", tcp) { $0.port = 0 },
    Case("host", "host must be a name or an address, found \"tcp://db\"", tcp) { $0.host = "tcp://db" },
    Case("host", "host is empty", tcp) { $0.host = "" },
    Case("host", "host must be in ASCII, found \"bücher.example\"", tcp) {
      ($0.origin, $0.host) = (.api, "bücher.example")
    },
    Case(
      "server", "server must be a name or an address, found \"a..b\", with an empty or overlong label", dns
    ) {
      $0.server = "a..b"
    },
    Case(
      "tls/server_name",
      "tls.server_name must be a name or an address, found \"a b\", with a character that no host name has",
      http
    ) {
      $0.tls.serverName = "a b"
    },
    Case("host", "host must be an address without brackets, found \"[::1]\"", tcp) { $0.host = "[::1]" },
    Case("host", "host must be a name or an address, found \"db:5432\"", tcp) { $0.host = "db:5432" },
    Case(
      "host",
      "host must be a name or an address, found \"127.1\", that looks like a number but is no canonical IP address",
      tcp
    ) {
      $0.host = "127.1"
    },
    Case("server", "server must be host or host:port, found \"ns1:0\"", dns) { $0.server = "ns1:0" },
    Case("query/name", "query.name is missing", dns) { $0.queryName = nil },
    Case("query/name", "query.name has an empty or overlong label, found \"a..b\"", dns) {
      $0.queryName = "a..b"
    },
    Case("expect/rcode", "expect.rcode is empty", dns) { $0.expect.rcodes = [] },
    Case("expect/answers/any/0", "expect.answers.any[0] must be an IPv4 address, found \"::1\"", dns) {
      $0.expect.answersAny = ["::1"]
    },
    Case(
      "expect/answers/any/0", "expect.answers.any[0] must be a literal or ~ and a pattern, found \"> 5\"", dns
    ) {
      $0.queryType = "TXT"
      $0.expect.answersAny = ["> 5"]
    },
    Case("expect/answers/any", "expect.answers.any can never hold: expect.rcode leaves out NOERROR", dns) {
      $0.expect.rcodes = ["NXDOMAIN"]
      $0.expect.answersAny = ["192.0.2.1"]
    },
    Case("count", "count must be at most 100, found 101", ping) { $0.ping.count = 101 },
    Case("count", "100 packets 200ms apart take 19800ms, found a timeout of 10s", ping) {
      $0.ping.count = 100
    },
    Case("size", "size must be at most 1472, found 1473", ping) { $0.size = 1473 },
    Case("expect/loss/fail", "expect.loss.fail must be at most 100%, found 101%", ping) {
      $0.ping.loss.fail = 101
    },
    Case("expect/loss/warn", "expect.loss.warn must be at most expect.loss.fail (10%), found 12.5%", ping) {
      $0.ping.loss = Thresholds(warn: 12.5, fail: 10)
    },
  ]

  @Test(arguments: common + httpCases + otherCases)
  func refuses(wrong: Case) throws {
    let error = try #require(throws: InvalidCheck.self) { try MonitoringCheck(wrong.definition) }
    #expect(error.problems.map(\.message) == [wrong.message])
    #expect(error.problems.first?.path.joined(separator: "/") == wrong.path)
  }

  /// Nobody fixes a file one run at a time.
  @Test func reportsEverythingAtOnce() throws {
    var definition = CheckDefinition.http("ftp://x")
    definition.name = ""
    definition.interval = .zero
    definition.method = "get"
    definition.expect.status = ["abc"]
    let error = try #require(throws: InvalidCheck.self) { try MonitoringCheck(definition) }
    #expect(
      error.problems.map { $0.path.joined(separator: "/") } == [
        "name", "interval", "url", "method", "expect/status/0",
      ])
  }

  /// A stranger's check is held tighter than the administrator's own.
  @Test func apiLimits() throws {
    var definition = CheckDefinition.http()
    definition.headers = [(name: "Host", value: Redacted("inner.example"))]
    definition.http.expect.bodyContains = [String(repeating: "k", count: 300)]
    #expect(throws: Never.self) { try MonitoringCheck(definition) }
    definition.origin = .api
    let error = try #require(throws: InvalidCheck.self) { try MonitoringCheck(definition) }
    #expect(
      error.problems.map(\.message) == [
        "headers.Host must not be set", "expect.body.contains[0] must be at most 256 bytes, found 300",
      ])
  }

  /// What is wrong with a secret is said without saying the secret.
  @Test func problemsNeverQuoteSecrets() throws {
    var definition = CheckDefinition.http("https://user:hunter2@shop.example/?hunter2")
    definition.headers = [(name: "X-Key", value: Redacted("hunter2\n"))]
    definition.http.body = Redacted("hunter2")
    definition.auth.basic.username = "a:b"
    definition.auth.basic.password = Redacted("hunter2\n")
    let error = try #require(throws: InvalidCheck.self) { try MonitoringCheck(definition) }
    #expect(error.problems.count == 5)
    #expect(!"\(error)".contains("hunter2"))
  }
}
