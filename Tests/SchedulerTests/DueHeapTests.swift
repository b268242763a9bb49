// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import Scheduler

@Suite struct DueHeapTests {
  @Test func popsInOrderAndOnlyWhatIsDue() {
    var heap = DueHeap(entries: 3)
    heap.set(0, due: 30)
    heap.set(1, due: 10)
    heap.set(2, due: 20)
    #expect(heap.first == 10)
    #expect(heap.pop(through: 20) == 1)
    #expect(heap.pop(through: 20) == 2)
    #expect(heap.pop(through: 20) == nil)
    #expect(heap.first == 30)
  }

  @Test func madeAtOnceItIsAsIfSetOneByOne() {
    let dues: [Int64?] = [30, nil, 10, 20, nil]
    var heap = DueHeap(entries: 5) { dues[$0] }
    #expect(heap.count == 3)
    heap.set(1, due: 15)
    heap.set(2, due: 40)
    heap.remove(0)
    #expect(heap.count == 3)
    #expect(heap.pop(through: 100) == 1)
    #expect(heap.pop(through: 100) == 3)
    #expect(heap.pop(through: 39) == nil)
    #expect(heap.pop(through: 40) == 2)
    #expect(heap.count == 0)
  }

  @Test func whatIsSetAnewIsDueOnce() {
    var heap = DueHeap(entries: 1)
    heap.set(0, due: 10)
    heap.set(0, due: 40)
    heap.set(0, due: 25)
    #expect(heap.count == 1)
    #expect(heap.pop(through: 24) == nil)
    #expect(heap.pop(through: 100) == 0)
    #expect(heap.pop(through: 100) == nil)
  }

  /// Against a dictionary: 20,000 random steps, enough for dead items to be swept many times.
  @Test func agreesWithASimpleModel() {
    var random = SeededGenerator(seed: 7)
    var heap = DueHeap(entries: 50)
    var model: [Int: Int64] = [:]
    for _ in 0..<20_000 {
      let entry = Int(random.next() % 50)
      switch random.next() % 4 {
      case 0, 1:
        let due = Int64(random.next() % 1000)
        heap.set(entry, due: due)
        model[entry] = due
      case 2:
        heap.remove(entry)
        model[entry] = nil
      default:
        let limit = Int64(random.next() % 1000)
        let expected = model.filter { $0.value <= limit }.min { ($0.value, $0.key) < ($1.value, $1.key) }
        let popped = heap.pop(through: limit)
        #expect(popped == expected?.key)
        if let popped { model[popped] = nil }
      }
      #expect(heap.count == model.count)
    }
    #expect(heap.first == model.values.min())
  }
}
