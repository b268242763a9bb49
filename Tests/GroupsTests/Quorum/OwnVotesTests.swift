// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Groups

/// What is to be written of this place's votes: each thing that may happen while one is on its way, with each end of it.
@Suite struct OwnVotesTests {
  enum Meanwhile: CaseIterable { case nothing, same, other, question, dropped, restarted, lookedAt }

  private let check = UniqueID(high: 7, low: 1)
  private let second = UniqueID(high: 7, low: 2)
  private static let now = Timestamp(seconds: 1_767_571_200)
  private static let down = Vote(.down, .connectRefused)
  private static let up = Vote(.up, .ok)

  private func at(_ seconds: Int64) -> Timestamp { Self.now.advanced(by: .seconds(seconds)) }

  private func puts(_ votes: inout OwnVotes) -> [Vote] { votes.takePuts().map(\.vote) }

  /// On its way, and then that.
  private func flying(_ meanwhile: Meanwhile) -> OwnVotes {
    var votes = OwnVotes()
    votes.say(check, Self.down, began: at(0), there: nil)
    #expect(puts(&votes) == [Self.down] && !votes.hasWork)
    switch meanwhile {
    case .nothing: break
    case .same: votes.say(check, Self.down, began: at(1), there: nil)
    case .other: votes.say(check, Self.up, began: at(1), there: nil)
    case .question:
      var answer = Self.down
      answer.answers = 9
      votes.say(check, answer, began: at(1), there: nil)
    case .dropped: votes.drop(check, place: "london", lease: 3)
    case .restarted: votes.restart()
    case .lookedAt: votes.look(at: check, nil, told: 1)
    }
    return votes
  }

  /// What is put after it was written.
  @Test(arguments: Meanwhile.allCases) func written(meanwhile: Meanwhile) {
    var votes = flying(meanwhile)
    let written = OwnVotes.Written(vote: Self.down, lease: 3, revision: 20)
    votes.wrote(check, written, place: "london", there: nil, told: 19)
    var expected: [Vote] = []
    switch meanwhile {
    case .nothing, .same, .dropped: break
    case .other: expected = [Self.up]
    case .question: expected = [Vote(.down, .connectRefused, answers: 9)]
    case .restarted, .lookedAt: expected = [Self.down]
    }
    #expect(puts(&votes) == expected)
    let key = QuorumKey.vote(check: check, place: "london")
    #expect(votes.deletes == (meanwhile == .dropped ? [key: 20] : [:]))
  }

  /// What could not be written is put again, as it is said by then, and again for as long as it fails.
  @Test(arguments: Meanwhile.allCases) func failed(meanwhile: Meanwhile) {
    var votes = flying(meanwhile)
    var expected: [Vote] =
      switch meanwhile {
      case .other: [Self.up]
      case .question: [Vote(.down, .connectRefused, answers: 9)]
      case .dropped: []
      case .nothing, .same, .restarted, .lookedAt: [Self.down]
      }
    for _ in 0..<3 {
      votes.failed(check)
      #expect(votes.hasWork == !expected.isEmpty)
      #expect(puts(&votes) == expected && votes.deletes.isEmpty)
    }
    votes.say(check, Self.up, began: at(5), there: nil)
    votes.failed(check)
    expected = meanwhile == .question ? [Vote(.up, .ok, answers: 9)] : [Self.up]
    #expect(puts(&votes) == expected)
  }

  /// Of two on their way each has its own end.
  @Test(arguments: [false, true], [false, true]) func two(isFirstWritten: Bool, isSecondWritten: Bool) {
    var votes = OwnVotes()
    votes.say(check, Self.down, began: at(0), there: nil)
    votes.say(second, Self.up, began: at(0), there: nil)
    #expect(votes.takePuts().map(\.check) == [check, second])
    for (id, vote, isWritten) in [(check, Self.down, isFirstWritten), (second, Self.up, isSecondWritten)] {
      if isWritten {
        votes.wrote(id, .init(vote: vote, lease: 3, revision: 20), place: "london", there: nil, told: 19)
      } else {
        votes.failed(id)
      }
    }
    let expected = [(check, isFirstWritten), (second, isSecondWritten)].filter { !$0.1 }.map(\.0)
    #expect(votes.takePuts().map(\.check) == expected)
  }
}
