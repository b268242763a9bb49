// SPDX-License-Identifier: MIT

import Alerts
import Basics
import History
import Monitoring
import Status
import StatusSupport
import Synchronization
import Testing
@testable import StatusServer

/// What forms of the pages do, and the words of what came of it.
@Suite struct ActTableTests {
  private static let token = "run-0123456789"
  private static let incident = UniqueID(high: 7, low: 0xabc_def)

  /// Gives its answers one after the other, and keeps what it was asked.
  private final class Source: StatusSource {
    let fixed: FixedSource
    let answers: Mutex<[OperatorAnswer]>
    let outcomes: Mutex<[RunNowOutcome]>
    let asked = Mutex<[String]>([])
    let wishes = Mutex<[OperatorWish]>([])

    /// Done before each run.
    let hold: (@Sendable () async -> Void)?

    init(
      _ fixed: FixedSource, _ answers: [OperatorAnswer] = [], _ outcomes: [RunNowOutcome] = [],
      hold: (@Sendable () async -> Void)? = nil
    ) {
      (self.fixed, self.hold) = (fixed, hold)
      self.answers = Mutex(answers)
      self.outcomes = Mutex(outcomes)
    }

    private func note(_ words: String) { asked.withLock { $0.append(words) } }

    var now: Timestamp { fixed.now }
    func snapshot() async -> StatusSnapshot { await fixed.snapshot() }
    func recent(_ checkID: UniqueID) async -> [CheckResult]? { await fixed.recent(checkID) }
    func outages(_ checkID: UniqueID, at instant: Timestamp) async -> [Outage]? {
      await fixed.outages(checkID, at: instant)
    }
    func series(
      _ checkID: UniqueID, _ period: UptimePeriod, points: Int, at instant: Timestamp
    ) async -> [SeriesPoint]? {
      note("series \(period.rawValue) \(points)")
      return await fixed.series(checkID, period, points: points, at: instant)
    }
    func periods(through period: CalendarPeriod, count: Int) async -> [UniqueID: CheckMonths] {
      note("periods \(period.text) \(count)")
      return await fixed.periods(through: period, count: count)
    }
    func metrics() async -> MetricsView { await fixed.metrics() }
    func share(of checkID: UniqueID, at instant: Timestamp) async -> WindowShare? {
      note("share \(instant.microseconds)")
      return nil
    }
    func askPlaces(_ checkID: UniqueID) async { note("places \(checkID)") }
    func group(withChecks: Bool) async -> (@Sendable (inout JSONWriter) -> Void)? {
      note("group \(withChecks)")
      return nil
    }
    func runNow(_ checkID: UniqueID) async -> RunNowOutcome {
      await hold?()
      return outcomes.withLock { $0.isEmpty ? .noSuchCheck : $0.removeFirst() }
    }
    func act(_ wish: OperatorWish) async -> OperatorAnswer {
      wishes.withLock { $0.append(wish) }
      return answers.withLock { $0.isEmpty ? .done("") : $0.removeFirst() }
    }
    func isReady() async -> Bool { true }
  }

  /// The sample, with so many checks of one incident.
  private func sample(_ count: Int = 2) throws -> FixedSource {
    var source = try sampleSource()
    let base = try #require(source.status.checks.first)
    source.status.checks = (0..<count).map { number in
      var check = base
      (check.id, check.name) = (UniqueID(high: 5, low: UInt64(number)), "c\(number)")
      return check
    }
    var alerts = AlertsView()
    for check in source.status.checks { alerts.incidentOf[check.id] = Self.incident }
    source.status.alerts = alerts
    source.status.mutes = [
      HandBook.Order(id: UniqueID(high: 3, low: 3), target: .check("c0"), from: now, until: now),
      HandBook.Order(id: UniqueID(high: 3, low: 4), target: .check("other"), from: now, until: now),
    ]
    return source
  }

  private func routes(_ source: Source) -> Routes {
    Routes(
      source: source, hosts: AllowedHosts(listen: .tcp(host: "127.0.0.1", port: 1)),
      runNow: RunNowGate(token: Redacted(Self.token)))
  }

  private func press(
    _ source: Source, _ fields: String, cookie: String? = nil, accept: String = "application/json"
  ) async -> Reply {
    var routes = routes(source)
    let desk = SignInDesk(StatusAccess(runNowToken: Redacted(Self.token)))
    routes.signIn = desk
    var request = StatusRequest(method: .post, target: "/act", host: "localhost", accept: accept)
    request.body = Array("proof=\(routes.button.proof)&\(fields)".utf8)
    if let cookie,
      case .welcome(_, let value) = desk.signIn(Self.token, name: cookie, from: "", now: source.now)
    {
      request.cookie = "\(SignInDesk.cookie)=\(value)"
    } else {
      request.authorization = "Bearer \(Self.token)"
    }
    return await routes.reply(to: request)
  }

