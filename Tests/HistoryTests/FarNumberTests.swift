// SPDX-License-Identifier: MIT

import Basics
import HistorySupport
import Monitoring
import Testing
@testable import History

/// Snapshot files with sound checksums and any numbers in them, and stored results that tell the impossible: the
/// windows may be wrong or refused, the agent goes on.
@Suite struct FarNumberTests {
  private func filled() throws -> (MonitoringCheck, [UInt8]) {
    let check = try makeCheck()
    var runs = grid(400, every: .seconds(600))
    for index in runs.indices where index % 5 == 0 { runs[index].state = .down }
    return (check, try #require(makeStore(check, runs: runs).files().first).bytes)
  }

  private func live(on body: [UInt8], _ check: MonitoringCheck) -> String? {
    var writer = ByteWriter()
    writer.bytes = body
    writer.fixed32(CRC32C.checksum(body))
    let store = HistoryStore(decoding: [StoredShard(number: 0, bytes: writer.bytes)])
    let now = midnight + .seconds(240_000)
    store.apply([check], now: now)
    for run in grid(30, every: .seconds(7200), from: now) {
      store.record(run.result(of: check), interval: check.interval, sequence: UInt64(run.slot.microseconds))
      store.skipped(check.id, slot: run.slot + .seconds(60), interval: .seconds(60))
      store.missed(check.id, count: 2)
      _ = store.checks(now: run.slot)
    }
    store.clockStepped(from: now, to: now + .seconds(-4000))
    _ = store.checks(now: now + .seconds(90 * 86_400))
    let again = HistoryStore(decoding: store.files())
    return again.damage?.what
  }

  /// Every number in turn is as large as its form allows, as small, and a little off: whatever is believed is written
  /// again as something that can be read.
  @Test(
    arguments: [
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
      [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
      [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], [0x00], [0x7f],
    ] as [[UInt8]])
  func anyNumberInAFile(number: [UInt8]) throws {
    let (check, bytes) = try filled()
    let body = Array(bytes.dropLast(4))
    for position in stride(from: 4, to: body.count, by: 211) {
      let end = min(body.count, position + (position % 2 == 0 ? 1 : number.count))
      let changed = Array(body[..<position]) + number + body[end...]
      #expect(live(on: changed, check) == nil, "what was written at \(position) cannot be read")
    }
  }

  /// A stored result whose times are the first and the last there are, and whose response took 292 years.
  @Test func anyTimeInARecord() throws {
    let check = try makeCheck()
    let store = makeStore(check)
    let extremes = [Int64.min, .min + 1, -1, 0, 1, midnight.microseconds, .max - 1, .max]
    var sequence: UInt64 = 0
    for scheduled in extremes {
      for started in extremes {
        for taken in [Duration.nanoseconds(Int64.min), .nanoseconds(Int64.max), .zero] {
          sequence += 1
          var run = Run(slot: midnight + .seconds(Int64(sequence)))
          run.latency = taken
          var queued = run.record(of: check, sequence: sequence)
          queued.record.scheduledAt = Timestamp(microseconds: scheduled)
          queued.record.startedAt = Timestamp(microseconds: started)
          store.replay(queued, interval: .seconds(60))
          _ = store.checks(now: midnight + .seconds(4000))
        }
      }
    }
    for _ in 0..<1000 {
      sequence += 1
      var run = Run(slot: midnight + .seconds(Int64(sequence)))
      run.latency = .nanoseconds(Int64.max)
      store.replay(run.record(of: check, sequence: sequence), interval: .seconds(1))
    }
    let figures = store.checks(now: midnight + .seconds(4000))
    #expect(
      try #require(figures.check(check.id)).windows[0].latency?.maximum == .microseconds(Int64(1) << 32))
    #expect(HistoryStore(decoding: store.files()).damage == nil)
  }
}
