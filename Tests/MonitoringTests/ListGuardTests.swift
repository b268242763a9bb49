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

  /// The wait is for the entries that were missing from every answer: what was back in one of them is no part of it, though it
  /// is missing before and after.
  @Test func whatWasBackMeanwhileDoesNotCount() {
    let all = Set(1...11)
    func judge(_ last: Set<Int>, at second: Int64) -> Bool {
      var listGuard = ListGuard(current: all)
      #expect(listGuard.judge(all.subtracting(1...9), at: dawn) != .apply)
      // 4 to 9 are missing ever since.
      #expect(listGuard.judge(all.subtracting(4...11), at: after(300)) != .apply)
      return listGuard.judge(all.subtracting(last), at: after(second)) == .apply
    }
    #expect(judge(Set(4...9), at: 570))
    #expect(judge(all, at: 570))
    #expect(!judge(Set(4...9), at: 569))
    // Most are missing, but of those that were missing all the time only four: another doubt begins.
    #expect(!judge(Set(1...3).union(6...11), at: 600))
  }

  /// Half a minute before its time is over a loss is applied; a second before that it is not.
  @Test(arguments: [(600, 570), (60, 30), (3600, 3570)] as [(Int64, Int64)])
  func theEndOfTheWait(patience: Int64, end: Int64) {
    for (second, isApplied) in [(end - 1, false), (end, true)] {
      var listGuard = ListGuard(current: Set(0..<3), of: "members", patience: .seconds(patience))
      #expect(listGuard.judge([0], at: dawn) != .apply)
      #expect((listGuard.judge([0], at: after(second)) == .apply) == isApplied)
    }
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
