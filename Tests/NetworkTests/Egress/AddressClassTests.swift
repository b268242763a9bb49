// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import NetworkTestSupport
import Testing

@Suite struct AddressClassTests {
  /// First, last and neighbours of every special block.
  static let table: [(text: String, expected: AddressClass)] = [
    ("0.0.0.0", .unspecified), ("0.0.0.1", .unspecified), ("0.255.255.255", .unspecified),
    ("1.0.0.0", .public),
    ("9.255.255.255", .public), ("10.0.0.0", .private), ("10.255.255.255", .private), ("11.0.0.0", .public),
    ("100.63.255.255", .public), ("100.64.0.0", .private), ("100.127.255.255", .private),
    ("100.128.0.0", .public),
    ("100.100.100.200", .metadata), ("100.100.100.199", .private),
    ("126.255.255.255", .public), ("127.0.0.0", .loopback), ("127.0.0.1", .loopback),
    ("127.255.255.255", .loopback), ("128.0.0.0", .public),
    ("168.63.129.16", .metadata), ("168.63.129.15", .public), ("168.63.129.17", .public),
    ("169.253.255.255", .public), ("169.254.0.0", .linkLocal), ("169.254.255.255", .linkLocal),
    ("169.255.0.0", .public), ("169.254.169.254", .metadata), ("169.254.169.253", .linkLocal),
    ("169.254.170.2", .metadata), ("169.254.170.23", .metadata), ("169.254.0.23", .metadata),
    ("169.254.42.42", .metadata),
    ("172.15.255.255", .public), ("172.16.0.0", .private), ("172.31.255.255", .private),
    ("172.32.0.0", .public),
    ("191.255.255.255", .public), ("192.0.0.0", .reserved), ("192.0.0.192", .metadata),
    ("192.0.0.255", .reserved),
    ("192.0.1.0", .public), ("192.0.2.0", .reserved), ("192.0.2.255", .reserved), ("192.0.3.0", .public),
    ("192.88.98.255", .public), ("192.88.99.0", .reserved), ("192.88.99.255", .reserved),
    ("192.88.100.0", .public),
    ("192.167.255.255", .public), ("192.168.0.0", .private), ("192.168.255.255", .private),
    ("192.169.0.0", .public),
    ("198.17.255.255", .public), ("198.18.0.0", .reserved), ("198.19.255.255", .reserved),
    ("198.20.0.0", .public),
    ("198.51.99.255", .public), ("198.51.100.0", .reserved), ("198.51.100.255", .reserved),
    ("198.51.101.0", .public),
    ("203.0.112.255", .public), ("203.0.113.0", .reserved), ("203.0.113.255", .reserved),
    ("203.0.114.0", .public),
    ("223.255.255.255", .public), ("224.0.0.0", .multicast), ("239.255.255.255", .multicast),
    ("240.0.0.0", .reserved),
    ("255.255.255.254", .reserved), ("255.255.255.255", .reserved), ("8.8.8.8", .public),
    ("::", .unspecified), ("::1", .loopback), ("100::1", .reserved), ("1fff:ffff::1", .reserved),
    ("2000::1", .public), ("2001:1::1", .reserved), ("2001:2::1", .reserved), ("2001:20::1", .reserved),
    ("2001:1ff:ffff::1", .reserved), ("2001:200::1", .public), ("2001:db7:ffff::1", .public),
    ("2001:db8::1", .reserved), ("2001:db8:ffff::1", .reserved), ("2001:db9::1", .public),
    ("2001:4860:4860::8888", .public), ("3ffe::1", .public), ("3fff::1", .reserved),
    ("3fff:fff:ffff::1", .reserved),
    ("3fff:1000::1", .public), ("4000::1", .reserved), ("5f00::1", .reserved), ("fbff::1", .reserved),
    ("fc00::1", .private), ("fd12:3456::1", .private), ("fdff:ffff::1", .private),
    ("fd00:ec2::254", .metadata),
    ("fd00:ec2::253", .private), ("fd00:ec2::23", .metadata), ("fd20:ce::254", .metadata),
    ("fd00:42::42", .metadata), ("fe00::1", .reserved), ("fe7f:ffff::1", .reserved), ("fe80::1", .linkLocal),
    ("fe80::a9fe:a9fe", .metadata), ("febf:ffff::1", .linkLocal), ("fec0::1", .private),
    ("feff:ffff::1", .private),
    ("ff00::1", .multicast), ("ff02::1", .multicast), ("ffff::1", .multicast),
  ]

  @Test(arguments: table) func classOfTheAddressItself(text: String, expected: AddressClass) throws {
    #expect(try #require(IPAddress(text)).addressClass == expected)
  }

  static let wrapped: [(text: String, inside: [String])] = [
    ("::ffff:127.0.0.1", ["127.0.0.1"]), ("::7f00:1", ["127.0.0.1"]), ("::2", ["0.0.0.2"]),
    ("::ffff:0:7f00:1", ["127.0.0.1"]), ("64:ff9b::a9fe:a9fe", ["169.254.169.254"]),
    ("64:ff9b::8.8.8.8", ["8.8.8.8"]), ("2002:7f00:1::1", ["127.0.0.1"]), ("2002:808:808::1", ["8.8.8.8"]),
    ("2001:0:808:808:8000:63bf:80ff:fffe", ["8.8.8.8", "127.0.0.1"]),
    ("2001:0:a00:1:8000:63bf:f7f7:f7f7", ["10.0.0.1", "8.8.8.8"]),
    ("fe80::5efe:10.0.0.1", ["10.0.0.1"]), ("2600::200:5efe:10.0.0.1", ["10.0.0.1"]),
    ("2600::5efe:8.8.8.8", ["8.8.8.8"]), ("2002:808:808::5efe:10.0.0.1", ["8.8.8.8", "10.0.0.1"]),
    ("::", []), ("::1", []), ("2600::1", []), ("64:ff9b:2::1", []), ("10.0.0.1", []),
  ]

  @Test(arguments: wrapped) func findsEveryHiddenAddress(text: String, inside: [String]) throws {
    #expect(try #require(IPAddress(text)).embedded.map(\.description) == inside)
  }

  /// RFC 6052 2.2 puts the address behind the prefix and skips bits 64 to 71.
  @Test(arguments: [
    "64:ff9b:1:7f00:0:100::", "64:ff9b:1:7f:0:1::", "64:ff9b:1:0:7f:0:100::", "64:ff9b:1::127.0.0.1",
  ]) func readsLocalNAT64EveryWay(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.embedded.contains(.loopback))
    #expect(address.effectiveClass.privacyRank == AddressClass.loopback.privacyRank)
  }

  @Test func aWrapperIsAsPrivateAsItsWorstContent() throws {
    #expect(try #require(IPAddress("64:ff9b::8.8.8.8")).effectiveClass == .public)
    #expect(try #require(IPAddress("::ffff:169.254.169.254")).effectiveClass == .metadata)
    #expect(try #require(IPAddress("2001:0:808:808:8000:63bf:80ff:fffe")).effectiveClass == .loopback)
    #expect(try #require(IPAddress("fd00::5efe:8.8.8.8")).effectiveClass == .private)
  }
}
