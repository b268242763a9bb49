// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NIOHTTP1
import StatusSupport
import Testing
@testable import StatusServer

/// Requests that a reverse proxy passed on.
@Suite struct ForwardedTests {
  private func request(_ headers: [(String, String)], from peer: String? = "127.0.0.1") -> StatusRequest {
    var request = StatusRequest(
      HTTPRequestHead(version: .http1_1, method: .POST, uri: "/sign-in", headers: HTTPHeaders(headers)))
    request.remote = peer.flatMap { IPAddress($0) }
    return request
  }

  /// The last entry of X-Forwarded-For, else of Forwarded, else X-Real-IP; none where that is no address.
  @Test func theProxysClient() {
    let rows: [([(String, String)], Bool, String?)] = [
      ([], false, nil), ([("Host", "a"), ("Origin", "http://a")], false, nil),
      ([("X-Forwarded-For", "192.0.2.1")], true, "192.0.2.1"),
      ([("x-forwarded-for", "203.0.113.9, 192.0.2.1")], true, "192.0.2.1"),
      ([("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-For", "192.0.2.2")], true, "192.0.2.2"),
      ([("X-Forwarded-For", "192.0.2.1:4711")], true, "192.0.2.1"),
      ([("X-Forwarded-For", "2001:db8::1")], true, "2001:db8::1"),
      ([("X-Forwarded-For", "[2001:db8::1]:80")], true, "2001:db8::1"),
      ([("X-Forwarded-For", "192.0.2.1, unknown")], true, nil), ([("X-Forwarded-For", "")], true, nil),
      ([("Forwarded", "for=203.0.113.9, for=192.0.2.3;proto=https")], true, "192.0.2.3"),
      ([("Forwarded", "proto=https;For=\"[2001:db8::2]:4711\"")], true, "2001:db8::2"),
      ([("Forwarded", "proto=https")], true, nil),
      ([("Forwarded", "for=192.0.2.3"), ("X-Forwarded-For", "192.0.2.4")], true, "192.0.2.4"),
      ([("X-Real-IP", "192.0.2.5")], true, "192.0.2.5"), ([("Via", "1.1 proxy")], true, nil),
      ([("X-Forwarded-Proto", "https")], true, nil),
    ]
    for (headers, isForwarded, client) in rows {
      let found = request(headers)
      #expect(found.isForwarded == isForwarded && found.forwardedFor?.description == client, "\(headers)")
    }
  }

