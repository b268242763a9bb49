// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import TestSupport
import Testing

@testable import QuartzAPI

/// The receivers' answers by status and by code, and what an operator is told: each row of the tables.
@Suite struct DeliveryTableTests {
  private func judged(_ dialect: DeliveryDialect, _ status: Int, _ body: String = "") -> String {
    let response = OutboundAnswer(status: status, headers: [], body: Array(body.utf8))
    switch DeliveryRules.judge(.response(response), by: dialect, sent: [checkID(1)], now: dawn) {
    case .acknowledged: return "taken"
    case .rowsRefused(let code): return "rows \(code)"
    case .checkGone(_, let code): return "check \(code)"
    case .unauthorized: return "key"
    case .misconfigured(_, let retry): return "config \(Int(retry.seconds))"
    case .tooLarge: return "size"
    case .throttled: return "rate"
    case .transient(_, _, let blamesBatch): return blamesBatch ? "blames" : "later"
    }
  }

  /// Without a code the status decides.
  @Test(
    arguments: [
      (200, "later"), (204, "later"), (299, "later"), (300, "config 300"), (307, "config 300"),
      (399, "config 300"), (400, "rows http_400"), (401, "key"), (402, "config 900"), (403, "key"),
      (404, "config 900"), (405, "config 900"), (406, "config 900"), (408, "later"), (409, "rows http_409"),
      (410, "config 900"), (413, "size"), (415, "config 900"), (422, "rows http_422"), (423, "config 900"),
      (425, "later"), (426, "config 900"), (429, "rate"), (431, "config 900"), (499, "config 900"),
      (500, "blames"), (501, "later"), (502, "later"), (503, "later"), (504, "later"), (599, "later"),
      (600, "config 900"),
    ])
  func statuses(status: Int, meaning: String) {
    for dialect in [DeliveryDialect.quartz, .supabase] {
      #expect(judged(dialect, status) == meaning)
      #expect(judged(dialect, status, "<html>") == meaning)
    }
  }

  /// A code decides before the status, but for a size and a rate; what is no code says nothing.
  @Test(
    arguments: [
      ("21000", "rows 21000"), ("22003", "rows 22003"), ("22P02", "rows 22P02"), ("23503", "rows 23503"),
      ("23505", "rows 23505"), ("42501", "key"), ("42P01", "config 900"), ("42703", "config 900"),
      ("08006", "later"), ("0A000", "later"), ("25006", "later"), ("40001", "later"), ("53300", "later"),
      ("57014", "later"), ("P0001", "later"), ("XX000", "later"), ("PGRST000", "later"),
      ("PGRST001", "later"),
      ("PGRST002", "later"), ("PGRST003", "later"), ("PGRST102", "rows PGRST102"),
      ("PGRST204", "rows PGRST204"), ("PGRST301", "key"), ("PGRST302", "key"), ("PGRST303", "key"),
      ("PGRST116", nil), ("PGRST202", nil), ("PGRST205", nil), ("INTERNAL_ERROR", nil), ("2350", nil),
      ("235033", nil), ("22p02", nil), ("PGRST10", nil), ("PGRST1020", nil), ("", nil),
    ] as [(String, String?)])
  func codes(code: String, meaning: String?) {
    let top = #"{"code":"\#(code)","message":"m"}"#
    let inside = #"{"success":false,"error":\#(top)}"#
    let isCode = code.hasPrefix("PGRST") && code.count == 8
    for body in [top, inside] {
      for (status, plain) in [
        (401, "key"), (404, "config 900"), (409, isCode ? "rows \(code)" : "rows http_409"),
        (500, isCode ? "later" : "blames"), (503, "later"),
      ] {
        #expect(judged(.quartz, status, body) == meaning ?? plain, "\(status) \(body)")
      }
      #expect(judged(.supabase, 413, body) == "size" && judged(.supabase, 429, body) == "rate")
    }
  }

