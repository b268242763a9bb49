// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Bounds of what is written and read, and of the rules about windows and about the agent itself.
@Suite struct AlertLimitTests {
  private let ops = AlertChannel(name: "ops", kind: .exec(ExecChannel(command: ["/bin/true"])))

  private func incident(_ name: String = "A", _ number: UInt64 = 1) -> Incident {
    var incident = Incident(
      id: UniqueID(high: 5, low: number), subject: .availability, begin: after(0), opened: after(0),
      at: reading(0).boot)
    let trouble = Trouble(
      key: .init(rule: "down", check: UniqueID(high: 0, low: number)), subject: .availability,
      severity: .high,
      name: name, since: after(0))
    incident.take(trouble, at: reading(0))
    return incident
  }

  /// Four megabytes of a report are sent, and not one byte more.
  @Test(arguments: [(4_194_304, true), (4_194_305, false)]) func reports(bytes: Int, isSent: Bool) {
    let schedule = ReportSchedule(name: "monthly", channels: ["ops"])
    let period = CalendarPeriod.Unit.month.period(of: after(0))
    let file = [UInt8](repeating: 65, count: bytes)
    let content = ReportContent(
      schedule, period, summary: "s", headlines: ["h"], document: String(decoding: file, as: UTF8.self),
      file: file)
    #expect((content.file != nil) == isSent && (content.document != nil) == isSent)
    #expect(content.isFileTooLarge == !isSent && content.title == "monthly, January 2026: s")
    let more = isSent ? [] : ["The report is too large to be sent as a file."]
    #expect(content.lines == ["s", "h"] + more)
    guard !isSent else { return }
    var json = JSONWriter()
    content.write(to: &json)
    #expect(
      json.text == #"{"name":"monthly","every":"month","period":"2026-01","summary":"s","headlines":["h"]}"#)
  }

