// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import Synchronization
import TestSupport
import Testing

@testable import QuartzAPI

/// What is done with the files of the link: read once, said to be understood, and given back at the end.
@Suite struct KeptBytesTests {
  /// Bytes in memory that note each call, and may refuse what is to be lived with.
  private final class Book: DurableBytes {
    private let state: Mutex<(bytes: [UInt8]?, calls: [String])>
    private let objection: String?

    init(_ bytes: [UInt8]? = nil, objection: String? = nil) {
      state = Mutex((bytes, []))
      self.objection = objection
    }

    var calls: [String] { state.withLock { $0.calls } }
    var bytes: [UInt8]? { state.withLock { $0.bytes } }

    func read() async throws(StateFile.Failure) -> [UInt8]? {
      state.withLock { state in
        state.calls.append("read")
        return state.bytes
      }
    }
    func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {
      state.withLock { $0 = (bytes, $0.calls + ["write"]) }
    }
    func understood() async { state.withLock { $0.calls.append("understood") } }
    func refusal(of bytes: [UInt8]) async -> String? {
      state.withLock { $0.calls.append("judged") }
      return objection
    }
  }

  /// The count of requests is read once and written before what it reserves is used; its rest is given back.
  @Test func theCountOfRequests() async {
    let (clock, file) = (FakeClock(), Book())
    let gate = RateGate(time: SteadyTime(clock.time), file: file)
    #expect(await gate.usage() == RequestUsage(allowedPerMinute: 90, perHour: 900))
    await gate.close()
    #expect(file.calls == [])
    #expect(await gate.admit(.pull) == nil)
    #expect(file.calls == ["read", "understood", "write"])
    let usage = RequestUsage(minute: 1, hour: 1, allowedPerMinute: 90, perHour: 900)
    #expect(await gate.usage() == usage)
    await gate.close()
    #expect(file.calls == ["read", "understood", "write", "write"])
    let restored = RateBudget(restoring: file.bytes, at: dawn)
    #expect(restored.used(at: dawn) == (minute: 1, hour: 1))
    // What is asked for afterwards is reserved again.
    #expect(await gate.admit(.pull) == nil)
    #expect(file.calls.count == 5)
  }

  /// Answers that halve the pace, raise it, stop it for a time, and show the other clock.
  @Test func answersAndThePace() async {
    func after(_ answers: OutboundAnswer...) async -> (allowed: Int, wait: Timestamp?, ahead: Duration?) {
      let gate = RateGate(time: SteadyTime(FakeClock().time), file: Book())
      _ = await gate.admit(.live)
      for answer in answers { await gate.observe(answer) }
      let usage = await gate.usage()
      return (usage.allowedPerMinute, await gate.admit(.live), usage.serverAhead)
    }
    func answer(_ status: Int, _ headers: [(String, String)] = []) -> OutboundAnswer {
      OutboundAnswer(status: status, headers: headers.map { HeaderField($0.0, $0.1) })
    }
    for (status, allowed) in [(199, 45), (200, 46), (299, 46), (300, 45), (428, 45), (429, 22), (430, 45)] {
      #expect(await after(answer(429), answer(status)).allowed == allowed, "\(status)")
    }
    let left = "X-RateLimit-Remaining"
    for (headers, seconds) in [
      ([(left, "1")], nil), ([(left, "0")], 60), ([(left, "-1")], 60), ([(left, "none")], nil),
      ([(left, "0"), ("Retry-After", "7")], 7), ([(left, "0"), ("X-RateLimit-Reset", "50")], 50),
      ([("X-RateLimit-Reset", "50")], nil),
    ] as [([(String, String)], Int?)] {
      let wait = await after(answer(200, headers)).wait
      #expect(wait == seconds.map { dawn.advanced(by: .seconds($0)) }, "\(headers)")
    }
    #expect(await after(answer(200, [("Date", "Sun, 04 Jan 2026 02:01:00 GMT")])).ahead == .seconds(60))
    #expect(await after(answer(200, [("Date", "Sun, 04 Jan 2026 01:59:00 GMT")])).ahead == .seconds(-60))
    #expect(await after(answer(200, [("Date", "noon")])).ahead == nil)
  }

  /// Its time goes on from the wall clock of its start, however that is set afterwards.
  @Test func theSteadyTime() async throws {
    let clock = FakeClock()
    let time = SteadyTime(clock.passing)
    #expect(time.now == dawn)
    clock.stepWall(by: .seconds(-3600))
    #expect(time.now == dawn)
    try await time.sleep(for: .seconds(5))
    #expect(time.now == dawn.advanced(by: .seconds(5)))
    try await time.sleep(until: dawn.advanced(by: .seconds(12)))
    #expect(clock.sleeps == [.seconds(5), .seconds(7)])
    #expect(time.now == dawn.advanced(by: .seconds(12)))
  }

