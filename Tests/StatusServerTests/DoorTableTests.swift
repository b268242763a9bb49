// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NIOCore
import NIOEmbedded
import Status
import StatusSupport
import Synchronization
import Testing
@testable import StatusServer

/// `/probe` and `/hb` without a server: each answer as a whole, and each bound.
@Suite struct DoorTableTests {
  private final class Desk: ProbeTaking {
    let limit = 4
    let last = ["two", "one"]
    let config = "modules:\n"
    let asked = Mutex<[ProbeQuestion]>([])
    let answer: ProbeAnswer
    let problem: String?

    init(_ answer: ProbeAnswer = .metrics("up 1\n"), problem: String? = nil) {
      (self.answer, self.problem) = (answer, problem)
    }

    func reload() async -> String? { problem }
    func probe(_ question: ProbeQuestion) async -> ProbeAnswer {
      asked.withLock { $0.append(question) }
      return answer
    }
  }

  private static let token = "probe-0123456789"

  private func request(
    _ target: String, _ method: StatusRequest.Method = .get, from address: String? = "192.0.2.1"
  ) -> StatusRequest {
    var request = StatusRequest(method: method, target: target, host: "localhost")
    request.remote = address.flatMap { IPAddress($0) }
    return request
  }

  private func reply(_ request: StatusRequest, _ desk: Desk = Desk()) async -> Reply? {
    let door = ProbeDoor(
      desk: desk, token: Redacted(Self.token), allowed: ["192.0.2.0/25"].compactMap { CIDR($0) })
    return await door.reply(to: request, hosts: AllowedHosts(listen: .tcp(host: "127.0.0.1", port: 1)))
  }

  private func text(_ request: StatusRequest, _ desk: Desk = Desk()) async -> String {
    await reply(request, desk).map { "\($0.status) \(String(decoding: $0.body, as: UTF8.self))" } ?? "-"
  }

  /// What each address and method gets.
  @Test func answers() async {
    let only = "405 only GET and HEAD are possible here\n"
    let post = "405 This endpoint requires a POST request.\n"
    let token = "401 send probe.token as Authorization: Bearer, or ask from an address of probe.allow\n"
    let rows: [(StatusRequest, String)] = [
      (request("/probe?target=a"), "200 up 1\n"), (request("/probe/last"), "200 two\none\n"),
      (request("/-/healthy"), "200 Healthy"), (request("/-/healthy", from: nil), "200 Healthy"),
      (request("/config"), "200 modules:\n"), (request("/-/reload", .post), "200 "),
      (request("/-/reload"), post), (request("/-/reload", .head), post), (request("/probe", .post), only),
      (request("/config", .other), only), (request("/-/healthy", .post), only), (request("/"), "-"),
      (request("/probe?target=a", from: nil), token), (request("/config", from: "192.0.2.128"), token),
      (request("/-/reload", .post, from: "192.0.2.128"), token),
      (request("/probe/last", from: "192.0.2.127"), "200 two\none\n"),
      (request("/probe?target=%zz"), "400 the address is malformed or too long\n"),
    ]
    for (request, expected) in rows {
      #expect(await text(request) == expected, "\(request.method) \(request.target)")
      let hasBody = StatusRequest(
        method: request.method, target: request.target, host: "localhost", hasBody: true)
      if expected != "-" { #expect(await text(hasBody).hasPrefix("405 "), "\(request.target)") }
    }
    #expect(await reply(request("/probe", .post))?.allow == "GET, HEAD")
    #expect(await reply(request("/-/reload"))?.allow == "POST")
    #expect(await reply(request("/probe", from: nil))?.challenge == .basic)
    #expect(
      await text(request("/-/reload", .post), Desk(problem: "no file"))
        == "500 failed to reload config: no file\n")
    for target in ["/probe?target=a", "/probe/last", "/-/healthy", "/config"] {
      #expect(await reply(request(target, .head))?.omitsBody == true, "\(target)")
      #expect(await reply(request(target))?.omitsBody == false, "\(target)")
    }
  }

