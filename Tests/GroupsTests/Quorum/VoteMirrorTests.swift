// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Groups

/// How much of what strangers write is kept, and that what is kept stays true.
@Suite struct VoteMirrorTests {
  private static let now = Timestamp(microseconds: 1_700_000_000_000_000)

  private func key(_ check: Int, _ place: String = "paris") -> QuorumKey {
    .vote(check: UniqueID(high: 7, low: UInt64(check)), place: place)
  }

  private func rows(_ entries: [(QuorumKey, Vote?)], from revision: Int64) -> QuorumRows {
    var rows = QuorumRows()
    for (number, entry) in entries.enumerated() {
      rows.entries.append(
        QuorumEntry(entry.0, entry.1?.json, revision: revision + Int64(number), lease: entry.1 == nil ? 0 : 3)
      )
    }
    rows.revision = revision + Int64(entries.count)
    return rows
  }

  /// At the cap a new key is left and counted, a known one still changes, the own checks' are kept, and what goes makes room.
  @Test func theCapHoldsNoVoteInThePast() {
    var mirror = VoteMirror(mostOthers: 1000)
    let up = Vote(.up, .ok)
    let down = Vote(.down, .connectRefused)
    let own = UniqueID(high: 7, low: 1_000_000)
    func take(_ entries: [(QuorumKey, Vote?)], from revision: Int64) {
      mirror.take(rows(entries, from: revision), now: Self.now) { $0 == own }
    }
    func vote(_ check: Int) -> Vote? { mirror.vote(UniqueID(high: 7, low: UInt64(check)), of: "paris")?.vote }

    take((0..<1000).map { (key($0), up) }, from: 1)
    #expect(mirror.left == 0)
    take([(key(900_000), up), (key(900_001), up)], from: 300_000)
    #expect(mirror.left == 2 && vote(900_000) == nil)
    take([(key(5), down), (key(1_000_000), down)], from: 300_010)
    #expect(mirror.left == 2 && vote(5) == down && vote(1_000_000) == down)
    take([(key(6), nil), (key(1_000_000), nil), (key(900_000), down)], from: 300_020)
    #expect(mirror.left == 2 && vote(6) == nil && vote(900_000) == down)
  }

  /// Votes of two places by second, and since when each is in its state; what is read again is as old as it was.
  @Test func aStateIsAsOldAsItsFirstVote() {
    let check = UniqueID(high: 7, low: 1)
    var mirror = VoteMirror()
    let story: [(second: Int64, place: String, vote: Vote, since: [Int64?])] = [
      (0, "paris", Vote(.up, .ok), [0, nil]), (10, "paris", Vote(.up, .ok), [0, nil]),
      (20, "paris", Vote(.down, .connectRefused), [20, nil]),
      (25, "ny", Vote(.down, .connectRefused), [20, 25]),
      (30, "paris", Vote(.down, .connectTimeout), [20, 25]),
      (40, "paris", Vote(.down, .connectTimeout, answers: 9), [20, 25]),
      (50, "ny", Vote(.degraded, .ok), [20, 50]),
      (60, "paris", Vote(.up, .ok), [60, 50]), (70, "ny", Vote(.down, .connectRefused), [60, 70]),
      (80, "paris", Vote(.up, .ok), [60, 70]),
    ]
    func since(_ mirror: VoteMirror) -> [Int64?] {
      ["paris", "ny"].map { place in
        mirror.vote(check, of: place).map { Int64(Self.now.duration(to: $0.since).seconds) }
      }
    }
    for (number, step) in story.enumerated() {
      let now = Self.now.advanced(by: .seconds(step.second))
      mirror.take(rows([(key(1, step.place), step.vote)], from: Int64(number + 1)), now: now) { _ in true }
      #expect(since(mirror) == step.since, "at \(step.second)")
      // A reading of everything a while later.
      var second = VoteMirror()
      let all = ["paris", "ny"].compactMap { place in
        mirror.vote(check, of: place).map { (key(1, place), Optional($0.vote)) }
      }
      second.take(rows(all, from: 100), now: now.advanced(by: .seconds(5)), before: mirror) { _ in true }
      #expect(since(second) == step.since, "read at \(step.second)")
    }
  }

  /// A store may hold any number of places: those beyond the cap have no number, and are told as strange.
  @Test func placesHaveACap() {
    var mirror = VoteMirror()
    let up = Vote(.up, .ok)
    mirror.take(
      rows((0..<VoteMirror.mostPlaces).map { (key(1, "place-\($0)"), up) }, from: 1), now: Self.now
    ) { _ in true }
    #expect(mirror.strange.count == 0)
    mirror.take(rows([(key(1, "one-more"), up), (key(2, "place-0"), up)], from: 9_000), now: Self.now) { _ in
      true
    }
    #expect(mirror.strange.count == 1 && mirror.vote(UniqueID(high: 7, low: 1), of: "one-more") == nil)
    #expect(mirror.vote(UniqueID(high: 7, low: 2), of: "place-0")?.vote == up)
  }

