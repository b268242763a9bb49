// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import Testing

@testable import Checks
@testable import Network

/// The data of each record type, field by field, as its RFC has it.
@Suite struct DNSLayoutTests {
  private static let host = Wire.name("a.example")
  private static func text(_ word: String) -> [UInt8] { [UInt8(word.utf8.count)] + Array(word.utf8) }

  private func data(_ type: UInt16, _ bytes: [UInt8], class recordClass: UInt16 = 1) throws -> String? {
    let wire = Wire("x.example", .a).with {
      $0.answers = [Wire.record(type, bytes, class: recordClass)]
    }
    return try DNSMessage(wire.bytes).answers.first?.data
  }

  /// In pieces, one behind the other.
  static let records: [(type: UInt16, data: [[UInt8]], text: String)] = [
    (7, [host], "a.example."), (8, [host], "a.example."), (9, [host], "a.example."),
    (13, [text("PC"), text("a b")], "\"PC\" \"a b\""), (14, [host, Wire.name("b")], "a.example. b."),
    (17, [host, Wire.name("b")], "a.example. b."), (18, [[1, 2], host], "258 a.example."),
    (21, [[0, 10], host], "10 a.example."), (25, [[1, 0, 3, 8, 1, 2]], "256 3 8 AQI="),
    (
      35, [[0, 100, 0, 50], text("s"), text("http+I2L"), text(""), host],
      "100 50 \"s\" \"http+I2L\" \"\" a.example."
    ),
    (36, [[0, 10], host], "10 a.example."), (37, [[0, 1, 0x30, 0x39, 8, 1, 2, 3]], "1 12345 8 AQID"),
    (39, [host], "a.example."), (43, [[0xec, 0x45, 5, 1, 0x2b, 0xb1]], "60485 5 1 2BB1"),
    (44, [[1, 2, 0xab, 0xcd]], "1 2 ABCD"), (48, [[1, 1, 3, 13, 1, 2]], "257 3 13 AQI="),
    (49, [[0, 1, 2]], "AAEC"), (51, [[1, 0, 0, 10, 2, 0xab, 0xcd]], "1 0 10 ABCD"),
    (51, [[1, 1, 0, 0, 0]], "1 1 0 -"), (52, [[3, 1, 1, 0xab]], "3 1 1 AB"),
    (53, [[3, 0, 2, 1]], "3 0 2 01"),
    (59, [[0, 0, 0, 0, 0]], "0 0 0 00"), (60, [[0, 0, 3, 0, 0]], "0 3 0 AA=="), (61, [[1, 2, 3]], "AQID"),
    (62, [[0, 0, 0, 66, 0, 3, 0, 4, 0x60, 0, 0, 8]], "66 3 A NS AAAA"),
    (63, [[0, 0, 0, 7, 1, 2, 0xab]], "7 1 2 AB"),
    (99, [text("v=spf1"), text("-all")], "\"v=spf1\" \"-all\""),
    (104, [[0, 10, 0x20, 0x01, 0x01, 0x23, 0x11, 0x40, 0x10, 0]], "10 2001:0123:1140:1000"),
    (105, [[0, 10, 10, 1, 2, 0]], "10 10.1.2.0"),
    (106, [[0, 11, 0x20, 0x01, 0x01, 0x23, 0x11, 0x40, 0x10, 0]], "11 2001:0123:1140:1000"),
    (107, [[0, 10], host], "10 a.example."), (108, [[0, 0x11, 0x22, 0x33, 0x44, 0x55]], "00-11-22-33-44-55"),
    (109, [[0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77]], "00-11-22-33-44-55-66-77"),
    (256, [[0, 10, 0, 1], Array("ftp://a/".utf8)], "10 1 \"ftp://a/\""), (42, [[1, 2]], "\\# 2 0102"),
    (45, [[10]], "\\# 1 0A"), (55, [[]], "\\# 0"),
    // Services (RFC 9460): keys in the form of their own.
    (65, [[0, 16], host, [0, 1, 0, 6, 2, 0x68, 0x32, 2, 0x68, 0x33]], "16 a.example. alpn=h2,h3"),
    (64, [[0, 1, 0, 0, 1, 0, 4, 3, 0x66, 0x2c, 0x6f]], #"1 . alpn=f\\,o"#),
    (65, [[0, 1, 0, 0, 1, 0, 4, 3, 0x66, 0x5c, 0x6f]], #"1 . alpn=f\\\\o"#),
    (65, [[0, 1, 0, 0, 1, 0, 4, 3, 0x22, 0x20, 0xff]], #"1 . alpn=\"\032\255"#),
    (65, [[0, 1, 0, 0, 2, 0, 0, 0, 3, 0, 2, 0x20, 0xfb]], "1 . no-default-alpn port=8443"),
    (65, [[0, 1, 0, 0, 4, 0, 8, 192, 0, 2, 1, 192, 0, 2, 2]], "1 . ipv4hint=192.0.2.1,192.0.2.2"),
    (65, [[0, 1, 0, 0, 5, 0, 3, 1, 2, 3]], "1 . ech=AQID"),
    (
      65, [[0, 1, 0, 0, 6, 0, 16, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
      "1 . ipv6hint=2001:db8::1"
    ),
    (65, [[0, 1, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0, 10, 0, 1, 0x61]], "1 . ohttp key9 key10=\"a\""),
    (65, [[0, 1, 0, 0, 0, 0, 4, 0, 1, 0, 8]], "1 . mandatory=alpn,ohttp"),
  ]

  @Test(arguments: records) func layouts(type: UInt16, data: [[UInt8]], text: String) throws {
    #expect(try self.data(type, data.flatMap(\.self)) == text)
  }

  /// Types of the first RFC mean the same in each class; of the others the data of another class is opaque.
  @Test func classes() throws {
    for type in UInt16(1)...40 {
      let isOfAnyClass = (2...9).contains(type) || (12...16).contains(type)
      #expect(DNSRecordType(rawValue: type).isOfAnyClass == isOfAnyClass, "\(type)")
    }
    #expect(try data(7, Self.host, class: 3) == "a.example.")
    #expect(try data(36, [0, 1] + [1, 0x61, 0], class: 3) == "\\# 5 0001016100")
  }

  /// Parameters that a service cannot have.
  @Test(
    arguments: [
      [0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 3, 0, 1, 0], [0, 1, 0, 0], [0, 2, 0, 1, 0], [0, 3, 0, 1, 1],
      [0, 4, 0, 0], [0, 4, 0, 3, 1, 2, 3], [0, 6, 0, 4, 1, 2, 3, 4], [0, 3, 0, 2, 0, 1, 0, 2, 0, 0],
    ] as [[UInt8]])
  func brokenParameters(parameters: [UInt8]) {
    #expect(throws: DNSMalformed.self) { try data(65, [0, 1, 0] + parameters) }
  }

  // MARK: Places

  private static func word(_ value: UInt32) -> [UInt8] {
    be(UInt16(value >> 16)) + be(UInt16(value & 0xffff))
  }

  /// RFC 1876: thousandths of a second from 2^31 on, centimetres from 100 km below the spheroid, a digit and a power of ten.
  private func place(
    _ sizes: [UInt8], _ latitude: Int64, _ longitude: Int64, centimetres: Int64 = 0
  ) throws -> String? {
    let words = [latitude + 0x8000_0000, longitude + 0x8000_0000, centimetres + 10_000_000]
    return try data(29, [0] + sizes + words.flatMap { Self.word(UInt32($0)) })
  }

  @Test func places() throws {
    // The example of its section 4: Cambridge in Massachusetts.
    #expect(
      try place([0x33, 0x16, 0x13], 152_514_000, -255_978_000, centimetres: -2400)
        == "42 21 54 N 71 6 18 W -24m 30m 10000m 10m")
    #expect(
      try place([0x11, 0x50, 0x12], 185_412_748, 459_611, centimetres: 1250)
        == "51 30 12.748 N 0 7 39.611 E 12.50m 0.10m 0.05m 1m")
    #expect(
      try place([0x99, 0x90, 0x19], -5, 0, centimetres: 5)
        == "0 0 0.005 S 0 0 0 E 0.05m 90000000m 0.09m 10000000m")
    // As far as the poles and once around, and no further.
    let (pole, date): (Int64, Int64) = (324_000_000, 648_000_000)
    #expect(try place([0x12, 0x16, 0x13], pole, date)?.hasPrefix("90 0 0 N 180 0 0 E 0m") == true)
    #expect(
      try place([0x12, 0x16, 0x13], -pole, -date, centimetres: -10_000_000)?
        .hasPrefix("90 0 0 S 180 0 0 W -100000m") == true)
    let beyond: [(Int64, Int64)] = [(pole + 1, 0), (-pole - 1, 0), (0, date + 1), (0, -date - 1)]
    for (latitude, longitude) in beyond {
      let shown = try place([0x12, 0x16, 0x13], latitude, longitude)
      #expect(shown?.hasPrefix("\\# 16 00121613") == true)
    }
    for sizes in [[0xa0, 0, 0], [0, 0x0a, 0], [0, 0, 0x1a]] as [[UInt8]] {
      #expect(try place(sizes, 0, 0)?.hasPrefix("\\# 16 ") == true)
    }
  }

  // MARK: Names, services and serials

  @Test func parents() throws {
    let name = try #require(DNSName("www.shop.example"))
    #expect(name.parent == DNSName("shop.example") && DNSName("example")?.parent == DNSName.root)
    #expect(DNSName.root.parent == nil)
    let zone = try #require(DNSName("Shop.Example"))
    #expect(zone.contains(name) && zone.contains(zone) && DNSName.root.contains(name))
    #expect(!name.contains(zone))
    let others = try ["www.xshop.example", "example"].map { try #require(DNSName($0)) }
    #expect(others.map(zone.contains) == [false, false])
  }

  /// Services by their priority as a number, then by their words; what is said not to be there is none.
  @Test func servicesInOrder() throws {
    func service(_ priority: UInt16, _ weight: UInt16, _ port: UInt16, _ host: String) -> [UInt8] {
      Wire.record(33, be(priority) + be(weight) + be(port) + Wire.name(host))
    }
    let wire = Wire("_x._tcp.example", .srv).with { wire in
      wire.answers = [
        service(20, 0, 443, "a.example"), service(9, 5, 8443, "c.example"), service(9, 5, 443, "b.example"),
        service(1, 0, 0, "none.example"), service(1, 0, 443, "."), Wire.a(192, 0, 2, 1),
        service(10, 1, 80, "d.example"),
      ]
    }
    #expect(
      try DNSMessage(wire.bytes).services.map(\.description) == [
        "b.example:443", "c.example:8443", "d.example:80", "a.example:443",
      ])
  }

  @Test func serials() throws {
    let soa = Self.host + Self.host + [0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]
    let wire = Wire("x.example", .soa).with {
      $0.answers = [Wire.record(6, soa), Wire.record(16, Self.text("a b c d e f g"))]
    }
    #expect(try DNSMessage(wire.bytes).answers.map(\.soaSerial) == [9, nil])
  }

  private func entry(
    _ name: String, _ address: UInt32?, _ outcome: SerialSurvey.Entry.Outcome
  ) -> SerialSurvey.Entry {
    SerialSurvey.Entry(
      server: DNSName(name) ?? .root, address: address.map { IPAddress.v4($0) }, outcome: outcome)
  }

  /// Of a zone's name servers one that fails outweighs those that differ, and these one that may not be asked.
  @Test func surveys() throws {
    let zone = DNSName("x.example")
    let (one, two) = (entry("a", 1, .serial(7)), entry("b", 2, .serial(8)))
    let silent = entry("c", 3, .failed("did not answer"))
    let denied = Verdict(.policyDenied, phase: .prepare, message: "denied")
    let local = Verdict(.localFault, phase: .connect, message: "no route")
    let hidden = Verdict(.dnsNXDomain, phase: .dns, message: "not told", isUnknown: true)
    func survey(_ entries: SerialSurvey.Entry...) -> SerialSurvey {
      SerialSurvey(zone: zone, entries: entries)
    }
    #expect(survey(one, entry("b", 2, .serial(7))).verdict == nil)
    #expect(survey(one, entry("b", 2, .serial(7))).description == "7 on a. (0.0.0.1), b. (0.0.0.2)")
    #expect(survey(one, two).description == "8 on b. (0.0.0.2); 7 on a. (0.0.0.1)")
    let words = "the name servers of x.example. hold different serials: 8 on b. (0.0.0.2); 7 on a. (0.0.0.1)"
    #expect(survey(one, two).verdict == Verdict(.dnsAnswer, phase: .assertion, message: words))
    let failed = Verdict(
      .dnsAnswer, phase: .assertion,
      message: "of the name servers of x.example., c. (0.0.0.3) did not answer")
    #expect(survey(one, two, entry("d", nil, .unasked(denied)), silent).verdict == failed)
    let unreached = entry("d", nil, .unasked(local))
    #expect(survey(one, unreached, entry("e", nil, .unasked(denied))).verdict == denied)
    #expect(survey(one, entry("d", nil, .unasked(hidden))).verdict == hidden)
    // One that this machine cannot reach changes nothing while another answers.
    #expect(survey(one, unreached).verdict == nil)
    #expect(survey(unreached).verdict == local)
    #expect(survey(unreached).description == "d. not asked: no route")
    let none = "x.example. has no name server that could be asked"
    #expect(survey().verdict == Verdict(.dnsAnswer, phase: .assertion, message: none))
    let unknown = SerialSurvey(entries: [one, two]).verdict?.message
    #expect(unknown?.hasPrefix("the name servers of the zone hold ") == true)
    #expect(SerialSurvey(zone: zone, entries: [silent], failure: local).verdict == local)
  }
}
