// SPDX-License-Identifier: MIT

import Glibc

/// Where work that blocks is done.
package enum OwnThread {
  /// True in the tasks of a simulation, where nothing blocks and everything happens in one order: what a thread of its
  /// own would do is done at once, by whoever asks for it.
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

/// What a new thread is born with; handed over through one raw pointer.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
  return nil
}
