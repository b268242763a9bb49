// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import NetworkTestSupport
import Testing

@testable import Checks

/// The egress policy as a table: every address of a group, in every scenario, with the verdict written down by hand.
@Suite struct EgressTableTests {
  /// What an address leads to, sorted by hand from the IANA registries and the clouds' documentation.
  enum Group: String, CaseIterable {
    case `public`, `private`, loopback, metadata
    /// Unspecified, link-local, multicast, reserved, documentation: nothing a stranger has to look for.
    case never
  }

  static let addresses: [Group: [String]] = [
    .public: [
      "8.8.8.8", "1.0.0.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
      "128.0.0.1", "168.63.129.15", "169.253.255.255", "169.255.0.1", "172.15.255.255", "172.32.0.1",
      "192.0.1.1", "192.167.255.255", "192.169.0.1", "198.17.255.255", "198.20.0.1", "223.255.255.254",
      "2600::1", "2001:200::1", "2001:4860:4860::8888", "3ffe::1",
      // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo (server and client), ISATAP.
      "::ffff:8.8.8.8", "::8.8.8.8", "::ffff:0:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1",
      "2001:0:808:808:8000:63bf:f7f7:f7f7", "2600::5efe:8.8.8.8", "2600::200:5efe:8.8.8.8",
    ],
    .private: [
      "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.1", "192.168.255.255",
      "100.64.0.0", "100.127.255.255", "100.100.100.199", "fc00::1", "fd12:3456::1", "fdff:ffff::1",
      "::ffff:10.0.0.1", "::ffff:192.168.1.1", "::ffff:172.16.0.1", "::ffff:100.64.0.1", "::10.0.0.1",
      "::ffff:0:10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::c0a8:101", "2002:a00:1::1", "2002:c0a8:101::",
      "2001:0:808:808:8000:63bf:f5ff:fffe", "2001:0:a00:1:8000:63bf:f7f7:f7f7", "2600::5efe:10.0.0.1",
      "2600::200:5efe:192.168.0.1", "fd00::5efe:8.8.8.8",
    ],
    .loopback: [
      "127.0.0.0", "127.0.0.1", "127.1.2.3", "127.255.255.255", "::1", "::ffff:127.0.0.1", "::7f00:1",
      "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1", "2001:0:808:808:8000:63bf:80ff:fffe",
      "2600::5efe:127.0.0.1",
    ],
    .metadata: [
      "169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "169.254.42.42", "168.63.129.16",
      "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42",
      "fe80::a9fe:a9fe", "::ffff:169.254.169.254", "::169.254.169.254", "::ffff:0:169.254.169.254",
      "64:ff9b::169.254.169.254", "64:ff9b::a83f:8110", "2002:a9fe:a9fe::1", "2002:6464:64c8::",
      "2001:0:808:808:8000:63bf:5601:5601", "2600::5efe:169.254.169.254", "::ffff:168.63.129.16",
      "::ffff:100.100.100.200", "::ffff:192.0.0.192",
    ],
    .never: [
      "0.0.0.0", "0.0.0.1", "0.255.255.255", "::", "169.254.0.1", "169.254.255.255", "fe80::1",
      "febf:ffff::1",
      "224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1", "240.0.0.1", "255.255.255.255", "192.0.0.1",
      "192.0.2.1", "198.51.100.7", "203.0.113.9", "192.88.99.1", "198.18.0.1", "198.19.255.255", "100::1",
      "2001:db8::1", "2001:2::1", "2001:20::1", "3fff::1", "4000::1", "5f00::1", "fbff::1", "fe00::1",
      "64:ff9b:2::1", "::2", "::ffff:0.0.0.0", "::ffff:224.0.0.1", "::ffff:255.255.255.255", "64:ff9b::",
      "64:ff9b::192.0.2.1", "2002:e000:1::1", "2001:db8::5efe:8.8.8.8", "fe80::5efe:8.8.8.8",
    ],
  ]

  struct Scenario {
    var name: String
    var settings = EgressSettings()
    var origin = CheckOrigin.api
    var port: UInt16 = 443
    var purpose = EgressPurpose.connection
    /// The groups that may be dialled.
    var open: Set<Group>
  }

  private static func rules(_ texts: [String], _ ports: UInt16...) -> [EgressRule] {
    texts.compactMap { CIDR($0) }.map { EgressRule($0, ports: ports) }
  }

  private static let everywhere = ["0.0.0.0/0", "::/0"]
  private static let home = [
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "2600::/16",
  ]
  private static let local: Set<Group> = [.public, .private, .loopback, .never]

