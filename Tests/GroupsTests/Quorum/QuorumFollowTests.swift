// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import Groups

/// What a desk makes of each key that its watch tells of, and of checks that come and go.
@Suite struct QuorumFollowTests {
  private let clock = FakeClock(boot: Instant(nanoseconds: 1_000_000_000_000))
  private let check: MonitoringCheck
  private let other: MonitoringCheck
  private let desk: QuorumDesk

  init() throws {
    check = try QuorumWorld.makeCheck("Shop")
    other = try QuorumWorld.makeCheck("Other")
    let store = MemoryQuorumStore(clock.time)
    desk = QuorumDesk(
      place: "london", store: store.seen(from: "london"),
      lease: KeptLease(store.seen(from: "london"), clock.time), ttl: .seconds(10), time: clock.time
    ) { _ in nil }
    desk.apply([check])
    desk.state.withLock { $0.link.lease = 7 }
  }

  private func tell(_ key: QuorumKey, _ value: [UInt8]?, _ revision: Int64, lease: Int64 = 0) {
    var rows = QuorumRows()
    (rows.entries, rows.revision) = ([QuorumEntry(key, value, revision: revision, lease: lease)], revision)
    desk.take(rows)
  }

  private var deletes: [QuorumKey: Int64] { desk.state.withLock { $0.own.deletes } }

  /// The key of an incident of this place is another one since the revision that it was claimed with.
  @Test(arguments: [(9, true), (10, true), (11, false)] as [(Int64, Bool)])
  func anIncidentThatWent(revision: Int64, isKept: Bool) {
    desk.state.withLock { $0.incidents[check.id] = 10 }
    tell(.incident(check: other.id), nil, revision)
    tell(.incident(check: check.id), [1], 20, lease: 3)
    #expect(desk.state.withLock { $0.incidents } == [check.id: 10])
    tell(.incident(check: check.id), nil, revision)
    #expect(desk.state.withLock { $0.incidents[check.id] } == (isKept ? 10 : nil))
  }

  /// A key under our lease that is of no use goes, with the revision that it has.
  @Test func whatIsOfNoUse() {
    let vote = Vote(.up, .ok).json
    let keys = [check.id, other.id].flatMap { id -> [QuorumKey] in
      [.vote(check: id, place: "london"), .question(check: id, place: "london"), .incident(check: id)]
    }
    for key in keys { tell(key, vote, 8, lease: 6) }
    for id in [check.id, other.id] { tell(.vote(check: id, place: "paris"), vote, 8, lease: 7) }
    for id in [check.id, other.id] { tell(.question(check: id, place: "paris"), [1], 8, lease: 7) }
    #expect(deletes == [:], "it is of another lease, or another place's")
    for key in keys { tell(key, vote, 9, lease: 7) }
    var expected = Dictionary(uniqueKeysWithValues: keys.map { ($0, Int64(9)) })
    expected[.vote(check: check.id, place: "london")] = nil
    #expect(deletes == expected)
    for key in keys { tell(key, nil, 10) }
    #expect(deletes == expected)
  }

  /// A question that is being asked, and the incident of what is down, are wanted.
  @Test func whatIsWanted() {
    desk.state.withLock { ($0.asking, $0.down) = ([check.id], [check.id]) }
    for id in [check.id, other.id] {
      tell(.question(check: id, place: "london"), [1], 9, lease: 7)
      tell(.incident(check: id), [1], 9, lease: 7)
    }
    #expect(deletes == [.question(check: other.id, place: "london"): 9, .incident(check: other.id): 9])
  }

  /// A vote of this place that went is put again; one of another place, or of another check, is not ours to
  /// put.
  @Test func aVoteThatWent() {
    let vote = Vote(.up, .ok)
    desk.state.withLock { state in
      state.own.say(check.id, vote, began: clock.wall, there: nil)
      let puts = state.own.takePuts()
      #expect(puts.map(\.check) == [check.id])
      let written = OwnVotes.Written(vote: vote, lease: 7, revision: 9)
      state.own.wrote(check.id, written, place: "london", there: nil, told: 8)
    }
    tell(.vote(check: check.id, place: "london"), vote.json, 9, lease: 7)
    tell(.vote(check: check.id, place: "paris"), nil, 10)
    tell(.vote(check: other.id, place: "london"), nil, 10)
    #expect(desk.state.withLock { !$0.own.hasWork })
    tell(.vote(check: check.id, place: "london"), nil, 11)
    #expect(desk.state.withLock { $0.own.takePuts().map(\.check) } == [check.id])
  }

  /// The questions of other places are answered, those of this one are not.
  @Test func questions() {
    func asked() -> [AnswerQueue.Question] {
      desk.state.withLock { $0.answers.next(at: clock.instant) }
    }
    tell(.question(check: check.id, place: "london"), [1], 8, lease: 3)
    tell(.question(check: other.id, place: "paris"), [1], 8, lease: 3)
    #expect(asked() == [])
    tell(.question(check: check.id, place: "paris"), [1], 9, lease: 3)
    #expect(asked() == [AnswerQueue.Question(check: check.id, revision: 9)])
    tell(.question(check: check.id, place: "ny"), [1], 10, lease: 3)
    tell(.question(check: check.id, place: "ny"), nil, 11)
    clock.advance(by: .seconds(2))
    #expect(desk.state.withLock { $0.mirror.revision } == 11)
  }

