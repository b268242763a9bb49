// SPDX-License-Identifier: MIT

import Basics
import Synchronization

/// Commands of callers for the reactor on its loop's thread.
///
/// Callers put commands in and the thread takes them out; nothing else is shared between them.
final class ReactorMailbox: Sendable {
  enum Command: Sendable {
    /// The closure makes the flow on the loop's thread, where it stays.
    case start(id: UInt64, make: @Sendable () -> any ReactorFlow)
    case cancel(id: UInt64)
  }

  private struct State {
    var commands: [Command] = []
    var isStopped = false
  }

  private let bell: LoopBell
  private let state = Mutex(State())
  private let lastID = Atomic<UInt64>(0)

  init(bell: LoopBell) { self.bell = bell }

  func newID() -> UInt64 { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

  func send(_ command: Command) {
    state.withLock { $0.commands.append(command) }
    bell.ring()
  }

  var isIdle: Bool { state.withLock { $0.commands.isEmpty && !$0.isStopped } }

  /// Gives everything asked for since the last call, in order, for an empty list. False: the reactor is to end.
  func take(_ commands: inout [Command]) -> Bool {
    state.withLock { state in
      swap(&state.commands, &commands)
      return !state.isStopped
    }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    bell.ring()
  }
}
