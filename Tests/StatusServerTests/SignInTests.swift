// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import NIOHTTP1
import StatusSupport
import TestSupport
import Testing
@testable import Status
@testable import StatusServer

/// Signing in: a token once, then a cookie.
@Suite struct SignInTests {
  private let access = StatusAccess(
    runNowToken: Redacted("run-0123456789"), readToken: Redacted("read-0123456789"))

  private func cookie(_ answer: SignInDesk.Answer) throws -> String {
    guard case .welcome(_, let cookie) = answer else { throw POSIXFailure("no welcome", 0) }
    return "\(SignInDesk.cookie)=\(cookie)"
  }

  @Test func theCookieIsWhatTheTokenMayDo() throws {
    let desk = SignInDesk(access)
    let run = try cookie(desk.signIn("run-0123456789", name: "anna", from: "a", now: now))
    let read = try cookie(desk.signIn("read-0123456789", name: "", from: "a", now: now))
    #expect(desk.person("x=1; \(run); y=2", now: now) == .init(name: "anna", mayAct: true))
    #expect(desk.person(read, now: now) == .init(name: nil, mayAct: false))
    // It holds after a restart, for its time, and with the same token alone.
    #expect(SignInDesk(access).person(run, now: now.advanced(by: SignInDesk.lifetime - .seconds(1))) != nil)
    #expect(desk.person(run, now: now.advanced(by: SignInDesk.lifetime)) == nil)
    #expect(SignInDesk(StatusAccess(runNowToken: Redacted("another-token"))).person(run, now: now) == nil)
    // Nothing of it can be changed.
    #expect(desk.person(read.replacingOccurrences(of: ".read.", with: ".act."), now: now) == nil)
    let name = Base16.text(Array("anna".utf8))
    #expect(run.contains(name))
    #expect(
      desk.person(run.replacingOccurrences(of: name, with: Base16.text(Array("bert".utf8))), now: now) == nil)
    for junk in [
      "", "quartz_session=", "quartz_session=1.act..x.00", "quartz_session=....", "quartz_session",
    ] {
      #expect(desk.person(junk, now: now) == nil, "\(junk)")
    }
  }

  /// A cookie from before TLS, or of another token, does not hide the valid one, and signing out ends each.
  @Test func anOldCookieBesideTheValidOne() throws {
    let desk = SignInDesk(access)
    let value = try cookie(desk.signIn("run-0123456789", name: "anna", from: "a", now: now))
    let (secure, old) = ("__Host-\(value)", "\(SignInDesk.cookie)=1.act..x.00")
    let anna = SignedInPerson(name: "anna", mayAct: true)
    for header in ["\(old); \(secure)", "\(secure); \(old)", "\(old); \(value)", "\(value); \(old)"] {
      #expect(desk.person(header, now: now) == anna, "\(header)")
    }
    desk.end("\(old); \(secure)", now: now)
    #expect(desk.person(secure, now: now) == nil)
  }

  @Test func whoSignedOutIsNotKnownAnyMore() throws {
    let desk = SignInDesk(access)
    let mine = try cookie(desk.signIn("run-0123456789", name: "", from: "a", now: now))
    let other = try cookie(desk.signIn("run-0123456789", name: "", from: "a", now: now))
    desk.end(mine, now: now)
    #expect(desk.person(mine, now: now) == nil && desk.person(other, now: now) != nil)
  }

  /// A thousand cookies are kept as signed out, and one more takes the place of the oldest.
  @Test func signedOutIsKept() throws {
    let desk = SignInDesk(access)
    let cookies = try (0..<1001).map { _ in
      try cookie(desk.signIn("run-0123456789", name: "", from: "a", now: now))
    }
    func known() -> [Int] { cookies.indices.filter { desk.person(cookies[$0], now: now) != nil } }
    for (second, cookie) in cookies.prefix(1000).enumerated() {
      desk.end(cookie, now: now.advanced(by: .seconds(second)))
    }
    #expect(known() == [1000])
    desk.end(cookies[1000], now: now.advanced(by: .seconds(1000)))
    #expect(known() == [0])
  }

  /// Five wrong tokens from an address, then a minute without; others still get in, and so does the right one later.
  @Test func guessingIsSlow() {
    let desk = SignInDesk(access)
    let answers = (0..<7).map { second in
      desk.signIn("wrong", name: "", from: "a", now: now.advanced(by: .seconds(Int64(second))))
    }
    #expect(answers == Array(repeating: .wrong, count: 5) + [.later(55), .later(54)])
    #expect(
      desk.signIn("run-0123456789", name: "", from: "a", now: now.advanced(by: .seconds(7))) == .later(53))
    guard
      case .welcome = desk.signIn("run-0123456789", name: "", from: "b", now: now.advanced(by: .seconds(7)))
    else {
      Issue.record("another address waits")
      return
    }
    guard
      case .welcome = desk.signIn("run-0123456789", name: "", from: "a", now: now.advanced(by: .seconds(61)))
    else {
      Issue.record("still refused after a minute")
      return
    }
  }

  /// Who guesses from many places does not keep out the one who has the token; the table of them is bounded.
  @Test func guessesFromManyPlacesHoldUpTheirOwn() throws {
    let desk = SignInDesk(access)
    for place in 0..<50 {
      #expect(desk.signIn("wrong", name: "", from: "\(place)", now: now) == .wrong)
    }
    #expect(desk.signIn("wrong", name: "", from: "7", now: now) == .later(60))
    #expect(throws: Never.self) {
      try cookie(desk.signIn("run-0123456789", name: "", from: "mine", now: now))
    }
    for place in 50..<1000 {
      let then = now.advanced(by: .seconds(1) + .microseconds(place))
      #expect(desk.signIn("wrong", name: "", from: "\(place)", now: then) == .wrong)
    }
    // Of so many the oldest are forgotten: this one has a try again, and one alone.
    let later = now.advanced(by: .seconds(2))
    #expect(desk.signIn("wrong", name: "", from: "7", now: later) == .wrong)
    #expect(desk.signIn("wrong", name: "", from: "7", now: later) == .later(60))
    #expect(desk.signIn("wrong", name: "", from: "999", now: later) == .later(60))
  }

  /// Another address of the same network of 64 bits is no other origin.
  @Test func addressesOfOneNetworkGuessAsOne() throws {
    var routes = Routes(
      source: try sampleSource(), hosts: AllowedHosts(listen: .tcp(host: "127.0.0.1", port: 1)))
    routes.signIn = SignInDesk(access)
    func guess(from address: String) -> Int {
      var request = StatusRequest(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/sign-in"))
      (request.body, request.remote) = (Array("token=wrong&back=%2F".utf8), IPAddress(address))
      return routes.signedIn(request).status
    }
    #expect((1...6).map { guess(from: "2001:db8::\($0)") } == [401, 401, 401, 401, 401, 429])
    #expect(guess(from: "2001:db8:0:1::1") == 401 && guess(from: "192.0.2.1") == 401)
  }

  private func post(_ address: ListenAddress, _ target: String, _ body: String, _ headers: String = "")
    async throws
    -> RawResponse
  {
    try await exchange(
      address,
      "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\(headers)Connection: close\r\n\r\n\(body)")
  }

  /// A person without leave gets the page to sign in on, and nothing about the agent; with the cookie, the page.
  @Test func signingInOpensThePage() async throws {
    var source = try sampleSource()
    source.access = access
    source.token = access.runNowToken
    try await withServer(source) { address in
      let ask = "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nConnection: close\r\n"
      let asked = try await exchange(address, ask + "\r\n")
      #expect(asked.status == 401 && asked.body.contains("action=\"/sign-in\""))
      #expect(!asked.body.contains("london-1") && asked.header("WWW-Authenticate") == nil)
      let wrong = try await post(address, "/sign-in", "token=wrong&back=%2F")
      #expect(wrong.status == 401 && wrong.header("Set-Cookie") == nil)
      let foreign = try await post(
        address, "/sign-in", "token=run-0123456789", "Sec-Fetch-Site: cross-site\r\n")
      #expect(foreign.status == 403 && foreign.header("Set-Cookie") == nil)
      let elsewhere = try await post(
        address, "/sign-in", "token=run-0123456789", "Origin: http://evil.example\r\n")
      #expect(elsewhere.status == 403)
      let done = try await post(
        address, "/sign-in", "token=run-0123456789&name=anna&back=%2F%3Fstate%3Ddown",
        "Origin: http://localhost\r\nSec-Fetch-Site: same-origin\r\n")
      #expect(done.status == 303 && done.header("Location") == "/?state=down")
      let cookie = try #require(done.header("Set-Cookie"))
      #expect(cookie.hasSuffix("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict"))
      let value = String(cookie.prefix { $0 != ";" })
      let page = try await exchange(address, ask + "Cookie: \(value)\r\n\r\n")
      #expect(page.status == 200 && page.body.contains("london-1") && !page.body.contains("run-0123456789"))
      // What programs do still takes the token itself.
      let order = try await post(
        address, "/api/v1/mutes?target=all&for=1h", "", "Cookie: \(value)\r\n")
      #expect(order.status == 401)
      let out = try await post(address, "/sign-out", "", "Cookie: \(value)\r\n")
      #expect(out.header("Set-Cookie")?.contains("Max-Age=0") == true)
      #expect(try await exchange(address, ask + "Cookie: \(value)\r\n\r\n").status == 401)
    }
  }

  @Test func behindTLSTheCookieGoesOverTLSAlone() async throws {
    var source = try sampleSource()
    source.token = access.runNowToken
    try await withServer(source) { address in
      let done = try await post(address, "/sign-in", "token=run-0123456789", "X-Forwarded-Proto: https\r\n")
      let cookie = try #require(done.header("Set-Cookie"))
      #expect(cookie.hasPrefix("__Host-quartz_session=") && cookie.hasSuffix("SameSite=Strict; Secure"))
    }
  }

  /// A browser sends the cookies of a host to each of its ports: an agent reads its own port's, and none replaces another's.
  @Test func agentsOnOneHostHaveTheirOwnCookies() throws {
    let (one, two) = (SignInDesk(access), SignInDesk(StatusAccess(runNowToken: Redacted("other-0123456789"))))
    func signIn(_ desk: SignInDesk, _ token: String, at port: UInt16?) throws -> String {
      guard case .welcome(_, let value) = desk.signIn(token, name: "\(port ?? 0)", from: "a", now: now) else {
        throw POSIXFailure("no welcome", 0)
      }
      let header = SignInDesk.header(value, at: port, isEncrypted: port == 9443)
      return String(header.prefix { $0 != ";" })
    }
    let jar = [
      try signIn(one, "run-0123456789", at: 9001), try signIn(two, "other-0123456789", at: 9443),
      try signIn(one, "run-0123456789", at: nil),
    ]
    #expect(
      jar.map { $0.prefix { $0 != "=" } } == [
        "quartz_session_9001", "__Host-quartz_session_9443", "quartz_session",
      ])
    let all = jar.joined(separator: "; ")
    #expect(one.person(all, at: 9001, now: now)?.name == "9001")
    #expect(two.person(all, at: 9443, now: now)?.name == "9443")
    // One without a port is good for every port of the agent that made it: it is from before.
    #expect(one.person(all, at: 9002, now: now)?.name == "0" && one.person(all, now: now)?.name == "0")
    #expect(two.person(all, at: 9001, now: now) == nil && two.person(all, now: now) == nil)
    #expect(two.end(all, at: 9443, now: now) == ["__Host-quartz_session_9443"])
    #expect(one.end(all, at: 9001, now: now) == ["quartz_session_9001", "quartz_session"])
    #expect(one.person(all, at: 9001, now: now) == nil && two.person(all, at: 9443, now: now) == nil)
  }

  /// The port is of Host; signing out ends the agent's own cookie and the one from before.
  @Test func signingInAndOutAtAPort() async throws {
    var source = try sampleSource()
    source.token = access.runNowToken
    let routes = Routes(
      source: source, hosts: AllowedHosts(listen: .tcp(host: "127.0.0.1", port: 9001)),
      runNow: RunNowGate(token: access.runNowToken))
    let desk = SignInDesk(access)
    func ask(_ path: String, _ host: String, cookie: String? = nil) async -> [String] {
      var routes = routes
      routes.signIn = desk
      var request = StatusRequest(method: .post, target: path, host: host)
      request.body = Array("token=run-0123456789".utf8)
      request.cookie = cookie
      return await routes.reply(to: request).cookies
    }
    let end = "Path=/; Max-Age=0; HttpOnly; SameSite=Strict"
    var names: [String] = []
    for host in ["localhost", "localhost:9001", "[::1]:9001", "127.0.0.1:"] {
      names.append(String((await ask("/sign-in", host).first ?? "").prefix { $0 != "=" }))
    }
    #expect(names == ["quartz_session", "quartz_session_9001", "quartz_session_9001", "quartz_session"])
    guard case .welcome(_, let value) = desk.signIn("run-0123456789", name: "", from: "a", now: now) else {
      Issue.record("no welcome")
      return
    }
    #expect(
      await ask("/sign-out", "localhost:9001", cookie: "__Host-quartz_session=\(value)") == [
        "quartz_session_9001=; \(end)", "__Host-quartz_session=; \(end); Secure",
      ])
    #expect(
      await ask("/sign-out", "localhost:9001", cookie: "quartz_session=x") == ["quartz_session_9001=; \(end)"]
    )
  }

  /// No page of ours leads to another server.
  @Test(arguments: [
    "//evil.example", "https://evil.example/", "/\\evil.example", "/x\r\nSet-Cookie: a=b", "", "x",
  ])
  func theWayBackStaysHere(_ back: String) { #expect(PageAct.back(back) == "/") }
}
