// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import Status
import StatusSupport
import Synchronization
import Testing
@testable import StatusServer

/// Which answer each request gets, without a server: status, code and words.
@Suite struct RouteTableTests {
  private static let token = "run-0123456789"

  private func routes(_ source: any StatusSource) -> Routes {
    var routes = Routes(
      source: source, hosts: AllowedHosts(listen: .tcp(host: "127.0.0.1", port: 1)),
      runNow: RunNowGate(token: Redacted(Self.token)))
    routes.signIn = SignInDesk(StatusAccess(runNowToken: Redacted(Self.token)))
    return routes
  }

  private func request(_ target: String, _ method: StatusRequest.Method = .get) -> StatusRequest {
    var request = StatusRequest(method: method, target: target, host: "localhost")
    if method == .post { request.authorization = "Bearer \(Self.token)" }
    return request
  }

  /// `404 NOT_FOUND words` of a failure's document.
  private func words(_ reply: Reply) throws -> String {
    let error = try JSONValue.parse(reply.body)["error"]
    return "\(reply.status) \(error?["code"]?.string ?? "-") \(error?["message"]?.string ?? "-")"
  }

  private static let unknownID = "00000000-0000-4000-8000-00000000dead"

  @Test func failures() async throws {
    let routes = routes(try sampleSource())
    let id = try #require(try sampleSource().status.checks.first?.id)
    let document = "404 NOT_FOUND no such document; docs/status.md lists them"
    let rows: [(StatusRequest, String)] = [
      (request("/none"), "404 NOT_FOUND no such page; the start page is /"),
      (request("/events"), "404 NOT_FOUND no such page; the start page is /"),
      (request("/checks"), "404 NOT_FOUND no such page; the start page is /"),
      (request("/checks/\(id)/results"), "404 NOT_FOUND no such page; the start page is /"),
      (request("/incidents/a/b"), "404 NOT_FOUND no such page; the start page is /"),
      (request("/%zz"), "400 BAD_REQUEST the address is malformed"),
      (request("/api/v1"), document), (request("/api/v1/none"), document),
      (request("/api/v1/spool/x"), document),
      (request("/api/v1/spool/submit/x"), document), (request("/api/v1/checks/x"), document),
      (request("/api/v1/checks/\(id)/x"), document),
      (request("/api/v1/checks/\(id)/results/x"), document), (request("/api/v1/incidents/x/y"), document),
      (request("/api/v1/checks/\(Self.unknownID)"), "404 NOT_FOUND no check has this id"),
      (request("/api/v1/checks/\(Self.unknownID)/share"), "404 NOT_FOUND nothing is known of such a check"),
      (request("/api/v1/incidents/\(Self.unknownID)"), "404 NOT_FOUND no incident has this id"),
      (request("/api/v1/incidents/x"), "404 NOT_FOUND no incident has this id"),
      (request("/api/v1/checks?limit=0"), "400 BAD_REQUEST limit must be a whole number from 1 to 1000"),
      (request("/api/v1/groups?limit=1001"), "400 BAD_REQUEST limit must be a whole number from 1 to 1000"),
      (
        request("/api/v1/incidents?limit=1001"), "400 BAD_REQUEST limit must be a whole number from 1 to 1000"
      ),
      (
        request("/api/v1/incidents?status=open"),
        "400 BAD_REQUEST status must be one of active, acknowledged, resolved"
      ),
      (
        request("/api/v1/checks/\(id)/results?limit=101"),
        "400 BAD_REQUEST limit must be a whole number from 1 to 100"
      ),
      (
        request("/api/v1/checks/\(id)/outages?limit=101"),
        "400 BAD_REQUEST limit must be a whole number from 1 to 100"
      ),
      (
        request("/api/v1/checks/\(id)/series?points=301"),
        "400 BAD_REQUEST points must be a whole number from 2 to 300"
      ),
      (
        request("/api/v1/checks/\(id)/series?points=1"),
        "400 BAD_REQUEST points must be a whole number from 2 to 300"
      ),
      (
        request("/api/v1/checks/\(id)/series?period=1y"),
        "400 BAD_REQUEST period must be one of 24h, 7d, 30d, 90d"
      ),
      (
        request("/api/v1/checks/\(id)/share?at=36028797018963969"),
        "400 BAD_REQUEST at must be a whole number from 0 to 36028797018963968"
      ),
      (
        request("/api/v1/status.txt?width=1001"),
        "400 BAD_REQUEST width must be a whole number from 20 to 1000"
      ),
      (request("/api/v1/summary?full=maybe"), "400 BAD_REQUEST full must be true or false"),
      (request("/api/v1/checks/x/run", .post), "404 NOT_FOUND no check has this id"),
      (request("/api/v1/checks/\(id)/run", .post), "404 NOT_FOUND no enabled check has this id"),
      (
        request("/api/v1/mutes?target=all", .post),
        "400 BAD_REQUEST for must be a duration of at most 30d, such as 30m"
      ),
      (
        request("/api/v1/mutes?for=1h&target=", .post),
        "400 BAD_REQUEST target is missing: the name or id of a check, tag: and a tag, or all"
      ),
      (
        request("/api/v1/posts?by=a", .post), "400 BAD_REQUEST title is missing: what is the matter, in words"
      ),
      (
        request("/api/v1/posts?title=a&state=open", .post),
        "400 BAD_REQUEST state must be one of investigating, identified, monitoring, resolved"
      ),
    ]
    for (request, expected) in rows {
      let reply = await routes.reply(to: request)
      #expect(try words(reply) == expected, "\(request.target)")
      #expect(reply.requestID != nil && !reply.omitsBody)
    }
  }

