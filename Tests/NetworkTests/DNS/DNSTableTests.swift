// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import Testing

@testable import Network

/// The registries of the DNS: names of types and codes, and how the data of each type is written.
@Suite struct DNSTableTests {
  /// IANA's numbers of the types that have a name here.
  private static let types: [UInt16: String] = [
    1: "A", 2: "NS", 5: "CNAME", 6: "SOA", 7: "MB", 8: "MG", 9: "MR", 11: "WKS", 12: "PTR", 13: "HINFO",
    14: "MINFO", 15: "MX", 16: "TXT", 17: "RP", 18: "AFSDB", 21: "RT", 25: "KEY", 28: "AAAA", 29: "LOC",
    33: "SRV", 35: "NAPTR", 36: "KX", 37: "CERT", 39: "DNAME", 41: "OPT", 42: "APL", 43: "DS", 44: "SSHFP",
    45: "IPSECKEY", 46: "RRSIG", 47: "NSEC", 48: "DNSKEY", 49: "DHCID", 50: "NSEC3", 51: "NSEC3PARAM",
    52: "TLSA", 53: "SMIMEA", 55: "HIP", 59: "CDS", 60: "CDNSKEY", 61: "OPENPGPKEY", 62: "CSYNC",
    63: "ZONEMD", 64: "SVCB", 65: "HTTPS", 99: "SPF", 104: "NID", 105: "L32", 106: "L64", 107: "LP",
    108: "EUI48", 109: "EUI64", 249: "TKEY", 250: "TSIG", 251: "IXFR", 252: "AXFR", 255: "ANY", 256: "URI",
    257: "CAA", 32_769: "DLV",
  ]

  private static let codes = [
    "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED", "YXDOMAIN", "YXRRSET", "NXRRSET",
    "NOTAUTH", "NOTZONE", "DSOTYPENI", nil, nil, nil, nil, "BADVERS", "BADKEY", "BADTIME", "BADMODE",
    "BADNAME", "BADALG", "BADTRUNC", "BADCOOKIE", nil, nil,
  ]

