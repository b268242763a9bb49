// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Groups

/// Which of this place's votes are to be written, in what order, and which of its keys are to go.
@Suite struct VoteOrderTests {
  private static let now = Timestamp(seconds: 1_767_571_200)
  private static let down = Vote(.down, .connectRefused)
  private static let up = Vote(.up, .ok)
  private let one = UniqueID(high: 7, low: 1)

  private func check(_ number: Int) -> UniqueID { UniqueID(high: 7, low: UInt64(number)) }

  private func at(_ milliseconds: Int64) -> Timestamp { Self.now.advanced(by: .milliseconds(milliseconds)) }

  private func row(_ vote: Vote, _ revision: Int64, lease: Int64 = 3) -> VoteMirror.Row {
    VoteMirror.Row(vote: vote, revision: revision, lease: lease, since: Self.now)
  }

  /// Written as `down` at revision 20, of lease 3.
  private func written() -> OwnVotes {
    var votes = OwnVotes()
    votes.say(one, Self.down, began: at(100_000), there: nil)
    _ = votes.takePuts()
    votes.wrote(
      one, .init(vote: Self.down, lease: 3, revision: 20), place: "london", there: nil, told: 19)
    return votes
  }

  private func puts(_ votes: inout OwnVotes) -> [Vote] { votes.takePuts().map(\.vote) }

  /// A probe that began earlier says nothing new, unless the clock was set back by a minute or more.
  @Test(arguments: [(100_000, true), (99_999, false), (40_001, false), (40_000, true), (0, true)])
  func olderVotes(began: Int64, counts: Bool) {
    var votes = written()
    votes.say(one, Self.up, began: at(began), there: nil)
    #expect(puts(&votes) == (counts ? [Self.up] : []))
  }

  /// A question that an older probe answers is answered all the same, by the newer verdict.
  @Test func anOlderVoteStillAnswers() {
    var votes = written()
    votes.say(one, Vote(.up, .ok, answers: 7), began: at(99_000), there: nil)
    #expect(puts(&votes) == [Vote(.down, .connectRefused, answers: 7)])
    votes.say(one, Vote(.up, .ok, answers: 5), began: at(101_000), there: nil)
    #expect(puts(&votes) == [Vote(.up, .ok, answers: 7)])
  }

  /// Another state, another reason, or a newer answer is written; what stands there already is not.
  @Test func whatIsNews() {
    for (vote, isNews) in [
      (Self.down, false), (Vote(.down, .connectTimeout), true), (Vote(.unknown, .connectRefused), true),
      (Vote(.down, .connectRefused, answers: 1), true),
    ] {
      var votes = written()
      votes.say(one, vote, began: at(101_000), there: nil)
      #expect(votes.hasWork == isNews && puts(&votes) == (isNews ? [vote] : []))
    }
  }

  /// The newer of what was written here and what the store told of.
  @Test(arguments: [(19, false), (20, false), (21, true)] as [(Int64, Bool)])
  func whatStandsThere(revision: Int64, isNews: Bool) {
    var votes = written()
    votes.say(one, Self.down, began: at(101_000), there: row(Self.up, revision))
    #expect(puts(&votes) == (isNews ? [Self.down] : []))
    var fresh = OwnVotes()
    fresh.say(one, Self.up, began: at(0), there: row(Self.up, revision))
    #expect(!fresh.hasWork)
    fresh.say(one, Self.down, began: at(0), there: row(Self.up, revision))
    #expect(fresh.hasWork)
  }

  /// Answers first, the last of them before all; the others in their order, sixty-four at once.
  @Test func theOrder() {
    var votes = OwnVotes()
    for number in 0..<3 { votes.say(check(number), Self.up, began: at(0), there: nil) }
    votes.say(check(3), Vote(.up, .ok, answers: 2), began: at(0), there: nil)
    votes.say(check(2), Vote(.up, .ok, answers: 3), began: at(0), there: nil)
    votes.say(check(0), Self.down, began: at(1), there: nil)
    #expect(votes.takePuts().map(\.check) == [2, 3, 0, 1].map { check($0) })
    for number in 10..<80 { votes.say(check(number), Self.up, began: at(0), there: nil) }
    #expect(votes.takePuts().map(\.check) == (10..<74).map { check($0) })
    #expect(votes.hasWork && votes.takePuts().map(\.check) == (74..<80).map { check($0) })
    #expect(!votes.hasWork && votes.takePuts().isEmpty)
  }

  /// The word of another agent of this place is said on, unless it is ours or the check is known already.
  @Test func whatIsAdopted() {
    for (lease, isAdopted) in [(3, true), (nil, true), (4, false)] as [(Int64?, Bool)] {
      var votes = OwnVotes()
      votes.adopt(one, row(Self.down, 9, lease: 4), lease: lease)
      #expect(puts(&votes) == (isAdopted ? [Self.down] : []))
      votes.say(one, Self.up, began: at(0), there: nil)
      #expect(puts(&votes) == [Self.up])
    }
    var votes = written()
    votes.adopt(one, row(Self.up, 30, lease: 4), lease: 3)
    #expect(!votes.hasWork && votes.items[one]?.vote == Self.down)
  }

  /// A vote that is gone is put again, once the store has told of as much as was written.
  @Test(arguments: [(19, false), (20, true), (21, true)] as [(Int64, Bool)])
  func whatIsGoneIsPutAgain(told: Int64, again: Bool) {
    var votes = written()
    votes.look(at: one, row(Self.down, 20), told: told)
    votes.look(at: check(9), nil, told: told)
    #expect(!votes.hasWork)
    votes.look(at: one, nil, told: told)
    #expect(puts(&votes) == (again ? [Self.down] : []))
    #expect((votes.items[one]?.written == nil) == again)
  }

  /// The key of a check that went is deleted where this lease wrote it, at the revision of then.
  @Test func whatIsDeleted() {
    let key = QuorumKey.vote(check: one, place: "london")
    for (lease, deletes) in [(3, [key: 20]), (4, [:]), (nil, [:])] as [(Int64?, [QuorumKey: Int64])] {
      var votes = written()
      votes.drop(one, place: "london", lease: lease)
      #expect(votes.deletes == deletes && votes.hasWork == !deletes.isEmpty)
      votes.deleted([(key, 19)])
      #expect(votes.deletes == deletes)
      votes.deleted([(key, 20)])
      #expect(votes.deletes.isEmpty && votes.items.isEmpty)
    }
    var votes = OwnVotes()
    for number in 0..<70 { votes.delete(.incident(check: check(number)), revision: 5) }
    #expect(votes.nextDeletes().count == 64)
    votes.deleted(votes.nextDeletes())
    #expect(votes.deletes.count == 6)
  }

  /// With another lease everything is put again; where revisions begin again, no question of before is answered.
  @Test func anotherLeaseAndAnotherStore() {
    var votes = written()
    votes.say(check(2), Vote(.up, .ok, answers: 8), began: at(0), there: nil)
    _ = votes.takePuts()
    votes.wrote(
      check(2), .init(vote: Vote(.up, .ok, answers: 8), lease: 3, revision: 21), place: "london",
      there: nil, told: 20)
    votes.delete(.incident(check: one), revision: 5)
    votes.restart()
    #expect(votes.deletes.isEmpty && votes.items.values.allSatisfy { $0.written == nil })
    #expect(Set(votes.takePuts().map(\.check)) == [one, check(2)])
    votes.forgetRevisions()
    #expect(votes.items[check(2)]?.vote == Self.up && votes.items[one]?.vote == Self.down)
  }
}
