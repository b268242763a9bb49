// SPDX-License-Identifier: MIT

import Basics
import Foundation
import History
import Monitoring
import StatusServer
import StatusSupport
import TestSupport
import Testing
@testable import Status

/// `/metrics`, as a scraper reads it.
@Suite struct MetricsTests {
  /// The sample agent, asked for its metrics.
  private func scrape(accept: String? = nil, labels: [String] = []) async throws -> RawResponse {
    var source = try sampleSource()
    source.labels = labels
    return try await withServer(source) { address in
      let header = accept.map { "Accept: \($0)\r\n" } ?? ""
      return try await exchange(
        address, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\(header)Connection: close\r\n\r\n")
    }
  }

  private func samples(_ body: String, _ name: String) -> [String] {
    body.split(separator: "\n").filter { $0.hasPrefix(name + "{") || $0.hasPrefix(name + " ") }.map(
      String.init)
  }

  /// Debian's promtool has no word against the text format.
  @Test func promtoolAccepts() async throws {
    let answer = try await scrape()
    #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
    #expect(!answer.body.contains("# EOF"))
    try await withTemporaryDirectory { folder in
      let outcome = try await runTool(
        "/usr/bin/promtool", ["check", "metrics"], debianPackage: "prometheus", in: folder, input: answer.body
      )
      #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome.output)")
      let broken = try await runTool(
        "/usr/bin/promtool", ["check", "metrics"], debianPackage: "prometheus", in: folder,
        input: answer.body + "quartz_check_up{check=\"x\" 1\n")
      #expect(broken.status != 0)
    }
  }

  /// The text format unless OpenMetrics is named and wanted as much: what curl sends, what a browser and Prometheus send.
  @Test(
    arguments: [
      (nil, false), ("*/*", false), ("", false), ("text/plain", false), ("text/plain; version=0.0.4", false),
      ("text/html,application/xhtml+xml,*/*;q=0.8", false), ("application/openmetrics-text", true),
      ("application/*", false), ("application/openmetrics-text;q=0.5,text/plain;q=0.5", true),
      ("application/openmetrics-text;q=0", false),
      (
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
          + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", true
      ),
      ("application/openmetrics-text;q=0.2, text/plain;q=0.9", false), ("text/plain;q=0", false),
      ("TEXT/PLAIN", false), ("text/plain;q=x", false), ("application/openmetrics-text;q=x", false),
    ] as [(String?, Bool)])
  func theFormatIsTheOneAskedFor(accept: String?, isOpen: Bool) {
    #expect(MetricsFormat(accept: accept) == (isOpen ? .openMetrics : .plain))
  }

  @Test func metricsAreOpenMetrics() async throws {
    let answer = try await scrape(accept: "application/openmetrics-text;version=1.0.0")
    #expect(answer.header("Content-Type")?.hasPrefix("application/openmetrics-text; version=1.0.0") == true)
    #expect(answer.body.hasSuffix("# EOF\n"))
    var families: Set<String> = []
    for line in answer.body.split(separator: "\n") where line.hasPrefix("# TYPE ") {
      #expect(
        families.insert(String(line.split(separator: " ")[2])).inserted, "a family appears once: \(line)")
    }
    #expect(answer.body.contains("quartz_checks{state=\"down\"} 1\n"))
    #expect(answer.body.contains("quartz_check_up{check=\"Shop front\",type=\"http\"} 0\n"))
    #expect(!answer.body.contains("quartz_check_up{check=\"Never ran yet\""))
    #expect(answer.body.contains("quartz_delivery_delivered_total 45210\n"))
  }

  /// Each sample belongs to the family that was announced last, and every family is in the documentation.
  @Test(arguments: ["application/openmetrics-text", nil]) func familiesAreAnnouncedAndDocumented(
    accept: String?
  ) async throws {
    let body = try await scrape(accept: accept).body
    let docs = try String(contentsOf: repository.appending(path: "docs/status.md"), encoding: .utf8)
    var (family, type) = ("", "")
    for line in body.split(separator: "\n") where line != "# EOF" {
      let words = line.split(separator: " ", maxSplits: 3)
      if line.hasPrefix("# TYPE") {
        (family, type) = (String(words[2]), String(words[3]))
        let known =
          docs.contains("`\(family)`") || docs.contains("`\(family){") || docs.contains("`\(family)_")
        #expect(known, "\(family) is not in docs/status.md")
      } else if !line.hasPrefix("#") {
        let name = String(line.prefix { $0 != "{" && $0 != " " })
        let suffixes =
          switch type {
          case "counter": accept == nil ? [""] : ["_total"]
          case "histogram": ["_bucket", "_sum", "_count"]
          case "summary": ["", "_sum", "_count"]
          case "info": ["_info"]
          default: [""]
          }
        #expect(suffixes.map { family + $0 }.contains(name), "\(name) stands below \(family)")
      }
    }
  }

