// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct FairQueueTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  private func drain(
    _ queue: inout FairQueue<Int>, where isOpen: (WorkOrigin.Kind) -> Bool = { _ in true }
  ) -> [Int] {
    var taken: [Int] = []
    while let next = queue.next(where: isOpen) { taken.append(next) }
    return taken
  }

  @Test func underOneKeyItIsFirstComeFirstServed() {
    var queue = FairQueue<Int>()
    for number in 0..<100 { queue.append(number, for: WorkOrigin(.fileChecks), at: start) }
    #expect(drain(&queue) == Array(0..<100))
    #expect(queue.isEmpty && queue.next() == nil)
  }

  /// Seven askers with ten requests each do not stop the eighth, which came last.
  @Test func keysTakeTurns() {
    var queue = FairQueue<Int>()
    for number in 0..<70 {
      queue.append(number, for: WorkOrigin(.asked, key: UInt64(number / 10)), at: start)
    }
    queue.append(99, for: WorkOrigin(.asked, key: 99), at: start)
    let taken = drain(&queue)
    #expect(Array(taken.prefix(9)) == [0, 10, 20, 30, 40, 50, 60, 99, 1])
    #expect(taken.count == 71 && Set(taken).count == 71)
  }

  @Test func originsTakeTurnsAndUrgentOnesGoFirst() {
    var queue = FairQueue<Int>()
    for number in 0..<3 { queue.append(number, for: WorkOrigin(.apiChecks, key: UInt64(number)), at: start) }
    for number in 10..<13 { queue.append(number, for: WorkOrigin(.fileChecks), at: start) }
    queue.append(20, for: WorkOrigin(.asked), at: start)
    queue.append(30, for: WorkOrigin(.deadManSwitches), at: start)
    queue.append(31, for: WorkOrigin(.group), at: start)
    #expect(drain(&queue) == [31, 30, 10, 0, 20, 11, 1, 12, 2])
  }

  /// An origin that may not go holds up no other, and keeps its order.
  @Test func aClosedOriginIsPassed() {
    var queue = FairQueue<Int>()
    for number in 0..<3 { queue.append(number, for: WorkOrigin(.apiChecks), at: start) }
    for number in 10..<12 { queue.append(number, for: WorkOrigin(.fileChecks), at: start) }
    #expect(drain(&queue) { $0 != .apiChecks } == [10, 11])
    #expect(queue.count == 3 && queue.count(of: .apiChecks) == 3)
    #expect(drain(&queue) == [0, 1, 2])
  }

  /// What does not fit is passed by what does, and its key stays before those behind it.
  @Test func anElementThatMayNotGoIsPassed() {
    var queue = FairQueue<Int>()
    queue.append(64, for: WorkOrigin(.fileChecks, key: 1), at: start)
    queue.append(1, for: WorkOrigin(.fileChecks, key: 2), at: start)
    queue.append(32, for: WorkOrigin(.fileChecks, key: 3), at: start)
    queue.append(2, for: WorkOrigin(.fileChecks, key: 2), at: start)
    #expect(queue.next(mayGo: { $0 < 10 }) == 1)
    #expect(queue.next(mayGo: { $0 < 10 }) == 2)
    #expect(queue.next(mayGo: { $0 < 10 }) == nil)
    #expect(queue.count == 2)
    #expect(queue.next() == 64)
    #expect(queue.next() == 32)
  }

  /// What was cancelled is gone at once; the others of its key keep their order and the key its turn.
  @Test func cancelledWorkLeaves() {
    var queue = FairQueue<Int>()
    for number in 0..<6 {
      queue.append(number, for: WorkOrigin(.asked, key: UInt64(number % 2)), at: start)
    }
    #expect(queue.removeAll(for: WorkOrigin(.asked, key: 0)) { $0 == 2 } == [2])
    #expect(queue.removeAll(for: WorkOrigin(.asked, key: 7)) { _ in true } == [])
    #expect(queue.count == 5)
    #expect(drain(&queue) == [0, 1, 4, 3, 5])
    for number in 0..<4 { queue.append(number, for: WorkOrigin(.asked, key: UInt64(number)), at: start) }
    #expect(queue.removeAll { $0 > 0 }.sorted() == [1, 2, 3])
    #expect(drain(&queue) == [0])
  }

  /// The second of two in one line is found after many have left it.
  @Test func linesAreCompacted() {
    var queue = FairQueue<Int>()
    for number in 0..<200 { queue.append(number, for: WorkOrigin(.fileChecks), at: start) }
    for number in 0..<150 { #expect(queue.next() == number) }
    #expect(queue.removeAll(for: WorkOrigin(.fileChecks)) { $0 == 151 } == [151])
    #expect(queue.next() == 150)
    #expect(queue.next() == 152)
    #expect(queue.count == 47)
  }

  /// A queue is held from the first that waits until none does; each origin on its own.
  @Test func howLongItIsHeld() {
    var queue = FairQueue<Int>()
    queue.append(0, for: WorkOrigin(.apiChecks), at: start)
    queue.append(1, for: WorkOrigin(.apiChecks), at: start + .seconds(1))
    queue.append(2, for: WorkOrigin(.asked), at: start + .seconds(2))
    #expect(
      queue.waits(for: .memory) == [
        QueueWait(.memory, .apiChecks, count: 2, since: start),
        QueueWait(.memory, .asked, count: 1, since: start + .seconds(2)),
      ])
    _ = queue.next(mayGo: { $0 == 0 })
    #expect(queue.since(of: .apiChecks) == start, "without a break")
    _ = queue.next(mayGo: { $0 == 1 })
    #expect(queue.since(of: .apiChecks) == nil)
    queue.append(3, for: WorkOrigin(.apiChecks), at: start + .seconds(9))
    #expect(queue.since(of: .apiChecks) == start + .seconds(9))
  }

  @Test func namesAreKeys() {
    #expect(WorkOrigin(.asked, named: "a") == WorkOrigin(.asked, named: "a"))
    #expect(WorkOrigin(.asked, named: "a") != WorkOrigin(.asked, named: "b"))
    #expect(Set(WorkOrigin.Kind.allCases.map(\.label)).count == WorkOrigin.Kind.allCases.count)
  }
}
