// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

/// A resolver that knows what the test says and nothing else.
struct NameTable: HostResolving {
  var hosts: [String: ResolvedHost] = [:]

  /// `good.test`, `www.good.test` and `other.test` are this machine.
  static let loopback = NameTable(
    hosts: Dictionary(
      uniqueKeysWithValues: ["good.test", "www.good.test", "other.test"].map {
        ($0, ResolvedHost(addresses: [.v4(0x7f00_0001)], elapsed: .milliseconds(3)))
      }))

  func resolve(
    _ host: String, ip: IPPreference, deadline: Instant
  ) async throws(CancellationError) -> ResolvedHost {
    if let address = IPAddress(host) { return ResolvedHost(addresses: [address]) }
    return hosts[host] ?? ResolvedHost(failure: Verdict(.dnsNXDomain, phase: .dns), elapsed: .milliseconds(3))
  }
}

/// What an attempt runs in, apart from the check.
struct ProbeBench {
  var names = NameTable.loopback
  var egress = EgressSettings()
  var trust = TrustStore()
  var limit: Duration = .seconds(10)

  func http(_ check: MonitoringCheck) async throws -> ProbeOutcome {
    try await run(check) { HTTPProbe(engine: $0, reactor: $1, finder: $2, userAgent: "quartz-agent/test") }
  }

  func tls(_ check: MonitoringCheck) async throws -> ProbeOutcome {
    try await run(check) { TLSProbe(reactor: $1, finder: $2, client: TLSClient(trust: $0.trust)) }
  }

  func tcp(_ check: MonitoringCheck) async throws -> ProbeOutcome {
    try await run(check) { TCPProbe(reactor: $1, finder: $2, client: TLSClient(trust: $0.trust)) }
  }

  private func run(
    _ check: MonitoringCheck, _ probe: (CurlEngine, Reactor, TargetFinder) -> any Probe
  ) async throws -> ProbeOutcome {
    try await withCurlEngine(trust: trust) { engine in
      let finder = TargetFinder(resolver: names, policy: EgressPolicy(egress))
      let probe = probe(engine, try Reactor(), finder)
      var outcome = try await probe.attempt(check, deadline: .now + limit)
      // Beside other tests the machine may be too late to tell, which it says.
      for _ in 0..<4 where outcome.verdict.message?.hasPrefix("this machine was busy") == true {
        outcome = try await probe.attempt(check, deadline: .now + limit)
      }
      // Whatever a test is about: the documents know the reason in this phase.
      #expect(StatusTable.documented?.allows(outcome.verdict) == true, "\(outcome.verdict)")
      return outcome
    }
  }
}

func httpCheck(_ url: String, _ change: (inout CheckDefinition) -> Void = { _ in }) throws -> MonitoringCheck
{
  var definition = CheckDefinition()
  definition.name = "test"
  definition.type = "http"
  definition.url = url
  change(&definition)
  return try MonitoringCheck(definition)
}

func tlsCheck(_ port: UInt16, _ change: (inout CheckDefinition) -> Void = { _ in }) throws -> MonitoringCheck
{
  var definition = CheckDefinition()
  definition.name = "test"
  definition.type = "tls"
  definition.host = "good.test"
  definition.port = Int(port)
  change(&definition)
  return try MonitoringCheck(definition)
}

/// A server on loopback that gives one answer and waits.
func withAnswer<Value>(
  _ answer: String, _ body: (LoopbackServer) async throws -> Value
) async throws -> Value {
  try await withLoopbackServer(
    script: { link in
      link.read(until: "\r\n\r\n")
      link.write(answer)
      link.waitForEnd()
    }, body)
}

/// One http probe for several attempts.
func withProbe<Value>(
  names: NameTable = .loopback, trust: TrustStore = TrustStore(), _ body: (HTTPProbe) async throws -> Value
) async throws -> Value {
  try await withCurlEngine(trust: trust) { engine in
    let finder = TargetFinder(resolver: names, policy: EgressPolicy())
    return try await body(
      HTTPProbe(engine: engine, reactor: try Reactor(), finder: finder, userAgent: "quartz-agent/test"))
  }
}
