// SPDX-License-Identifier: MIT

import Basics
import History
import Monitoring
import QuartzAPI
import Spool
import StatusSupport
import Testing
@testable import Status

/// The numbers of the histograms, worked out again from the runs of the sample agent.
@Suite struct MetricValueTests {
  private struct Sample {
    var state: String
    /// Microseconds.
    var time: Int64
  }

  /// Three checks, 120 minutes each: see `sampleSource` and `makeResult`.
  private static let runs: [Sample] = (0..<120).flatMap { minute -> [Sample] in
    let time = Int64(40_000 + minute % 17 * 2300)
    return [
      Sample(state: minute == 70 || minute > 116 ? "down" : "up", time: time),
      Sample(state: "up", time: time),
      Sample(state: minute > 110 ? "degraded" : "up", time: time),
    ]
  }

  private static let bounds: [Int64] = [
    1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
    10_000_000,
    30_000_000, 60_000_000,
  ]

  private func lines(_ format: MetricsFormat) async throws -> [String] {
    let source = try sampleStatus()
    let bytes = OpenMetrics.render(source.status, source.metrics(), format)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private func value(_ lines: [String], _ name: String) -> Double? {
    lines.first { $0.hasPrefix(name + " ") }.flatMap { Double($0.dropFirst(name.count + 1)) }
  }

  private func expect(_ lines: [String], _ family: String, _ labels: String, _ times: [Int64]) {
    #expect(value(lines, "\(family)_count{\(labels)}") == Double(times.count), "\(family) \(labels)")
    let sum = value(lines, "\(family)_sum{\(labels)}") ?? -1
    let expected = Double(times.reduce(0, +)) / 1_000_000
    #expect(abs(sum - expected) < 1e-9, "\(family) \(labels): \(sum), not \(expected)")
    for bound in Self.bounds {
      let name = "\(family)_bucket{\(labels),le=\"\(Double(bound) / 1_000_000)\"}"
      #expect(value(lines, name) == Double(times.count { $0 <= bound }), "\(name)")
    }
    #expect(value(lines, "\(family)_bucket{\(labels),le=\"+Inf\"}") == Double(times.count))
  }

  /// In seconds: counts, sums and every bucket, of each state and each phase.
  @Test(arguments: [MetricsFormat.openMetrics, .plain]) func histograms(format: MetricsFormat) async throws {
    #expect(LatencyHistogram.bounds == Self.bounds)
    let lines = try await lines(format)
    for state in ["up", "degraded", "down"] {
      expect(
        lines, "quartz_response_time_seconds", "type=\"http\",state=\"\(state)\"",
        Self.runs.filter { $0.state == state }.map(\.time))
    }
    for (phase, part) in [("dns", 10), ("connect", 5), ("tls", 4), ("first_byte", 3), ("transfer", 20)]
      as [(String, Int64)]
    {
      expect(
        lines, "quartz_phase_duration_seconds", "type=\"http\",phase=\"\(phase)\"",
        Self.runs.map { $0.time / part })
    }
  }

  /// A whole number has no decimal point as far as it is small enough, and a larger one is written as it is.
  @Test(
    arguments: [
      (0, "0"), (-2, "-2"), (1.5, "1.5"), (999_999_999_999_999, "999999999999999"), (1e15, "\(1e15)"),
      (-1e15, "\(-1e15)"), (1e19, "\(1e19)"),
    ] as [(Double, String)])
  func numbers(value: Double, text: String) {
    var metrics = MetricsText(.plain)
    metrics.sample("x", MetricsText.Labels(), value)
    #expect(String(decoding: metrics.bytes, as: UTF8.self) == "x \(text)\n")
  }

  /// Shares of a window are ratios, from percent.
  @Test func shares() async throws {
    let source = try sampleStatus()
    let lines = try await lines(.plain)
    let checks = source.status.checks.filter { ["Shop front", "Search"].contains($0.name) }
    #expect(checks.count == 2)
    for check in checks {
      for window in check.windows {
        let labels = "{check=\"\(check.name)\",type=\"http\",period=\"\(window.period.rawValue)\"}"
        let uptime = try #require(window.uptime)
        let coverage = try #require(window.coverage)
        #expect(coverage > 1 && coverage <= 100, "\(labels)")
        #expect(value(lines, "quartz_check_uptime_ratio\(labels)") == uptime / 100)
        #expect(value(lines, "quartz_check_coverage_ratio\(labels)") == coverage / 100)
        #expect(value(lines, "quartz_check_data_ratio\(labels)") == window.data.percent / 100)
      }
    }
  }

  /// The store: each series with a value of its own.
  @Test func theStore() async throws {
    var source = try sampleStatus()
    var spool = SpoolStatus()
    (spool.depth, spool.oldest, spool.bytesUsed, spool.bytesReserved) = (1, Timestamp(seconds: 2), 3, 4)
    (spool.mode, spool.quarantined, spool.gaps) = (.memory, 5, GapRecord.gaps(7, lost: 8))
    (spool.hoursCovered, spool.dropped, spool.cursorDamaged) = (9, 10, 2)
    source.status.spool = spool
    source.status.delivery?.parked = 6
    let bytes = OpenMetrics.render(source.status, source.metrics(), .plain)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    #expect(
      lines.filter { $0.hasPrefix("quartz_spool_") } == [
        "quartz_spool_records 1", "quartz_spool_oldest_timestamp_seconds 2", "quartz_spool_used_bytes 3",
        "quartz_spool_capacity_bytes 4", "quartz_spool_durable 0", "quartz_spool_quarantined 5",
        "quartz_spool_parked 6", "quartz_spool_gaps 7", "quartz_spool_lost 8",
        "quartz_spool_cursor_damaged 2",
        "quartz_spool_outage_covered_seconds 32400", "quartz_spool_dropped_total 10",
      ])
  }

  /// Questions of `/probe`: each series with a value of its own.
  @Test func probes() async throws {
    let source = try sampleStatus()
    var view = source.metrics()
    var probes = ProbeFigures(limit: 7)
    (probes.succeeded, probes.failed, probes.refused, probes.busy) = (1, 2, 3, 4)
    (probes.unknown, probes.running, probes.isFileRead) = (5, 6, true)
    probes.readAt = Timestamp(seconds: 8)
    view.probes = probes
    let bytes = OpenMetrics.render(source.status, view, .plain)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    #expect(
      lines.filter { $0.hasPrefix("quartz_probe_") || $0.hasPrefix("blackbox_") } == [
        "quartz_probe_requests_total{outcome=\"success\"} 1",
        "quartz_probe_requests_total{outcome=\"failure\"} 2",
        "quartz_probe_requests_total{outcome=\"refused\"} 3",
        "quartz_probe_requests_total{outcome=\"busy\"} 4",
        "quartz_probe_in_flight 6", "quartz_probe_in_flight_limit 7", "blackbox_module_unknown_total 5",
        "blackbox_exporter_config_last_reload_successful 1",
        "blackbox_exporter_config_last_reload_success_timestamp_seconds 8",
      ])
  }
}
