// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import Testing

@Suite struct EgressPolicyTests {
  static let everywhere = AddressClassTests.table.map(\.text) + AddressClassTests.wrapped.map(\.text)

  private func rule(_ text: String, _ ports: UInt16...) throws -> EgressRule {
    EgressRule(try #require(CIDR(text)), ports: ports)
  }

  private func isAllowed(
    _ policy: EgressPolicy, _ text: String, _ port: UInt16 = 443, _ origin: CheckOrigin = .api,
    _ purpose: EgressPurpose = .connection
  ) throws -> Bool {
    policy.judge(try #require(IPAddress(text)), port: port, origin: origin, purpose: purpose) == .allowed
  }

  @Test(arguments: everywhere) func theAdministratorGoesAnywhereButToMetadata(text: String) throws {
    let isMetadata = try #require(IPAddress(text)).effectiveClass == .metadata
    #expect(try isAllowed(EgressPolicy(), text, 22, .local) == !isMetadata)
  }

  @Test(arguments: everywhere) func aStrangerGoesToPublicAddressesOnly(text: String) throws {
    let reached = try #require(IPAddress(text)).reached
    let isPublic = reached.allSatisfy { $0.addressClass == .public }
    #expect(try isAllowed(EgressPolicy(), text) == isPublic)
    #expect(try !isAllowed(EgressPolicy(), text, 22))
  }

  /// Even with everything on the list.
  @Test(arguments: everywhere) func someClassesNeverOpenToAStranger(text: String) throws {
    let all = try ["0.0.0.0/0", "::/0"].map { EgressRule(try #require(CIDR($0)), ports: [443]) }
    let policy = EgressPolicy(EgressSettings(allow: all))
    let reached = try #require(IPAddress(text)).reached.map(\.addressClass)
    let isOpen = reached.allSatisfy { $0 == .public || $0 == .private }
    #expect(try isAllowed(policy, text) == isOpen)
  }

  @Test(arguments: [80, 443, 8080, 8443] as [UInt16]) func defaultPorts(port: UInt16) throws {
    #expect(try isAllowed(EgressPolicy(), "8.8.8.8", port))
  }

  @Test(arguments: [0, 1, 22, 25, 53, 79, 81, 3306, 6379, 8081, 65_535] as [UInt16])
  func otherPorts(port: UInt16) throws { #expect(try !isAllowed(EgressPolicy(), "8.8.8.8", port)) }

  @Test func port53IsForNameServersOnly() throws {
    #expect(try isAllowed(EgressPolicy(), "8.8.8.8", 53, .api, .dns))
    #expect(try !isAllowed(EgressPolicy(), "8.8.8.8", 5353, .api, .dns))
    #expect(try !isAllowed(EgressPolicy(), "10.0.0.1", 53, .api, .dns))
  }

  @Test func anEchoHasNoPort() throws {
    #expect(try isAllowed(EgressPolicy(), "8.8.8.8", 0, .api, .echo))
    #expect(try !isAllowed(EgressPolicy(), "10.0.0.1", 0, .api, .echo))
    let listed = EgressPolicy(EgressSettings(allow: [try rule("10.0.0.0/8")]))
    #expect(try isAllowed(listed, "10.0.0.1", 0, .api, .echo))
    let withPort = EgressPolicy(EgressSettings(allow: [try rule("10.0.0.0/8", 443)]))
    #expect(try !isAllowed(withPort, "10.0.0.1", 0, .api, .echo))
  }

  @Test func aRuleWithPortsOpensThosePorts() throws {
    let policy = EgressPolicy(EgressSettings(allow: [try rule("10.0.0.0/8", 5432), try rule("9.9.9.9", 22)]))
    #expect(try isAllowed(policy, "10.1.2.3", 5432))
    #expect(try !isAllowed(policy, "10.1.2.3", 443))
    #expect(try !isAllowed(policy, "192.168.0.1", 5432))
    #expect(try isAllowed(policy, "9.9.9.9", 22))
    #expect(try isAllowed(policy, "9.9.9.9", 443))
    #expect(try !isAllowed(policy, "9.9.9.10", 22))
  }

  @Test func aRuleWithoutPortsOpensTheUsualPorts() throws {
    let policy = EgressPolicy(EgressSettings(allow: [try rule("10.0.0.0/8")]))
    #expect(try isAllowed(policy, "10.1.2.3", 443))
    #expect(try !isAllowed(policy, "10.1.2.3", 22))
    #expect(try isAllowed(policy, "::ffff:10.1.2.3", 443))
  }

  @Test func loopbackMustBeNamedWithItsPort() throws {
    #expect(
      try !isAllowed(EgressPolicy(EgressSettings(allow: [try rule("0.0.0.0/0", 8080)])), "127.0.0.1", 8080))
    #expect(
      try !isAllowed(EgressPolicy(EgressSettings(allow: [try rule("127.0.0.1/32")])), "127.0.0.1", 8080))
    let named = EgressPolicy(EgressSettings(allow: [try rule("127.0.0.1/32", 8080), try rule("::1", 9090)]))
    #expect(try isAllowed(named, "127.0.0.1", 8080))
    #expect(try !isAllowed(named, "127.0.0.1", 8081))
    #expect(try !isAllowed(named, "127.0.0.2", 8080))
    #expect(try isAllowed(named, "::1", 9090))
    #expect(try isAllowed(named, "::ffff:127.0.0.1", 8080))
    #expect(try !isAllowed(named, "0.0.0.0", 8080))
  }

  @Test func metadataOpensToTheAdministratorOnly() throws {
    let policy = EgressPolicy(EgressSettings(allow: [try rule("169.254.169.254", 80)]))
    #expect(try isAllowed(policy, "169.254.169.254", 80, .local))
    #expect(try !isAllowed(policy, "169.254.169.254", 81, .local))
    #expect(try !isAllowed(policy, "fd00:ec2::254", 80, .local))
    #expect(try !isAllowed(policy, "169.254.169.254", 80, .api))
  }

  @Test(arguments: [CheckOrigin.local, .api]) func denyWinsForEverybody(origin: CheckOrigin) throws {
    let policy = EgressPolicy(
      EgressSettings(
        allow: [try rule("9.9.0.0/16", 443)], deny: [try rule("9.9.9.0/24"), try rule("8.8.8.8", 80)]))
    #expect(try !isAllowed(policy, "9.9.9.9", 443, origin))
    #expect(try !isAllowed(policy, "::ffff:9.9.9.9", 443, origin))
    #expect(try !isAllowed(policy, "2002:909:909::1", 443, origin))
    #expect(try isAllowed(policy, "9.9.8.9", 443, origin))
    #expect(try !isAllowed(policy, "8.8.8.8", 80, origin))
    #expect(try isAllowed(policy, "8.8.8.8", 443, origin))
    #expect(try isAllowed(policy, "8.8.8.8", 0, origin, .echo))
  }

  @Test func allowlistOnlyClosesTheRest() throws {
    let policy = EgressPolicy(
      EgressSettings(mode: .allowlistOnly, allow: [try rule("9.9.9.9"), try rule("10.0.0.0/8", 5432)]))
    #expect(try isAllowed(policy, "9.9.9.9", 443))
    #expect(try !isAllowed(policy, "9.9.9.9", 22))
    #expect(try isAllowed(policy, "9.9.9.9", 22, .local))
    #expect(try !isAllowed(policy, "8.8.8.8", 443))
    #expect(try !isAllowed(policy, "8.8.8.8", 443, .local))
    #expect(try !isAllowed(policy, "127.0.0.1", 443, .local))
    #expect(try isAllowed(policy, "10.0.0.1", 5432))
    #expect(try isAllowed(policy, "10.0.0.1", 5432, .local))
    #expect(try !isAllowed(policy, "10.0.0.1", 443, .local))
  }

  @Test func theRefusalSaysWhatLeadsWhereAndWhatToDo() throws {
    let hidden = EgressPolicy().judge(try #require(IPAddress("::ffff:127.0.0.1")), port: 80, origin: .api)
    #expect(
      hidden
        == .denied(
          "::ffff:127.0.0.1 leads to 127.0.0.1, which is loopback: a check from the API needs it in "
            + "'egress.allow' with its port"))
    let port = EgressPolicy().judge(try #require(IPAddress("8.8.8.8")), port: 22, origin: .api)
    #expect(port == .denied("8.8.8.8 is asked for on a port that is not in 'egress.ports'"))
  }
}
