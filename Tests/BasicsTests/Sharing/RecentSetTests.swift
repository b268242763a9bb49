// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct RecentSetTests {
  @Test func theOlderHalfGoes() {
    var set = RecentSet<Int>(limit: 10)
    for number in 0..<10 { set.insert(number) }
    #expect(set.count == 10 && (0..<10).allSatisfy(set.contains))
    set.insert(10)
    #expect((0..<11).filter(set.contains) == [5, 6, 7, 8, 9, 10], "the newest half and the new one")
    for number in 11..<1000 {
      set.insert(number)
      #expect(set.count <= 10 && set.contains(number) && set.contains(number - 4), "\(number)")
    }
  }

  @Test func whatComesAgainIsNew() {
    var set = RecentSet<Int>(limit: 4)
    for number in 0..<100 {
      set.insert(number)
      set.insert(-1)
      #expect(set.contains(-1), "\(number)")
    }
    #expect(set.count <= 4)
  }

  @Test func removal() {
    var set = RecentSet<Int>(limit: 4)
    for number in 0..<4 { set.insert(number) }
    set.remove(0)
    set.remove(3)
    #expect((0..<4).filter(set.contains) == [1, 2] && set.count == 2)
    set.formIntersection([2, 7])
    #expect(set.contains(2) && set.count == 1)
    set.remove(2)
    #expect(set.isEmpty)
  }
}