  static let scenarios: [Scenario] = [
    Scenario(name: "http of the API", port: 80, open: [.public]),
    Scenario(name: "https of the API", open: [.public]),
    Scenario(name: "8443 of the API", port: 8443, open: [.public]),
    Scenario(name: "ssh of the API", port: 22, open: []),
    Scenario(name: "port 0 of the API", port: 0, open: []),
    Scenario(name: "port 53 of the API", port: 53, open: []),
    Scenario(name: "name server of the API", port: 53, purpose: .dns, open: [.public]),
    Scenario(name: "ping of the API", port: 0, purpose: .echo, open: [.public]),
    Scenario(name: "https of the file", origin: .local, open: local),
    Scenario(name: "ssh of the file", origin: .local, port: 22, open: local),
    Scenario(name: "ping of the file", origin: .local, port: 0, purpose: .echo, open: local),
    Scenario(name: "name server of the file", origin: .local, port: 53, purpose: .dns, open: local),
    Scenario(
      name: "everything allowed with the port, of the API",
      settings: EgressSettings(allow: rules(everywhere, 443)), open: [.public, .private]),
    Scenario(
      name: "everything allowed without a port, of the API",
      settings: EgressSettings(allow: rules(everywhere)),
      open: [.public, .private]),
    Scenario(
      name: "everything allowed with the port, of the file",
      settings: EgressSettings(allow: rules(everywhere, 443)), origin: .local, open: Set(Group.allCases)),
    Scenario(
      name: "everything allowed with another port, of the API",
      settings: EgressSettings(allow: rules(everywhere, 8080)), open: [.public]),
    Scenario(
      name: "everything allowed, ssh of the API", settings: EgressSettings(allow: rules(everywhere)),
      port: 22,
      open: []),
    Scenario(
      name: "everything denied, of the API",
      settings: EgressSettings(allow: rules(everywhere), deny: rules(everywhere)),
      open: []),
    Scenario(
      name: "everything denied, of the file", settings: EgressSettings(deny: rules(everywhere)),
      origin: .local,
      open: []),
    Scenario(
      name: "another port denied, of the file", settings: EgressSettings(deny: rules(everywhere, 22)),
      origin: .local, open: local),
    Scenario(
      name: "allowlist of nothing, of the API", settings: EgressSettings(mode: .allowlistOnly), open: []),
    Scenario(
      name: "allowlist of nothing, of the file", settings: EgressSettings(mode: .allowlistOnly),
      origin: .local,
      open: []),
    Scenario(
      name: "loopback named with the port, of the API",
      settings: EgressSettings(allow: rules(["127.0.0.0/8", "::1/128"], 8080)), port: 8080,
      open: [.public, .loopback]),
    Scenario(
      name: "loopback named without a port, of the API",
      settings: EgressSettings(allow: rules(["127.0.0.0/8", "::1/128"])), port: 8080, open: [.public]),
    Scenario(
      name: "no ports at all, of the API", settings: EgressSettings(ports: []), open: []),
    Scenario(
      name: "ping with everything allowed by port, of the API",
      settings: EgressSettings(allow: rules(everywhere, 443)), port: 0, purpose: .echo, open: [.public]),
  ]

  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var address: String
    var settings: EgressSettings
    var origin: CheckOrigin
    var port: UInt16
    var purpose: EgressPurpose
    var isAllowed: Bool

    var testDescription: String { name }
  }

  static let cases: [Case] = scenarios.flatMap { scenario in
    Group.allCases.flatMap { group in
      (addresses[group] ?? []).map { address in
        Case(
          name: "\(scenario.name): \(address) (\(group.rawValue))", address: address,
          settings: scenario.settings, origin: scenario.origin, port: scenario.port,
          purpose: scenario.purpose,
          isAllowed: scenario.open.contains(group))
      }
    }
  }

  @Test(arguments: cases) func theVerdictIs(_ one: Case) throws {
    let policy = EgressPolicy(one.settings)
    let address = try #require(IPAddress(one.address))
    let verdict = policy.judge(address, port: one.port, origin: one.origin, purpose: one.purpose)
    #expect((verdict == .allowed) == one.isAllowed, "\(verdict)")
    if case .denied(let why) = verdict { #expect(why.hasPrefix(address.description)) }
  }

  @Test func theTableIsLong() {
    #expect(Set(Self.cases.map(\.name)).count == Self.cases.count)
    #expect(Self.cases.count >= 500)
  }

  /// Where a redirect may go: no closer to the agent than where it comes from, whoever's check it is.
  @Test(arguments: CheckOrigin.allSides) func redirectsNeverComeCloser(origin: CheckOrigin) async throws {
    let order: [Group] = [.public, .private, .metadata, .loopback]
    let finder = TargetFinder(resolver: NameTable(), policy: EgressPolicy())
    let check = try httpCheck("https://good.test/") { $0.origin = origin }
    for (rank, source) in order.enumerated() {
      for target in order[(rank + 1)...] {
        for from in Self.addresses[source] ?? [] {
          for to in Self.addresses[target] ?? [] {
            let finding = try await finder.find(
              Endpoint(host: to, port: 443), redirectedFrom: try #require(IPAddress(from)), for: check,
              until: .now + .seconds(5))
            guard case .ended(let outcome) = finding else {
              Issue.record("\(from) to \(to)")
              continue
            }
            #expect(outcome.verdict == RedirectRule.denied)
          }
        }
      }
    }
  }
}

extension CheckOrigin {
  static let allSides: [CheckOrigin] = [.local, .api]
}