  /// Bytes of an address: 2048, and of an order 6144.
  @Test(
    arguments: [
      (.get, 2048, "404 NOT_FOUND"), (.get, 2049, "414 URI_TOO_LONG the address is longer than 2048 bytes"),
      (.post, 6144, "405 METHOD_NOT_ALLOWED"),
      (.post, 6145, "414 URI_TOO_LONG the address is longer than 6144 bytes"),
    ] as [(StatusRequest.Method, Int, String)])
  func longAddresses(method: StatusRequest.Method, bytes: Int, expected: String) async throws {
    let target = "/" + String(repeating: "a", count: bytes - 1)
    let reply = await routes(try sampleSource()).reply(to: request(target, method))
    #expect(try words(reply).hasPrefix(expected))
  }

  /// Of two values for one item each reader would take another; tags, states and checks are lists.
  @Test(
    arguments: [
      ("/?page=1&page=2", "page"), ("/?q=a&q=b", "q"), ("/wall?q=a&q=b", "q"),
      ("/report?month=2026-01&month=2026-02", "month"),
    ])
  func repeatedItems(target: String, name: String) async throws {
    let reply = await routes(try sampleSource()).reply(to: request(target))
    let page = String(decoding: reply.body, as: UTF8.self)
    #expect(reply.status == 400 && page.contains("\(name) is given more than once"), "\(page)")
  }

  @Test(arguments: [
    "/?tag=a&tag=b&state=up&state=down", "/wall?tag=a&tag=b", "/report?check=a&check=b&tag=c&tag=d",
  ])
  func listsOfItems(target: String) async throws {
    #expect(await routes(try sampleSource()).reply(to: request(target)).status == 200)
  }

