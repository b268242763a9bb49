// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks

/// `serial_agreement` of a stranger's check sends nothing to a name server in here, however the zone names it.
@Suite(.timeLimit(.minutes(2))) struct PrivateSurveyTests {
  enum Way: CaseIterable {
    /// The server's name has a private address; the delegation brings it along as glue; the name is an alias; beside
    /// a public address; the name is an address itself; the name is not there.
    case address, glue, alias, mixed, literal, missing
  }

  /// What the check's own server, whom the local file opens, says of the zone.
  private static func answer(_ request: [UInt8], _ client: UDPClient, _ way: Way) {
    var wire = Wire(to: request)
    let type = wire.question.dropLast(2).last ?? 0
    let isServer = String(decoding: wire.question, as: UTF8.self).contains("ns1")
    let name = way == .literal ? "127.0.0.2" : "ns1.pair.example"
    let inside = Wire.a(127, 0, 0, 2)
    switch (type, isServer) {
    case (2, false):
      wire.answers = [Wire.record(2, Wire.name(name))]
      if way == .glue { wire.additional = [Wire.a(127, 0, 0, 2, name: Wire.name(name))] }
    case (6, false):
      let data = Wire.name(name) + Wire.name("a.pair.example") + [UInt8](repeating: 1, count: 20)
      wire.flags = 0x8580
      wire.answers = [Wire.record(6, data)]
    case (1, true) where way == .alias:
      wire.answers = [
        Wire.cname("in.corp.example"), Wire.a(127, 0, 0, 2, name: Wire.name("in.corp.example")),
      ]
    case (1, true) where way == .missing: wire.flags = 0x8183
    case (1, true): wire.answers = way == .mixed ? [inside, Wire.a(127, 0, 0, 1)] : [inside]
    case (28, true) where way == .missing: wire.flags = 0x8183
    default: break
    }
    client.send(wire.bytes)
  }

  /// 127.0.0.1 with its port is open to strangers here, 127.0.0.2 is not.
  private func attempt(_ way: Way, origin: CheckOrigin = .api) async throws -> (ProbeOutcome, asked: Int) {
    try await withUDPResponder(script: { Self.answer($0, $1, way) }) { server in
      let inner = try UDPResponder(0x7f00_0002, port: server.port) { request, client in
        client.send(Wire(to: request).with { $0.flags = 0x8585 }.bytes)
      }
      defer { inner.stop() }
      var egress = EgressSettings()
      egress.allow = [EgressRule(try #require(CIDR("127.0.0.1/32")), ports: [server.port])]
      let check = try makeCheck("dns") {
        ($0.origin, $0.server) = (origin, "127.0.0.1:\(server.port)")
        ($0.queryName, $0.queryType, $0.dns.expect.serialAgreement) = ("pair.example", "SOA", true)
      }
      let outcome = try await dnsAttempt(
        check, within: .seconds(4), egress: EgressPolicy(egress), system: "nameserver 127.0.0.1",
        systemPort: server.port)
      return (outcome, inner.received.count)
    }
  }

  @Test(arguments: Way.allCases) func strangersReachNoServerInHere(way: Way) async throws {
    let (outcome, asked) = try await attempt(way)
    #expect(asked == 0)
    // The public one beside it is asked, and all that may be asked agree.
    let state: CheckState = way == .mixed ? .up : .unknown
    #expect(outcome.verdict.state == state, "\(outcome.verdict)")
  }

  /// The bench can fail: for the administrator the same servers are asked.
  @Test(arguments: [Way.address, .glue, .alias, .mixed]) func theAdministratorsCheckAsksThem(way: Way)
    async throws
  {
    let (_, asked) = try await attempt(way, origin: .local)
    #expect(asked > 0)
  }
}
