// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@Suite struct ListGuardTests {
  private let dawn = Timestamp(seconds: 1_767_492_000)

  private func after(_ seconds: Int64) -> Timestamp { dawn.advanced(by: .seconds(seconds)) }

  @Test(arguments: [
    (100, 0, true), (100, 10, true), (100, 49, true), (100, 50, false), (1, 0, true), (2, 1, false),
  ])
  func suddenLossIsHeld(before: Int, after: Int, held: Bool) {
    var listGuard = ListGuard(current: Set(0..<before))
    #expect((listGuard.judge(Set(0..<after), at: dawn) != .apply) == held)
  }

  @Test func whyItIsHeldIsSaid() {
    var listGuard = ListGuard(current: Set(0..<10), of: "targets")
    #expect(
      listGuard.judge([7, 8, 11], at: dawn)
        == .hold(
          "8 of 10 targets disappeared at once; the previous list is kept until they have been missing for 10m"
        ))
  }

  @Test func appliedWhenItStaysSoForTenMinutes() {
    var listGuard = ListGuard(current: Set(0..<10))
    let verdicts = [0, 5, 10].map { listGuard.judge([], at: after($0 * 60)) == .apply }
    #expect(verdicts == [false, false, true])
    // It is the list in force now.
    #expect(listGuard.judge([], at: after(660)) == .apply)
  }

  @Test func aGoodListInBetweenStartsTheWaitAgain() {
    var listGuard = ListGuard(current: Set(0..<10))
    #expect(listGuard.judge([], at: dawn) != .apply)
    #expect(listGuard.judge(Set(0..<10), at: after(300)) == .apply)
    #expect(listGuard.judge([], at: after(600)) != .apply)
  }

  /// A list that changes with every answer is not held for ever: what is missing ever since counts.
  @Test func whatElseComesAndGoesDoesNotMatter() {
    var listGuard = ListGuard(current: Set(0..<10))
    for minute in 0..<9 {
      let list = Set([minute, 100 + minute].filter { $0 < 2 || $0 >= 100 })
      #expect(listGuard.judge(list, at: after(Int64(minute) * 60)) != .apply)
    }
    #expect(listGuard.judge([200, 201], at: after(570)) == .apply)
    #expect(listGuard.judge([200], at: after(580)) == .apply)
  }

  /// Another loss than before is another doubt.
  @Test func otherEntriesMissingAreAnotherDoubt() {
    var listGuard = ListGuard(current: Set(0..<10))
    #expect(listGuard.judge([0, 1, 2, 3], at: dawn) != .apply)
    #expect(listGuard.judge([6, 7, 8, 9], at: after(600)) != .apply)
    #expect(listGuard.judge([6, 7, 8, 9], at: after(900)) != .apply)
    #expect(listGuard.judge([6, 7, 8, 9], at: after(1200)) == .apply)
  }

  @Test func theFirstListEverIsTaken() {
    var listGuard = ListGuard<Int>()
    #expect(listGuard.judge([], at: dawn) == .apply)
    #expect(listGuard.judge(Set(0..<5), at: dawn) == .apply)
  }
}
