// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import Testing

@testable import Basics

/// A loop's thread and its door, run in place: what comes before it begins is all that comes.
@Suite(.timeLimit(.minutes(1))) struct LoopDoorTests {
  /// Hands tasks to a door; what the door takes no more runs at once.
  private final class Executor: TaskExecutor {
    let door: LoopDoor
    let refused = Mutex(0)

    init(_ door: LoopDoor) { self.door = door }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      guard !door.take(job) else { return }
      refused.withLock { $0 += 1 }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  private final class Diary: Sendable {
    private let lines = Mutex<[String]>([])
    func note(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock(\.self) }
  }

  private final class Guest: LoopGuest {
    var watched = 0
    var isIdle: Bool { true }
    private let name: String
    private let diary: Diary
    private var wishes: [LoopWish]
    private let heard: () -> Void

    init(_ name: String, _ diary: Diary, _ wishes: [LoopWish], heard: @escaping () -> Void = {}) {
      (self.name, self.diary, self.wishes, self.heard) = (name, diary, wishes, heard)
    }

    func ready(_ key: UInt64, _ events: UInt32, at now: Instant) {
      diary.note("\(name) hears \(String(key, radix: 16)): \(events == LoopThread.readable)")
      heard()
    }

    func turn() -> LoopWish {
      diary.note("\(name) turns")
      return wishes.isEmpty ? .wait(until: nil) : wishes.removeFirst()
    }

    func end() { diary.note("\(name) ends") }
  }

  private func run(_ door: LoopDoor, _ executor: Executor) {
    LoopThread(door, executor: executor.asUnownedTaskExecutor()).run()
  }

  /// More tasks than all rounds before the end run: none is lost, and they keep their order.
  @Test(arguments: [0, 1, 16, 17, 48, 49, 200]) func whatWasHandedInRunsBeforeTheEnd(count: Int) async throws
  {
    let door = try #require(LoopDoor("test"))
    let executor = Executor(door)
    let diary = Diary()
    let tasks = (0..<count).map { number in
      Task(executorPreference: executor) { diary.note("\(number)") }
    }
    door.close()
    run(door, executor)
    #expect(diary.all == (0..<count).map { "\($0)" } && executor.refused.withLock(\.self) == 0)
    for task in tasks { await task.value }
    await door.ended.wait()
    // Behind the end the door takes nothing, and the task goes on elsewhere.
    await Task(executorPreference: executor) {}.value
    #expect(executor.refused.withLock(\.self) > 0)
  }

  /// Everything that waits at the door keeps its thread from sleep, until it is taken.
  @Test func whatWaitsAtTheDoor() async throws {
    let door = try #require(LoopDoor("test"))
    #expect(door.isIdle)
    let diary = Diary()
    door.admit { _ in Guest("one", diary, []) }
    #expect(!door.isIdle)
    let taken = door.takeEntries()
    #expect(taken.entries.count == 1 && !taken.isClosing && door.isIdle && door.takeEntries().entries.isEmpty)
    let executor = Executor(door)
    let tasks = ["a", "b"].map { name in Task(executorPreference: executor) { diary.note(name) } }
    #expect(!door.isIdle && !door.end())
    var jobs: [UnownedJob] = []
    door.takeJobs(&jobs)
    #expect(jobs.count == 2 && door.isIdle)
    for job in jobs { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
    for task in tasks { await task.value }
    #expect(diary.all == ["a", "b"])
    door.close()
    #expect(!door.isIdle && door.takeEntries().isClosing && !door.isIdle)
    #expect(door.end())
  }

  /// A sleeping thread is woken by everything that is handed in, once; an awake one by nothing.
  @Test func theBellOfTheDoor() async throws {
    let door = try #require(LoopDoor("test"))
    let executor = Executor(door)
    func rang() -> Bool {
      var count: UInt64 = 0
      return read(door.bell.descriptor, &count, 8) == 8
    }
    door.admit { _ in Guest("one", Diary(), []) }
    #expect(!rang())
    door.bell.fallAsleep()
    door.admit { _ in Guest("two", Diary(), []) }
    #expect(rang())
    door.admit { _ in Guest("three", Diary(), []) }
    #expect(!rang(), "it is awake by now")
    door.bell.fallAsleep()
    let task = Task(executorPreference: executor) {}
    #expect(rang())
    door.bell.fallAsleep()
    door.close()
    #expect(rang())
    door.bell.fallAsleep()
    door.bell.wakeUp()
    door.bell.ring()
    #expect(!rang())
    door.bell.fallAsleep()
    door.bell.ring()
    door.bell.clear()
    #expect(!rang())
    run(door, executor)
    await task.value
  }

  /// A loop that is let go of ends its guests and its thread.
  @Test func aLoopThatIsLetGo() async throws {
    let diary = Diary()
    let ended = Latch()
    do {
      let loop = try EventLoop("test")
      loop.admit { _ in Goer(diary, ended) }
    }
    await ended.wait()
    #expect(diary.all.last == "goer ends")
  }

  private final class Goer: LoopGuest {
    var watched: Int { 0 }
    var isIdle: Bool { true }
    private let diary: Diary
    private let ended: Latch

    init(_ diary: Diary, _ ended: Latch) { (self.diary, self.ended) = (diary, ended) }

    func ready(_ key: UInt64, _ events: UInt32, at now: Instant) {}
    func turn() -> LoopWish { .wait(until: nil) }
    func end() {
      diary.note("goer ends")
      ended.open()
    }
  }

  /// Guests turn in the order they came; one that leaves ends once, and one that stays ends with the loop.
  @Test func guestsTurnAndLeave() throws {
    let door = try #require(LoopDoor("test"))
    let diary = Diary()
    door.admit { _ in Guest("one", diary, [.again, .leave]) }
    door.admit { _ in Guest("two", diary, [.wait(until: Instant.now), .again]) }
    door.admit { _ in
      Guest("three", diary, [.wait(until: nil), .wait(until: nil), .again])
    }
    door.admit { _ in
      // Its first turn lets the others have three in all.
      Closer(door, after: 3)
    }
    run(door, Executor(door))
    #expect(
      diary.all == [
        "one turns", "two turns", "three turns", "one turns", "one ends", "two turns", "three turns",
        "two turns", "three turns", "two turns", "three turns", "two ends", "three ends",
      ])
  }

  /// Closes the door in a turn; the loop ends behind the next one.
  private final class Closer: LoopGuest {
    var watched: Int { 0 }
    var isIdle: Bool { true }
    private let door: LoopDoor
    private var left: Int

    init(_ door: LoopDoor, after turns: Int) { (self.door, left) = (door, turns) }

    func ready(_ key: UInt64, _ events: UInt32, at now: Instant) {}

    func turn() -> LoopWish {
      left -= 1
      if left == 0 { door.close() }
      return .again
    }

    func end() {}
  }

  /// What the kernel reports goes to the guest that watches it, under its whole key, and what is forgotten to none.
  @Test func eventsFindTheirGuest() throws {
    let door = try #require(LoopDoor("test"))
    let diary = Diary()
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let (input, output) = (ends[0], ends[1])
    defer { for end in [input, output] { close(end) } }
    #expect(write(output, [1], 1) == 1)
    door.admit { _ in Guest("one", diary, []) }
    door.admit { thread in
      let guest = Guest("two", diary, []) {
        thread.forget(input)
        door.close()
      }
      #expect(
        thread.watch(input, for: guest, key: 0xff_fedc_ba98_7654, LoopThread.readable, isNew: true) == 0)
      #expect(thread.watch(input, for: guest, key: 1, LoopThread.readable, isNew: true) == EEXIST)
      return guest
    }
    run(door, Executor(door))
    #expect(diary.all.filter { $0.contains("hears") } == ["two hears fffedcba987654: true"])
    #expect(diary.all.suffix(2) == ["one ends", "two ends"])
  }
}

