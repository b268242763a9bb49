// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Groups

/// Which questions of other places are answered now: each check once a second, and sixteen checks at once.
@Suite struct AnswerQueueTests {
  private func check(_ number: Int) -> UniqueID { UniqueID(high: 7, low: UInt64(number)) }

  private func question(_ number: Int, _ revision: Int64) -> AnswerQueue.Question {
    AnswerQueue.Question(check: check(number), revision: revision)
  }

  private func at(_ milliseconds: Int64) -> Instant {
    Instant(nanoseconds: (1000 + milliseconds) * 1_000_000)
  }

  @Test func sixteenAtOnce() {
    var queue = AnswerQueue()
    for number in 0..<20 { queue.add(question(number, Int64(number + 1))) }
    #expect(queue.next(at: at(0)) == (0..<16).map { question($0, Int64($0 + 1)) })
    #expect(queue.next(at: at(5000)) == [], "none has been given back")
    queue.done(check(3))
    queue.done(check(9))
    #expect(queue.next(at: at(5000)) == [question(16, 17), question(17, 18)])
    queue.done(check(0))
    #expect(queue.next(at: at(5000)) == [question(18, 19)])
  }

  /// Questions that come meanwhile are answered by one more look, a second after the one before began.
  @Test func onceASecondForTheNewestQuestion() {
    var queue = AnswerQueue()
    queue.add(question(1, 4))
    #expect(queue.next(at: at(0)) == [question(1, 4)])
    queue.add(question(1, 4))
    queue.add(question(1, 3))
    #expect(queue.next(at: at(3000)) == [])
    queue.done(check(1))
    #expect(queue.next(at: at(3000)) == [], "it is answered already")
    queue.add(question(1, 5))
    #expect(queue.next(at: at(3000)) == [question(1, 5)])
    queue.add(question(1, 6))
    queue.add(question(1, 7))
    #expect(queue.next(at: at(3500)) == [], "it is being looked at")
    queue.done(check(1))
    #expect(queue.next(at: at(3999)) == [])
    #expect(queue.next(at: at(4000)) == [question(1, 7)])
  }

  @Test func inTheOrderOfTheirComing() {
    var queue = AnswerQueue()
    for (number, revision) in [(2, 1), (1, 2), (3, 3), (2, 4)] as [(Int, Int64)] {
      queue.add(question(number, revision))
    }
    queue.drop(check(1))
    #expect(queue.next(at: at(0)) == [question(2, 4), question(3, 3)])
    queue.add(question(1, 5))
    queue.drop(check(1))
    queue.add(question(1, 6))
    #expect(queue.next(at: at(0)) == [question(1, 6)])
  }
}
