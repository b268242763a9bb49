// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Checks

/// What fails along with what it depends on is nobody's downtime.
@Suite struct ParentWatchTests {
  let time = FakeClock()

  private func check(_ name: String, on parents: [String] = [], strict: Bool = false) throws
    -> MonitoringCheck
  {
    try makeCheck("tcp") { definition in
      definition.name = name
      definition.host = "\(name.lowercased()).example"
      definition.port = 443
      definition.retries = 0
      definition.plan.dependsOn = parents
      definition.plan.strictDowntime = strict
    }
  }

  /// Succeeds for the checks that are up, and notes what it was asked.
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
      return .done(
        ProbeOutcome(
          isUp ? .ok : Verdict(.connectRefused, phase: .connect, message: "refused"),
          responseTime: .milliseconds(5)))
    }
  }

  private func runner(_ network: Network, _ checks: [MonitoringCheck]) -> CheckRunner {
    var runner = CheckRunner(
      http: network, tcp: network, dns: network, tls: network, ping: network, time: time.passing)
    let plain = runner
    let watch = ParentWatch(time: time.passing) { try await plain.verdictNow($0) }
    watch.replace(DependencyGraph(checks))
    runner.parents = watch
    return runner
  }

  private func slot() -> ProbeSlot { ProbeSlot(scheduledAt: FakeClock.start, trigger: .schedule) }

  /// The child was due first: its parent is tried at once, and named.
  @Test func aChildOfWhatIsDownIsUnknown() async throws {
    let (gateway, shop) = (try check("Gateway"), try check("Shop", on: ["Gateway"]))
    let network = Network(up: [])
    let result = try await runner(network, [gateway, shop]).run(shop, slot: slot())
    #expect(result.state == .unknown && result.reason == .dependency && result.phase == .connect)
    #expect(result.message == "\"Gateway\", which it depends on, is down: refused")
    #expect(result.attempts.map(\.reason) == [.connectRefused])
    #expect(network.asked.withLock(\.self) == ["Shop", "Gateway"])
  }

  /// A failure of its own is an outage of its own.
  @Test func aChildThatFailsAloneIsDown() async throws {
    let (gateway, shop) = (try check("Gateway"), try check("Shop", on: ["Gateway"]))
    let result = try await runner(Network(up: ["Gateway"]), [gateway, shop]).run(shop, slot: slot())
    #expect(result.state == .down && result.reason == .connectRefused && result.message == "refused")
  }

  @Test func aChildThatWorksAsksNobody() async throws {
    let (gateway, shop) = (try check("Gateway"), try check("Shop", on: ["Gateway"]))
    let network = Network(up: ["Shop"])
    #expect(try await runner(network, [gateway, shop]).run(shop, slot: slot()).state == .up)
    #expect(network.asked.withLock(\.self) == ["Shop"])
  }

  /// The cause is the furthest that is down, by way of what lies between.
  @Test func theFurthestThatIsDownIsNamed() async throws {
    let list = [
      try check("Router"), try check("Gateway", on: ["Router"]), try check("Shop", on: ["Gateway"]),
    ]
    let result = try await runner(Network(up: []), list).run(list[2], slot: slot())
    #expect(result.message?.hasPrefix("\"Router\", which") == true)
    let other = try await runner(Network(up: ["Router"]), list).run(list[2], slot: slot())
    #expect(other.message?.hasPrefix("\"Gateway\", which") == true)
  }

  /// Who asks for it gets the downtime, and the words.
  @Test func strictDowntimeStaysDown() async throws {
    let (gateway, shop) = (try check("Gateway"), try check("Shop", on: ["Gateway"], strict: true))
    let result = try await runner(Network(up: []), [gateway, shop]).run(shop, slot: slot())
    #expect(result.state == .down && result.reason == .connectRefused)
    #expect(result.message == "\"Gateway\", which it depends on, is down: refused")
  }

  /// A parent that came back before the child's attempt began is no excuse for it.
  @Test func aParentIsTriedAfreshForALaterFailure() async throws {
    let (gateway, shop) = (try check("Gateway"), try check("Shop", on: ["Gateway"]))
    let network = Network(up: [])
    let runner = runner(network, [gateway, shop])
    #expect(try await runner.run(shop, slot: slot()).state == .unknown)
    network.up.withLock { $0 = ["Gateway"] }
    time.advance(by: .seconds(60))
    #expect(try await runner.run(shop, slot: slot()).state == .down)
  }

  /// 244 children of one gateway fail at once: it is tried a few times, not 244.
  @Test func manyChildrenShareALook() async throws {
    let gateway = try check("Gateway")
    let children = try (0..<244).map { try check("c\($0)", on: ["Gateway"]) }
    let network = Network(up: [])
    let runner = runner(network, [gateway] + children)
    let states = try await withThrowingTaskGroup(of: CheckState.self) { group in
      for child in children { group.addTask { try await runner.run(child, slot: slot()).state } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(states.count == 244 && states.allSatisfy { $0 == .unknown })
    #expect(network.asked.withLock { $0.count { $0 == "Gateway" } } < 122)
  }
}
