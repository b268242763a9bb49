// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring
import TestSupport
import Testing

/// A check in a window of one place.
@Suite struct QuorumMaintenanceTests {
  private static let slow = Verdict(.responseTime, message: "slow", degraded: true)

  /// The place has no say meanwhile, whatever it finds: its result is as it found it, no other place is asked, and for the others
  /// it is unknown. Its first result after the window counts.
  @Test(.timeLimit(.minutes(1)), arguments: [QuorumWorld.down, slow, .ok])
  func aPlaceInAWindow(found: Verdict) async throws {
    try await quorumStory(QuorumWorld()) { world in
      let (london, paris) = (try #require(world.desks["london"]), try #require(world.desks["paris"]))
      func states(_ desk: QuorumDesk) -> [CheckState?] { desk.verdicts(of: world.check.id).map(\.state) }
      #expect(states(london) == [.up, .up, .up] && states(paris) == [.up, .up, .up])
      var result = world.result(found)
      result.maintenance = true
      let settled = await withCheckedContinuation { continuation in
        london.take(result, of: world.check) { continuation.resume(returning: $0) }
      }
      #expect(settled.result == result && settled.isOurs)
      #expect(states(london) == [.unknown, .up, .up])
      #expect(london.verdicts(of: world.check.id).first?.reason == found.reason)
      try await world.pause()
      #expect(states(paris) == [.unknown, .up, .up])
      #expect(world.probes == [:])
      _ = try await world.settle("london", .ok)
      try await world.pause()
      #expect(states(london) == [.up, .up, .up] && states(paris) == [.up, .up, .up])
    }
  }
}
