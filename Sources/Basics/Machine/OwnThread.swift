// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// Where work that blocks is done.
package enum OwnThread {
  /// True in the tasks of a simulation, where nothing blocks and everything happens in one order: work for a separate
  /// thread is done at once, by the caller.
  @TaskLocal package static var worksInPlace = false
}

/// Runs `body` on a new, detached thread. For what blocks: the cooperative pool has two threads on a small machine,
/// and a call that blocks there delays every probe.
///
/// False when the system gives no thread; `body` has not run then.
package func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  if OwnThread.worksInPlace {
    body()
    return true
  }
  // Balanced by takeRetainedValue in the thread, or by the release below.
  let retained = Unmanaged.passRetained(ThreadBody(body))
  var thread = pthread_t()
  guard pthread_create(&thread, nil, runThread, retained.toOpaque()) == 0 else {
    retained.release()
    return false
  }
  pthread_detach(thread)
  return true
}

/// Runs blocking work on a thread made for it and gives back what it returns. For rare calls: each costs the start of
/// a thread.
package func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    let hasThread = startThread { continuation.resume(returning: work()) }
    // No thread to be had: late is better than never, and the continuation must be resumed.
    if !hasThread { continuation.resume(returning: work()) }
  }
}

/// The same for work that may never return, such as a call on a file system that does not answer: after the limit it is
/// waited for no longer, and without one (`nil`) for as long as the task is not cancelled. `nil` then, and when there is no thread to be had; what the work returns later is dropped.
///
/// - Parameter rest: how long it is still waited for once the task is cancelled.
package func onThread<Value: Sendable>(
  within limit: Duration?, whenCancelled rest: Duration, _ time: TimeSource,
  _ work: @escaping @Sendable () -> Value
) async -> Value? {
  let answer = FirstAnswer<Value?>()
  let giveUp: @Sendable (Duration) -> Void = { span in
    Task {
      if (try? await time.sleep(for: span)) != nil { answer.give(nil) }
    }
  }
  return await withTaskCancellationHandler {
    await answer.wait {
      guard startThread({ answer.give(work()) }) else { return answer.give(nil) }
      if let limit, !OwnThread.worksInPlace { giveUp(limit) }
    }
  } onCancel: {
    giveUp(rest)
  }
}

/// A value that a task waits for and several may give: the first one counts.
package final class FirstAnswer<Value: Sendable>: Sendable {
  private let state = Mutex<(value: Value?, waiter: CheckedContinuation<Value, Never>?)>((nil, nil))

  package init() {}

  /// - Parameter begin: what leads to the value; not called when it is here already.
  package func wait(_ begin: () -> Void) async -> Value {
    await withCheckedContinuation { waiter in
      let value = state.withLock { state in
        if state.value == nil { state.waiter = waiter }
        return state.value
      }
      if let value { return waiter.resume(returning: value) }
      begin()
    }
  }

  package func give(_ value: Value) {
    let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
      guard state.value == nil else { return nil }
      state.value = value
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: value)
  }
}

/// Arguments of a new thread, handed over through one raw pointer.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
  return nil
}
