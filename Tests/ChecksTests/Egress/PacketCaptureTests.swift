// SPDX-License-Identifier: MIT

import Basics
import Curl
import Foundation
import Glibc
import Monitoring
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// F9: hostile checks of the API through the agent's own runner, in a network namespace where every packet is seen and
/// every address would answer. Not one packet may go to a forbidden address.
@Suite(.enabled(if: NetworkNamespace.isAvailable), .returnsHome, .timeLimit(.minutes(5)))
struct PacketCaptureTests {
  /// Everything in here that has threads or sockets of its own, made inside the namespace.
  private struct World: Sendable {
    let reactor: Reactor
    let engine: CurlEngine
    let capture: PacketCapture
    let site: LoopbackServer
    let names: UDPResponder
  }

  private static let nameServer = IPAddress.v4(0x0808_0404)
  private static let site = IPAddress.v4(0x0808_0808)

  /// All routes lead to the loopback interface, so a packet to anywhere is sent, and seen.
  private static let lines = [
    "ip link set lo up", "ip addr add 8.8.8.8/32 dev lo", "ip addr add 8.8.4.4/32 dev lo",
    "ip addr add 10.0.0.5/32 dev lo", "ip addr add 192.168.0.1/32 dev lo",
    "ip addr add 169.254.169.254/32 dev lo",
    "ip -6 addr add fc00::5/128 dev lo", "ip -6 addr add fd00:ec2::254/128 dev lo",
    "ip route add default dev lo", "ip -6 route add default dev lo",
    "ip route add local 100.64.0.0/10 dev lo", "ip route add local 172.16.0.0/12 dev lo",
  ]

  private func makeWorld() async throws -> World {
    let asked = Mutex<[[UInt8]: Int]>([:])
    return try await NetworkNamespace.run(Self.lines) {
      World(
        reactor: try Reactor(), engine: try CurlEngine(), capture: try PacketCapture(),
        site: try LoopbackServer(address: 0x0808_0808, port: 80, script: redirectAsAsked),
        names: try UDPResponder(0x0808_0404, port: 53) { request, client in
          let wire = Wire(to: request)
          let count = asked.withLock { asked in
            asked[wire.question, default: 0] += 1
            return asked[wire.question, default: 0]
          }
          client.send(lie(wire, time: count).bytes)
        })
    }
  }

  @Test func notOnePacketToAForbiddenAddress() async throws {
    let world = try await makeWorld()
    defer {
      world.site.stop()
      world.names.stop()
      world.capture.stop()
    }
    try await withTemporaryDirectory { folder in
      try write("nameserver 8.8.4.4\n", folder, "resolv.conf")
      try write("", folder, "hosts")
      let system = SystemResolver(
        reactor: world.reactor, resolvConf: folder.appending(path: "resolv.conf").path,
        hosts: folder.appending(path: "hosts").path, port: 53)
      let finder = TargetFinder(resolver: system, policy: EgressPolicy())
      let runner = CheckRunner(
        engine: world.engine, reactor: world.reactor, system: system, finder: finder, userAgent: "test")
      let tally = try await run(HostileChecks.all, with: runner)

      let allowed: Set<IPAddress> = [Self.nameServer, Self.site]
      let seen = world.capture.destinations
      let forbidden = seen.filter { !allowed.contains($0.key) }
      #expect(forbidden.isEmpty, "\(forbidden)")
      #expect(world.capture.lost() == 0)
      #expect(tally.tried >= 500)
      // The agent was at work: names were asked for, redirects were served.
      #expect(seen[Self.nameServer, default: 0] > 100 && seen[Self.site, default: 0] > 100)
      #expect(tally.wrong.isEmpty, "\(tally.wrong.prefix(5))")
      print(
        "hostile checks: \(tally.tried), refused when read: \(tally.refusedWhenRead), run: \(tally.run); packets: "
          + "\(seen.values.reduce(0, +)), to forbidden addresses: \(forbidden.values.reduce(0, +))")

      try await theWitnessSees(world, runner)
    }
    await world.engine.shutdown()
  }

  private struct Tally: Sendable {
    var tried = 0
    var refusedWhenRead = 0
    var run = 0
    /// Checks whose result is not what the policy makes of them.
    var wrong: [String] = []
  }