  /// A page in a browser over there asks from an address that may, under another name or from another site.
  @Test func pagesOfOthers() async {
    var foreign = request("/probe?target=a")
    foreign.host = "evil.example"
    #expect(await text(foreign) == "421 this host name is not served here; add it to status.hosts\n")
    foreign.host = "localhost"
    for (site, expected) in [
      ("cross-site", "403 a page of another site may not ask\n"), ("none", "200 up 1\n"),
      ("same-origin", "200 up 1\n"), ("same-site", "403 a page of another site may not ask\n"),
    ] {
      foreign.fetchSite = site
      #expect(await text(foreign) == expected, "\(site)")
    }
    // Who shows the token means to ask.
    (foreign.host, foreign.fetchSite, foreign.remote) = ("evil.example", "cross-site", nil)
    foreign.authorization = "Bearer \(Self.token)"
    #expect(await text(foreign) == "200 up 1\n")
  }

  /// An address that needs no token is not that of a proxy's clients.
  @Test func behindAProxy() async {
    var forwarded = request("/probe?target=a")
    forwarded.isForwarded = true
    let refused = "401 send probe.token as Authorization: Bearer, or ask without a proxy\n"
    #expect(await text(forwarded) == refused)
    forwarded.forwardedFor = IPAddress("192.0.2.1")
    #expect(await text(forwarded) == refused)
    (forwarded.method, forwarded.target) = (.post, "/-/reload")
    #expect(await text(forwarded) == refused)
    forwarded.authorization = "Bearer \(Self.token)"
    #expect(await text(forwarded) == "200 ")
  }

  /// What a probe comes to, in words, and as which kind of text.
  @Test func outcomes() async throws {
    let rows: [(ProbeAnswer, String)] = [
      (.metrics("a 1\n"), "200 a 1\n"), (.log("words"), "200 words"),
      (.refused("Unknown module"), "400 Unknown module\n"), (.broken("no file"), "503 no file\n"),
      (.busy, "503 too many probes are under way\n"),
    ]
    for (answer, expected) in rows {
      let reply = try #require(await reply(request("/probe?target=a"), Desk(answer)))
      #expect("\(reply.status) \(String(decoding: reply.body, as: UTF8.self))" == expected)
      let isMetrics = reply.kind.contentType == "text/plain; version=0.0.4; charset=utf-8"
      #expect(isMetrics == expected.hasPrefix("200 a"))
    }
  }

  /// What is made of an address, to the last byte of it, and of the scrape's timeout.
  @Test func questions() async {
    let desk = Desk()
    var long = request("/probe?target=" + String(repeating: "a", count: 8000 - 14))
    #expect(long.target.utf8.count == 8000)
    #expect(await text(long, desk) == "200 up 1\n")
    long.target += "a"
    #expect(await text(long, desk) == "400 the address is malformed or too long\n")
    for (header, timeout) in [(nil, nil), ("", nil), ("7.5", 7.5), ("0", 0), ("-1", -1)]
      as [(String?, Double?)]
    {
      var timed = request("/probe?module=&hostname=&debug=True")
      timed.scrapeTimeout = header
      _ = await reply(timed, desk)
      guard let question = desk.asked.withLock(\.last) else {
        Issue.record("nothing was asked")
        continue
      }
      #expect(question.scrapeTimeout == timeout && question.asker == IPAddress("192.0.2.1"))
      #expect(question.target == "" && question.module == "http_2xx" && question.hostname == nil)
      #expect(!question.isDebug)
    }
    var wrong = request("/probe?target=a")
    wrong.scrapeTimeout = "soon"
    #expect(await text(wrong, desk) == "500 Failed to parse timeout from Prometheus header\n")
    #expect(desk.asked.withLock(\.count) == 6)
  }