  /// A peer of this machine or a private network is believed, any other is its own word.
  @Test func whoIsBelieved() {
    let header = [("X-Forwarded-For", "203.0.113.9")]
    let rows: [(String?, String)] = [
      ("127.0.0.1", "203.0.113.9"), ("::1", "203.0.113.9"), ("172.18.0.2", "203.0.113.9"),
      ("10.1.2.3", "203.0.113.9"), ("192.168.1.2", "203.0.113.9"), ("fd00::1", "203.0.113.9"),
      ("::ffff:10.1.2.3", "203.0.113.9"), (nil, "203.0.113.9"), ("192.0.2.1", "192.0.2.1"),
      ("172.32.0.1", "172.32.0.1"), ("2001:db8::1", "2001:db8::1"),
    ]
    for (peer, words) in rows { #expect(request(header, from: peer).clientWords == words) }
    #expect(request([("Via", "1.1 a")]).clientWords == "127.0.0.1")
    #expect(request([], from: nil).clientWords == "socket")
  }

  /// Wrong tokens of a client of the proxy hold up that client alone.
  @Test func guessesThroughAProxy() throws {
    var routes = Routes(
      source: try sampleSource(), hosts: AllowedHosts(listen: .tcp(host: "127.0.0.1", port: 1)))
    routes.signIn = SignInDesk(StatusAccess(runNowToken: Redacted("run-0123456789")))
    func status(_ token: String, from client: String) -> Int {
      var request = request([("X-Forwarded-For", "198.51.100.7, \(client)")])
      request.body = Array("token=\(token)".utf8)
      return routes.signedIn(request).status
    }
    #expect((0..<6).map { _ in status("wrong", from: "203.0.113.66") } == [401, 401, 401, 401, 401, 429])
    #expect(status("run-0123456789", from: "198.51.100.1") == 303)
    #expect(status("run-0123456789", from: "203.0.113.66") == 429)
  }

  /// A client of a private network that makes up the address of another client at each try has the tries of one window: 50 a
  /// minute. A proxy of this machine writes its client's address itself, and is held up for none of them.
  @Test(arguments: [("10.1.2.3", 50), ("::ffff:10.1.2.3", 50), ("127.0.0.1", 60), ("::1", 60), (nil, 60)])
  func madeUpClients(peer: String?, tries: Int) throws {
    var routes = Routes(
      source: try sampleSource(), hosts: AllowedHosts(listen: .tcp(host: "127.0.0.1", port: 1)))
    routes.signIn = SignInDesk(StatusAccess(runNowToken: Redacted("run-0123456789")))
    func status(_ token: String, from client: String, by peer: String?) -> Int {
      var request = request([("X-Forwarded-For", client)], from: peer)
      request.body = Array("token=\(token)".utf8)
      return routes.signedIn(request).status
    }
    let answers = (0..<60).map { status("wrong", from: "203.0.\($0).1", by: peer) }
    #expect(answers.count { $0 == 401 } == tries && answers.count { $0 == 429 } == 60 - tries)
    #expect(status("run-0123456789", from: "198.51.100.1", by: peer) == (tries == 50 ? 429 : 303))
    #expect(status("run-0123456789", from: "198.51.100.1", by: "10.9.9.9") == 303)
  }

  /// Without `status.read_token` a loopback port and a socket are open to this machine, not to the clients of a proxy.
  @Test func readingThroughAProxy() async throws {
    let token = Redacted("read-0123456789")
    let rows: [(StatusAccess, isSocket: Bool, direct: Bool, forwarded: Bool)] = [
      (StatusAccess(), false, true, false), (StatusAccess(), true, true, false),
      (StatusAccess(allowUnauthenticated: true), false, true, true),
      (StatusAccess(readToken: token), false, false, false),
      (StatusAccess(readToken: token), true, true, false),
      (StatusAccess(readToken: token, allowUnauthenticated: true), false, false, false),
    ]
    for (access, isSocket, direct, forwarded) in rows {
      let gate = ReadGate(access, isSocket: isSocket)
      #expect(gate.admits(nil, isShare: false, isForwarded: false) == direct)
      #expect(gate.admits(nil, isShare: false, isForwarded: true) == forwarded)
      #expect(
        gate.admits("Bearer read-0123456789", isShare: false, isForwarded: true)
          == (forwarded || access.readToken != nil))
    }
    #expect(
      ReadGate(StatusAccess(), isSocket: false).refusal(isForwarded: true)
        == "this request came through a proxy: set status.read_token, or status.allow_unauthenticated: true where the proxy authenticates"
    )
  }

  /// The rights of the socket's file are the proxy's, not its clients'.
  @Test func ordersThroughAProxy() async throws {
    var routes = Routes(source: try sampleSource(), hosts: AllowedHosts(listen: .unix(path: "/x")))
    routes.isSocket = true
    func status(_ isForwarded: Bool) async -> Int {
      var request = StatusRequest(method: .post, target: "/api/v1/mutes?target=all&for=1h")
      request.isForwarded = isForwarded
      return await routes.reply(to: request).status
    }
    #expect(await status(true) == 403)
    #expect(await status(false) != 403)
  }

  /// A request is for the host that it names once; with two or none it is for none (RFC 9112 section 3.2).
  @Test func theHostOfARequest() {
    func host(_ names: String..., uri: String = "/") -> String? {
      StatusRequest(
        HTTPRequestHead(
          version: .http1_1, method: .GET, uri: uri, headers: HTTPHeaders(names.map { ("Host", $0) }))
      ).host
    }
    #expect(host("a.example") == "a.example" && host("a.example:9797") == "a.example:9797")
    #expect(host() == nil && host("a.example", "b.example") == nil && host("a.example", "a.example") == nil)
    #expect(host("a.example", uri: "http://b.example/x") == "b.example")
    #expect(host("a.example", "b.example", uri: "http://b.example/x") == nil)
  }
}
