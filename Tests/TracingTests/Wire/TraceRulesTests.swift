// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network
import Testing

@testable import Tracing

/// Which packet comes next, without a network.
@Suite struct TraceCourseTests {
  private func request(_ change: (inout TraceRequest) -> Void = { _ in }) -> TraceRequest {
    var request = TraceRequest(host: "h", target: SocketAddress(.v4(9), port: 443))
    change(&request)
    return request
  }

  private func reply(_ address: UInt32, _ meaning: AnswerMeaning = .passesOn) -> TraceReply {
    TraceReply(from: .v4(address), meaning: meaning, roundTrip: .milliseconds(10))
  }

  /// Everything a flow sends where `answer` says who is at a TTL; one packet at a time.
  private func walk(
    _ request: TraceRequest, takesTurns: Bool = true, _ answer: (Int) -> TraceReply?
  ) -> (sent: [TracePacket], book: TraceBook, course: TraceCourse) {
    var book = TraceBook(method: .tcp, flows: request.flows, maxTTL: request.maxTTL)
    var course = TraceCourse(request, takesTurns: takesTurns)
    var sent: [TracePacket] = []
    while !course.isDone, sent.count < 10_000 {
      for flow in 0..<request.flows {
        guard let packet = course.next(flow, book, waits: false) else { continue }
        sent.append(packet)
        book.sent(packet)
        if let reply = answer(packet.ttl) { book.heard(packet, reply) }
        course.look(at: book)
      }
    }
    return (sent, book, course)
  }

  @Test func eachFlowGoesToTheTarget() {
    let (sent, book, _) = walk(request()) { $0 < 4 ? reply(UInt32($0)) : reply(9, .target("accepted")) }
    for flow in 0..<3 {
      #expect(sent.filter { $0.flow == flow }.map(\.ttl) == [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4])
    }
    #expect(book.ends.map { $0?.ttl } == [4, 4, 4])
  }

  /// Eight TTLs are tried behind the last who answered, by the flows in turns, and then three in each round.
  @Test func silenceEnds() {
    let (sent, book, _) = walk(request()) { $0 <= 4 ? reply(UInt32($0)) : nil }
    #expect(sent.filter { $0.round == 0 }.map(\.ttl).max() == 12)
    #expect(sent.filter { $0.round > 0 }.map(\.ttl).max() == 7)
    #expect(sent.count { $0.ttl == 9 } == 1)
    #expect(book.lastRouter == 4)
    #expect(sent.count < 60)
  }

  /// A silent hop in the middle is no end, not even eight of them.
  @Test func holesAreCrossed() {
    let (_, book, _) = walk(request()) { ttl in
      ttl == 1 ? reply(1) : ttl < 9 ? nil : ttl == 9 ? reply(9, .target("accepted")) : nil
    }
    #expect(book.ends.compactMap { $0?.ttl } == [9, 9, 9])
  }

  @Test func everythingIsTriedWhereTheTargetAnswers() {
    let wanted = request { ($0.flows, $0.probes) = (1, 1) }
    var book = TraceBook(method: .tcp, flows: 1, maxTTL: 30)
    var course = TraceCourse(wanted, takesTurns: true)
    course.targetAnswers = true
    var count = 0
    while let packet = course.next(0, book, waits: false) { book.sent(packet); count += 1 }
    #expect(count == 30)
  }

  /// Nothing is waited for longer than others took, but for the first who may be silent.
  @Test func patience() {
    let wanted = request { $0.wait = .seconds(3) }
    var book = TraceBook(method: .tcp, flows: 3, maxTTL: 30)
    let course = TraceCourse(wanted, takesTurns: true)
    #expect(course.patience(for: TracePacket(flow: 0, ttl: 9), book) == .seconds(3))
    book.heard(TracePacket(flow: 0, ttl: 1), reply(1))
    #expect(course.patience(for: TracePacket(flow: 0, ttl: 2), book) == .seconds(3))
    #expect(course.patience(for: TracePacket(flow: 0, ttl: 4), book) == .milliseconds(500))
    #expect(course.patience(for: TracePacket(flow: 0, ttl: 1, round: 1), book) == .milliseconds(500))
  }

  @Test(arguments: [1, 8], [1, 64]) func aCircleIsLeft(flows: Int, maxTTL: Int) {
    let wanted = request { ($0.flows, $0.maxTTL, $0.probes) = (flows, maxTTL, 100) }
    let (sent, _, course) = walk(wanted) { reply(UInt32($0 < 3 ? $0 : 10 + $0 % 2)) }
    #expect(sent.count <= 64 * 8 * 100)
    #expect(course.circle == (maxTTL == 1 ? nil : .loop(from: 3)))
    if maxTTL > 1 { #expect(sent.map(\.ttl).max() ?? 0 <= 10) }
  }
}

/// The same routers again and again.
@Suite struct TraceCircleTests {
  private func path(_ numbers: [UInt32?]) -> [IPAddress?] { [nil] + numbers.map { $0.map(IPAddress.v4) } }

