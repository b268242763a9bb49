// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Checks
@testable import Curl
@testable import History
@testable import Monitoring
@testable import QuartzAPI
@testable import Spool
@testable import SpoolFuzz
@testable import StatusServer

/// Readers whose growth is known, and whether the measure may find nothing about them.
let plantedReaders: [(Worst, isSound: Bool)] = [
  (
    Worst("planted", "a sum", size: 20_000) { count in
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      return { bytes.reduce(0) { $0 &+ Int($1) } >= 0 }
    }, true
  ),
  (
    Worst("planted", "a look at each pair", size: 300) { count in
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      return {
        var twins = 0
        for one in bytes { for other in bytes where one == other { twins += 1 } }
        return twins > 0
      }
    }, false
  ),
  (
    // Unicode's order of combining marks: what made one key of a document hold up everything.
    Worst("planted", "a hash of combining marks", size: 300) { count in
      let key = "a" + String(repeating: "\u{301}\u{323}", count: count)
      return { [key: 1][key] == 1 }
    }, false
  ),
  (
    Worst("planted", "a look at the first thousand", size: 20_000) { count in
      let bytes = [UInt8](repeating: 1, count: count)
      return { bytes.prefix(1000).reduce(0) { $0 &+ Int($1) } == 1000 }
    }, false
  ),
  (
    Worst("planted", "a refusal", size: 1000) { count in
      { count <= 1000 }
    }, false
  ),
]
