// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network
import Testing

@testable import Tracing

/// What a whole trace amounts to, row by row.
@Suite struct TraceVerdictTableTests {
  private let target = SocketAddress(.v4(9), port: 443)

  private func request(_ change: (inout TraceRequest) -> Void = { _ in }) -> TraceRequest {
    var request = TraceRequest(host: "h", target: target)
    request.flows = 2
    change(&request)
    return request
  }

  private func reply(_ from: UInt32, _ meaning: AnswerMeaning) -> TraceReply {
    TraceReply(from: .v4(from), meaning: meaning, roundTrip: .milliseconds(1))
  }

  /// Of answers at TTLs, each by a flow.
  private func book(
    _ method: TraceMethod = .tcp, _ answers: [(ttl: Int, from: UInt32, meaning: AnswerMeaning, flow: Int)],
    silent: [Int] = [], unnamed: Int = 0
  ) -> TraceBook {
    var book = TraceBook(method: method, flows: 2, maxTTL: 30)
    for answer in answers {
      let packet = TracePacket(flow: answer.flow, ttl: answer.ttl)
      book.sent(packet)
      book.heard(packet, reply(answer.from, answer.meaning))
    }
    for ttl in silent { book.sent(TracePacket(flow: 0, ttl: ttl)) }
    for _ in 0..<unnamed { book.heardUnnamed() }
    return book
  }

  private func routers(_ ttls: ClosedRange<Int>, _ method: TraceMethod = .tcp) -> TraceBook {
    book(method, ttls.map { ($0, UInt32($0), .passesOn, 0) })
  }

  /// This machine's fault comes first, then the target, a circle, who refuses, and what the late packet says.
  @Test func whichEndCounts() {
    let refusing: [(ttl: Int, from: UInt32, meaning: AnswerMeaning, flow: Int)] = [
      (1, 1, .passesOn, 0), (2, 2, .passesOn, 0), (4, 2, .refusal("no route"), 0),
      (3, 1, .refusal("host unknown"), 1),
    ]
    var verdict = TraceVerdict(
      request: request(), book: book(.tcp, refusing), circle: .loop(from: 2),
      scout: reply(5, .refusal("host unreachable")))
    #expect(verdict.end == .loop(from: 2))
    verdict.fault = EMFILE
    #expect(verdict.end == .fault("out of file descriptors: raise the limit"))
    verdict = TraceVerdict(
      request: request(), book: book(.tcp, refusing), circle: .single(.v4(2), from: 2))
    let says = "answers to every TTL from 2 on, so that packets go no further"
    #expect(verdict.end == .refused(by: .v4(2), ttl: 2, says: says))
    // The nearest refusal, put where its sender is on the way.
    verdict = TraceVerdict(request: request(), book: book(.tcp, refusing), circle: nil)
    #expect(verdict.end == .refused(by: .v4(1), ttl: 1, says: "host unknown"))
  }

  /// Two flows of different length: the nearer answer of the target is its word, the further one ends the way.
  @Test func twoAnswersOfTheTarget() {
    let book = book(
      .tcp, [(1, 1, .passesOn, 0), (4, 9, .target("accepted"), 0), (6, 9, .target("refused"), 1)])
    let verdict = TraceVerdict(request: request(), book: book, circle: .loop(from: 2))
    #expect(verdict.end == .reached("accepted") && verdict.hops.map(\.ttl) == Array(1...6))
  }

  /// What the packet with a full TTL says where the walk saw no end: put behind the last router, or on its own place.
  @Test func thePacketThatWaitedLonger() {
    var verdict = TraceVerdict(request: request(), book: routers(1...3), circle: nil)
    #expect(verdict.end == .silent(after: 3))
    verdict.scout = reply(9, .target("accepted"))
    #expect(verdict.end == .reached("accepted, beyond the last hop that was looked at"))
    verdict.scout = reply(2, .refusal("host unreachable"))
    #expect(verdict.end == .refused(by: .v4(2), ttl: 2, says: "host unreachable"))
    verdict.scout = reply(8, .tooBig(1400))
    #expect(verdict.end == .refused(by: .v4(8), ttl: 3, says: "packet too big, next link 1400 bytes"))
    verdict.scout = reply(8, .passesOn)
    #expect(verdict.end == .refused(by: .v4(8), ttl: 3, says: "nothing"))
  }

  /// What answers in the target's name before it: a reset is a refusal, an acceptance is named as what it is.
  @Test func somethingBeforeTheTarget() {
    let place = "something behind hop 4, as the target is farther away"
    for (words, end) in [
      ("refused", TraceEnd.refused(by: nil, ttl: 4, says: "reset by \(place)")),
      ("accepted", TraceEnd.reached("accepted by \(place)")),
    ] {
      let book = book(.tcp, [(5, 9, .target(words), 0)])
      #expect(TraceVerdict(request: request(), book: book, circle: nil, front: 5).end == end)
    }
  }