  /// Of each enabled check's states exactly one is 1, whatever the check does, and none is ever absent.
  @Test func theStateSetIsWhole() async throws {
    let body = try await scrape().body
    for check in ["Shop front", "Mail <b>gateway</b>", "Search", "Never ran yet"] {
      let lines = samples(body, "quartz_check_state").filter { $0.contains("check=\"\(check)\"") }
      #expect(lines.count == 5)
      #expect(lines.count { $0.hasSuffix(" 1") } == 1 && lines.count { $0.hasSuffix(" 0") } == 4, "\(lines)")
    }
    #expect(body.contains("check=\"Shop front\",type=\"http\",state=\"down\"} 1"))
    #expect(body.contains("check=\"Never ran yet\",type=\"http\",state=\"unknown\"} 1"))
    #expect(!body.contains("Old site"))
  }

  /// Scheduled results are counted by state and reason; together they are the results.
  @Test func resultsAreCounted() async throws {
    let lines = samples(try await scrape().body, "quartz_check_results_total")
    let shop = lines.filter { $0.contains("Shop front") }
    #expect(shop.contains { $0.hasSuffix("state=\"up\",reason=\"ok\"} 116") }, "\(shop)")
    #expect(shop.contains { $0.hasSuffix("state=\"down\",reason=\"http_status\"} 4") }, "\(shop)")
    #expect(lines.reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) } == 360)
  }

  private func value(_ body: String, _ series: String) -> Double? {
    body.split(separator: "\n").first { $0.hasPrefix(series + " ") }.flatMap {
      Double($0.dropFirst(series.count + 1))
    }
  }

  /// Each state is counted from the first scrape of a check on, so that its first failure is an increase; sums and counts of
  /// response times are of what worked, in seconds.
  @Test(arguments: [MetricsFormat.openMetrics, .plain])
  func theFirstFailureIsAnIncrease(format: MetricsFormat) throws {
    let check = try makeCheck("New")
    let agent = AgentIdentity(name: "london-1", region: nil, version: "0.1.0", started: started)
    let store = HistoryStore()
    store.apply([check], now: started)
    func scrape() -> String {
      let snapshot = StatusSnapshot(agent: agent, history: store, now: now)
      return String(decoding: OpenMetrics.render(snapshot, MetricsView(store), format), as: UTF8.self)
    }
    func counts(_ body: String) -> [Double?] {
      CheckState.allCases.map { state in
        value(body, "quartz_check_verdicts_total{check=\"New\",type=\"http\",state=\"\(state.rawValue)\"}")
      }
    }
    func latency(_ body: String) -> [Double?] {
      ["sum", "count"].map { value(body, "quartz_check_latency_seconds_\($0){check=\"New\",type=\"http\"}") }
    }
    #expect(CheckState.allCases.map(\.rawValue) == ["up", "degraded", "down", "unknown"])
    var body = scrape()
    #expect(counts(body) == [0, 0, 0, 0] && latency(body) == [0, 0])
    store.record(makeResult(check, minute: 0, state: .down), interval: .seconds(60))
    body = scrape()
    #expect(counts(body) == [0, 0, 1, 0] && latency(body) == [0, 0])
    for (minute, state) in [(1, CheckState.up), (2, .degraded), (3, .unknown), (4, .up)] {
      store.record(makeResult(check, minute: minute, state: state), interval: .seconds(60))
    }
    body = scrape()
    #expect(counts(body) == [2, 1, 1, 1])
    // 42,300, 44,600 and 49,200 microseconds.
    let sums = latency(body)
    #expect(abs((sums[0] ?? -1) - 0.1361) < 1e-9 && sums[1] == 3, "\(sums)")
  }