  @Test func namesOfTypes() {
    for number in Array(UInt16(0)...300) + [32_767, 32_768, 32_769, 32_770, .max] {
      let type = DNSRecordType(rawValue: number)
      let name = Self.types[number] ?? "TYPE\(number)"
      #expect(type.description == name)
      #expect(DNSRecordType(name) == type && DNSRecordType(name.lowercased()) == type)
      #expect(DNSRecordType("TYPE\(number)") == type)
    }
    let named: [(DNSRecordType, String)] = [
      (.a, "A"), (.ns, "NS"), (.cname, "CNAME"), (.soa, "SOA"), (.ptr, "PTR"), (.mx, "MX"), (.txt, "TXT"),
      (.aaaa, "AAAA"), (.loc, "LOC"), (.srv, "SRV"), (.opt, "OPT"), (.rrsig, "RRSIG"), (.spf, "SPF"),
      (.caa, "CAA"),
    ]
    for (type, name) in named { #expect(type.description == name) }
  }

  @Test func namesOfCodes() {
    for (number, name) in Self.codes.enumerated() {
      let code = DNSResponseCode(rawValue: UInt16(number))
      #expect(code.description == name ?? "RCODE\(number)")
      if let name { #expect(DNSResponseCode(mnemonic: name) == code) }
    }
    #expect(DNSResponseCode(mnemonic: "RCODE12") == nil && DNSResponseCode(mnemonic: "noerror") == nil)
    let known: [DNSResponseCode] = [.noError, .formErr, .servFail, .nxDomain, .notImp, .refused]
    #expect(known.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
  }

  /// Which types have a form of their own, and which of them in every class.
  @Test func typesWithAForm() {
    let written: Set<UInt16> = [
      2, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 18, 21, 25, 33, 35, 36, 37, 39, 43, 44, 46, 47, 48, 49, 50,
      51, 52,
      53, 59, 60, 61, 62, 63, 64, 65, 99, 104, 105, 106, 107, 108, 109, 256, 257, 32_769,
    ]
    let classless: Set<UInt16> = [2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16]
    for number in Array(UInt16(0)...300) + [32_768, 32_769, 32_770] {
      let type = DNSRecordType(rawValue: number)
      #expect((type.layout != nil) == written.contains(number), "\(number)")
      #expect(type.isOfAnyClass == classless.contains(number), "\(number)")
    }
  }

  private static let (a, b, foo): ([UInt8], [UInt8], [UInt8]) = (
    [1, 0x61, 0], [1, 0x62, 0], [0x66, 0x6f, 0x6f]
  )

  private static let data: [(type: UInt16, data: [UInt8], text: String)] = [
    (7, a, "a."), (8, a, "a."), (9, a, "a."), (39, a, "a."), (14, a + b, "a. b."), (17, a + b, "a. b."),
    (13, [1, 0x78, 2, 0x79, 0x20], #""x" "y ""#), (18, [0, 1] + a, "1 a."), (21, [1, 0] + a, "256 a."),
    (36, [0, 3] + a, "3 a."), (107, [0, 4] + a, "4 a."), (33, [0, 1, 0, 2, 0, 3] + a, "1 2 3 a."),
    (35, [0, 100, 0, 10, 1, 0x53, 0, 2, 0x21, 0x22] + a, #"100 10 "S" "" "!\"" a."#),
    (37, [0, 1, 0, 2, 3] + foo, "1 2 3 Zm9v"), (37, [0, 1, 0, 2, 3], "1 2 3"),
    (99, [1, 0x78, 1, 0x79], #""x" "y""#), (25, [1, 0, 3, 8] + foo, "256 3 8 Zm9v"),
    (48, [1, 1, 3, 13] + foo, "257 3 13 Zm9v"), (60, [0, 0, 3, 0, 0], "0 3 0 AA=="),
    (43, [0, 1, 8, 2, 0xab, 0xcd], "1 8 2 ABCD"), (59, [0, 0, 0, 0, 0], "0 0 0 00"),
    (32_769, [1, 1, 8, 2, 0x0e], "257 8 2 0E"), (43, [0, 1, 8, 2], "1 8 2"),
    (
      46, [0, 28, 8, 2, 0, 0, 0x0e, 0x10, 0x69, 0xa3, 0x81, 0x80, 0x65, 0xe1, 0x1a, 0x7f, 0, 7] + a + foo,
      "AAAA 8 2 3600 20260301000000 20240229235959 7 a. Zm9v"
    ), (47, a + [0, 1, 0x62, 1, 1, 0x40], "a. A NS SOA CAA"), (47, a + [0, 1, 0], "a."),
    (49, foo, "Zm9v"), (61, foo, "Zm9v"),
    (50, [1, 0, 0, 5, 2, 0xab, 0xcd, 3] + foo + [0, 1, 0x40], "1 0 5 ABCD CPNMU A"),
    (51, [1, 0, 0, 5, 0], "1 0 5 -"), (51, [1, 1, 1, 0, 1, 0x0f], "1 1 256 0F"),
    (44, [4, 2, 0xab], "4 2 AB"), (52, [3, 1, 1, 0xab], "3 1 1 AB"), (53, [3, 0, 1, 0xab], "3 0 1 AB"),
    (62, [0, 0, 0, 66, 0, 3, 0, 1, 0x60], "66 3 A NS"), (63, [0, 0, 1, 0, 1, 2, 0xab], "256 1 2 AB"),
    (104, [0, 10, 0, 0x14, 0x4f, 0xff, 0xff, 0x20, 0xee, 0x64], "10 0014:4FFF:FF20:EE64"),
    (106, [0, 10, 0x20, 1, 0x0d, 0xb8, 0x11, 0x40, 0x10, 0], "10 2001:0DB8:1140:1000"),
    (105, [0, 10, 10, 1, 2, 0], "10 10.1.2.0"), (108, [0, 0, 0x5e, 0, 0x53, 0x2a], "00-00-5E-00-53-2A"),
    (109, [0, 0, 0x5e, 0xef, 0x10, 0, 0, 0x2a], "00-00-5E-EF-10-00-00-2A"),
    (256, [0, 10, 0, 1, 0x78, 0x22], #"10 1 "x\"""#), (256, [0, 10, 0, 1], #"10 1 """#),
    (64, [0, 0] + a, "0 a."), (65, [0, 1, 0], "1 ."), (10, [1, 2], "\\# 2 0102"), (11, a, "\\# 3 016100"),
  ]

  @Test(arguments: data.indices) func dataOfEachType(row: Int) throws {
    let (type, data, text) = Self.data[row]
    let wire = Wire("x", .a).with { $0.answers = [Wire.record(type, data)] }
    #expect(try DNSMessage(wire.bytes).answers.first?.data == text, "\(DNSRecordType(rawValue: type))")
  }

  @Test func parametersOfAService() throws {
    let data: [UInt8] =
      [0, 1, 0] + [0, 0, 0, 4, 0, 1, 0, 4] + [0, 1, 0, 6, 2, 0x68, 0x32, 2, 0x2c, 0x5c] + [0, 2, 0, 0]
      + [0, 3, 0, 2, 0x20, 0xfb] + [0, 4, 0, 8, 192, 0, 2, 1, 192, 0, 2, 2] + [0, 5, 0, 3] + Self.foo
      + [0, 6, 0, 16, 0x20, 1, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1] + [
        0, 7, 0, 2, 0x2f, 0x71,
      ]
      + [0, 8, 0, 0] + [0, 9, 0, 1, 0x78] + [1, 0, 0, 0]
    let wire = Wire("x", .a).with { $0.answers = [Wire.record(65, data)] }
    let text =
      #"1 . mandatory=alpn,ipv4hint alpn=h2,\\,\\\\ no-default-alpn port=8443 ipv4hint=192.0.2.1,192.0.2.2 "#
      + #"ech=Zm9v ipv6hint=2001:db8::1 dohpath="/q" ohttp key9="x" key256"#
    #expect(try DNSMessage(wire.bytes).answers.first?.data == text)
  }

  @Test(
    arguments: [
      ("mandatory", [0, 0, 0, 0]), ("mandatory", [0, 0, 0, 3, 0, 1, 0]), ("alpn", [0, 1, 0, 0]),
      ("alpn", [0, 1, 0, 1, 0]), ("alpn", [0, 1, 0, 2, 2, 1]), ("no-default-alpn", [0, 2, 0, 1, 0]),
      ("port", [0, 3, 0, 1, 0]), ("port", [0, 3, 0, 0]), ("ipv4hint", [0, 4, 0, 0]),
      ("ipv4hint", [0, 4, 0, 3, 1, 1, 1]), ("ipv6hint", [0, 6, 0, 4, 1, 1, 1, 1]),
      ("ipv6hint", [0, 6, 0, 0]),
    ] as [(String, [UInt8])])
  func parametersThatAreNone(name: String, data: [UInt8]) throws {
    let wire = Wire("x", .a).with { $0.answers = [Wire.record(65, [0, 1, 0] + data)] }
    let error = try #require(throws: DNSMalformed.self) { try DNSMessage(wire.bytes) }
    #expect(error.description == "the service parameter \(name) has a malformed value")
  }

  private func place(_ latitude: Int, _ longitude: Int, _ altitude: UInt32, _ sizes: [UInt8] = [0, 0, 0])
    -> String?
  {
    func long(_ value: UInt32) -> [UInt8] { be(UInt16(value >> 16)) + be(UInt16(value & 0xffff)) }
    let middle = 1 << 31
    let data =
      [0] + sizes + long(UInt32(middle + latitude)) + long(UInt32(middle + longitude)) + long(altitude)
    return DNSLocation(data[...])?.description
  }

  /// RFC 1876: thousandths of a second of arc from the equator and Greenwich, centimetres from 100 km below, and sizes
  /// of one digit and a power of ten.
  @Test func locations() {
    let quarter = 324_000_000
    #expect(place(0, 0, 10_000_000) == "0 0 0 N 0 0 0 E 0m 0m 0m 0m")
    #expect(place(quarter, 2 * quarter, 10_000_001) == "90 0 0 N 180 0 0 E 0.01m 0m 0m 0m")
    #expect(place(-quarter, -2 * quarter, 9_999_999) == "90 0 0 S 180 0 0 W -0.01m 0m 0m 0m")
    #expect(place(quarter + 1, 0, 0) == nil && place(-quarter - 1, 0, 0) == nil)
    #expect(place(0, 2 * quarter + 1, 0) == nil && place(0, -2 * quarter - 1, 0) == nil)
    #expect(place(3_661_005, -1, 0) == "1 1 1.005 N 0 0 0.001 W -100000m 0m 0m 0m")
    #expect(place(59_999, 60_000, .max)?.hasPrefix("0 0 59.999 N 0 1 0 E 42849672.95m ") == true)
    #expect(place(0, 0, 10_000_000, [0x12, 0x11, 0x99]) == "0 0 0 N 0 0 0 E 0m 1m 0.10m 90000000m")
    for sizes in [[0xa0, 0, 0], [0, 0x0a, 0], [0, 0, 0x9a]] as [[UInt8]] {
      #expect(place(0, 0, 0, sizes) == nil)
    }
    #expect(DNSLocation([UInt8](repeating: 0, count: 15)[...]) == nil)
    #expect(DNSLocation(([1] + [UInt8](repeating: 0x80, count: 15))[...]) == nil)
    // What is no place is written as any other data.
    let wire = Wire("x", .a).with { $0.answers = [Wire.record(29, [1, 2])] }
    #expect((try? DNSMessage(wire.bytes))?.answers.first?.data == "\\# 2 0102")
  }

  @Test(
    arguments: [
      (0, "19700101000000"), (1_772_323_200, "20260301000000"), (1_772_323_199, "20260228235959"),
      (1_709_251_199, "20240229235959"), (978_224_523, "20001231010203"), (.max, "21060207062815"),
      (951_782_400, "20000229000000"), (1_735_689_599, "20241231235959"),
    ] as [(UInt32, String)])
  func daysOfASignature(seconds: UInt32, text: String) { #expect(calendarText(seconds) == text) }

  /// RFC 4648, section 10, without the padding.
  @Test(arguments: [
    ("", ""), ("f", "CO"), ("fo", "CPNG"), ("foo", "CPNMU"), ("foob", "CPNMUOG"), ("fooba", "CPNMUOJ1"),
    ("foobar", "CPNMUOJ1E8"),
  ])
  func hashes(text: String, base32: String) { #expect(base32Text(text.utf8) == base32) }

  @Test func quotedBytes() {
    #expect(quoted([0x1f, 0x20, 0x7e, 0x7f, 0x22, 0x5c, 0xff]) == #""\031 ~\127\"\\\255""#)
    #expect(quoted([]) == "\"\"" && hexText([0, 0x0f, 0xff]) == "000FFF" && hexText(0x0a0b) == "0A0B")
    #expect(DNSName(wire: [3, 0x21, 0x7e, 0x7f, 0]).description == "!~\\127.")
    #expect(DNSName(wire: [8] + Array(".\\\"();@$".utf8) + [0]).description == #"\.\\\"\(\)\;\@\$."#)
  }
}
