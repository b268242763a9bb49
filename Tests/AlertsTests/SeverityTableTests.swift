// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// What each severity is called by each receiver, and what belongs to one network.
@Suite struct SeverityTableTests {
  private func message(_ severity: AlertSeverity, _ kind: AlertMessage.Kind = .opened) -> AlertMessage {
    AlertMessage(
      id: UniqueID(high: 1, low: 1), incident: UniqueID(high: 2, low: 2), kind: kind, severity: severity,
      title: "Shop is down", at: after(100), begin: after(0), agent: "london-1")
  }

  @Test(
    arguments: [
      (.critical, "critical", 5, "DC2626"), (.high, "error", 4, "EF4444"), (.medium, "warning", 3, "F97316"),
      (.low, "info", 2, "3B82F6"),
    ] as [(AlertSeverity, String, Int64, String)])
  func everySeverity(severity: AlertSeverity, pagerDuty: String, ntfy: Int64, color: String) throws {
    let message = message(severity)
    #expect(try body(message, makePagerDuty("pd"))["payload"]?["severity"]?.string == pagerDuty)
    #expect(try body(message, makeWebhook("ntfy", .ntfy))["priority"]?.integer == ntfy)
    let discord = try body(message, makeWebhook("discord", .discord))["embeds"]?[0]
    #expect(discord?["color"]?.integer == Int64(color, radix: 16))
    let labels = try body(message, makeWebhook("am", .alertmanager))[0]?["labels"]
    #expect(labels?["severity"]?.string == severity.rawValue)
  }

  @Test(arguments: AlertSeverity.allCases) func whatIsOverIsGreenAndOfMiddlePriority(severity: AlertSeverity)
    throws
  {
    let message = message(severity, .recovered)
    #expect(try body(message, makeWebhook("ntfy", .ntfy))["priority"]?.integer == 3)
    let discord = try body(message, makeWebhook("discord", .discord))["embeds"]?[0]
    #expect(discord?["color"]?.integer == 0x22C55E)
  }

  /// The /24 of IPv4 and the /48 of IPv6.
  @Test(
    arguments: [
      ("192.0.2.1", "192.0.2.254", true), ("192.0.2.1", "192.0.3.1", false),
      ("2001:db8:1:2::1", "2001:db8:1:ffff::1", true), ("2001:db8:1::1", "2001:db8:2::1", false),
      ("2001:db8:1::1", "2001:db9:1::1", false), ("0.1.2.3", "1:203::", false),
    ] as [(String, String, Bool)])
  func oneNetwork(one: String, other: String, isSame: Bool) throws {
    let first = try #require(IPAddress(one))
    let second = try #require(IPAddress(other))
    #expect((Trouble.Relation.network(first) == Trouble.Relation.network(second)) == isSame)
  }
}
