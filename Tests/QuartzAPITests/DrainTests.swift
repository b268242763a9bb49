// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import TestSupport
import Testing

/// The backlog row of the published figures, scaled by 500 (batches of 1 for 500), so that the requests, which the
/// limits count, are those of the real thing.
@Suite struct DrainTests {
  /// 24 hours of outage for 1,000 checks a minute, while 1,000 checks go on: drained within 6 hours, and the server
  /// never sees more than 90 requests in a minute or 900 in an hour.
  @Test func dayOfOutageDrainsInSixHours() async throws {
    var bench = DeliveryBench()
    bench.settings.batch = 1
    bench.settings.heartbeat = .seconds(60)
    let backlog = 1_440_000 / 500
    bench.queue.append(records(backlog))
    let uploader = try bench.uploader()
    let clock = bench.clock
    let queue = bench.queue
    // 1,000 checks a minute are 250 in 15 seconds, here 1.
    let drained = await bench.run(uploader, for: .seconds(6 * 3600)) {
      let due = Int(clock.elapsed / .seconds(15))
      let made = queue.count - backlog
      if due > made { queue.append(records(due - made, from: backlog + made + 1)) }
      return queue.open <= 1 && due > 0
    }
    #expect(drained)
    #expect(bench.fake.limited == 0)
    #expect(bench.fake.worst(seconds: 60) <= 90)
    #expect(bench.fake.worst(seconds: 3600) <= 900)
    #expect(bench.fake.resent == 0)
  }
}
