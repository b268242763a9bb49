// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network
import Testing

@testable import Tracing

/// Sends nothing: answers, refuses and falls silent as it is told.
private final class FakeSender: TraceSender {
  let window: Int
  let descriptors: [Int32] = []
  private(set) var sent: [TracePacket] = []
  private(set) var givenUp: Set<TracePacket> = []
  var news: [TraceHeard] = []
  private let answer: (TracePacket) -> TraceHeard.What?
  private let refusal: (TracePacket) -> Int32

  init(
    window: Int = 1, refusal: @escaping (TracePacket) -> Int32 = { _ in 0 },
    answer: @escaping (TracePacket) -> TraceHeard.What?
  ) {
    (self.window, self.refusal, self.answer) = (window, refusal, answer)
  }

  func send(_ packet: TracePacket) -> Int32 {
    let code = refusal(packet)
    guard code == 0 else { return code }
    sent.append(packet)
    if let what = answer(packet) { news.append(TraceHeard(packet: packet, what: what)) }
    return 0
  }

  func hear(at now: Instant) -> [TraceHeard] {
    defer { news = [] }
    return news
  }

  func giveUp(_ packet: TracePacket) { givenUp.insert(packet) }
}

/// A walk without a network: what counts as sent, as lost, and as this machine's own trouble.
@Suite struct TraceWalkTests {
  private func request(_ change: (inout TraceRequest) -> Void = { _ in }) -> TraceRequest {
    var request = TraceRequest(host: "h", target: SocketAddress(.v4(9), port: 443))
    (request.flows, request.probes, request.pace, request.wait) = (1, 1, .zero, .zero)
    change(&request)
    return request
  }

  private func reply(_ address: UInt32, _ meaning: AnswerMeaning = .passesOn) -> TraceHeard.What {
    .reply(TraceReply(from: .v4(address), meaning: meaning, roundTrip: .milliseconds(10)))
  }

  private func walk(
    _ sender: FakeSender, _ request: TraceRequest, stop: TraceStop,
    until deadline: Instant = .now + .seconds(60)
  ) -> TraceWalk {
    let walk = TraceWalk(.icmp, request, sender, stop: stop, until: deadline)
    walk.run { _ in true }
    return walk
  }

  /// Of eight packets on their way two are answered before the walk has to end: the others are no loss.
  @Test func whatIsUnderWayIsNoLoss() throws {
    let stop = try #require(TraceStop())
    let sender = FakeSender(window: 4) { packet in
      if packet.ttl == 4 { stop.pull() }
      return packet.ttl <= 2 ? reply(UInt32(packet.ttl)) : nil
    }
    let walk = walk(sender, request { $0.wait = .seconds(30) }, stop: stop)
    #expect(sender.sent.map(\.ttl) == [1, 2, 3, 4])
    #expect((1...5).map { walk.book.sent(at: $0) } == [1, 1, 0, 0, 0])
    #expect(sender.givenUp == [TracePacket(flow: 0, ttl: 3), TracePacket(flow: 0, ttl: 4)])
    #expect(walk.book.hops(to: 4).map(\.sent) == [1, 1, 0, 0] && walk.fault == nil)
  }

  /// What was waited for and did not come is lost.
  @Test func silenceIsLoss() throws {
    let sender = FakeSender { $0.ttl == 1 || $0.ttl == 3 ? self.reply(UInt32($0.ttl)) : nil }
    let walk = walk(sender, request(), stop: try #require(TraceStop()))
    // Eight TTLs behind the last answer, which was the third.
    #expect(sender.sent.map(\.ttl) == Array(1...11))
    #expect((1...12).map { walk.book.sent(at: $0) } == Array(repeating: 1, count: 11) + [0])
    #expect(Set(sender.givenUp.map(\.ttl)) == Set([2] + Array(4...11)))
    #expect(walk.book.lastAnswered == 3 && walk.fault == nil)
  }

  @Test func anEndIsTheEnd() throws {
    let sender = FakeSender { $0.ttl < 3 ? self.reply(UInt32($0.ttl)) : self.reply(9, .target("accepted")) }
    let walk = walk(sender, request { $0.probes = 2 }, stop: try #require(TraceStop()))
    #expect(sender.sent.map(\.ttl) == [1, 2, 3, 1, 2, 3] && sender.sent.map(\.round) == [0, 0, 0, 1, 1, 1])
    #expect(walk.book.ends.map { $0?.ttl } == [3] && sender.givenUp.isEmpty)
  }

  /// After its time nothing is sent, and nothing either once it is to stop.
  @Test func nothingIsSentAfterTheEnd() throws {
    let silent = FakeSender { _ in nil }
    let stop = try #require(TraceStop())
    _ = walk(silent, request(), stop: stop, until: .now)
    stop.pull()
    _ = walk(silent, request(), stop: stop)
    #expect(silent.sent.isEmpty && silent.givenUp.isEmpty)
  }

  /// This machine's trouble ends a walk that has seen nothing of the way; later it leaves out the packet.
  @Test func ownTrouble() throws {
    let stop = try #require(TraceStop())
    let none = FakeSender(refusal: { _ in ENETUNREACH }, answer: { _ in nil })
    let first = walk(none, request(), stop: stop)
    #expect(first.fault == ENETUNREACH && none.sent.isEmpty && first.book.sent(at: 1) == 0)
    let later = FakeSender(
      refusal: { $0.ttl == 2 ? ENOBUFS : 0 },
      answer: { $0.ttl < 3 ? self.reply(UInt32($0.ttl)) : self.reply(9, .target("accepted")) })
    let second = walk(later, request(), stop: stop)
    #expect(second.fault == nil && later.sent.map(\.ttl) == [1, 3])
    #expect((1...3).map { second.book.sent(at: $0) } == [1, 0, 1])
    #expect(second.book.ends.map { $0?.ttl } == [3])
    // The same of a packet that was sent.
    let heard = FakeSender { _ in .fault(EHOSTUNREACH) }
    #expect(walk(heard, request(), stop: stop).fault == EHOSTUNREACH && heard.sent.count == 1)
    let behind = FakeSender { $0.ttl == 1 ? self.reply(1) : .fault(EHOSTUNREACH) }
    #expect(walk(behind, request(), stop: stop).fault == nil && behind.sent.count == 9)
  }

  /// News of a packet that is not waited for says nothing, and an error without a sender is counted alone.
  @Test func strayNews() throws {
    let stop = try #require(TraceStop())
    let stray = FakeSender { $0.ttl == 1 ? self.reply(1) : nil }
    stray.news = [TraceHeard(packet: TracePacket(flow: 0, ttl: 7), what: reply(7))]
    let walked = walk(stray, request(), stop: stop)
    #expect(walked.book.lastAnswered == 1 && !walked.book.isAnswered(7))
    let unnamed = FakeSender { _ in .unnamed }
    let second = walk(unnamed, request(), stop: stop)
    #expect(second.book.unnamed == unnamed.sent.count && unnamed.sent.count == 8)
    #expect(second.book.lastAnswered == 0 && unnamed.givenUp.isEmpty)
  }
}
