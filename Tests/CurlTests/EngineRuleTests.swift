// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Glibc
import Testing

@testable import Curl

/// What the engine decides of its own: who waits, what is counted, what a header line is.
@Suite struct EngineRuleTests {
  private func ticket(
    _ url: String = "http://a/", _ kind: WorkOrigin.Kind = .fileChecks, key: UInt64 = 0,
    at milliseconds: Int64 = 0, _ change: (inout TransferRequest) -> Void = { _ in }
  ) -> TransferTicket {
    var request = TransferRequest(
      url: url, plan: .address(SocketAddress(.v4(0x7f00_0001), port: 80)), timeout: .seconds(10),
      goal: .headers)
    request.origin = WorkOrigin(kind, key: key)
    change(&request)
    return TransferTicket(request, submitted: Instant(microseconds: milliseconds * 1000))
  }

  /// Each gate has its queue and its name; what is taken, given up or cancelled leaves the count.
  @Test func whoWaitsWhere() {
    var queues = StartQueues()
    let now = Instant(nanoseconds: 5)
    #expect(queues.isEmpty && queues.waits.isEmpty)
    let tickets = [ticket(), ticket("http://b/", .asked, key: 3), ticket("http://c/", .asked, key: 4)]
    queues.add(tickets[0], at: .turn, now: now)
    queues.add(tickets[1], at: .memory, now: now)
    queues.add(tickets[2], at: .handshake, now: now + .seconds(1))
    #expect(queues.count == 3 && !queues.isEmpty)
    for gate in StartQueues.Gate.allCases { #expect(!queues.isEmpty(gate)) }
    #expect(
      queues.waits == [
        QueueWait(.starts, .fileChecks, count: 1, since: now),
        QueueWait(.memory, .asked, count: 1, since: now),
        QueueWait(.handshakes, .asked, count: 1, since: now + .seconds(1)),
      ])
    #expect(queues.waits(.asked, at: .memory) && !queues.waits(.asked, at: .turn))
    #expect(queues.waits(WorkOrigin(.asked, key: 3), at: .memory))
    #expect(!queues.waits(WorkOrigin(.asked, key: 4), at: .memory))
    #expect(queues.next(at: .memory, where: { $0 != .asked }) == nil)
    #expect(queues.next(at: .memory, where: { _ in true }, mayGo: { $0 !== tickets[1] }) == nil)
    #expect(queues.next(at: .memory, where: { _ in true }) === tickets[1])
    #expect(queues.count == 2 && queues.isEmpty(.memory))
    queues.remove(tickets[1])
    #expect(queues.count == 2)
    queues.remove(tickets[2])
    #expect(queues.count == 1 && queues.isEmpty(.handshake))
    #expect(queues.takeAll().map { $0 === tickets[0] } == [true])
    #expect(queues.isEmpty && queues.takeAll().isEmpty)
  }

  /// Whose patience has ended is looked for every 20 ms, and leaves with its last moment.
  @Test func patienceThatHasEnded() {
    var queues = StartQueues()
    let start = Instant.now + .seconds(60)
    func wait(_ milliseconds: Int64) -> TransferTicket {
      var request = TransferRequest(url: "http://a/", timeout: .milliseconds(milliseconds), goal: .headers)
      request.patience = .milliseconds(milliseconds)
      return TransferTicket(request, submitted: start)
    }
    let tickets = [wait(10), wait(29), wait(30), wait(31)]
    for ticket in tickets { queues.add(ticket, at: .turn, now: start) }
    func overdue(_ milliseconds: Int64) -> [Int] {
      let taken = queues.takeOverdue(at: start + .milliseconds(milliseconds))
      return taken.compactMap { one in tickets.firstIndex { $0 === one } }
    }
    #expect(overdue(10) == [0] && queues.count == 3)
    #expect(overdue(29).isEmpty, "not 20 ms since the last look")
    #expect(overdue(30).sorted() == [1, 2] && queues.count == 1)
    #expect(overdue(49).isEmpty)
    #expect(overdue(50) == [3] && queues.isEmpty)
    #expect(overdue(100).isEmpty)
  }

