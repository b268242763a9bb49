// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A check that swings between two alerts is notified of as flapping, and not at each swing.
@Suite struct FlapSwingTests {
  private func desk() throws -> (Desk, MonitoringCheck) {
    let shop = try makeCheck("Shop")
    var settings = quickSettings([
      AlertRule("warn", .state(.degraded, for: .zero), severity: .medium), rule("down", .critical),
    ])
    settings.remind = .seconds(86_400)
    return (Desk(settings, [shop]), shop)
  }

  /// Degraded and down for 15 s each, in turn.
  private func swing(_ desk: inout Desk, _ shop: MonitoringCheck, to last: Int64) {
    for second in Int64(0)...last {
      if second % 15 == 0 {
        desk.note(result(shop, second % 30 == 0 ? .degraded : .down, at: second))
      }
      desk.tick(second)
    }
  }

  @Test func swings() throws {
    var (desk, shop) = try desk()
    swing(&desk, shop, to: 299)
    #expect(
      desk.lines == [
        "3 opened Shop is degraded", "15 update now critical: Shop is down: refused",
        "30 update now medium: Shop is degraded", "45 update now critical: Shop is down: refused",
        "60 update now medium: Shop is flapping", "75 update now critical: Shop is flapping: refused",
      ])
  }

  /// An acknowledgement holds them as ever.
  @Test func anAcknowledgement() throws {
    var (desk, shop) = try desk()
    swing(&desk, shop, to: 76)
    let incident = try #require(desk.book.incidents.opened.first)
    _ = desk.book.acknowledge(incident.id.description, by: "ann", note: nil, now: after(76))
    let before = desk.told.count
    for second in Int64(77)...299 {
      if second % 15 == 0 { desk.note(result(shop, second % 30 == 0 ? .degraded : .down, at: second)) }
      desk.tick(second)
    }
    #expect(desk.told.count == before, "\(desk.lines)")
  }
}
