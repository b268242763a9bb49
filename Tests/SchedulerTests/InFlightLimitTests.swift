// SPDX-License-Identifier: MIT

import Basics
import TestSupport
import Testing

@testable import Scheduler

@Suite struct InFlightLimitTests {
  private func startAll(_ limit: inout InFlightLimit) -> [Int] {
    var started: [Int] = []
    while let turn = limit.next() { started.append(turn.entry) }
    return started
  }

  @Test func startsInTheOrderOfArrivalUpToTheTotal() {
    var limit = InFlightLimit(InFlightLimits(total: 2))
    for entry in 0..<5 { limit.enqueue(entry, host: "host-\(entry)") }
    #expect(startAll(&limit) == [0, 1])
    #expect(limit.waiting == 3)
    #expect(!limit.canStart)
    limit.release(host: "host-1")
    #expect(limit.canStart)
    #expect(startAll(&limit) == [2])
  }

  @Test func aFullHostHoldsUpNobodyElse() {
    var limit = InFlightLimit(InFlightLimits(total: 100, perHost: 2))
    for entry in 0..<5 { limit.enqueue(entry, host: "busy") }
    limit.enqueue(5, host: "other")
    #expect(startAll(&limit) == [0, 1, 5])
    limit.release(host: "other")
    #expect(startAll(&limit).isEmpty)
    limit.release(host: "busy")
    #expect(startAll(&limit) == [2])
    limit.release(host: "busy")
    limit.release(host: "busy")
    #expect(startAll(&limit) == [3, 4])
  }

  @Test func whoWaitedLongestAtAFullHostComesFirst() {
    var limit = InFlightLimit(InFlightLimits(total: 2, perHost: 1))
    limit.enqueue(0, host: "a")
    limit.enqueue(1, host: "a")
    limit.enqueue(2, host: "b")
    limit.enqueue(3, host: "c")
    #expect(startAll(&limit) == [0, 2])
    limit.release(host: "a")
    #expect(startAll(&limit) == [1])
    limit.release(host: "b")
    #expect(startAll(&limit) == [3])
  }

