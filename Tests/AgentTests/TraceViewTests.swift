// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Foundation
import History
import Logging
import Monitoring
import Network
import Status
import TestSupport
import Testing
import Tracing

@testable import Agent

/// What is said of the path to a check's target: why there is none, and from which time on a result is slow.
@Suite struct TraceViewTests {
  private let clock = FakeClock()

  private func desk(
    _ checks: [MonitoringCheck], _ settings: TraceSettings, _ history: HistoryStore = HistoryStore(),
    in folder: String
  ) async -> TraceDesk {
    await TraceDesk(
      settings, disk: StateDisk(folder: folder, time: clock.time), tracer: NoWorld(clock: clock),
      history: history, catalog: CheckCatalog(file: checks), maintenance: MaintenanceBook(file: []),
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, time: clock.time)
  }

  /// Why the path of a check is not looked at, the first reason of several; nothing where it is.
  @Test func whyThereIsNone() async throws {
    let plain = try tcpCheck("Plain", host: "192.0.2.1")
    let job = try tcpCheck("Job", host: "192.0.2.1") {
      ($0.type, $0.host, $0.port) = ("heartbeat", nil, nil)
      ($0.token, $0.period) = (Redacted("0123456789abcdef0123456789abcdef"), .seconds(3600))
    }
    let off = try tcpCheck("Off", host: "192.0.2.1") { $0.plan.trace = false }
    let remote = try tcpCheck("Remote", host: "192.0.2.1") {
      ($0.origin, $0.id) = (.api, UniqueID(high: 0x4000, low: 1).description)
    }
    let checks = [plain, job, off, remote]
    var (on, none) = (TraceSettings(), TraceSettings())
    (on.apiChecks, none.onFailure, none.slowFactor) = (false, false, 0)
    try await withTemporaryDirectory { folder in
      func words(_ settings: TraceSettings) async -> [String?] {
        let desk = await desk(checks, settings, in: folder.path)
        return checks.map { desk.view(of: $0.id)?.off }
      }
      let (heartbeat, said) = ("a heartbeat check has no target", "the check says trace: false")
      var found = await words(on)
      #expect(
        found == [
          nil, heartbeat, said, "it is a check of the API, and trace.api_checks is false",
        ])
      let isOff = "trace.on_failure is false and trace.slow_factor is 0"
      found = await words(none)
      #expect(found == [isOff, heartbeat, said, isOff])
    }
  }

  /// A result is slow from so many times the usual on, once there are results enough; without the factor nothing is.
  @Test func whatIsSlow() async throws {
    let shop = try tcpCheck("Shop", host: "192.0.2.1")
    let history = HistoryStore()
    history.apply([shop], now: clock.wall)
    try await withTemporaryDirectory { folder in
      func view(_ factor: Int) async throws -> TraceView {
        var settings = TraceSettings()
        settings.slowFactor = factor
        return try #require(await desk([shop], settings, history, in: folder.path).view(of: shop.id))
      }
      var found = try await view(3)
      #expect(found.results == 0 && found.slowFrom == nil && found.off == nil)
      for minute in 0..<TraceUsual.enough {
        if minute == TraceUsual.enough - 1 {
          found = try await view(3)
          #expect(found.results == TraceUsual.enough - 1 && found.slowFrom == nil)
        }
        var result = CheckResult(
          id: UniqueID(high: 1, low: UInt64(minute)), check: shop, trigger: .schedule,
          scheduledAt: clock.wall, startedAt: clock.wall, late: .zero, verdict: .ok)
        result.responseTime = .milliseconds(100)
        history.record(result, interval: .seconds(60))
        clock.advance(by: .seconds(60))
      }
      let usual = try #require(history.usual(shop.id, now: clock.wall))
      #expect(usual.count == TraceUsual.enough)
      for factor in [2, 3] {
        found = try await view(factor)
        #expect(found.slowFrom == usual.p99 * factor && found.results == TraceUsual.enough)
      }
      found = try await view(0)
      #expect(found.slowFrom == nil && found.results == nil)
    }
  }

  /// Without a trace there is nothing to say in a message, and nothing of a check that is not known here.
  @Test func nothingKnown() async throws {
    let shop = try tcpCheck("Shop", host: "192.0.2.1")
    try await withTemporaryDirectory { folder in
      let desk = await desk([shop], TraceSettings(), in: folder.path)
      #expect(desk.line(of: shop.id, since: clock.wall) == nil && !desk.isTracing(shop.id))
      #expect(desk.view(of: UniqueID(high: 9, low: 9)) == nil && desk.notice == nil)
      #expect(desk.view(of: shop.id)?.latest == nil && desk.view(of: shop.id)?.isPending == false)
    }
  }
}
