// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import NetworkTestSupport
import Testing

@testable import Checks

/// Every reason is provoked by a server, real or hostile, or by a machine that lacks something; a reason that no test
/// provokes does not exist. Table-driven suites count by their tables, others are named here and looked up.
@Suite struct ReasonTableTests {
  private struct Witness {
    var file: String
    var test: String

    init(_ file: String, _ test: String) { (self.file, self.test) = (file, test) }
  }

  private static let witnesses: [Reason: Witness] = [
    .dnsTimeout: Witness("DNS/HostileServerTests", "silenceIsATimeoutAtTheDeadline"),
    .dnsMalformed: Witness("DNS/HostileServerTests", "damageBehindARightQuestionIsMalformed"),
    .connectRefused: Witness("HTTP/HTTPReasonTests", "nobodyListens"),
    .connectTimeout: Witness("HTTP/HTTPReasonTests", "theNetworkSwallowsTheConnection"),
    .connectUnreachable: Witness("TCP/LocalFaultTests", "anUnreachableHostIsTheTargets"),
    .tlsClientCertificate: Witness("TCP/TCPTLSTests", "aServerThatInsistsOnACertificate"),
    .proxyConnect: Witness("HTTP/HTTPProxyTests", "aTargetTheProxyCannotReachIsToldFromAnUnreachableProxy"),
    .proxyAuth: Witness("HTTP/HTTPProxyTests", "aProxyThatWantsOtherCredentialsSaysSo"),
    .authToken: Witness("HTTP/HTTPTokenTests", "aRefusalIsSaidInWords"),
    .pingLoss: Witness("Ping/PingProbeTests", "lossIsCounted"),
    .pingTimeout: Witness("Ping/PingProbeTests", "silenceIsAPingTimeout"),
    .negated: Witness("HTTP/HTTPReasonTests", "whatMustNotAnswerAnswers"),
    .heartbeatMissed: Witness("Heartbeat/HeartbeatJudgeTests", "silenceIsDown"),
    .heartbeatFailed: Witness("Heartbeat/HeartbeatJudgeTests", "aReportedFailureIsDown"),
    .dependency: Witness("Runner/ParentWatchTests", "aChildOfWhatIsDownIsUnknown"),
    .regional: Witness("../GroupsTests/Quorum/QuorumRuleTests", "oneOfThreeIsRegional"),
    .policyDenied: Witness("HTTP/HTTPReasonTests", "aDeniedTargetIsNotAnOutage"),
  ]

  private static let tables: Set<Reason> = Set(HTTPReasonTests.cases.map(\.reason))
    .union(TLSProbeTests.cases.map(\.reason)).union(TCPReasonTests.cases.map(\.reason))
    .union(DNSProbeTests.authoritative.map(\.reason))

  @Test(arguments: Reason.allCases) func isProvoked(reason: Reason) throws {
    guard !Self.tables.contains(reason) else { return }
    let witness = try #require(
      Self.witnesses[reason], "no test provokes \(reason.rawValue): write one, or remove it")
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "\(witness.file).swift")
    let source = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(
      source.range(of: "func \(witness.test)("), "\(witness.file) has no \(witness.test)")
    let rest = source[start.upperBound...]
    let end = rest.range(of: "\n  }\n")?.lowerBound ?? rest.endIndex
    #expect(rest[..<end].contains(".\(reason)"), "\(witness.test) does not mention .\(reason)")
  }

  /// One row for each, with its meaning and what to do, in the order of the list.
  @Test func everyReasonHasItsRow() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/results.md"), encoding: .utf8)
    let part = try #require(page.range(of: "## Reasons")).upperBound
    let section = page[part...].prefix(upTo: page[part...].range(of: "\n## ")?.lowerBound ?? page.endIndex)
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
      .map {
        $0.split(separator: "|", omittingEmptySubsequences: false).map {
          $0.trimmingCharacters(in: .whitespaces)
        }
      }
    #expect(rows.map { $0[1] } == Reason.allCases.map { "`\($0.rawValue)`" })
    for row in rows {
      #expect(row.count == 6 && row[2...4].allSatisfy { !$0.isEmpty }, "\(row)")
      let states = row[2].split(separator: ", ").map(String.init)
      #expect(states.allSatisfy { CheckState(rawValue: $0) != nil }, "\(row[2])")
      let reason = try #require(Reason(rawValue: String(row[1].dropFirst().dropLast())))
      #expect(states.contains(Verdict(reason).state.rawValue), "\(row)")
    }
  }
}