  /// The mirror agrees with a store that has as many keys and no newer change.
  @Test func whatAgreesWithAnAudit() {
    var mirror = VoteMirror()
    var told = rows([(key(1), Vote(.up, .ok)), (key(2), Vote(.up, .ok))], from: 10)
    told.growth = 3
    mirror.take(told, now: Self.now) { _ in true }
    func agrees(_ count: Int, _ newest: Int64) -> Bool {
      mirror.agrees(with: QuorumAudit(count: count, newest: newest))
    }
    #expect(mirror.count == 3 && mirror.revision == 12)
    #expect(agrees(3, 12) && agrees(3, 11) && agrees(3, 0))
    #expect(!agrees(3, 13) && !agrees(2, 12) && !agrees(4, 12))
    var gone = rows([(key(1), nil)], from: 5)
    gone.growth = -4
    mirror.take(gone, now: Self.now) { _ in true }
    #expect(mirror.count == 0 && mirror.revision == 12)
  }

  /// Questions of other places, the newest of them, and the keys that live with one lease.
  @Test func questionsAndLeases() {
    let check = UniqueID(high: 7, low: 1)
    var mirror = VoteMirror()
    var told = QuorumRows()
    told.entries = [
      QuorumEntry(.question(check: check, place: "paris"), [1], revision: 4, lease: 3),
      QuorumEntry(.question(check: check, place: "ny"), [1], revision: 5, lease: 3),
      QuorumEntry(.vote(check: check, place: "paris"), Vote(.up, .ok).json, revision: 6, lease: 3),
      QuorumEntry(.incident(check: check), [1], revision: 7, lease: 3),
      QuorumEntry(.incident(check: UniqueID(high: 7, low: 2)), [1], revision: 8, lease: 4),
      QuorumEntry(.question(check: check, place: "rome"), [1], revision: 9, lease: 0),
    ]
    mirror.take(told, now: Self.now) { _ in true }
    #expect(mirror.question(check, of: ["paris", "ny", "rome"], but: "london") == 5)
    #expect(mirror.question(check, of: ["paris", "ny"], but: "ny") == 4)
    #expect(mirror.question(check, of: ["paris"], but: "paris") == nil)
    #expect(mirror.question(UniqueID(high: 7, low: 3), of: ["paris"], but: "ny") == nil)
    #expect(mirror.strange.count == 1)
    #expect(
      mirror.keys(of: 3, "paris") == [
        .incident(check: check): 7, .question(check: check, place: "paris"): 4,
        .vote(check: check, place: "paris"): 6,
      ])
    #expect(
      mirror.keys(of: 3, "ny") == [.incident(check: check): 7, .question(check: check, place: "ny"): 5])
    #expect(mirror.keys(of: 4, "paris") == [.incident(check: UniqueID(high: 7, low: 2)): 8])
    #expect(mirror.keys(of: 3, "nowhere") == [.incident(check: check): 7])
  }

  /// Open incidents of the group's store: as many as are looked at, whatever a reading or a watch has; known ones change.
  @Test func incidentsHaveACap() {
    func entry(_ number: Int, _ revision: Int64, gone: Bool = false) -> IncidentEntry {
      IncidentEntry(
        UniqueID(high: 9, low: UInt64(number)), gone ? nil : [1], created: revision, changed: revision)
    }
    var mirror = IncidentMirror()
    let many = IncidentEntry.most
    mirror.take(
      IncidentReading(world: 1, revision: 50_000, entries: (0..<many + 10).map { entry($0, Int64($0 + 1)) }),
      asked: 0)
    #expect(mirror.entries.count == many)
    mirror.take([entry(many + 20, 50_001), entry(3, 50_002)])
    #expect(mirror.entries.count == many)
    #expect(mirror.entries[UniqueID(high: 9, low: UInt64(many + 20))] == nil)
    #expect(mirror.entries[UniqueID(high: 9, low: 3)]?.changed == 50_002)
    mirror.take([entry(3, 50_003, gone: true), entry(many + 20, 50_004)])
    #expect(mirror.entries[UniqueID(high: 9, low: UInt64(many + 20))]?.changed == 50_004)
    // What came and went is remembered for what is late, and that has a cap as well.
    for number in 0..<(3 * many) {
      mirror.take([entry(100_000 + number, Int64(60_000 + 2 * number), gone: true)])
    }
    mirror.take([entry(3, 50_002), entry(100_000 + 3 * many - 1, 60_000)])
    #expect(mirror.entries[UniqueID(high: 9, low: UInt64(100_000 + 3 * many - 1))] == nil, "it is late")
  }
}
