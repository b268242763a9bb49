// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct RecentMapTests {
  private func keys(_ map: RecentMap<Int, String>) -> [Int] { (0..<100).filter { map.contains($0) } }

  /// The older half goes, whatever the order in which the keys came.
  @Test func theOlderHalfGoes() {
    var map = RecentMap<Int, String>(limit: 4)
    for key in 0..<4 { map.insert("\(key)", for: key) }
    #expect(keys(map) == [0, 1, 2, 3] && map.count == 4)
    map.insert("4", for: 4)
    #expect(keys(map) == [2, 3, 4] && map[2] == "2" && map[0] == nil)
  }

  /// What is asked for stays; a look that asks for nothing leaves it as old as it is.
  @Test func whatIsUsedStays() {
    var map = RecentMap<Int, String>(limit: 4)
    for key in 0..<4 { map.insert("\(key)", for: key) }
    #expect(map.value(for: 0) == "0")
    #expect(keys(map) == [0, 2, 3])
    #expect(map[2] == "2")
    map.insert("4", for: 4)
    map.insert("5", for: 5)
    #expect(keys(map) == [0, 4, 5])
  }

  /// A key that comes again has its new value, once.
  @Test func aKeyHasItsLastValue() {
    var map = RecentMap<Int, String>(limit: 4)
    for key in 0..<3 { map.insert("old", for: key) }
    map.insert("new", for: 0)
    #expect(map.value(for: 0) == "new" && map.count == 3)
    map.remove(0)
    #expect(map.value(for: 0) == nil && map.count == 2)
    map.keep { $0 == 2 }
    #expect(keys(map) == [2])
  }
}
