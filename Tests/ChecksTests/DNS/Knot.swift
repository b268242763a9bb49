// SPDX-License-Identifier: MIT

import Basics
import Checks
import Curl
import Foundation
import Monitoring
import NetworkTestSupport
import TestSupport

@testable import Network

/// A zone for knot.
struct KnotZone {
  enum Signing { case none, nsec, nsec3 }

  var domain: String
  var text: String
  var signing = Signing.none

  init(_ domain: String, _ text: String) {
    self.domain = domain
    self.text = text
  }
}

/// Runs `body` with Debian's knot on loopback; it gets the port. A signed zone is served once it is signed.
func withKnot<Value>(
  _ zones: [KnotZone], on address: String = "127.0.0.1", port: UInt16? = nil,
  _ body: (UInt16) async throws -> Value
) async throws -> Value {
  try await withTemporaryDirectory { folder in
    let port = try port ?? freePort()
    for zone in zones { try write(zone.text + "\n", folder, "\(zone.domain).zone") }
    try write(configuration(zones, address, port, folder), folder, "knot.conf")
    let knot = try RealServer(
      "/usr/sbin/knotd", ["-c", folder.appending(path: "knot.conf").path], debianPackage: "knot",
      log: folder.appending(path: "knot.log"))
    defer { knot.stop() }
    for zone in zones { try await waitUntilServed(zone, address, port) }
    return try await body(port)
  }
}

private func configuration(_ zones: [KnotZone], _ address: String, _ port: UInt16, _ folder: URL) -> String {
  """
  server:
    rundir: "\(folder.path)"
    listen: \(address)@\(port)
    identity: "a knot of the tests"
    version: "knot under test"
    udp-workers: 1
    tcp-workers: 1
    background-workers: 2
  database:
    storage: "\(folder.path)"
  policy:
    - id: nsec
      algorithm: ecdsap256sha256
      single-type-signing: on
      cds-cdnskey-publish: always
    - id: nsec3
      algorithm: ecdsap256sha256
      single-type-signing: on
      cds-cdnskey-publish: always
      nsec3: on
      nsec3-iterations: 5
  zone:
  \(zones.map { zoneText($0, folder) }.joined(separator: "\n"))
  """
}

private func zoneText(_ zone: KnotZone, _ folder: URL) -> String {
  let lines = [
    "  - domain: \(zone.domain)", "    file: \"\(folder.path)/\(zone.domain).zone\"", "    zonefile-sync: -1",
    "    journal-content: none",
  ]
  let signing =
    switch zone.signing {
    case .none: [String]()
    case .nsec: ["    dnssec-signing: on", "    dnssec-policy: nsec"]
    case .nsec3: ["    dnssec-signing: on", "    dnssec-policy: nsec3"]
    }
  return (lines + signing).joined(separator: "\n")
}

private func waitUntilServed(_ zone: KnotZone, _ address: String, _ port: UInt16) async throws {
  try await until("\(zone.domain) at knot") {
    let outcome = try await dnsAttempt { definition in
      definition.server = "\(address):\(port)"
      (definition.queryName, definition.queryType) = (zone.domain, zone.signing == .none ? "SOA" : "DNSKEY")
    }
    return outcome.dns?.answers.isEmpty == false
  }
}

/// One attempt of a dns check as the agent makes it, with everything a check may ask for.
func dnsAttempt(
  within: Duration = .seconds(20), egress: EgressPolicy = EgressPolicy(), system: String? = nil,
  systemPort: UInt16 = 53, _ change: (inout CheckDefinition) -> Void
) async throws -> ProbeOutcome {
  let check = try makeCheck("dns", change)
  return try await dnsAttempt(check, within: within, egress: egress, system: system, systemPort: systemPort)
}

func dnsAttempt(
  _ check: MonitoringCheck, within: Duration = .seconds(20), egress: EgressPolicy = EgressPolicy(),
  system: String? = nil, systemPort: UInt16 = 53
) async throws -> ProbeOutcome {
  try await withResolver(system ?? "nameserver 127.0.0.1", port: systemPort) { reactor, resolver in
    let finder = TargetFinder(resolver: resolver, policy: egress)
    guard case .dns(let settings) = check.kind, settings.transport == .dot || settings.transport == .doh
    else {
      let probe = DNSProbe(reactor: reactor, finder: finder, system: resolver)
      return try await probe.attempt(check, deadline: .after(within))
    }
    return try await withCurlEngine { engine in
      let probe = DNSProbe(reactor: reactor, finder: finder, system: resolver, engine: engine)
      return try await probe.attempt(check, deadline: .after(within))
    }
  }
}
