// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import Testing

@testable import Checks

/// Several addresses of one check: the words on the one that decides, and the time that the name took.
@Suite struct MergeTests {
  private func peer(_ port: Int) -> SocketAddress { SocketAddress(.v4(0xc000_0201), port: UInt16(port)) }

  private func merge(_ type: String, _ verdicts: [Verdict], dns: Duration? = nil) throws -> ProbeOutcome {
    let check = try makeCheck(type) {
      $0.host = "good.test"
      if type == "tcp" { $0.port = 1 }
    }
    let probed = verdicts.enumerated().map { index, verdict in
      (
        peer: peer(index + 1),
        outcome: ProbeOutcome(
          verdict, responseTime: .milliseconds(10),
          timings: Timings(dns: .milliseconds(1), total: .milliseconds(20)),
          peer: peer(index + 1))
      )
    }
    return CheckRunner.merge(probed, of: check, dns: dns).outcome
  }

  /// How many share the state of the one that decides, and what it says without its own name.
  @Test func wordsOnTheOneThatDecides() throws {
    let degraded = Verdict(.certificateExpiring, phase: .assertion, message: "m", degraded: true)
    let unknown = Verdict(.localFault, phase: .connect, message: "n")
    let down = Verdict(.connectRefused, phase: .connect, message: "192.0.2.1:2: refused")
    let other = Verdict(.connectRefused, phase: .connect, message: "192.0.2.1:9: refused")
    func words(_ verdicts: [Verdict]) throws -> String? { try merge("tcp", verdicts).verdict.message }
    #expect(try words([.ok, .ok]) == nil)
    #expect(try words([.ok, degraded]) == "192.0.2.1:2, 1 of 2 addresses slow or expiring: m")
    #expect(try words([.ok, unknown, degraded]) == "192.0.2.1:2, 1 of 3 addresses unknown: n")
    #expect(try words([.ok, down, other, unknown]) == "192.0.2.1:2, 2 of 4 addresses failing: refused")
    #expect(try words([other, .ok]) == "192.0.2.1:1, 1 of 2 addresses failing: 192.0.2.1:9: refused")
    #expect(try words([Verdict(.connectRefused), .ok]) == "192.0.2.1:1, 1 of 2 addresses failing")
    #expect(try words([down]) == "192.0.2.1:2: refused")
  }

  /// The name's time is part of each address's, but for a ping's round trip.
  @Test func theTimeOfTheName() throws {
    for (type, response) in [("tcp", 13), ("ping", 10)] {
      let found = try merge(type, [.ok, .ok], dns: .milliseconds(3))
      #expect(found.responseTime == .milliseconds(response), "\(type)")
      #expect(found.timings == Timings(dns: .milliseconds(4), total: .milliseconds(23)))
      #expect(found.addresses.map(\.responseTime) == Array(repeating: .milliseconds(response), count: 2))
      #expect(found.addresses.map(\.address) == ["192.0.2.1:1", "192.0.2.1:2"])
    }
    #expect(try merge("tcp", [.ok, .ok]).timings == Timings(dns: .milliseconds(1), total: .milliseconds(20)))
  }
}
