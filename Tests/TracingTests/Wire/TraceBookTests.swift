// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Tracing

/// What is written down of the packets and their answers.
@Suite struct TraceBookTests {
  private func hear(
    _ book: inout TraceBook, _ ttl: Int, _ from: UInt32, _ meaning: AnswerMeaning = .passesOn, flow: Int = 0,
    milliseconds: Int = 1, _ change: (inout TraceReply) -> Void = { _ in }
  ) {
    var reply = TraceReply(from: .v4(from), meaning: meaning, roundTrip: .milliseconds(milliseconds))
    change(&reply)
    book.heard(TracePacket(flow: flow, ttl: ttl), reply)
  }

  private func book(flows: Int = 2) -> TraceBook { TraceBook(method: .udp, flows: flows, maxTTL: 9) }

  /// The first router of a flow stays its router, and only one that passes packets on in its own name is on the way.
  @Test func theFirstRouterOfAPlaceStays() {
    var book = book()
    hear(&book, 2, 7)
    hear(&book, 2, 8)
    hear(&book, 3, 9, .passesRewritten)
    hear(&book, 4, 9, .tooBig(1400))
    hear(&book, 5, 6, flow: 1)
    hear(&book, 6, 5, .refusal("x"))
    #expect(book.paths[0] == [nil, nil, .v4(7), nil, nil, nil, nil, nil, nil, nil])
    #expect(book.paths[1] == [nil, nil, nil, nil, nil, .v4(6), nil, nil, nil, nil])
    #expect(book.lastRouter == 5 && book.lastAnswered == 6)
    #expect(book.ttl(of: .v4(9)) == 3 && book.ttl(of: .v4(8)) == 2 && book.ttl(of: .v4(5)) == nil)
  }

  /// The nearest end of a flow counts, and of two at one place the first.
  @Test func theNearestEndCounts() {
    var book = book(flows: 3)
    hear(&book, 5, 1, .target("accepted"))
    hear(&book, 5, 2, .refusal("later"))
    #expect(book.ends[0] == TraceBook.End(ttl: 5, by: .v4(1), meaning: .target("accepted")))
    hear(&book, 6, 3, .refusal("further"))
    #expect(book.ends[0]?.ttl == 5)
    hear(&book, 4, 4, .refusal("nearer"))
    #expect(book.ends[0] == TraceBook.End(ttl: 4, by: .v4(4), meaning: .refusal("nearer")))
    hear(&book, 2, 4, .tooBig(1400), flow: 1)
    hear(&book, 2, 4, .passesRewritten, flow: 1)
    hear(&book, 2, 4, flow: 1)
    #expect(book.ends[1] == nil && book.ends[2] == nil)
  }

  /// Times, flows, labels and the TTL of the answers of one address; the last word on TTL and labels counts.
  @Test func answersOfOneAddress() throws {
    var book = book(flows: 3)
    for _ in 0..<4 { book.sent(TracePacket(flow: 0, ttl: 1)) }
    book.unsent(TracePacket(flow: 0, ttl: 1))
    #expect(book.worst == nil)
    hear(&book, 1, 7, flow: 2, milliseconds: 4) {
      ($0.hopsLeft, $0.labels) = (64, [MPLSLabel(label: 16, ttl: 1)])
    }
    hear(&book, 1, 7, flow: 0, milliseconds: 9) {
      ($0.hopsLeft, $0.labels) = (63, [MPLSLabel(label: 17, ttl: 2)])
    }
    hear(&book, 1, 7, flow: 2, milliseconds: 2)
    #expect(book.worst == .milliseconds(9))
    let hops = book.hops(to: 1)
    #expect(hops.count == 1 && hops[0].ttl == 1 && hops[0].sent == 3)
    var expected = TraceAnswer(
      address: .v4(7), received: 3, best: .milliseconds(2), average: .milliseconds(5),
      worst: .milliseconds(9), flows: [0, 2], replyTTL: 63)
    expected.labels = [MPLSLabel(label: 17, ttl: 2)]
    #expect(hops[0].answers == [expected])
  }