  /// The line of a way has 256 bytes.
  @Test func paths() {
    var message = AlertMessage(
      id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 2, low: 2), kind: .update, severity: .high,
      title: "T", at: after(100), begin: after(0), agent: "a")
    message.members = [
      .init(checkID: UniqueID(high: 0, low: 1), name: "A", rule: "down", severity: .high, since: after(0))
    ]
    for (count, isWhole) in [(256, true), (257, false)] {
      let words = String(repeating: "x", count: count)
      let path = message.with { _, _ in words }.members[0].path
      #expect((path == words) == isWhole && path?.utf8.count == 256)
    }
    message.hidesTargets = true
    #expect(message.with { _, _ in "x" }.members[0].path == nil)
  }

  private func message(_ incident: Incident, _ results: [CheckResult] = []) throws -> AlertMessage {
    let draft = try #require(Draft(incident, ops, quickSettings()))
    let writer = MessageWriter(agent: "a", region: nil, pageURL: nil, recent: { _ in results })
    let notification = Notification(
      id: UniqueID(high: 9, low: 9), channel: ops, kind: draft.kind, form: .incident, parts: [draft],
      recipients: nil, isPlain: false)
    return try #require(writer.message(notification, now: after(9000)))
  }

  /// A title has 512 bytes; a picture the last 48 results, oldest first; the last good one is of before it
  /// began.
  @Test func messages() throws {
    let web = try makeCheck("web")
    #expect(try message(incident(String(repeating: "x", count: 600))).title.utf8.count == 512)
    let newest = (Int64(0)..<60).map { place in
      var one = result(web, place < 5 ? .down : .degraded, at: place)
      one.scheduledAt = after(120 - 10 * place)
      return one
    }
    let shown = try message(incident(), newest).members[0]
    let moments = newest.prefix(48).map(\.scheduledAt)
    #expect(shown.recent.map(\.at) == Array(moments.reversed()) && moments.count == 48)
    #expect(shown.lastGood == after(-10), "one at the very moment is not before it")
    #expect(shown.recent.last?.state == .down && shown.recent.first?.state == .degraded)
  }

  /// A digest names a hundred incidents, the newest first, and counts them all.
  @Test func digests() throws {
    let parts = try (0..<101).map { number in
      try #require(Draft(incident("c\(number)", UInt64(number)), ops, quickSettings()))
    }
    let notification = Notification(
      id: UniqueID(high: 9, low: 9), channel: ops, kind: .digest, form: .digest, parts: parts,
      recipients: nil,
      isPlain: false)
    let writer = MessageWriter(agent: "a", region: nil, pageURL: nil)
    let message = try #require(writer.message(notification, now: after(100)))
    #expect(message.memberCount == 101 && message.title == "101 incidents since the last digest")
    let titles = (1...100).map { "c\(101 - $0) is down" }
    #expect(message.digest.map(\.title) == titles)
    #expect(message.severity == .high && message.begin == after(0) && message.incident == message.id)
    let past = Notification(
      id: UniqueID(high: 9, low: 9), channel: ops, kind: .digest, form: .past, parts: Array(parts.prefix(1)),
      recipients: nil, isPlain: false)
    #expect(
      writer.message(past, now: after(100))?.title
        == "1 incident began and ended while this channel could not be reached")
  }

  /// What was held for its wait alone is worth a word where it lasted longer than that.
  @Test(arguments: [(3, false), (4, true)] as [(Int64, Bool)]) func past(lasted: Int64, isTold: Bool) {
    var incident = incident()
    incident.leave(incident.members[0].trouble.key, at: reading(lasted), .recovered)
    incident.end = after(lasted)
    incident.log["ops"] = NotificationRecord()
    incident.log["ops"]?.held = .wait
    #expect((Draft(incident, ops, quickSettings())?.trigger == .past) == isTold)
    #expect(Draft(incident, makePagerDuty("ops"), quickSettings()) == nil)
  }

  private struct Figures: RuleWatch.Figures {
    var down: [Duration: Duration?]
    var isResting = false
    func down(_ check: UniqueID, last span: Duration) -> Duration? { down[span] ?? nil }
    func isInMaintenance(_ check: UniqueID) -> Bool { isResting }
  }

  /// Of 50 % the half is the budget: in both windows it burns six times too fast, or not at all.
  @Test(
    arguments: [(5400, 64_800, true), (5399, 64_800, false), (5400, 64_799, false), (5400, nil, false)]
      as [(Int64, Int64?, Bool)])
  func burning(short: Int64, long: Int64?, burns: Bool) throws {
    let shop = try makeCheck("Shop", host: "a.example")
    var watch = RuleWatch([AlertRule("r", .burnRate(objective: 50), severity: .medium)])
    _ = watch.apply([shop], now: monday)
    let figures = Figures(down: [
      .seconds(300): .zero, .seconds(3600): .zero, .seconds(1800): .seconds(short),
      .seconds(21_600): long.map { .seconds($0) },
    ])
    guard case .holds(let trouble)? = watch.judge(figures, now: after(60)).first else {
      return #expect(!burns)
    }
    #expect(burns && trouble.text == "its error budget of 50.0% burns 6 times too fast over 6h")
    #expect(trouble.subject == .budget && trouble.severity == .medium && trouble.since == after(60))
    #expect(trouble.name == "Shop" && trouble.target == shop.target && trouble.pace == .seconds(60))
    #expect(trouble.relation.host == "a.example" && trouble.state == nil)
    let resting = watch.judge(Figures(down: [:], isResting: true), now: after(120))
    #expect(resting == [.ended(trouble.key, at: after(120), .maintenance)])
  }

  /// Of each part the worst, in its words; what is fine, a restart and the fleet are no problem of the agent.
  @Test func theAgentItself() {
    var watch = RuleWatch([AlertRule("own", .agent(for: .seconds(10)), severity: .low)])
    let notices: [Notice] = [
      .warning("store", "slow"), .critical("store", "full"), .warning("store", "odd"), .fine("clock", "well"),
      .critical(.restart, "r"), .critical(.fleet, "f"), .warning("net", "lost"), .critical(.check("A"), "c"),
    ]
    let early = [Int64(0), 9].flatMap { watch.judge(notices, now: reading($0)) }
    #expect(early.isEmpty)
    let told = watch.judge(notices, now: reading(10)).compactMap { event -> String? in
      guard case .holds(let trouble) = event else { return nil }
      return "\(trouble.name): \(trouble.text ?? "") \(trouble.severity) \(trouble.since == after(0))"
    }
    #expect(told == ["agent: net: lost low true", "agent: store: full low true"])
    let ended = watch.judge([notices[6]], now: reading(20))
    #expect(ended == [.ended(.init(rule: "own", part: "store"), at: after(20), .recovered)])
  }
}
