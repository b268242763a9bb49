// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// A server that refers to others has not answered, and its referral says whose the name is.
@Suite struct DNSReferralTests {
  private static func ns(_ server: String, of zone: String) -> [UInt8] {
    Wire.record(2, Wire.name(server), name: Wire.name(zone))
  }

  /// - Parameter flags: QR and RD; neither AA nor RA.
  private func message(
    flags: UInt16 = 0x8100, answers: [[UInt8]] = [], authority: [[UInt8]] = []
  ) throws -> DNSMessage {
    let wire = Wire("x.sub.corp.test", .ns).with {
      ($0.flags, $0.answers, $0.authority) = (flags, answers, authority)
    }
    return try DNSMessage(wire.bytes)
  }

  private func verdict(
    of message: DNSMessage, _ change: (inout CheckDefinition) -> Void = { _ in }
  ) throws -> Verdict {
    let check = try makeCheck("dns") { definition in
      (definition.queryName, definition.queryType) = ("x.sub.corp.test", "NS")
      change(&definition)
    }
    guard case .dns(let settings) = check.kind else { throw SetUpFailed(line: "dns") }
    let judge = DNSJudge(settings: settings, question: try #require(DNSQuestion(settings)))
    return judge.judge(message).verdict
  }

  @Test func aReferralIsNoAnswer() throws {
    let referral = try message(authority: [Self.ns("ns.sub.corp.test", of: "sub.corp.test")])
    #expect(
      try verdict(of: referral)
        == Verdict(
          .dnsRefused, phase: .assertion, message: "the server looks no names up for others: x.sub.corp.test")
    )
    // A question without recursion asks for just that; and conditions say themselves what they want.
    #expect(try verdict(of: referral) { $0.dns.recursion = false } == .ok)
    #expect(try verdict(of: referral) { $0.expect.count = "0" }.reason == .ok)
    #expect(try verdict(of: referral) { $0.expect.count = ">= 1" }.reason != .dnsRefused)
    // The delegation of the zone itself is what was asked for.
    let delegation = try message(authority: [Self.ns("ns.sub.corp.test", of: "x.sub.corp.test")])
    #expect(try verdict(of: delegation) == .ok)
    // An empty answer of a server that looks names up, or has the zone, is one.
    #expect(try verdict(of: message(flags: 0x8180)) == .ok)
    #expect(try verdict(of: message(flags: 0x8500)) == .ok)
  }

  @Test func theZoneOfAReferral() throws {
    let name = try #require(DNSName("x.sub.corp.test"))
    let pair = [
      Self.ns("b.sub.corp.test", of: "sub.corp.test"), Self.ns("a.sub.corp.test", of: "sub.corp.test"),
    ]
    func found(_ message: DNSMessage) -> [String]? {
      message.delegation(of: name).map { [$0.zone.description] + $0.servers.map(\.description) }
    }
    let child = ["sub.corp.test.", "a.sub.corp.test.", "b.sub.corp.test."]
    #expect(try found(message(authority: pair)) == child)
    // The name is a zone itself.
    #expect(
      try found(message(flags: 0x8500, answers: [Wire.record(2, Wire.name("ns.corp.test"))])) == [
        "x.sub.corp.test.", "ns.corp.test.",
      ])
    // Servers beside an answer, a zone that the name is not in, and the root say nothing.
    #expect(try found(message(flags: 0x8500, authority: pair)) == nil)
    #expect(try found(message(authority: [Self.ns("ns.other.test", of: "other.test")])) == nil)
    #expect(try found(message(authority: [Self.ns("a.root-servers.net", of: ".")])) == nil)
    #expect(try found(message()) == nil)
  }
}
