// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// Rules of a DNS check, each with what it takes and what it refuses.
@Suite struct DNSJudgeTableTests {
  private func problems(_ change: (inout CheckDefinition) -> Void) -> [String] {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.queryName) = ("Zone", "dns", "a.example")
    change(&definition)
    do throws(InvalidCheck) {
      _ = try MonitoringCheck(definition)
      return []
    } catch { return error.problems.map { "\($0.path.joined(separator: "/")): \($0.message)" } }
  }

  private var keys: [(String, WritableKeyPath<CheckDefinition, [String]?>)] {
    [
      ("any", \.expect.answersAny), ("all", \.expect.answersAll), ("exact", \.expect.answersExact),
      ("none", \.expect.answersNone),
    ]
  }

  /// Answers that are wanted need NOERROR among the response codes; answers that must not be there go with any.
  @Test func answersAndResponseCodes() {
    for (key, list) in keys {
      for (codes, hasAnswers) in [
        (nil, true), (["NOERROR"], true), (["noerror"], true), (["NXDOMAIN", "NOERROR"], true),
        (["NXDOMAIN"], false), (["SERVFAIL", "REFUSED"], false),
      ] as [([String]?, Bool)] {
        let found = problems {
          $0[keyPath: list] = ["192.0.2.1"]
          $0.expect.rcodes = codes
        }
        let words = "expect.answers.\(key) can never hold: expect.rcode leaves out NOERROR"
        let refusal = hasAnswers || key == "none" ? [] : ["expect/answers/\(key): \(words)"]
        #expect(found == refusal, "\(key) \(codes ?? [])")
      }
    }
  }

  /// How many entries a list has, and what it may not be: empty, or too long.
  @Test func entriesOfAList() {
    for (key, list) in keys {
      func found(_ count: Int) -> [String] {
        problems { $0[keyPath: list] = Array(repeating: "192.0.2.1", count: count) }
      }
      let most = CheckLimits.answers
      #expect(found(0) == ["expect/answers/\(key): expect.answers.\(key) is empty"])
      #expect(found(1) == [] && found(most) == [])
      #expect(
        found(most + 1) == [
          "expect/answers/\(key): expect.answers.\(key) has \(most + 1) entries, at most \(most) are allowed"
        ])
      // An empty list is told once, whatever the codes are.
      let empty = problems {
        $0[keyPath: list] = []
        $0.expect.rcodes = ["NXDOMAIN"]
      }
      #expect(empty == ["expect/answers/\(key): expect.answers.\(key) is empty"])
    }
  }

  /// Addresses are of the type's family; other types take any text, and all take a pattern.
  @Test(
    arguments: [
      ("A", "192.0.2.1", nil), ("A", "2001:db8::1", 4), ("A", "shop", 4), ("AAAA", "2001:db8::1", nil),
      ("AAAA", "192.0.2.1", 6), ("aaaa", "192.0.2.1", 6), ("TXT", "192.0.2.1", nil), ("TXT", "any text", nil),
      ("A", "~ ^192", nil), ("AAAA", "~ ^192", nil),
    ] as [(String, String, Int?)])
  func answersOfAType(type: String, answer: String, version: Int?) {
    let found = problems {
      $0.queryType = type
      $0.expect.answersAny = [answer]
    }
    let words = version.map {
      ["expect/answers/any/0: expect.answers.any[0] must be an IPv\($0) address, found \"\(answer)\""]
    }
    #expect(found == words ?? [])
  }

  /// Names that can be asked for, and why others cannot: the root, labels of 63 bytes and names of 253 at most.
  @Test func names() {
    let (label, most) = (String(repeating: "a", count: 63), String(repeating: "a.", count: 126) + "a")
    for (name, words) in [
      (".", nil), ("a", nil), ("a.", nil), ("_dmarc.a.example", nil), ("*.a.example", nil),
      ("0/25.a.example", nil), (label, nil), (label + ".a.", nil),
      (label + "a", "has an empty or overlong label"),
      ("a..b", "has an empty or overlong label"), (".a", "has an empty or overlong label"),
      ("a..", "has an empty or overlong label"), (most, nil), (most + ".", nil),
      ("a" + most, "is longer than 253 bytes"), ("a" + most + ".", "is longer than 253 bytes"),
      ("a b", "has a character that needs escaping"), ("a@b.example", "has a character that needs escaping"),
      ("a:53", "has a character that needs escaping"), ("a#b", "has a character that needs escaping"),
    ] as [(String, String?)] {
      let found = problems { $0.queryName = name }
      #expect(found.count == (words == nil ? 0 : 1), "\(name)")
      guard let words else { continue }
      #expect(found.first?.hasPrefix("query/name: query.name \(words), found ") == true, "\(name)")
    }
    #expect(problems { $0.queryName = nil } == ["query/name: query.name is missing"])
  }

  /// A number that is refused although it is TYPE and a number is told apart.
  @Test(
    arguments: [
      ("ANY", "ANY is a question that servers refuse"),
      ("TYPE255", "TYPE255 (ANY) is a question that servers refuse"),
      ("type252", "TYPE252 (AXFR) is a question that servers refuse"),
      ("TYPE41", "TYPE41 is no type of a record in a zone"),
      ("TYPE0", "TYPE0 is no type of a record in a zone"),
      ("TYPE01", "write TYPE1"), ("NONE", nil), ("TYPEX", nil),
    ] as [(String, String?)])
  func hintsOfRecordTypes(type: String, hint: String?) throws {
    var definition = CheckDefinition.dns(name: "example.com")
    definition.queryType = type
    let error = try #require(throws: InvalidCheck.self) { try MonitoringCheck(definition) }
    #expect(error.problems.map(\.hint) == [hint])
  }

  /// A transport with TLS needs a server; the others ask those of the machine.
  @Test(
    arguments: [
      ("udp", false), ("tcp", false), ("dot", true), ("doh", true), (nil, false),
    ] as [(String?, Bool)])
  func transports(transport: String?, needsServer: Bool) {
    #expect(
      problems { $0.transport = transport }
        .map { $0.prefix(25) } == (needsServer ? ["server: server is missing"] : []))
    #expect(
      problems {
        $0.transport = transport
        $0.server = "192.0.2.53"
      } == [])
  }

  /// A resolver that is named means this question too, over UDP and TCP, unless the check has its own server; each transport
  /// has its port.
  @Test(
    arguments: [
      ("udp", nil, "192.0.2.1:53"), ("tcp", nil, "192.0.2.1:53"), ("udp", "192.0.2.2", "192.0.2.2:53"),
      ("tcp", "192.0.2.2:5353", "192.0.2.2:5353"), ("dot", "192.0.2.2", "192.0.2.2:853"),
      ("doh", "192.0.2.2", "192.0.2.2:443"),
    ] as [(String, String?, String)])
  func servers(transport: String, server: String?, asked: String) throws {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.queryName) = ("Zone", "dns", "a.example")
    (definition.transport, definition.server, definition.resolver) = (transport, server, "192.0.2.1")
    let check = try MonitoringCheck(definition)
    guard case .dns(let settings) = check.kind else {
      Issue.record("no DNS check")
      return
    }
    #expect(settings.server.map { "\($0.host):\($0.port)" } == asked)
  }
}
