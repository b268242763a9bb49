// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Settings of Uptime Kuma's monitors, as its own monitor types read them.
@Suite struct KumaFieldsTests {
  /// A backup with one monitor.
  private func read(_ type: String, _ members: String, _ rest: String = "") throws -> ReadSource {
    try ReadSource(
      .uptimeKuma, "{\"monitorList\":[{\"id\":1,\"name\":\"m\",\"type\":\"\(type)\",\(members)}]\(rest)}")
  }

  private func check(_ type: String, _ members: String, _ rest: String = "") throws -> ImportedCheck {
    try #require(try read(type, members, rest).imported.checks.first, "\(type) \(members)")
  }

  /// A service is asked on its usual port, or where its address says; `rediss` is over TLS.
  @Test(
    arguments: [
      ("redis", "\"hostname\":\"a.example\"", "a.example", 6379, nil),
      ("mysql", "\"hostname\":\"a.example\"", "a.example", 3306, nil),
      ("postgres", "\"hostname\":\"a.example\"", "a.example", 5432, nil),
      ("mqtt", "\"hostname\":\"a.example\"", "a.example", 1883, nil),
      ("mqtt", "\"hostname\":\"a.example\",\"port\":8883", "a.example", 8883, nil),
      ("redis", "\"databaseConnectionString\":\"redis://u:p@r.example:6380/0\"", "r.example", 6380, nil),
      ("redis", "\"databaseConnectionString\":\"rediss://r.example\"", "r.example", 6379, "true"),
      (
        "redis", "\"databaseConnectionString\":\"rediss://r.example\",\"ignoreTls\":false", "r.example", 6379,
        "true"
      ),
      ("mysql", "\"databaseConnectionString\":\"mysql://u:p@m.example/d?a=1\"", "m.example", 3306, nil),
      ("postgres", "\"databaseConnectionString\":\"postgres://u:p@p.example?a=1\"", "p.example", 5432, nil),
      ("postgres", "\"databaseConnectionString\":\"postgres://u:p@[::1]:5433/d\"", "::1", 5433, nil),
    ] as [(String, String, String, Int, String?)])
  func services(type: String, members: String, host: String, port: Int, tls: String?) throws {
    let made = try read(type, members)
    let check = try #require(made.imported.checks.first)
    #expect(check["type"]?.word == "tcp" && check["dialog"]?.word == type)
    #expect(check["host"]?.word == host && check["port"]?.word == "\(port)" && check["tls"]?.word == tls)
    #expect(!made.text.contains("u:p"))
  }

