// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Spool
import Testing

/// A crash after every single operation on the disk, in every way the disk may have reordered what was not synced.
@Suite("Crash states")
struct CrashTests {
  /// 120 histories; `SPOOL_SEQUENCES=10000` runs as many, `SPOOL_START=7` from that seed on (scripts/prove-durability, optimised).
  @Test(
    "what is counted as dropped is gone and what is gone is counted, whatever failed and whenever it started")
  func counts() {
    let count = environment("SPOOL_SEQUENCES") ?? 120
    var tally = CrashExplorer.Tally()
    let start = environment("SPOOL_START") ?? 0
    for seed in environment("SPOOL_SEED").map({ $0..<$0 + 1 }) ?? start..<start + count {
      let explorer = CrashExplorer(seed: UInt64(seed), cutsPower: false)
      explorer.run(actions: 40)
      tally += explorer.tally
    }
    print(
      "drops: \(count) random histories on a full ring, with \(tally.injected) injected errors: what was counted as"
        + " dropped compared with what is gone, seeds from \(start)")
  }

  /// `SPOOL_CRASH_STATES=100000` explores until it has seen that many; `SPOOL_START`, `SPOOL_SEED` as above.
  @Test(
    "K2: whatever a power cut leaves of any instant, all that was recorded by then is there, unaltered, once")
  func everyInstant() {
    let goal = environment("SPOOL_CRASH_STATES") ?? 2_000
    let start = environment("SPOOL_START") ?? 0
    var tally = CrashExplorer.Tally()
    if let seed = environment("SPOOL_SEED") {
      let explorer = CrashExplorer(seed: UInt64(seed))
      explorer.run(actions: 40)
      tally += explorer.tally
    } else {
      var seed = UInt64(start)
      while tally.states < goal {
        let explorer = CrashExplorer(seed: seed)
        explorer.run(actions: 40)
        tally += explorer.tally
        seed += 1
      }
    }
    print(
      "crash states: \(tally.states) different disks (\(tally.nested) of them crashes of the start after a crash) at"
        + " \(tally.boundaries) operation boundaries of \(tally.histories) histories with \(tally.injected) injected errors, seeds from \(start)"
    )
  }

  /// Histories that once found something, which fewer states may not reach.
  ///
  /// 56: numbers passed over were explained at the end of the segment before them; once that had left, they were
  /// called damaged.
  @Test(arguments: [UInt64(56)])
  func onceFound(seed: UInt64) {
    let explorer = CrashExplorer(seed: seed)
    explorer.run(actions: 40)
    #expect(explorer.tally.states > 100)
  }
}
