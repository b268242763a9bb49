// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import TestSupport
import Testing

@testable import Network

/// The budget at each of its bounds, on a clock of the test's own.
@Suite struct EgressBudgetTableTests {
  private let clock = FakeClock()

  private func budget(_ change: (inout EgressBudget.Limits) -> Void = { _ in }) -> EgressBudget {
    var limits = EgressBudget.Limits()
    change(&limits)
    return EgressBudget(limits, time: clock.time)
  }

  private func peer(_ number: UInt32, _ port: UInt16 = 443) -> SocketAddress {
    SocketAddress(.v4(0x0800_0000 + number), port: port)
  }

  private func near(_ number: UInt32, _ port: UInt16 = 443) -> SocketAddress {
    SocketAddress(.v4(0x0a00_0000 + number), port: port)
  }

  /// Of several addresses the first counts as a connection; each of them where each is dialled.
  @Test(arguments: [false, true]) func whatCountsAsAConnection(dialsEach: Bool) {
    let budget = budget()
    let both = [peer(1), peer(2)]
    for _ in 0..<8 {
      #expect(budget.admit(both, of: "shop.example", dialsEach: dialsEach) == .granted(both))
    }
    let later = EgressBudget.Admission.later(.milliseconds(125))
    #expect(budget.admit(both, of: "shop.example", dialsEach: dialsEach) == later)
    #expect(budget.admit([peer(1)], of: "shop.example") == later)
    // The other one was not dialled.
    #expect(budget.admit([peer(2)], of: "shop.example") == (dialsEach ? later : .granted([peer(2)])))
    #expect(budget.admit([peer(3)], of: "shop.example") == .granted([peer(3)]))
  }

  /// All connections together are counted the same way.
  @Test(arguments: [(false, 100), (true, 50)]) func connectionsOfAll(dialsEach: Bool, most: Int) {
    let budget = budget()
    var granted = 0
    for number in 0..<UInt32(101) {
      let pair = [peer(2 * number), peer(2 * number + 1)]
      if budget.admit(pair, of: "shop.example", dialsEach: dialsEach) == .granted(pair) { granted += 1 }
    }
    #expect(granted == most)
  }

  /// A redirect's hop is never held back, and is counted: what comes after it waits for it too.
  @Test func hopsAreADebt() {
    let budget = budget()
    for _ in 0..<10 {
      #expect(budget.admit([peer(1)], of: "shop.example", isDelayable: false) == .granted([peer(1)]))
    }
    #expect(budget.admit([peer(1)], of: "shop.example") == .later(.milliseconds(375)))
    clock.advance(by: .milliseconds(250))
    #expect(budget.admit([peer(1)], of: "shop.example") == .later(.milliseconds(125)))
    clock.advance(by: .milliseconds(125))
    #expect(budget.admit([peer(1)], of: "shop.example") == .granted([peer(1)]))
  }

  /// A name is one destination, in whatever letters, with all its public addresses; in a private network, and where an
  /// address is named, each address is one.
  @Test func destinations() {
    let budget = budget { $0.destinations = 3 }
    #expect(budget.admit([peer(1)], of: "shop.example") == .granted([peer(1)]))
    #expect(budget.admit([peer(2), peer(3)], of: "SHOP.Example") == .granted([peer(2), peer(3)]))
    #expect(budget.status.destinations == 1)
    #expect(budget.admit([peer(2)], of: "8.0.0.2") == .granted([peer(2)]))
    #expect(budget.status.destinations == 2)
    // There is room for one of the two.
    #expect(budget.admit([near(1), near(2)], of: "db.example") == .granted([near(1)]))
    #expect(budget.status == .init(destinations: 3, limit: 3, refused: 0, lastRefusal: nil))
    let words = "checks from the API already go to 3 destinations ('limits.destinations')"
    #expect(budget.admit([near(2)], of: "db.example") == .refused(words))
    #expect(budget.admit([near(1)], of: "another.example") == .granted([near(1)]))
    #expect(budget.status == .init(destinations: 3, limit: 3, refused: 1, lastRefusal: words))
    #expect(budget.admit([], of: "none.example") == .refused("no address"))
    #expect(budget.status.refused == 2 && budget.status.lastRefusal == "no address")
  }

  /// A destination that was used within a day is not forgotten, and makes room afterwards; so long a refusal is told.
  @Test func whatIsForgotten() {
    let budget = budget { $0.destinations = 1 }
    func isGranted(_ number: UInt32) -> Bool {
      budget.admit([peer(number)], of: "\(number).example") == .granted([peer(number)])
    }
    #expect(isGranted(1))
    clock.advance(by: .seconds(3600))
    #expect(isGranted(1))
    clock.advance(by: .seconds(86_400))
    #expect(!isGranted(2))
    clock.advance(by: .microseconds(1))
    #expect(isGranted(2) && !isGranted(1))
    clock.advance(by: .seconds(86_400) - .microseconds(1))
    #expect(budget.status.lastRefusal != nil && budget.status.refused == 2)
    clock.advance(by: .microseconds(1))
    #expect(budget.status.lastRefusal == nil && budget.status.refused == 2)
  }

  /// Eight ports of one destination; those that are known stay open, and another destination has its own.
  @Test func ports() {
    let budget = budget()
    for port in 1...8 as ClosedRange<UInt16> {
      let one = [peer(UInt32(port), port)]
      #expect(budget.admit(one, of: "shop.example") == .granted(one))
    }
    let words = "checks from the API already use 8 ports of that host"
    #expect(budget.admit([peer(9, 9)], of: "shop.example") == .refused(words))
    #expect(budget.admit([peer(9, 8)], of: "shop.example") == .granted([peer(9, 8)]))
    #expect(budget.admit([peer(9, 9)], of: "mail.example") == .granted([peer(9, 9)]))
  }
}
