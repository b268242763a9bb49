// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Keys that have no effect beside another, and values that cannot be meant.
struct CheckRefusalTests {
  typealias Case = InvalidCheckTests.Case

  static let http = CheckDefinition.http()
  static let plain = CheckDefinition.http("http://shop.example/")
  static let tcp = CheckDefinition.tcp(host: "db", port: 5432)
  static let dns = CheckDefinition.dns(name: "example.com")
  static let ping = CheckDefinition.ping(host: "router")

  static let common: [Case] = [
    Case("was", "was is empty", http) { $0.was = " \t" },
    Case("was", "was has no effect beside id", http) {
      ($0.was, $0.id) = ("Shop", "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d")
    },
    Case("depends_on/0", "depends_on[0] is empty", http) { $0.plan.dependsOn = [""] },
    Case("depends_on/1", "depends_on[1] is empty", http) { $0.plan.dependsOn = ["a", "tag:"] },
    Case("depends_on/2", "depends_on[2] repeats \"a\"", http) { $0.plan.dependsOn = ["a", "tag:a", "a"] },
    Case("tags/1", "tags[1] contains a control character", http) { $0.plan.tags = ["a", "b\n"] },
    Case("source_address", "source_address must be an address, found \"eth0\"", http) {
      $0.sourceAddress = "eth0"
    },
    Case("source_address", "source_address 224.0.0.1 is no address a machine can have", http) {
      $0.sourceAddress = "224.0.0.1"
    },
    Case("ip", "ip is 4, but 2001:db8::1 is an IPv6 address", tcp) {
      ($0.host, $0.ip) = ("2001:db8::1", "4")
    },
    Case("ip", "ip is 6, but 192.0.2.1 is an IPv4 address", tcp) { ($0.host, $0.ip) = ("192.0.2.1", "6") },
    Case("source_address", "source_address is an IPv4 address, but 2001:db8::1 is an IPv6 address", tcp) {
      ($0.host, $0.sourceAddress) = ("2001:db8::1", "192.0.2.7")
    },
    Case("ip", "ip is 6, but proxy 192.0.2.1 is an IPv4 address", http) {
      ($0.proxy, $0.ip) = (Redacted("http://192.0.2.1:3128"), "6")
    },
    Case("ip", "ip is 4, but token_url's host 2001:db8::1 is an IPv6 address", http) {
      $0.auth.oauth2 = oauth2("https://[2001:db8::1]/token")
      $0.ip = "4"
    },
    Case("addresses", "addresses: each has no effect, for 192.0.2.1 is an address itself", tcp) {
      ($0.host, $0.addresses) = ("192.0.2.1", "each")
    },
    Case("addresses", "addresses must be one of any, each, found \"all\"", tcp) { $0.addresses = "all" },
    Case("host", "host has a zone, found \"fe80::1%lo\", and zones are not supported", tcp) {
      $0.host = "fe80::1%lo"
    },
    Case("resolver", "resolver has a zone, found \"fe80::1%lo\", and zones are not supported", http) {
      $0.resolver = "fe80::1%lo"
    },
    Case(
      "host", "host must not be a link-local address, which needs a zone, found \"fe80::1\"", tcp
    ) { $0.host = "fe80::1" },
    Case(
      "url", "url must not be a link-local address, which needs a zone, found \"fe80::1\"", http
    ) { $0.url = "http://[fe80::1]/" },
    Case("resolver", "resolver must be host or host:port, found \"ns1:0\"", http) { $0.resolver = "ns1:0" },
  ]

