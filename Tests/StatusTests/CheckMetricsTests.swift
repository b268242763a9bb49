// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import StatusSupport
import Testing
@testable import Status

/// The metrics of one check, each with a value of its own and in its unit.
@Suite struct CheckMetricsTests {
  private let labels = "check=\"Shop front\",type=\"http\""

  private func shop() throws -> CheckStatus {
    try #require(try sampleStatus().status.checks.first { $0.name == "Shop front" })
  }

  private func lines(_ check: CheckStatus, _ family: String, _ view: MetricsView = MetricsView()) throws
    -> [String]
  {
    var status = try sampleStatus().status
    status.checks = [check]
    let text = String(decoding: OpenMetrics.render(status, view, .plain), as: UTF8.self)
    return text.split(separator: "\n").filter { $0.hasPrefix(family + "{") }.map {
      String($0.dropFirst(family.count))
    }
  }

  /// For each state: which series of the set is 1, then whether it is up and whether it is degraded.
  @Test(
    arguments: [
      (.up, false, "up", 1, 0), (.degraded, false, "degraded", 1, 1), (.down, false, "down", 0, 0),
      (.unknown, false, "unknown", nil, nil), (.up, true, "maintenance", 1, 0),
      (.down, true, "maintenance", 0, 0), (.unknown, true, "maintenance", nil, nil),
    ] as [(CheckState, Bool, String, Int?, Int?)])
  func states(state: CheckState, isInMaintenance: Bool, word: String, up: Int?, degraded: Int?) throws {
    var check = try shop()
    check.state = state
    let window = CheckMaintenance(name: "night", until: now, skip: false)
    check.maintenance = isInMaintenance ? window : nil
    let words = ["up", "degraded", "down", "unknown", "maintenance"]
    #expect(
      try lines(check, "quartz_check_state")
        == words.map { "{\(labels),state=\"\($0)\"} \($0 == word ? 1 : 0)" })
    #expect(try lines(check, "quartz_check_up") == (up.map { ["{\(labels)} \($0)"] } ?? []))
    #expect(try lines(check, "quartz_check_degraded") == (degraded.map { ["{\(labels)} \($0)"] } ?? []))
    #expect(try lines(check, "quartz_check_maintenance") == ["{\(labels)} \(isInMaintenance ? 1 : 0)"])
  }

  @Test func flags() throws {
    var check = try shop()
    for (isStale, value) in [(false, 0), (true, 1)] {
      check.stale = isStale
      #expect(try lines(check, "quartz_check_stale") == ["{\(labels)} \(value)"])
    }
    check.nextRun = Timestamp(milliseconds: 2500)
    #expect(try lines(check, "quartz_check_pending") == ["{\(labels)} 0"])
    #expect(try lines(check, "quartz_check_first_run_timestamp_seconds") == [])
    check.last = nil
    #expect(try lines(check, "quartz_check_pending") == ["{\(labels)} 1"])
    #expect(try lines(check, "quartz_check_first_run_timestamp_seconds") == ["{\(labels)} 2.5"])
    for family in ["response_time_seconds", "last_result_timestamp_seconds", "http_status_code"] {
      #expect(try lines(check, "quartz_check_\(family)") == [], "\(family)")
    }
    (check.missed, check.missedSinceStart) = (9, 7)
    #expect(try lines(check, "quartz_check_missed_slots_total") == ["{\(labels)} 7"])
    check.enabled = false
    #expect(try lines(check, "quartz_check_missed_slots_total") == [])
  }

  @Test func theLastResult() throws {
    var check = try shop()
    check.last?.startedAt = Timestamp(milliseconds: 1500)
    check.last?.responseTime = .microseconds(2250)
    check.last?.statusCode = 503
    check.last?.certificateNotAfter = now.advanced(by: .seconds(3))
    let rows = [
      ("response_time_seconds", "0.00225"), ("last_result_timestamp_seconds", "1.5"),
      ("http_status_code", "503"), ("certificate_expiry_timestamp_seconds", "1767232803"),
    ]
    for (family, value) in rows {
      #expect(try lines(check, "quartz_check_\(family)") == ["{\(labels)} \(value)"], "\(family)")
    }
    let remaining = "quartz_check_certificate_remaining_seconds"
    #expect(try lines(check, remaining) == ["{\(labels),certificate=\"leaf\"} 3"])
  }

  @Test func factsOfTheLastResult() throws {
    var check = try shop()
    check.last?.certificateNotAfter = now.advanced(by: .seconds(3))
    var result = makeResult(try makeCheck("Shop front"), minute: 1, state: .up)
    result.timings = Timings(
      dns: .milliseconds(1), connect: .milliseconds(2), startTLS: .milliseconds(3), tls: .milliseconds(4),
      firstByte: .milliseconds(5), transfer: .microseconds(6500), total: .milliseconds(21))
    result.tls = TLSFacts(
      verified: true, notAfter: now.advanced(by: .seconds(200)),
      pathNotAfter: now.advanced(by: .milliseconds(-50_500)))
    result.ping = PingFacts(sent: 8, received: 5)
    var dns = DNSFacts(
      rcode: "NOERROR", answers: [], authoritative: true, truncated: false, transport: "udp")
    dns.answers = [300, 60, 90].map { DNSAnswer(name: "a.", type: "A", ttl: $0, data: "192.0.2.1") }
    result.dns = dns
    var view = MetricsView()
    view.facts[check.id] = MetricFacts(result)
    let phases = [
      ("dns", "0.001"), ("connect", "0.002"), ("starttls", "0.003"), ("tls", "0.004"),
      ("first_byte", "0.005"), ("transfer", "0.0065"),
    ]
    #expect(
      try lines(check, "quartz_check_phase_duration_seconds", view)
        == phases.map { "{\(labels),phase=\"\($0.0)\"} \($0.1)" })
    #expect(
      try lines(check, "quartz_check_certificate_remaining_seconds", view)
        == ["{\(labels),certificate=\"leaf\"} 200", "{\(labels),certificate=\"path\"} -50.5"])
    #expect(try lines(check, "quartz_check_ping_loss_ratio", view) == ["{\(labels)} 0.375"])
    #expect(try lines(check, "quartz_check_dns_ttl_seconds", view) == ["{\(labels)} 60"])
    result.ping = PingFacts(sent: 0, received: 0)
    view.facts[check.id] = MetricFacts(result)
    #expect(try lines(check, "quartz_check_ping_loss_ratio", view) == [])
  }

  private func window(
    _ period: UptimePeriod, up: Int64, degraded: Int64, down: Int64, maintenance: Int64, enabled: Int64,
    span: Int64
  ) -> WindowStatus {
    var window = WindowStatus(period: period)
    (window.time.up, window.time.degraded) = (up * 1_000_000, degraded * 1_000_000)
    (window.time.down, window.time.maintenance) = (down * 1_000_000, maintenance * 1_000_000)
    window.time.unknown = 5_000_000
    (window.enabled, window.span) = (enabled * 1_000_000, span * 1_000_000)
    return window
  }

  /// Windows by hand: what is judged, of that what was up, and each of what it is a share of.
  @Test func windows() throws {
    var check = try shop()
    check.windows = [
      window(.day, up: 70, degraded: 20, down: 10, maintenance: 40, enabled: 240, span: 400),
      window(.week, up: 30, degraded: 20, down: 150, maintenance: 40, enabled: 540, span: 1000),
      window(.month, up: 0, degraded: 0, down: 0, maintenance: 0, enabled: 100, span: 2000),
      window(.quarter, up: 5, degraded: 0, down: 0, maintenance: 40, enabled: 40, span: 50),
    ]
    let rows: [(String, [(String, String)])] = [
      ("quartz_check_uptime_ratio", [("24h", "0.9"), ("7d", "0.25"), ("90d", "1")]),
      ("quartz_check_coverage_ratio", [("24h", "0.5"), ("7d", "0.4"), ("30d", "0")]),
      ("quartz_check_data_ratio", [("24h", "0.25"), ("7d", "0.2"), ("30d", "0"), ("90d", "0.1")]),
      ("quartz_check_down_seconds", [("24h", "10"), ("7d", "150"), ("30d", "0"), ("90d", "0")]),
    ]
    for (family, values) in rows {
      #expect(
        try lines(check, family) == values.map { "{\(labels),period=\"\($0.0)\"} \($0.1)" }, "\(family)")
    }
  }

  /// Places that are up, down, unknown and gone, and one without a verdict.
  @Test func places() throws {
    var check = try shop()
    let latency = try #require(check.window(.day).latency)
    func place(_ name: String, _ verdict: PlaceVerdict?, _ window: WindowStatus?) -> PlaceStatus {
      var place = PlaceStatus(name)
      (place.verdict, place.windows) = (verdict, window.map { [$0] } ?? [])
      return place
    }
    var day = window(.day, up: 30, degraded: 20, down: 150, maintenance: 0, enabled: 1, span: 1)
    day.latency = latency
    day.latency?.p50 = .milliseconds(1)
    day.latency?.p95 = .milliseconds(2)
    day.latency?.p99 = .microseconds(3500)
    check.places = [
      place("a", PlaceVerdict("a", .degraded), day), place("b", PlaceVerdict("b", .down), nil),
      place("c", PlaceVerdict("c", .unknown), nil), place("d", PlaceVerdict("d", .up, isAlive: false), nil),
      place("e", nil, nil), place("f", PlaceVerdict("f", .up), nil),
    ]
    #expect(
      try lines(check, "quartz_check_place_up")
        == [("a", 1), ("b", 0), ("f", 1)].map { "{\(labels),place=\"\($0.0)\"} \($0.1)" })
    #expect(try lines(check, "quartz_check_place_uptime_ratio") == ["{\(labels),place=\"a\"} 0.25"])
    #expect(
      try lines(check, "quartz_check_place_response_time_seconds")
        == [("0.5", "0.001"), ("0.95", "0.002"), ("0.99", "0.0035")].map {
          "{\(labels),place=\"a\",quantile=\"\($0.0)\"} \($0.1)"
        })
  }
}
