// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import TestSupport
import Testing

/// `import --diff` of the shipped binary; the exporter is one of our own, which says what the test wants.
@Suite struct ImportDiffStories {
  private static let modules =
    "modules: {page: {prober: http, timeout: 2s, http: {preferred_ip_protocol: ip4}}}"

  /// Succeeds, fails or talks rubbish, as the target's path asks for.
  private static let exporter: @Sendable (LoopbackConnection) -> Void = { connection in
    let request = connection.read(until: "\r\n\r\n")
    let word = request.contains("%2Frubbish") ? "hello" : "probe_success \(request.contains("%2Fup") ? 1 : 0)"
    let body = "# HELP probe_success Whether\n\(word)\n"
    connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    connection.waitForEnd()
  }

  private static let page: @Sendable (LoopbackConnection) -> Void = { connection in
    let isFine = !connection.read(until: "\r\n\r\n").contains("broken")
    connection.write("HTTP/1.1 \(isFine ? 200 : 500) As it is\r\nContent-Length: 0\r\n\r\n")
    connection.waitForEnd()
  }

  private func diff(
    _ paths: [String], _ arguments: String..., stop: Bool = false, exporter port: UInt16? = nil
  ) async throws -> Outcome {
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: Self.page) { page in
        try await withLoopbackServer(script: Self.exporter) { exporter in
          let targets = paths.map { "\"http://127.0.0.1:\(page.port)\($0)\"" }.joined(separator: ", ")
          try Self.modules.write(
            to: folder.appending(path: "blackbox.yml"), atomically: true, encoding: .utf8)
          try """
          scrape_configs:
            - job_name: pages
              scrape_interval: 1s
              metrics_path: /probe
              params: {module: [page]}
              static_configs: [{targets: [\(targets)]}]
              relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
          """.write(to: folder.appending(path: "prometheus.yml"), atomically: true, encoding: .utf8)
          let process = try AgentProcess(
            [
              "import", "auto", "blackbox.yml", "prometheus.yml", "--diff",
              "http://127.0.0.1:\(port ?? exporter.port)/",
            ] + arguments, in: folder)
          if stop {
            try await process.wait(for: "a probe") { page.accepted > 0 }
            process.send(SIGINT)
          }
          return try await process.finish()
        }
      }
    }
  }

  @Test func theSameVerdicts() async throws {
    let outcome = try await diff(["/up", "/broken"], "--for", "2500ms")
    #expect(outcome.status == 0, "\(outcome.stdout) \(outcome.stderr)")
    #expect(outcome.stdout.contains("/up: ") && outcome.stdout.contains(" same"))
    #expect(outcome.stdout.contains("2 checks: ") && outcome.stdout.contains(" 0 differ,"))
    #expect(!outcome.stdout.contains("checks:\n"), "nothing is written")
  }

  @Test func aDifferenceIsSaid() async throws {
    let outcome = try await diff(["/up", "/fine", "/up/broken"], "--for", "1s")
    #expect(outcome.status == 1, "\(outcome.stdout) \(outcome.stderr)")
    #expect(outcome.stdout.contains("blackbox_exporter down, quartz-agent up"))
    #expect(outcome.stdout.contains("blackbox_exporter up, quartz-agent down: http_status"))
  }

  /// What cannot be asked is no difference.
  @Test func nothingToCompareIsSaid() async throws {
    let outcome = try await diff(["/up"], "--for", "1s", exporter: 1)
    #expect(outcome.status == 3, "\(outcome.stdout) \(outcome.stderr)")
    #expect(outcome.stdout.contains("blackbox_exporter was not to be asked"))
  }

  @Test func whoHasSeenEnoughGetsTheReport() async throws {
    let outcome = try await diff(["/up"], "--for", "1h", stop: true)
    #expect(outcome.status == 130, "\(outcome.stdout) \(outcome.stderr)")
    #expect(outcome.stdout.contains("1 check: "))
  }

  @Test(arguments: [["--for", "1ms"], ["--diff", "ftp://a"], ["--diff", ""]])
  func badOptions(arguments: [String]) async throws {
    try await withTemporaryDirectory { folder in
      try Self.modules.write(to: folder.appending(path: "b.yml"), atomically: true, encoding: .utf8)
      let outcome = try await AgentProcess(["import", "auto", "b.yml"] + arguments, in: folder).finish()
      #expect(outcome.status == 64, "\(outcome.stderr)")
    }
  }
}
