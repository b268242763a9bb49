// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import TestSupport
import Testing

/// The shipped binary under a real Prometheus.
@Suite struct PrometheusStories {
  private static let prometheus = "/usr/bin/prometheus"

  /// Starts Prometheus with the rules of deploy/prometheus on a port of its own, scraping the agent every second.
  private func start(
    scraping port: UInt16, on own: UInt16, in folder: URL, with more: [String] = []
  ) async throws -> RealServer {
    let rules = repository.appending(path: "deploy/prometheus")
    for name in ["recording.yml", "alerts.yml"] {
      try FileManager.default.copyItem(at: rules.appending(path: name), to: folder.appending(path: name))
    }
    try """
    global: {scrape_interval: 1s, evaluation_interval: 1s}
    rule_files: [recording.yml, alerts.yml]
    scrape_configs:
      - job_name: quartz-agent
        static_configs: [{targets: ["127.0.0.1:\(port)"]}]
    """.write(to: folder.appending(path: "prometheus.yml"), atomically: true, encoding: .utf8)
    let server = try RealServer(
      Self.prometheus,
      [
        "--config.file=\(folder.path)/prometheus.yml", "--storage.tsdb.path=\(folder.path)/tsdb",
        "--web.listen-address=127.0.0.1:\(own)",
      ] + more, debianPackage: "prometheus", log: folder.appending(path: "prometheus.log"))
    try await server.waitUntilListening(port: own)
    return server
  }

  /// The answer's result list; nil when Prometheus refuses the question.
  private func ask(_ query: String, port: UInt16) async throws -> [JSONValue]? {
    let allowed = CharacterSet.alphanumerics
    let escaped = query.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    let answer = await statusAnswer("/api/v1/query?query=\(escaped)", port: port)
    guard let end = answer.firstRange(of: "\r\n\r\n"),
      let json = try? JSONValue.parse(dechunked(answer[end.upperBound...]).utf8),
      json["status"]?.string == "success"
    else { return nil }
    return json["data"]?["result"]?.array
  }

  private func dechunked(_ body: Substring) -> String {
    guard let first = body.firstIndex(of: "{"), let last = body.lastIndex(of: "}") else { return "" }
    return String(body[first...last])
  }

  private func value(_ query: String, port: UInt16) async throws -> Double? {
    (try await ask(query, port: port))?.first?["value"]?.array?.last?.string.flatMap(Double.init)
  }

  private static func checks(_ port: UInt16, closed: UInt16) -> String {
    """
      - {name: Web, type: http, url: "http://127.0.0.1:\(port)/", interval: 1s, timeout: 1s, tags: ["team:shop"]}
      - {name: Closed, type: tcp, host: 127.0.0.1, port: \(closed), interval: 1s, timeout: 1s, retries: 0}
    """
  }

  /// Prometheus scrapes the agent, evaluates every rule, and answers every question of the dashboard.
  @Test(.timeLimit(.minutes(2))) func aPrometheusScrapesTheAgent() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        let (port, own, closed) = (try freePort(), try freePort(), try freePort())
        try RunStories.config(
          Self.checks(web.port, closed: closed),
          more: "status: {listen: \"127.0.0.1:\(port)\"}\nmetrics: {labels: [team]}", in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "two probes") { web.accepted >= 2 }
        let server = try await start(scraping: port, on: own, in: folder)
        defer { server.stop() }
        try await until("a whole scrape") {
          try await value("max(scrape_samples_scraped{job=\"quartz-agent\"})", port: own) ?? 0 >= 50
        }
        #expect(try await value("up{job=\"quartz-agent\"}", port: own) == 1)
        #expect(try await value("quartz_check_up{check=\"Web\",team=\"shop\"}", port: own) == 1)
        #expect(try await value("quartz_check_state{check=\"Closed\",state=\"down\"}", port: own) == 1)
        let refused = "quartz_check_results_total{check=\"Closed\",reason=\"connect_refused\"}"
        #expect(try await value(refused, port: own) ?? 0 >= 1)
        #expect(try await value("sum(quartz_check_state) by (check)", port: own) == 1)
        for query in try dashboardQueries() {
          #expect(try await ask(query, port: own) != nil, "Prometheus refuses \(query)")
        }
        // An alert that is due is pending or fires; a rule that cannot be evaluated says so in the log.
        let pending = "ALERTS{alertname=\"QuartzCheckDown\",check=\"Closed\"}"
        try await until("the alert") { try await value(pending, port: own) == 1 }
        let log = try String(contentsOf: folder.appending(path: "prometheus.log"), encoding: .utf8)
        #expect(!log.contains("level=warn") && !log.contains("level=error"), "\(log.suffix(2000))")
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }

  /// A Prometheus that asks for native histograms gets them, of every run, and everything else with them.
  @Test(.timeLimit(.minutes(2))) func aPrometheusReadsNativeHistograms() async throws {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: RunStories.web) { web in
        let (port, own, closed) = (try freePort(), try freePort(), try freePort())
        try RunStories.config(
          Self.checks(web.port, closed: closed), more: "status: {listen: \"127.0.0.1:\(port)\"}", in: folder)
        let process = try AgentProcess(["run"], in: folder)
        try await process.wait(for: "two probes") { web.accepted >= 2 }
        let server = try await start(
          scraping: port, on: own, in: folder, with: ["--enable-feature=native-histograms"])
        defer { server.stop() }
        let times = "quartz_response_time_seconds{type=\"http\",state=\"up\"}"
        try await until("two runs") { try await value("histogram_count(\(times))", port: own) ?? 0 >= 2 }
        let counted = try #require(try await value("histogram_count(\(times))", port: own))
        #expect(counted >= 2 && counted == counted.rounded())
        let middle = try #require(try await value("histogram_quantile(0.5, \(times))", port: own))
        #expect(middle > 0 && middle < 10)
        #expect(try await value("quartz_check_up{check=\"Web\"}", port: own) == 1)
        #expect(
          try await value("quartz_check_results_total{check=\"Web\",state=\"up\"}", port: own) ?? 0 >= 1)
        let log = try String(contentsOf: folder.appending(path: "prometheus.log"), encoding: .utf8)
        #expect(!log.contains("level=warn") && !log.contains("level=error"), "\(log.suffix(2000))")
        process.send(SIGTERM)
        #expect(try await process.finish().status == 0)
      }
    }
  }

  /// Its variables filled in, as Grafana does.
  private func dashboardQueries() throws -> [String] {
    let file = repository.appending(path: "deploy/prometheus/grafana-dashboard.json")
    let dashboard = try JSONValue.parse(String(contentsOf: file, encoding: .utf8).utf8)
    let queries = (dashboard["panels"]?.array ?? []).flatMap { $0["targets"]?.array ?? [] }
      .compactMap { $0["expr"]?.string }
    #expect(queries.count >= 20)
    return queries.map { query in
      ["$job", "$instance", "$check"].reduce(query) { $0.replacing($1, with: ".*") }
    }
  }
}

/// Of the source tree this was compiled from.
private let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()
