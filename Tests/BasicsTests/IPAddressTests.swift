// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct IPAddressTests {
  @Test(arguments: [
    "0.0.0.0", "1.2.3.4", "127.0.0.1", "255.255.255.255", "169.254.169.254", "::", "::1", "2001:db8::1",
    "fe80::1", "ff02::fb", "::ffff:192.0.2.1", "64:ff9b::c000:201", "2001:db8:0:1:1:1:1:1",
    "1:2:3:4:5:6:7:8", "1::8", "::2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "2002:c000:204::",
  ])
  func acceptsItsOwnText(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(IPAddress(address.description) == address)
    #expect(IPAddress(bytes: address.bytes) == address)
    #expect(address.version == (text.contains(":") ? 6 : 4))
    #expect(address.bytes.count == (text.contains(":") ? 16 : 4))
  }

  /// RFC 5952, sections 1 to 5.
  @Test(arguments: [
    ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:0db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
    ("2001:db8::1:0:0:1", "2001:db8::1:0:0:1"), ("2001:db8::0:1:0:0:1", "2001:db8::1:0:0:1"),
    ("2001:0db8::1:0:0:1", "2001:db8::1:0:0:1"), ("2001:DB8:0:0:1::1", "2001:db8::1:0:0:1"),
    ("2001:db8:aaaa:bbbb:cccc:dddd::1", "2001:db8:aaaa:bbbb:cccc:dddd:0:1"),
    ("2001:db8:aaaa:bbbb:cccc:dddd:0:1", "2001:db8:aaaa:bbbb:cccc:dddd:0:1"),
    ("2001:db8:0:0:0::1", "2001:db8::1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
    ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:0", "2001:db8:0:0:1::"),
    ("0:0:0:0:0:0:0:0", "::"), ("0:0:0:0:0:0:0:1", "::1"), ("1:0:0:0:0:0:0:0", "1::"),
    ("2001:DB8::ABCD", "2001:db8::abcd"), ("::FFFF:192.0.2.1", "::ffff:192.0.2.1"),
    ("::ffff:c000:201", "::ffff:192.0.2.1"), ("0:0:0:0:0:ffff:0:0", "::ffff:0.0.0.0"),
    ("::192.0.2.1", "::c000:201"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
    ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
    ("0000:0000:0000:0000:0000:ffff:255.255.255.255", "::ffff:255.255.255.255"),
  ])
  func printsTheCanonicalForm(text: String, canonical: String) throws {
    #expect(try #require(IPAddress(text)).description == canonical)
  }

  @Test(arguments: [
    "", " ", "1", "0", "127.1", "127.0.1", "1.2.3.4.5", "1.2.3", "1.2.3.", ".1.2.3", "1..2.3", "1.2.3.4.",
    "0x7f.1", "0x7f.0.0.1", "0x7f000001", "2130706433", "0177.0.0.1", "010.0.0.1", "1.2.3.04", "00.0.0.0",
    "256.0.0.1", "1.2.3.256", "1.2.3.999", "1.2.3.1000", "-1.2.3.4", "+1.2.3.4", "1.2.3.4 ", " 1.2.3.4",
    "1.2.3.4\n",
    "1.2.3.4\0", "1.2.3.4/32", "1.2.3.4:80", "1.2.3.a", "１.2.3.4", "١.2.3.4", "①.2.3.4", "1。2。3。4",
    "1.2.3.4\u{301}",
    "localhost", ":", ":::", ":1", "1:", "::1:", ":::1", "1:::2", "1::2::3", "::1::", "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "1::2:3:4:5:6:7:8", "12345::", "::00001",
    "::g",
    "::-1", "::+1", "[::1]", "::1%lo", "fe80::1%25eth0", "fe80::1%eth0", "::1/128", "::1.2.3", "::1.2.3.4.5",
    "::1.2.3.04", "::256.1.1.1", "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "::ffff:0x7f.1",
    "::ffff:127.1",
    "::\u{ff11}", "0000:0000:0000:0000:0000:ffff:255.255.255.2555", "::ffff:1.2.3.4 ",
  ])
  func refuses(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.255.255.255", true), ("128.0.0.1", false), ("126.255.255.255", false),
    ("::1", true), ("::2", false), ("::", false), ("::ffff:127.0.0.1", false),
  ])
  func knowsLoopback(text: String, isLoopback: Bool) throws {
    #expect(try #require(IPAddress(text)).isLoopback == isLoopback)
  }

  @Test(arguments: [0, 3, 5, 15, 17])
  func needsFourOrSixteenBytes(count: Int) {
    #expect(IPAddress(bytes: [UInt8](repeating: 1, count: count)) == nil)
  }

  @Test func everyAddressReadsBack() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<3000 {
      // Words of few values, so that runs of zeros are frequent.
      let bytes = (0..<16).map { _ in
        UInt8.random(in: 0...255, using: &generator) * UInt8.random(in: 0...1, using: &generator)
      }
      for candidate in [Array(bytes.prefix(4)), bytes] {
        let address = IPAddress(bytes: candidate)
        #expect(address.flatMap { IPAddress($0.description) } == address)
        #expect(address?.bytes == candidate)
      }
    }
  }
}

