// SPDX-License-Identifier: MIT

import Basics
import Logging
import Monitoring
import QuartzAPI
import StatusServer
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// Runs that people ask for in the Quartz apps: each once, by the agent that runs the check.
@Suite struct AskDeskTests {
  private final class Seen: Sendable {
    let runs = Mutex<[UniqueID]>([])
    let hurries = Mutex(0)
  }

  private func ask(_ number: UInt64, of check: UniqueID, expires: Duration = .seconds(60)) -> ContactWords.Ask
  {
    .init(id: UniqueID(high: 9, low: number), check: check, expires: expires)
  }

  private func result(of check: MonitoringCheck, at start: Timestamp, _ trigger: Trigger = .manual)
    -> CheckResult
  {
    CheckResult(
      id: UniqueID(high: 5, low: UInt64(start.microseconds)), check: check, trigger: trigger,
      scheduledAt: start,
      startedAt: start, late: .zero, verdict: .ok)
  }

  private func makeCheck(_ name: String) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = (name, "tcp", "127.0.0.1", 80)
    return try MonitoringCheck(definition)
  }

  /// Offered with every answer until it is answered: run once. One of another agent's check is left to it.
  @Test func eachAskIsRunOnce() async throws {
    let (mine, other) = (try makeCheck("Mine"), try makeCheck("Other"))
    let clock = FakeClock()
    let desk = AskDesk(isRunHere: { $0 == mine.id }, log: Logger(label: "test"), time: clock.time)
    let seen = Seen()
    let made = result(of: mine, at: clock.time.wall())
    desk.hear([ask(1, of: mine.id), ask(2, of: other.id)])
    // Two of one check are five seconds apart: the second is taken when it is offered again.
    clock.advance(by: .seconds(5) - .milliseconds(1))
    desk.hear([ask(3, of: mine.id)])
    #expect(
      desk.ask(of: DeliveryRecord(result(of: mine, at: clock.time.wall()), agent: "a", flags: []))?.low == 1)
    clock.advance(by: .milliseconds(1))
    desk.hear([ask(1, of: mine.id), ask(2, of: other.id), ask(3, of: mine.id)])
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await desk.run { check in
          seen.runs.withLock { $0.append(check) }
          return .done(made)
        } hurry: {
          seen.hurries.withLock { $0 += 1 }
        }
      }
      while seen.hurries.withLock({ $0 }) < 2 { await Task.yield() }
      desk.hear([ask(1, of: mine.id), ask(3, of: mine.id)])
      for _ in 0..<100 { await Task.yield() }
      group.cancelAll()
    }
    #expect(seen.runs.withLock { $0 } == [mine.id, mine.id] && seen.hurries.withLock { $0 } == 2)
  }

  /// Another agent was asked and lost the check to this one: whether the ask is still open is asked at once, and once.
  @Test func aCheckThatIsTakenOverIsAskedAbout() async throws {
    let (mine, other) = (try makeCheck("Mine"), try makeCheck("Other"))
    let clock = FakeClock()
    let owned = Mutex<Set<UniqueID>>([])
    let desk = AskDesk(
      isRunHere: { check in owned.withLock { $0.contains(check) } }, log: Logger(label: "test"),
      time: clock.time)
    func takes(_ checks: Set<UniqueID>) { owned.withLock { $0 = checks } }
    desk.hear([ask(1, of: mine.id, expires: .seconds(20)), ask(2, of: other.id, expires: .seconds(30))])
    #expect(!desk.hasTakenOver(), "it is still the other's")
    takes([mine.id])
    #expect(desk.hasTakenOver())
    #expect(!desk.hasTakenOver(), "it was said")
    // A later answer has them, or has them no more.
    desk.hear([ask(2, of: other.id, expires: .seconds(30))])
    clock.advance(by: .seconds(30))
    takes([mine.id, other.id])
    #expect(!desk.hasTakenOver(), "its time is over")
    takes([])
    desk.hear([ask(3, of: mine.id)])
    desk.hear([])
    takes([mine.id])
    #expect(!desk.hasTakenOver(), "it was answered by the other")
  }

  /// More than a hundred at once are left to the next offer, and each that is answered makes room.
  @Test func asksUnderWayAreBounded() async throws {
    let clock = FakeClock()
    let desk = AskDesk(isRunHere: { _ in true }, log: Logger(label: "test"), time: clock.time)
    let asks = (0..<150).map { ask($0, of: UniqueID(high: 4, low: $0)) }
    let made = result(of: try makeCheck("Mine"), at: clock.time.wall())
    let seen = Seen()
    for group in 0..<3 { desk.hear(Array(asks[(group * 50)..<(group * 50 + 50)])) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await desk.run { check in
          seen.runs.withLock { $0.append(check) }
          return .done(made)
        } hurry: {
          seen.hurries.withLock { $0 += 1 }
        }
      }
      while seen.hurries.withLock({ $0 }) < 100 { await Task.yield() }
      #expect(Set(seen.runs.withLock { $0.map(\.low) }) == Set(0..<100))
      while seen.hurries.withLock({ $0 }) < 150 {
        desk.hear(asks)
        await Task.yield()
      }
      group.cancelAll()
    }
    #expect(
      Set(seen.runs.withLock { $0.map(\.low) }) == Set(0..<150) && seen.runs.withLock { $0.count } == 150)
  }

  /// A run under way is waited for, a quarter of a second at a time, and no longer than anybody waits for the answer.
  @Test(arguments: [(3, true), (.max, false)] as [(Int, Bool)])
  func aBusyCheckIsTriedAgain(busy: Int, isAnswered: Bool) async throws {
    let check = try makeCheck("Mine")
    let clock = FakeClock()
    let desk = AskDesk(isRunHere: { _ in true }, log: Logger(label: "test"), time: clock.time)
    let seen = Seen()
    let made = result(of: check, at: clock.time.wall())
    desk.hear([ask(1, of: check.id, expires: .seconds(2))])
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await desk.run { _ in
          let count = seen.runs.withLock { runs in
            runs.append(check.id)
            return runs.count
          }
          return count <= busy ? .busy("under way") : .done(made)
        } hurry: {
          seen.hurries.withLock { $0 += 1 }
        }
      }
      for _ in 0..<(isAnswered ? 3 : 8) {
        await clock.someoneSleeps()
        await clock.advanceToNext()
      }
      while isAnswered, seen.hurries.withLock({ $0 }) == 0 { await Task.yield() }
      for _ in 0..<100 { await Task.yield() }
      group.cancelAll()
    }
    #expect(clock.elapsed == (isAnswered ? .milliseconds(750) : .seconds(2)))
    #expect(seen.runs.withLock { $0.count } == (isAnswered ? 4 : 8))
    #expect(seen.hurries.withLock { $0 } == (isAnswered ? 1 : 0))
  }

  /// A result answers the newest ask in whose time it began; what the schedule ran, and what began before or after, answers none.
  @Test func whichAskAResultAnswers() async throws {
    let (mine, other) = (try makeCheck("Mine"), try makeCheck("Other"))
    let clock = FakeClock()
    let desk = AskDesk(isRunHere: { _ in true }, log: Logger(label: "test"), time: clock.time)
    let begin = clock.time.wall()
    func answered(_ check: MonitoringCheck, after: Duration, _ trigger: Trigger = .manual) -> UInt64? {
      let made = result(of: check, at: begin.advanced(by: after), trigger)
      return desk.ask(of: DeliveryRecord(made, agent: "a", flags: []))?.low
    }
    desk.hear([ask(1, of: mine.id)])
    clock.advance(by: .seconds(10))
    desk.hear([ask(2, of: mine.id), ask(3, of: other.id)])
    #expect(answered(mine, after: .milliseconds(-1)) == nil)
    #expect(answered(mine, after: .zero) == 1 && answered(mine, after: .seconds(9)) == 1)
    #expect(answered(mine, after: .seconds(10)) == 2 && answered(mine, after: .seconds(70)) == 2)
    #expect(answered(mine, after: .seconds(70) + .milliseconds(1)) == nil, "a run of its own, long after")
    #expect(answered(other, after: .seconds(9)) == nil && answered(other, after: .seconds(10)) == 3)
    #expect(answered(mine, after: .seconds(10), .schedule) == nil)
  }
}