  @Test func loopsAreSeen() {
    #expect(TraceCircle(path([1, 2, 3, 2, 3, 2])) == .loop(from: 2))
    #expect(TraceCircle(path([1, 2, 3, 4, 2, nil, 4, 2])) == .loop(from: 2))
    #expect(TraceCircle(path([1, 7, 7, 7, 7])) == .single(.v4(7), from: 2))
    #expect(TraceCircle(path([1, 7, nil, 7, 7, 7])) == .single(.v4(7), from: 2))
  }

  @Test func whatIsUsualIsNone() {
    #expect(TraceCircle(path([1, 2, 3, 4])) == nil)
    #expect(TraceCircle(path([1, 2, 2, 3])) == nil)
    #expect(TraceCircle(path([1, 2, 2, 2, 3])) == nil)
    #expect(TraceCircle(path([1, 2, 3, 2, 4])) == nil)
    #expect(TraceCircle(path([nil, nil, nil, nil, nil])) == nil)
    #expect(TraceCircle([]) == nil)
  }
}

/// What it all amounts to.
@Suite struct TraceVerdictTests {
  private let target = SocketAddress(.v4(9), port: 443)

  private func verdict(_ change: (inout TraceBook) -> Void) -> TraceVerdict {
    var request = TraceRequest(host: "h", target: target)
    request.flows = 2
    var book = TraceBook(method: .tcp, flows: 2, maxTTL: 30)
    change(&book)
    return TraceVerdict(request: request, book: book, circle: nil)
  }

  private func hear(
    _ book: inout TraceBook, _ ttl: Int, _ from: UInt32, _ meaning: AnswerMeaning = .passesOn, flow: Int = 0
  ) {
    let packet = TracePacket(flow: flow, ttl: ttl)
    book.sent(packet)
    book.heard(packet, TraceReply(from: .v4(from), meaning: meaning, roundTrip: .milliseconds(1)))
  }

  /// One flow that gets through is enough: the target was reached.
  @Test func theTargetWins() {
    let verdict = verdict { book in
      hear(&book, 1, 1)
      hear(&book, 2, 1, .refusal("host unreachable"))
      hear(&book, 3, 9, .target("accepted"), flow: 1)
    }
    #expect(verdict.end == .reached("accepted"))
    #expect(verdict.hops.count == 3)
  }

  @Test func whoRefusesIsPutWhereItIs() {
    let verdict = verdict { book in
      hear(&book, 1, 1)
      hear(&book, 2, 1, .refusal("administratively prohibited"))
    }
    #expect(verdict.end == .refused(by: .v4(1), ttl: 1, says: "administratively prohibited"))
  }

  /// The first router may know no route for the target, and passes nothing on.
  @Test func aRefusalOfARouterThatWasNotSeen() {
    let first = verdict { hear(&$0, 1, 1, .refusal("host unreachable")) }
    #expect(first.end == .refused(by: .v4(1), ttl: 1, says: "host unreachable"))
    var third = verdict { book in
      hear(&book, 1, 1)
      hear(&book, 3, 3, .refusal("no route"))
    }
    #expect(third.end == .refused(by: .v4(3), ttl: 3, says: "no route"))
    // This machine's own word, without and with a cause on its side.
    third.own = TraceVerdict.Own(address: .v4(3))
    #expect(third.end == .refused(by: .v4(3), ttl: 0, says: "no route"))
    third.own?.fault = "the interface of this machine towards 192.0.2.1 has no carrier"
    #expect(third.end == .fault("the interface of this machine towards 192.0.2.1 has no carrier"))
  }

  /// This machine itself is hop 0.
  @Test func thisMachine() {
    var verdict = verdict { $0.sent(TracePacket(flow: 0, ttl: 1)) }
    verdict.scout = TraceReply(from: .v4(77), meaning: .refusal("host unreachable"), roundTrip: .seconds(3))
    #expect(verdict.end == .refused(by: .v4(77), ttl: 1, says: "host unreachable"))
    verdict.own = TraceVerdict.Own(address: .v4(77))
    #expect(verdict.end == .refused(by: .v4(77), ttl: 0, says: "host unreachable"))
    #expect(
      verdict.end.sentence(
        RouteTrace(
          host: "h", target: target, startedAt: Timestamp(seconds: 0), method: .tcp, why: "", flows: 1,
          end: verdict.end))
        == "h was not reached. This machine (0.0.0.77) says: host unreachable.")
  }

  @Test func silenceIsShownAsFarAsThree() {
    let verdict = verdict { book in
      hear(&book, 1, 1)
      for ttl in 2...9 { book.sent(TracePacket(flow: 0, ttl: ttl)) }
    }
    #expect(verdict.end == .silent(after: 1))
    #expect(verdict.hops.map(\.ttl) == [1, 2, 3, 4])
    #expect(self.verdict { $0.sent(TracePacket(flow: 0, ttl: 1)) }.end == .silent(after: 0))
  }

