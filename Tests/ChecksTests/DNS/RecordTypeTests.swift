// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// What the probe prints, beside what kdig makes of the same bytes.
@Suite(.timeLimit(.minutes(2))) struct RecordTypeTests {
  @Test func printsEveryTypeAsKdigDoes() async throws {
    let zones = [KnotZone("types.example", RecordTypeZone.text)]
    try await withKnot(zones) { knot in
      for record in RecordTypeZone.records {
        let name = "\(record.name).types.example"
        let facts = try #require(try await ask(knot, name, record.type).dns, "\(name)")
        let kdig = try kdigAnswers([name, record.type], port: knot)
        #expect(facts.answers.map(\.data).map(squeezed) == kdig.map(squeezed), "\(record.type)")
        #expect(!kdig.isEmpty, "\(record.type)")
      }
    }
  }

  /// The records that signing makes: DNSKEY, RRSIG, NSEC, NSEC3, NSEC3PARAM.
  @Test(arguments: [false, true]) func printsASignedZoneAsKdigDoes(nsec3: Bool) async throws {
    var zone = KnotZone(
      "signed.example", "$TTL 300\n@ SOA ns admin 7 3600 600 86400 60\n@ NS ns\nns A 127.0.0.1\n")
    zone.signing = nsec3 ? .nsec3 : .nsec
    try await withKnot([zone]) { knot in
      var types = ["SOA", "DNSKEY", "CDS", "CDNSKEY"]
      types.append(nsec3 ? "NSEC3PARAM" : "NSEC")
      for type in types {
        let facts = try #require(try await ask(knot, "signed.example", type, dnssec: true).dns)
        let kdig = try kdigAnswers(["signed.example", type, "+dnssec"], port: knot)
        #expect(Set(facts.answers.map(\.data).map(squeezed)) == Set(kdig.map(squeezed)), "\(type)")
        #expect(facts.answers.contains { $0.type == "RRSIG" }, "\(type)")
      }
      if nsec3 {
        // NSEC3 records are only seen in the authority section of a denial; kdig prints them, we must read them.
        let denial = try await ask(knot, "none.signed.example", "A", dnssec: true)
        #expect(denial.verdict.reason == .dnsNXDomain)
      }
    }
  }

  static let written: [(type: UInt16, data: [UInt8], text: String)] = [
    // RFC 5155: a salt, a hash of 20 bytes, types.
    (
      50,
      [1, 1, 0, 12, 4, 0xaa, 0xbb, 0xcc, 0xdd, 20] + [UInt8](0..<20) + [0, 6, 0x40, 0, 0, 0, 0, 2],
      "1 1 12 AABBCCDD 000G40O40K30E209185GO38E1S8124GJ A RRSIG"
    ),
    (50, [1, 0, 0, 0, 0, 1, 0xff], "1 0 0 - VS"),
    // RFC 4034 4.3: the example of NSEC, with TYPE1234.
    (
      47,
      [4] + Array("host".utf8) + [7] + Array("example".utf8) + [3] + Array("com".utf8) + [0]
        + [0, 6, 0x40, 1, 0, 0, 0, 3, 4, 27] + [UInt8](repeating: 0, count: 26) + [0x20],
      "host.example.com. A MX RRSIG NSEC TYPE1234"
    ),
    (
      46, [0, 1, 5, 3, 0, 1, 0x51, 0x80, 0x40, 0, 0, 0, 0x3e, 0, 0, 0, 0x0a, 0x52, 0, 1, 2],
      "A 5 3 86400 20040110133704 20021218045632 2642 . AQI="
    ),
    (64, [0, 0, 0], "0 ."), (65, [0, 1, 0, 0, 7, 0, 2, 0x2f, 0x71], "1 . dohpath=\"/q\""),
    (65, [0, 1, 0, 0, 0, 0, 4, 0, 1, 1, 0], "1 . mandatory=alpn,key256"),
    (29, [1] + [UInt8](repeating: 0, count: 15), "\\# 16 01000000000000000000000000000000"),
    (29, [0, 0xa0] + [UInt8](repeating: 0, count: 14), "\\# 16 00A00000000000000000000000000000"),
    (62, [0, 0, 0, 1, 0, 0], "1 0"), (256, [0, 1, 0, 2], "1 2 \"\""), (61, [], ""),
    (43, [0, 1, 8, 2], "1 8 2"), (32_769, [0, 1, 8, 2, 0xab], "1 8 2 AB"),
  ]

  @Test(arguments: written) func printsByTheRFC(type: UInt16, data: [UInt8], text: String) throws {
    let wire = Wire("example.com", .a).with { $0.answers = [Wire.record(type, data)] }
    #expect(try DNSMessage(wire.bytes).answers.first?.data == text)
  }

  static let broken: [(what: String, type: UInt16, data: [UInt8])] = [
    ("a service parameter twice", 65, [0, 1, 0, 0, 3, 0, 2, 0, 1, 0, 3, 0, 2, 0, 1]),
    ("service parameters out of order", 65, [0, 1, 0, 0, 4, 0, 4, 1, 1, 1, 1, 0, 3, 0, 2, 0, 1]),
    ("a service parameter past the end", 65, [0, 1, 0, 0, 3, 0, 9, 0]),
    ("a port of 3 bytes", 65, [0, 1, 0, 0, 3, 0, 3, 0, 1, 2]),
    ("an IPv4 hint of 5 bytes", 65, [0, 1, 0, 0, 4, 0, 5, 1, 2, 3, 4, 5]),
    ("an empty ALPN", 65, [0, 1, 0, 0, 1, 0, 1, 0]),
    ("an ALPN past its list", 65, [0, 1, 0, 0, 1, 0, 2, 9, 1]),
    ("a bitmap window of 0 bytes", 47, [0, 0, 0]),
    ("a bitmap window of 33 bytes", 47, [0, 0, 33] + [UInt8](repeating: 0, count: 33)),
    ("bitmap windows out of order", 47, [0, 1, 1, 1, 0, 1, 1]), ("a bitmap cut off", 47, [0, 0, 4, 1]),
    ("an NSEC3 salt past the end", 50, [1, 0, 0, 0, 9, 1]),
    ("an NSEC3 hash past the end", 50, [1, 0, 0, 0, 0, 9, 1]),
    ("a DS of 3 bytes", 43, [0, 1, 8]), ("an RRSIG cut off", 46, [0, 1, 5, 3]),
    ("a URI of 3 bytes", 256, [0, 1, 0]),
    ("a NAPTR text past the end", 35, [0, 1, 0, 1, 9, 0x61]), ("a DNAME with bytes behind", 39, [0, 1]),
  ]

  @Test(arguments: broken) func refuses(what: String, type: UInt16, data: [UInt8]) {
    let wire = Wire("x", .a).with { $0.answers = [Wire.record(type, data)] }
    #expect(throws: DNSMalformed.self, "\(what)") { try DNSMessage(wire.bytes) }
  }

  @Test func everyTypeOfTheConfigurationHasANumberAndALayout() throws {
    for text in DNSSettings.recordTypes {
      let type = try #require(DNSRecordType(text), "\(text)")
      #expect(type.description == text)
      let isReadApart = type == .a || type == .aaaa || type == .loc
      #expect(isReadApart || type.layout != nil, "\(text)")
    }
  }

  /// A class that knows the type keeps its text; others have opaque data.
  @Test func classesOtherThanINKeepTheTypesOfTheFirstRFC() throws {
    let wire = Wire("version.bind", .txt).with { wire in
      wire.answers = [Wire.record(16, [1, 0x61], class: 3), Wire.record(33, [1, 2], class: 3)]
    }
    #expect(try DNSMessage(wire.bytes).answers.map(\.data) == ["\"a\"", "\\# 2 0102"])
  }

  private func ask(_ port: UInt16, _ name: String, _ type: String, dnssec: Bool = false) async throws
    -> ProbeOutcome
  {
    try await dnsAttempt { definition in
      definition.server = "127.0.0.1:\(port)"
      (definition.queryName, definition.queryType, definition.dns.dnssec) = (
        name, "TYPE\(DNSRecordType(type)?.rawValue ?? 0)", dnssec
      )
    }
  }

  /// kdig sets some fields apart with more than one space.
  private func squeezed(_ text: String) -> String {
    text.split(separator: " ").joined(separator: " ")
  }
}

/// What kdig prints for the answer section, without name, TTL, class and type.
func kdigAnswers(_ arguments: [String], port: UInt16) throws -> [String] {
  let output = try toolOutput(
    "/usr/bin/kdig", ["@127.0.0.1", "-p", String(port), "+noall", "+answer"] + arguments)
  return output.split(separator: "\n").compactMap { line in
    let words = line.split(maxSplits: 4, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" }
    return words.count >= 4 && !line.hasPrefix(";") ? String(words.count > 4 ? words[4] : "") : nil
  }
}

/// Runs a program and returns what it printed.
func toolOutput(_ program: String, _ arguments: [String]) throws -> String {
  try #require(
    FileManager.default.isExecutableFile(atPath: program), "\(program) is missing: run ./scripts/test")
  let process = Process()
  let output = Pipe()
  process.executableURL = URL(filePath: program)
  process.arguments = arguments
  process.standardOutput = output
  process.standardError = FileHandle.nullDevice
  try process.run()
  let bytes = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return String(decoding: bytes, as: UTF8.self)
}
