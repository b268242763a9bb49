// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import Synchronization

/// One thread that waits for descriptors and instants on behalf of its guests, and runs tasks between two waits.
///
/// A task that prefers this loop as its executor, and waits for one of its guests, goes on without a change of thread:
/// the guest resumes it, and the thread takes it up before it sleeps again. Work here must be short, since all other
/// guests wait for it. Lateness that it causes is reported (`LoopThread.readySince`).
///
/// The thread ends when the loop is released, or with `shutdown()`.
package final class EventLoop: TaskExecutor {
  private let door: LoopDoor
  /// `nil` once the thread was joined or abandoned.
  private let thread = Mutex<pthread_t?>(nil)

  /// Starts the thread. It lives in the network namespace of the thread that calls this.
  ///
  /// - Parameter name: for ps(1) and debuggers; at most 15 bytes.
  package init(_ name: StaticString) throws(EventLoopUnavailable) {
    guard let door = LoopDoor(name) else {
      throw EventLoopUnavailable(call: "epoll_create1 or eventfd", code: errno)
    }
    self.door = door
    let start = Unmanaged.passRetained(LoopStart(door: door, executor: asUnownedTaskExecutor()))
    var created = pthread_t()
    let code = pthread_create(&created, nil, runLoop, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw EventLoopUnavailable(call: "pthread_create", code: code)
    }
    let known = created
    thread.withLock { $0 = known }
  }

  deinit {
    door.close()
    if let abandoned = thread.withLock({ $0 }) { pthread_detach(abandoned) }
  }

  /// Wakes the thread for a guest into whose mailbox something was put.
  package var bell: LoopBell { door.bell }

  /// How long the thread has been in its present turn, which takes milliseconds where all is well; zero while it sleeps.
  package func turnAge() -> Duration { door.bell.turns.age }

  /// As `turnAge()`, of a thread that is asked to come: one that stands still in its sleep does not.
  package func knock() -> Duration {
    defer { door.bell.ring() }
    return turnAge()
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard !door.take(job) else { return }
    // The loop has ended; a task that still waits is resumed all the same.
    let executor = asUnownedTaskExecutor()
    if !startThread({ job.runSynchronously(on: executor) }) { job.runSynchronously(on: executor) }
  }

  /// Lets a guest in: made on the thread, where it stays.
  package func admit(_ make: @escaping @Sendable (LoopThread) -> any LoopGuest) { door.admit(make) }

  /// Ends the guests and the thread, and waits for it. Not from a task that runs on the loop.
  package func shutdown() async {
    door.close()
    await door.ended.wait()
    let taken = thread.withLock { $0.take() }
    // The thread has nothing left to do but to return.
    if let taken { pthread_join(taken, nil) }
  }
}

/// The loop could not be started: a fault of this machine.
package struct EventLoopUnavailable: Error, CustomStringConvertible {
  package let call: String
  /// errno
  package let code: Int32

  package var description: String {
    "cannot start the network thread: \(call): \(String(cString: strerror(code))); raise the descriptor or task limit"
  }
}

/// Arguments of the new thread.
private final class LoopStart: Sendable {
  let door: LoopDoor
  let executor: UnownedTaskExecutor

  init(door: LoopDoor, executor: UnownedTaskExecutor) {
    self.door = door
    self.executor = executor
  }
}

/// The thread's body. File-scope, so that it can never inherit an actor's isolation.
private func runLoop(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  let start = Unmanaged<LoopStart>.fromOpaque(argument).takeRetainedValue()
  // Signals belong to the main thread; one delivered here would only make calls return EINTR. What a fault of this thread
  // brings about itself is its own: blocked, it would end the process without a word (sigaction(2)).
  var others = sigset_t()
  sigfillset(&others)
  for own in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS] { sigdelset(&others, own) }
  pthread_sigmask(SIG_SETMASK, &others, nil)
  start.door.name.withUTF8Buffer { name in
    name.withMemoryRebound(to: CChar.self) { _ = quartz_name_thread($0.baseAddress) }
  }
  LoopThread(start.door, executor: start.executor).run()
  return nil
}
