// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Testing

@Suite struct RateBudgetTests {
  /// Asks as often as it may from `start` on for so long, and returns the instants granted, in microseconds.
  private func exhaust(
    _ budget: inout RateBudget, _ use: RequestUse, from start: Timestamp, for span: Duration
  ) -> [Int64] {
    var now = start
    var granted: [Int64] = []
    while start.duration(to: now) < span {
      switch budget.request(use, at: now) {
      case .granted: granted.append(now.microseconds)
      case .reserve: budget.reserved()
      case .wait(let until): now = until
      }
    }
    return granted
  }

  private func worst(_ instants: [Int64], seconds: Int64) -> Int {
    let sorted = instants.sorted()
    var first = 0
    var worst = 0
    for (index, at) in sorted.enumerated() {
      while sorted[first] <= at - seconds * 1_000_000 { first += 1 }
      worst = max(worst, index - first + 1)
    }
    return worst
  }

  @Test func neverMoreThanNinetyAMinuteAndNineHundredAnHour() {
    var limits = RateBudget.Limits()
    limits.shares = [:]
    var budget = RateBudget(limits: limits)
    let granted = exhaust(&budget, .live, from: dawn, for: .seconds(3 * 3600))
    #expect(worst(granted, seconds: 60) == 90)
    // A server may see them a second closer together.
    #expect(worst(granted, seconds: 61) == 90)
    #expect(worst(granted, seconds: 3600) == 900)
    #expect(granted.count == 2700)
  }

  /// Of a pace that a 429 has halved the backlog takes two thirds: what is new finds room in the same minute.
  @Test func theBacklogLeavesRoomOfAHalvedPace() {
    var budget = RateBudget()
    budget.tooMany()
    #expect(exhaust(&budget, .backlog, from: dawn, for: .seconds(60)).count == 30)
    #expect(exhaust(&budget, .live, from: dawn, for: .seconds(60)).count == 15)
  }

  /// A replay that took all it can get would silence live results for fifty minutes of every hour.
  @Test func backlogLeavesRoomForLiveResults() {
    var budget = RateBudget()
    let backlog = exhaust(&budget, .backlog, from: dawn, for: .seconds(1800))
    #expect(backlog.count == 500)
    #expect(worst(backlog, seconds: 60) == 60)
    let live = exhaust(&budget, .live, from: dawn.advanced(by: .seconds(1800)), for: .seconds(60))
    #expect(live.count == 90)
  }

