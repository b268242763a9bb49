// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import TestSupport
import Testing

@testable import Checks
@testable import Network

/// The outcome of a name server's reply: the time of each part, and how much of the answer is kept.
@Suite struct DNSOutcomeTests {
  private func run(
    explains: Bool = false, _ change: (inout CheckDefinition) -> Void = { _ in }
  ) throws -> DNSProbe.Run {
    let check = try makeCheck("dns") { definition in
      (definition.queryName, definition.queryType) = ("x.example", "A")
      change(&definition)
    }
    guard case .dns(let settings) = check.kind else { throw SetUpFailed(line: "dns") }
    return DNSProbe.Run(
      Attempt(of: check, until: .now + .seconds(5), explains: explains), settings,
      try #require(DNSQuestion(settings)))
  }

  private func outcome(
    _ reply: DNSReply, dns: Duration? = nil, from peer: SocketAddress? = nil, explains: Bool = false
  ) throws -> ProbeOutcome {
    DNSProbe.outcome(of: reply, from: peer, try run(explains: explains), dns, nil, CPUBudget(bytes: 0))
  }

  /// A reply in milliseconds.
  private func reply(
    _ content: DNSReply.Content, _ elapsed: Int, connect: Int? = nil, handshake: Int? = nil, cutAfter: Int = 0
  ) -> DNSReply {
    var reply = DNSReply(content: content, transport: .udp, elapsed: .milliseconds(elapsed))
    reply.connect = connect.map { .milliseconds($0) }
    reply.secure = handshake.map {
      DNSSecureFacts(handshake: .milliseconds($0), tls: nil, statusCode: 200, httpVersion: "2")
    }
    reply.cutAfter = .milliseconds(cutAfter)
    return reply
  }

  private func answer(_ change: (inout Wire) -> Void = { _ in }) throws -> DNSReply.Content {
    .message(try DNSMessage(Wire("x.example", .a).with(change).bytes))
  }

  private func ms(_ span: Int?) -> Duration? { span.map { .milliseconds($0) } }

  /// The question's own time is what connecting and the handshake leave of it, by each transport.
  @Test(
    arguments: [
      (30, nil, nil, 0, 30), (50, 10, nil, 0, 40), (70, 10, 25, 0, 35), (90, nil, 25, 0, 65),
      // Of an answer that was cut, asking over UDP is part of it.
      (80, 20, nil, 30, 60),
    ] as [(Int, Int?, Int?, Int, Int)])
  func theQuestionsOwnTime(elapsed: Int, connect: Int?, handshake: Int?, cutAfter: Int, first: Int) throws {
    let reply = reply(
      try answer(), elapsed, connect: connect, handshake: handshake, cutAfter: cutAfter)
    for dns in [nil, 4] as [Int?] {
      let outcome = try outcome(reply, dns: ms(dns))
      let total = Duration.milliseconds(elapsed + (dns ?? 0))
      #expect(
        outcome.timings
          == Timings(
            dns: ms(dns), connect: ms(connect), tls: ms(handshake), firstByte: ms(first), total: total))
      #expect(outcome.responseTime == total && outcome.verdict == .ok)
      #expect(outcome.statusCode == (handshake == nil ? nil : 200))
      #expect(outcome.httpVersion == (handshake == nil ? nil : "2"))
    }
  }

