// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

struct MaintenanceSectionTests {
  private let file = """
    maintenance:
      - name: Patch night
        tags: [db]
        start: 2026-01-04T02:00
        duration: 2h
        repeat: weekly
        timezone: Europe/London
      - {name: Move, checks: [Postgres], start: 2026-01-31T22:00, end: "02:00", repeat: monthly, skip: true}
    checks:
      - name: Postgres
        type: tcp
        host: db.internal
        port: 5432
        tags: [db]
        maintenance:
          - {start: 2026-03-01T03:00, end: 2026-03-01T05:00}
      - {name: Shop, type: tcp, host: shop.internal, port: 443}

    """

  @Test func windowsOfTheSectionAndOfChecks() throws {
    let settings = try settings(file)
    let windows = settings.maintenance
    #expect(windows.map(\.name) == ["Patch night", "Move", "Postgres"])
    #expect(windows.map(\.zone.name) == ["Europe/London", "UTC", "UTC"])
    #expect(windows.map(\.skip) == [false, true, false])
    #expect(windows[1].length == .clock(seconds: 4 * 3600))
    let (postgres, shop) = (settings.checks[0], settings.checks[1])
    #expect(windows.allSatisfy { $0.selection.contains(postgres) && !$0.selection.contains(shop) })
    let july = try #require(Timestamp(rfc3339: "2026-07-05T01:30:00Z"))
    // 02:00 in London is 01:00 UTC in summer.
    let start = try #require(Timestamp(rfc3339: "2026-07-05T01:00:00Z"))
    #expect(windows[0].occurrence(at: july) == start..<start.advanced(by: .seconds(7200)))
  }

  @Test func whatIsPrintedReadsBackTheSame() throws {
    let first = try settings(file)
    let printed = EffectiveConfig.print(first)
    let second = try settings(printed)
    #expect(second.maintenance == first.maintenance)
    #expect(second == first)
  }

  @Test func aWindowThatNamesNoCheckIsWorthAWord() throws {
    let text = """
      maintenance:
        - {name: A, checks: [Shop frnt], tags: [db], start: 2026-01-04T02:00, duration: 2h}

      """
    let found = try warnings(text + oneCheck)
    #expect(
      found
        == [
          "agent.yaml:2:24: checks[0] names no check: \"Shop frnt\"\\n  hint: did you mean \"Shop front\"?",
          "agent.yaml:2:43: tags[0] is a tag that no check has: \"db\"",
        ].map { $0.replacing("\\n", with: "\n") })
  }

  @Test func whatComesFromASecretFileIsNotPrinted() throws {
    let text = """
      maintenance:
        - {name: A, start: 2026-01-04T02:00, duration: 2h}
      checks:
        - name: Shop
          type: tcp
          host: shop.internal
          port: 443
          maintenance: [{name: "${file:key}", start: 2026-01-04T02:00, duration: 2h}]

      """
    let settings = try settings(text)
    #expect(settings.maintenance[1].name == "hunter2")
    #expect(!EffectiveConfig.print(settings).contains("hunter2"))
  }
}