  static let requests: [Case] = [
    Case("body", "body has no meaning in a HEAD request", http) {
      ($0.method, $0.http.body) = ("HEAD", Redacted("x"))
    },
    Case("body", "body has no meaning in a TRACE request", http) {
      ($0.method, $0.http.body) = ("TRACE", Redacted("x"))
    },
    Case("read_body", "read_body has no effect: a HEAD response has no body", http) {
      ($0.method, $0.http.readBody) = ("HEAD", true)
    },
    Case("read_body", "read_body has no effect: the conditions on the body have it read", http) {
      ($0.http.readBody, $0.http.expect.bodyMatches) = (true, ["ok"])
    },
    Case("read_body", "read_body false leaves the conditions on the body without one", http) {
      ($0.http.readBody, $0.expect.json) = (false, [(path: "$.a", condition: ConditionText("1"))])
    },
    Case("max_body", "max_body has no effect with read_body false", http) {
      ($0.http.readBody, $0.maxBody) = (false, 1)
    },
    Case("headers/expect", "headers.expect must be 100-continue", http) {
      ($0.method, $0.http.body) = ("POST", Redacted("x"))
      $0.headers = [(name: "expect", value: Redacted("200-ok"))]
    },
    Case("headers/Expect", "headers.Expect has no effect without a body", http) {
      $0.headers = [(name: "Expect", value: Redacted("100-Continue"))]
    },
    Case("allow_downgrade", "allow_downgrade has no effect with follow false", http) {
      ($0.http.follow, $0.http.allowDowngrade) = (false, true)
    },
    Case("tls", "tls has no effect on an http url without redirects", plain) {
      ($0.http.follow, $0.tls.both) = (false, true)
    },
    Case("expect/certificate", "expect.certificate needs an https url", plain) {
      $0.expect.certificateStrict = false
    },
    Case("http_version", "http_version 2 does not pass an http proxy without TLS", plain) {
      ($0.httpVersion, $0.proxy) = ("2", Redacted("http://proxy.example:3128"))
    },
    Case("addresses", "addresses each has no effect with a proxy: the name is the proxy's to resolve", http) {
      ($0.addresses, $0.proxy) = ("each", Redacted("socks5h://proxy.example"))
    },
    Case("expect/json", "expect.json can never hold: a HEAD response has no body", http) {
      ($0.method, $0.expect.json) = ("HEAD", [(path: "$.a", condition: ConditionText("1"))])
    },
    Case(
      "expect/http_version",
      "expect.http_version can never hold: nothing but 1.0, 1.1 and 2 is spoken, found \"3\"", http
    ) { $0.expect.httpVersion = "3" },
    Case("expect/body/contains/1", "expect.body.contains[1] is empty", http) {
      $0.http.expect.bodyContains = ["a", ""]
    },
    Case("expect/body/matches/0", "expect.body.matches[0] has an empty pattern", http) {
      $0.http.expect.bodyMatches = [""]
    },
    Case("tls/ca_file", "tls.ca_file has no effect with tls.verify false", http) {
      ($0.tls.verify, $0.tls.caFile) = (false, "/ca.pem")
    },
    Case("tls/ca_file", "tls.ca_file must be the path of a PEM file", http) { $0.tls.caFile = "" },
    Case("tls/client_key", "tls.client_key must be the path of a PEM file", http) {
      ($0.tls.clientCertificate, $0.tls.clientKey) = ("/c.pem", "a\0b")
    },
  ]

  static let conditions: [Case] = [
    Case("expect/header/X-A", "expect.header.X-A has no space after >=, found \">=5\"", http) {
      $0.expect.headers = [(name: "X-A", condition: ">=5")]
    },
    Case("expect/header/X-A", "expect.header.X-A needs a number, found \"five\"", http) {
      $0.expect.headers = [(name: "X-A", condition: "< five")]
    },
    Case("expect/header/x-a", "expect.header.x-a is given twice", http) {
      $0.expect.headers = [(name: "X-A", condition: "1"), (name: "x-a", condition: "2")]
    },
    Case("expect/header/X A", "expect.header has the name \"X A\", which is no header name", http) {
      $0.expect.headers = [(name: "X A", condition: "1")]
    },
    Case("expect/json/$.a", "expect.json.$.a may be a text or not, found \"True\"", http) {
      $0.expect.json = [(path: "$.a", condition: ConditionText("True"))]
    },
    Case("expect/json/$.a", "expect.json.$.a may be a text or not, found \"+5\"", http) {
      $0.expect.json = [(path: "$.a", condition: ConditionText("!= +5", isPlain: false))]
    },
    Case("expect/json/a", "expect.json: the path \"a\" must start with $", http) {
      $0.expect.json = [(path: "a", condition: ConditionText("1"))]
    },
    Case("expect/count", "expect.count must be a number or a comparison, found a pattern", dns) {
      $0.expect.count = "~ 1"
    },
    Case("expect/ttl", "expect.ttl needs a number, found \"long\"", dns) { $0.expect.ttl = "long" },
    Case("expect/ttl", "expect.ttl begins with \"=>\", which is no operator, found \"=> 60\"", dns) {
      $0.expect.ttl = "=> 60"
    },
  ]