  /// A connection that is there already is no older than five seconds when its transfer begins.
  @Test(arguments: [(3, 3), (5, 5), (6, 5), (60, 5)]) func patienceOfAConnection(seconds: Int, most: Int) {
    let place = SocketAddress(.v4(0x7f00_0001), port: 80)
    var request = TransferRequest(
      url: "http://a/", plan: .connected(ConnectedSocket(-1, to: place)), timeout: .seconds(100),
      goal: .headers)
    request.patience = .seconds(seconds)
    let start = Instant(nanoseconds: 7)
    #expect(TransferTicket(request, submitted: start).patienceEnd == start + .seconds(most))
    request.plan = .unixSocket("/s")
    #expect(TransferTicket(request, submitted: start).patienceEnd == start + .seconds(seconds))
  }

  /// An answer that was large is expected to be large again, from its URL and its origin, until it was small.
  @Test func knownAnswers() {
    var queues = StartQueues()
    let (one, other) = (ticket("http://a/").request, ticket("http://b/").request)
    let foreign = ticket("http://a/", .asked).request
    #expect(!queues.isKnownLarge(one))
    queues.note(one, isLarge: false)
    #expect(!queues.isKnownLarge(one))
    queues.note(one, isLarge: true)
    #expect(queues.isKnownLarge(one) && !queues.isKnownLarge(other) && !queues.isKnownLarge(foreign))
    queues.note(other, isLarge: false)
    #expect(queues.isKnownLarge(one))
    queues.note(one, isLarge: false)
    #expect(!queues.isKnownLarge(one))
  }

  /// What is guaranteed to each origin, and what it may hold at most, in MiB.
  @Test(
    arguments: [
      (.fileChecks, 64, 192), (.apiChecks, 32, 96), (.asked, 32, 64), (.tokens, 4, 16), (.discovery, 16, 32),
      (.notifications, 4, 8), (.group, 16, 48), (.delivery, 16, 48), (.deadManSwitches, 2, 4),
    ] as [(WorkOrigin.Kind, Int, Int)])
  func sharesOfMemory(kind: WorkOrigin.Kind, guaranteed: Int, bound: Int) {
    let share = MemoryBudget.flightShares[kind]
    #expect(share == Shares.Share(guaranteed: guaranteed * 1_048_576, bound: bound * 1_048_576))
    #expect(MemoryBudget.shared.limit == CurlEngine.flightMemory && CurlEngine.flightMemory == 256 << 20)
  }

