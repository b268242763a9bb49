// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Checks

/// When every canary fails, nobody can tell whose fault another failure is.
@Suite struct CanaryWatchTests {
  let time = FakeClock()

  private func check(_ name: String) throws -> MonitoringCheck {
    try makeCheck("tcp") { definition in
      definition.name = name
      definition.host = "\(name.lowercased()).example"
      definition.port = 443
      definition.retries = 0
    }
  }

  /// Succeeds for the hosts that are up, and counts what it was asked.
  private final class Network: Probe {
    let up: Mutex<Set<String>>
    let asked = Mutex<[String]>([])

    init(up: Set<String>) { self.up = Mutex(up) }

    func probe(
      _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
    ) async throws(CancellationError) -> Probed {
      let name = attempt.check.name
      asked.withLock { $0.append(name) }
      let isUp = up.withLock { $0.contains(name) }
      let outcome = ProbeOutcome(
        isUp ? .ok : Verdict(.connectTimeout, phase: .connect, message: "no answer"),
        responseTime: .milliseconds(5))
      return .done(outcome)
    }
  }

  private func runner(_ network: Network, canaries: [MonitoringCheck]) -> CheckRunner {
    let plain = CheckRunner(
      http: network, tcp: network, dns: network, tls: network, ping: network, time: time.passing)
    let watch = CanaryWatch(time: time.passing) { try await plain.verdictNow($0) }
    watch.replace(canaries)
    var runner = plain
    runner.canaries = watch
    return runner
  }

  private func slot() -> ProbeSlot { ProbeSlot(scheduledAt: FakeClock.start, trigger: .schedule) }

  @Test func whenAllCanariesFailAFailureIsUnknown() async throws {
    let network = Network(up: [])
    let runner = runner(network, canaries: [try check("Router"), try check("Gateway")])
    let result = try await runner.run(check("Shop"), slot: slot())
    #expect(result.state == .unknown && result.reason == .connectTimeout)
    #expect(
      result.message
        == "our own uplink seems down, for no canary answers (Router, Gateway): no answer")
    #expect(result.attempts.map(\.status) == [.timeout])
    #expect(network.asked.withLock { $0.sorted() } == ["Gateway", "Router", "Shop"])
  }

  @Test func oneCanaryThatWorksIsEnough() async throws {
    let network = Network(up: ["Gateway"])
    let runner = runner(network, canaries: [try check("Router"), try check("Gateway")])
    let result = try await runner.run(check("Shop"), slot: slot())
    #expect(result.state == .down && result.message == "no answer")
  }

  @Test func aSuccessAsksNobody() async throws {
    let network = Network(up: ["Shop"])
    let runner = runner(network, canaries: [try check("Router")])
    let result = try await runner.run(check("Shop"), slot: slot())
    #expect(result.state == .up)
    #expect(network.asked.withLock(\.self) == ["Shop"])
  }

  @Test func aCanaryIsNotExcusedByTheOthers() async throws {
    let network = Network(up: [])
    let runner = runner(network, canaries: [try check("Router"), try check("Gateway")])
    let result = try await runner.run(check("Router"), slot: slot())
    #expect(result.state == .down)
    #expect(network.asked.withLock(\.self) == ["Router"])
  }

  /// What canaries showed before a failing attempt began says nothing about it.
  @Test func canariesAreAskedAfreshForALaterFailure() async throws {
    let network = Network(up: ["Router"])
    let runner = runner(network, canaries: [try check("Router")])
    #expect(try await runner.run(check("Shop"), slot: slot()).state == .down)
    network.up.withLock { $0 = [] }
    time.advance(by: .seconds(60))
    #expect(try await runner.run(check("Shop"), slot: slot()).state == .unknown)
    network.up.withLock { $0 = ["Router"] }
    time.advance(by: .seconds(60))
    #expect(try await runner.run(check("Shop"), slot: slot()).state == .down)
  }

  /// Five hundred failures at once cost the canaries a round or two, not five hundred.
  @Test func manyFailuresShareARound() async throws {
    let gate = Gate()
    let asked = Mutex(0)
    let start = time.instant
    let watch = CanaryWatch(time: time.time) { _ in
      asked.withLock { $0 += 1 }
      await gate.wait()
      return Verdict(.connectTimeout, phase: .connect)
    }
    watch.replace([try check("Router")])
    let shop = try check("Shop")
    let answers = await withTaskGroup(of: [String]?.self, returning: Int.self) { group in
      for _ in 0..<500 { group.addTask { await watch.failing(since: start, about: shop) } }
      await gate.open()
      return await group.reduce(into: 0) { count, names in count += names == ["Router"] ? 1 : 0 }
    }
    #expect(answers == 500)
    #expect(asked.withLock(\.self) == 1)
  }

  /// Who stops waiting takes nothing from those who go on.
  @Test func aCancelledCallerSpoilsNoAnswer() async throws {
    let gate = Gate()
    let rounds = Mutex(0)
    let start = time.instant
    let watch = CanaryWatch(time: time.time) { _ in
      rounds.withLock { $0 += 1 }
      await gate.wait()
      try Task.checkCancellation()
      return .ok
    }
    watch.replace([try check("Router")])
    let shop = try check("Shop")
    let patient = Task { await watch.failing(since: start, about: shop) }
    let hasty = Task { await watch.failing(since: start, about: shop) }
    while rounds.withLock(\.self) == 0 { await Task.yield() }
    hasty.cancel()
    await gate.open()
    _ = await hasty.value
    // A round that was cancelled with a canary still out proves nothing: the next one found it working.
    #expect(await patient.value == nil)
  }
}

/// Closed until it is opened.
private actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func wait() async {
    guard !isOpen else { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}
