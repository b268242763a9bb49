// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import Checks

/// Judging outside data: within a budget of processor time, off the pool that schedules and serves.
@Suite(.timeLimit(.minutes(2))) struct JudgeBenchTests {
  /// What is small is judged where it is; what is much, or has a pattern, on a thread of the bench.
  @Test func onlyWhatIsMuchChangesTheThread() async throws {
    let bench = JudgeBench()
    let check = UniqueID(high: 1, low: 1)
    #expect(try await bench.judge(check, bytes: 10, isLight: true) { _ in 1 } == 1)
    #expect(bench.figures.judged == 0)
    #expect(try await bench.judge(check, bytes: 1 << 20, isLight: true) { _ in 2 } == 2)
    #expect(try await bench.judge(check, bytes: 10, isLight: false) { _ in 3 } == 3)
    await settled(bench)
    #expect(bench.figures.judged == 2 && bench.figures.waiting == 0 && bench.figures.overBudget == 0)
  }

  /// The figures are written after the answer is handed on.
  private func settled(_ bench: JudgeBench) async {
    while bench.figures.waiting > 0 { await Task.yield() }
  }

  /// Who spends more than the budget is told so, and counted.
  @Test func aSpentBudgetIsCounted() async throws {
    let bench = JudgeBench()
    let allowed = try await bench.judge(UniqueID(high: 1, low: 1), bytes: 1 << 20, isLight: true) { budget in
      // The budget of a MiB is 1.2 s.
      while budget.allowsMore(), budget.used < 3_000_000_000 {}
      return budget.allowsMore()
    }
    await settled(bench)
    #expect(!allowed)
    #expect(bench.figures.overBudget == 1 && bench.figures.longest > .milliseconds(500))
  }

  /// Checks that are cheap again, were never dear, or are gone leave nothing behind.
  @Test func dearChecksThatAreGoneAreForgotten() async throws {
    let bench = JudgeBench()
    let dear = (1...3).map { UniqueID(high: 2, low: $0) }
    for check in dear {
      _ = try await bench.judge(check, bytes: 1 << 20, isLight: true) { budget in
        while budget.used < 12_000_000 {}
      }
    }
    await settled(bench)
    #expect(bench.dearChecks == 3)
    for cheap in [dear[0], UniqueID(high: 3, low: 1)] {
      _ = try await bench.judge(cheap, bytes: 1 << 20, isLight: true) { _ in }
    }
    await settled(bench)
    #expect(bench.dearChecks == 2)
    bench.keep([dear[1], UniqueID(high: 3, low: 1)])
    #expect(bench.dearChecks == 1)
    bench.keep([])
    #expect(bench.dearChecks == 0)
  }

  /// Dear checks wait for their like, and nobody for them: twenty at once, and the pool and a light check go on.
  @Test func dearChecksHoldUpNobodyElse() async throws {
    let bench = JudgeBench()
    let (gate, isStuck) = (StopFlag(), StopFlag())
    let dear = (1...20).map { UniqueID(high: 2, low: $0) }
    // Once each, so that the bench knows them.
    for check in dear {
      _ = try await bench.judge(check, bytes: 1 << 20, isLight: true) { budget in
        while budget.used < 12_000_000 {}
      }
    }
    await settled(bench)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for check in dear {
        group.addTask {
          try await bench.judge(check, bytes: 1 << 20, isLight: true) { budget in
            while !gate.isRaised, budget.used < 10_000_000_000 {}
            if !gate.isRaised { isStuck.raise() }
            gate.raise()
          }
        }
      }
      while bench.figures.waiting < dear.count { await Task.yield() }
      // None of the twenty can end before these have.
      let light = try await bench.judge(UniqueID(high: 3, low: 1), bytes: 1 << 20, isLight: true) { _ in true
      }
      #expect(light && !isStuck.isRaised)
      // The light one may be through before a thread of the dear ones was given a core.
      while !bench.threads.contains(where: { $0.age() > .zero }), !isStuck.isRaised { await Task.yield() }
      #expect(!isStuck.isRaised)
      gate.raise()
      try await group.waitForAll()
    }
    await settled(bench)
    #expect(bench.threads.allSatisfy { $0.age() == .zero })
  }

  /// Whatever holds the threads of one origin's checks, those of the others go on.
  @Test(arguments: [WorkOrigin.Kind.fileChecks, .apiChecks, .asked])
  func aFullOriginHoldsUpNoOther(kind: WorkOrigin.Kind) async throws {
    let bench = JudgeBench()
    let (gate, isStuck) = (StopFlag(), StopFlag())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          try await bench.judge(
            UniqueID(high: 2, low: UInt64(number)), for: WorkOrigin(kind, key: 1), bytes: 1 << 20,
            isLight: true
          ) { budget in
            while !gate.isRaised, budget.used < 10_000_000_000 {}
            if !gate.isRaised { isStuck.raise() }
          }
        }
      }
      while bench.waits.map(\.count) != [7] { await Task.yield() }
      #expect(bench.waits.map(\.origin) == [kind] && bench.waits.map(\.queue) == [.judging])
      for other in [WorkOrigin.Kind.fileChecks, .apiChecks, .asked] where other != kind {
        let verdict = try await bench.judge(
          UniqueID(high: 3, low: 1), for: WorkOrigin(other), bytes: 1 << 20, isLight: true
        ) { _ in 7 }
        #expect(verdict == 7 && !isStuck.isRaised)
      }
      gate.raise()
      try await group.waitForAll()
    }
    await settled(bench)
    #expect(bench.waits.isEmpty)
  }

  /// Seven hosts with much to judge do not stop the eighth: it is the next of its origin.
  @Test func hostsTakeTurns() async throws {
    let (bench, line) = (JudgeBench(), Line())
    let hosts: [UInt64] = [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 99]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, host) in hosts.enumerated() {
        group.addTask { try await line.judge(host, number, by: bench) }
        // The first is under way, the others wait behind it in this order.
        while bench.figures.waiting < number + 1 || bench.waits.map(\.count).reduce(0, +) < number {
          await Task.yield()
        }
      }
      line.gate.raise()
      try await group.waitForAll()
    }
    #expect(line.order.withLock(\.self) == [0, 1, 2, 3, 4, 5, 6, 7, 99, 1, 2, 3, 4, 5, 6, 7])
  }

  /// Judgements that wait for one gate, and the order in which they were made.
  private final class Line: Sendable {
    let gate = StopFlag()
    let order = Mutex<[UInt64]>([])

    func judge(_ host: UInt64, _ number: Int, by bench: JudgeBench) async throws {
      try await bench.judge(
        UniqueID(high: host, low: UInt64(number)), for: WorkOrigin(.asked, key: host), bytes: 1 << 20,
        isLight: true
      ) { _ in
        while !self.gate.isRaised {}
        self.order.withLock { $0.append(host) }
      }
    }
  }

  /// A cancelled run waits neither for its judgement nor for the thread: the work ends soon, and counts for no budget.
  @Test func aCancelledRunWaitsForNoJudgement() async throws {
    let bench = JudgeBench()
    let (gate, stopped) = (StopFlag(), StopFlag())
    let running = Task {
      try await bench.judge(UniqueID(high: 4, low: 1), bytes: 1 << 30, isLight: true) { budget in
        while budget.allowsMore() {}
        // As if the thread were given no core for a while.
        while !gate.isRaised {}
        stopped.raise()
      }
    }
    while bench.figures.waiting == 0 || bench.waits.map(\.count).reduce(0, +) > 0 { await Task.yield() }
    let queued = Task {
      try await bench.judge(UniqueID(high: 4, low: 2), bytes: 1 << 20, isLight: true) { _ in
        Issue.record("a judgement that was cancelled in the queue is made")
      }
    }
    while bench.figures.waiting < 2 { await Task.yield() }
    queued.cancel()
    running.cancel()
    await #expect(throws: CancellationError.self) { try await queued.value }
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(!stopped.isRaised)
    gate.raise()
    await settled(bench)
    #expect(stopped.isRaised && bench.figures.overBudget == 0)
  }

  /// What waits for a judgement that was cancelled is let go at once: a body may be large.
  @Test func aCancelledJudgementLetsGoOfItsBody() async throws {
    final class Body: Sendable {}
    let bench = JudgeBench()
    let gate = StopFlag()
    let first = Task {
      try await bench.judge(UniqueID(high: 5, low: 1), bytes: 1 << 20, isLight: true) { _ in
        while !gate.isRaised {}
      }
    }
    while bench.figures.waiting == 0 || bench.waits.map(\.count).reduce(0, +) > 0 { await Task.yield() }
    weak var kept: Body?
    let second = {
      let body = Body()
      kept = body
      return Task {
        try await bench.judge(UniqueID(high: 5, low: 2), bytes: 1 << 20, isLight: true) { _ in
          withExtendedLifetime(body) {}
        }
      }
    }()
    while bench.figures.waiting < 2 { await Task.yield() }
    #expect(kept != nil)
    second.cancel()
    _ = await second.result
    #expect(kept == nil)
    gate.raise()
    _ = try await first.value
    await settled(bench)
  }

  @Test func whoIsCancelledBeforeWaitsForNothing() async throws {
    let bench = JudgeBench()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await bench.judge(UniqueID(high: 6, low: 1), bytes: 1 << 20, isLight: true) { _ in 1 }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await settled(bench)
    #expect(bench.figures.judged == 0)
  }

  /// Patterns and literals beyond the budget do not hold, and the words say why.
  @Test func conditionsBeyondTheBudgetFail() throws {
    let check = try httpCheck("http://good.test/") {
      $0.http.expect.bodyContains = ["a"]
      $0.http.expect.bodyMatches = ["a"]
      $0.expect.json = [("$.a", "1")]
    }
    guard case .http(let settings) = check.kind else { throw WrongKind() }
    var report = TransferReport(outcome: .complete)
    report.statusCode = 200
    report.body = Array("{\"a\": 1}".utf8)
    report.times.lastByte = .milliseconds(1)
    let budget = CPUBudget(.zero)
    let judge = HTTPJudge(
      settings: settings, failure: nil, report: report, tls: nil, now: .epoch, within: budget)
    #expect(judge.verdict.reason == .body && judge.verdict.state == .down)
    #expect(judge.verdict.message?.contains(CPUBudget.words) == true)
    #expect(judge.assertions.filter(\.ok).map(\.what) == ["status"], "the status alone holds")
  }

  /// Nested arrays that a path counts from the end again and again: given up within the budget, and the reason is json.
  @Test func aDeepDocumentIsGivenUp() throws {
    let deep = 60
    var text = String(repeating: "[", count: deep)
    text += Array(repeating: "1", count: 400_000).joined(separator: ",")
    text += String(repeating: "]", count: deep)
    let path = try JSONPath("$" + String(repeating: "[-1]", count: deep))
    let budget = CPUBudget(.milliseconds(200))
    let start = SystemClock.threadWork.nanoseconds
    #expect(throws: JSONError.self) {
      try JSONSearch.find([path], in: Array(text.utf8)) { budget.allowsMore() }
    }
    #expect(budget.isSpent)
    #expect(SystemClock.threadWork.nanoseconds - start < 3_000_000_000)
  }

  /// A judgement that had to wait too long says nothing about the target.
  @Test func aJudgementThatWaitedIsOurs() {
    let late = CPUBudget(bytes: 1, waited: JudgeBench.patience + .seconds(1))
    #expect(late.lateness?.reason == .localFault && late.lateness?.state == .unknown)
    #expect(CPUBudget(bytes: 1, waited: .seconds(1)).lateness == nil)
  }

  /// A conversation's patterns have one budget together: what trickles in cannot spend it again and again.
  @Test func aDialogsPatternsShareABudget() throws {
    let pattern = try Pattern("(?s)(.*a){12}b")
    var scan = AnswerScan()
    var left = DialogConversation.patternTime
    let window = [UInt8](repeating: 0x61, count: 16_000)
    var finding: AnswerScan.Finding?
    for _ in 0..<200 {
      scan.isCalm = true
      finding = scan.look(for: .pattern(pattern), in: window, Captures(), at: .now, time: &left)
      if case .failed = finding { break }
    }
    guard case .failed(let failure)? = finding else { throw WrongKind() }
    #expect(failure.message == Pattern.limitWords)
    #expect(left > -DialogConversation.patternTime)
  }
}
