// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks

/// Whose token a check may use: tokens are shared by what is the same in every respect, and by nothing else.
@Suite(.timeLimit(.minutes(1))) struct TokenSharingTests {
  private static let start = Instant.now

  private func check(_ change: (inout CheckDefinition) -> Void = { _ in }) throws -> MonitoringCheck {
    try httpCheck("https://good.test/") {
      var oauth2 = OAuth2Definition()
      oauth2.tokenURL = "https://127.0.0.1:1/token"
      oauth2.clientID = "id"
      oauth2.clientSecret = Redacted("secret")
      oauth2.scopes = ["read"]
      $0.auth.oauth2 = oauth2
      $0.tls.caFile = "/etc/ssl/own.pem"
      change(&$0)
    }
  }

  /// The token an attempt of that check gets from the cache; a resolver that knows nothing keeps it from fetching one.
  private func token(for check: MonitoringCheck, in cache: TokenCache) async throws -> String? {
    try await withCurlEngine { engine in
      try await token(for: check, in: cache, by: PinnedTransfer(engine: engine, reactor: try Reactor()))
    }
  }

  private func token(
    for check: MonitoringCheck, in cache: TokenCache, by transfer: PinnedTransfer
  ) async throws -> String? {
    guard case .http(let settings) = check.kind, case .oauth2(let oauth2) = settings.auth else {
      throw WrongKind()
    }
    let finder = TargetFinder(resolver: NameTable(), policy: EgressPolicy())
    let plan = HTTPPlan(
      Attempt(of: check, until: .now + .seconds(5)), settings, finder: finder, userAgent: "test")
    let fetch = TokenFetch(
      cache: cache, transfer: transfer, route: HTTPRoute(plan: plan), settings: settings, oauth2: oauth2,
      userAgent: "test")
    var token: String?
    var time = AttemptTime(until: .now + .seconds(5))
    _ = try await fetch.renew(&token, within: &time)
    return token
  }

  private func key(of check: MonitoringCheck) throws -> TokenCache.Key {
    guard case .http(let settings) = check.kind, case .oauth2(let oauth2) = settings.auth else {
      throw WrongKind()
    }
    return TokenCache.Key(
      settings: oauth2, origin: check.origin, tls: TLSOptions(caFile: settings.tls.caFile),
      proxy: settings.proxy)
  }

  /// A stranger's check that names the same endpoint and the same client does not get the administrator's token.
  @Test func aStrangersCheckGetsNoTokenOfTheAdministrators() async throws {
    let cache = TokenCache()
    let own = try check()
    cache.keep("canary", for: try key(of: own), lifetime: .seconds(3600))
    #expect(try await token(for: own, in: cache) == "canary")
    let stranger = try check { $0.origin = .api }
    #expect(try await token(for: stranger, in: cache) == nil)
  }

  /// Nor does a check that trusts other authorities, takes another way or asks for other rights.
  @Test(arguments: ["authorities", "version", "proxy", "scopes", "client", "secret", "endpoint"])
  func whatDiffersInAnythingSharesNothing(what: String) async throws {
    let cache = TokenCache()
    cache.keep("canary", for: try key(of: try check()), lifetime: .seconds(3600))
    let other = try check {
      switch what {
      case "authorities": $0.tls.caFile = nil
      case "version": $0.tls.maxVersion = "1.2"
      case "proxy": $0.proxy = Redacted("http://127.0.0.1:1")
      case "scopes": $0.auth.oauth2?.scopes = ["write"]
      case "client": $0.auth.oauth2?.clientID = "another"
      case "secret": $0.auth.oauth2?.clientSecret = Redacted("another")
      default: $0.auth.oauth2?.tokenURL = "https://127.0.0.1:1/other"
      }
    }
    #expect(try await token(for: other, in: cache) == nil)
  }

  /// The check's name for the certificate and its own certificate are for the target: they are no part of a token.
  @Test func aNameForTheTargetAloneIsShared() async throws {
    let cache = TokenCache()
    cache.keep("canary", for: try key(of: try check()), lifetime: .seconds(3600))
    let named = try check { $0.tls.serverName = "other.test" }
    #expect(try await token(for: named, in: cache) == "canary")
  }

  /// Strangers' checks fill no memory with tokens: those that ran out go first, then the one that runs out next, and the
  /// newest is there.
  @Test func tokensHaveACap() throws {
    let cache = TokenCache()
    func key(_ number: Int) throws -> TokenCache.Key {
      try self.key(of: try check { $0.auth.oauth2?.clientID = "client-\(number)" })
    }
    let (start, later) = (Self.start, Self.start + .seconds(200))
    let keys = try (0..<2049).map(key)
    cache.keep("first", for: keys[0], lifetime: .seconds(3600), at: start)
    for number in 1..<1024 { cache.keep("t", for: keys[number], lifetime: .seconds(100), at: start) }
    cache.keep("next", for: keys[1024], lifetime: .seconds(3600), at: later)
    #expect(
      cache.token(for: keys[0], at: later) == "first" && cache.token(for: keys[1024], at: later) == "next")
    for number in 1025..<2048 { cache.keep("t", for: keys[number], lifetime: .seconds(3600), at: later) }
    #expect(cache.token(for: keys[0], at: later) == nil, "the cap was reached")
    #expect(
      cache.token(for: keys[1024], at: later) == "next" && cache.token(for: keys[2047], at: later) == "t")
    cache.keep("more", for: keys[2048], lifetime: .seconds(3600), at: later)
    let kept = keys.filter { cache.token(for: $0, at: later) != nil }
    #expect(kept.count == 1024)
    // Those of the API push out none of the file's.
    for var key in keys {
      key.origin = .api
      cache.keep("theirs", for: key, lifetime: .seconds(7200), at: later)
    }
    #expect(keys.filter { cache.token(for: $0, at: later) != nil } == kept)
  }

  /// A token serves for four fifths of its life.
  @Test func aTokenIsForgottenBeforeItRunsOut() throws {
    let (cache, key) = (TokenCache(), try key(of: try check()))
    cache.keep("canary", for: key, lifetime: .seconds(100), at: Self.start)
    #expect(cache.token(for: key, at: Self.start + .milliseconds(79_999)) == "canary")
    #expect(cache.token(for: key, at: Self.start + .seconds(80)) == nil)
  }

  /// A token whose life the server does not tell is not kept.
  @Test func aTokenWithoutALifeIsNotKept() throws {
    let (cache, key) = (TokenCache(), try key(of: try check()))
    cache.keep("canary", for: key, lifetime: nil, at: Self.start)
    #expect(cache.token(for: key, at: Self.start) == nil)
  }

  /// A refusal of one token does not drop another one that was fetched meanwhile.
  @Test func onlyTheRefusedTokenIsDropped() throws {
    let (cache, key) = (TokenCache(), try key(of: try check()))
    cache.keep("new", for: key, lifetime: .seconds(100), at: Self.start)
    cache.drop("old", for: key)
    #expect(cache.token(for: key, at: Self.start) == "new")
    cache.drop("new", for: key)
    #expect(cache.token(for: key, at: Self.start) == nil)
  }

  /// However many checks there are, no more than 1024 tokens are kept, and those that ran out go first.
  @Test func theMemoryForTokensIsBounded() throws {
    let cache = TokenCache()
    func key(_ number: Int) throws -> TokenCache.Key {
      try self.key(of: check { $0.auth.oauth2?.clientID = "\(number)" })
    }
    cache.keep("lasting", for: try key(0), lifetime: .seconds(10_000), at: Self.start)
    for number in 1..<1024 {
      cache.keep("short", for: try key(number), lifetime: .seconds(10), at: Self.start)
    }
    let later = Self.start + .seconds(60)
    cache.keep("fresh", for: try key(1024), lifetime: .seconds(10_000), at: later)
    #expect(cache.token(for: try key(0), at: later) == "lasting")
    #expect(cache.token(for: try key(1024), at: later) == "fresh")
    #expect(cache.token(for: try key(1), at: Self.start) == nil)
  }
}
