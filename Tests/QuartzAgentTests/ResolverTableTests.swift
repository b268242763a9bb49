// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import Testing

@testable import QuartzAgent

/// `once dns:///name --servers a,b`: the targets, and the answers side by side.
@Suite struct ResolverTableTests {
  @Test(
    arguments: [
      (["dns:///a.test"], "192.0.2.1,192.0.2.2", ["dns://192.0.2.1/a.test", "dns://192.0.2.2/a.test"]),
      (
        ["dns://192.0.2.3/a.test?type=MX"], "192.0.2.1:5353,192.0.2.3",
        ["dns://192.0.2.3/a.test?type=MX", "dns://192.0.2.1:5353/a.test?type=MX"]
      ),
      (
        ["https://a.test", "DNS:///a.test", "dns://"], "[2001:db8::1]:53",
        ["https://a.test", "dns://[2001:db8::1]:53/a.test", "dns://"]
      ),
      (["https://a.test"], nil, ["https://a.test"]),
    ] as [([String], String?, [String])])
  func eachServer(targets: [String], servers: String?, asked: [String]) throws {
    #expect(try OnceServers.targets(targets, asking: servers) == asked)
  }

  @Test(
    arguments: [
      (["dns:///a.test"], "192.0.2.1,", "--servers \"192.0.2.1,\" has an empty server"),
      (["dns:///a.test"], "a b", "--servers \"a b\" has \"a b\", which is no server"),
      (["dns:///a.test"], "x/y", "--servers \"x/y\" has \"x/y\", which is no server"),
      (["https://a.test"], "192.0.2.1", "--servers has no dns target it could be about"),
    ] as [([String], String, String)])
  func refused(targets: [String], servers: String, words: String) throws {
    let failure = #expect(throws: CommandFailure.self) {
      try OnceServers.targets(targets, asking: servers)
    }
    #expect(failure?.message == words)
  }

  private func check(_ server: String, _ name: String = "a.test", type: String = "A") throws
    -> MonitoringCheck
  {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.server) = ("\(server) \(type)", "dns", server)
    (definition.queryName, definition.queryType) = (name, type)
    return try MonitoringCheck(definition)
  }

  private func result(
    _ check: MonitoringCheck, _ answers: [(String, UInt32)], rcode: String = "NOERROR", type: String = "A",
    after milliseconds: Int64 = 12, verdict: Verdict = .ok
  ) -> CheckResult {
    let at = Timestamp(seconds: 1_767_571_200)
    var result = CheckResult(
      id: UniqueID(high: 1, low: 1), check: check, trigger: .manual, scheduledAt: at, startedAt: at,
      late: .zero,
      verdict: verdict)
    result.responseTime = .milliseconds(milliseconds)
    result.facts.dns = DNSFacts(
      rcode: rcode, answers: answers.map { DNSAnswer(name: "a.test.", type: type, ttl: $0.1, data: $0.0) },
      authoritative: false, truncated: false, transport: "udp")
    return result
  }

  /// Two of three agree, in whatever order the records come; the third has another answer.
  @Test func oneDiffers() throws {
    let checks = try ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map { try check($0) }
    let results = [
      result(checks[0], [("10.0.0.2", 300), ("10.0.0.1", 60)]),
      result(checks[1], [("10.0.0.1", 55), ("10.0.0.2", 200)], after: 7),
      result(checks[2], [], rcode: "SERVFAIL", after: 3),
    ]
    #expect(
      ResolverTable.render(results, checks, width: 100) == """
        a.test A: 2 of 3 servers give the same answer
        SERVER           ANSWER              TTL    MS
        192.0.2.1:53     10.0.0.1, 10.0.0.2   60  12.0
        192.0.2.2:53     10.0.0.1, 10.0.0.2   55   7.0
        192.0.2.3:53  ≠  SERVFAIL              -   3.0

        """)
  }

  /// One server is not compared; another type is another question; the last round counts.
  @Test func questionsApart() throws {
    let checks = [
      try check("192.0.2.1"), try check("192.0.2.2"), try check("192.0.2.1", type: "AAAA"),
    ]
    let results = [
      result(checks[0], [("10.0.0.9", 5)]), result(checks[1], [("10.0.0.1", 5)]),
      result(checks[2], [("2001:db8::1", 5)], type: "AAAA"), result(checks[0], [("10.0.0.1", 4)]),
    ]
    let table = ResolverTable.render(results, checks, width: 100)
    #expect(table.hasPrefix("a.test A: 2 servers give the same answer\n"))
    #expect(!table.contains("AAAA") && !table.contains("≠") && !table.contains("10.0.0.9"))
    #expect(ResolverTable.render([results[2]], checks, width: 100) == "")
  }

  /// Answers that all differ are all marked, and no answer is not an empty one.
  @Test func allDiffer() throws {
    let checks = try ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map { try check($0) }
    var silent = result(checks[2], [], verdict: Verdict(.dnsTimeout, phase: .dns))
    (silent.facts.dns, silent.responseTime) = (nil, nil)
    let table = ResolverTable.render(
      [result(checks[0], [("10.0.0.1", 5)]), result(checks[1], []), silent], checks, width: 100)
    #expect(table.hasPrefix("a.test A: 3 servers, 3 answers\n"))
    #expect(table.components(separatedBy: "≠").count == 4)
    #expect(table.contains("no data") && table.contains("dns_timeout"))
  }
}