  private func status(_ machine: DeliveryMachine, storeProblem: String? = nil, ahead: Duration? = nil)
    -> DeliveryStatus
  {
    DeliveryStatus(
      machine,
      usage: RequestUsage(
        minute: 12, hour: 340, allowedPerMinute: 45, perHour: 900, storeProblem: storeProblem,
        serverAhead: ahead), dialect: .quartz, time: SteadyTime(FakeClock().time))
  }

  private func split(_ id: Int, rows: Int) -> Piece {
    var piece = Piece(id: id, rows: queued(rows))
    piece.isSplit = true
    return piece
  }

  /// Each notice in its words; none where all is well.
  @Test func notices() {
    var machine = DeliveryMachine(settings: .init())
    #expect(status(machine).notices == [])
    machine.tally.quarantined = 21
    machine.tally.codes = ["22003": 4, "23503": 9, "a": 4, "22P02": 3, "21000": 1]
    machine.throttled = [
      .live: dawn.advanced(by: .milliseconds(5001)), .pull: dawn.advanced(by: .seconds(90)),
    ]
    machine.lanes[.live]?.add(split(1, rows: 3))
    machine.lanes[.backlog]?.add(split(2, rows: 2))
    machine.lanes[.backlog]?.add(Piece(id: 3, rows: queued(4)))
    machine.bisections = Array(repeating: dawn, count: 40)
    machine.batchLimit = 250
    let found = status(machine, storeProblem: "odd", ahead: .seconds(-90))
    #expect(found.open == 9 && found.parked == 5 && found.hasBacklog)
    #expect(found.batch == 250 && found.configuredBatch == 500)
    #expect(
      found.notices.map(\.what) == [
        "21 results were refused by the receiver since the start (9 × 23503, 4 × 22003, 4 × a, 3 × 22P02)",
        "the request budget is used up: nothing is sent before 2026-01-04T02:00:05.001Z "
          + "(12 of 45 in a minute, 340 of 900 in an hour)",
        "5 results are parked: isolating the rejected row, at most 40 requests an hour",
        "batches of 250: the receiver took no larger ones",
        "the receiver's clock is \(Duration.seconds(90).text) behind this machine's; "
          + "results carry this machine's time",
        "the request count of the previous run cannot be read, so sending waits a minute: odd",
      ])
    #expect(found.notices.allSatisfy { $0.severity == .warning })
    #expect(found.notices.map(\.place) == [.delivery, .delivery, .delivery, .delivery, .clock, .delivery])
    machine.bisections.removeLast()
    #expect(status(machine).parked == 0)
    // A wait of seconds is the pace of ordinary delivery, and another use is no matter of results.
    machine.throttled = [.live: dawn.advanced(by: .seconds(5)), .backlog: dawn.advanced(by: .seconds(900))]
    #expect(status(machine).throttledUntil == nil)
  }

  /// A request that hangs: it is under way since it was sent, and a next try that has passed is none.
  @Test func aRequestUnderWay() {
    var machine = DeliveryMachine(settings: .init())
    machine.holdUntil = dawn.advanced(by: .seconds(1))
    #expect(
      status(machine).heldUntil == dawn.advanced(by: .seconds(1)) && status(machine).requestSince == nil)
    machine.holdUntil = dawn
    #expect(status(machine).heldUntil == nil)
    machine.lanes[.live]?.add(Piece(id: 1, rows: queued(500)))
    machine.lanes[.live]?.nextLook = dawn.advanced(by: .seconds(60))
    guard case .send = machine.next(at: dawn) else {
      Issue.record("nothing is sent")
      return
    }
    #expect(status(machine).requestSince == dawn)
    machine.abandon()
    #expect(status(machine).requestSince == nil)
    // One is one.
    (machine.tally.quarantined, machine.tally.codes) = (1, ["23503": 1])
    #expect(
      status(machine).notices.map(\.what) == [
        "1 result was refused by the receiver since the start (1 × 23503)"
      ])
  }

  /// A batch that is answered with a bare 500 waits by itself: twice as long each time, up to five minutes.
  @Test(arguments: [(1, 2), (2, 4), (7, 128), (8, 256), (9, 300), (30, 300)])
  func pausesOfASuspect(failures: Int, seconds: Int) {
    for (pause, longer) in [(0, seconds), (seconds - 1, seconds), (seconds + 9, seconds + 9)] {
      var machine = DeliveryMachine(settings: .init())
      var piece = Piece(id: 1, rows: queued(3))
      piece.blame.failures = failures - 1
      machine.lanes[.live]?.add(piece)
      let effects = machine.blame(piece, of: .live, pause: .seconds(pause), at: dawn)
      let blame = machine.lanes[.live]?.pieces.first?.blame
      #expect(effects.isEmpty && blame?.failures == failures && blame?.since == dawn)
      #expect(blame?.notBefore == dawn.advanced(by: .seconds(longer)))
    }
  }

  /// The rows are to blame after eight failures in half an hour, while others were taken; a half that is known to be
  /// bad after two.
  @Test(
    arguments: [
      (8, 1800, true, false, true), (7, 1800, true, false, false), (8, 1799, true, false, false),
      (8, 1800, false, false, false), (2, 0, true, true, true), (1, 9000, true, true, false),
      (9, 9000, false, true, false),
    ])
  func proofs(failures: Int, seconds: Int, others: Bool, isKnownBad: Bool, isProven: Bool) {
    var machine = DeliveryMachine(settings: .init())
    var piece = Piece(id: 1, rows: queued(5))
    piece.isKnownBad = isKnownBad
    (piece.blame.failures, piece.blame.since, piece.blame.othersAccepted) = (failures - 1, dawn, others)
    machine.lanes[.live]?.add(piece)
    let now = dawn.advanced(by: .seconds(seconds))
    let none = machine.blame(piece, of: .live, pause: .zero, at: now)
    #expect(none == [])
    let pieces = machine.lanes[.live]?.pieces ?? []
    #expect(pieces.map(\.rows.count) == (isProven ? [3, 2] : [5]))
    #expect(pieces.allSatisfy { $0.isSplit == isProven && $0.isSuspect == !isProven })
    if isProven { #expect(pieces[0].sibling == pieces[1].id && pieces[1].sibling == pieces[0].id) }
    var alone = Piece(id: 1, rows: queued(1))
    (alone.isKnownBad, alone.blame) = (isKnownBad, piece.blame)
    machine.lanes[.live] = LaneLedger()
    machine.lanes[.live]?.add(alone)
    let effects = machine.blame(alone, of: .live, pause: .zero, at: now)
    #expect(
      effects == (isProven ? [.quarantine(queued(1), code: "http_500"), .acknowledge(.live, [1])] : []))
  }

  /// A size that was refused is tried again after ten minutes, and a larger one that was refused ever more rarely.
  @Test func growth() {
    var machine = DeliveryMachine(settings: .init())
    machine.recall(BatchMemory(limit: 100, since: dawn))
    #expect(machine.batchLimit == 100)
    func grown(_ machine: DeliveryMachine, after seconds: Int) -> Int {
      var machine = machine
      machine.growBatch(at: dawn.advanced(by: .seconds(seconds)))
      return machine.batchLimit
    }
    #expect([599, 600].map { grown(machine, after: $0) } == [100, 200])
    machine.growBatch(at: dawn.advanced(by: .seconds(600)))
    let later = dawn.advanced(by: .seconds(700))
    #expect(machine.remember(at: later) == [.remember(BatchMemory(limit: 200, since: later))])
    #expect([1899, 1900].map { grown(machine, after: $0) } == [200, 400])
    for _ in 0..<12 {
      machine.hasGrown = true
      _ = machine.remember(at: dawn)
    }
    #expect(machine.growPatience == .seconds(86_400))
    #expect([86_399, 86_400].map { grown(machine, after: $0) } == [200, 400])
    machine.recall(BatchMemory(limit: 900, since: dawn))
    #expect(machine.batchLimit == 500)
    machine.batchLimit = 400
    #expect(grown(machine, after: 86_400) == 500)
  }

  /// The backlog takes two thirds of what is allowed in a minute, sixty at most and one at least.
  @Test(arguments: [(0, 60), (1, 30), (2, 14), (3, 7), (4, 4)])
  func theBacklogsMinute(refusals: Int, requests: Int) {
    var budget = RateBudget()
    for _ in 0..<refusals { budget.tooMany() }
    var granted = 0
    while granted < 100 {
      switch budget.request(.backlog, at: dawn) {
      case .granted: granted += 1
      case .reserve: budget.reserved()
      case .wait(let until):
        #expect(until == dawn.advanced(by: .seconds(61)) && granted == requests)
        return
      }
    }
    Issue.record("it never waits")
  }

  /// The longest wait counts; requests leave their minute and their hour a little late.
  @Test func waitsOfTheBudget() {
    var limits = RateBudget.Limits()
    (limits.perMinute, limits.perHour, limits.block, limits.shares) = (2, 3, 9, [:])
    var budget = RateBudget(limits: limits)
    budget.reserved()
    func at(_ milliseconds: Int) -> Timestamp { dawn.advanced(by: .milliseconds(milliseconds)) }
    #expect(budget.request(.live, at: at(0)) == .granted)
    #expect(budget.request(.pull, at: at(10_000)) == .granted)
    #expect(budget.request(.live, at: at(60_999)) == .wait(until: at(61_000)))
    #expect(budget.request(.live, at: at(61_000)) == .granted)
    #expect(budget.request(.live, at: at(90_000)) == .wait(until: at(3_605_000)))
    #expect(budget.used(at: at(69_999)) == (minute: 2, hour: 3))
    #expect(budget.used(at: at(70_000)) == (minute: 1, hour: 3))
    #expect(budget.used(at: at(3_600_000)) == (minute: 0, hour: 2))
    budget.exhausted(until: at(4_000_000))
    budget.exhausted(until: at(3_900_000))
    #expect(budget.request(.live, at: at(3_605_000)) == .wait(until: at(4_000_000)))
    #expect(budget.request(.live, at: at(4_000_000)) == .granted)
  }

  /// The receiver's words about an agent, by whose it is and whether it is silent.
  @Test func fleetNotices() {
    func notice(_ isSelf: Bool, _ isSilent: Bool) -> Notice {
      FleetTrouble(name: "a1", isSelf: isSelf, isSilent: isSilent, words: "late").notice
    }
    let hint = "look at it there: quartz-agent status"
    for isSilent in [true, false] {
      #expect(notice(true, isSilent) == .warning(.fleet, "this agent is degraded in the Quartz apps: late"))
    }
    #expect(notice(false, true) == .warning(.fleet, "agent a1 is down in the Quartz apps: late", hint: hint))
    #expect(
      notice(false, false) == .warning(.fleet, "agent a1 is degraded in the Quartz apps: late", hint: hint))
  }

  /// After a larger batch was taken the next try waits as short as the first, however long it had come to.
  @Test func growthThatWasTaken() {
    var machine = DeliveryMachine(settings: .init())
    machine.recall(BatchMemory(limit: 100, since: dawn))
    for _ in 0..<3 {
      machine.hasGrown = true
      _ = machine.remember(at: dawn)
    }
    #expect(machine.growPatience == .seconds(4800))
    machine.grewWell()
    #expect(machine.growPatience == .seconds(4800), "none was tried")
    machine.growBatch(at: dawn.advanced(by: .seconds(4800)))
    #expect(machine.batchLimit == 200 && machine.hasGrown)
    machine.grewWell()
    #expect(machine.growPatience == .seconds(600) && !machine.hasGrown)
    machine.growBatch(at: dawn.advanced(by: .seconds(4801)))
    #expect(machine.batchLimit == 400, "the next size need not wait")
    _ = machine.remember(at: dawn.advanced(by: .seconds(4802)))
    #expect(machine.growPatience == .seconds(1200))
  }
}
