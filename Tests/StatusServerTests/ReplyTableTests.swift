// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status
@testable import StatusServer

/// Headers of answers, items of addresses, and which method a path takes.
@Suite struct ReplyTableTests {
  private func routes(_ source: any StatusSource) -> Routes {
    Routes(source: source, hosts: AllowedHosts(listen: .tcp(host: "127.0.0.1", port: 1)))
  }

  private func header(_ reply: Reply, _ name: String) -> String? {
    reply.headers.first { $0.0 == name }?.1
  }

  /// The type of each kind of answer.
  @Test func contentTypes() {
    let rows: [(Reply.Kind, String)] = [
      (.html, "text/html; charset=utf-8"), (.json, "application/json"), (.text, "text/plain; charset=utf-8"),
      (.metrics, "application/openmetrics-text; version=1.0.0; charset=utf-8"),
      (.plainMetrics, "text/plain; version=0.0.4; charset=utf-8"),
      (
        .protobufMetrics,
        "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
      ),
      (.events, "text/event-stream; charset=utf-8"), (.svg, "image/svg+xml"),
      (.atom, "application/atom+xml; charset=utf-8"),
    ]
    for (kind, type) in rows { #expect(header(Reply(200, kind, []), "Content-Type") == type) }
  }

  /// What every answer has, and what only some have.
  @Test func headers() {
    var reply = Reply(200, .json, [])
    let common = ["Server", "Content-Type", "Content-Security-Policy", "X-Content-Type-Options"]
    let kept = ["Cache-Control", "Cross-Origin-Resource-Policy"]
    #expect(reply.headers.map { $0.0 } == common + kept)
    #expect(header(reply, "Server") == "quartz-agent" && header(reply, "X-Content-Type-Options") == "nosniff")
    #expect(header(reply, "Cache-Control") == "no-store")
    #expect(header(reply, "Cross-Origin-Resource-Policy") == "same-origin")
    let shared = reply.shared()
    #expect(header(shared, "Cache-Control") == "public, max-age=30")
    #expect(header(shared, "Cross-Origin-Resource-Policy") == "cross-origin")
    (reply.varies, reply.isCompressed, reply.allow) = (["Accept-Encoding", "Accept"], true, "GET")
    (reply.requestID, reply.location, reply.cookies) = ("id", "/x", ["a=b"])
    (reply.retryAfter, reply.isSound, reply.challenge) = (7, false, .basic)
    let rows = [
      ("Vary", "Accept-Encoding, Accept"), ("Content-Encoding", "gzip"), ("Allow", "GET"),
      ("X-Request-Id", "id"), ("Location", "/x"), ("Set-Cookie", "a=b"), ("Retry-After", "7"),
      ("X-Store-Sound", "no"), ("WWW-Authenticate", "Basic realm=\"quartz-agent\", charset=\"UTF-8\""),
    ]
    for (name, value) in rows { #expect(header(reply, name) == value, "\(name)") }
    reply.isSound = true
    #expect(header(reply, "X-Store-Sound") == "yes")
    let end = "; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    #expect(reply.policy == "default-src 'none'" + end)
    #expect(
      Reply(200, .html, [], styleNonce: "n").policy == "default-src 'none'; style-src 'nonce-n'; "
        + "script-src 'nonce-n'; connect-src 'self'; img-src data:" + end)
  }

  /// Which methods each kind of path takes.
  @Test(
    arguments: [
      ("/", "GET, HEAD"), ("/metrics", "GET, HEAD"), ("/api/v1/checks", "GET, HEAD"),
      ("/api/v1/mutes", "GET, HEAD, POST"), ("/api/v1/maintenance", "GET, HEAD, POST"),
      ("/api/v1/mutes/x/end", "POST"), ("/api/v1/maintenance/x/end", "POST"),
      ("/api/v1/incidents/x/ack", "POST"), ("/api/v1/incidents/x/end", "GET, HEAD"),
      ("/api/v1/mutes/x/ack", "GET, HEAD"), ("/api/v1/checks/x/run", "POST"),
      ("/api/v1/spool/submit", "POST"), ("/api/v1/spool/resubmit", "POST"),
      ("/api/v1/spool/results", "GET, HEAD"), ("/api/v1/incidents", "GET, HEAD"),
      ("/api/v1/checks/x/share", "GET, HEAD"),
    ])
  func methods(path: String, allowed: String) async throws {
    let routes = routes(try sampleSource())
    let reply = await routes.reply(to: StatusRequest(method: .other, target: path, host: "localhost"))
    #expect(reply.status == 405 && reply.allow == allowed)
    // What only acts is not read.
    let read = await routes.reply(to: StatusRequest(target: path, host: "localhost"))
    #expect((read.status == 405) == (allowed == "POST"))
    #expect(read.allow ?? "" == (allowed == "POST" ? "POST" : ""))
  }

  /// Numbers and flags of an address, to the last that is taken.
  @Test func itemsOfAnAddress() throws {
    func number(_ target: String) throws -> Int? {
      let path = try #require(RequestPath(target))
      do throws(BadRequest) { return try path.number("n", in: 2...5, default: 3) } catch { return nil }
    }
    let numbers: [(String, Int?)] = [
      ("/", 3), ("/?n=2", 2), ("/?n=5", 5), ("/?n=1", nil), ("/?n=6", nil), ("/?n=", nil), ("/?n=x", nil),
      ("/?m=5", 3), ("/?n=+4", nil), ("/?n=%34", 4),
    ]
    for (target, value) in numbers {
      #expect(try number(target) == value, "\(target)")
    }
    func flag(_ target: String) throws -> Bool? {
      let path = try #require(RequestPath(target))
      do throws(BadRequest) { return try path.flag("f") } catch { return nil }
    }
    let flags: [(String, Bool?)] = [
      ("/", false), ("/?f=false", false), ("/?f=0", false), ("/?f=true", true), ("/?f=1", true),
      ("/?f", true), ("/?f=", true), ("/?f=yes", nil), ("/?f=TRUE", nil),
    ]
    for (target, value) in flags { #expect(try flag(target) == value, "\(target)") }
    let path = try #require(RequestPath("/a%2Fb//c+d/?x=1&y=a+b%2B&x=2&z"))
    #expect(path.segments == ["a/b", "c+d"] && path["y"] == "a b+" && path["z"] == "" && path["w"] == nil)
    #expect(path["x"] == "1" && path.all("x") == ["1", "2"])
    let refusal = #expect(throws: BadRequest.self) { try path.refuseRepeated(besides: ["y"]) }
    #expect(refusal?.message == "x is given more than once")
    #expect(throws: Never.self) { try path.refuseRepeated(besides: ["x"]) }
    for target in ["", "a", "*", "/%zz", "/%ff", "/?a=%f"] {
      let isRefused = RequestPath(target) == nil
      #expect(isRefused, "\(target)")
    }
  }

  /// How much of a body is kept, and what kind of request has one.
  @Test func bodies() {
    let rows: [(StatusRequest.Method, String, Int, Bool, Bool)] = [
      (.post, "/hb/token", 10_240, false, false), (.get, "/hb/token", 10_240, false, false),
      (.post, "/act", 4096, true, false), (.post, "/sign-in?x=1", 4096, true, false),
      (.post, "/sign-out", 4096, true, false), (.get, "/act", 1_048_576, false, false),
      (.post, "/api/v1/spool/submit", 1_048_576, false, true),
      (.post, "/api/v1/spool/submit?", 1_048_576, false, false),
      (.get, "/api/v1/spool/submit", 1_048_576, false, false), (.post, "/acts", 1_048_576, false, false),
    ]
    for (method, target, kept, isForm, isSubmission) in rows {
      let request = StatusRequest(method: method, target: target)
      #expect(request.keptBody == kept && request.isForm == isForm, "\(target)")
      #expect(request.isSubmission == isSubmission, "\(target)")
      #expect(request.isReading == (method == .get))
    }
    let shares: [(StatusRequest.Method, String, Bool)] = [
      (.get, "/api/v1/checks/x/share", true), (.head, "/api/v1/checks/x/share?at=1", true),
      (.post, "/api/v1/checks/x/share", false), (.get, "/api/v1/checks/x/shares", false),
      (.get, "/api/v1/incidents/x/share", false), (.get, "/api/v1/checks/x?/share", false),
    ]
    for (method, target, isShare) in shares {
      #expect(StatusRequest(method: method, target: target).isShare == isShare, "\(target)")
    }
  }

  /// A request for another site's page, by what the browser says of it.
  @Test func ownPages() {
    let rows: [(String?, String?, String?, Bool)] = [
      (nil, nil, "a.example", true), ("same-origin", nil, "a.example", true),
      ("same-site", nil, "a.example", false), ("cross-site", "http://a.example", "a.example", false),
      ("none", nil, "a.example", false), (nil, "https://A.example", "a.EXAMPLE", true),
      (nil, "https://a.example:8443", "a.example:8443", true),
      (nil, "https://a.example:8443", "a.example", false),
      (nil, "https://b.example", "a.example", false), (nil, "null", "a.example", true),
      (nil, "https://b.example", nil, true),
      // Behind a proxy with a Host of its own the browser's word is enough.
      ("same-origin", "https://b.example", "127.0.0.1:9797", true),
      ("same-origin", "null", "a.example", true), ("", "https://a.example", "a.example", false),
    ]
    for (site, origin, host, isOwn) in rows {
      var request = StatusRequest(method: .post, target: "/act", host: host, fetchSite: site)
      request.origin = origin
      #expect(request.isOwnPage == isOwn, "\(site ?? "-") \(origin ?? "-") \(host ?? "-")")
    }
    var refused = StatusRequest(method: .post, target: "/sign-in", host: "127.0.0.1:9797")
    refused.origin = "http://b.example"
    let site = "This form comes from another site"
    #expect(
      refused.foreignWords
        == "\(site): Origin is http://b.example, Host is 127.0.0.1:9797. A reverse proxy must pass Host on unchanged"
    )
    refused.fetchSite = "cross-site"
    #expect(refused.foreignWords == site)
    for (accept, json, page) in [
      (nil, false, false), ("application/json", true, false), ("text/html,*/*;q=0.8", false, true),
      ("*/*", false, false),
    ] as [(String?, Bool, Bool)] {
      let request = StatusRequest(target: "/", accept: accept)
      #expect(request.wantsJSON == json && request.wantsPage == page)
    }
  }

  /// A form's time: until an instant, in UTC where it says no zone, else so long, else an hour.
  @Test(
    arguments: [
      ("", 3600), ("&for=30m", 1800), ("&for=30d", 2_592_000), ("&for=1s", 1), ("&for=0s", nil),
      ("&for=721h", nil), ("&for=30", nil), ("&for=", 3600), ("&until=2026-01-01T02:01", 60),
      ("&until=2026-01-01T02:00:30", 30), ("&until=2026-01-01T02:00:30Z", 30),
      ("&until=2026-01-01T02:00", nil), ("&until=2026-01-31T02:00", 2_592_000),
      ("&until=2026-01-31T02:00:01", nil), ("&until=tomorrow", nil), ("&until=&for=2h", 7200),
      ("&until=2026-01-01T02:01&for=2h", 60),
    ] as [(String, Int?)])
  func timesOfForms(query: String, seconds: Int?) throws {
    let form = try #require(RequestPath("/?do=mute\(query)"))
    #expect((try? PageAct(form, now: now))?.length == seconds.map { Duration.seconds($0) })
  }

  /// The token to act: absent, in the wrong scheme, wrong and right.
  @Test func leaveToAct() {
    let basic = "Basic " + Base64.text(Array("x:token-0123456789".utf8))
    let rows: [(String?, Int?)] = [
      (nil, 401), (basic, 401), ("Bearer token-012345678", 401), ("Bearer token-0123456789", nil),
      ("bearer token-0123456789", nil), ("Bearer  token-0123456789", 401), ("token-0123456789", 401),
    ]
    for (header, status) in rows {
      let gate = RunNowGate(token: Redacted("token-0123456789"))
      #expect(gate.refusal(header)?.status == status, "\(header ?? "-")")
      #expect(RunNowGate(token: nil).refusal(header)?.status == 403)
    }
  }
}
