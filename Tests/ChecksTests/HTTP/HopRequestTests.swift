// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network
import Testing

@testable import Checks

/// What of a check goes along with a redirect, hop by hop, without a server.
@Suite struct HopRequestTests {
  /// The requests of the hops: the check's own, then one for each location.
  private func requests(_ locations: [String]) throws -> [TransferRequest] {
    try requests(locations) {
      $0.tls.caFile = "/ca.pem"
      $0.tls.serverName = "inner.test"
      $0.tls.maxVersion = "1.2"
      $0.tls.clientCertificate = "/client.pem"
      $0.tls.clientKey = "/client.key"
      $0.auth.bearer = Redacted("canary")
      $0.headers = [("X-Key", Redacted("canary"))]
    }
  }

  private func requests(
    _ locations: [String], status: Int = 302, of change: (inout CheckDefinition) -> Void
  ) throws -> [TransferRequest] {
    let check = try httpCheck("https://good.test/start", change)
    guard case .http(let settings) = check.kind else { throw WrongKind() }
    let finder = TargetFinder(resolver: NameTable(), policy: EgressPolicy())
    let plan = HTTPPlan(
      Attempt(of: check, until: .now + .seconds(5)), settings, finder: finder, userAgent: "test")
    var (step, rule) = (HTTPStep(settings), RedirectRule(settings))
    var requests = [step.request(plan)]
    for location in locations {
      guard case .follow(let next) = rule.decide(after: step, status: status, location: location) else {
        throw WrongKind()
      }
      step = next
      requests.append(step.request(plan))
    }
    return requests
  }

  private func names(_ request: TransferRequest) -> [String] { request.headers.map { $0.name.lowercased() } }

  /// On its own origin a check is what it says it is.
  @Test func theOwnOriginGetsAll() throws {
    for request in try requests(["/next", "https://good.test:443/again"]) {
      #expect(request.tls.clientCertificate == "/client.pem")
      #expect(request.tls.clientKey == "/client.key")
      #expect(request.tls.serverName == "inner.test")
      #expect(names(request).contains("authorization") && names(request).contains("x-key"))
    }
  }

