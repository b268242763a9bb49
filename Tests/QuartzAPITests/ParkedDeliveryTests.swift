// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import QuartzAPI
import Spool
import TestSupport
import Testing

/// The whole delivery on the real store: results that are parked, and those that overtake them.
@Suite struct ParkedDeliveryTests {
  /// One check of ten is refused without a word on which row it is, until the hour's search is used up and beyond;
  /// then the agent is restarted.
  @Test("only what is parked waits, and a restart sends nothing again that was delivered")
  func restart() async throws {
    try await withTemporaryDirectory { folder in
      var bench = DeliveryBench(target: .supabase)
      bench.settings.batch = 50
      bench.fake.setRefusedChecks { $0 == checkID(3).description }
      let settings = SpoolSettings(path: folder.path + "/spool", size: 12 << 20)
      let spool = try await ResultSpool.open(settings)
      let first = try bench.uploader(on: spool)
      for second in 0..<120 {
        for number in 0..<10 { spool.enqueue(record(second * 10 + number + 1, check: number)) }
        #expect(await spool.flush())
        if second == 60 { bench.fake.setRefusedChecks { _ in false } }
        _ = await bench.run(first, for: .seconds(1)) { false }
      }
      _ = await bench.run(first, for: .seconds(60)) { false }
      let status = await first.status()
      let left = 1200 - bench.fake.rows.count - status.tally.quarantined
      #expect(status.parked > 0 && status.parked == left)
      #expect(bench.fake.resent == 0)
      await spool.flush()
      #expect(spool.status().depth == left, "what is delivered does not wait")
      await spool.close()

      let again = try await ResultSpool.open(settings)
      #expect(again.status().depth == left)
      let second = try bench.uploader(on: again)
      #expect(
        await bench.run(second) { await again.pending(.live, limit: 1).isEmpty && again.status().depth == 0 })
      #expect(bench.fake.resent == 0)
      #expect(await second.status().tally.delivered == left)
      #expect(bench.fake.rows.count == 1200 - status.tally.quarantined)
      await again.close()
    }
  }
}
