// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Monitoring
import Network
import Synchronization

/// Probes as `CheckRunner` makes them in the daemon, from check to result, `--in-flight` of them all the time.
struct ProbeLoad {
  let count: Int
  private let checks: [MonitoringCheck]
  private let inFlight: Int

  init(_ arguments: Arguments) throws {
    count = try arguments.number("count")
    inFlight = arguments.text("in-flight") == nil ? count : try arguments.number("in-flight")
    guard arguments.words.count == 2 else { throw Misuse("the second word must be the target") }
    checks = try Self.makeChecks(arguments)
  }

  func run() async throws -> Cost {
    try await withRunner { runner in
      // What the agent does once in its life, such as reading the trust store, is no part of a probe.
      _ = try await probe(0, with: runner)
      let queue = Queue(count: count)
      let start = Usage.now()
      let ok = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<inFlight {
          group.addTask {
            var ok = 0
            while let number = queue.next() {
              if try await probe(number, with: runner).state == .up { ok += 1 }
            }
            return ok
          }
        }
        return try await group.reduce(0, +)
      }
      return Cost(probes: count, ok: ok, since: start)
    }
  }

  /// The agent's own engine for this kind of check, as long as the body runs, which goes on where the daemon's probes do.
  func withRunner<Value: Sendable>(_ body: (CheckRunner) async throws -> Value) async throws -> Value {
    let loop = try EventLoop("probes")
    let reactor = try Reactor(on: loop)
    let resolver = SystemResolver(reactor: reactor)
    let finder = TargetFinder(resolver: resolver, policy: EgressPolicy())
    func run(_ probe: some Probe) async throws -> Value {
      try await withTaskExecutorPreference(loop) {
        try await body(CheckRunner(http: probe, tcp: probe, dns: probe, tls: probe, ping: probe))
      }
    }
    switch checks[0].type {
    case .http:
      return try await withCurlEngine(on: loop) { engine in
        try await run(HTTPProbe(engine: engine, reactor: reactor, finder: finder, userAgent: "quartz-bench"))
      }
    case .tcp: return try await run(TCPProbe(reactor: reactor, finder: finder))
    case .ping: return try await run(PingProbe(reactor: reactor, finder: finder))
    default: return try await run(DNSProbe(reactor: reactor, finder: finder, system: resolver))
    }
  }

  func probe(_ number: Int, with runner: CheckRunner) async throws -> CheckResult {
    let slot = ProbeSlot(scheduledAt: .now(), trigger: .schedule)
    return try await runner.run(checks[number % checks.count], slot: slot)
  }

  private static func makeChecks(_ arguments: Arguments) throws -> [MonitoringCheck] {
    var definition = CheckDefinition()
    definition.type = arguments.words[0]
    definition.name = "bench"
    definition.timeout = .seconds(10)
    definition.retries = 0
    switch arguments.words[0] {
    case "http":
      definition.url = arguments.words[1]
      definition.tls.caFile = arguments.text("ca-file")
      definition.tls.verify = arguments.verify
      definition.http.expect.bodyContains = arguments.text("contains").map { [$0] } ?? []
    case "tcp":
      let parts = arguments.words[1].split(separator: ":")
      guard parts.count == 2 else { throw Misuse("the target of tcp must be ADDRESS:PORT") }
      definition.host = String(parts[0])
      definition.port = Int(parts[1])
    case "ping":
      definition.host = arguments.words[1]
      definition.ping.count = 1
    default:
      definition.server = arguments.words[1]
      definition.queryType = "A"
      return try (0..<arguments.number("names")).map { number in
        definition.queryName = "n\(number).bench.test"
        return try MonitoringCheck(definition)
      }
    }
    return [try MonitoringCheck(definition)]
  }
}

/// Numbers the probes for all workers.
private final class Queue: Sendable {
  private let issued = Atomic(0)
  private let count: Int

  init(count: Int) { self.count = count }

  func next() -> Int? {
    let number = issued.wrappingAdd(1, ordering: .relaxed).oldValue
    return number < count ? number : nil
  }
}
