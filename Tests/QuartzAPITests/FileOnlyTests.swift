// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Testing

/// What the administrator of the machine alone decides.
@Suite struct FileOnlyTests {
  private func map(_ members: String) throws -> PulledChecks {
    CheckMapping(MappingRules()).map(CheckSnapshot(checks: [try CheckMappingTests.wire(1, members)]))
  }

  /// A row names no channel, no program and no door for reports, whatever columns it has.
  @Test func whoIsToldIsOfTheFileAlone() throws {
    let foreign = #"""
      "token":"0123456789abcdef0123456789abcdef","period":60,"period_seconds":60,"cron":"* * * * *","grace":60,
      "webhook":"http://evil.test/","exec":["/bin/sh","-c","id"],"channels":[{"name":"x","exec":["/bin/id"]}],
      "alerts":{"channels":[]},"heartbeat":[{"url":"http://evil.test/"}],"depends_on":["Shop"],
      "type":"heartbeat","kind":"heartbeat"
      """#
    let plain = #""check_type":"http","url":"https://shop.test/health""#
    #expect(try map("\(plain),\(foreign)").checks == map(plain).checks)
    let pulled = try map(#""check_type":"heartbeat",\#(foreign)"#)
    #expect(pulled.checks.isEmpty && pulled.skipped.count == 1)
  }

  /// Nor would a definition of the API become a heartbeat, should a reader ever make one.
  @Test func noDoorIsOpenedFromOutside() throws {
    var definition = CheckDefinition()
    (definition.name, definition.type) = ("Backup", "heartbeat")
    (definition.token, definition.period) = (Redacted("0123456789abcdef"), .seconds(86_400))
    _ = try MonitoringCheck(definition)
    definition.origin = .api
    let refusal = #expect(throws: InvalidCheck.self) { try MonitoringCheck(definition) }
    #expect(refusal?.problems.map(\.message) == ["type heartbeat is of the local file only, not of the API"])
  }
}