  /// At one place the address with most answers comes first, what it says apart from what it is silent about.
  @Test func whoAnswersMostComesFirst() {
    var book = book()
    hear(&book, 3, 1)
    hear(&book, 3, 2, .refusal("no route"))
    for _ in 0..<2 { hear(&book, 3, 2) }
    for _ in 0..<3 { hear(&book, 3, 4, .refusal("x")) }
    #expect(book.router(at: 3) == .v4(2))
    let answers = book.hops(to: 3)[2].answers
    #expect(answers.map(\.received) == [3, 2, 1, 1])
    #expect(answers.prefix(2).map(\.address) == [.v4(4), .v4(2)])
    #expect(answers[0].says == "x" && answers[1].says == nil)
  }

  /// Places that a book does not have, and those at its ends.
  @Test func placesBeyond() {
    var book = book()
    book.sent(TracePacket(flow: 0, ttl: 9))
    hear(&book, 9, 7)
    #expect(book.sent(at: 9) == 1 && book.isAnswered(9) && book.router(at: 9) == .v4(7))
    #expect(book.sent(at: 10) == 0 && !book.isAnswered(10) && book.router(at: 10) == nil)
    #expect(book.sent(at: -1) == 0 && !book.isAnswered(-1) && book.router(at: -1) == nil)
    #expect(book.hops(to: 0).isEmpty && book.hops(to: -1).isEmpty)
    #expect(book.hops(to: 12).map(\.ttl) == Array(1...9))
  }
}

/// How far a flow goes, and how long it waits.
@Suite struct TraceReachTests {
  private func request(_ change: (inout TraceRequest) -> Void = { _ in }) -> TraceRequest {
    var request = TraceRequest(host: "h", target: SocketAddress(.v4(9), port: 443))
    (request.flows, request.probes) = (2, 2)
    change(&request)
    return request
  }

  /// By reference, so that an expectation can ask for the next round.
  private final class Course {
    var course: TraceCourse

    init(_ request: TraceRequest, takesTurns: Bool = false, firstTTL: Int = 1) {
      course = TraceCourse(request, takesTurns: takesTurns, firstTTL: firstTTL)
    }

    /// TTLs of a flow's whole round, without new answers.
    func round(_ flow: Int, _ book: TraceBook, waits: Bool = false) -> [Int] {
      var ttls: [Int] = []
      while let packet = course.next(flow, book, waits: waits) { ttls.append(packet.ttl) }
      return ttls
    }
  }

  private func hear(_ book: inout TraceBook, _ ttl: Int, _ meaning: AnswerMeaning = .passesOn, flow: Int = 0)
  {
    book.heard(
      TracePacket(flow: flow, ttl: ttl),
      TraceReply(from: .v4(UInt32(ttl)), meaning: meaning, roundTrip: .milliseconds(200)))
  }

  /// With nothing known eight TTLs are tried, then three; with one flow's end known two more than that, then as many.
  @Test func howFarAFlowGoes() {
    var book = TraceBook(method: .udp, flows: 2, maxTTL: 30)
    let course = Course(request())
    #expect(course.round(0, book) == Array(1...8) && course.round(0, book) == [1, 2, 3])
    #expect(course.course.isDone(0) && !course.course.isDone(1) && !course.course.isDone)
    hear(&book, 2)
    hear(&book, 4, .target("accepted"))
    // The other flow, of which nothing came.
    #expect(course.course.round(of: 1) == 0 && course.round(1, book) == Array(1...6))
    #expect(course.course.round(of: 1) == 1 && course.round(1, book) == [1, 2, 3, 4])
    #expect(course.course.isDone && course.round(1, book).isEmpty)
    // An answer behind the end of the other makes it longer.
    let longer = Course(request())
    hear(&book, 7, flow: 1)
    #expect(longer.round(1, book) == Array(1...9) && longer.round(1, book) == [1, 2, 3, 4])
    #expect(longer.round(0, book) == [1, 2, 3, 4])
  }