  /// An order without the token is told how to show it; a body beyond the limit, what the limit is.
  @Test func ordersThatAreRefused() async throws {
    let routes = routes(try sampleSource())
    var order = request("/api/v1/mutes?target=all&for=5m", .post)
    order.authorization = nil
    let refused = await routes.reply(to: order)
    #expect(refused.status == 401 && refused.challenge == .bearer)
    let header = refused.headers.first { $0.0 == "WWW-Authenticate" }
    #expect(header?.1 == "Bearer realm=\"quartz-agent\"")
    var long = request(StatusRequest.submission, .post)
    long.hasBody = true
    #expect(
      try words(await routes.reply(to: long)) == "413 BODY_REFUSED more than 1 MiB: send the results in parts"
    )
  }

  /// Before anything else: the host's name, then leave to read, then the method, then the body.
  @Test func theFirstThatIsWrong() async throws {
    var routes = routes(try sampleSource())
    var wrong = StatusRequest(method: .other, target: "/", host: "evil.example", hasBody: true)
    let foreign = await routes.reply(to: wrong)
    #expect(foreign.status == 421 && foreign.requestID == nil)
    #expect(
      String(decoding: foreign.body, as: UTF8.self)
        == "this host name is not served here; add it to status.hosts, or use 127.0.0.1 or localhost\n")
    wrong.host = "localhost"
    routes.readGate = ReadGate(StatusAccess(readToken: Redacted("read-0123456789")), isSocket: false)
    let refused = await routes.reply(to: wrong)
    #expect(refused.challenge == .basic)
    #expect(
      try words(refused)
        == "401 UNAUTHORIZED send status.read_token: Authorization: Bearer, or as the password of Authorization: Basic"
    )
    wrong.authorization = "Bearer read-0123456789"
    #expect(
      try words(await routes.reply(to: wrong)) == "405 METHOD_NOT_ALLOWED only GET and HEAD are possible here"
    )
    wrong.method = .get
    #expect(try words(await routes.reply(to: wrong)) == "413 BODY_REFUSED a request here has no body")
  }

  /// A browser gets a page to sign in on, for what it reads and for forms; a program is told what to send.
  @Test(
    arguments: [
      (.get, "/", "text/html", true), (.head, "/", "text/html", true), (.post, "/act", "text/html", true),
      (.post, "/api/v1/mutes", "text/html", false), (.get, "/", "*/*", false), (.get, "/", nil, false),
      (.other, "/", "text/html", false),
    ] as [(StatusRequest.Method, String, String?, Bool)])
  func whoMayNotRead(method: StatusRequest.Method, target: String, accept: String?, isPage: Bool) async throws
  {
    var routes = routes(try sampleSource())
    routes.readGate = ReadGate(StatusAccess(readToken: Redacted("read-0123456789")), isSocket: false)
    let reply = await routes.reply(
      to: StatusRequest(method: method, target: target, host: "localhost", accept: accept))
    #expect(reply.status == 401 && (reply.challenge == nil) == isPage)
    #expect(String(decoding: reply.body, as: UTF8.self).contains("<h1>Sign in</h1>") == isPage)
  }

  /// The supervisor's two pages need no leave, and say why the agent is not ready.
  @Test func health() async throws {
    var source = try sampleSource()
    for (isReady, status, words) in [(true, 200, "ready\n"), (false, 503, "starting\n")] {
      source.ready = isReady
      var routes = routes(source)
      routes.readGate = ReadGate(StatusAccess(readToken: Redacted("read-0123456789")), isSocket: false)
      for method in [StatusRequest.Method.get, .head] {
        let live = await routes.reply(to: request("/livez", method))
        let ready = await routes.reply(to: request("/readyz", method))
        #expect(live.status == 200 && live.body == Array("alive\n".utf8))
        #expect(ready.status == status && ready.body == Array(words.utf8))
        #expect(live.omitsBody == (method == .head) && ready.omitsBody == (method == .head))
      }
      #expect(await routes.reply(to: request("/readyz?x", .get)).status == 401)
    }
  }

  /// What the agent failed at is logged with the request's id, and nothing else is.
  @Test func failuresAreLogged() async throws {
    var source = try sampleSource()
    let id = try #require(source.status.checks.first?.id)
    let logged = Mutex<[String]>([])
    for outcome in [RunNowOutcome.stopping, .busy("four others run"), .noSuchCheck] {
      source.outcome = outcome
      var routes = routes(source)
      routes.logFailure = { status, id in logged.withLock { $0.append("\(status) \(id)") } }
      let reply = await routes.reply(to: request("/api/v1/checks/\(id)/run", .post))
      switch outcome {
      case .stopping:
        #expect(try words(reply) == "503 STOPPING the agent is ending")
        #expect(logged.withLock(\.self) == ["503 \(reply.requestID ?? "-")"])
      case .busy: #expect(try words(reply) == "409 BUSY four others run")
      default: #expect(reply.status == 404)
      }
    }
    #expect(logged.withLock(\.count) == 1)
  }

  /// What is told of who signs in: the name and the address; of a wrong token the address alone.
  @Test func signingInIsLogged() async throws {
    let logged = Mutex<[String]>([])
    var routes = routes(try sampleSource())
    routes.logSignIn = { isIn, name, address in
      logged.withLock { $0.append("\(isIn) \(name ?? "-") \(address)") }
    }
    func post(_ body: String?, from address: String?, fetchSite: String? = nil) async -> String {
      var request = StatusRequest(method: .post, target: "/sign-in", host: "localhost", fetchSite: fetchSite)
      (request.body, request.remote) = (body.map { Array($0.utf8) }, address.flatMap { IPAddress($0) })
      let reply = await routes.reply(to: request)
      let text = String(decoding: reply.body, as: UTF8.self)
      let problem = text.firstMatch(of: /✕<\/span>&nbsp;([^<]*)</).map { String($0.1) }
      return "\(reply.status) \(problem ?? "-")"
    }
    #expect(await post("token=\(Self.token)&name=ann", from: "192.0.2.1") == "303 -")
    #expect(await post("token=\(Self.token)", from: nil) == "303 -")
    #expect(await post("token=wrong&name=eve", from: "192.0.2.2") == "401 This is not the token")
    #expect(
      logged.withLock(\.self) == ["true ann 192.0.2.1", "true - socket", "false - 192.0.2.2"])
    #expect(await post("name=x", from: "192.0.2.2") == "400 This form could not be read")
    #expect(await post(nil, from: "192.0.2.2") == "400 This form could not be read")
    #expect(
      await post("token=\(Self.token)", from: nil, fetchSite: "cross-site")
        == "403 This form comes from another site")
    routes.signIn = SignInDesk(StatusAccess())
    #expect(
      await post("token=\(Self.token)", from: nil)
        == "403 No token is set. Set status.run_now_token in agent.yaml")
    #expect(logged.withLock(\.count) == 3)
  }
}
