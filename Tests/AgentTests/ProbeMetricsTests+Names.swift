// SPDX-License-Identifier: MIT

import Basics
import Import
import Monitoring
import Testing

@testable import Agent

extension ProbeMetricsTests {
  /// Three sections, three parts, and the serial of a zone that was asked for.
  @Test func namesAndZones() throws {
    func fill(_ facts: inout ProbeFacts) {
      facts.timings = Timings(
        dns: .milliseconds(250), connect: .milliseconds(500), tls: .milliseconds(1250),
        firstByte: .milliseconds(750))
      let records = [
        ("SOA", "ns.example. a.example. 7 1 2 3 4"), ("SOA", "ns.example. a.example. 2024010101 1 2 3 4"),
        ("TXT", "a b 9"),
      ]
      facts.dns = DNSFacts(
        rcode: "NOERROR", answers: records.map { DNSAnswer(name: "a", type: $0.0, ttl: 1, data: $0.1) },
        authoritative: true, truncated: false, transport: "udp")
      var sections = AnswerSections()
      (sections.answer, sections.authority) = (["a", "b", "c"], ["d"])
      sections.additional = ["e", "f"]
      facts.account = ProbeAccount()
      facts.account?.sections = sections
    }
    func figures(_ finding: ProbeFinding) -> [String?] {
      let found = samples(finding)
      return ["resolve", "connect", "request"].map { found["probe_dns_duration_seconds{phase=\"\($0)\"}"] }
        + ["query_succeeded", "answer_rrs", "authority_rrs", "additional_rrs", "serial"].map {
          found["probe_dns_\($0)"]
        }
    }
    var zone = try ask("prober: dns\n    dns:\n      query_name: a\n      query_type: SOA")
    #expect(figures(zone) == ["0", "0", "0", "0", "0", "0", "0", nil])
    zone.result = try result(.ok, fill)
    #expect(figures(zone) == ["0.25", "1.75", "0.75", "1", "3", "1", "2", "2024010101"])
    zone.result?.dns?.answers.removeFirst(2)
    #expect(figures(zone).last == "0")
    var name = try ask("prober: dns\n    dns:\n      query_name: a\n      query_type: A")
    name.result = try result(.ok, fill)
    #expect(figures(name).dropLast() == ["0.25", "1.75", "0.75", "1", "3", "1", "2"])
    #expect(figures(name).last == .some(nil))
  }

  /// The round trip is the mean one; how far a reply could have gone is known of a ping that was answered.
  @Test func pings() throws {
    for verdict in [Verdict.ok, Verdict(.pingTimeout, phase: .answer)] {
      var finding = try ask("prober: icmp", target: "192.0.2.1")
      finding.result = try result(verdict) { facts in
        facts.timings = Timings(dns: .milliseconds(250))
        facts.ping = PingFacts(
          sent: 3, received: 3, minimum: .milliseconds(125), average: .milliseconds(500), maximum: .seconds(1)
        )
        facts.account = ProbeAccount()
        facts.account?.hopsLeft = 57
      }
      let found = samples(finding)
      #expect(
        ["resolve", "setup", "rtt"].map { found["probe_icmp_duration_seconds{phase=\"\($0)\"}"] } == [
          "0.25", "0", "0.5",
        ])
      #expect(found["probe_icmp_reply_hop_limit"] == (verdict.isSuccess ? "57" : nil))
    }
  }
}