  /// The way is shown to the furthest word of the target, the nearest refusal, four of a circle, three of silence.
  @Test func howMuchIsShown() {
    func last(_ book: TraceBook, _ circle: TraceCircle? = nil, maxTTL: Int = 30) -> Int {
      TraceVerdict(request: request { $0.maxTTL = maxTTL }, book: book, circle: circle).hops.count
    }
    #expect(last(book(.tcp, [(5, 1, .refusal("x"), 0), (3, 1, .refusal("x"), 1)])) == 3)
    #expect(last(book(.tcp, [(3, 1, .refusal("x"), 0), (7, 9, .target("x"), 1)])) == 7)
    #expect(last(routers(1...12), .loop(from: 4)) == 7 && last(routers(1...5), .loop(from: 4)) == 5)
    let answers = [(1, 1, .passesOn, 0)] as [(ttl: Int, from: UInt32, meaning: AnswerMeaning, flow: Int)]
    #expect(last(book(.tcp, answers, silent: [2, 3])) == 3)
    #expect(last(book(.tcp, answers, silent: Array(2...4))) == 4)
    #expect(last(book(.tcp, answers, silent: Array(2...9))) == 4)
    #expect(last(book(.tcp, [])) == 0)
  }

  /// Places that are silent are filled from other methods, the first that knows, and none behind their own end.
  @Test func othersFillWhatIsSilent() {
    let own = book(.tcp, [(1, 1, .passesOn, 0)], silent: [2, 3, 4])
    let udp = book(.udp, [(3, 3, .passesOn, 0), (4, 9, .refusal("no route"), 0), (5, 6, .passesOn, 1)])
    let icmp = book(
      .icmp, [(1, 71, .passesOn, 0), (2, 72, .passesOn, 0), (3, 73, .passesOn, 0), (5, 75, .passesOn, 0)])
    let verdict = TraceVerdict(request: request(), book: own, circle: nil, others: [udp, icmp])
    #expect(verdict.hops.map(\.ttl) == [1, 2, 3, 4, 5])
    #expect(verdict.hops.map(\.method) == [nil, .icmp, .udp, .udp, .icmp])
    #expect(
      verdict.hops.map { $0.answers.first?.address } == [.v4(1), .v4(72), .v4(3), .v4(9), .v4(75)])
    #expect(verdict.hops.map(\.sent) == [1, 1, 1, 1, 1])
    // Behind what stands before the target the others count first; a place that none of them knows has what was sent.
    let front = TraceVerdict(
      request: request(), book: book(.tcp, [(1, 1, .passesOn, 0), (2, 9, .target("refused"), 0)]),
      circle: nil,
      others: [book(.udp, [(2, 2, .passesOn, 0), (4, 4, .passesOn, 0)], silent: [3, 3])], front: 2)
    #expect(front.hops.map(\.method) == [nil, .udp, nil, .udp])
    #expect(front.hops[2] == TraceHop(ttl: 3, sent: 2) && front.hops[1].answers.first?.address == .v4(2))
  }

  /// Why other methods were tried, and what came of each.
  @Test func wordsOnOtherMethods() {
    func note(_ book: TraceBook, _ others: [TraceBook], front: Int? = nil) -> String {
      TraceVerdict(request: request(), book: book, circle: nil, others: others, front: front).note
    }
    let reaches = book(.udp, [(3, 3, .passesOn, 0), (9, 9, .target("port unreachable"), 0)])
    let refused = book(.icmp, [(6, 4, .refusal("x"), 0), (4, 4, .refusal("x"), 1)])
    let nothing = TraceBook(method: .udp, flows: 2, maxTTL: 30)
    #expect(note(routers(1...2), []) == "")
    #expect(
      note(routers(1...2), [reaches])
        == "; nothing answers TCP behind hop 2, so UDP was tried for the rest: UDP reaches the target at hop 9"
    )
    #expect(
      note(routers(1...2), [reaches], front: 5)
        == "; what answers TCP at hop 5 is not the target, so UDP was tried for the rest: "
        + "UDP reaches the target at hop 9")
    #expect(
      note(book(.tcp, [], unnamed: 1), [nothing, routers(1...3, .icmp)])
        == "; this kernel does not say who answered TCP, so UDP and ICMP were tried for the rest: "
        + "UDP is not answered either, ICMP is answered up to hop 3")
    #expect(
      note(book(.tcp, [(1, 1, .passesOn, 0)], unnamed: 1), [refused])
        == "; nothing answers TCP behind hop 1, so ICMP was tried for the rest: ICMP is refused at hop 4")
    #expect(note(nothing, [refused]).hasPrefix("; nothing answers TCP behind hop 0, so ICMP was tried"))
  }

  /// Each error number of this machine has its words.
  @Test func wordsOnFaults() throws {
    let v4 = SocketAddress(.v4(9), port: 443)
    #expect(TraceVerdict.words(EHOSTUNREACH, v4) == "no route from this machine to 0.0.0.9")
    #expect(TraceVerdict.words(ENFILE, v4) == "out of file descriptors: raise the limit")
    let broadcast = SocketAddress(.v4(.max), port: 1)
    #expect(
      TraceVerdict.words(EACCES, broadcast)
        == "255.255.255.255 is the broadcast address of the own network: no way leads there")
    #expect(TraceVerdict.words(EINVAL, v4) == "cannot send to 0.0.0.9: invalid argument")
    let bound = SocketAddress(.v4(9), port: 443, scope: 0, source: .v4(7))
    #expect(
      TraceVerdict.words(EADDRNOTAVAIL, bound)
        == "this machine does not have the address 0.0.0.7 that is to be dialled from")
    #expect(TraceVerdict.words(EADDRNOTAVAIL, v4).hasPrefix("cannot send to 0.0.0.9: "))
    #expect([TraceMethod.tcp, .udp, .icmp].map(\.title) == ["TCP", "UDP", "ICMP"])
  }
}
