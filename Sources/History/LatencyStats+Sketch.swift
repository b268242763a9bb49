// SPDX-License-Identifier: MIT

import Basics

extension LatencyStats {
  init?(_ sum: LatencySum, _ sketch: LatencySketch, _ resolution: SketchResolution) {
    guard sum.count > 0 else { return nil }
    // The sketch's window may begin up to an hour or a day after the sum's, or before it: its own count gives the ranks.
    var sketched: Int64 = 0
    for bin in sketch.bins { sketched += Int64(bin.count) }
    guard sketched > 0 else { return nil }
    var walk = sketch.walk
    func quantile(_ percent: Int64) -> Duration {
      let value = walk.value(atRank: max(1, (sketched * percent + 99) / 100), resolution)
      return .microseconds(min(max(value, sum.minimum), sum.maximum))
    }
    self.count = sum.count
    self.mean = .microseconds(sum.sum / sum.count)
    self.minimum = .microseconds(sum.minimum)
    self.maximum = .microseconds(sum.maximum)
    (p50, p90, p95, p99) = (quantile(50), quantile(90), quantile(95), quantile(99))
  }
}
