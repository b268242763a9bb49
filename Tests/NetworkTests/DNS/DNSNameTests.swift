// SPDX-License-Identifier: MIT

import Network
import Testing

@Suite struct DNSNameTests {
  @Test(arguments: [
    ("example.com", "example.com."), ("example.com.", "example.com."), (".", "."), ("A.b", "A.b."),
    ("_sip._tcp.x", "_sip._tcp.x."), ("*.x", "*.x."),
  ]) func readsAndPrints(text: String, printed: String) throws {
    #expect(try #require(DNSName(text)).description == printed)
  }

  @Test(arguments: [
    "", "..", "a..b", ".a", "a..", "\u{e9}.example", String(repeating: "a", count: 64) + ".x",
    Array(repeating: String(repeating: "a", count: 63), count: 4).joined(separator: "."),
  ]) func refuses(text: String) { #expect(DNSName(text) == nil) }

  @Test func theLongestLabelAndNameFit() throws {
    #expect(DNSName(String(repeating: "a", count: 63) + ".x") != nil)
    // 3 labels of 63 and one of 61: 255 bytes on the wire.
    let longest =
      (Array(repeating: String(repeating: "a", count: 63), count: 3) + [String(repeating: "b", count: 61)])
      .joined(separator: ".")
    #expect(try #require(DNSName(longest)).wire.count == 255)
    #expect(DNSName(longest + "b") == nil)
  }

  @Test func equalityFoldsASCIICaseOnly() {
    #expect(DNSName("WWW.Example.COM") == DNSName("www.example.com"))
    #expect(DNSName("WWW.Example.COM")?.hashValue == DNSName("www.example.com")?.hashValue)
    #expect(DNSName("a-b") != DNSName("a_b"))
    #expect(DNSName("[.x") != DNSName("{.x"))
  }

  @Test("D8: bytes that are no printable ASCII are escaped") func printsWhatNeedsEscaping() {
    let wire: [UInt8] = [5, 0x61, 0x2e, 0x5c, 0x00, 0xff, 1, 0x20, 0]
    #expect(DNSName(wire: wire).description == "a\\.\\\\\\000\\255.\\032.")
  }
}

@Suite struct DNSRecordTypeTests {
  @Test(arguments: [
    ("A", 1), ("aaaa", 28), ("CAA", 257), ("TYPE65", 65), ("type1", 1), ("TYPE65535", 65_535),
  ])
  func reads(text: String, number: UInt16) { #expect(DNSRecordType(text)?.rawValue == number) }

  @Test(arguments: ["", "TYPE", "TYPE65536", "TYPE-1", "TYPE+1", "NOPE", "TYPE 1"])
  func refuses(text: String) { #expect(DNSRecordType(text) == nil) }

  @Test func printsUnknownByNumber() {
    #expect(DNSRecordType(rawValue: 12_345).description == "TYPE12345")
    #expect(DNSResponseCode(rawValue: 23).description == "BADCOOKIE")
    #expect(DNSResponseCode(rawValue: 24).description == "RCODE24")
  }
}
