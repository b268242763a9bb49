// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

/// A hundred healthy checks at 1 s in a running agent: what they have to bear beside whatever else it does.
enum HealthyChecks {
  /// What the healthy ones and whoever asks for the status have to bear.
  struct Figures {
    /// Milliseconds, of 99 in 100.
    var lateness: Double
    var slowest: Duration

    /// 50 ms and 100 ms. Where it takes longer without any bad input, a minute before, this machine is others'.
    func isWithin(_ calm: Figures) -> Bool {
      lateness <= max(50, calm.lateness * 3) && slowest <= max(.milliseconds(100), calm.slowest * 3)
    }
  }

  /// Some seconds of it, with a look at the status server twice a second; then SIGTERM, which is obeyed within 8 s.
  static func watch(
    _ process: AgentProcess, port: UInt16, healthy: LoopbackServer, for seconds: Int,
    atTheEnd: () async throws -> Void = {}
  ) async throws -> Figures {
    let before = healthy.accepted
    var slowest = Duration.zero
    for _ in 0..<(2 * seconds) {
      let start = Instant.now
      let metrics = await statusAnswer("/metrics", port: port)
      slowest = max(slowest, start.duration(to: .now))
      #expect(metrics.contains("\nquartz_agent_start_time_seconds "))
      try await Task.sleep(for: .milliseconds(500))
    }
    // Of the healthy ones: a check that cannot end in time is late for its own next slot.
    let page = await statusAnswer("/api/v1/spool/results?limit=5000", port: port)
    let late = page.split(separator: "\n").filter { $0.contains("\"check\":\"Web ") }
      .compactMap { line -> Double? in
        let rest = line.split(separator: ",").first { $0.contains("\"late_ms\":") }
        return rest?.split(separator: ":").last.flatMap { Double(String($0)) }
      }
      .sorted()
    #expect(late.count > 80 * seconds)
    #expect(healthy.accepted - before > 80 * seconds, "a hundred checks at 1 s, for \(seconds) s")
    try await atTheEnd()
    process.send(SIGTERM)
    let outcome = try await process.finish()
    // An agent that is not done after 8 s ends itself, with 70.
    #expect(outcome.status == 0, "\(outcome.stderr)")
    let worst = try #require(late.dropFirst(late.count * 99 / 100).first)
    return Figures(lateness: worst, slowest: slowest)
  }

  static func lines(_ port: UInt16) -> [String] {
    (0..<100).map {
      "  - {name: Web \($0), type: http, url: \"http://127.0.0.1:\(port)/\($0)\", interval: 1s, timeout: 1s}"
    }
  }
}
