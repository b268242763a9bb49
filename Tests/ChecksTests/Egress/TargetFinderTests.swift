// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// The one door to an address: what the policy and the budget say is asked for every target and for every hop.
@Suite(.timeLimit(.minutes(1))) struct TargetFinderTests {
  private static let names = NameTable(hosts: [
    "one.test": ResolvedHost(addresses: [.v4(0x0808_0801)]),
    "two.test": ResolvedHost(addresses: [.v4(0x0808_0802)]),
    "many.test": ResolvedHost(addresses: (1...9).map { .v4(0x0909_0900 + $0) }),
    "mixed.test": ResolvedHost(addresses: [.v4(0x0a00_0001), .v4(0x0808_0803)]),
  ])

  private func finder(_ settings: EgressSettings = EgressSettings(), _ budget: EgressBudget? = nil)
    -> TargetFinder
  {
    TargetFinder(resolver: Self.names, policy: EgressPolicy(settings), budget: budget)
  }

  private func check(_ origin: CheckOrigin) throws -> MonitoringCheck {
    try httpCheck("https://one.test/") { $0.origin = origin }
  }

  private func hop(
    _ finder: TargetFinder, from source: String, to host: String, port: UInt16 = 443, _ origin: CheckOrigin
  ) async throws -> TargetFinder.Finding {
    try await finder.find(
      Endpoint(host: host, port: port), redirectedFrom: try #require(IPAddress(source)),
      for: try check(origin),
      until: .now + .seconds(5))
  }

  private func addresses(_ finding: TargetFinder.Finding) -> [String]? {
    if case .found(let addresses, _) = finding { addresses.map(\.address.description) } else { nil }
  }

  private func verdict(_ finding: TargetFinder.Finding) -> Verdict? {
    if case .ended(let outcome) = finding { outcome.verdict } else { nil }
  }

  private func target(_ finder: TargetFinder, _ host: String, _ origin: CheckOrigin) async throws
    -> TargetFinder.Finding
  {
    try await finder.find(
      TargetFinder.Target(Endpoint(host: host, port: 443)), for: try check(origin), until: .now + .seconds(5))
  }

  static let redirects: [(from: String, to: String, allowed: Bool)] = [
    ("8.8.8.8", "9.9.9.9", true), ("8.8.8.8", "10.0.0.1", false), ("8.8.8.8", "127.0.0.1", false),
    ("8.8.8.8", "169.254.169.254", false), ("8.8.8.8", "fe80::1", false), ("8.8.8.8", "0.0.0.0", false),
    ("8.8.8.8", "::ffff:10.0.0.1", false), ("8.8.8.8", "64:ff9b::10.0.0.1", false),
    ("10.0.0.1", "192.168.0.1", true), ("10.0.0.1", "8.8.8.8", true), ("10.0.0.1", "127.0.0.1", false),
    ("10.0.0.1", "169.254.1.1", false), ("127.0.0.1", "::1", true), ("127.0.0.1", "10.0.0.1", true),
    ("127.0.0.1", "169.254.169.254", false), ("169.254.1.1", "10.0.0.1", true),
    ("::ffff:10.0.0.1", "10.0.0.2", true), ("192.0.2.1", "8.8.8.8", true), ("8.8.8.8", "192.0.2.1", false),
  ]

  /// A redirect may not lead to a more private class of address than the hop before it.
  @Test(arguments: redirects) func redirectsStayAsPublicAsTheirTarget(
    from: String, to: String, allowed: Bool
  ) async throws {
    let found = try await hop(finder(), from: from, to: to, .local)
    #expect((addresses(found) != nil) == allowed)
    if !allowed { #expect(verdict(found) == RedirectRule.denied) }
  }

  /// Of a name with several addresses those stay that are as public as the hop before.
  @Test func theMorePrivateAddressesOfANameAreLeftOut() async throws {
    let found = try await hop(finder(), from: "8.8.8.8", to: "mixed.test", .local)
    #expect(addresses(found) == ["8.8.8.3"])
  }

  /// A stranger's redirect obeys the policy as its target does.
  @Test func redirectsOfAStrangerObeyThePolicyToo() async throws {
    let refused = try await hop(finder(), from: "8.8.8.8", to: "9.9.9.9", port: 22, .api)
    #expect(verdict(refused) == RedirectRule.denied)
    let own = try await hop(finder(), from: "8.8.8.8", to: "9.9.9.9", port: 22, .local)
    #expect(addresses(own) == ["9.9.9.9"])
  }

  private func budget(_ change: (inout EgressBudget.Limits) -> Void) -> EgressBudget {
    var limits = EgressBudget.Limits()
    change(&limits)
    return EgressBudget(limits, time: FakeClock().time)
  }

  /// A stranger's target is counted, and one too many is refused, by its name and as an address.
  @Test(arguments: ["two.test", "9.9.9.9"]) func aStrangersTargetsAreCounted(second: String) async throws {
    let finder = finder(EgressSettings(), budget { $0.destinations = 1 })
    #expect(addresses(try await target(finder, "one.test", .api)) == ["8.8.8.1"])
    #expect(verdict(try await target(finder, second, .api))?.reason == .policyDenied)
    #expect(finder.budget?.status.refused == 1)
  }

  /// The administrator's checks are not counted.
  @Test func theAdministratorsTargetsAreNotCounted() async throws {
    let finder = finder(EgressSettings(), budget { $0.destinations = 1 })
    for (host, address) in [("one.test", "8.8.8.1"), ("two.test", "8.8.8.2"), ("9.9.9.9", "9.9.9.9")] {
      #expect(addresses(try await target(finder, host, .local)) == [address])
      #expect(addresses(try await hop(finder, from: "8.8.8.8", to: host, .local)) == [address])
    }
    #expect(finder.budget?.status.destinations == 0)
  }

  /// Too many connections a second are put off, and not refused.
  @Test func aStrangersTargetIsPutOff() async throws {
    let finder = finder(EgressSettings(), budget { $0.ratePerAddress = 1 })
    #expect(addresses(try await target(finder, "one.test", .api)) == ["8.8.8.1"])
    guard case .postponed(let wait) = try await target(finder, "one.test", .api) else {
      Issue.record("it was not put off")
      return
    }
    #expect(wait == .seconds(1))
  }

  /// A hop counts as a target does: one destination too many is denied, in the words of every denied hop.
  @Test func aStrangersHopsAreCounted() async throws {
    let finder = finder(EgressSettings(), budget { $0.destinations = 2 })
    #expect(addresses(try await target(finder, "one.test", .api)) == ["8.8.8.1"])
    #expect(addresses(try await hop(finder, from: "8.8.8.1", to: "two.test", .api)) == ["8.8.8.2"])
    #expect(verdict(try await hop(finder, from: "8.8.8.2", to: "9.9.9.9", .api)) == RedirectRule.denied)
    #expect(finder.budget?.status.destinations == 2)
  }

  /// A hop is never put off: the answer before it waits.
  @Test func aStrangersHopIsNotPutOff() async throws {
    let finder = finder(EgressSettings(), budget { $0.ratePerAddress = 1 })
    for _ in 0..<5 {
      #expect(addresses(try await hop(finder, from: "8.8.8.8", to: "one.test", .api)) == ["8.8.8.1"])
    }
  }

  /// Of a name with many addresses a stranger's check gets four, on the way to its target and after a redirect.
  @Test func aStrangerGetsFourAddressesOfAName() async throws {
    let finder = finder(EgressSettings(), budget { _ in })
    #expect(addresses(try await target(finder, "many.test", .api))?.count == 4)
    #expect(addresses(try await hop(finder, from: "8.8.8.8", to: "many.test", .api))?.count == 4)
    #expect(addresses(try await target(finder, "many.test", .local))?.count == 9)
  }
}