  /// After a change of the list what waits is counted from none.
  @Test func whoWaitsIsCountedAfterAChange() {
    var limit = InFlightLimit(InFlightLimits(total: 1))
    for entry in 0..<4 { limit.enqueue(entry, host: "host-\(entry)") }
    limit.enqueue(4, host: "host-4", of: .apiChecks)
    #expect(startAll(&limit) == [0])
    #expect(limit.removeWaiting() == [1, 2, 3, 4])
    limit.noteHeld(at: Instant(nanoseconds: 1))
    #expect(limit.waits == [] && limit.waiting == 0)
    limit.enqueue(2, host: "host-2")
    limit.enqueue(4, host: "host-4", of: .apiChecks)
    let now = Instant(nanoseconds: 2)
    limit.noteHeld(at: now)
    #expect(
      limit.waits
        == [
          QueueWait(.places, .fileChecks, count: 1, since: now),
          QueueWait(.places, .apiChecks, count: 1, since: now),
        ])
  }

  @Test func waitersComeOutInOrderAndTheHostsKeepTheirLoad() {
    var limit = InFlightLimit(InFlightLimits(total: 1, perHost: 1))
    for entry in 0..<4 { limit.enqueue(entry, host: entry.isMultiple(of: 2) ? "a" : "b") }
    #expect(startAll(&limit) == [0])
    #expect(limit.removeWaiting() == [1, 2, 3])
    #expect(limit.waiting == 0)
    limit.enqueue(9, host: "a")
    #expect(startAll(&limit).isEmpty)
    limit.release(host: "a")
    #expect(startAll(&limit) == [9])
  }

  @Test func aQuarterIsKeptForChecksThatWork() {
    var limit = InFlightLimit(InFlightLimits(total: 8, perHost: 8))
    for entry in 0..<10 { limit.enqueue(entry, host: "host-\(entry)", .suspect) }
    #expect(startAll(&limit) == [0, 1, 2, 3, 4, 5])
    #expect(!limit.canStart)
    limit.enqueue(10, host: "host-0", .trusted)
    #expect(limit.canStart)
    #expect(startAll(&limit) == [10])
    limit.release(host: "host-1", .suspect)
    #expect(startAll(&limit) == [6])
    limit.release(host: "host-0", .trusted)
    #expect(startAll(&limit).isEmpty)
  }

  /// Hanging checks come back to the line again and again: one that nobody has seen yet is not behind them.
  @Test func whatWasNeverSeenGoesBeforeWhatFailed() {
    var limit = InFlightLimit(InFlightLimits(total: 8, perHost: 8))
    for entry in 0..<10 { limit.enqueue(entry, host: "host-\(entry)", .suspect) }
    #expect(startAll(&limit) == [0, 1, 2, 3, 4, 5])
    limit.enqueue(10, host: "host-10", .unseen)
    limit.enqueue(11, host: "host-0", .unseen)
    #expect(startAll(&limit).isEmpty)
    for host in ["host-0", "host-1", "host-2"] { limit.release(host: host, .suspect) }
    #expect(startAll(&limit) == [10, 11, 6])
    // They leave the quarter alone as well.
    limit.release(host: "host-3", .suspect)
    limit.enqueue(12, host: "host-12", .unseen)
    limit.enqueue(13, host: "host-13", .trusted)
    #expect(startAll(&limit) == [12, 13])
    limit.enqueue(14, host: "host-14", .unseen)
    #expect(startAll(&limit).isEmpty)
  }

  @Test func bothLinesOfAFullHostGetTheirTurnAgain() {
    var limit = InFlightLimit(InFlightLimits(total: 8, perHost: 1))
    limit.enqueue(0, host: "a", .suspect)
    limit.enqueue(1, host: "a", .trusted)
    limit.enqueue(2, host: "a", .suspect)
    #expect(startAll(&limit) == [0])
    limit.release(host: "a", .suspect)
    #expect(startAll(&limit) == [1])
    limit.release(host: "a", .trusted)
    #expect(startAll(&limit) == [2])
    limit.release(host: "a", .suspect)
    #expect(startAll(&limit).isEmpty && limit.inFlight == 0 && limit.waiting == 0)
  }

  /// Random load: never above a limit, nobody is lost, and nobody idles while there is room.
  @Test func holdsBothLimitsAndLosesNobody() {
    var random = SeededGenerator(seed: 3)
    var limit = InFlightLimit(InFlightLimits(total: 20, perHost: 3))
    var going: [(entry: Int, host: String, standing: InFlightLimit.Standing, kind: WorkOrigin.Kind)] = []
    var waiting: [Int: (host: String, standing: InFlightLimit.Standing)] = [:]
    for entry in 0..<5000 {
      let host = "host-\(random.next() % 12)"
      let others: [InFlightLimit.Standing] = [.suspect, .unseen, .trusted, .trusted, .trusted, .trusted]
      let standing = others[Int(random.next() % 6)]
      limit.enqueue(entry, host: host, standing)
      waiting[entry] = (host, standing)
      if random.next() % 3 > 0, !going.isEmpty {
        let ended = going.remove(at: Int(random.next() % UInt64(going.count)))
        limit.release(host: ended.host, ended.standing)
      }
      while let turn = limit.next() {
        let waited = waiting.removeValue(forKey: turn.entry)
        #expect(waited?.host == turn.host && waited?.standing == turn.standing)
        going.append(turn)
      }
      let loads = Dictionary(grouping: going, by: \.host).mapValues(\.count)
      let suspects = going.count { $0.standing != .trusted }
      #expect(going.count <= 20 && suspects <= 15 && loads.values.allSatisfy { $0 <= 3 })
      #expect(limit.inFlight == going.count && limit.waiting == waiting.count)
      let idle = waiting.values.contains {
        loads[$0.host, default: 0] < 3 && ($0.standing == .trusted || suspects < 15)
      }
      #expect(going.count == 20 || !idle)
    }
  }

  /// Checks of the API that hang as if they worked leave the file's checks their quarter, whatever came first.
  @Test func checksOfTheAPILeaveTheFileItsPlaces() {
    var limit = InFlightLimit(InFlightLimits(total: 16, perHost: 1))
    limit.share(true)
    for entry in 0..<40 { limit.enqueue(entry, host: "api-\(entry)", .trusted, of: .apiChecks) }
    #expect(startAll(&limit) == Array(0..<12))
    limit.noteHeld(at: Instant(nanoseconds: 1))
    #expect(limit.waits == [QueueWait(.places, .apiChecks, count: 28, since: Instant(nanoseconds: 1))])
    for entry in 100..<106 { limit.enqueue(entry, host: "file-\(entry)", .unseen) }
    #expect(startAll(&limit) == [100, 101, 102, 103])
    limit.noteHeld(at: Instant(nanoseconds: 2))
    #expect(limit.waits.map(\.origin) == [.fileChecks, .apiChecks])
    #expect(limit.waits.map(\.since) == [Instant(nanoseconds: 2), Instant(nanoseconds: 1)])
    limit.release(host: "api-0", .trusted, of: .apiChecks)
    #expect(startAll(&limit) == [12], "what is free is for whoever came first")
    limit.release(host: "file-100", .unseen)
    #expect(startAll(&limit) == [104])
  }

  /// Checks of the API that hang at a host leave room there for the file's, and the reverse.
  @Test(arguments: [WorkOrigin.Kind.fileChecks, .apiChecks])
  func aHostIsShared(hanging: WorkOrigin.Kind) {
    let other: WorkOrigin.Kind = hanging == .apiChecks ? .fileChecks : .apiChecks
    var limit = InFlightLimit(InFlightLimits(total: 100, perHost: 8))
    limit.share(true, hosts: ["both"])
    for entry in 0..<20 { limit.enqueue(entry, host: "both", of: hanging) }
    let share = hanging == .apiChecks ? 6 : 7
    #expect(startAll(&limit) == Array(0..<share))
    for entry in 20..<40 { limit.enqueue(entry, host: "both", of: other) }
    #expect(startAll(&limit) == Array(20..<(28 - share)))
    limit.release(host: "both", of: other)
    #expect(startAll(&limit) == [28 - share], "each has its own back")
    limit.release(host: "both", of: hanging)
    #expect(startAll(&limit) == [share])
    // A host of one origin is all its own.
    for entry in 40..<60 { limit.enqueue(entry, host: "one", of: hanging) }
    #expect(startAll(&limit) == Array(40..<48))
  }

  /// One place goes to whoever came first; of two each origin has one.
  @Test func fewPlacesAtAHost() {
    for (places, started) in [(1, [0]), (2, [0, 2])] {
      var limit = InFlightLimit(InFlightLimits(total: 100, perHost: places))
      limit.share(true, hosts: ["both"])
      for entry in 0..<2 { limit.enqueue(entry, host: "both", of: .apiChecks) }
      limit.enqueue(2, host: "both", of: .fileChecks)
      #expect(startAll(&limit) == started)
    }
  }

  /// Checks of the API that nobody has seen leave those of the file the same part of what such checks may take.
  @Test func unseenChecksOfTheAPILeaveTheFileItsPart() {
    var limit = InFlightLimit(InFlightLimits(total: 16, perHost: 1))
    limit.share(true)
    for entry in 0..<40 { limit.enqueue(entry, host: "api-\(entry)", .unseen, of: .apiChecks) }
    #expect(startAll(&limit) == Array(0..<9))
    for entry in 100..<106 { limit.enqueue(entry, host: "file-\(entry)", .unseen) }
    #expect(startAll(&limit) == [100, 101, 102])
  }

  /// The API has its eighth as well.
  @Test func checksOfTheFileLeaveTheAPIItsPlaces() {
    var limit = InFlightLimit(InFlightLimits(total: 16, perHost: 1))
    limit.share(true)
    for entry in 0..<40 { limit.enqueue(entry, host: "file-\(entry)") }
    #expect(startAll(&limit) == Array(0..<14))
    limit.enqueue(100, host: "api", .trusted, of: .apiChecks)
    #expect(startAll(&limit) == [100])
    limit.share(false)
    #expect(startAll(&limit) == [14], "alone it may have all")
  }
}