  @Test(arguments: [
    (ENETUNREACH, "no route from this machine to 0.0.0.9"),
    (EPERM, "this machine's own rules keep packets to 0.0.0.9 in: look at its firewall"),
    (
      EACCES,
      "this machine sends nothing to 0.0.0.9: it is a network's broadcast address, or a route or rule of this machine forbids it"
    ),
    (EMFILE, "out of file descriptors: raise the limit"),
  ])
  func faults(code: Int32, words: String) {
    var verdict = verdict { _ in }
    verdict.fault = code
    #expect(verdict.end == .fault(words))
  }
}

/// Sizes that are tried between two known ones.
@Suite struct SizeSearchTests {
  /// Every size is found, and with few packets.
  @Test(arguments: [68, 576, 1280, 1399, 1400, 1401, 1492, 1499, 8999, 65_534]) func isFound(mtu: Int) {
    var (low, high, steps) = (68, 65_535, 0)
    while high - low > 1 {
      let middle = SizeSearch.middle(low, high)
      #expect(low < middle && middle < high)
      if middle <= mtu { low = middle } else { high = middle }
      steps += 1
    }
    #expect(low == mtu)
    #expect(steps <= 22)
  }
}

/// Whose network an address is in.
@Suite struct NetworkTableTests {
  private func table(_ text: String) throws -> NetworkTable { try NetworkTable(Array(text.utf8)) }

  @Test func theLongestPrefixNames() throws {
    let table = try table(
      "# ours\n10.0.0.0/8\tAS64500\tOuter\r\n10.1.0.0/16,64501,\"Inner, Ltd\"\n\n2001:db8::/32,64502,Six\n")
    #expect(table.name(of: .v4(0x0a01_0203)) == "AS64501 Inner, Ltd")
    #expect(table.name(of: .v4(0x0a02_0203)) == "AS64500 Outer")
    #expect(table.name(of: .v4(0x0b02_0203)) == nil)
    #expect(table.name(of: try #require(IPAddress("2001:db8::1"))) == "AS64502 Six")
    #expect(try self.table("").name(of: .v4(1)) == nil)
    #expect(try self.table("0.0.0.0/0,1,All").name(of: .v4(1)) == "AS1 All")
  }

  @Test(arguments: [
    ("10.0.0.0/8,1,a\nnonsense\n", 2, "three fields are needed"), ("10.0.0.1/8,1,a", 1, "is no prefix"),
    ("10.0.0.0/8,-1,a", 1, "is no AS number"), ("10.0.0.0/8,4294967296,a", 1, "is no AS number"),
  ])
  func whatIsWrongIsSaid(text: String, line: Int, words: String) throws {
    let problem = #expect(throws: NetworkTable.Problem.self) { try table(text) }
    #expect(problem?.line == line)
    #expect(problem?.message.contains(words) ?? false, "\(problem?.message ?? "")")
  }

  /// The first and the last address of a prefix, numbers with and without AS, and the last of equal prefixes.
  @Test(
    arguments: [
      ("10.0.0.0/24,AS1,a", "10.0.0.0", "AS1 a"), ("10.0.0.0/24,as2,a", "10.0.0.255", "AS2 a"),
      ("10.0.0.0/24,3,a", "10.0.1.0", nil), ("10.0.0.0/24,3,a", "9.255.255.255", nil),
      ("10.0.0.0/24,4294967295,a", "10.0.0.1", "AS4294967295 a"),
      ("10.0.0.0/24,1,a\n10.0.0.0/24,2,b", "10.0.0.1", "AS2 b"),
      ("10.0.0.7/32,1,a\n10.0.0.0/31,2,b", "10.0.0.7", "AS1 a"),
      ("10.0.0.7/32,1,a\n10.0.0.6/31,2,b", "10.0.0.6", "AS2 b"),
      (" 10.0.0.0/24 , 1 , a b ", "10.0.0.1", "AS1 a b"), ("10.0.0.0/24,1,a,b", "10.0.0.1", "AS1 a,b"),
      ("10.0.0.0/24\t1\ta,b", "10.0.0.1", "AS1 a,b"), ("#10.0.0.0/24,1,a", "10.0.0.1", nil),
      ("::/0,6,six", "10.0.0.1", nil), ("0.0.0.0/0,4,four", "2001:db8::1", nil),
      ("2001:db8::/32,1,a\n2001:db8:1::/48,2,b", "2001:db8:1:ffff::1", "AS2 b"),
      ("2001:db8::/32,1,a\n2001:db8:1::/48,2,b", "2001:db8:2::", "AS1 a"),
    ] as [(String, String, String?)])
  func whoseNetwork(text: String, address: String, name: String?) throws {
    #expect(try table(text).name(of: try #require(IPAddress(address))) == name)
  }

  @Test func namesAreMadePrintable() throws {
    #expect(try table("10.0.0.0/8,1,a\u{1b}[31m").name(of: .v4(0x0a00_0001)) == "AS1 a\\u{1b}[31m")
  }
}
