// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Histories of a group that no one chose.
@Suite struct SharingHistoryTests {
  /// Any number of moves, deaths and restarts: nothing is told less than once, and nothing twice while the store is there.
  @Test func anyHistory() throws {
    let seed = UInt64.random(in: 0...(.max))
    print("a history of a group from the seed \(seed)")
    let random = Counter(state: seed &* 7919)
    let checks = try (0..<3).map { try makeCheck("c\($0)", host: "10.\($0).0.1") }
    var world = ShareWorld(agents: 3, checks)
    var isDown = [false, false, false]
    for _ in 0..<30 {
      let place = Int(random.next() % 3)
      switch random.next() % 4 {
      case 0: isDown[place].toggle()
      case 1:
        let agent = Int(random.next() % 3)
        if !world.isDead(agent) { world.give(checks[place], to: agent) }
      case 2 where world.deadCount == 0:
        let agent = Int(random.next() % 3)
        world.kill(agent)
        for check in checks where world.owner(check) == agent { world.give(check, to: (agent + 1) % 3) }
      default: world.restartAll()
      }
      for (place, check) in checks.enumerated() {
        let owner = world.owner(check)
        if isDown[place] { world.fail(check, by: owner) } else { world.mend(check, by: owner) }
      }
      // Long enough for a message to be told, and for that to be known.
      world.pass(45)
      for (place, check) in checks.enumerated() {
        let own = world.messages.filter { $0.members.contains { $0.checkID == check.id } }
        let kinds = own.map(\.kind).filter { $0 != .update }
        let wanted: AlertMessage.Kind? = isDown[place] ? .opened : kinds.isEmpty ? nil : .recovered
        #expect(kinds.last == wanted, "\(seed)")
        for (one, next) in zip(kinds, kinds.dropFirst()) { #expect(one != next, "\(seed)") }
      }
    }
  }
}
