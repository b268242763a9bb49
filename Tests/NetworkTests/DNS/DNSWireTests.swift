// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import Testing

@testable import Network

/// Questions and answers byte by byte, as the RFCs lay them out.
@Suite struct DNSWireTests {
  private static let name: [UInt8] = [1, 0x78, 7] + Array("example".utf8) + [0]

  private func query(
    recursion: Bool = true, edns: Bool = true, proof: Bool = false, recordClass: UInt16 = 1
  ) throws -> DNSQuery {
    let question = DNSQuestion(
      name: try #require(DNSName("x.example")), type: .aaaa, recordClass: recordClass, wantsProof: proof)
    return DNSQuery(id: 0xbeef, question: question, recursion: recursion, edns: edns)
  }

  /// The header (RFC 1035 4.1.1), the question, and the OPT record (RFC 6891 6.1) with DO (RFC 3225).
  @Test func aQuestionIsWritten() throws {
    let opt: [UInt8] = [0, 0, 41, 4, 0xd0, 0, 0, 0, 0, 0, 0]
    var secured = opt
    secured[7] = 0x80
    let asked = Self.name + [0, 28, 0, 1]
    #expect(try query().bytes == [0xbe, 0xef, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1] + asked + opt)
    #expect(
      try query(proof: true).bytes == [0xbe, 0xef, 1, 0x20, 0, 1, 0, 0, 0, 0, 0, 1] + asked + secured)
    #expect(
      try query(recursion: false, edns: false, recordClass: 3).bytes
        == [0xbe, 0xef, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + Self.name + [0, 28, 0, 3])
    #expect(
      try query(recursion: false, edns: false, proof: true).bytes.prefix(4) == [0xbe, 0xef, 0, 0x20])
  }

  /// RFC 5452 9.1: the id, an answer to a query, one question and the same, its case aside.
  @Test func whatAnswersAQuestion() throws {
    let query = try query()
    var answer = query.bytes
    answer[2] = 0x81
    #expect(query.accepts(answer[...]))
    func accepts(_ change: (inout [UInt8]) -> Void) -> Bool {
      var bytes = answer
      change(&bytes)
      return query.accepts(([9, 9, 9] + bytes)[3...])
    }
    // Flags that say nothing of whose answer it is: AA, TC, RD, RA, AD, and the code.
    for flags in [(0x80, 0), (0x87, 0xff)] as [(UInt8, UInt8)] {
      let isTaken = accepts {
        $0[2] = flags.0
        $0[3] = flags.1
      }
      #expect(isTaken)
    }
    let alike = [
      accepts { $0[13] = 0x58 }, accepts { $0[15] = 0x45 }, accepts { $0 += [1, 2, 3] },
      accepts { $0 = Array($0.prefix(27)) },
    ]
    #expect(alike == [true, true, true, true])
    let spoils: [(String, (inout [UInt8]) -> Void)] = [
      ("the id's first byte", { $0[0] ^= 1 }), ("the id's second", { $0[1] ^= 1 }),
      ("a query", { $0[2] = 1 }), ("another opcode", { $0[2] = 0x89 }), ("no question", { $0[5] = 0 }),
      ("two questions", { $0[5] = 2 }),
      ("another name", { $0[13] = 0x79 }), ("another length", { $0[12] = 2 }),
      ("another type", { $0[24] = 1 }), ("another class", { $0[26] = 3 }),
      ("cut short", { $0 = Array($0.prefix(26)) }), ("empty", { $0 = [] }),
    ]
    for (what, change) in spoils { #expect(!accepts(change), "\(what)") }
  }

  /// A header and no more is a refusal where its code is one, and says nothing else.
  @Test func bareRefusals() throws {
    let query = try query()
    for code in UInt8(0)...15 {
      let header: [UInt8] = [0xbe, 0xef, 0x80, code, 0, 0, 0, 0, 0, 0, 0, 0]
      #expect(query.accepts(header[...]) == [1, 2, 4, 5].contains(code), "\(code)")
    }
    let refused: [UInt8] = [0xbe, 0xef, 0x81, 0x85, 0, 0, 0, 0, 0, 0, 0, 1]
    #expect(query.accepts(refused[...]) && query.accepts((refused + [0, 0, 41])[...]))
    #expect(!query.accepts(refused.prefix(11)))
    for (place, byte) in [(0, 0xbf), (1, 0xee), (2, 1), (4, 1), (5, 1), (7, 1), (9, 1)] as [(Int, UInt8)] {
      var spoilt = refused
      spoilt[place] = byte
      #expect(!query.accepts(spoilt[...]), "\(place)")
    }
  }

  /// Each flag of a header is its own bit.
  @Test func flags() throws {
    func message(_ flags: UInt16) throws -> DNSMessage {
      try DNSMessage(be(7) + be(flags) + [UInt8](repeating: 0, count: 8))
    }
    for bit in 0..<16 {
      let one = try message(1 << bit)
      #expect(one.isResponse == (bit == 15) && one.authoritative == (bit == 10), "\(bit)")
      #expect(one.truncated == (bit == 9) && one.recursionAvailable == (bit == 7), "\(bit)")
      #expect(one.authentic == (bit == 5), "\(bit)")
      #expect(one.opcode == ((11...14).contains(bit) ? 1 << (bit - 11) : 0), "\(bit)")
      #expect(one.rcode.rawValue == (bit < 4 ? 1 << bit : 0), "\(bit)")
      #expect(one.id == 7 && one.question == nil)
    }
    // Neither an answer nor looked up for others, and no word that there is nothing.
    #expect(try message(0x8000).isReferral)
    for flags: UInt16 in [0x8400, 0x8080, 0x8003] { #expect(try !message(flags).isReferral) }
  }

  /// Purposes of RFC 8914 5.2 by their numbers, in our words.
  @Test func purposes() {
    let names = [
      "other error", "unsupported DNSKEY algorithm", "unsupported DS digest type", "stale answer",
      "forged answer", "DNSSEC indeterminate", "DNSSEC bogus", "signature expired",
      "signature not yet valid", "DNSKEY missing", "RRSIGs missing", "no zone key bit set", "NSEC missing",
      "cached error", "not ready", "blocked", "censored", "filtered", "prohibited", "stale NXDOMAIN answer",
      "not authoritative", "not supported", "no reachable authority", "network error", "invalid data",
    ]
    for number in UInt16(0)...26 {
      let error = DNSExtendedError(be(number)[...])
      let name = number < 25 ? names[Int(number)] : "extended error \(number)"
      #expect(error.purpose == name && error.description == name && error.text.isEmpty)
    }
    let long = DNSExtendedError((be(0x0102) + [UInt8](repeating: 0x61, count: 200))[...])
    #expect(long.code == 258 && long.text.utf8.count == 120)
  }

  /// Five errors of a server are four, and a record that is no OPT has none.
  @Test func fourErrors() throws {
    let option: [UInt8] = [0, 15, 0, 2, 0, 7]
    let wire = Wire("x", .a).with { wire in
      wire.additional = [
        Wire.record(41, [option, option, option, option, option].flatMap(\.self), name: [0])
      ]
    }
    #expect(try DNSMessage(wire.bytes).extendedErrors.count == 4)
  }

  /// Which code a datagram that is asked again is about, and when it is.
  @Test func aDatagramIsAskedAgain() throws {
    let start = Instant.now
    let first = try query()
    var conversation = DNSDatagramConversation(
      first: first, patience: .seconds(2), repetitions: 2, freshID: { 0x1234 })
    #expect(conversation.opened(at: start) == ConversationStep(send: first.bytes, wake: start + .seconds(2)))
    var second = try query(edns: false)
    second.id = 0x1234
    // Each time after twice as long as the one before, and twice in all.
    let steps = [2, 6, 14, 30].map { conversation.woke(at: start + .seconds($0)) }
    #expect(
      steps == [
        ConversationStep(send: second.bytes, wake: start + .seconds(6)),
        ConversationStep(send: second.bytes, wake: start + .seconds(14)),
        ConversationStep(send: second.bytes), .wait,
      ])
    var alone = DNSDatagramConversation(first: first, patience: .seconds(1), freshID: { 0x1234 })
    _ = alone.opened(at: start)
    #expect(alone.woke(at: start + .seconds(1)) == ConversationStep(send: second.bytes))
    #expect(alone.woke(at: start + .seconds(9)) == .wait)
  }

  /// A refusal of EDNS is asked again without, once, and is the answer then; every other code is the answer at once.
  @Test func ednsIsLeftOut() throws {
    for code in UInt8(0)...5 {
      let first = try query()
      var conversation = DNSDatagramConversation(
        first: first, patience: .seconds(2), freshID: { 0x1234 })
      _ = conversation.opened(at: .now)
      var refusal = first.bytes
      (refusal[2], refusal[3]) = (0x80, code)
      let step = conversation.received(refusal[...], from: nil, at: .now)
      let isAgain = code == 1 || code == 4
      #expect(step.isDone == !isAgain && (step.send != nil) == isAgain, "\(code)")
      #expect((conversation.answer == refusal) == !isAgain)
      guard isAgain else { continue }
      let again = conversation.received(refusal[...], from: nil, at: .now)
      #expect(again == .done && conversation.answer == refusal)
    }
    var plain = DNSDatagramConversation(
      first: try query(edns: false), patience: .seconds(2), freshID: { 0x1234 })
    var refusal = try query(edns: false).bytes
    (refusal[2], refusal[3]) = (0x80, 1)
    #expect(plain.received(refusal[...], from: nil, at: .now) == .done)
  }

  /// A datagram of 4,096 bytes is heard, and a larger one is not.
  @Test func largeDatagrams() throws {
    for (size, isHeard) in [(4096, true), (4097, false)] {
      let first = try query(edns: false)
      var conversation = DNSDatagramConversation(
        first: first, patience: .seconds(2), freshID: { 0x1234 })
      var answer = first.bytes
      answer[2] = 0x80
      answer += [UInt8](repeating: 0, count: size - answer.count)
      let step = conversation.received(answer[...], from: nil, at: .now)
      #expect(step == (isHeard ? .done : .wait) && conversation.ignored == (isHeard ? 0 : 1))
    }
  }

  /// A question over TCP stands behind its length.
  @Test func aQuestionOverTCP() throws {
    let query = try query()
    var stream = DNSStreamConversation(query: query)
    #expect(stream.opened(at: .now) == ConversationStep(send: [0, 38] + query.bytes))
  }
}
