// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Curl

/// Bodies decoded on a thread that only their own checks wait for, within a budget of memory and time.
@Suite(.timeLimit(.minutes(2))) struct DecodingQueueTests {
  private let member = HostileStreams.member(Array("a needle".utf8))

  private func decode(
    _ queue: DecodingQueue, _ names: String, _ coded: [UInt8], limit: Int = 1 << 20,
    lease: MemoryLease = MemoryLease(MemoryBudget(limit: 1 << 30)), patience: Duration = .seconds(60),
    origin: WorkOrigin = WorkOrigin(.fileChecks)
  ) async throws -> DecodedBody {
    let codings = try #require(ContentCodings([names]))
    return try await queue.decode(
      codings, coded, limit: limit, lease: lease, origin: origin, patience: patience)
  }

  /// Every body gets its own answer, and all memory comes back.
  @Test func manyAtOnceEachGetTheirOwn() async throws {
    let queue = DecodingQueue()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<200 {
        group.addTask {
          let text = Array("body \(index)".utf8)
          let decoded = try await decode(
            queue, "gzip, gzip", HostileStreams.member(HostileStreams.member(text)))
          #expect(decoded.end == .whole)
          #expect(decoded.body == text)
        }
      }
      try await group.waitForAll()
    }
    await Task.yield()
    #expect(queue.budget.inUse == 0)
  }

  /// A small body does not wait for the worst ones to end: they take turns.
  @Test func theWorstBodiesTakeTurns() async throws {
    let queue = DecodingQueue()
    let hostile = HostileStreams.repeated(ContentDecoder.mostCoded(16 << 20), HostileStreams.emptyMember)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let decoded = try await decode(queue, "gzip", hostile, limit: 16 << 20)
          #expect(decoded.end == .excess)
          return false
        }
      }
      group.addTask {
        for _ in 0..<20 {
          let decoded = try await decode(queue, "gzip", member)
          #expect(decoded.end == .whole)
        }
        return true
      }
      try await group.waitForAll()
    }
  }

  /// Decoders that do not fit together wait for one another; none is refused for that.
  @Test func decodersWaitForMemory() async throws {
    let codings = try #require(ContentCodings(["br, br"]))
    let queue = DecodingQueue(memory: codings.memory)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          // Metadata within metadata: nothing, in the end.
          let decoded = try await decode(queue, "br, br", [0x0c, 0x06, 0x03])
          #expect(decoded.end == .whole || decoded.end == .cut, "\(decoded.end)")
          #expect(queue.budget.inUse <= codings.memory)
        }
      }
      try await group.waitForAll()
    }
  }

  /// Bodies of one origin hold all the memory it may, and those of the others are decoded all the same.
  @Test(arguments: [WorkOrigin.Kind.fileChecks, .apiChecks, .asked])
  func aFullOriginHoldsUpNoOther(kind: WorkOrigin.Kind) async throws {
    let codings = try #require(ContentCodings(["gzip"]))
    let queue = DecodingQueue(memory: codings.memory)
    #expect(queue.budget.take(codings.memory, for: WorkOrigin(kind)))
    let held = Task {
      try await decode(queue, "gzip", member, origin: WorkOrigin(kind, key: 1))
    }
    while queue.waits.map(\.origin) != [kind] { await Task.yield() }
    for other in [WorkOrigin.Kind.fileChecks, .apiChecks, .asked] where other != kind {
      #expect(try await decode(queue, "gzip", member, origin: WorkOrigin(other)).end == .whole)
    }
    // The board is written every few milliseconds, and may still tell of one that went.
    while queue.waits.map(\.origin) != [kind] { await Task.yield() }
    #expect(queue.waits.map(\.count) == [1], "it still waits")
    queue.budget.give(codings.memory, of: WorkOrigin(kind))
    #expect(try await held.value.end == .whole)
  }

  /// The body that is made counts against what all answers may hold together.
  @Test func aBodyBeyondTheBudgetIsOurFault() async throws {
    let budget = MemoryBudget(limit: 64 * 1024)
    let bomb = HostileStreams.zstd(4000, [2, 0, 0x10, 0])
    do {
      let lease = MemoryLease(budget)
      let decoded = try await decode(DecodingQueue(), "zstd", bomb, lease: lease)
      #expect(decoded.end == .noMemory)
    }
    // The queue's thread lets go of the job right after it has answered.
    while budget.inUse != 0 { await Task.yield() }
  }

  /// What this machine does not come to in time is its own fault, and a cancelled check waits for nothing.
  @Test func lateIsBusyAndCancelledIsOver() async throws {
    let late = try await decode(DecodingQueue(), "gzip", member, patience: .seconds(-1))
    #expect(late.end == .busy)
    let hostile = HostileStreams.repeated(4 << 20, HostileStreams.emptyMember)
    let task = Task { try await decode(DecodingQueue(), "gzip", hostile, limit: 4 << 20) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// A lease gives back what it took, whoever lets go of it last.
  @Test func memoryIsCounted() {
    let budget = MemoryBudget(limit: 100)
    do {
      let lease = MemoryLease(budget)
      #expect(lease.grow(by: 60))
      #expect(!lease.grow(by: 41))
      #expect(lease.grow(by: 40))
      #expect(budget.inUse == 100)
      #expect(lease.bytes == 100)
      #expect(!budget.take(.max))
      #expect(!budget.take(-1))
    }
    #expect(budget.inUse == 0)
  }
}
