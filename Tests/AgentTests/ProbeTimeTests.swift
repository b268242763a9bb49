// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Foundation
import Logging
import Monitoring
import StatusServer
import TestSupport
import Testing

@testable import Agent

/// How long a probe for a scraper may take.
@Suite struct ProbeTimeTests {
  /// What the scrape waits, in seconds; the module's own timeout; and what the probe says that it waited. It answers half a
  /// second before the scrape gives up; a module's shorter time holds; a scrape of less than that half leaves the module's.
  private static let times: [(scrape: Double?, module: String?, waited: String)] = [
    (0.75, nil, "250ms"), (0.75, "30s", "250ms"), (0.625, nil, "125ms"), (1, "100ms", "100ms"),
    (30, "150ms", "150ms"),
    (0.51, "2s", "10ms"), (0.3, "120ms", "120ms"), (0.3, nil, "10ms"), (0, "130ms", "130ms"),
    (nil, "110ms", "110ms"),
    (-1, "140ms", "140ms"),
  ]

  @Test(arguments: ProbeTimeTests.times.indices) func howLongItWaits(_ row: Int) async throws {
    let (scrape, module, waited) = Self.times[row]
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: { $0.waitForEnd() }) { server in
        let file = folder.appending(path: "blackbox.yml")
        let timeout = module.map { "timeout: \($0), " } ?? ""
        try "modules:\n  banner: {prober: tcp, \(timeout)tcp: {query_response: [{expect: \"^hello\"}]}}\n"
          .write(to: file, atomically: true, encoding: .utf8)
        var settings = ProbeSettings()
        (settings.modules, settings.trust) = (file.path, .local)
        let made = settings
        let answer = try await withProbeEngine(egress: ProbeEgress(), time: .system) { engine in
          let desk = ProbeDesk(
            made, engine: engine, limit: 4, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
          #expect(await desk.reload() == nil)
          let question = ProbeQuestion(
            target: "127.0.0.1:\(server.port)", module: "banner", scrapeTimeout: scrape, isDebug: true)
          var answer = await desk.probe(question)
          // A machine that stands still for half of 10 ms is what the probe says instead.
          while case .log(let text) = answer, text.contains("this machine was busy") {
            answer = await desk.probe(question)
          }
          return answer
        }
        guard case .log(let text) = answer else {
          Issue.record("\(answer)")
          return
        }
        #expect(text.contains(" within the timeout of \(waited)\n"), "\(text.prefix(400))")
        #expect(text.contains("\nprobe_success 0\n"))
      }
    }
  }
}
