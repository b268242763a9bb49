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

  /// Answers that all differ are all marked, and no data is an answer.
  @Test func allDiffer() throws {
    let checks = try ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map { try check($0) }
    let table = ResolverTable.render(
      [
        result(checks[0], [("10.0.0.1", 5)]), result(checks[1], []), result(checks[2], [], rcode: "NXDOMAIN"),
      ],
      checks, width: 100)
    #expect(table.hasPrefix("a.test A: 3 servers, 3 answers\n"))
    #expect(table.components(separatedBy: "≠").count == 4)
    #expect(table.contains("no data") && table.contains("NXDOMAIN"))
  }

  private func silent(_ check: MonitoringCheck, _ reason: Reason) -> CheckResult {
    var silent = result(check, [], verdict: Verdict(reason, phase: .dns))
    (silent.facts.dns, silent.responseTime) = (nil, nil)
    return silent
  }

  /// A server that did not answer agrees with none: neither with another silent one nor against the only answer.
  @Test func oneAnswers() throws {
    let checks = try ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map { try check($0) }
    let results = [
      silent(checks[0], .connectRefused), silent(checks[1], .connectRefused),
      result(checks[2], [("10.0.0.1", 60)]),
    ]
    #expect(
      ResolverTable.render(results, checks, width: 100) == """
        a.test A: 1 of 3 servers answered
        SERVER          ANSWER           TTL    MS
        192.0.2.1:53    connect_refused    -     -
        192.0.2.2:53    connect_refused    -     -
        192.0.2.3:53    10.0.0.1          60  12.0

        """)
  }

  /// The first line and the servers that are marked, by the answers; `nil` is none. A refusal by code is an answer.
  @Test(
    arguments: [
      ([nil, nil], "none of 2 servers answered", []),
      ([nil, "A", "A"], "2 of 3 servers answered, all with the same answer", []),
      ([nil, "A", "B", "A"], "3 of 4 servers answered, 2 of them with the same answer", [2]),
      ([nil, "A", "B"], "2 of 3 servers answered, with 2 answers", [1, 2]),
      (["REFUSED", "REFUSED"], "2 servers give the same answer", []),
      (["REFUSED", nil, "SERVFAIL"], "2 of 3 servers answered, with 2 answers", [0, 2]),
    ] as [([String?], String, [Int])])
  func serversThatDoNotAnswer(answers: [String?], words: String, marked: [Int]) throws {
    let checks = try answers.indices.map { try check("192.0.2.\($0 + 1)") }
    let results = zip(checks, answers).map { check, answer in
      guard let answer else { return silent(check, .dnsTimeout) }
      return answer.count == 1 ? result(check, [(answer, 5)]) : result(check, [], rcode: answer)
    }
    let lines = ResolverTable.render(results, checks, width: 100).split(separator: "\n")
    #expect(lines.first == "a.test A: \(words)")
    #expect(lines.dropFirst(2).enumerated().filter { $1.contains("≠") }.map(\.offset) == marked)
  }
}