@Suite struct DrainClockEdgeTests {
  private func at(_ milliseconds: Int) -> Instant {
    Instant(microseconds: 1_000_000 + Int64(milliseconds) * 1000)
  }

  /// As many full looks as hold all descriptors, and one more, have told of all that was there before the first.
  @Test(arguments: [(0, 2), (3, 2), (4, 3), (7, 3), (8, 4), (10, 4), (12, 5)])
  func fullLooksThatHoldAll(open: Int, looks: Int) {
    var clock = DrainClock(capacity: 4, now: at(0))
    for look in 1..<(2 * looks) {
      clock.looked(at: at(10 * look), count: 4, arrived: nil, open: open)
      // The next count begins with the look that ended this one.
      let drained = look < looks ? 0 : look < 2 * looks - 1 ? 10 : 10 * looks
      #expect(clock.drained == at(drained), "\(look)")
      #expect(clock.readySince == at(drained), "\(look)")
    }
    clock.looked(at: at(1000), count: 3, arrived: at(999), open: open)
    #expect(clock.drained == at(1000))
    clock.looked(at: at(1010), count: 0, arrived: at(1005), open: open)
    #expect(clock.drained == at(1010) && clock.readySince == at(1005))
  }
}

@Suite struct FirstAnswerTests {
  @Test func theFirstCounts() async {
    let before = FirstAnswer<Int>()
    before.give(1)
    before.give(2)
    #expect(await before.wait { Issue.record("it was given before") } == 1)
    let during = FirstAnswer<Int>()
    #expect(
      await during.wait {
        during.give(3)
        during.give(4)
      } == 3)
  }
}