  /// What is shown of it follows the wall clock by whole seconds, and what is sent is that clock.
  @Test(
    arguments: [
      (0, 0), (499, 0), (500, 1), (1499, 1), (3_600_000, 3600), (-500, 0), (-501, -1),
      (-432_000_250, -432_000),
    ])
  func theSteadyTimeAsItIsShown(milliseconds: Int, seconds: Int) {
    let clock = FakeClock()
    let time = SteadyTime(clock.passing)
    clock.advance(by: .seconds(60))
    clock.stepWall(by: .milliseconds(milliseconds))
    #expect(time.now == dawn.advanced(by: .seconds(60)))
    #expect(time.wall == dawn.advanced(by: .milliseconds(60_000 + milliseconds)))
    #expect(time.shown(dawn.advanced(by: .seconds(7))) == dawn.advanced(by: .seconds(7 + seconds)))
  }

  private func puller(_ file: any DurableBytes, _ applied: @escaping @Sendable (PulledChecks) -> Void)
    throws -> CheckListPuller
  {
    let base = try HTTPURL("https://api.test/v1")
    let book = RequestBook(500, "")
    let parts = CheckListPuller.Parts(
      client: APIClient(base: base, keys: KeyRing(Redacted("k")), over: book.wire),
      cache: CheckListCache(file: file, base: base, keepsSecrets: false),
      mapping: CheckMapping(MappingRules()), apply: { applied($0) })
    return CheckListPuller(
      parts, every: .seconds(600), time: SteadyTime(FakeClock().time), generator: longest)
  }

  private func snapshot(_ numbers: ClosedRange<Int>) throws -> CheckSnapshot {
    CheckSnapshot(
      checks: try numbers.map {
        try CheckMappingTests.wire($0, #""check_type":"port","ip_address":"a\#($0)","port":1"#)
      })
  }

  /// What is on disk is in force at the start, and said to be of the disk; a list that is handed over is not.
  @Test func theListAtTheStart() async throws {
    let file = Book()
    let first = try puller(file) { _ in }
    #expect(await first.take(shared: try snapshot(1...3)) == nil)
    #expect(file.calls == ["judged", "write"])
    let counts = Mutex<[Int]>([])
    let second = try puller(file) { list in counts.withLock { $0.append(list.checks.count) } }
    await second.restore()
    #expect(file.calls == ["judged", "write", "read", "understood"])
    #expect(second.status.isFromDisk && second.status.running == 3 && second.status.lastSuccess == dawn)
    #expect(second.status.cacheProblem == nil && second.versionInForce == nil)
    #expect(await second.take(shared: try snapshot(1...3)) == nil)
    // The same list is neither judged nor written again.
    #expect(file.calls.count == 4 && !second.status.isFromDisk && counts.withLock(\.self) == [3])
    let third = try puller(Book(Array("{".utf8))) { _ in }
    await third.restore()
    #expect(third.status.cacheProblem?.hasPrefix("the check list on disk is damaged: ") == true)
    #expect(!third.status.isFromDisk && third.status.lastSuccess == nil)
    // A list that was written makes it good.
    #expect(await third.take(shared: try snapshot(1...3)) == nil)
    #expect(third.status.cacheProblem == nil)
  }

  /// A list that must not be lived with is not applied, and it is told why.
  @Test func aListThatIsRefused() async throws {
    let file = Book(objection: "the disk says no")
    let puller = try puller(file) { _ in Issue.record("applied") }
    #expect(await puller.take(shared: try snapshot(1...3)) == "the disk says no")
    #expect(puller.status.held == "the disk says no" && puller.status.running == 0)
    #expect(file.calls == ["judged"] && puller.status.lastSuccess == nil)
  }

  /// What is learned of a receiver is read and understood before the first batch; the count is given back at the end.
  @Test(.timeLimit(.minutes(1))) func theBatchAtTheStart() async throws {
    let memory = Book(BatchMemory(limit: 2, since: dawn).encoded(receiver: "bench", configured: 500))
    let (clock, count, queue) = (FakeClock(), Book(), MemoryQueue(records(5)))
    let gate = RateGate(time: SteadyTime(clock.time), file: count)
    let route = Uploader.Route(Halving(), gate: gate, memory: memory, receiver: "bench")
    let uploader = Uploader(queue: queue, route: route, settings: .init(), generator: longest)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await uploader.run() }
      await clock.someoneSleeps()
      group.cancelAll()
    }
    #expect(memory.calls.prefix(2) == ["read", "understood"])
    #expect(await uploader.status().batch == 1 && queue.open == 0)
    // A smaller size was learned, and is kept for the same receiver.
    #expect(memory.calls.contains("write"))
    let kept = try #require(memory.bytes)
    #expect(BatchMemory(kept, receiver: "bench", configured: 500)?.limit == 1)
    #expect(count.calls.first == "read" && count.calls.last == "write")
    #expect(RateBudget(restoring: count.bytes, at: dawn).used(at: dawn).minute == (await gate.usage().minute))
  }

  /// Takes one row at a time.
  private struct Halving: ResultTransport {
    let dialect = DeliveryDialect.quartz
    func deliver(_ records: [DeliveryRecord]) async throws(CancellationError) -> DeliveryReport {
      DeliveryReport(records.count > 1 ? .tooLarge : stored)
    }
    func renewCredentials() async throws(CancellationError) -> Bool { false }
  }
}