  /// Neither an empty port (RFC 3986 section 3.2.3) nor user information makes another origin of it, and neither is sent.
  @Test(arguments: [
    "https://good.test:/next", "//good.test:/next", "https://user:pw@good.test/next",
    "//user@good.test:/next",
  ]) func formsOfTheOwnOrigin(location: String) throws {
    let hop = try #require(try requests([location]).last)
    #expect(hop.url == "https://good.test/next")
    #expect(hop.headers.map { "\($0.name): \($0.value.reveal())" }.contains("X-Key: canary"))
    #expect(
      hop.headers.filter { $0.name.lowercased() == "authorization" }.map { $0.value.reveal() } == [
        "Bearer canary"
      ])
  }

  /// Another origin gets no credential: no client certificate, no header, and no name that was meant for the first.
  @Test(arguments: ["https://other.test/", "https://other.test:8443/", "//other.test/x"])
  func anotherOriginGetsNoCredential(location: String) throws {
    let hop = try #require(try requests([location]).last)
    #expect(hop.tls.clientCertificate == nil)
    #expect(hop.tls.clientKey == nil)
    #expect(hop.tls.serverName == nil)
    #expect(names(hop) == ["user-agent"])
  }

  /// Another port is another origin; the name in its certificate is still that of the check's host.
  @Test func anotherPortGetsTheNameAndNoCredential() throws {
    let hop = try #require(try requests(["https://good.test:8443/"]).last)
    #expect(hop.tls.clientCertificate == nil && hop.tls.clientKey == nil)
    #expect(hop.tls.serverName == "inner.test")
    #expect(names(hop) == ["user-agent"])
  }

  /// Who was led away does not become trusted by leading back.
  @Test func theWayBackGetsNoCredential() throws {
    let hop = try #require(try requests(["https://other.test/", "https://good.test/back"]).last)
    #expect(hop.tls.clientCertificate == nil && hop.tls.clientKey == nil)
    #expect(names(hop) == ["user-agent"])
  }

  /// Whom the check trusts and what it speaks holds for every hop: they give nothing away.
  @Test func trustAndVersionsHoldForEveryHop() throws {
    for request in try requests(["/next", "https://other.test/", "https://good.test/back"]) {
      #expect(request.tls.caFile == "/ca.pem")
      #expect(request.tls.maximumVersion == .v12)
      #expect(request.tls.verify)
    }
    let unjudged = try requests(["https://other.test/"]) { $0.tls.verify = false }
    #expect(unjudged.map(\.tls.verify) == [false, false])
  }

  /// A redirect from https to http is not followed, at the first hop or at a later one.
  @Test(arguments: [
    ["http://good.test/"], ["/next", "http://good.test/"], ["https://other.test/", "http://other.test/"],
  ])
  func noHopLeavesEncryption(locations: [String]) throws {
    #expect(throws: WrongKind.self) { try requests(locations) }
    let allowed = try requests(locations) { $0.http.allowDowngrade = true }
    #expect(allowed.last?.url.hasPrefix("http://") == true)
  }

  /// What a 307 or a 308 would have sent once more stays with its origin.
  @Test(arguments: [307, 308]) func aBodyStaysWithItsOrigin(status: Int) throws {
    let post: (inout CheckDefinition) -> Void = {
      $0.method = "POST"
      $0.http.body = Redacted("payload")
    }
    let own = try requests(["/next"], status: status, of: post)
    #expect(own.map(\.body) == [Array("payload".utf8), Array("payload".utf8)])
    #expect(throws: WrongKind.self) { try requests(["https://other.test/"], status: status, of: post) }
    #expect(throws: WrongKind.self) { try requests(["https://good.test:8443/"], status: status, of: post) }
  }

  /// The usual redirect to https of the same host, by a server that wants the request once more.
  @Test(arguments: [307, 308]) func aBodyGoesAlongToHTTPSOfItsHost(status: Int) throws {
    let post: (inout CheckDefinition) -> Void = {
      $0.url = "http://good.test/start"
      $0.method = "POST"
      $0.http.body = Redacted("payload")
      ($0.auth.basic.username, $0.auth.basic.password) = ("user", Redacted("canary"))
      $0.headers = [
        ("Content-Type", Redacted("text/x-test")), ("X-Key", Redacted("canary")),
        ("User-Agent", Redacted("own")),
      ]
    }
    let hop = try #require(try requests(["https://good.test/start"], status: status, of: post).last)
    #expect(hop.method == "POST" && hop.body == Array("payload".utf8))
    // What describes the body, and no credential.
    #expect(names(hop) == ["content-type", "user-agent"])
    #expect(hop.headers.map { $0.value.reveal() } == ["text/x-test", "own"])
    for other in ["https://other.test/", "https://www.good.test/", "http://good.test:81/"] {
      #expect(throws: WrongKind.self) { try requests([other], status: status, of: post) }
    }
    // Never back.
    #expect(throws: WrongKind.self) {
      try requests(["https://good.test/", "https://other.test/"], status: status, of: post)
    }
  }

  /// Who the check says it is, is no credential, and is meant for its own host.
  @Test func theAgentStaysOnItsHost() throws {
    let hops = try requests(["https://good.test:8443/", "https://other.test/", "https://good.test/"]) {
      $0.headers = [("user-agent", Redacted("own")), ("X-Key", Redacted("canary"))]
    }
    #expect(
      hops.map { $0.headers.map { "\($0.name): \($0.value.reveal())" } } == [
        ["user-agent: own", "X-Key: canary"], ["user-agent: own"], ["User-Agent: test"], ["User-Agent: test"],
      ])
  }
}