  /// A small answer is not counted; the first byte beyond it makes the answer a large one, and so does a refusal.
  @Test func leasesHaveAFloor() {
    #expect(
      [0, 2047, 2048, 32 << 20, 64 << 20].map { MemoryBudget(limit: $0).floor } == [0, 0, 1, 16_384, 16_384])
    let budget = MemoryBudget(limit: 20_480)
    #expect(budget.floor == 10)
    let lease = MemoryLease(budget)
    #expect(lease.grow(by: 10) && budget.inUse == 0 && !lease.isLarge && lease.bytes == 10)
    #expect(lease.grow(by: 5) && budget.inUse == 5 && lease.isLarge)
    #expect(!lease.grow(by: -1) && !lease.grow(by: .max) && budget.inUse == 5 && lease.bytes == 15)
    let small = MemoryLease(budget, floors: 3)
    #expect(small.grow(by: 30) && !small.isLarge && budget.inUse == 5)
    #expect(!small.grow(by: 30_000) && small.isLarge && small.bytes == 30 && budget.inUse == 5)
    #expect(small.grow(by: 0))
  }

  /// A body is kept to its last byte; of a coded one the coded bytes are, up to what its limit may come from.
  @Test func whatIsKeptOfABody() {
    let lease = MemoryLease(MemoryBudget(limit: 8 << 20))
    func keep(_ body: inout TransferBody, _ count: Int, limit: Int) -> TransferStop? {
      [UInt8](repeating: 7, count: count).withUnsafeBytes { body.keep($0, limit: limit, lease) }
    }
    var body = TransferBody()
    #expect(keep(&body, 6, limit: 10) == nil && body.bytes.count == 6 && body.usedCodings == nil)
    #expect(keep(&body, 4, limit: 10) == nil && body.bytes.count == 10)
    #expect(keep(&body, 0, limit: 10) == nil)
    #expect(keep(&body, 1, limit: 10) == .bodyTooLarge && body.bytes.count == 10)
    #expect(keep(&body, 5, limit: 12) == .bodyTooLarge && body.bytes.count == 12)
    var coded = TransferBody()
    #expect(coded.learn(["gzip"]) == true && coded.usedCodings == nil, "nothing is there to undo")
    // The first look counts.
    #expect(coded.learn(["compress"]) == true)
    #expect(keep(&coded, 1_114_112, limit: 10) == nil && coded.usedCodings?.codings == [.gzip])
    #expect(keep(&coded, 1, limit: 10) == .bodyTooLarge)
    var unknown = TransferBody()
    #expect(unknown.learn(["compress"]) == false)
    var plain = TransferBody()
    #expect(plain.learn(["identity"]) == true && keep(&plain, 11, limit: 10) == .bodyTooLarge)
    #expect(plain.usedCodings == nil)
    #expect([0, 1 << 20, (1 << 20) + 1].map(ContentDecoder.mostCoded) == [1_114_112, 1_114_112, 1_114_113])
    var poor = TransferBody()
    let none = MemoryLease(MemoryBudget(limit: 2048))
    let stop = [UInt8](repeating: 7, count: 4096).withUnsafeBytes { poor.keep($0, limit: 9000, none) }
    #expect(stop == .local(.memory, message: TransferFailure.noMemory) && poor.bytes.isEmpty)
  }

  /// Each end of a decoding: what it makes of a report that was complete.
  @Test func endsOfADecoding() {
    func report(_ end: DecodedBody.End, _ before: TransferOutcome = .complete) -> TransferReport {
      var report = TransferReport(outcome: before)
      report.body = [1]
      report.take(DecodedBody(end: end, body: [2, 3]))
      #expect(report.body == [2, 3] && report.truncated == (end == .full))
      return report
    }
    #expect(report(.whole).outcome == .complete)
    let work = "undoing the body's Content-Encoding takes more work than a body of its size may"
    let ends: [(DecodedBody.End, TransferFailureKind, String)] = [
      (
        .cut, .closed,
        "the compressed body stops before its own end: a part of it, or the trailer with its checksum, is missing"
      ), (.full, .bodyTooLarge, "response body exceeds its limit"),
      (.malformed, .httpProtocol, "the body is not what its Content-Encoding says"),
      (.excess, .httpProtocol, work),
      (.slow, .httpProtocol, work),
      (
        .greedy, .httpProtocol,
        "undoing the body's Content-Encoding takes more memory than RFC 7932 and RFC 9659 allow"
      ), (.noMemory, .local(.memory), TransferFailure.noMemory),
      (.busy, .local(.queue), "this machine was too busy to undo the body's Content-Encoding in time"),
    ]
    let failed = TransferFailure(.reset, phase: .transfer, message: "m")
    for (end, kind, words) in ends {
      #expect(report(end).failure == TransferFailure(kind, phase: .transfer, message: words))
      #expect(report(end).isHeldBack == (end == .noMemory || end == .busy))
      // A cut is what the failure before it left; any other end tells more.
      let other = report(end, .failed(failed)).failure
      #expect(other == (end == .cut ? failed : TransferFailure(kind, phase: .transfer, message: words)))
    }
    #expect(report(.whole, .failed(failed)).failure == failed)
    // A part of a coded body need not have its beginning, nor its end.
    for end in [DecodedBody.End.cut, .malformed] {
      var part = TransferReport(outcome: .complete)
      part.statusCode = 206
      part.take(DecodedBody(end: end, body: []))
      #expect(part.failure?.kind == .httpProtocol)
      #expect(part.failure?.message.hasSuffix("cannot be decoded; set decompress: false") == true)
    }
    #expect(
      TransferFailure.noMemory
        == "the answers under way hold all of the 256 MiB that they may together; a smaller max_body or fewer "
        + "checks at once need less")
  }

  @Test func aTimeoutIsOverdue() {
    #expect(TransferFailure(.timeout, phase: .connect, message: "").timedOut)
    #expect(!TransferFailure(.reset, phase: .connect, message: "").timedOut)
    #expect(TransferFailure(.proxyConnect, phase: .proxy, message: "", timedOut: true).timedOut)
    let parts = TransferPhase.allCases.map(\.awaited)
    #expect(parts == [.connection, .connection, nil, .handshake, .answer, .rest])
    #expect(
      TransferPhase.allCases.map(\.rawValue) == [
        "prepare", "connect", "proxy", "tls", "firstByte", "transfer",
      ])
  }
}
