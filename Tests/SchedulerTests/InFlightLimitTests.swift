// SPDX-License-Identifier: MIT

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

  /// Random load: never above a limit, nobody is lost, and nobody idles while there is room.
  @Test func holdsBothLimitsAndLosesNobody() {
    var random = SplitMix(state: 3)
    var limit = InFlightLimit(InFlightLimits(total: 20, perHost: 3))
    var going: [(entry: Int, host: String)] = []
    var waiting: [Int: String] = [:]
    for entry in 0..<5000 {
      let host = "host-\(random.next() % 12)"
      limit.enqueue(entry, host: host)
      waiting[entry] = host
      if random.next() % 3 > 0, !going.isEmpty {
        limit.release(host: going.remove(at: Int(random.next() % UInt64(going.count))).host)
      }
      while let turn = limit.next() {
        #expect(waiting.removeValue(forKey: turn.entry) == turn.host)
        going.append(turn)
      }
      let loads = Dictionary(grouping: going, by: \.host).mapValues(\.count)
      #expect(going.count <= 20 && loads.values.allSatisfy { $0 <= 3 })
      #expect(limit.inFlight == going.count && limit.waiting == waiting.count)
      let idle = waiting.values.contains { loads[$0, default: 0] < 3 }
      #expect(going.count == 20 || !idle)
    }
  }
}