  /// A certificate that Kuma does not verify is not verified here.
  @Test func aServiceOverTLSThatIsNotVerified() throws {
    let made = try read("redis", "\"databaseConnectionString\":\"rediss://r.example\",\"ignoreTls\":true")
    #expect(
      try made.keys()
        == "type: tcp\nhost: r.example\nport: 6379\ntls:\n  verify: false\ndialog: redis")
  }

  /// A host of MQTT may have its scheme; that of a websocket is none here.
  @Test(
    arguments: [
      ("mqtt://a.example", "a.example", nil), ("mqtts://a.example", "a.example", "true"),
      ("mqtt://a.example/", "a.example", nil), ("wss://a.example", nil, nil), ("https://a.example", nil, nil),
    ] as [(String, String?, String?)])
  func brokers(host: String, made: String?, tls: String?) throws {
    let found = try read("mqtt", "\"hostname\":\"\(host)\"")
    #expect(found.imported.checks.first?["host"]?.word == made)
    #expect(found.imported.checks.first?["tls"]?.word == tls)
    #expect(found.imported.leftOut.map(\.why) == (made == nil ? ["it speaks MQTT over a websocket"] : []))
  }

  /// The certificate of a port is looked at where Kuma notifies of its end.
  @Test(
    arguments: [
      ("secure", true, "true", "21d", []), ("secure", false, nil, nil, []),
      ("nostarttls", true, nil, nil, []),
      ("starttls", true, nil, nil, ["laxer: its protocol is found by the greeting: write starttls"]),
    ] as [(String, Bool, String?, String?, [String])])
  func portsOverTLS(security: String, isNotified: Bool, tls: String?, warn: String?, lines: [String]) throws {
    let check = try check(
      "port",
      "\"hostname\":\"a\",\"port\":1,\"expiryNotification\":\(isNotified),\"smtpSecurity\":\"\(security)\"")
    #expect(check["tls"]?.word == tls && check["expect.certificate.warn"]?.word == warn)
    #expect(check.notes.compactMap { note in note.change.map { "\($0): \(note.why)" } } == lines)
  }

  /// A body of blanks is none to Kuma.
  @Test(arguments: ["", " ", "\\n\\t "]) func blankBodies(body: String) throws {
    let check = try check("http", "\"url\":\"https://a.example\",\"method\":\"POST\",\"body\":\"\(body)\"")
    #expect(
      check["body"] == nil && check["headers"] == nil && check["method"]?.word == "POST" && check.notes == [])
  }

  /// A header that says who asks counts, not the login beside it.
  @Test(arguments: [
    "\"authMethod\":\"basic\",\"basic_auth_user\":\"u\"", "\"authMethod\":\"bearer\",\"bearer_token\":\"t\"",
  ])
  func aHeaderAndALogin(members: String) throws {
    let check = try check(
      "http",
      "\"url\":\"https://a.example\",\"headers\":\"{\\\"authorization\\\":\\\"Bearer x\\\"}\",\(members)")
    #expect(check["auth"] == nil && check["headers.authorization"] != nil)
    #expect(check.notes.map(\.why) == ["the header Authorization counts, as for Kuma"])
  }

  /// A mail server greets in the clear, over TLS, or goes over to it.
  @Test(
    arguments: [
      ("", 25, nil, nil), (",\"port\":587,\"smtpSecurity\":\"starttls\"", 587, nil, "smtp"),
      (",\"port\":465,\"smtpSecurity\":\"secure\"", 465, "true", nil),
      (",\"smtpSecurity\":\"nostarttls\"", 25, nil, nil),
    ] as [(String, Int, String?, String?)])
  func mailServers(members: String, port: Int, tls: String?, starttls: String?) throws {
    let check = try check("smtp", "\"hostname\":\"a.example\"\(members)")
    #expect(check["port"]?.word == "\(port)" && check["dialog"]?.word == "smtp")
    #expect(check["tls"]?.word == tls && check["starttls"]?.word == starttls)
  }

  /// A member of an http monitor, and the key that it becomes.
  @Test(
    arguments: [
      ("\"method\":\"get\"", "method", nil), ("\"method\":\"put\"", "method", "PUT"),
      ("\"ignoreTls\":true", "tls.verify", "false"), ("\"ignoreTls\":false", "tls.verify", nil),
      ("\"maxredirects\":0", "follow", "false"), ("\"maxredirects\":0", "max_redirects", nil),
      ("\"maxredirects\":1", "max_redirects", "1"), ("\"maxredirects\":20", "max_redirects", "20"),
      ("\"maxredirects\":21", "max_redirects", "20"), ("\"ipFamily\":\"ipv4\"", "ip", "4"),
      ("\"ipFamily\":\"ipv6\"", "ip", "6"), ("\"upsideDown\":true", "negate", "true"),
      ("\"upsideDown\":false", "negate", nil), ("\"active\":0", "enabled", "false"),
      ("\"active\":1", "enabled", nil), ("\"expiryNotification\":true", "expect.certificate.warn", "21d"),
      ("\"expiryNotification\":false", "expect.certificate.warn", nil),
      (
        "\"authMethod\":\"basic\",\"basic_auth_user\":\"u\",\"basic_auth_pass\":\"p\"", "auth.basic.username",
        "u"
      ),
      ("\"basic_auth_user\":\"u\",\"basic_auth_pass\":\"p\"", "auth.basic.username", nil),
      ("\"authMethod\":\"null\",\"basic_auth_user\":\"u\"", "auth.basic.username", nil),
      (
        "\"authMethod\":\"oauth2-cc\",\"oauthTokenUrl\":\"https://t.example\",\"oauthClientId\":\"c\"",
        "auth.oauth2.client_id", "c"
      ),
      (
        "\"authMethod\":\"oauth2-cc\",\"oauthTokenUrl\":\"https://t.example\",\"oauthClientId\":\"c\"",
        "auth.oauth2.token_url", "https://t.example"
      ),
    ] as [(String, String, String?)])
  func membersOfAPage(member: String, key: String, value: String?) throws {
    let check = try check("http", "\"url\":\"https://a.example/\",\(member)")
    #expect(check[key]?.word == value)
  }

  /// A certificate belongs to https.
  @Test func aPageInTheClearHasNoCertificate() throws {
    let check = try check("http", "\"url\":\"http://a.example/\",\"expiryNotification\":true")
    #expect(check["expect.certificate"] == nil)
  }

  /// Kuma says what a body is, unless a header does.
  @Test(
    arguments: [
      ("\"body\":\"{}\"", "application/json"),
      ("\"body\":\"{}\",\"httpBodyEncoding\":\"json\"", "application/json"),
      ("\"body\":\"a=1\",\"httpBodyEncoding\":\"form\"", "application/x-www-form-urlencoded"),
      ("\"body\":\"<a/>\",\"httpBodyEncoding\":\"xml\"", "text/xml; charset=utf-8"),
      ("\"httpBodyEncoding\":\"xml\"", nil),
      ("\"body\":\"{}\",\"headers\":\"{\\\"content-type\\\":\\\"x/y\\\"}\"", "x/y"),
    ] as [(String, String?)])
  func typesOfBodies(members: String, type: String?) throws {
    let check = try check("http", "\"url\":\"https://a.example/\",\"method\":\"POST\",\(members)")
    var types: [String?] = []
    if case .map(let headers)? = check["headers"] {
      types = headers.filter { $0.name.lowercased() == "content-type" }.map { $0.value.word }
    }
    #expect(types == (type == nil ? [] : [type]))
    #expect((check["body"]?.word == nil) == !members.contains("\"body\""))
  }

  @Test(arguments: ["HEAD", "TRACE"]) func requestsWithoutABody(method: String) throws {
    let check = try check("http", "\"url\":\"https://a.example/\",\"method\":\"\(method)\",\"body\":\"{}\"")
    #expect(check["body"] == nil && check["headers"] == nil)
    #expect(
      check.notes.map(\.line) == [
        "changed: f: monitorList[0].body: a \(method) request has no body here"
      ])
  }

  /// A monitor that logs in by what no check knows is left out.
  @Test(arguments: [
    ("mtls", "its client certificate is in the database: write files, and tls.client_certificate"),
    ("ntlm", "it logs in by NTLM, or in a way that is not known"),
  ])
  func waysToLogIn(method: String, why: String) throws {
    let made = try read("http", "\"url\":\"https://a.example/\",\"authMethod\":\"\(method)\"")
    #expect(made.names == [] && made.imported.leftOut.map(\.why) == [why])
  }

  /// A keyword has to be there, or must not be.
  @Test(arguments: [("false", "contains", "not_contains"), ("true", "not_contains", "contains")])
  func keywords(isInverted: String, key: String, other: String) throws {
    let check = try check(
      "keyword", "\"url\":\"https://a.example/\",\"keyword\":\"ok\",\"invertKeyword\":\(isInverted)")
    guard case .list(let words)? = check["expect.body.\(key)"] else {
      Issue.record("no keyword")
      return
    }
    #expect(words.map(\.word) == ["ok"] && check["expect.body.\(other)"] == nil)
  }

  /// How a value of JSON is compared.
  @Test(
    arguments: [
      ("==", "1.5", #"~ (?s)\A1\.5\z"#), ("!=", "1.5", #"!~ (?s)\A1\.5\z"#),
      ("contains", "a.b", #"~ (?s)a\.b"#),
      ("<", "5", "< 5"), ("<=", "5", "<= 5"), (">", "5", "> 5"), (">=", "5", ">= 5"), ("<", "x", nil),
      ("~", "5", nil),
    ] as [(String, String, String?)])
  func comparisonsOfJSON(sign: String, expected: String, value: String?) throws {
    let made = try read(
      "json-query",
      "\"url\":\"https://a.example/\",\"jsonPath\":\"a\",\"jsonPathOperator\":\"\(sign)\",\"expectedValue\":\"\(expected)\""
    )
    #expect(made.imported.checks.map { $0["expect.json"].flatMap(entry) } == (value == nil ? [] : [value]))
  }

  private func entry(_ value: AgentValue) -> String? {
    guard case .map(let entries) = value, entries.map(\.name) == ["$.a"] else { return nil }
    return entries[0].value.word
  }

  /// How a record is compared; of a mail exchanger its number stands before its name.
  @Test(
    arguments: [
      ("A", "equals", #"~ \Aa\.b\.?\z"#), ("A", "contains", #"~ a\.b"#), ("A", "starts_with", #"~ \Aa\.b"#),
      ("A", "ends_with", #"~ a\.b\.?\z"#), ("MX", "equals", #"~ \A\d+ a\.b\.?\z"#),
      ("MX", "contains", #"~ a\.b"#),
      ("MX", "starts_with", #"~ \A\d+ a\.b"#), ("MX", "ends_with", #"~ a\.b\.?\z"#), ("A", "not_equals", nil),
    ] as [(String, String, String?)])
  func conditionsOnRecords(type: String, sign: String, value: String?) throws {
    let condition = #"[{\"variable\":\"record\",\"operator\":\"\#(sign)\",\"value\":\"a.b\"}]"#
    let check = try check(
      "dns", "\"hostname\":\"a.example\",\"dns_resolve_type\":\"\(type)\",\"conditions\":\"\(condition)\"")
    var found: [String?] = []
    if case .list(let items)? = check["expect.answers.any"] { found = items.map(\.word) }
    #expect(found == (value == nil ? [] : [value]) && check["expect.count"]?.word == ">= 1")
    #expect(check.notes.compactMap(\.change) == (value == nil ? [.laxer] : []))
  }

  /// Proxies by their protocol; a name and a password are kept apart.
  @Test(
    arguments: [
      (#""protocol":"http","active":1"#, "http://p.example:3128", []),
      (#""protocol":"socks5h","active":1"#, "socks5h://p.example:3128", []),
      (
        #""protocol":"socks5","active":1"#, "socks5h://p.example:3128",
        ["the proxy resolves the target's name, too"]
      ),
      (
        #""protocol":"socks","active":1"#, "socks5h://p.example:3128",
        ["the proxy resolves the target's name, too"]
      ),
      (#""protocol":"http","active":0"#, nil, []),
      (#""protocol":"http","active":1,"auth":0,"username":"u","password":"p""#, "http://p.example:3128", []),
    ] as [(String, String?, [String])])
  func proxies(members: String, proxy: String?, notes: [String]) throws {
    let six = ",\"proxyList\":[{\"id\":7,\"host\":\"2001:db8::1\",\"port\":3128,\(members)}]"
    let other = try self.check("http", "\"url\":\"https://a.example/\",\"proxyId\":7", six)
    #expect(other["proxy"]?.word == proxy?.replacing("p.example", with: "[2001:db8::1]"))
    let list = ",\"proxyList\":[{\"id\":7,\"host\":\"p.example\",\"port\":3128,\(members)}]"
    let check = try check("http", "\"url\":\"https://a.example/\",\"proxyId\":7", list)
    #expect(check["proxy"]?.word == proxy && check.notes.filter { $0.change != nil }.map(\.why) == notes)
  }

  @Test func aProxyWithALogin() throws {
    let list =
      ",\"proxyList\":[{\"id\":7,\"protocol\":\"http\",\"host\":\"p.example\",\"port\":3128,\"active\":1,"
      + "\"auth\":1,\"username\":\"a@b\",\"password\":\"c:d\"}]"
    let made = try read("http", "\"url\":\"https://a.example/\",\"proxyId\":7", list)
    #expect(made.secrets.map { $0.value.reveal() } == ["http://a%40b:c%3Ad@p.example:3128"])
    let gone = try read("http", "\"url\":\"https://a.example/\",\"proxyId\":8", list)
    #expect(gone.imported.leftOut.map(\.why) == ["its proxy is not in the file"])
  }
}
