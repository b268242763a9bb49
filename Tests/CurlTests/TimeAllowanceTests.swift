// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Testing

@testable import Curl

/// Whose time it is: the pure rule by which deadlines move and end.
@Suite struct TimeAllowanceTests {
  /// What we held a target back is added to its time, and nothing else is.
  @Test func whatWasHeldIsGivenBack() {
    var time = TimeAllowance(.seconds(10))
    #expect(time.end(after: .milliseconds(9999)) == .early)
    #expect(time.end(after: .seconds(10)) == .timeout)
    time.hold(.seconds(3))
    time.hold(.seconds(-2))
    #expect(time.whole == .seconds(13))
    #expect(time.end(after: .milliseconds(12_999)) == .early)
    #expect(time.end(after: .seconds(13)) == .timeout)
  }

  /// Held time at most doubles the limit; what goes beyond it by more than a fifth is this machine's fault.
  @Test func heldTimeIsBounded() {
    var time = TimeAllowance(.seconds(10))
    time.hold(.seconds(12))
    #expect(time.whole == .seconds(20))
    #expect(time.end(after: .milliseconds(19_999)) == .early)
    #expect(time.end(after: .seconds(20)) == .timeout)
    time.hold(.milliseconds(1))
    #expect(time.end(after: .seconds(20)) == .ownFault)
  }

  /// Late by a fifth of the limit and no more is still the target's timeout.
  @Test(arguments: [(2000, TimeAllowance.End.timeout), (2001, .ownFault)])
  func latenessBeyondAFifthIsOurs(milliseconds: Int, end: TimeAllowance.End) {
    #expect(
      TimeAllowance(.seconds(10)).end(after: .seconds(11), lateness: .milliseconds(milliseconds)) == end)
  }

  /// A limit that is spent before it begins is a timeout at once.
  @Test func nothingIsLeftOfNothing() {
    #expect(TimeAllowance(.seconds(-1)).end(after: .zero) == .timeout)
  }
}

/// How long a thread waited for a core, as the kernel counts it.
@Suite(.timeLimit(.minutes(1))) struct ProcessorWaitTests {
  /// It is about the thread that asks, wherever it was made: one of many busy ones waits, and it never runs backwards.
  @Test func aCrowdedThreadHasWaited() async throws {
    let waits = await withTaskGroup(of: Duration.self) { group in
      for _ in 0..<16 {
        group.addTask {
          await withCheckedContinuation { reply in
            Thread {
              let wait = ProcessorWait()
              wait.look()
              let before = wait.total
              let start = Instant.now
              // As many threads as this on a few cores cannot all run for so long.
              while start.duration(to: .now) < .milliseconds(300) {}
              let more = wait.look()
              #expect(more == wait.total - before)
              reply.resume(returning: more)
            }.start()
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let isCounted = FileManager.default.fileExists(atPath: "/proc/thread-self/schedstat")
    #expect(waits.allSatisfy { $0 >= .zero })
    // More threads than cores, all of them busy.
    if isCounted, ProcessInfo.processInfo.activeProcessorCount < 8 {
      #expect(waits.contains { $0 > .milliseconds(20) }, "\(waits)")
    }
  }
}
