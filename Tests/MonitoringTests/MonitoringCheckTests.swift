// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// What a definition becomes when nothing is wrong with it.
struct MonitoringCheckTests {
  /// Every default of docs/checks.md.
  @Test func httpDefaults() throws {
    let check = try MonitoringCheck(.http())
    #expect(check.enabled && !check.post && check.tags.isEmpty && check.resourceID == nil)
    #expect(check.interval == .seconds(60) && check.timeout == .seconds(10))
    #expect(check.retries == 1 && check.retryDelay == .seconds(2) && check.confirmDelay == .zero)
    #expect(check.failureThreshold == 1 && check.plan.intervalFailing == nil && check.plan.trace)
    #expect(check.ip == .any && check.responseTime == Thresholds() && check.type == .http)
    guard case .http(let http) = check.kind else {
      Issue.record("not an http check")
      return
    }
    #expect(http.method == "GET" && http.follow && http.maxRedirects == 10 && !http.allowDowngrade)
    #expect(http.maxBody == 1_048_576 && http.tls == TLSOptions() && http.auth == nil && http.body == nil)
    #expect(http.expect == HTTPExpectations())
  }

  @Test func defaultTimeoutNeverExceedsInterval() throws {
    var definition = CheckDefinition.http()
    definition.interval = .seconds(3)
    #expect(try MonitoringCheck(definition).timeout == .seconds(3))
  }

  /// The id of a name is a promise: it ties a check to its history on every machine.
  @Test func derivedIDIsFixed() throws {
    let check = try MonitoringCheck(.http())
    #expect(check.id.description == "e8695924-c804-5d61-b8e5-290b1d8e600a")
    #expect(check.id == MonitoringCheck.derivedID(name: "Shop front"))
    #expect(check.id != MonitoringCheck.derivedID(name: "Shop front "))
  }

  @Test func givenIDWins() throws {
    var definition = CheckDefinition.http()
    definition.id = "0B8F1C9E-3D52-4A7B-8C11-5E6F7A8B9C0D"
    #expect(try MonitoringCheck(definition).id.description == "0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d")
  }

  @Test func renamedKeepsEverythingElse() throws {
    var definition = CheckDefinition.http()
    definition.tags = ["web"]
    definition.interval = .seconds(5)
    let check = try MonitoringCheck(definition)
    let renamed = check.renamed("Other")
    #expect(renamed.name == "Other" && renamed.id == check.id && renamed != check)
    #expect(renamed.renamed(check.name) == check)
  }

  @Test func tcpNeedsHostAndPort() throws {
    let check = try MonitoringCheck(.tcp(host: "db.internal", port: 5432))
    guard case .tcp(let tcp) = check.kind else {
      Issue.record("not a tcp check")
      return
    }
    #expect(tcp.host == "db.internal" && tcp.port == 5432)
    #expect(check.target == "db.internal:5432")
  }

