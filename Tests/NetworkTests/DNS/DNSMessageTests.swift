// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Network

@Suite struct DNSMessageTests {
  @Test func readsWhatItWrites() throws {
    let question = DNSQuestion(name: try #require(DNSName("example.com")), type: .mx)
    let query = DNSQuery(id: 0xbeef, question: question, recursion: true, edns: true)
    let message = try DNSMessage(query.bytes)
    #expect(message.id == 0xbeef)
    #expect(message.question == question)
    #expect(!message.isResponse)
    #expect(message.rcode == .noError)
  }

  @Test func aRefusalMayComeWithoutTheQuestion() throws {
    let message = try DNSMessage([0xbe, 0xef, 0x81, 0x85] + [UInt8](repeating: 0, count: 8))
    #expect(message.question == nil && message.rcode == .refused)
  }

  static let presented: [(type: UInt16, data: [UInt8], text: String)] = [
    (1, [192, 0, 2, 1], "192.0.2.1"),
    (28, [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [1], "2001:db8::1"),
    (5, Wire.name("www.example"), "www.example."),
    (2, Wire.name("ns1.example"), "ns1.example."),
    (12, Wire.name("host.example"), "host.example."),
    (15, [0, 10] + Wire.name("mx.example"), "10 mx.example."),
    (15, [0, 10, 0xc0, 12], "10 example.com."),
    (16, [3, 0x61, 0x22, 0x5c, 0, 2, 0x07, 0x62], "\"a\\\"\\\\\" \"\" \"\\007b\""),
    (
      6,
      Wire.name("ns.example") + Wire.name("admin.example") + [
        0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 255, 255, 255, 255,
      ],
      "ns.example. admin.example. 1 2 3 4 4294967295"
    ),
    (33, [0, 1, 0, 2, 0x1f, 0x90] + Wire.name("srv.example"), "1 2 8080 srv.example."),
    (257, [0, 5] + Array("issue".utf8) + Array("ca.example".utf8), "0 issue \"ca.example\""),
    (257, [128, 5] + Array("issue".utf8), "128 issue \"\""),
    (65_280, [], "\\# 0"),
    (16, [], ""),
  ]

  @Test(arguments: presented) func presentsData(type: UInt16, data: [UInt8], text: String) throws {
    let wire = Wire("example.com", DNSRecordType(rawValue: type)).with {
      $0.answers = [Wire.record(type, data)]
    }
    let record = try #require(try DNSMessage(wire.bytes).answers.first)
    #expect(record.data == text)
    #expect(record.name == DNSName("example.com"))
    #expect(record.ttl == 300)
  }

  @Test func flagsAndExtendedCodes() throws {
    let wire = Wire("x", .a).with { wire in
      wire.flags = 0x8403
      wire.additional = [[0, 0, 41, 4, 208, 1, 0, 0, 0, 0, 0]]
    }
    let message = try DNSMessage(wire.bytes)
    #expect(message.isResponse)
    #expect(message.authoritative)
    #expect(!message.truncated)
    #expect(message.rcode.rawValue == 19)
  }

  @Test("D15: a TTL with the highest bit is zero") func aTTLWithTheHighestBitIsZero() throws {
    let wire = Wire("x", .a).with { $0.answers = [Wire.record(1, [1, 2, 3, 4], ttl: 1 << 31)] }
    #expect(try DNSMessage(wire.bytes).answers.first?.ttl == 0)
    let largest = Wire("x", .a).with { $0.answers = [Wire.record(1, [1, 2, 3, 4], ttl: 1 << 31 - 1)] }
    #expect(try DNSMessage(largest.bytes).answers.first?.ttl == 1 << 31 - 1)
  }

  @Test func dataOfAnotherClassMeansNothing() throws {
    let wire = Wire("x", .a).with { $0.answers = [Wire.record(1, [1, 2], class: 3)] }
    #expect(try DNSMessage(wire.bytes).answers.first?.data == "\\# 2 0102")
  }

  static let malformed: [(what: String, bytes: [UInt8])] = [
    ("nothing", []),
    ("a header cut off", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    broken("two questions") { ($0.counts.0, $0.question) = (2, $0.question + $0.question) },
    broken("more answers than bytes") { $0.counts.1 = 65_535 },
    broken("more authority than bytes") { $0.counts.2 = 1 },
    broken("more additional than bytes") { $0.counts.3 = 1 },
    broken("data past the end") { $0.answers = [Array(Wire.a(1, 2, 3, 4).dropLast())] },
    broken("an A of 5 bytes") { $0.answers = [Wire.record(1, [1, 2, 3, 4, 5])] },
    broken("an AAAA of 4 bytes") { $0.answers = [Wire.record(28, [1, 2, 3, 4])] },
    broken("an A of 16 bytes") { $0.answers = [Wire.record(1, [UInt8](repeating: 1, count: 16))] },
    broken("an MX of 1 byte") { $0.answers = [Wire.record(15, [1])] },
    broken("an MX with bytes behind") { $0.answers = [Wire.record(15, [0, 1, 0, 9])] },
    broken("an SOA cut off") { $0.answers = [Wire.record(6, [0, 0, 1, 2, 3])] },
    broken("a TXT string past its record") { $0.answers = [Wire.record(16, [9, 1])] },
    broken("a CAA tag past its record") { $0.answers = [Wire.record(257, [0, 9, 1])] },
    broken("a CAA without a tag") { $0.answers = [Wire.record(257, [0, 0])] },
    broken("a pointer to itself") { $0.question = [0xc0, 12, 0, 1, 0, 1] },
    broken("a pointer forward") { $0.question = [0xc0, 14, 0, 0, 1, 0, 1] },
    broken("a pointer cut off") { $0.question = [0xc0] },
    broken("a loop of two pointers") { $0.answers = [Wire.record(5, [0xc0, 0x21, 0xc0, 0x1f])] },
    broken("a label past the end") { $0.question = [63, 1] },
    broken("a label type of 01") { $0.question = [0x41, 0, 0, 1, 0, 1] },
    broken("a label type of 10") { $0.question = [0x80, 0, 0, 1, 0, 1] },
    broken("a name of 256 bytes") { wire in
      let label = [50] + [UInt8](repeating: 0x61, count: 50)
      wire.question = label + label + label + label + label + [0, 0, 1, 0, 1]
    },
    broken("an OPT not at the root") { $0.additional = [Wire.record(41, [])] },
    broken("two OPTs") { $0.additional = [Wire.record(41, [], name: [0]), Wire.record(41, [], name: [0])] },
    broken("an OPT option past its record") { $0.additional = [Wire.record(41, [0, 1, 0, 9], name: [0])] },
    broken("an OPT option cut off") { $0.additional = [Wire.record(41, [0, 1, 0], name: [0])] },
  ]

  private static func broken(_ what: String, _ change: (inout Wire) -> Void) -> (what: String, bytes: [UInt8])
  {
    (what, Wire("x", .a).with(change).bytes)
  }

  @Test("D7, D8, D9: a broken message is refused", arguments: malformed)
  func refuses(what: String, bytes: [UInt8]) {
    #expect(throws: DNSMalformed.self, "\(what)") { try DNSMessage(bytes) }
  }

  /// Pointers that each lead backward, one after the other, from the last of them.
  private func chain(of pointers: Int) -> [UInt8] {
    var data: [UInt8] = [0]
    let start = Wire("x", .a).bytes.count + 12
    for index in 0..<pointers {
      let target = index == 0 ? start : start + 1 + 2 * (index - 1)
      data += be(0xc000 | UInt16(target))
    }
    return Wire("x", .a).with { wire in
      wire.answers = [Wire.record(65_280, data), Wire.record(5, be(0xc000 | UInt16(start + data.count - 2)))]
    }.bytes
  }

  @Test("D7: many pointers are followed, 8,000 are not, at once") func manyPointersAreFollowedTooManyAreNot()
    throws
  {
    #expect(try DNSMessage(chain(of: 125)).answers.count == 2)
    // With the one that leads to the chain they are one too many.
    #expect(throws: DNSMalformed.self) { try DNSMessage(chain(of: 126)) }
    let taken = processorTime {
      #expect(throws: DNSMalformed.self) { try DNSMessage(chain(of: 127)) }
      #expect(throws: DNSMalformed.self) { try DNSMessage(chain(of: 8000)) }
    }
    #expect(taken < .seconds(1))
  }

  /// Every cut and every changed byte of a rich message: parsed or refused, never a trap.
  @Test func survivesEveryCutAndEveryByte() {
    let wire = Wire("www.example.com", .a).with { wire in
      wire.answers = Self.presented.map { Wire.record($0.type, $0.data) }
      wire.additional = [Wire.record(41, [0, 10, 0, 2, 1, 2], name: [0])]
    }
    let bytes = wire.bytes
    #expect(throws: Never.self) { try DNSMessage(bytes) }
    var refused = 0
    for length in 0..<bytes.count where (try? DNSMessage(Array(bytes[..<length]))) == nil { refused += 1 }
    #expect(refused == bytes.count)
    for index in bytes.indices {
      for value in [0, 1, 0x3f, 0x40, 0x80, 0xc0, 0xff] as [UInt8] {
        var damaged = bytes
        damaged[index] = value
        _ = try? DNSMessage(damaged)
      }
    }
  }

  @Test func survivesNoise() {
    var generator = SeededGenerator(seed: 20_260_104)
    for _ in 0..<20_000 {
      var bytes = (0..<Int.random(in: 0...120, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      // Half of them with a header that lets the parser get somewhere.
      if Bool.random(using: &generator), bytes.count > 12 {
        bytes.replaceSubrange(
          4..<12, with: [0, 1, 0, UInt8.random(in: 0...3, using: &generator), 0, 0, 0, 1])
      }
      _ = try? DNSMessage(bytes)
    }
  }

  /// The zone of an answer is that of the first SOA record of its authority, whatever follows it.
  @Test func theZoneOfAnAnswer() throws {
    let soa =
      Wire.name("ns.example") + Wire.name("admin.example") + [UInt8](repeating: 0, count: 20)
    func zone(_ records: (UInt16, String)...) throws -> DNSName? {
      let wire = Wire("www.example.com", .a).with {
        $0.authority = records.map { type, name in
          Wire.record(type, type == 6 ? soa : Wire.name("ns.example"), name: Wire.name(name))
        }
      }
      return try DNSMessage(wire.bytes).zone
    }
    #expect(try zone() == nil && zone((2, "example.com")) == nil)
    #expect(try zone((6, "example.com")) == DNSName("example.com"))
    #expect(try zone((2, "com"), (6, "example.com"), (6, "com")) == DNSName("example.com"))
  }
}
