// SPDX-License-Identifier: MIT

import Basics
import CLinux
import Curl
import Glibc
import Synchronization

/// What callers ask of the reactor's thread, and the two descriptors it waits on.
///
/// Callers put commands in and the thread takes them out; nothing else is shared between them.
final class ReactorMailbox: Sendable {
  enum Command: Sendable {
    /// The closure makes the flow on the reactor's thread, where it stays.
    case start(id: UInt64, make: @Sendable () -> any ReactorFlow)
    case cancel(id: UInt64)
  }

  private struct State {
    var commands: [Command] = []
    var isStopped = false
  }

  let turns = ThreadClock()
  let epoll: Descriptor
  let wake: Descriptor
  private let state = Mutex(State())
  private let lastID = Atomic<UInt64>(0)

  /// Nil when the process is out of descriptors; `errno` says why.
  init?() {
    guard let epoll = Descriptor(epoll_create1(Int32(EPOLL_CLOEXEC))),
      let wake = Descriptor(eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)))
    else { return nil }
    self.epoll = epoll
    self.wake = wake
  }

  func newID() -> UInt64 { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

  func send(_ command: Command) {
    let wasEmpty = state.withLock { state in
      defer { state.commands.append(command) }
      return state.commands.isEmpty
    }
    // With commands waiting, the wake-up of the first is still on its way.
    if wasEmpty {
      turns.wake()
      ring()
    }
  }

  /// Everything asked for since the last call, in order; nil once the reactor is to end.
  func take() -> [Command]? {
    var count: UInt64 = 0
    _ = read(wake.number, &count, 8)
    return state.withLock { state in
      if state.isStopped { return nil }
      defer { state.commands.removeAll(keepingCapacity: true) }
      return state.commands
    }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    ring()
  }

  private func ring() {
    var one: UInt64 = 1
    // The one failure is a counter near 2^64, and then the thread is awake anyway.
    _ = write(wake.number, &one, 8)
  }
}
