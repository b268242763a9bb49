// SPDX-License-Identifier: MIT

import Alerts
import Basics
import History
import Monitoring
import Status
import StatusSupport
import Testing
@testable import StatusServer

/// Documents of the API as a whole, and leave to order, without a server.
@Suite struct RouteDocumentTests {
  private func routes(_ source: FixedSource, isSocket: Bool = false) -> Routes {
    var routes = Routes(
      source: source, hosts: AllowedHosts(listen: .tcp(host: "127.0.0.1", port: 1)),
      runNow: RunNowGate(token: source.token))
    routes.isSocket = isSocket
    routes.signIn = SignInDesk(StatusAccess(runNowToken: source.token))
    return routes
  }

  private func at(_ minutes: Int) -> Timestamp { started.advanced(by: .seconds(60 * minutes)) }

  private func data(_ source: FixedSource, _ target: String) async throws -> JSONValue? {
    let reply = await routes(source).reply(to: StatusRequest(target: target, host: "localhost"))
    #expect(reply.status == 200, "\(target)")
    return try JSONValue.parse(reply.body)["data"]
  }

  private func expect(_ source: FixedSource, _ target: String, _ text: String) async throws {
    let found = try await data(source, target)
    #expect(try found == JSONValue.parse(text.utf8), "\(target)")
  }