  @Test func tlsDefaults() throws {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host) = ("Mail", "tls", "mail.example")
    let check = try MonitoringCheck(definition)
    guard case .tls(let tls) = check.kind else {
      Issue.record("not a tls check")
      return
    }
    #expect(tls.port == 443 && tls.options.verify)
    #expect(tls.certificate == Thresholds(warn: .seconds(21 * 86_400), fail: .zero))
  }

  /// A fail threshold beyond the default warn threshold leaves nothing to warn about.
  @Test func certificateFailAloneMovesNoWarning() throws {
    var definition = CheckDefinition.http()
    definition.expect.certificate.fail = .seconds(30 * 86_400)
    guard case .http(let http) = try MonitoringCheck(definition).kind else { return }
    #expect(http.expect.certificateDays == Thresholds(warn: nil, fail: .seconds(30 * 86_400)))
  }

  @Test func pingDefaults() throws {
    guard case .ping(let ping) = try MonitoringCheck(.ping(host: "192.0.2.1")).kind else {
      Issue.record("not a ping check")
      return
    }
    #expect(ping.count == 4 && ping.packetInterval == .milliseconds(200) && ping.size == 56)
    #expect(ping.loss == Thresholds() && ping.rtt == Thresholds())
  }

  @Test func dnsDefaultsAndCase() throws {
    var definition = CheckDefinition.dns(name: "example.com")
    var check = try MonitoringCheck(definition)
    guard case .dns(let plain) = check.kind else {
      Issue.record("not a dns check")
      return
    }
    #expect(
      plain.server == nil && plain.recordType == "A" && plain.recursion && plain.expect.rcodes == ["NOERROR"])
    #expect(check.target == "system/example.com A")
    definition.queryType = "aaaa"
    definition.expect.rcodes = ["nxdomain", "NOERROR"]
    definition.expect.answersAny = ["2001:DB8:0::1"]
    check = try MonitoringCheck(definition)
    guard case .dns(let dns) = check.kind else { return }
    #expect(dns.recordType == "AAAA" && dns.expect.rcodes == ["NXDOMAIN", "NOERROR"])
    #expect(dns.expect.answersAny == [Condition(.equal, "2001:db8::1")])
  }

  @Test(arguments: [
    ("192.0.2.53", "192.0.2.53:53"), ("ns1.example:5353", "ns1.example:5353"),
    ("2001:db8::53", "[2001:db8::53]:53"),
    ("[2001:db8::53]:5353", "[2001:db8::53]:5353"), ("[::1]", "[::1]:53"),
  ])
  func dnsServerForms(text: String, expected: String) throws {
    var definition = CheckDefinition.dns(name: "example.com")
    definition.server = text
    guard case .dns(let dns) = try MonitoringCheck(definition).kind else { return }
    #expect(dns.server?.description == expected)
  }

  @Test func statusRanges() throws {
    var definition = CheckDefinition.http()
    definition.expect.status = ["200-299", "301"]
    guard case .http(let some) = try MonitoringCheck(definition).kind else { return }
    #expect(some.expect.status == [200...299, 301...301])
    definition.expect.status = []
    guard case .http(let any) = try MonitoringCheck(definition).kind else { return }
    #expect(any.expect.status.isEmpty)
  }

  /// Values at the edge of what is refused are taken.
  @Test func edgesAreTaken() throws {
    var definition = CheckDefinition.http()
    definition.expect.status = ["100", "599", "100-599"]
    definition.intervalFailing = .seconds(60)
    (definition.ip, definition.sourceAddress) = ("4", "192.0.2.7")
    (definition.tls.minVersion, definition.tls.maxVersion) = ("1.3", "1.3")
    definition.interval = .seconds(60)
    guard case .http(let http) = try MonitoringCheck(definition).kind else {
      Issue.record("not an http check")
      return
    }
    #expect(http.expect.status == [100...100, 599...599, 100...599])
    #expect(http.tls.minimumVersion == .v13 && http.tls.maximumVersion == .v13)
    definition.tls.minVersion = nil
    for version in ["1.2", "1.3"] {
      definition.tls.maxVersion = version
      #expect(throws: Never.self) { try MonitoringCheck(definition) }
    }
    definition.sourceAddress = "2001:db8::7"
    definition.ip = "6"
    #expect(throws: Never.self) { try MonitoringCheck(definition) }
    definition.ip = nil
    #expect(throws: Never.self) { try MonitoringCheck(definition) }
  }

  /// Types of records by number: from 1 to 65535, but for those of the wire itself, and without leading zeros.
  @Test(
    arguments: [
      ("TYPE1", true), ("TYPE0", false), ("TYPE01", false), ("TYPE40", true), ("TYPE41", false),
      ("TYPE42", true),
      ("TYPE248", true), ("TYPE249", false), ("TYPE255", false), ("TYPE256", true), ("TYPE65535", true),
      ("TYPE65536", false), ("TYPE", false), ("TYPE+1", false), ("HTTPS", true), ("ANY", false),
    ])
  func recordTypes(type: String, isTaken: Bool) {
    var definition = CheckDefinition.dns(name: "example.com")
    definition.queryType = type
    #expect(((try? MonitoringCheck(definition)) != nil) == isTaken)
  }

  /// A colon ends the name of Basic, and is one of the characters of Digest's.
  @Test func aColonInADigestsName() throws {
    var definition = CheckDefinition.http()
    (definition.auth.digest.username, definition.auth.digest.password) = ("a:b", Redacted("p"))
    guard case .http(let http) = try MonitoringCheck(definition).kind else { return }
    #expect(http.auth == .digest(username: "a:b", password: Redacted("p")))
  }

  /// What a filter of the API's checks names, and that it names nothing.
  @Test func emptyFilters() {
    #expect(CheckFilter().isEmpty)
    let paths: [WritableKeyPath<CheckFilter, [UniqueID]>] = [\.resources, \.checks]
    for path in paths {
      var filter = CheckFilter()
      filter[keyPath: path] = [UniqueID(high: 1, low: 1)]
      #expect(!filter.isEmpty)
    }
    var filter = CheckFilter()
    filter.types = ["http"]
    #expect(!filter.isEmpty)
  }

  /// Each condition on a body's text needs the body.
  @Test func whatNeedsTheBody() {
    let paths: [WritableKeyPath<HTTPExpectations, [String]>] = [
      \.bodyContains, \.bodyNotContains, \.bodyMatches, \.bodyNotMatches,
    ]
    #expect(!HTTPExpectations().needsBody)
    for path in paths {
      var expect = HTTPExpectations()
      expect[keyPath: path] = ["x"]
      #expect(expect.needsBody, "\(path)")
    }
  }

  /// Each option of TLS has no effect where a name is asked for without it.
  @Test(arguments: 0..<8) func optionsOfTLSWithoutTLS(_ number: Int) throws {
    var definition = CheckDefinition.dns(name: "example.com")
    #expect(throws: Never.self) { try MonitoringCheck(definition) }
    switch number {
    case 0: definition.tls.caFile = "/ca.pem"
    case 1: definition.tls.serverName = "a.example"
    case 2: definition.tls.verify = true
    case 3: definition.tls.minVersion = "1.2"
    case 4: definition.tls.maxVersion = "1.3"
    case 5: definition.tls.both = true
    case 6: definition.tls.clientCertificate = "/c.pem"
    default: definition.tls.clientKey = "/k.pem"
    }
    let error = try #require(throws: InvalidCheck.self) { try MonitoringCheck(definition) }
    #expect(error.problems.contains { $0.path == ["tls"] })
  }

  /// An operator alone is a literal, and one with something glued to it is refused.
  @Test(
    arguments: [
      (">", true), ("<", true), ("> 5", true), ("<= 5", true), ("<=", true), (">=", true), (">5", false),
      ("<5", false), (">=5", false),
      ("!=5", false),
    ])
  func operators(text: String, isTaken: Bool) {
    var definition = CheckDefinition.http()
    definition.expect.headers = [(name: "X-A", condition: text)]
    #expect(((try? MonitoringCheck(definition)) != nil) == isTaken)
  }

  /// The backend fills both columns for every check; there the delay is merely unused.
  @Test func apiMayConfirmWithoutRetries() throws {
    var definition = CheckDefinition.http()
    definition.origin = .api
    definition.retries = 0
    definition.confirmDelay = .seconds(5)
    #expect(try MonitoringCheck(definition).confirmDelay == .seconds(5))
  }

  @Test func credentialsAreKept() throws {
    var definition = CheckDefinition.http()
    definition.auth.basic.username = "probe"
    definition.auth.basic.password = Redacted("s3cret")
    guard case .http(let http) = try MonitoringCheck(definition).kind else { return }
    #expect(http.auth == .basic(username: "probe", password: Redacted("s3cret")))
    #expect(!"\(http)".contains("s3cret"))
  }
}

extension CheckDefinition {
  static func http(_ url: String = "https://shop.example/health") -> CheckDefinition {
    var definition = CheckDefinition()
    definition.name = "Shop front"
    definition.type = "http"
    definition.url = url
    return definition
  }

  static func tcp(host: String, port: Int) -> CheckDefinition {
    var definition = CheckDefinition()
    definition.name = "Database"
    definition.type = "tcp"
    definition.host = host
    definition.port = port
    return definition
  }

  static func dns(name: String) -> CheckDefinition {
    var definition = CheckDefinition()
    definition.name = "Zone"
    definition.type = "dns"
    definition.queryName = name
    return definition
  }

  static func ping(host: String) -> CheckDefinition {
    var definition = CheckDefinition()
    definition.name = "Router"
    definition.type = "ping"
    definition.host = host
    return definition
  }
}
