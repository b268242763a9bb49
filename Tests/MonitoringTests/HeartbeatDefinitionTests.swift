// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Monitoring

/// What a heartbeat check is made of, and what is refused.
struct HeartbeatDefinitionTests {
  private static func definition(_ change: (inout CheckDefinition) -> Void = { _ in }) -> CheckDefinition {
    var definition = CheckDefinition()
    (definition.name, definition.type) = ("Backup", "heartbeat")
    (definition.token, definition.period) = (Redacted("0123456789abcdef"), .seconds(86_400))
    change(&definition)
    return definition
  }

  private func problems(_ change: (inout CheckDefinition) -> Void) throws -> [String] {
    try #require(throws: InvalidCheck.self) { try MonitoringCheck(Self.definition(change)) }.problems.map(
      \.message)
  }

  /// The token is nowhere to be seen, and what is found at once is not tried again.
  @Test func isACheckLikeAnyOther() throws {
    let check = try MonitoringCheck(Self.definition { $0.retries = 3 })
    #expect(check.type == .heartbeat && check.target == "every 1d" && check.kind.dialled == nil)
    #expect(check.retries == 0 && check.confirmDelay == .zero)
    guard case .heartbeat(let settings) = check.kind else {
      Issue.record("\(check.kind)")
      return
    }
    #expect(settings.grace == .seconds(300) && settings.maxRun == nil)
    #expect(!"\(check)".contains("0123456789abcdef") && !"\(settings)".contains("0123456789abcdef"))
  }

  /// Each rule of its keys, in words without the token.
  @Test func whatIsRefused() throws {
    #expect(try problems { $0.token = nil } == ["token is missing"])
    #expect(try problems { $0.token = Redacted("short") } == ["token must be 16 to 128 bytes, found 5"])
    for token in ["0123456789abcde/", "0123456789abcde%", "0123456789abcde ", "0123456789abcdé"] {
      #expect(
        try problems { $0.token = Redacted(token) } == ["token may have letters, digits, and - . _ ~ only"])
    }
    #expect(try problems { $0.period = nil } == ["period or cron is missing"])
    #expect(try problems { $0.cron = "0 3 * * *" } == ["period and cron both say when a report is due"])
    #expect(try problems { $0.period = .seconds(9) } == ["period must be at least 10s, found 9s"])
    #expect(try problems { $0.timezone = "Europe/London" } == ["timezone has no effect without cron"])
    #expect(try problems { $0.grace = .seconds(31 * 86_400) } == ["grace must be at most 30d, found 31d"])
    #expect(try problems { $0.maxRun = .zero } == ["max_run must be at least 1s, found 0s"])
    let cron = try problems { ($0.period, $0.cron, $0.timezone) = (nil, "0 25 * * *", "Europe/Lundon") }
    #expect(cron.count == 2 && cron[1] == "cron has no hour \"25\": it is 0 to 23")
  }

  /// The way back: what is printed of it can be read again.
  @Test func wayBack() throws {
    for definition in [
      Self.definition { $0.maxRun = .seconds(60) },
      Self.definition { ($0.period, $0.cron, $0.timezone) = (nil, "@daily", "Europe/London") },
    ] {
      let check = try MonitoringCheck(definition)
      #expect(try MonitoringCheck(CheckDefinition(check)) == check)
    }
  }
}
