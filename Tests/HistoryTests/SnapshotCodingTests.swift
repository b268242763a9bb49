// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing

/// The bytes a restart lives on.
@Suite struct SnapshotCodingTests {
  private func filled() throws -> (MonitoringCheck, HistoryStore) {
    let check = try makeCheck()
    var runs = grid(700)
    for index in runs.indices where index % 7 == 0 { runs[index].state = .down }
    return (check, makeStore(check, runs: runs))
  }

  @Test func everythingComesBack() throws {
    let (check, store) = try filled()
    store.missed(check.id, count: 3)
    let restored = HistoryStore(decoding: store.files())
    #expect(restored.damage == nil)
    restored.apply([check], now: midnight + .seconds(42_000))
    let now = midnight + .seconds(42_060)
    let before = try #require(store.figures(of: check.id, now: now))
    let after = try #require(restored.figures(of: check.id, now: now))
    #expect(before.windows == after.windows)
    #expect(before.last == after.last)
    #expect(before.since == after.since)
    #expect(before.spark == after.spark)
    #expect(after.missed == 3 && after.missedSinceStart == 0)
    // A counter of the process does not fall where a crash lost what was missed after the file was written.
    restored.missed(check.id, count: 2)
    let later = try #require(restored.figures(of: check.id, now: now))
    #expect(later.missed == 5 && later.missedSinceStart == 2)
  }

  @Test func aSnapshotShowsNothingUntilTheChecksAreKnown() throws {
    let (check, store) = try filled()
    let restored = HistoryStore(decoding: store.files())
    #expect(restored.checks(now: midnight).isEmpty)
    #expect(restored.recent(check.id) == nil)
  }

  /// Cut anywhere, or with any bit turned, the bytes are refused as a whole.
  @Test func damageIsSeenAndStartsEmpty() throws {
    let (check, store) = try filled()
    let bytes = try #require(store.files().first).bytes
    var broken = [[], Array("QHIS".utf8), Array(bytes.dropLast()), bytes + [0]]
    for position in stride(from: 0, to: bytes.count, by: 97) {
      var copy = bytes
      copy[position] ^= 1 << UInt8(position % 8)
      broken.append(copy)
      broken.append(Array(bytes[..<position]))
    }
    for candidate in broken {
      let restored = HistoryStore(decoding: [StoredShard(number: 0, bytes: candidate)])
      #expect(restored.damage != nil)
      restored.apply([check], now: midnight)
      #expect(restored.checks(now: midnight + .seconds(42_060)).window(.day).uptime == nil)
    }
  }

  @Test func whatLiesAboveTheSnapshotIsReplayed() throws {
    let check = try makeCheck()
    let store = makeStore(check)
    let runs = grid(100)
    for (index, run) in runs.enumerated() where index < 60 {
      store.record(run.result(of: check), interval: .seconds(60), sequence: UInt64(index + 1))
    }
    let restored = HistoryStore(decoding: store.files())
    #expect(restored.appliedThrough == 60)
    restored.apply([check], now: midnight)
    for (index, run) in runs.enumerated() where index >= 50 {
      restored.replay(run.record(of: check, sequence: UInt64(index + 1)), interval: .seconds(60))
    }
    let window = restored.checks(now: midnight + .seconds(6000)).window(.day)
    #expect(window.counts.up == 100)
    #expect(window.time.up == 6_000_000_000)
    // The ten that the snapshot had are back as recent results, and only there.
    #expect(restored.recent(check.id)?.count == 50)
    #expect(restored.recent(check.id)?.first?.responseTime == .milliseconds(10))
  }

  @Test func aHistoryLostIsRebuiltFromTheRecords() throws {
    let check = try makeCheck()
    let store = HistoryStore(decoding: [StoredShard(number: 0, bytes: [1, 2, 3])])
    store.apply([check], now: midnight + .seconds(3600))
    for (index, run) in grid(60).enumerated() {
      store.replay(run.record(of: check, sequence: UInt64(index + 1)), interval: .seconds(60))
    }
    let window = store.checks(now: midnight + .seconds(3600)).window(.day)
    #expect(window.uptime == 100)
    // The records prove that the check was on before this agent knew of it.
    #expect(window.coverage == 100)
  }

  /// Runs end in another order than they were stored: the snapshot may only promise what has no hole.
  @Test func appliedThroughStopsAtTheFirstHole() throws {
    let check = try makeCheck()
    let store = makeStore(check)
    for sequence in [1, 2, 4, 5, 3, 7] as [UInt64] {
      store.record(grid(1)[0].result(of: check), interval: .seconds(60), sequence: sequence)
      if sequence == 5 { #expect(store.appliedThrough == 2) }
    }
    #expect(store.appliedThrough == 5)
  }

  /// A hole that never fills, such as a record of another kind, does not hold the promise back for ever.
  @Test func aHoleIsGivenUpAfterManyRecords() throws {
    let check = try makeCheck()
    let store = makeStore(check)
    for sequence in 2...5000 as ClosedRange<UInt64> {
      store.record(grid(1)[0].result(of: check), interval: .seconds(60), sequence: sequence)
    }
    #expect(store.appliedThrough == 5000)
  }
}