  /// What one purpose takes at most, and that the hour is then still open for the shares of the others, and for no more.
  @Test(
    arguments: zip(RequestUse.allCases, [740, 500, 540, 560, 510, 530, 520]))
  func noPurposeTakesTheSharesOfTheOthers(greedy: RequestUse, most: Int) {
    let limits = RateBudget.Limits()
    var budget = RateBudget(limits: limits)
    #expect(exhaust(&budget, greedy, from: dawn, for: .seconds(1500)).count == most)
    #expect(limits.most(greedy) == most)
    let later = dawn.advanced(by: .seconds(1500))
    for use in RequestUse.allCases where use != greedy && use != .backlog {
      #expect(
        exhaust(&budget, use, from: later, for: .seconds(600)).count == limits.shares[use], "\(use)")
    }
    #expect(budget.used(at: later.advanced(by: .seconds(600))).hour == 900)
  }

  /// A share is of the hour that ends now: a request that leaves it is kept for its purpose, one beyond it for all.
  @Test func sharesComeBackAsTheirRequestsLeaveTheHour() {
    var limits = RateBudget.Limits()
    (limits.perHour, limits.block, limits.shares) = (4, 90, [.live: 1, .pull: 1])
    var budget = RateBudget(limits: limits)
    budget.reserved()
    func at(_ seconds: Int) -> Timestamp { dawn.advanced(by: .seconds(seconds)) }
    #expect(budget.request(.pull, at: at(0)) == .granted)
    #expect(budget.request(.pull, at: at(10)) == .granted)
    #expect(budget.request(.session, at: at(20)) == .granted)
    // The last one is kept for new results.
    #expect(budget.request(.session, at: at(30)) == .wait(until: at(3605)))
    #expect(budget.request(.pull, at: at(30)) == .wait(until: at(3605)))
    #expect(budget.request(.live, at: at(30)) == .granted)
    #expect(budget.request(.live, at: at(40)) == .wait(until: at(3605)))
    #expect(budget.request(.session, at: at(3605)) == .granted)
    // The second list leaves its share, which stays closed to others; the sign-in of 20 s was beyond any.
    #expect(budget.request(.session, at: at(3606)) == .wait(until: at(3625)))
    #expect(budget.request(.pull, at: at(3615)) == .granted)
  }

  /// 50 starts, each killed after a few requests: what was reserved counts, so no window goes over.
  @Test func fiftyRestartsStayWithinTheLimits() {
    var disk: [UInt8]?
    var granted: [Int64] = []
    var now = dawn
    for start in 0..<50 {
      var budget = RateBudget(restoring: disk, at: now)
      for _ in 0..<(start % 9 + 1) {
        decide: while true {
          switch budget.request(.live, at: now) {
          case .granted:
            granted.append(now.microseconds)
            break decide
          case .reserve:
            disk = budget.encoded(reserving: 10)
            budget.reserved()
          case .wait(let until): now = until
          }
        }
        now = now.advanced(by: .milliseconds(20))
      }
    }
    #expect(granted.count == 240)
    #expect(worst(granted, seconds: 60) <= 90)
    #expect(worst(granted, seconds: 3600) <= 900)
  }

  @Test func cleanEndGivesTheReservationBack() {
    var budget = RateBudget()
    #expect(budget.request(.pull, at: dawn) == .reserve)
    budget.reserved()
    #expect(budget.request(.pull, at: dawn) == .granted)
    let restored = RateBudget(restoring: budget.encoded(reserving: 0), at: dawn)
    #expect(restored.used(at: dawn) == (minute: 1, hour: 1))
    let crashed = RateBudget(restoring: budget.encoded(reserving: 10), at: dawn)
    #expect(crashed.used(at: dawn) == (minute: 11, hour: 11))
  }

  @Test func damagedFileIsNoFreshMinute() {
    var bytes = RateBudget().encoded(reserving: 3)
    bytes[4] ^= 1
    for damaged in [bytes, [], Array("nonsense".utf8)] {
      let budget = RateBudget(restoring: damaged, at: dawn)
      #expect(budget.used(at: dawn).minute == 80)
    }
    #expect(RateBudget(restoring: nil, at: dawn).used(at: dawn).minute == 0)
  }

  /// The clock was set back an hour while the agent was down: old requests count as made now, not in the future.
  @Test func clockSetBackBlocksAMinuteAtMost() {
    var budget = RateBudget()
    _ = exhaust(&budget, .live, from: dawn, for: .seconds(30))
    let earlier = dawn.advanced(by: .seconds(-3600))
    var restored = RateBudget(restoring: budget.encoded(reserving: 0), at: earlier)
    #expect(restored.request(.live, at: earlier) == .wait(until: earlier.advanced(by: .seconds(61))))
  }

  @Test func tooManyHalvesTheRateAndSuccessRecoversIt() {
    var budget = RateBudget()
    budget.tooMany()
    #expect(budget.allowedPerMinute == 45)
    let granted = exhaust(&budget, .live, from: dawn, for: .seconds(60))
    #expect(granted.count == 45)
    for _ in 0..<10 { budget.tooMany() }
    #expect(budget.allowedPerMinute == 6)
    for _ in 0..<200 { budget.succeeded() }
    #expect(budget.allowedPerMinute == 90)
  }

  @Test func serversOwnCountIsObeyed() {
    var budget = RateBudget()
    let until = dawn.advanced(by: .seconds(40))
    budget.exhausted(until: until)
    #expect(budget.request(.live, at: dawn) == .wait(until: until))
    #expect(budget.request(.live, at: until) == .reserve)
  }
}
