// SPDX-License-Identifier: MIT

import Basics
import Foundation
import TestSupport
import Testing

/// deploy/prometheus: rules that Prometheus takes and that do what they say, and a dashboard of metrics that exist.
@Suite struct PrometheusRulesTests {
  private let folder = Backend.repository.appending(path: "deploy/prometheus")

  private func promtool(_ arguments: [String]) async throws -> ToolOutcome {
    try await withTemporaryDirectory { copy in
      for name in ["prometheus.yml", "recording.yml", "alerts.yml", "tests.yml"] {
        try FileManager.default.copyItem(at: folder.appending(path: name), to: copy.appending(path: name))
      }
      return try await runTool("/usr/bin/promtool", arguments, debianPackage: "prometheus", in: copy)
    }
  }

  /// The rules' own tests: what fires, when, and with which words.
  @Test func rulesDoWhatTheySay() async throws {
    let outcome = try await promtool(["test", "rules", "tests.yml"])
    #expect(outcome.status == 0 && outcome.output.contains("SUCCESS"), "\(outcome.output)")
    let config = try await promtool(["check", "config", "prometheus.yml"])
    #expect(config.status == 0 && config.output.contains("20 rules found"), "\(config.output)")
  }

  /// Every alert has a test of its own.
  @Test func everyAlertIsTested() throws {
    let alerts = try text("alerts.yml").split(separator: "\n").compactMap { line in
      line.firstRange(of: "- alert: ").map { String(line[$0.upperBound...]) }
    }
    let tests = try text("tests.yml")
    #expect(alerts.count == 20)
    for alert in alerts { #expect(tests.contains("alertname: \(alert)"), "\(alert)") }
  }

  /// No rule and no panel asks for a metric that the documentation does not have.
  @Test(arguments: ["recording.yml", "alerts.yml", "grafana-dashboard.json"])
  func metricsExist(file: String) throws {
    let docs = try String(contentsOf: Backend.repository.appending(path: "docs/status.md"), encoding: .utf8)
    var names: Set<String> = []
    for match in try text(file).matches(of: /\b(?:quartz|process)_[a-z_]+/) {
      names.insert(String(match.output))
    }
    #expect(names.count >= 5)
    for name in names where !name.hasSuffix("_") {
      let family = ["_bucket", "_sum", "_count"].reduce(name) {
        $0.hasSuffix($1) ? String($0.dropLast($1.count)) : $0
      }
      #expect(docs.contains("`\(family)`") || docs.contains("`\(family){") || isRecorded(name), "\(name)")
    }
  }

  /// docs/probe.md names metrics that the agent has: the exporter's at /probe, its own at /metrics.
  @Test func metricsOfTheExporterExist() throws {
    func text(_ path: String) throws -> String {
      try String(contentsOf: Backend.repository.appending(path: path), encoding: .utf8)
    }
    let (page, own) = (try text("docs/probe.md"), try text("docs/status.md"))
    let exporters = try ["Agent/Probing/ProbeMetrics.swift", "Status/Metrics/OpenMetrics+Parts.swift"]
      .map { try text("Sources/\($0)") }.joined()
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("|") && $0.contains("| unchanged") }
    #expect(rows.count == 10)
    for row in rows {
      for match in row.matches(of: /\b(?:probe|blackbox)_[a-z_]+/) {
        let name = String(match.output)
        let family = name.hasSuffix("_total") ? String(name.dropLast(6)) : name
        #expect(exporters.contains("\"\(family)\""), "\(name)")
      }
      for match in row.matches(of: /\bquartz_[a-z_]+/) {
        let name = String(match.output)
        #expect(own.contains("`\(name)`") || own.contains("`\(name){") || isRecorded(name), "\(name)")
      }
    }
  }

  /// The middle of a recorded series' name.
  private func isRecorded(_ name: String) -> Bool {
    ((try? text("recording.yml")) ?? "").contains(":\(name):")
  }

  /// The dashboard is JSON, and its panels do not lie on one another.
  @Test func theDashboardIsWhole() throws {
    let dashboard = try JSONValue.parse(try text("grafana-dashboard.json").utf8)
    let panels = try #require(dashboard["panels"]?.array)
    #expect(panels.count >= 15)
    var taken: Set<[Int]> = []
    for panel in panels {
      let place = try #require(panel["gridPos"])
      let edges = ["x", "y", "w", "h"].compactMap { place[$0]?.integer }.map { Int($0) }
      try #require(edges.count == 4 && edges[0] + edges[2] <= 24)
      for x in edges[0]..<edges[0] + edges[2] {
        for y in edges[1]..<edges[1] + edges[3] { #expect(taken.insert([x, y]).inserted) }
      }
    }
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }
}