  private func words(_ reply: Reply) throws -> String {
    let document = try JSONValue.parse(reply.body)
    let undo = document["data"]?["undo"]?.string.map { " (\($0))" } ?? ""
    let message = document["data"]?["message"]?.string ?? document["error"]?["message"]?.string ?? "-"
    return "\(reply.status) \(message)\(undo)"
  }

  /// Each action in words, with what takes it back; of several what was refused, and the first reason.
  @Test(
    arguments: [
      ("do=ack&incident=INCIDENT", [], "200 acknowledged: no more reminders"),
      ("do=mute&incident=INCIDENT&for=4h", [], "200 2 checks: muted for 4h (unmute)"),
      ("do=mute&check=CHECK", [], "200 muted for 1h (unmute)"),
      ("do=mute&check=CHECK&until=2026-01-01T03:30", [], "200 muted until 2026-01-01 03:30 UTC (unmute)"),
      ("do=unmute&check=CHECK", [], "200 no longer muted"),
      ("do=unmute&order=CHECK", [], "200 no longer muted"),
      ("do=maintenance&incident=INCIDENT&for=30m", [], "200 2 checks: in maintenance for 30m"),
      ("do=end-maintenance&order=CHECK", [], "200 maintenance ended"),
      (
        "do=mute&incident=INCIDENT", [.refused("full"), .done("")],
        "200 muted for 1h; 1 refused (c0): full (unmute)"
      ),
      (
        "do=mute&incident=INCIDENT", [.notFound("gone", hint: "x"), .refused("full")], "409 Refused: gone"
      ),
      ("do=ack", [], "404 There is nothing to do here any more"),
      ("do=end-maintenance&check=CHECK", [], "404 There is nothing to do here any more"),
      ("do=mute&check=x", [], "404 There is nothing to do here any more"),
      ("do=run&check=x", [], "404 No enabled check is meant"),
      ("do=none", [], "400 This cannot be done: do names no action"),
      (
        "do=mute&check=CHECK&for=31d", [],
        "400 This cannot be done: for must be a duration of at most 30d, such as 30m"
      ),
      (
        "do=mute&check=CHECK&until=x", [],
        "400 This cannot be done: until must be a time, such as 2026-01-04T08:00 (UTC)"
      ),
      (
        "do=mute&check=CHECK&until=2026-01-01T01:00", [],
        "400 This cannot be done: until must be later than now and at most 30 days away"
      ),
    ] as [(String, [OperatorAnswer], String)])
  func wordsOfActions(fields: String, answers: [OperatorAnswer], expected: String) async throws {
    let source = Source(try sample(), answers)
    let filled = fields.replacing("INCIDENT", with: Self.incident.description)
      .replacing("CHECK", with: UniqueID(high: 5, low: 0).description)
    #expect(try words(await press(source, filled)) == expected)
  }

  /// A part of an incident that found no place: named on a page, for the one to go back to would not show it.
  @Test(arguments: [
    ("mute", "muted", "one order mutes all checks of a tag: quartz-agent mute tag:NAME"),
    (
      "maintenance", "in maintenance",
      "one order is for all checks of a tag: quartz-agent maintenance start tag:NAME"
    ),
  ])
  func whatFoundNoPlaceIsNamed(action: String, done: String, hint: String) async throws {
    let full = OperatorAnswer.refused("200 are active already: end some")
    let source = Source(try sample(14), [.done(""), .done("")] + Array(repeating: full, count: 12))
    let fields = "do=\(action)&incident=\(Self.incident)&for=1h"
    let page = await press(source, fields, accept: "text/html")
    let names = (2..<12).map { "c\($0)" }.joined(separator: ", ")
    let words =
      "2 checks: \(done) for 1h; 12 refused (\(names) and 2 more): 200 are active already: end some"
    #expect(page.status == 200 && page.location == nil)
    #expect(String(decoding: page.body, as: UTF8.self).contains("<h1>\(words)</h1><p>\(hint)</p>"))
    let whole = Source(try sample(14), [])
    #expect(await press(whole, fields, accept: "text/html").location == "/")
  }

