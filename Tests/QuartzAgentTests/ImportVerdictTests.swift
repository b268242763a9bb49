// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import Basics
import Checks
import Monitoring
import TestSupport
import Testing

@testable import Import
@testable import QuartzAgent

/// The question to the old monitor, and what two verdicts of the same moment say.
@Suite struct ImportVerdictTests {
  private static let files = [
    (
      "p.yml",
      """
      modules:
        page: {prober: http, timeout: 2s}
      scrape_configs:
        - job_name: pages
          metrics_path: /probe
          params: {module: [page]}
          static_configs: [{targets: ["http://a.example/x?y=1&z", "http://b.example"]}]
          relabel_configs: [{source_labels: [__address__], target_label: __param_target}]

      """
    )
  ]

  private func document() throws -> ImportDocument {
    let files = Self.files.map { ImportFile(name: $0.0, bytes: Array($0.1.utf8)) }
    return ImportDocument(try Importer.read(.blackbox, files), output: nil, fixesTargets: true)
  }

  /// The exporter is asked at its `/probe`, wherever the URL ends, for the module and the target in whole; it has half a second
  /// more than the check, and says by a line of the answer whether the probe succeeded.
  @Test(
    arguments: [
      "http://127.0.0.1:9115", "http://127.0.0.1:9115/", "http://127.0.0.1:9115//",
      "http://127.0.0.1:9115/probe", "http://127.0.0.1:9115/probe/",
    ])
  func theQuestion(old: String) throws {
    let pairs = try ImportDiff.pairs(try document(), old: old, file: "p.yml")
    #expect(pairs.map(\.ours.name) == pairs.map(\.old.name) && pairs.count == 2)
    guard case .http(let http)? = pairs.first?.old.kind, let check = pairs.first?.old else {
      Issue.record("it is of another type")
      return
    }
    #expect(
      http.url.text
        == "http://127.0.0.1:9115/probe?module=page&target=http%3A%2F%2Fa.example%2Fx%3Fy%3D1%26z")
    #expect(http.headers.map(\.name) == ["X-Prometheus-Scrape-Timeout-Seconds"])
    let seconds = http.headers.first.flatMap { Double($0.value.reveal()) }
    #expect(seconds == pairs[0].ours.timeout.seconds + 0.5)
    #expect(
      check.timeout == pairs[0].ours.timeout + .milliseconds(1500) && check.interval == .seconds(3600)
        && check.plan.retries == 0)
    #expect(http.maxBody == 1 << 20)
  }

  /// A check that cannot be asked of the old monitor is in no pair, and neither is one that is off.
  @Test func whatIsNotCompared() throws {
    var lacking = Imported(
      format: .blackbox,
      checks: try document().checks.map { check in
        var check = check
        check["enabled"] = .plain(check.name.hasSuffix("b.example") ? "false" : "true")
        return check
      }, notes: [], total: 1, carried: 1)
    func names() throws -> [String] {
      try ImportDiff.pairs(
        ImportDocument(lacking, output: nil), old: "http://127.0.0.1:9115", file: "p.yml"
      ).map(\.ours.name)
    }
    #expect(try names() == ["pages http://a.example/x?y=1&z"] || names() == ["page http://a.example/x?y=1&z"])
    lacking.checks[0].question = nil
    #expect(try names().isEmpty)
    #expect(ImportDiff.most == 1000)
  }

  private static func answer(_ status: Int, _ body: String) -> @Sendable (LoopbackConnection) -> Void {
    { connection in
      _ = connection.read(until: "\r\n\r\n")
      connection.write(
        "HTTP/1.1 \(status) As it is\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
      )
      connection.waitForEnd()
    }
  }

  /// The exporter's answer, this agent's own, and what both say together. An answer of the exporter that is none says nothing.
  @Test(
    arguments: [
      (200, "probe_success 1\n", 200, "same"), (200, "probe_success 0\n", 500, "same"),
      (200, "hello\n", 500, "same"), (200, "probe_success 1\n", 500, "differs up, down: http_status: "),
      (200, "probe_success 0\n", 200, "differs down, up"), (404, "probe_success 1\n", 200, "unknown"),
      (503, "probe_success 0\n", 500, "unknown"),
    ] as [(Int, String, Int, String)])
  func verdicts(status: Int, body: String, own: Int, words: String) async throws {
    let found = try await withLoopbackServer(script: Self.answer(status, body)) { exporter in
      try await withLoopbackServer(script: Self.answer(own, "")) { page in
        let pair = ImportDiff.Pair(
          ours: try Self.check("http://127.0.0.1:\(page.port)/"),
          old: try Self.check("http://127.0.0.1:\(exporter.port)/", wants: "^probe_success 1$"))
        return try await withProbeEngine(egress: ProbeEgress(), time: .system) { engine in
          try await ImportDiff(pairs: [pair], length: .seconds(1), time: .system).ask(pair, engine)
        }
      }
    }
    switch found {
    case .same: #expect(words == "same")
    case .differs(let text):
      let (old, ours) = (words.contains("differs up") ? "up" : "down", words.split(separator: ", ")[1])
      #expect(text.contains(" blackbox_exporter \(old), quartz-agent \(ours)"), "\(text)")
    case .unknown(let text):
      #expect(words == "unknown" && text.hasPrefix("blackbox_exporter was not to be asked: "), "\(text)")
    case .passing: Issue.record("it was asked once")
    }
  }

  private static func check(_ url: String, wants pattern: String? = nil) throws -> MonitoringCheck {
    try MonitoringCheck(
      adHoc: url, keys: pattern.map { "expect: {body: {matches: [\"\($0)\"]}}" },
      sources: ConfigSources(environment: [:], secrets: .disk, hostName: "test", patterns: Pattern.rule))
  }
}