  /// A check that fails with what it depends on says so for as long as that is its last result, however rare its runs are.
  @Test func whatFailsWithAnotherSaysSo() async throws {
    var source = try sampleSource()
    let place = try #require(source.status.checks.firstIndex { $0.name == "Search" })
    func scrape() async -> String {
      String(decoding: OpenMetrics.render(source.status, await source.metrics(), .plain), as: UTF8.self)
    }
    let series = "quartz_check_dependency_failed{check=\"Search\",type=\"http\"}"
    #expect(value(await scrape(), series) == 0)
    source.status.checks[place].state = .unknown
    source.status.checks[place].last?.reason = .localFault
    #expect(value(await scrape(), series) == 0)
    source.status.checks[place].last?.reason = .dependency
    #expect(value(await scrape(), series) == 1)
  }

  /// Buckets rise, the last one is the count, and a bound is in its bucket.
  @Test func histogramsAddUp() async throws {
    let body = try await scrape().body
    let buckets = samples(body, "quartz_response_time_seconds_bucket").filter { $0.contains("state=\"up\"") }
    let counts = buckets.compactMap { Int($0.split(separator: " ").last ?? "") }
    #expect(counts.count == LatencyHistogram.bounds.count + 1 && counts == counts.sorted())
    let total = samples(body, "quartz_response_time_seconds_count").first { $0.contains("state=\"up\"") }
    #expect(total?.hasSuffix(" \(counts.last ?? -1)") == true && counts.last == 347)
    #expect(buckets.last?.contains("le=\"+Inf\"") == true && buckets.first?.contains("le=\"0.001\"") == true)
    #expect(body.contains("quartz_phase_duration_seconds_bucket{type=\"http\",phase=\"dns\",le=\"0.005\"}"))
    var histogram = LatencyHistogram()
    for microseconds in [1_000, 1_001, 60_000_000, 60_000_001] { histogram.add(.microseconds(microseconds)) }
    #expect(histogram.counts == [1, 1] + [Int64](repeating: 0, count: 12) + [1, 1])
    #expect(histogram.sum == 120_002_002)
  }

  /// A tag becomes a label only where the configuration names it.
  @Test func tagsAreLabelsWhereTheyAreNamed() async throws {
    #expect(try await !scrape().body.contains("team="))
    let body = try await scrape(labels: ["team", "tier"]).body
    #expect(
      samples(body, "quartz_check_up").contains(
        "quartz_check_up{check=\"Shop front\",type=\"http\",team=\"shop\"} 0"))
    #expect(samples(body, "quartz_check_stale").contains { $0.contains("team=\"shop\"") })
    #expect(!body.contains("tier="))
    #expect(samples(body, "quartz_checks").allSatisfy { !$0.contains("team=") })
  }

  /// The down time of each window is the sum of the outages in it.
  @Test func downTimeIsTheSumOfTheOutages() async throws {
    let source = try sampleSource()
    let shop = try #require(source.status.checks.first { $0.name == "Shop front" })
    let outages = try #require(await source.outages(shop.id, at: source.now))
    let sum = outages.reduce(Duration.zero) { $0 + $1.duration(now: source.now) }
    let body = try await scrape().body
    #expect(outages.count == 2 && sum == .seconds(240))
    #expect(body.contains("quartz_check_down_seconds{check=\"Shop front\",type=\"http\",period=\"24h\"} 240"))
    let begin = try #require(outages.last?.begin.microseconds) / 1_000_000
    #expect(
      body.contains(
        "quartz_check_outage_start_timestamp_seconds{check=\"Shop front\",type=\"http\"} \(begin)"))
    #expect(
      body.contains("quartz_check_last_outage_duration_seconds{check=\"Shop front\",type=\"http\"} 180"))
  }

  /// What a client library says of its process is here by the same names.
  @Test func theProcessIsThere() async throws {
    let body = try await scrape().body
    for line in [
      "process_cpu_seconds_total 1.5", "process_resident_memory_bytes 26214400", "process_open_fds 20",
      "process_max_fds 1024", "quartz_config_last_reload_successful 1",
      "quartz_config_reloads_total{outcome=\"taken\"} 0",
    ] { #expect(body.contains("\n\(line)\n"), "\(line)") }
  }
}

/// Of the source tree this was compiled from.
let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()
