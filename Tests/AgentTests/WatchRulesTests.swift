// SPDX-License-Identifier: MIT

import Alerts
import Basics
import History
import Logging
import Monitoring
import Scheduler
import Spool
import Status
import Synchronization
import TestSupport
import Testing
@testable import Agent
@testable import QuartzAPI

/// What is watched, and when and in which words it is told.
@Suite struct WatchRulesTests {
  private static let start = Timestamp(seconds: 1_767_225_600)

  /// Calls of dead man's switches, which end with the last outcome.
  private final class Calls: Sendable {
    struct State {
      var urls: [String] = []
      var limits: [Duration] = []
      var notices: [[String]] = []
      var signs: LifeSigns?
    }
    let state = Mutex(State())

    /// - Returns: how many came before.
    func note(_ url: HTTPURL, _ limit: Duration) -> Int {
      let signs = state.withLock(\.signs)
      let notices = signs?.notices.map(\.what) ?? []
      return state.withLock { state in
        state.urls.append(url.description)
        state.limits.append(limit)
        state.notices.append(notices)
        return state.urls.count - 1
      }
    }
  }

  /// What is not taken is told in the log once, whatever the words, and is a problem until it is taken.
  @Test func lifeSignsThatAreNotTaken() async throws {
    let (clock, calls, lines) = (FakeClock(), Calls(), FullLines(hasLevels: true))
    let outcomes: [SendOutcome] = [
      .delivered, .failed("a"), .refused("b"), .partly("c", remaining: []), .deliveredBut("d"), .failed("e"),
      .delivered,
    ]
    let signs = LifeSigns(
      [LifeSign(url: try HTTPURL("https://life.example/x"), every: .seconds(30))],
      call: { url, limit in
        let place = calls.note(url, limit)
        // The last of them is no longer looked at.
        if place == outcomes.count - 1 { cancelThisTask() }
        return outcomes[place]
      }, log: Logger(label: "test") { _ in lines }, time: clock.passing, isWell: { true })
    calls.state.withLock { $0.signs = signs }
    await signs.run()
    calls.state.withLock { $0.signs = nil }
    #expect(
      calls.state.withLock(\.notices) == [
        [], [], ["not taken: a"], ["not taken: b"], ["not taken: c"], [], ["not taken: e"],
      ])
    #expect(
      lines.all == [
        "warning a heartbeat is not taken problem=a",
        "notice heartbeats are taken again by=life.example:443",
        "warning a heartbeat is not taken problem=e",
      ])
    #expect(signs.notices == [.warning("heartbeat", "not taken: e")], "a call that was cut off says nothing")
    #expect(calls.state.withLock(\.limits) == Array(repeating: .seconds(8), count: 7))
    #expect(clock.sleeps == Array(repeating: .seconds(30), count: 6))
  }

  /// Another address is asked while the agent does not probe, or none.
  @Test func lifeSignsOfAnAgentThatDoesNotProbe() async throws {
    for (fail, urls) in [
      ("https://life.example/fail", ["/x", "/fail", "/fail", "/x"]), (nil, ["/x", "/x"]),
    ] as [(String?, [String])] {
      let (clock, calls) = (FakeClock(), Calls())
      let looks = Mutex(0)
      let sign = LifeSign(
        url: try HTTPURL("https://life.example/x"), failURL: try fail.map { try HTTPURL($0) })
      let signs = LifeSigns(
        [sign],
        call: { url, limit in
          _ = calls.note(url, limit)
          return .delivered
        }, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, time: clock.passing,
        isWell: {
          let look = looks.withLock { count in
            count += 1
            return count
          }
          if look == 4 { cancelThisTask() }
          return look == 1 || look == 4
        })
      await signs.run()
      #expect(calls.state.withLock(\.urls) == urls.map { "https://life.example\($0)" })
      #expect(clock.sleeps == Array(repeating: .seconds(60), count: 3), "once a minute, unless it is said")
    }
  }

  /// The turns are a clock's, and of those that were slept through there is one.
  @Test func turnsOfLifeSigns() async throws {
    let (clock, calls) = (FakeClock(), Calls())
    let takes: [Int64] = [10, 60, 130, 0]
    let signs = LifeSigns(
      [LifeSign(url: try HTTPURL("https://life.example/x"))],
      call: { url, limit in
        let place = calls.note(url, limit)
        clock.advance(by: .seconds(takes[place]))
        if place == 3 { cancelThisTask() }
        return .delivered
      }, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, time: clock.passing, isWell: { true })
    await signs.run()
    #expect(clock.sleeps == [.seconds(50), .zero, .seconds(60)])
  }

  /// Each queue in its words, and what is to be done about it.
  @Test(
    arguments: [
      (
        .starts, "their turn to begin transfers",
        "ask for less at the same time, or give the agent a faster processor"
      ),
      (
        .memory, "memory for large answers",
        "look for checks whose servers hold their answers, and lower their max_body or timeout"
      ),
      (.handshakes, "TLS handshakes", "ask for less at the same time, or give the agent a faster processor"),
      (
        .decoding, "decoding of compressed answers",
        "look for checks whose servers hold their answers, or turn off decompress for them"
      ),
      (
        .judging, "a thread to judge answers",
        "look for conditions with expensive patterns or JSON paths"
      ),
      (
        .places, "a place among the runs in flight",
        "look for checks whose servers hold their answers, lower their timeout, or raise limits.in_flight"
      ),
    ] as [(QueueWait.Queue, String, String)])
  func queues(queue: QueueWait.Queue, words: String, hint: String) {
    let start = Instant(nanoseconds: 5_000_000_000)
    func lines(_ origin: WorkOrigin.Kind, _ held: Duration) -> [String] {
      QueueNotices.lines(of: [QueueWait(queue, origin, count: 3, since: start)], at: start + held)
    }
    let line = "checks of agent.yaml wait for \(words) for 2 s: 3 waiting; \(hint)"
    #expect(lines(.fileChecks, .milliseconds(2999)) == [line] && lines(.fileChecks, .seconds(2)) == [])
    #expect(lines(.fileChecks, .seconds(2) + .nanoseconds(1000)) == [line])
    let asked = hint.replacing("for checks whose servers", with: "in /probe/last for targets that")
    #expect(
      lines(.asked, .seconds(3)) == [
        "/probe and runs by hand wait for \(words) for 3 s: 3 waiting; \(asked)"
      ])
    let early = QueueNotices.views(of: [QueueWait(queue, .asked, count: 1, since: start)], at: start)
    #expect(early == [WaitView(queue: queue.rawValue, origin: "asked", count: 1, held: .zero)])
  }

  /// Ten seconds are drift, and what is above is a step; its size is in whole seconds, rounded.
  @Test(
    arguments: [
      (10_000_000, nil), (-10_000_000, nil), (10_000_001, "forward by 10s"), (-10_000_001, "back by 10s"),
      (10_499_999, "forward by 10s"), (10_500_000, "forward by 11s"), (-10_500_000, "back by 11s"),
      (-120_000_000, "back by 2m"),
    ] as [(Int64, String?)])
  func stepsOfTheClock(step: Int64, words: String?) async {
    let history = HistoryStore()
    let (clock, lines) = (FakeClock(at: Self.start), LogLines())
    let watch = ClockWatch(history, log: Logger(label: "test") { _ in lines }, time: clock.time)
    clock.advance(by: .seconds(5))
    clock.stepWall(by: .microseconds(step))
    await watch.look()
    await watch.look()
    #expect(lines.all == [words.map { "the wall clock of this machine was set \($0)" }].compactMap(\.self))
  }

  /// A problem is told when it appears, once an hour while it lasts, and as new after it was gone.
  @Test func problemsThatLast() async {
    let (clock, lines) = (FakeClock(), LogLines())
    let looks = Mutex(0)
    let begin = clock.wall
    let watch = NoticeWatch(
      every: .seconds(600), log: Logger(label: "test") { _ in lines }, time: clock.passing
    ) { now in
      let look = looks.withLock { count in
        defer { count += 1 }
        return count
      }
      if look == 9 { cancelThisTask() }
      let minutes = begin.duration(to: now).microseconds / 60_000_000
      let lasting = Notice.warning("a", "a at \(minutes)")
      return look == 2 || look == 8 ? [lasting, .warning("b", "b at \(minutes)")] : [lasting]
    }
    await Task { await watch.run() }.value
    #expect(lines.all == ["a at 0", "b at 20", "a at 60", "b at 80"])
    #expect(NoticeWatch.every == .seconds(10))
  }

  private func check(_ name: String, _ id: UInt64, post: Bool = false, enabled: Bool = true) throws
    -> MonitoringCheck
  {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", "a.example", 80)
    definition.id = UniqueID(high: 1, low: id).description
    (definition.plan.post, definition.plan.enabled) = (post, enabled)
    return try MonitoringCheck(definition)
  }

  /// Results go to the API where it lists the check, or where the check says so; canaries are those that run.
  @Test func listsOfChecks() throws {
    let (one, two) = (try check("One", 1), try check("Two", 2, post: true))
    let (three, off) = (try check("Three", 3), try check("Off", 4, enabled: false))
    let catalog = CheckCatalog(file: [one, off], canaries: ["One", "Off", "Three"])
    #expect(!catalog.isPosted(one) && catalog.isPosted(two) && !catalog.isPosted(three))
    #expect(catalog.canaries == [one] && catalog.checks == [one, off] && catalog[off.id] == off)
    let told = Mutex<[[String]]>([])
    catalog.observe { checks in told.withLock { $0.append(checks.map(\.name)) } }
    let other = try check("Else", 1)
    let (listed, chosen) = (Set([one.id, three.id]), Set([three.id]))
    catalog.replace(api: [three, other], listed: listed, chosen: chosen)
    #expect(catalog.checks == [one, off, three], "the file's check of the same id is in force")
    #expect(catalog.isPosted(one) && catalog.isPosted(three) && !catalog.isPosted(off))
    #expect(catalog.chosen == chosen && catalog.canaries == [one, three] && catalog[three.id] == three)
    catalog.announce()
    catalog.replace(file: [two], canaries: ["Two"])
    #expect(catalog.checks == [two, other, three] && catalog.canaries == [two])
    #expect(catalog.chosen == chosen && catalog[off.id] == nil)
    #expect(
      told.withLock { $0 } == [
        ["One", "Off"], ["One", "Off", "Three"], ["One", "Off", "Three"], ["Two", "Else", "Three"],
      ])
  }

  /// Fifty changes are told one by one, and the rest is counted.
  @Test(arguments: [(0, 0, nil), (50, 50, nil), (51, 50, "1"), (60, 50, "10")] as [(Int, Int, String?)])
  func changesOfAList(count: Int, told: Int, rest: String?) {
    let lines = FullLines(hasLevels: true)
    let changes = (0..<count).map {
      CheckChange(id: UniqueID(high: 0, low: 1), name: "\($0)", kind: .removed)
    }
    Logger(label: "test") { _ in lines }.tell(changes)
    let id = UniqueID(high: 0, low: 1)
    let expected = (0..<told).map { "notice check of the API changed change=removed check=\($0) id=\(id)" }
    let last = rest.map { "notice \($0) more \($0 == "1" ? "check" : "checks") of the API changed" }
    #expect(lines.all == expected + [last].compactMap(\.self))
  }

  /// Sums since the last line; without delivery nothing is said of it, and nothing falls below zero.
  @Test func theLineOfAnHour() {
    let agent = AgentIdentity(name: "test", region: nil, version: "1", started: Self.start)
    func snapshot(_ delivered: Int?, _ missed: Int, backlog: Int) -> StatusSnapshot {
      var snapshot = StatusSnapshot(agent: agent, now: Self.start, checks: [])
      snapshot.delivery = delivered.map { count in
        var status = DeliveryStatus(.quartz)
        status.tally.delivered = count
        return status
      }
      snapshot.scheduler = ScheduleStatus()
      snapshot.scheduler?.missedBy = [.gap: missed]
      snapshot.scheduler?.lateP50 = .milliseconds(1)
      snapshot.scheduler?.lateP99 = .milliseconds(250)
      snapshot.spool = SpoolStatus(mode: .durable, durability: .interval)
      snapshot.spool?.depth = backlog
      return snapshot
    }
    func line(_ earlier: StatusSnapshot, _ now: StatusSnapshot) -> [String: String] {
      HourlyFigures(now).since(HourlyFigures(earlier)).metadata(now).mapValues { "\($0)" }
    }
    let (first, second) = (snapshot(5, 2, backlog: 1), snapshot(12, 5, backlog: 7))
    #expect(
      line(first, second) == [
        "checks": "none", "results": "0", "missed": "3", "delivered": "7", "backlog": "7",
        "late_p99": "250 ms",
      ])
    #expect(line(second, first)["missed"] == "0" && line(second, first)["delivered"] == "0")
    let none = snapshot(nil, 6, backlog: 7)
    #expect(line(first, none) == ["checks": "none", "results": "0", "missed": "4", "late_p99": "250 ms"])
  }
}

/// Outside of any asynchronous function, where the call that suspends nothing is taken.
private func cancelThisTask() { withUnsafeCurrentTask { $0?.cancel() } }
