// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Monitoring
import Network

/// As many http as https checks, all due at the same moment, and what each of them comes to: counted by reason, those
/// that are down told from those that nobody can tell.
struct VerdictLoad {
  private let count: Int
  private let timeout: Duration
  private let checks: [MonitoringCheck]

  /// - Parameter arguments: the two URLs, `--count` of each, `--timeout` in milliseconds, and `--ca-file`.
  init(_ arguments: Arguments) throws {
    guard arguments.words.count == 3 else { throw Misuse("two URLs must follow verdicts") }
    count = try arguments.number("count")
    let timeout = Duration.milliseconds(try arguments.number("timeout"))
    self.timeout = timeout
    checks = try arguments.words[1...].map { url in
      var definition = CheckDefinition()
      definition.type = "http"
      definition.name = "bench"
      definition.url = url
      definition.timeout = timeout
      definition.retries = 0
      definition.tls.caFile = arguments.text("ca-file")
      return try MonitoringCheck(definition)
    }
  }

  func run() async throws -> String {
    let loop = try EventLoop("probes")
    let reactor = try Reactor(on: loop)
    let finder = TargetFinder(resolver: SystemResolver(reactor: reactor), policy: EgressPolicy())
    return try await withCurlEngine(on: loop) { engine in
      let probe = HTTPProbe(engine: engine, reactor: reactor, finder: finder, userAgent: "quartz-bench")
      let runner = CheckRunner(http: probe, tcp: probe, dns: probe, tls: probe, ping: probe)
      let results = try await withThrowingTaskGroup(of: CheckResult.self) { group in
        for _ in 0..<count {
          for check in checks {
            group.addTask(executorPreference: loop) {
              try await runner.run(check, slot: ProbeSlot(scheduledAt: .now(), trigger: .schedule))
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      return json(results)
    }
  }

  private func json(_ results: [CheckResult]) -> String {
    let reasons = Dictionary(results.map { ($0.reason.rawValue, 1) }, uniquingKeysWith: +)
    let words = reasons.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }.joined(
      separator: ", ")
    let down = results.count { $0.state == .down }
    let unknown = results.count { $0.state == .unknown }
    return
      "{\"probes\": \(results.count), \"down\": \(down), \"unknown\": \(unknown), \"reasons\": {\(words)}}"
  }
}