  /// What is ordered: by whom, why, and of which checks; a name that two bear is no name.
  @Test func whatIsOrdered() async throws {
    var fixed = try sample(3)
    fixed.status.checks[2].name = "c1"
    let source = Source(fixed)
    let incident = "incident=\(Self.incident)"
    _ = await press(source, "do=mute&\(incident)&for=2h&note=deploy", cookie: "ann")
    _ = await press(source, "do=unmute&\(incident)&note=", cookie: "")
    _ = await press(source, "do=end-maintenance&order=\(UniqueID(high: 3, low: 9))")
    func mute(_ target: String) -> OperatorWish {
      OperatorWish(.mute(target: .check(target), length: .seconds(7200)), by: "ann", why: "deploy")
    }
    let ids = fixed.status.checks.map(\.id.description)
    #expect(
      source.wishes.withLock(\.self) == [
        mute("c0"), mute(ids[1]), mute(ids[2]),
        OperatorWish(.unmute(id: UniqueID(high: 3, low: 3).description), by: "the status page"),
        OperatorWish(.endMaintenance(id: UniqueID(high: 3, low: 9).description), by: "the status page"),
      ])
  }

  /// Twenty checks of one form run; what did not is counted.
  @Test func runsInWords() async throws {
    let check = try makeCheck("c")
    func done(_ state: CheckState) -> RunNowOutcome { .done(makeResult(check, minute: 1, state: state)) }
    func said(_ count: Int, _ outcomes: [RunNowOutcome]) async throws -> String {
      try words(await press(Source(try sample(count), [], outcomes), "do=run&incident=\(Self.incident)"))
    }
    #expect(try await said(1, [done(.down)]) == "200 ✕ DOWN http_status: status 503, expected 200-299")
    #expect(try await said(1, [.busy("two run")]) == "200 not now: two run")
    #expect(
      try await said(6, [done(.up), done(.down), done(.degraded), done(.up), done(.unknown), .stopping])
        == "200 5 checks ran: 1 down, 1 degraded, 1 unknown, 2 up; 1 did not run")
    #expect(try await said(2, [.stopping, .noSuchCheck]) == "200 0 checks ran; 2 did not run")
    let many = Array(repeating: done(.up), count: 30)
    #expect(try await said(20, many) == "200 20 checks ran: 20 up")
    #expect(try await said(21, many) == "200 20 checks ran: 20 up; 1 did not run")
    var off = try sample(3)
    off.status.checks[0].enabled = false
    let source = Source(off, [], many)
    #expect(try words(await press(source, "do=run&incident=\(Self.incident)")) == "200 2 checks ran: 2 up")
    #expect(source.outcomes.withLock(\.count) == 28)
  }

  /// Four checks of a form run at once, and each that ends makes room for one.
  @Test(.timeLimit(.minutes(1))) func fourAtOnce() async throws {
    let (begun, tell) = AsyncStream.makeStream(of: Void.self)
    let held = Mutex<[CheckedContinuation<Void, Never>]>([])
    let check = try makeCheck("c")
    let outcomes = (0..<6).map { RunNowOutcome.done(makeResult(check, minute: $0, state: .up)) }
    let source = Source(
      try sample(6), [], outcomes,
      hold: {
        await withCheckedContinuation { continuation in
          held.withLock { $0.append(continuation) }
          tell.yield()
        }
      })
    async let reply = press(source, "do=run&incident=\(Self.incident)")
    var runs = begun.makeAsyncIterator()
    for _ in 0..<4 { _ = await runs.next() }
    for _ in 0..<2 {
      for _ in 0..<1000 { await Task.yield() }
      #expect(held.withLock(\.count) == 4)
      held.withLock { $0.removeFirst() }.resume()
      _ = await runs.next()
    }
    for one in held.withLock(\.self) { one.resume() }
    #expect(try words(await reply) == "200 6 checks ran: 6 up")
  }

  /// What the source is asked for a page or document, and how much of it.
  @Test func whatTheSourceIsAsked() async throws {
    let fixed = try sampleSource()
    let id = try #require(fixed.status.checks.first?.id)
    let strips = ["series 24h 48", "series 7d 56", "series 30d 60", "series 90d 90"]
    let rows: [(String, Int, [String])] = [
      ("/checks/\(id)", 200, ["places \(id)", "series 24h 300"] + strips),
      ("/checks/\(id)?line=90d", 200, ["places \(id)", "series 90d 300"] + strips),
      ("/api/v1/checks/\(id)", 200, ["places \(id)"]), ("/api/v1/checks/\(id)/results", 200, []),
      ("/api/v1/checks/\(id)/series", 200, ["series 24h 300"]),
      ("/api/v1/checks/\(id)/series?period=7d&points=2", 200, ["series 7d 2"]),
      ("/api/v1/checks/\(id)/share", 404, ["share \(now.microseconds)"]),
      ("/api/v1/checks/\(id)/share?at=0", 404, ["share 0"]),
      ("/api/v1/checks/\(id)/share?at=36028797018963968", 404, ["share 36028797018963968"]),
      ("/api/v1/group", 404, ["group false"]), ("/api/v1/group?checks=true", 404, ["group true"]),
      ("/report", 200, ["periods 2026-01 6"]), ("/api/v1/report?month=last", 200, ["periods 2025-12 6"]),
      ("/api/v1/report.csv?week=last", 200, ["periods 2025-W52 6"]), ("/", 200, []), ("/wall", 200, []),
    ]
    for (target, status, asked) in rows {
      let source = Source(fixed)
      let reply = await routes(source).reply(to: StatusRequest(target: target, host: "localhost"))
      #expect(reply.status == status && source.asked.withLock(\.self) == asked, "\(target)")
    }
  }
}
