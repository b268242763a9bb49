// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// Names that do not resolve: what is told of it, to whom, and how long it is said to have taken.
@Suite(.timeLimit(.minutes(1))) struct FinderFailureTests {
  private static func failure(_ reason: Reason, isUnknown: Bool = false) -> ResolvedHost {
    ResolvedHost(
      failure: Verdict(reason, phase: .dns, message: "words", isUnknown: isUnknown),
      elapsed: .milliseconds(30), held: .milliseconds(10))
  }

  private static let names = NameTable(hosts: [
    "gone.test": failure(.dnsNXDomain), "slow.test": failure(.dnsTimeout), "own.test": failure(.localFault),
    "denied.test": failure(.policyDenied), "unknown.test": failure(.dnsServfail, isUnknown: true),
  ])

  private func check(_ origin: CheckOrigin) throws -> MonitoringCheck {
    try httpCheck("https://one.test/") { $0.origin = origin }
  }

  private func outcome(_ finding: TargetFinder.Finding) throws -> ProbeOutcome {
    guard case .ended(let outcome) = finding else { throw WrongKind() }
    return outcome
  }

  private func hop(to host: String, _ origin: CheckOrigin) async throws -> ProbeOutcome {
    let finder = TargetFinder(resolver: Self.names, policy: EgressPolicy())
    return try outcome(
      try await finder.find(
        Endpoint(host: host, port: 443), redirectedFrom: .v4(0x0808_0808), for: try check(origin),
        until: .now + .seconds(5)))
  }

  private func target(_ host: String, _ origin: CheckOrigin) async throws -> ProbeOutcome {
    let finder = TargetFinder(resolver: Self.names, policy: EgressPolicy())
    return try outcome(
      try await finder.find(
        TargetFinder.Target(Endpoint(host: host, port: 443)), for: try check(origin),
        until: .now + .seconds(5)))
  }

  /// A stranger's page learns nothing of names, but that this machine is at fault is said; the administrator is told why.
  @Test func redirectsToNowhere() async throws {
    for (host, reason) in [("gone.test", Reason.dnsNXDomain), ("slow.test", .dnsTimeout)] {
      #expect(try await hop(to: host, .api).verdict == RedirectRule.denied)
      let own = try await hop(to: host, .local)
      #expect(own.verdict == Verdict(reason, phase: .dns, message: "words"))
      #expect(own.timings == Timings(dns: .milliseconds(30)) && own.responseTime == nil)
    }
    for origin in [CheckOrigin.api, .local] {
      let local = try await hop(to: "own.test", origin)
      #expect(local.verdict == Verdict(.localFault, phase: .dns, message: "words"))
      #expect(local.timings == Timings(dns: .milliseconds(30)))
      let denied = try await hop(to: "denied.test", origin)
      #expect(denied.verdict == RedirectRule.denied && denied.timings == Timings())
    }
  }

  /// Of a target that is not known outside the failure is unknown to a stranger, but for one of this machine; how long a
  /// refusal took is not shown.
  @Test func targetsThatAreNowhere() async throws {
    let words = "words (not reported: it had no address yet that is open to checks from the API)"
    for host in ["gone.test", "slow.test"] {
      let told = try await target(host, .api)
      #expect(told.verdict.state == .unknown && told.verdict.message == words)
      #expect(told.verdict.phase == .dns)
      #expect(try await target(host, .local).verdict.message == "words")
      #expect(try await target(host, .local).verdict.state == .down)
    }
    for origin in [CheckOrigin.api, .local] {
      #expect(
        try await target("own.test", origin).verdict == Verdict(.localFault, phase: .dns, message: "words"))
      let unknown = try await target("unknown.test", origin)
      #expect(unknown.verdict.message == "words" && unknown.verdict.isUnknown)
      let shown = try await target("own.test", origin)
      #expect(shown.responseTime == .milliseconds(30))
      #expect(shown.timings == Timings(dns: .milliseconds(30), total: .milliseconds(30)))
      let denied = try await target("denied.test", origin)
      #expect(denied.responseTime == nil && denied.timings == Timings())
      #expect(denied.verdict.reason == .policyDenied)
    }
    #expect(Verdict(.dnsNXDomain, phase: .dns).untold.message == String(words.dropFirst(7).dropLast()))
  }

  /// Names are known in lower case without a final dot, all of a path or none; of long paths nothing is kept.
  @Test func knownNames() {
    let names = KnownNames()
    names.learn("A.Test", ["b.test."])
    #expect(names.knows("a.test", []) && names.knows("B.TEST", ["a.test."]) && names.knows("a.test.", []))
    #expect(!names.knows("a.test", ["c.test"]) && !names.knows("c.test", ["a.test"]))
    let aliases = (0..<64).map { "n\($0).test" }
    names.learn("long.test", aliases)
    #expect(!names.knows("long.test", []) && !names.knows("n0.test", []))
    names.learn("long.test", Array(aliases.dropLast()))
    #expect(names.knows("long.test", []) && names.knows("n62.test", []) && !names.knows("n63.test", []))
  }
}
