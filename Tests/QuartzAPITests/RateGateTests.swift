// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import QuartzAPI
import TestSupport
import Testing

@Suite struct RateGateTests {
  private func gate(_ clock: FakeClock, _ file: any DurableBytes) -> RateGate {
    RateGate(time: SteadyTime(clock.time), file: file)
  }

  @Test func reservesOnDiskBeforeTheFirstRequestAndOncePerTen() async {
    let file = MemoryBytes()
    let gate = gate(FakeClock(), file)
    for number in 1...20 {
      #expect(await gate.admit(.live) == nil)
      #expect(file.writes == (number <= 10 ? 1 : 2))
    }
  }

  /// A process that died may have made every request it had reserved.
  @Test func whatWasReservedCountsAsUsedAfterAKill() async {
    let (clock, file) = (FakeClock(), MemoryBytes())
    #expect(await gate(clock, file).admit(.live) == nil)
    let next = gate(clock, file)
    #expect(await next.admit(.live) == nil)
    #expect(await next.usage().minute == 11)
  }

  @Test func manyAtOnceShareOneBudget() async {
    let file = MemoryBytes()
    let gate = gate(FakeClock(), file)
    let granted = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<200 { group.addTask { await gate.admit(.pull) == nil } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(granted == 90)
    // A second one would find what the first has reserved since, as if another life had.
    #expect(file.reads == 1)
    #expect(await gate.usage().minute == 90)
  }

  @Test func waitsForItsTurn() async throws {
    let clock = FakeClock()
    let gate = gate(clock, MemoryBytes())
    for _ in 0..<90 { _ = await gate.admit(.live) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await gate.admitted(.pull) }
      await clock.advanceToNext()
      try await group.waitForAll()
    }
    #expect(clock.elapsed == .seconds(61))
  }

  @Test func anUnwritableFileStopsNothing() async {
    let gate = gate(FakeClock(), Unwritable())
    #expect(await gate.admit(.live) == nil)
    #expect(await gate.usage().storeProblem == nil)
  }

  /// What is not known must not pass for a count of nothing.
  @Test func anUnreadableFileIsNoFreshMinute() async {
    let gate = gate(FakeClock(), Unreadable())
    var granted = 0
    while granted < 90, await gate.admit(.live) == nil { granted += 1 }
    #expect(granted == RateBudget.Limits().block)
    #expect(await gate.usage().storeProblem == "cannot read /state/rate: Input/output error")
  }

  @Test func answersChangeTheRate() async {
    let gate = gate(FakeClock(), MemoryBytes())
    _ = await gate.admit(.live)
    await gate.observe(OutboundAnswer(status: 429))
    #expect(await gate.usage().allowedPerMinute == 45)
    await gate.observe(OutboundAnswer(status: 200))
    #expect(await gate.usage().allowedPerMinute == 46)
    let spent = OutboundAnswer(
      status: 200, headers: [.init("x-ratelimit-remaining", "0"), .init("x-ratelimit-reset", "50")])
    await gate.observe(spent)
    #expect(await gate.admit(.live) == dawn.advanced(by: .seconds(50)))
  }

  private struct Unreadable: DurableBytes {
    func read() async throws(StateFile.Failure) -> [UInt8]? {
      throw StateFile.Failure(description: "cannot read /state/rate: Input/output error")
    }
    func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {}
  }

  private struct Unwritable: DurableBytes {
    func read() async throws(StateFile.Failure) -> [UInt8]? { nil }
    func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {
      throw StateFile.Failure(description: "cannot write /state/rate: No space left on device")
    }
  }
}
