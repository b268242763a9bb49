// SPDX-License-Identifier: MIT

import Basics
import History
import HistorySupport
import Monitoring
import Testing

/// Checks that come and go all the time cost no more than their caps, in memory and on the disk.
@Suite struct GoneChecksTests {
  private func store(_ limits: GoneLimits) -> HistoryStore { HistoryStore(gone: limits) }

  /// Writes what is behind, as the keeper does; no bytes: the file goes.
  private func save(_ store: HistoryStore, to disk: inout [Int: [UInt8]]) {
    var number = 0
    while number < store.shardCount {
      if let snapshot = store.shard(number) {
        disk[number] = snapshot.bytes.isEmpty ? nil : snapshot.bytes
        store.saved(snapshot)
      }
      number += 1
    }
  }

  private func restore(_ disk: [Int: [UInt8]]) -> HistoryStore {
    HistoryStore(decoding: disk.map { StoredShard(number: $0.key, bytes: $0.value) })
  }

  /// Eight hours of 200 new names every four minutes: 24,000 checks, of which 1,000 are kept.
  @Test func aDayOfNewNames() throws {
    let limits = GoneLimits(checks: 1000, bytes: 1 << 20)
    let store = store(limits)
    // A name that comes again was forgotten long before, and is as good as new.
    let names = try (0..<4000).map { try makeCheck("host \($0)") }
    let steps = 120
    var disk: [Int: [UInt8]] = [:]
    var (now, sequence) = (midnight, UInt64(0))
    var (mostFiles, mostBytes) = (0, 0)
    for step in 0..<steps {
      let checks = Array(names[(step * 200) % 4000..<(step * 200) % 4000 + 200])
      store.apply(checks, now: now)
      let kept = store.gone
      #expect(kept.checks == min(1000, step * 200))
      #expect(kept.bytes <= limits.bytes)
      for check in checks {
        sequence += 1
        store.record(Run(slot: now).result(of: check), interval: .seconds(60), sequence: sequence)
      }
      now = now + .seconds(240)
      guard step % 5 == 0 else { continue }
      save(store, to: &disk)
      mostFiles = max(mostFiles, disk.count)
      mostBytes = max(mostBytes, disk.values.reduce(0) { $0 + $1.count })
    }
    // Five times 200 that are kept, 200 that are there, and 200 that came before any went: six files at most.
    #expect(mostFiles <= 6, "\(mostFiles) files")
    #expect(mostBytes <= 400_000, "\(mostBytes) bytes of files")
    #expect(store.gone.forgotten == steps * 200 - 200 - 1000)
    let notice = try #require(store.goneNotice(now: now))
    #expect(
      notice.what
        == "the history of 22,800 removed checks was dropped before its 7 days were over: the limit is 1,000 checks and 1 MiB"
    )
    #expect(store.goneNotice(now: now + .seconds(3600)) == nil)

    // The list is empty for good: after a week nothing is left, not even a file.
    store.apply([], now: now)
    store.apply([], now: now + .seconds(8 * 86_400))
    save(store, to: &disk)
    #expect(store.gone.checks == 0 && store.gone.bytes == 0)
    #expect(disk.isEmpty && store.shardCount == 0)
  }

  /// Those that were silent longest go first, and what is configured is never among them.
  @Test func theOldestGoFirst() throws {
    let store = store(GoneLimits(checks: 2, bytes: 1 << 20))
    let checks = try (0..<5).map { try makeCheck("check \($0)") }
    store.apply(checks, now: midnight)
    for (number, check) in checks.enumerated() {
      let slot = midnight + .seconds(60 * (4 - number))
      store.record(Run(slot: slot).result(of: check), interval: .seconds(60), sequence: UInt64(number + 1))
    }
    store.apply([checks[4]], now: midnight + .seconds(300))
    #expect(store.gone.checks == 2 && store.gone.forgotten == 2)
    #expect(checks.map { store.knows([$0]) } == [true, true, false, false, true])
  }

  @Test func bytesCountAsWell() throws {
    let probe = store(GoneLimits())
    let checks = try (0..<8).map { try makeCheck("check \($0)") }
    func live(_ store: HistoryStore) {
      store.apply(checks, now: midnight)
      for (number, check) in checks.enumerated() {
        store.record(
          Run(slot: midnight + .seconds(number)).result(of: check), interval: .seconds(60),
          sequence: UInt64(number + 1))
      }
      store.apply([], now: midnight + .seconds(60))
    }
    live(probe)
    #expect(probe.gone.checks == 8 && probe.gone.bytes > 0)
    // Room for five and a half of eight: their footprints are those of capacities, which differ a little.
    let tight = store(GoneLimits(bytes: probe.gone.bytes * 11 / 16))
    live(tight)
    #expect(tight.gone.checks == 5 && tight.gone.bytes <= probe.gone.bytes * 11 / 16)
    #expect(checks.map { tight.knows([$0]) } == [false, false, false, true, true, true, true, true])
  }

  /// A store of results that tells of more checks than are kept does not fill the memory at the start.
  @Test func aReplayIsWithinTheCapsToo() throws {
    let store = store(GoneLimits(checks: 100, bytes: 1 << 20))
    let mine = try makeCheck("mine")
    store.apply([mine], now: midnight)
    for number in 0..<5000 {
      let check = try makeCheck("host \(number)")
      let run = Run(slot: midnight + .seconds(number))
      store.replay(run.record(of: check, sequence: UInt64(number + 1)), interval: .seconds(60))
      guard number % 500 == 499 else { continue }
      #expect(store.files().reduce(0) { $0 + $1.bytes.count } < 400_000)
    }
    store.replayed(through: 0, now: midnight + .seconds(5000))
    #expect(store.gone.checks == 100 && store.gone.forgotten == 4900)
    #expect(store.knows([mine]))
    #expect(
      store.goneNotice(now: midnight + .seconds(5001))?.what
        == "the history of 4,900 removed checks was dropped before its 7 days were over: the limit is 100 checks and 1 MiB"
    )
  }

  /// A file that was removed is none that is lost, and its number is used again.
  @Test func aFileThatWentComesBack() throws {
    let store = store(GoneLimits(checks: 0))
    let checks = try (0..<600).map { try makeCheck("check \($0)") }
    var disk: [Int: [UInt8]] = [:]
    store.apply(checks, now: midnight)
    for check in checks { store.record(Run(slot: midnight).result(of: check), interval: .seconds(60)) }
    save(store, to: &disk)
    #expect(disk.keys.sorted() == [0, 1, 2])
    store.apply(Array(checks[512...]), now: midnight + .seconds(60))
    save(store, to: &disk)
    #expect(disk.keys.sorted() == [2])
    let restored = restore(disk)
    #expect(restored.damage == nil && restored.knows(Array(checks[512...])) && !restored.knows([checks[0]]))
    restored.apply(checks, now: midnight + .seconds(120))
    save(restored, to: &disk)
    #expect(disk.keys.sorted() == [0, 1, 2])
    #expect(restore(disk).knows(checks))
  }
}
