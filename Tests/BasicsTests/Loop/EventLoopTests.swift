// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Synchronization
import Testing

/// One thread for guests and tasks.
@Suite(.timeLimit(.minutes(1))) struct EventLoopTests {
  /// What a guest was called for, in order.
  private final class Diary: Sendable {
    private let lines = Mutex<[String]>([])
    func note(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock(\.self) }
  }

  /// Watches one descriptor and reads what comes, until it is told to stop.
  private final class Reader: LoopGuest {
    private let descriptor: Int32
    private let diary: Diary
    private let came: AsyncStream<UInt64>.Continuation
    private var isDone = false

    init(_ descriptor: Int32, _ diary: Diary, _ came: AsyncStream<UInt64>.Continuation, on loop: LoopThread) {
      (self.descriptor, self.diary, self.came) = (descriptor, diary, came)
      #expect(loop.watch(descriptor, for: self, key: 7, LoopThread.readable, isNew: true) == 0)
    }

    var watched: Int { 1 }
    var isIdle: Bool { true }

    func ready(_ key: UInt64, _ events: UInt32, at now: Instant) {
      var byte: UInt8 = 0
      if read(descriptor, &byte, 1) == 1 {
        diary.note("read \(byte) under \(key)")
        came.yield(key)
      } else {
        isDone = true
      }
    }

    func turn() -> LoopWish { isDone ? .leave : .wait(until: nil) }

    func end() {
      diary.note("end")
      came.finish()
    }
  }

  private func withPipe(_ body: (_ input: Int32, _ output: Int32) async throws -> Void) async throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    for end in ends { #expect(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
    try await body(ends[0], ends[1])
    close(ends[0])
  }

  /// A guest hears of its own descriptor under its own key, leaves when it wants to, and is told that it has.
  @Test func aGuestHearsOfWhatItWatches() async throws {
    try await withPipe { input, output in
      let loop = try EventLoop("test")
      let diary = Diary()
      let (stream, came) = AsyncStream<UInt64>.makeStream()
      loop.admit { Reader(input, diary, came, on: $0) }
      var keys = stream.makeAsyncIterator()
      for byte: UInt8 in [1, 2] {
        #expect(write(output, [byte], 1) == 1)
        #expect(await keys.next() == 7)
      }
      close(output)
      #expect(await keys.next() == nil)
      #expect(diary.all == ["read 1 under 7", "read 2 under 7", "end"])
      await loop.shutdown()
    }
  }

  /// The end of the loop ends who is still there.
  @Test func theEndOfTheLoopEndsItsGuests() async throws {
    try await withPipe { input, output in
      let loop = try EventLoop("test")
      let diary = Diary()
      let (stream, came) = AsyncStream<UInt64>.makeStream()
      loop.admit { Reader(input, diary, came, on: $0) }
      await loop.shutdown()
      for await _ in stream {}
      #expect(diary.all == ["end"])
      close(output)
    }
  }

  /// Tasks that prefer the loop all run on its one thread, children included, and go on there after each wait.
  @Test func tasksRunOnTheLoopsThread() async throws {
    let loop = try EventLoop("test")
    let threads = await withTaskExecutorPreference(loop) {
      await withTaskGroup(of: [pthread_t].self) { group in
        for _ in 0..<200 {
          group.addTask {
            let before = pthread_self()
            await Task.yield()
            return [before, pthread_self()]
          }
        }
        return await group.reduce(into: Set<pthread_t>()) { $0.formUnion($1) }
      }
    }
    #expect(threads.count == 1)
    #expect(!threads.contains(pthread_self()))
    await loop.shutdown()
  }

  /// More tasks than one round runs, begun while a guest waits: the guest gets its turn in between.
  @Test func tasksDoNotKeepGuestsWaiting() async throws {
    try await withPipe { input, output in
      let loop = try EventLoop("test")
      let diary = Diary()
      let (_, came) = AsyncStream<UInt64>.makeStream()
      loop.admit { Reader(input, diary, came, on: $0) }
      // Ends only when the guest was called, however busy the loop is with this.
      let task = Task(executorPreference: loop) {
        while diary.all.isEmpty { await Task.yield() }
      }
      #expect(write(output, [1], 1) == 1)
      await task.value
      close(output)
      await loop.shutdown()
    }
  }

  /// A task that still waits when its loop has ended goes on all the same.
  @Test func whoOutlivesTheLoopGoesOn() async throws {
    let loop = try EventLoop("test")
    let (stream, goOn) = AsyncStream<Void>.makeStream()
    let (started, hasStarted) = AsyncStream<Void>.makeStream()
    let task = Task(executorPreference: loop) {
      hasStarted.finish()
      for await _ in stream {}
      return 42
    }
    for await _ in started {}
    await loop.shutdown()
    goOn.finish()
    #expect(await task.value == 42)
  }

  /// A trap on the thread reaches its handler; what is sent to the process goes to others.
  @Test func itsOwnFaultsAreNotBlocked() async throws {
    let loop = try EventLoop("test")
    let blocked = await Task(executorPreference: loop) {
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      return [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGTERM, SIGHUP].map {
        sigismember(&mask, $0)
      }
    }.value
    #expect(blocked == [0, 0, 0, 0, 0, 0, 1, 1])
    await loop.shutdown()
  }

  /// While it sleeps the thread is at no turn, and whoever gives it something to do begins one.
  @Test func aSleepingLoopIsAtNoTurn() async throws {
    let loop = try EventLoop("test")
    await Task(executorPreference: loop) {}.value
    while loop.turnAge() != .zero { await Task.yield() }
    let hold = Mutex(())
    hold._unsafeLock()
    let task = Task(executorPreference: loop) { hold.withLock { _ in } }
    while loop.turnAge() == .zero { await Task.yield() }
    hold._unsafeUnlock()
    await task.value
    await loop.shutdown()
  }
}
