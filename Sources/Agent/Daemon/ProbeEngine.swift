// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Checks
import Curl
import Monitoring
import Network

/// The one engine behind `run`, `once` and run-now.
package struct ProbeEngine: Sendable {
  private(set) var runner: CheckRunner
  /// Probes run on its thread, from the check to the result, but for what takes its time: handshakes, decoding, patterns.
  let loop: EventLoop
  package let curl: CurlEngine
  package let resolver: SystemResolver
  package let canaries: CanaryWatch
  package let parents: ParentWatch
  let bench: JudgeBench
  /// Tasks that wait for a budget of the engine now.
  package var waits: [QueueWait] { curl.waits + bench.waits }
  package let heartbeats: HeartbeatDesk
  /// Those that probes depend on.
  package let threads: [WatchedThread]

  package let budget: EgressBudget
  let own: OwnPlaces
  package let time: TimeSource

  /// Requests of the agent's own, over the engine and the resolver that the probes use.
  package var outbound: Outbound {
    Outbound(engine: curl, resolver: resolver, userAgent: userAgent, time: time)
  }

  /// - Parameter explains: results say more than they keep; see `ProbeAccount`.
  init(
    _ egress: ProbeEgress, explains: Bool = false, curl: CurlEngine, loop: EventLoop, time: TimeSource
  ) throws {
    let reactor = try Reactor(on: loop)
    let talks = try Reactor()
    self.curl = curl
    self.loop = loop
    self.time = time
    resolver = SystemResolver(reactor: reactor, time: time)
    let bench = JudgeBench()
    self.bench = bench
    heartbeats = HeartbeatDesk(time: time)
    threads =
      bench.threads + [
        WatchedThread("curl", limit: ThreadWatch.limit) { curl.turnAge() },
        WatchedThread("probes", limit: ThreadWatch.limit) { loop.knock() },
        // Weak: its thread ends with the last who holds it.
        WatchedThread("reactor", limit: ThreadWatch.limit) { [weak talks] in talks?.turnAge() ?? .zero },
      ]
    budget = EgressBudget(EgressBudget.Limits(destinations: egress.destinations), time: time)
    own = egress.own
    let finder = TargetFinder(
      resolver: resolver, policy: EgressPolicy(egress.settings, own: own), budget: budget)
    let plain = CheckRunner(
      engine: curl, reactor: reactor, talks: talks, system: resolver, finder: finder, userAgent: userAgent,
      bench: bench, heartbeats: heartbeats, time: time)
    let watch = CanaryWatch(time: time) { canary in try await plain.verdictNow(canary) }
    canaries = watch
    parents = ParentWatch(time: time) { parent in try await plain.verdictNow(parent) }
    var runner = plain
    (runner.canaries, runner.parents, runner.explains) = (canaries, parents, explains)
    self.runner = runner
  }

  package func follow(_ catalog: CheckCatalog) {
    canaries.replace(catalog.canaries)
    parents.replace(catalog.dependencies)
    bench.keep(Set(catalog.checks.map(\.id)))
  }

  package func run(
    _ check: MonitoringCheck, slot: ProbeSlot, _ plan: MaintenancePlan
  ) async throws(CancellationError) -> CheckResult {
    var result = try await withTaskExecutorPreference(loop) { () async throws(CancellationError) in
      try await runner.run(check, slot: slot)
    }
    plan.stamp(&result, endedAt: time.wall())
    return result
  }

  /// One run of one check, beside the schedule.
  package func runNow(
    _ check: MonitoringCheck, _ plan: MaintenancePlan, isAsked: Bool = false
  ) async throws(CancellationError) -> CheckResult {
    var engine = self
    engine.runner.isAsked = isAsked
    return try await engine.run(check, slot: ProbeSlot(scheduledAt: time.wall(), trigger: .manual), plan)
  }

  /// Runs the checks at the same time, within the limit of descriptors, and returns the results in their order.
  ///
  /// - Parameter then: adds to a result what is found out behind its verdict.
  package func runAll(
    _ checks: [MonitoringCheck], _ plan: MaintenancePlan = .none,
    then: (@Sendable (CheckResult, MonitoringCheck) async -> CheckResult)? = nil,
    each: @escaping @Sendable (CheckResult) -> Void
  ) async throws -> [CheckResult] {
    let limit = inFlightLimit(nil)
    return try await withThrowingTaskGroup(of: (Int, CheckResult).self) { group in
      var results = [CheckResult?](repeating: nil, count: checks.count)
      for (index, check) in checks.enumerated() {
        if index >= limit, let (done, result) = try await group.next() { results[done] = result }
        group.addTask {
          var result = try await runNow(check, plan)
          if let then { result = await then(result, check) }
          each(result)
          return (index, result)
        }
      }
      for try await (done, result) in group { results[done] = result }
      return results.compactMap(\.self)
    }
  }
}

/// Where probes may go, by the configuration.
package struct ProbeEgress: Sendable {
  package var settings = EgressSettings()
  var destinations = 500
  package var own = OwnPlaces()

  package init() {}

  package init(_ settings: Settings) {
    self.settings = settings.egress
    destinations = settings.limits.destinations
    var ports: Set<UInt16> = []
    if case .tcp(_, let port) = settings.status.listen, port > 0 { ports.insert(port) }
    let api = settings.quartz.map { $0.url.endpoint }
    own = OwnPlaces(ports: ports, api: api)
  }
}

/// Runs `body` with an engine that lives exactly as long.
package func withProbeEngine<Value>(
  egress: ProbeEgress, explains: Bool = false, time: TimeSource,
  _ body: (ProbeEngine) async throws -> Value
) async throws -> Value {
  let trust = TrustStore()
  // Parsed now and not during the first probe, which would show its cost as somebody's latency. Whether there is a
  // bundle at all is for the probes that need one to say.
  await onThread { _ = try? trust.check() }
  let loop = try EventLoop("probes")
  return try await withCurlEngine(trust: trust, on: loop) { curl in
    try await body(ProbeEngine(egress, explains: explains, curl: curl, loop: loop, time: time))
  }
}