  /// Channels and reports, with the end of the quiet hours; without a section `alerts` that they are off.
  @Test func alerts() async throws {
    var source = try sampleSource()
    try await expect(source, "/api/v1/alerts", #"{"on":false,"channels":[],"reports":[]}"#)
    var alerts = AlertsView()
    alerts.quietUntil = at(1)
    alerts.channels = [
      AlertsView.Channel(name: "ops", target: "a"), AlertsView.Channel(name: "mail", target: "b"),
    ]
    alerts.channels[1].pending = 3
    var report = ReportStatus(name: "monthly")
    (report.next, report.nextPeriod) = (at(2), "2026-01")
    var channel = ReportStatus.Channel(channel: "ops")
    (channel.state, channel.period, channel.delivered) = (.delivered, "2025-12", at(3))
    var held = ReportStatus.Channel(channel: "mail")
    (held.state, held.reason, held.until) = (.held, "quiet hours", at(4))
    report.channels = [channel, held, ReportStatus.Channel(channel: "new")]
    alerts.reports = [report]
    source.status.alerts = alerts
    func row(_ name: String, _ target: String, _ pending: Int) -> String {
      #"{"name":"\#(name)","target":"\#(target)","delivered":0,"pending":\#(pending),"held":0,"failed":0,"#
        + #""waiting":\#(pending),"dropped":0}"#
    }
    try await expect(
      source, "/api/v1/alerts",
      #"""
      {"on":true,"quiet_until":"2026-01-01T00:01:00.000Z",
      "channels":[\#(row("ops", "a", 0)),\#(row("mail", "b", 3))],
      "reports":[{"name":"monthly","next_at":"2026-01-01T00:02:00.000Z","next_period":"2026-01","channels":[
      {"channel":"ops","state":"delivered","period":"2025-12","delivered_at":"2026-01-01T00:03:00.000Z"},
      {"channel":"mail","state":"held","reason":"quiet hours","until":"2026-01-01T00:04:00.000Z"},
      {"channel":"new"}]}]}
      """#)
    #expect(
      report.words
        == "monthly, next 2026-01-01 00:02Z: ops delivered 2025-12, mail held until 2026-01-01 00:04Z: quiet hours, new"
    )
    #expect(StatusText(width: 200).render(source.status).contains("\nreport    \(report.words)\n"))
  }

  /// Mutes, windows, orders by hand, and posts, the newest first.
  @Test func ordersByHand() async throws {
    var source = try sampleSource()
    func order(_ number: UInt64, _ minute: Int) -> HandBook.Order {
      HandBook.Order(
        id: UniqueID(high: 1, low: number), target: .everything, from: at(minute), until: at(minute + 1))
    }
    func text(_ number: UInt64, _ minute: Int) -> String {
      #"{"id":"\#(UniqueID(high: 1, low: number))","target":"all","from":"\#(at(minute).rfc3339)","#
        + #""until":"\#(at(minute + 1).rfc3339)"}"#
    }
    (source.status.mutes, source.status.byHand) = ([order(1, 1), order(2, 5)], [order(3, 10)])
    source.status.posts = (0..<2).map { number in
      StatusPost(
        id: UniqueID(high: 2, low: UInt64(number)), title: "p\(number)", target: .everything,
        first: .init(at: at(number), state: .investigating))
    }
    try await expect(source, "/api/v1/mutes", "[\(text(1, 1)),\(text(2, 5))]")
    try await expect(source, "/api/v1/maintenance", #"{"windows":[],"by_hand":[\#(text(3, 10))]}"#)
    let posts = try await data(source, "/api/v1/posts")
    #expect(posts?.array?.map { $0["title"]?.string } == ["p1", "p0"])
  }

  /// Incidents by their state and page by page, the open ones first, each of them the newest first.
  @Test func incidents() async throws {
    var source = try sampleSource()
    var alerts = AlertsView()
    func incident(_ number: Int, end: Timestamp? = nil, by: String? = nil) -> IncidentStatus {
      var incident = IncidentStatus(
        id: UniqueID(high: 1, low: UInt64(number)), short: "", title: "i\(number)", subject: .availability,
        severity: .high, begin: at(number), end: end)
      incident.acknowledgedBy = by
      return incident
    }
    alerts.open = [incident(1), incident(2, by: "ann"), incident(3)]
    alerts.over = [incident(5, end: now), incident(4, end: now)]
    source.status.alerts = alerts
    let rows: [(String, [String], Int)] = [
      ("", ["i3", "i2", "i1", "i5", "i4"], 5), ("?status=", ["i3", "i2", "i1", "i5", "i4"], 5),
      ("?status=active", ["i3", "i1"], 2), ("?status=acknowledged", ["i2"], 1),
      ("?status=resolved", ["i5", "i4"], 2), ("?limit=2", ["i3", "i2"], 5), ("?limit=2&offset=4", ["i4"], 5),
      ("?offset=5", [], 5),
    ]
    for (query, titles, total) in rows {
      let reply = await routes(source).reply(
        to: StatusRequest(target: "/api/v1/incidents\(query)", host: "localhost"))
      let document = try JSONValue.parse(reply.body)
      #expect(document["data"]?.array?.compactMap { $0["title"]?.string } == titles, "\(query)")
      #expect(document["meta"]?["total"]?.integer == Int64(total), "\(query)")
    }
    let one = try await data(source, "/api/v1/incidents/\(UniqueID(high: 1, low: 4))")
    #expect(one?["title"]?.string == "i4" && one?["duration_s"]?.integer == 116 * 60)
  }

  /// The lists of a check: outages and results, the newest first, windows, and the line.
  @Test func listsOfACheck() async throws {
    let source = try sampleSource()
    let id = try #require(source.status.checks.first?.id)
    let path = "/api/v1/checks/\(id)"
    let begins = try #require(await source.outages(id, at: source.now)).map(\.begin.rfc3339)
    #expect(begins.count == 2)
    let outages = try await data(source, "\(path)/outages")
    #expect(outages?.array?.compactMap { $0["begin"]?.string } == begins.reversed())
    let second = try await data(source, "\(path)/outages?limit=1&offset=1")
    #expect(second?.array?.compactMap { $0["begin"]?.string } == [begins[0]])
    let results = try await data(source, "\(path)/results?limit=2&offset=3")
    #expect(
      results?.array?.compactMap { $0["started_at"]?.string } == [116, 115].map { at($0).rfc3339 })
    let windows = try await data(source, "\(path)/uptime")
    #expect(windows?.array?.compactMap { $0["period"]?.string } == ["24h", "7d", "30d", "90d"])
    let line = try await data(source, "\(path)/series?period=7d&points=10")
    let expected = await source.series(id, .week, points: 10, at: source.now)
    #expect(line?["period"]?.string == "7d")
    #expect(line?["points"]?.array?.compactMap { $0["start"]?.string } == expected?.map(\.start.rfc3339))
    let share = try await data(source, "\(path)/share?at=7")
    let bytes = try #require(await source.share(of: id, at: Timestamp(microseconds: 7))).bytes
    #expect(share?["check_id"]?.string == id.description && share?["share"]?.string == Base16.text(bytes))
    #expect(share?["at"]?.string == Timestamp(microseconds: 7).rfc3339)
  }

  /// Orders need the token over TCP, and none over the agent's own socket.
  @Test(arguments: [false, true]) func leaveToOrder(isSocket: Bool) async throws {
    var source = try sampleSource()
    source.token = Redacted("run-0123456789")
    let routes = routes(source, isSocket: isSocket)
    let wrong = "401 UNAUTHORIZED this is not status.run_now_token"
    let rows: [(String, String)] = [
      ("/api/v1/mutes?target=all&for=1h", "200 done"), ("/api/v1/incidents/x/ack", "200 done"),
      ("/api/v1/spool/resubmit", "404 there is no store here\n"),
      ("/api/v1/spool/submit", "404 there is no store here\n"),
    ]
    for (target, allowed) in rows {
      var request = StatusRequest(method: .post, target: target, host: "localhost")
      request.authorization = "Bearer wrong-0123456789"
      let reply = await routes.reply(to: request)
      let document = try? JSONValue.parse(reply.body)
      let words =
        "\(document?["error"]?["code"]?.string ?? "-") \(document?["error"]?["message"]?.string ?? "-")"
      let said = document?["data"]?["message"]?.string ?? String(decoding: reply.body, as: UTF8.self)
      #expect("\(reply.status) \(isSocket ? said : words)" == (isSocket ? allowed : wrong), "\(target)")
    }
    let path = "/api/v1/checks/\(try #require(source.status.checks.first?.id))/run"
    let run = await routes.reply(to: StatusRequest(method: .post, target: path, host: "localhost"))
    #expect(run.status == 401, "a run needs the token on each address")
  }

  /// What came of an order that was not carried out.
  @Test(
    arguments: [
      (.refused("200 are active"), 409, "REFUSED 200 are active"),
      (.notFound("no such mute", hint: "see them"), 404, "NOT_FOUND no such mute; see them"),
      (.notFound("no such mute", hint: nil), 404, "NOT_FOUND no such mute"),
    ] as [(OperatorAnswer, Int, String)])
  func ordersNotCarriedOut(answer: OperatorAnswer, status: Int, words: String) async throws {
    var source = try sampleSource()
    source.orders = OrderLog(answer)
    let request = StatusRequest(method: .post, target: "/api/v1/mutes/x/end?by=&why=a", host: "localhost")
    let reply = await routes(source, isSocket: true).reply(to: request)
    let error = try JSONValue.parse(reply.body)["error"]
    #expect(reply.status == status)
    #expect("\(error?["code"]?.string ?? "-") \(error?["message"]?.string ?? "-")" == words)
    #expect(source.orders.all == [OperatorWish(.unmute(id: "x"), why: "a")])
  }

  /// Parts of an address that are easily read another way.
  @Test func oddAddresses() async throws {
    let path = try #require(RequestPath("/?a=b=c&d=e?f&=g"))
    #expect(path["a"] == "b=c" && path["d"] == "e?f" && path[""] == "g")
    var source = try sampleSource()
    source.token = Redacted("run-0123456789")
    let routes = routes(source)
    let odd = await routes.reply(to: StatusRequest(method: .other, target: "/%zz", host: "localhost"))
    #expect(odd.status == 405 && odd.allow == "GET, HEAD")
    let check = try #require(source.status.checks.first?.id)
    let act = await routes.reply(to: StatusRequest(target: "/act?check=\(check)", host: "localhost"))
    #expect(act.status == 303 && act.location == "/sign-in?to=%2Fact%3Fcheck%3D\(check)")
    let month = try await data(source, "/api/v1/report?month=2026-01&week=")
    let week = try await data(source, "/api/v1/report?month=&week=2026-W01")
    #expect(month?["month"]?.string == "2026-01" && week?["week"]?.string == "2026-W01")
    let desk = SignInDesk(StatusAccess(runNowToken: source.token))
    guard case .welcome(_, let cookie) = desk.signIn("run-0123456789", name: "", from: "", now: now) else {
      Issue.record("no welcome")
      return
    }
    #expect(desk.person("__Host-quartz_session=\(cookie)", now: now)?.mayAct == true)
    #expect(desk.person("__Hos-quartz_session=\(cookie)", now: now) == nil)
  }

  /// An item without a value chooses nothing, and one that is given twice is one, in the links as well.
  @Test func emptyChoices() async throws {
    let source = try sampleSource()
    let all = ["Shop front", "Mail <b>gateway</b>", "Search", "Never ran yet"]
    for (query, names) in [("tag=&check=", all), ("tag=", all), ("check=&tag=prod", ["Shop front"])] {
      let report = try await data(source, "/api/v1/report?month=2026-01&\(query)")
      #expect(report?["checks"]?.array?.compactMap { $0["name"]?.string } == names, "\(query)")
    }
    let page = await routes(source).reply(
      to: StatusRequest(
        target: "/report?check=Search&check=&tag=a&check=Search&tag=&tag=a", host: "localhost"))
    let html = String(decoding: page.body, as: UTF8.self)
    #expect(html.contains("href=\"/report?month=2025-12&amp;check=Search&amp;tag=a\""))
  }
}