  /// The last TTL there is holds for each way of ending, and a host that answers has all of them tried once.
  @Test func theLastTTLHolds() {
    var book = TraceBook(method: .udp, flows: 2, maxTTL: 5)
    let course = Course(request { $0.maxTTL = 5 })
    #expect(course.round(0, book) == Array(1...5))
    hear(&book, 4)
    #expect(course.round(0, book) == Array(1...5))
    let open = Course(request { $0.maxTTL = 12 })
    open.course.targetAnswers = true
    var none = TraceBook(method: .udp, flows: 2, maxTTL: 12)
    #expect(open.round(0, none) == Array(1...12) && open.round(0, none) == [1, 2, 3])
    // Where one flow's end is known the other does not look for it everywhere.
    hear(&none, 3, .target("accepted"), flow: 0)
    #expect(open.round(1, none) == Array(1...5))
  }

  /// In turns only what lies behind the next place is shared out.
  @Test func whatIsSharedOut() {
    var book = TraceBook(method: .tcp, flows: 3, maxTTL: 30)
    hear(&book, 1)
    hear(&book, 2)
    let course = Course(request { ($0.flows, $0.probes) = (3, 1) }, takesTurns: true)
    #expect(course.round(0, book) == [1, 2, 3, 6, 9])
    #expect(course.round(1, book) == [1, 2, 3, 4, 7, 10])
    #expect(course.round(2, book) == [1, 2, 3, 5, 8])
    // From a later place on that one is of all.
    let later = Course(request { ($0.flows, $0.probes) = (3, 1) }, takesTurns: true, firstTTL: 6)
    let none = TraceBook(method: .tcp, flows: 3, maxTTL: 30)
    #expect(later.round(0, none) == [6, 9, 12])
    #expect(later.round(1, none) == [6, 7, 10, 13] && later.round(2, none) == [6, 8, 11])
  }

  /// While answers are on their way a round is not over.
  @Test func aRoundThatWaits() {
    let book = TraceBook(method: .udp, flows: 2, maxTTL: 30)
    let course = Course(request { $0.probes = 1 }, firstTTL: 5)
    #expect(course.round(0, book, waits: true) == Array(5...12))
    #expect(course.course.round(of: 0) == 0 && !course.course.isDone(0))
    #expect(course.round(0, book).isEmpty && course.course.isDone(0))
  }

  /// Four of a circle are shown, and of two circles the nearer one counts.
  @Test func aCircleIsTheEnd() {
    var book = TraceBook(method: .udp, flows: 2, maxTTL: 30)
    for ttl in 4...9 {
      book.heard(
        TracePacket(flow: 0, ttl: ttl),
        TraceReply(from: .v4(UInt32(ttl % 2)), meaning: .passesOn, roundTrip: .zero))
      book.heard(
        TracePacket(flow: 1, ttl: ttl - 1), TraceReply(from: .v4(77), meaning: .passesOn, roundTrip: .zero))
    }
    let course = Course(request())
    course.course.look(at: book)
    #expect(course.course.circle == .single(.v4(77), from: 3) && course.course.circle?.from == 3)
    #expect(course.round(0, book) == Array(1...6))
  }

  /// The first two places behind the last answer are waited for as was asked; the others four times as long as the
  /// slowest answer took, half a second at least, and never longer than was asked.
  @Test(arguments: [(50, 500), (125, 500), (126, 504), (400, 1600), (800, 3000)])
  func howLongIsWaited(worst: Int, patience: Int) {
    let course = Course(request { $0.wait = .seconds(3) })
    var book = TraceBook(method: .udp, flows: 2, maxTTL: 30)
    book.heard(
      TracePacket(flow: 0, ttl: 5),
      TraceReply(from: .v4(1), meaning: .passesOn, roundTrip: .milliseconds(worst)))
    #expect(course.course.patience(for: TracePacket(flow: 1, ttl: 7), book) == .seconds(3))
    #expect(course.course.patience(for: TracePacket(flow: 1, ttl: 8), book) == .milliseconds(patience))
    #expect(
      course.course.patience(for: TracePacket(flow: 1, ttl: 7, round: 1), book) == .milliseconds(patience))
  }
}