  private final class Reports: HeartbeatTaking {
    let taken = Mutex<[String]>([])
    let answer: HeartbeatAnswer

    init(_ answer: HeartbeatAnswer) { self.answer = answer }

    func take(_ report: HeartbeatReport, token: String) async -> HeartbeatAnswer {
      taken.withLock { $0.append("\(token) \(report.signal) \(report.body.count)") }
      return answer
    }
  }

  /// What each report comes to, in words, and which addresses are none.
  @Test func reports() async throws {
    let rows: [(HeartbeatAnswer, String)] = [
      (.taken, "200 OK"), (.unknown, "404 not found\n"), (.tooMany, "429 too many reports within a minute\n"),
      (
        .notKept,
        "503 the report was counted but could not be saved, a restart would lose it: send it again\n"
      ),
    ]
    for (answer, expected) in rows {
      let reports = Reports(answer)
      let door = HeartbeatDoor(desk: reports)
      for method in [StatusRequest.Method.get, .head, .post] {
        var request = request("/hb/abc/fail?x=/y", method)
        request.body = method == .post ? Array("words".utf8) : nil
        let reply = try #require(await door.reply(to: request))
        #expect("\(reply.status) \(String(decoding: reply.body, as: UTF8.self))" == expected)
        #expect(reply.omitsBody == (method == .head))
      }
      let signal = HeartbeatReport.Signal.fail(exitCode: nil)
      #expect(
        reports.taken.withLock(\.self) == [0, 0, 5].map { (count: Int) in "abc \(signal) \(count)" })
    }
    let door = HeartbeatDoor(desk: Reports(.taken))
    let isElsewhere = await door.reply(to: request("/h")) == nil
    #expect(isElsewhere)
    let put = try #require(await door.reply(to: request("/hb/abc", .other)))
    #expect(put.status == 405 && put.allow == "GET, HEAD, POST")
    #expect(put.body == Array("a report comes by GET, HEAD or POST\n".utf8))
    for (bytes, status) in [(2048, 200), (2049, 404)] {
      let long = request("/hb/" + String(repeating: "a", count: bytes - 4))
      #expect(try #require(await door.reply(to: long)).status == status)
    }
  }

  /// A reader that takes nothing from the start leaves as soon as one that stops later.
  @Test func aReaderThatNeverReads() throws {
    let feed = LiveFeed(source: try sampleSource())
    let channel = EmbeddedChannel()
    channel.isWritable = false
    final class Flag { var isSet = false }
    let ended = Flag()
    channel.closeFuture.assumeIsolated().whenComplete { _ in ended.isSet = true }
    feed.state.withLock { $0.isRunning = true }
    let seat = try #require(feed.join(channel))
    #expect(feed.state.withLock { $0.isRunning && $0.last == seat })
    #expect(LiveFeed.pace == .seconds(1) && LiveFeed.patience == 5)
    for round in 1...5 {
      feed.send("news", sync: "sync")
      #expect(feed.state.withLock { $0.readers[seat]?.stuck } == round)
      channel.embeddedEventLoop.run()
      #expect(ended.isSet == (round == 5))
    }
    feed.leave(seat)
    #expect(feed.state.withLock { $0.readers.isEmpty })
  }

  /// What is compressed, to the byte; and how long the server waits at its end.
  @Test func limits() {
    for (count, isLarge) in [(1024, false), (1025, true)] {
      var reply = Reply(200, .text, [UInt8](repeating: 97, count: count))
      reply.pack()
      #expect((reply.packed != nil) == isLarge)
      reply.compress(for: "gzip")
      #expect(reply.isCompressed == isLarge && reply.varies == (isLarge ? ["Accept-Encoding"] : []))
      #expect((reply.body.count < 100) == isLarge && reply.packed == nil)
    }
    #expect(LocalStatusServer.farewell == .seconds(2) && LocalStatusServer.grace == .seconds(3))
    #expect(LocalStatusServer.maxConnections == 128)
  }
}