  /// The time that no part took is that of the phase in which the question failed.
  @Test(
    arguments: [
      (.connect, 50, nil, nil, 0, 50, nil, nil), (.connect, 50, 10, nil, 0, 10, nil, nil),
      (.tls, 50, 10, nil, 0, 10, 40, nil), (.tls, 50, 10, 15, 0, 10, 15, nil),
      (.answer, 50, 10, 15, 0, 10, 15, 25), (.answer, 50, nil, nil, 0, nil, nil, 50),
      (.firstByte, 50, 10, nil, 0, 10, nil, 40), (.dns, 50, 10, nil, 0, 10, nil, nil),
      (.prepare, 50, nil, nil, 0, nil, nil, nil), (nil, 50, nil, nil, 0, nil, nil, nil),
      // What is not there cannot be given.
      (.answer, 25, 10, 15, 0, 10, 15, nil), (.answer, 24, 10, 15, 0, 10, 15, nil),
      // The answer over UDP was cut, and TCP failed.
      (.connect, 80, nil, nil, 30, 50, nil, 30), (.answer, 80, 20, nil, 30, 20, nil, 60),
    ] as [(Phase?, Int, Int?, Int?, Int, Int?, Int?, Int?)])
  func theTimeOfAFailure(
    phase: Phase?, elapsed: Int, connect: Int?, handshake: Int?, cutAfter: Int, connected: Int?, tls: Int?,
    first: Int?
  ) throws {
    let verdict = Verdict(.dnsTimeout, phase: phase, message: "no")
    let outcome = try outcome(
      reply(.failure(verdict), elapsed, connect: connect, handshake: handshake, cutAfter: cutAfter),
      dns: .milliseconds(4))
    let total = Duration.milliseconds(elapsed + 4)
    #expect(
      outcome.timings
        == Timings(
          dns: .milliseconds(4), connect: ms(connected), tls: ms(tls), firstByte: ms(first), total: total))
    #expect(outcome.verdict == verdict && outcome.responseTime == total && outcome.dns == nil)
    #expect(outcome.assertions.map(\.what) == ["rcode"] && outcome.assertions.map(\.ok) == [false])
  }

  /// A fault of this machine before anything was sent has no time.
  @Test(arguments: [(Reason.localFault, 0, false), (.localFault, 1, true), (.dnsTimeout, 0, true)])
  func ourOwnFaultHasNoTime(reason: Reason, elapsed: Int, hasTime: Bool) throws {
    let outcome = try outcome(reply(.failure(Verdict(reason, phase: .prepare)), elapsed))
    #expect((outcome.responseTime != nil) == hasTime)
  }

  /// Of an answer 64 records are kept, and 16 KiB of names and data; all of them are counted.
  @Test func whatIsKeptOfAnAnswer() throws {
    func facts(_ change: (inout Wire) -> Void) throws -> DNSFacts {
      try #require(try outcome(reply(try answer(change), 1)).dns)
    }
    let many = try facts { wire in
      wire.answers = (0..<70).map { Wire.record(1, [192, 0, 2, UInt8($0)]) }
    }
    #expect(many.answers.count == 64 && many.answerCount == 70)
    #expect(many.answers.last == DNSAnswer(name: "x.example.", type: "A", ttl: 300, data: "192.0.2.63"))
    // 773 bytes of data and 10 of the name: 20 of them have 15,660 bytes, and 21 have 16,443.
    let text = [UInt8](repeating: 0x61, count: 255)
    let data = ([255] + text) + ([255] + text) + ([255] + text)
    let large = try facts { $0.answers = (0..<30).map { _ in Wire.record(16, data) } }
    #expect(large.answers.count == 20 && large.answerCount == 30)
    let flags = try facts { wire in
      wire.flags = 0x85a0
      // Two words of its own, an option of another kind and one that is too short.
      let options: [[UInt8]] = [
        [0, 15, 0, 3, 0, 6, 0x61], [0, 9, 0, 2, 0, 1], [0, 15, 0, 1, 0], [0, 15, 0, 2, 0, 9],
      ]
      wire.additional = [Wire.record(41, options.flatMap(\.self), name: [0])]
    }
    #expect(flags.authoritative && flags.authentic && flags.rcode == "NOERROR")
    #expect(flags.errors == ["DNSSEC bogus: a", "DNSKEY missing"])
    let plain = try facts { $0.flags = 0x8180 }
    #expect(!plain.authoritative && !plain.authentic && plain.answers.isEmpty && plain.errors.isEmpty)
  }

  /// An explanation has the whole answer as zone files have it, section by section.
  @Test func theSectionsOfAnAnswer() throws {
    let content = try answer { wire in
      wire.answers = [
        Wire.a(192, 0, 2, 1), Wire.record(16, [1, 0x61], ttl: 7, class: 3),
        Wire.record(16, [1, 0x62], class: 4), Wire.record(16, [1, 0x63], class: 9),
      ]
      wire.authority = [Wire.record(2, Wire.name("ns.example"), name: Wire.name("example"))]
      wire.additional = [Wire.record(41, [], name: [0]), Wire.a(192, 0, 2, 9, name: Wire.name("ns.example"))]
    }
    let account = try #require(try outcome(reply(content, 1), explains: true).account)
    let sections = try #require(account.sections)
    #expect(
      sections.answer == [
        "x.example.\t300\tIN\tA\t192.0.2.1", "x.example.\t7\tCH\tTXT\t\"a\"",
        "x.example.\t300\tHS\tTXT\t\"b\"", "x.example.\t300\tCLASS9\tTXT\t\"c\"",
      ])
    #expect(sections.authority == ["example.\t300\tIN\tNS\tns.example."])
    #expect(sections.additional == ["ns.example.\t300\tIN\tA\t192.0.2.9"])
    #expect(try outcome(reply(content, 1)).account == nil)
  }

  // MARK: What the stream brings

  private func content(
    _ end: FlowReport.End, connected: Bool, lateness: Duration = .zero, transport: DNSTransport = .tcp,
    _ bytes: [UInt8] = []
  ) throws -> Verdict? {
    let start = Instant.now
    let query = DNSQuery(
      id: 7, question: DNSQuestion(name: .root, type: .a), recursion: true, edns: false)
    var conversation = DNSStreamConversation(query: query)
    _ = conversation.received(bytes[...], from: nil, at: start)
    let report = FlowReport(
      end: end, started: start, connected: connected ? start : nil, ended: start,
      deadline: start + .seconds(5), lateness: lateness)
    let client = DNSClient(
      reactor: try Reactor(), phase: .answer, name: Endpoint(host: "ns.test", port: 53), transport: transport)
    let peer = SocketAddress(.v4(0xc000_0201), port: 53)
    guard case .failure(let verdict) = client.content(of: conversation, report, peer) else { return nil }
    return verdict
  }

  /// An end without an answer, by how far it got.
  @Test func endsWithoutAnAnswer() throws {
    #expect(
      try content(.timedOut, connected: false)
        == Verdict(.connectTimeout, phase: .connect, message: "ns.test:53: no connection in time"))
    #expect(
      try content(.timedOut, connected: true)
        == Verdict(.dnsTimeout, phase: .answer, message: "ns.test:53 did not answer"))
    #expect(try content(.timedOut, connected: false, transport: .udp)?.reason == .dnsTimeout)
    #expect(
      try content(.closed, connected: true)
        == Verdict(
          .connectionClosed, phase: .answer,
          message: "ns.test:53: the server closed the connection before its answer was complete"))
    // 111 is ECONNREFUSED, 104 ECONNRESET.
    #expect(
      try content(.failed(111), connected: false)
        == Verdict(.connectRefused, phase: .connect, message: "ns.test:53: connection refused"))
    #expect(
      try content(.failed(104), connected: true)
        == Verdict(.connectionReset, phase: .answer, message: "ns.test:53: connection reset by peer"))
    let late = try content(.timedOut, connected: true, lateness: .milliseconds(1001))
    #expect(late?.reason == .localFault && late?.phase == .answer)
    let lateToConnect = try content(.timedOut, connected: false, lateness: .milliseconds(1001))
    #expect(lateToConnect?.reason == .localFault && lateToConnect?.phase == .connect)
    // A fifth is not more.
    #expect(try content(.timedOut, connected: true, lateness: .seconds(1))?.reason == .dnsTimeout)
  }

  /// A length below that of a header is none, and what is cut where there is room for all is no answer.
  @Test func whatIsNoAnswer() throws {
    #expect(
      try content(.done, connected: true, [0, 11])
        == Verdict(.dnsMalformed, phase: .answer, message: "ns.test:53 sent an impossible length over TCP"))
    #expect(try content(.timedOut, connected: true, [0, 12])?.reason == .dnsTimeout)
    let header: [UInt8] = [0, 7, 0x80, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    let question: [UInt8] = [0, 0, 1, 0, 1]
    #expect(try content(.done, connected: true, [0, 17] + header + question) == nil)
    var cut = header
    cut[2] = 0x82
    #expect(
      try content(.done, connected: true, [0, 17] + cut + question)
        == Verdict(
          .dnsMalformed, phase: .answer, message: "ns.test:53 sent an answer over TCP that says it is cut"))
    // Another's answer is counted.
    var other = header
    other[1] = 8
    #expect(
      try content(.timedOut, connected: true, [0, 17] + other + question)?.message
        == "ns.test:53 did not answer; 1 packets that answered no question of ours were ignored")
    var broken = header
    broken[7] = 1
    #expect(
      try content(.done, connected: true, [0, 17] + broken + question)?.message?.hasPrefix(
        "ns.test:53 sent a malformed answer: ") == true)
  }
}
