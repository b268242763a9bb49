// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks

/// What a name server says of its answer (RFC 8914) reaches a check whose name it was asked for.
@Suite(.timeLimit(.minutes(1))) struct ExtendedErrorTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var rcode: UInt16
    /// `nil`: the server says nothing of it.
    var code: UInt16?
    var reason: Reason
    /// The address of an answer.
    var address: [UInt8]?
    var message: String
    var testDescription: String { message }
  }

  static let rows = [
    Row(
      rcode: 2, code: 7, reason: .dnsServfail,
      message: "the name server failed for shop.example.; it says: signature expired"),
    Row(
      rcode: 2, code: 22, reason: .dnsServfail,
      message: "the name server failed for shop.example.; it says: no reachable authority"),
    Row(
      rcode: 3, code: 15, reason: .dnsNXDomain, message: "shop.example. does not exist; it says: blocked"),
    Row(
      rcode: 5, code: 18, reason: .dnsRefused,
      message: "the name server refuses to answer for shop.example.; it says: prohibited"),
    Row(
      rcode: 0, code: 17, reason: .dnsNoData,
      message: "shop.example. exists but has no address; it says: filtered"),
    Row(
      rcode: 3, code: 400, reason: .dnsNXDomain,
      message: "shop.example. does not exist; it says: extended error 400"),
    Row(rcode: 3, code: nil, reason: .dnsNXDomain, message: "shop.example. does not exist"),
    Row(
      rcode: 0, code: 17, reason: .dnsNoData, address: [0, 0, 0, 0],
      message:
        "shop.example resolves to 0.0.0.0, which is no host's address: its name server blocks the name; "
        + "it says: filtered"),
    Row(
      rcode: 0, code: nil, reason: .dnsNoData, address: [0, 0, 0, 0],
      message: "shop.example resolves to 0.0.0.0, which is no host's address: its name server blocks the name"
    ),
  ]

  @Test(arguments: rows) func anHTTPCheckShowsIt(row: Row) async throws {
    try await withUDPResponder(script: { request, client in
      client.send(
        Wire(to: request).with { wire in
          wire.flags = 0x8180 | row.rcode
          if let address = row.address, wire.question.suffix(4) == [0, 1, 0, 1] {
            wire.answers = [Wire.record(1, address)]
          }
          guard let code = row.code else { return }
          // The server's own words are not repeated: they may be anything.
          let text = Array("canary".utf8)
          wire.additional = [
            Wire.record(41, be(15) + be(UInt16(2 + text.count)) + be(code) + text, name: [0])
          ]
        }.bytes)
    }) { server in
      try await withResolver("nameserver 127.0.0.1", port: server.port) { reactor, system in
        try await withCurlEngine { engine in
          let finder = TargetFinder(resolver: system, policy: EgressPolicy())
          var runner = CheckRunner(
            engine: engine, reactor: reactor, system: system, finder: finder, userAgent: "test")
          runner.explains = true
          let result = try await runner.run(
            try httpCheck("http://shop.example/") { $0.retries = 0 },
            slot: ProbeSlot(scheduledAt: .now(), trigger: .manual))
          #expect(result.reason == row.reason && result.phase == .dns && result.state == .down)
          #expect(result.message == row.message)
          // An explanation, which stays on this machine, has them.
          let said = result.account?.names.compactMap(\.words) ?? []
          #expect(said.isEmpty == (row.code == nil) && said.allSatisfy { $0.hasSuffix(": canary") })
        }
      }
    }
  }
}
