// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Testing

@Suite struct CheckMappingTests {
  static func wire(_ number: Int, _ members: String, resource: String = "Shop") throws -> WireCheck {
    let text =
      "{\"id\":\"\(checkID(number))\",\"resource_id\":\"\(checkID(500 + number))\",\"is_enabled\":true,"
      + "\"resources\":{\"name\":\"\(resource)\"}" + (members.isEmpty ? "}" : ",\(members)}")
    return try WireCheck(JSONValue.parse(text.utf8))
  }

  private func map(_ members: String, _ rules: MappingRules = MappingRules()) throws -> PulledChecks {
    CheckMapping(rules).map(CheckSnapshot(checks: [try Self.wire(1, members)]))
  }

  private func one(_ members: String, _ rules: MappingRules = MappingRules()) throws -> MonitoringCheck {
    let pulled = try map(members, rules)
    #expect(pulled.skipped.isEmpty)
    return try #require(pulled.checks.first)
  }

  @Test func nullsTakeTheBackendsDefaults() throws {
    let check = try one(#""check_type":"http","url":"https://shop.test/health""#)
    #expect(check.id == checkID(1))
    #expect(check.name == "Shop http")
    #expect(check.origin == .api)
    #expect(check.post)
    #expect(check.resourceID == checkID(501))
    #expect(check.interval == .seconds(60))
    #expect(check.timeout == .seconds(30))
    #expect(check.retries == 3)
    #expect(check.retryDelay == .seconds(2))
    #expect(check.confirmDelay == .seconds(5))
    guard case .http(let http) = check.kind else {
      Issue.record("an http check is http")
      return
    }
    #expect(http.expect.status == [200...200])
    #expect(http.method == "GET")
    #expect(http.follow)
  }

  @Test(arguments: [("0", 200), ("null", 200), ("204", 204), ("404", 404)])
  func expectedStatusIsOneCode(text: String, code: Int) throws {
    let check = try one(#""check_type":"http","url":"https://a.test/","expected_status_code":\#(text)"#)
    guard case .http(let http) = check.kind else { return }
    #expect(http.expect.status == [code...code])
  }

  @Test func keywordIgnoresTheStatus() throws {
    let present = try one(
      #""check_type":"keyword","url":"https://a.test/","keyword_value":"ok","expected_status_code":500"#)
    let absent = try one(
      #""check_type":"keyword","url":"https://a.test/","keyword_value":"err","keyword_type":"not_contains""#)
    guard case .http(let first) = present.kind, case .http(let second) = absent.kind else { return }
    #expect(first.expect.status.isEmpty)
    #expect(first.expect.bodyContains == ["ok"])
    #expect(second.expect.bodyNotContains == ["err"])
  }

  /// Columns of a former type stay behind with what they held; ip_address may be a name.
  @Test(arguments: [
    (
      #""check_type":"port","ip_address":"db.test","port":5432,"url":"nonsense","keyword_value":"x""#,
      "db.test:5432"
    ),
    (#""check_type":"ping","ip_address":"192.0.2.7""#, "192.0.2.7:80"),
    (#""check_type":"ping","ip_address":"192.0.2.7","port":443"#, "192.0.2.7:443"),
    (#""check_type":"ssl","url":"https://mail.test/x","port":1"#, "mail.test:443"),
    (#""check_type":"ssl","url":"https://mail.test:8443/""#, "mail.test:8443"),
  ])
  func targets(members: String, target: String) throws { #expect(try one(members).target == target) }

  /// The backend's runner stops behind the headers where no keyword is looked for.
  @Test func bodiesAreReadWhereTheFileSaysSo() throws {
    func readBody(_ members: String, _ rules: MappingRules) throws -> Bool? {
      guard case .http(let settings) = try one(members, rules).kind else { return nil }
      return settings.readBody
    }
    let page = #""check_type":"http","url":"https://a.test/""#
    let keyword = #""check_type":"keyword","url":"https://a.test/","keyword_value":"x""#
    var rules = MappingRules()
    #expect(try readBody(page, rules) == false)
    for row in [page + #","http_method":"HEAD""#, keyword] { #expect(try readBody(row, rules) == nil) }
    rules.readBody = true
    #expect(try readBody(page, rules) == nil)
  }

  @Test func pingAsICMPWhereTheFileSaysSo() throws {
    var rules = MappingRules()
    rules.pingICMP = true
    #expect(try one(#""check_type":"ping","ip_address":"192.0.2.7""#, rules).type == .ping)
    #expect(try one(#""check_type":"ping","ip_address":"192.0.2.7""#).type == .tcp)
  }

  @Test(arguments: [
    (#""check_type":"heartbeat""#, "a heartbeat is watched by the backend, which alone hears it"),
    (#""check_type":"azure_metric""#, "only the backend can read azure's data"),
    (#""check_type":"azure_health""#, "only the backend can read azure's data"),
    (#""check_type":"dns","url":"https://a.test/""#, "this agent does not know the type \"dns\""),
    (#""check_type":"http""#, "has no url"), (#""check_type":"port","ip_address":"a.test""#, "has no port"),
    (#""check_type":"port","port":80"#, "has no ip_address"),
    (#""check_type":"ssl","url":"http://a.test/""#, "unsupported: an http url has no certificate"),
    (#""check_type":"keyword","url":"https://a.test/""#, "has no keyword to look for"),
    (
      #""check_type":"keyword","url":"https://a.test/","keyword_value":"x","keyword_type":"regex""#,
      "this agent does not know the keyword type \"regex\""
    ),
    (
      #""check_type":"http","url":"https://user:pw@a.test/""#,
      "url must not contain user info; use auth instead"
    ),
    (
      #""check_type":"http","url":"https://a.test/","http_method":"DELETE""#,
      "the method DELETE is not allowed for checks from the API, only GET and HEAD are"
    ),
    (
      #""check_type":"http","url":"https://a.test/","http_auth_type":"ntlm""#,
      "this agent does not know the authentication \"ntlm\""
    ),
    (#""check_type":"http","url":"https://a.test/","custom_headers":[1]"#, "custom_headers is no object"),
    (#""check_type":"http","url":"https://a.test/","custom_headers":{"X":1}"#, "the header X is no text"),
    (
      #""check_type":"http","url":"https://a.test/","custom_headers":{"Proxy-Foo":"1"}"#,
      "the header Proxy-Foo must not be set"
    ),
    (
      #""check_type":"http","url":"https://a.test/","custom_headers":{"Host":"b"}"#,
      "headers.Host must not be set"
    ),
    (
      #""check_type":"http","url":"https://a.test/","custom_headers":{"Content-Length":"0"}"#,
      "headers.Content-Length must not be set"
    ),
    (
      #""check_type":"http","url":"https://a.test/","custom_headers":{"X":"a\r\nY: b"}"#,
      "headers.X contains a line break, NUL or another control character"
    ),
    (
      #""check_type":"http","url":"https://a.test/","custom_headers":{"X":"a\u0000"}"#,
      "headers.X contains a line break, NUL or another control character"
    ),
    (
      #""check_type":"http","url":"https://a.test/","agent_secrets_missing":true"#,
      "its credentials, its headers or its url's query are not kept on disk; it waits for the next good pull"
    ),
  ])
  func skippedWithTheReason(members: String, reason: String) throws {
    let pulled = try map(members)
    #expect(pulled.checks.isEmpty)
    #expect(pulled.skipped.map(\.what) == [reason])
    #expect(pulled.listed == [checkID(1)])
  }

  @Test func otherMethodsWhereTheFileAllowsThem() throws {
    var rules = MappingRules()
    rules.methods.insert("POST")
    let check = try one(#""check_type":"http","url":"https://a.test/","http_method":"POST""#, rules)
    guard case .http(let http) = check.kind else { return }
    #expect(http.method == "POST")
  }

  @Test func credentialsAndHeaders() throws {
    let basic = try one(
      #""check_type":"http","url":"https://a.test/","http_auth_type":"basic","#
        + #""http_auth_credentials":{"username":"u","password":"p"},"custom_headers":{"X-A":"1","Authorization":"old"}"#
    )
    let bearer = try one(
      #""check_type":"http","url":"https://a.test/","http_auth_type":"bearer","http_auth_credentials":{"token":"t"}"#
    )
    let none = try one(
      #""check_type":"http","url":"https://a.test/","http_auth_type":"none","http_auth_credentials":{"token":"t"}"#
    )
    guard case .http(let first) = basic.kind, case .http(let second) = bearer.kind,
      case .http(let third) = none.kind
    else { return }
    #expect(first.auth == .basic(username: "u", password: Redacted("p")))
    #expect(first.headers == [HeaderField("X-A", "1")])
    #expect(second.auth == .bearer(Redacted("t")))
    #expect(third.auth == nil)
  }

  @Test(
    "A16: whatever is asked, a check never becomes a busy loop",
    arguments: [
      (#""check_interval_seconds":0"#, 10, 10, 2), (#""check_interval_seconds":-5"#, 10, 10, 2),
      (#""check_interval_seconds":1,"timeout_seconds":5"#, 10, 5, 1),
      (#""check_interval_seconds":2147483647"#, 86_400, 30, 1),
      (#""timeout_seconds":0"#, 60, 1, 1), (#""timeout_seconds":300"#, 60, 60, 1),
      (#""check_interval_seconds":30,"timeout_seconds":45"#, 30, 30, 1),
    ])
  func scheduleIsClampedAndSaid(members: String, interval: Int, timeout: Int, warnings: Int) throws {
    let pulled = try map(#""check_type":"port","ip_address":"a.test","port":1,"# + members)
    #expect(pulled.checks.map(\.interval) == [.seconds(interval)])
    #expect(pulled.checks.map(\.timeout) == [.seconds(timeout)])
    #expect(pulled.warnings.count == warnings)
  }

  @Test func doubledNamesGetTheirIDs() throws {
    var checks = try (1...5).map { try Self.wire($0, #""check_type":"port","ip_address":"a","port":1"#) }
    checks[0].type = "ping"
    checks[1].id = UniqueID(high: 0x1234_5678_0000_4000, low: 2)
    checks[2].id = UniqueID(high: 0x9abc_def0_0000_4000, low: 3)
    let pulled = CheckMapping(MappingRules()).map(CheckSnapshot(checks: checks))
    #expect(
      Set(pulled.checks.map(\.name)) == [
        "Shop ping", "Shop port 12345678", "Shop port 9abcdef0", "Shop port \(checkID(4))",
        "Shop port \(checkID(5))",
      ])
  }

  @Test("A14: the same 2,000 whatever order they come in") func limitCutsTheSameChecksAlways() throws {
    let checks = try (1...30).map { try Self.wire($0, #""check_type":"port","ip_address":"a","port":1"#) }
    var rules = MappingRules()
    rules.limit = 20
    let pulled = CheckMapping(rules).map(CheckSnapshot(checks: checks.reversed()))
    #expect(pulled.checks.map(\.id) == (1...20).map(checkID))
    #expect(pulled.skipped.count == 10)
    #expect(pulled.skipped.first?.what == "over the limit of 20 checks (limits.remote_checks)")
    #expect(pulled.listed.count == 30)
  }

  @Test(
    arguments: [
      ([], [], [], 4), ([501], [], [], 1), ([], [2, 3], [], 2), ([], [], ["port"], 1), ([], [], ["tcp"], 2),
      ([], [], ["tls", "http"], 2), ([501], [2], [], 0), ([], [1, 2], ["port"], 1),
    ] as [([Int], [Int], [String], Int)])
  func onlyAndExcept(resources: [Int], checks: [Int], types: [String], kept: Int) throws {
    let list = try [
      Self.wire(1, #""check_type":"http","url":"https://a.test/""#),
      Self.wire(2, #""check_type":"port","ip_address":"a","port":1"#),
      Self.wire(3, #""check_type":"ping","ip_address":"a""#),
      Self.wire(4, #""check_type":"ssl","url":"https://a.test/""#),
    ]
    var filter = CheckFilter()
    filter.resources = resources.map(checkID)
    filter.checks = checks.map(checkID)
    filter.types = types
    var only = MappingRules()
    only.only = filter
    #expect(CheckMapping(only).map(CheckSnapshot(checks: list)).checks.count == kept)
    var except = MappingRules()
    except.except = filter
    let left = CheckMapping(except).map(CheckSnapshot(checks: list))
    let named = Set(list.filter { filter.names($0) }.map(\.id))
    #expect(Set(left.checks.map(\.id)) == Set(list.map(\.id)).subtracting(named))
    #expect(left.filtered == named.count)
  }

  /// As the backend has it: credentials win over a header of that name, and others stay.
  @Test func aTokenWinsOverAHeaderOfThatName() throws {
    let check = try one(
      #""check_type":"http","url":"https://a.test/","http_auth_type":"bearer","#
        + #""http_auth_credentials":{"token":"t"},"custom_headers":{"X-A":"1","AUTHORIZATION":"old"}"#)
    guard case .http(let http) = check.kind else { return }
    #expect(http.headers.map(\.name) == ["X-A"])
    #expect(http.auth == .bearer(Redacted("t")))
  }

  /// What is excepted is not run, also where it is named.
  @Test func exceptWinsOverOnly() throws {
    let list = try (1...3).map { try Self.wire($0, #""check_type":"http","url":"https://a.test/""#) }
    var rules = MappingRules()
    rules.only.checks = [checkID(1), checkID(2)]
    rules.except.checks = [checkID(2)]
    #expect(CheckMapping(rules).map(CheckSnapshot(checks: list)).checks.map(\.id) == [checkID(1)])
  }

  /// The limit keeps the smallest ids, in whatever order the list has them.
  @Test(arguments: [true, false]) func theLimitGoesByTheWholeID(isReversed: Bool) throws {
    var list = try (1...2).map { try Self.wire($0, #""check_type":"http","url":"https://a.test/""#) }
    list[0].id = UniqueID(high: 2, low: 1)
    list[1].id = UniqueID(high: 1, low: 2)
    if isReversed { list.reverse() }
    var rules = MappingRules()
    rules.limit = 1
    let kept = CheckMapping(rules).map(CheckSnapshot(checks: list)).checks
    #expect(kept.map(\.id) == [UniqueID(high: 1, low: 2)])
  }

  @Test func secretsDoNotPrint() throws {
    let secrets = #""http_auth_credentials":{"token":"s3cret"},"custom_headers":{"A":"s3cret"}"#
    let wire = try Self.wire(1, #""check_type":"http",\#(secrets)"#)
    #expect(!"\(wire) \(String(reflecting: wire))".contains("s3cret"))
  }
}
extension CheckFilter {
  // Any match, written out for the four checks above.
  fileprivate func names(_ wire: WireCheck) -> Bool {
    let words = [
      "http": ["http"], "port": ["port", "tcp"], "ping": ["ping", "tcp"], "ssl": ["ssl", "tls"],
    ]
    let isOfType = types.contains { words[wire.type]?.contains($0) ?? false }
    return isOfType || resources.contains(wire.resourceID) || checks.contains(wire.id)
  }
}