@Suite struct CIDRTests {
  @Test(arguments: [
    ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
    ("10.0.0.0/8", "9.255.255.255", false),
    ("0.0.0.0/0", "255.255.255.255", true), ("0.0.0.0/0", "::1", false), ("192.0.2.1", "192.0.2.1", true),
    ("192.0.2.1", "192.0.2.2", false), ("192.0.2.128/25", "192.0.2.127", false),
    ("192.0.2.128/25", "192.0.2.255", true), ("192.0.2.4/31", "192.0.2.5", true),
    ("192.0.2.4/31", "192.0.2.6", false),
    ("::/0", "ffff::", true), ("::/0", "1.2.3.4", false), ("fc00::/7", "fdff::1", true),
    ("fc00::/7", "fe00::", false),
    ("2001:db8::/64", "2001:db8::ffff:ffff:ffff:ffff", true), ("2001:db8::/64", "2001:db8:0:1::", false),
    ("2001:db8::/65", "2001:db8::7fff:0:0:0", true), ("2001:db8::/65", "2001:db8::8000:0:0:0", false),
    ("::1", "::1", true), ("::/127", "::1", true), ("::1/128", "::", false),
    ("::ffff:0:0/96", "::ffff:1.2.3.4", true), ("1.2.3.0/24", "::ffff:1.2.3.4", false),
  ])
  func contains(block: String, address: String, expected: Bool) throws {
    #expect(try #require(CIDR(block)).contains(try #require(IPAddress(address))) == expected)
  }

  @Test(arguments: [
    "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.0/ 8",
    "10/8",
    "10.0.0.1/8", "10.0.0.0/08", "10.0.0.0/008", "10.0.0.0/0008", "10.0.0.0/255.0.0.0", "10.0.0.0/a",
    "::/129",
    "2001:db8::1/64", "::1/127", "[::]/0", "fe80::%eth0/64", "10.0.0.0-10.0.0.9", "host/8", "0.0.0.0/٠",
  ])
  func refuses(text: String) {
    #expect(CIDR(text) == nil)
  }

  @Test(arguments: ["10.0.0.0/8", "0.0.0.0/0", "::/0", "2001:db8::/32", "192.0.2.1/32", "::1/128"])
  func printsWhatItReads(text: String) throws {
    #expect(try #require(CIDR(text)).description == text)
  }

  @Test func prefixMustFitTheFamily() throws {
    let v4 = try #require(IPAddress("10.0.0.0"))
    let v6 = try #require(IPAddress("::"))
    #expect(CIDR(base: v4, prefix: 32) != nil)
    #expect(CIDR(base: v4, prefix: 33) == nil)
    #expect(CIDR(base: v4, prefix: -1) == nil)
    #expect(CIDR(base: v6, prefix: 128) != nil)
    #expect(CIDR(base: v6, prefix: 129) == nil)
  }

  @Test(
    arguments: [
      ("0.0.0.0", 0, "0.0.0.0:0"), ("255.255.255.255", 65_535, "255.255.255.255:65535"),
      ("10.0.200.9", 80, "10.0.200.9:80"), ("100.19.9.99", 1000, "100.19.9.99:1000"), ("::1", 53, "[::1]:53"),
    ] as [(String, UInt16, String)])
  func withItsPort(text: String, port: UInt16, expected: String) throws {
    #expect(try #require(IPAddress(text)).description(port: port) == expected)
  }

  /// One host of IPv6 has as many addresses as it likes; behind an IPv4 address is one asker.
  @Test(
    arguments: [
      ("192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
      ("2001:db8:1:2::", "2001:db8:1:2::"),
      ("2001:db8:1:3::9", "2001:db8:1:3::"), ("::ffff:192.0.2.7", "192.0.2.7"), ("::1", "::1"),
      ("fe80::1", "fe80::"),
    ])
  func oneAskerIsANetworkOf64Bits(text: String, origin: String) throws {
    #expect(try #require(IPAddress(text)).origin.description == origin)
  }
}
