// SPDX-License-Identifier: MIT

import Basics
import TestSupport
import Testing

@Suite struct DeadlineHeapTests {
  /// Whatever is inserted comes out by its instant, and nothing before it.
  @Test func instantsComeInTheirOrder() {
    var heap = DeadlineHeap()
    var generator = SeededGenerator(seed: 1)
    let instants = (1...500).map { _ in Int64.random(in: 1...1000, using: &generator) }
    for (index, instant) in instants.enumerated() {
      heap.insert(UInt64(index), at: Instant(nanoseconds: instant))
    }
    #expect(heap.earliest == instants.min().map(Instant.init(nanoseconds:)))
    #expect(heap.popDue(at: Instant(nanoseconds: 0)) == nil)
    var taken: [Int64] = []
    for now in stride(from: Int64(0), through: 1000, by: 10) {
      while let number = heap.popDue(at: Instant(nanoseconds: now)) {
        #expect(instants[Int(number)] <= now && instants[Int(number)] > now - 10)
        taken.append(instants[Int(number)])
      }
    }
    #expect(taken == instants.sorted())
    #expect(heap.earliest == nil)
  }

  @Test func whatIsNotDueStays() {
    let start = Instant(nanoseconds: 1_000_000_000)
    var heap = DeadlineHeap()
    heap.insert(2, at: start + .seconds(2))
    heap.insert(1, at: start + .seconds(1))
    #expect(heap.earliest == start + .seconds(1))
    #expect(heap.popDue(at: start) == nil)
    #expect(heap.popDue(at: start + .seconds(1)) == 1)
    #expect(heap.popDue(at: start + .seconds(1)) == nil)
    heap.removeAll()
    #expect(heap.earliest == nil)
  }
}