  /// What others say of a check is there before the check is.
  @Test func aCheckThatComes() {
    tell(.question(check: other.id, place: "paris"), [1], 9, lease: 3)
    tell(.vote(check: other.id, place: "london"), Vote(.down, .connectTimeout).json, 9, lease: 3)
    desk.apply([check, other])
    #expect(desk.state.withLock { $0.answers.next(at: clock.instant).map(\.revision) } == [9])
    #expect(desk.state.withLock { $0.own.items[other.id]?.vote } == Vote(.down, .connectTimeout))
    #expect(desk.state.withLock { $0.own.items[check.id] } == nil)
  }

  /// Nothing of a check that went is left: neither its vote, its incident, nor what was asked of it.
  @Test func aCheckThatGoes() {
    let vote = Vote(.down, .connectTimeout)
    desk.state.withLock { state in
      state.own.say(check.id, vote, began: clock.wall, there: nil)
      _ = state.own.takePuts()
      let written = OwnVotes.Written(vote: vote, lease: 7, revision: 9)
      state.own.wrote(check.id, written, place: "london", there: nil, told: 8)
      (state.asked, state.down, state.incidents) = ([check.id], [check.id], [check.id: 10])
      state.answers.add(AnswerQueue.Question(check: check.id, revision: 5))
    }
    desk.apply([check])
    #expect(deletes == [:])
    desk.apply([])
    #expect(deletes == [.vote(check: check.id, place: "london"): 9, .incident(check: check.id): 10])
    desk.state.withLock { state in
      #expect(state.asked.isEmpty && state.down.isEmpty && state.incidents.isEmpty)
      #expect(state.own.items.isEmpty && state.watched.isEmpty)
      let open = state.answers.next(at: clock.instant)
      #expect(open == [])
    }
  }

  /// Only a check that is on and that asks this place is watched.
  @Test func whatIsWatched() throws {
    var (off, without) = (CheckDefinition(), CheckDefinition())
    (off.name, off.type, off.host, off.port) = ("Off", "tcp", "a.example", 80)
    (without.name, without.type, without.host, without.port) = ("Without", "tcp", "a.example", 80)
    var elsewhere = without
    elsewhere.name = "Elsewhere"
    off.plan.confirm = ConfirmSettings(from: 1, of: ["london", "paris"])
    off.plan.enabled = false
    elsewhere.plan.confirm = ConfirmSettings(from: 1, of: ["paris", "ny"])
    let checks = try [off, without, elsewhere].map { try MonitoringCheck($0, patterns: .unchecked) }
    desk.apply(checks + [check])
    #expect(desk.state.withLock { Array($0.watched.keys) } == [check.id])
    #expect((checks + [check]).map(desk.concerns) == [true, false, false, true])
    #expect(desk.isNeeded)
    desk.apply(checks)
    #expect(!desk.isNeeded)
  }

  /// With the first checks the others are looked for, unless they are heard.
  @Test func theOthersAreLookedFor() {
    #expect(desk.state.withLock { $0.link.seeking } == clock.instant)
    let first = clock.instant
    clock.advance(by: .seconds(3))
    desk.apply([check, other])
    #expect(desk.state.withLock { $0.link.seeking } == first)
    desk.apply([])
    desk.apply([check])
    #expect(desk.state.withLock { $0.link.seeking } == clock.instant)
    desk.apply([])
    desk.state.withLock { state in
      (state.link.lastOK, state.link.lastRead, state.link.seeking) = (clock.instant, clock.instant, nil)
    }
    desk.apply([check])
    #expect(desk.state.withLock { $0.link.seeking } == nil)
  }

  /// Each place's verdict: ours, that of one that has voted, of one that has not; and of none where none is
  /// heard.
  @Test func verdicts() {
    let since = clock.wall
    tell(.vote(check: check.id, place: "ny"), Vote(.down, .connectTimeout).json, 9, lease: 3)
    let (none, unheard) = (
      PlaceVerdict("paris", isAlive: false), PlaceVerdict("paris", isAlive: false, isHeard: false)
    )
    var voted = PlaceVerdict("ny", .down, .connectTimeout)
    voted.since = since
    desk.state.withLock { state in
      (state.link.lastOK, state.link.lastRead) = (clock.instant, clock.instant)
    }
    #expect(desk.verdicts(of: check.id) == [PlaceVerdict("london"), none, voted])
    desk.say(check.id, Vote(.degraded, .responseTime), began: clock.wall)
    desk.say(other.id, Vote(.down, .connectTimeout), began: clock.wall)
    let own = PlaceVerdict("london", .degraded, .responseTime)
    #expect(desk.verdicts(of: check.id) == [own, none, voted] && desk.verdicts(of: other.id) == [])
    #expect(desk.state.withLock { $0.own.items[other.id] } == nil)
    desk.state.withLock { $0.link.lastRead = nil }
    let gone = PlaceVerdict("ny", isAlive: false, isHeard: false)
    #expect(desk.verdicts(of: check.id) == [own, unheard, gone])
  }
}