  private func run(_ definitions: [CheckDefinition], with runner: CheckRunner) async throws -> Tally {
    var tally = Tally()
    var checks: [MonitoringCheck] = []
    for (index, definition) in definitions.enumerated() {
      tally.tried += 1
      var definition = definition
      definition.name = "hostile \(index)"
      do { checks.append(try MonitoringCheck(definition)) } catch { tally.refusedWhenRead += 1 }
    }
    tally.run = checks.count
    let results = await withTaskGroup(of: CheckResult?.self) { group in
      var results: [CheckResult] = []
      for (index, check) in checks.enumerated() {
        if index >= 32, let next = await group.next() { results += [next].compactMap(\.self) }
        group.addTask {
          try? await runner.run(check, slot: ProbeSlot(scheduledAt: .now(), trigger: .schedule))
        }
      }
      for await result in group { results += [result].compactMap(\.self) }
      return results
    }
    #expect(results.count == checks.count)
    tally.wrong = results.filter { !isExpected($0) }.map { "\($0.target): \($0.reason) \($0.message ?? "")" }
    return tally
  }

  /// Denied, or refused as a redirect; a name with a public address beside the forbidden one answers from that.
  private func isExpected(_ result: CheckResult) -> Bool {
    switch result.reason {
    case .policyDenied: result.state == .unknown && result.responseTime == nil && result.address == nil
    case .httpRedirectRefused:
      result.message?.contains("10.0.0.5") == false && result.responseTime == nil
        || result.message?.contains("location") == true
    case .ok: result.target.contains("mixed-") && result.address == "8.8.8.8:80"
    default: false
    }
  }

  /// The same runner, a check of the administrator: what is sent to a private address is seen.
  private func theWitnessSees(_ world: World, _ runner: CheckRunner) async throws {
    let check = try makeCheck("tcp") {
      $0.host = "10.0.0.5"
      $0.port = 4
    }
    let result = try await runner.run(check, slot: ProbeSlot(scheduledAt: .now(), trigger: .manual))
    #expect(result.reason == .connectRefused)
    let target = try #require(IPAddress("10.0.0.5"))
    try await until("a packet that is seen") { world.capture.destinations[target, default: 0] > 0 }
  }
}

/// `/302/hex`: a redirect to that URL. `/503` and `/200`: that status.
private func redirectAsAsked(_ link: LoopbackConnection) {
  let request = link.read(until: "\r\n\r\n")
  let path = request.split(separator: " ").dropFirst().first ?? ""
  let parts = path.split(separator: "/")
  let status = parts.first.flatMap { Int($0) } ?? 404
  var location = ""
  if parts.count == 2 {
    let digits = Array(parts[1].utf8)
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)
    }
    location = "Location: \(String(decoding: bytes, as: UTF8.self))\r\n"
  }
  link.write("HTTP/1.1 \(status) As Asked\r\n\(location)Content-Length: 0\r\n\r\n")
  link.waitForEnd()
}

/// The answer of a hostile name server: the name says what it is to be. `time` counts the questions for it.
private func lie(_ wire: Wire, time: Int) -> Wire {
  let label = wire.question.dropFirst().prefix(Int(wire.question.first ?? 0))
  let parts = String(decoding: label, as: UTF8.self).split(separator: "-")
  guard parts.count == 2 else { return wire }
  let digits = Array(parts[1].utf8)
  let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
    UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)
  }
  let type: UInt16 = bytes.count == 4 ? 1 : 28
  let asked =
    UInt16(wire.question[wire.question.count - 4]) << 8 | UInt16(wire.question[wire.question.count - 3])
  let bad = Wire.record(type, bytes)
  let good = Wire.record(1, [8, 8, 8, 8])
  return wire.with { wire in
    switch parts[0] {
    case "mixed":
      wire.answers = asked == 1 ? [good] : []
      if asked == type { wire.answers.insert(bad, at: 0) }
    case "rebind" where time == 1: wire.answers = asked == 1 ? [good] : []
    case "alias":
      guard asked == type else { return }
      wire.answers = [Wire.cname("inner.test"), Wire.record(type, bytes, name: Wire.name("inner.test"))]
    default: if asked == type { wire.answers = [bad] }
    }
  }
}