  static let credentials: [Case] = [
    Case("auth", "auth has both digest and bearer", http) {
      ($0.auth.digest.username, $0.auth.digest.password) = ("u", Redacted("p"))
      $0.auth.bearer = Redacted("t")
    },
    Case("auth/basic/username", "auth.basic.username is missing", http) {
      $0.auth.basic.password = Redacted("p")
    },
    Case("auth/digest/password", "auth.digest.password must not contain a control character", http) {
      ($0.auth.digest.username, $0.auth.digest.password) = ("u", Redacted("p\n"))
    },
    Case("auth/oauth2/token_url", "auth.oauth2.token_url would send the client's secret in clear", http) {
      $0.auth.oauth2 = oauth2("http://id.example/token")
    },
    Case("auth/oauth2/scopes/1", "auth.oauth2.scopes[1] is no scope", http) {
      $0.auth.oauth2 = oauth2("https://id.example/token", scopes: ["read", "a\"b"])
    },
    Case("auth/oauth2/scopes/0", "auth.oauth2.scopes[0] is no scope", http) {
      $0.auth.oauth2 = oauth2("http://127.0.0.1/token", scopes: [""])
    },
  ]

  private static func oauth2(_ url: String, scopes: [String] = []) -> OAuth2Definition {
    var given = OAuth2Definition()
    (given.tokenURL, given.clientID, given.scopes) = (url, "id", scopes)
    given.clientSecret = Redacted("s")
    return given
  }

  @Test(arguments: common + requests + conditions + credentials)
  func refuses(wrong: Case) throws {
    let error = try #require(throws: InvalidCheck.self) { try MonitoringCheck(wrong.definition) }
    #expect(error.problems.map(\.message) == [wrong.message])
    #expect(error.problems.first?.path.joined(separator: "/") == wrong.path)
  }

  /// A token endpoint needs each of its keys.
  @Test func whatOAuth2Needs() throws {
    var definition = Self.http
    definition.auth.oauth2 = OAuth2Definition()
    let error = try #require(throws: InvalidCheck.self) { try MonitoringCheck(definition) }
    #expect(
      error.problems.map(\.message)
        == ["token_url", "client_id", "client_secret"].map {
          "auth.oauth2.\($0) is missing"
        })
    definition.auth.oauth2 = Self.oauth2("http://localhost:8080/token", scopes: ["read", "write"])
    guard case .http(let http) = try MonitoringCheck(definition).kind, case .oauth2(let settings)? = http.auth
    else {
      Issue.record("no client credentials")
      return
    }
    #expect(settings.clientID == "id" && settings.clientSecret.reveal() == "s")
    #expect(settings.scopes == ["read", "write"] && settings.tokenURL.text == "http://localhost:8080/token")
  }

  /// Without verification nothing is sent that identifies the client, in whatever header it is.
  @Test(
    arguments: [
      ("authorization", true), ("Cookie", true), ("X-Api-Key", true), ("api-key", true), ("ApiKey", true),
      ("X-Auth-Token", true), ("x-access-token", true), ("X-Request-Id", false), ("Accept", false),
    ])
  func headersThatIdentify(name: String, isSecret: Bool) {
    var definition = Self.http
    definition.headers = [(name: name, value: Redacted("v"))]
    #expect(throws: Never.self) { try MonitoringCheck(definition) }
    definition.tls.verify = false
    #expect(((try? MonitoringCheck(definition)) == nil) == isSecret)
  }

  /// Headers that frame the message or the connection are the agent's, and Host is not a stranger's.
  @Test(
    arguments: [
      "content-length", "Transfer-Encoding", "connection", "Keep-Alive", "proxy-connection",
      "Proxy-Authorization", "TE", "trailer", "Upgrade", "HTTP2-Settings",
    ])
  func headersOfTheAgent(name: String) throws {
    var definition = Self.http
    definition.headers = [(name: name, value: Redacted("v"))]
    let error = try #require(throws: InvalidCheck.self) { try MonitoringCheck(definition) }
    #expect(error.problems.map(\.message) == ["headers.\(name) must not be set"])
    for (other, isTaken) in [("Host", false), ("User-Agent", true), ("Accept-Encoding", true)] {
      definition.headers = [(name: other, value: Redacted("v"))]
      definition.origin = .local
      #expect(throws: Never.self) { try MonitoringCheck(definition) }
      definition.origin = .api
      #expect(((try? MonitoringCheck(definition)) != nil) == isTaken, "\(other)")
    }
  }
}
