// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// Notes when the kernel had something for a transfer, so that a burst of answers is not measured by the order in
/// which one thread gets to them.
///
/// Events that the loop reports arrived when it was woken. While its thread is at work, the sockets that wait for data
/// are looked at together between the steps of libcurl: an answer that waits while others are worked on gets the time
/// of its arrival. Belongs to the engine's thread.
final class ArrivalClock {
  /// Looks closer together than this see nothing new; with many sockets a look takes longer, and they are rarer.
  private static let resolution: Int64 = 100_000
  private static let resolutionForEach: Int64 = 400

  private let loop: LoopThread
  private var watched = Watched()
  private var lastLook = Instant.now
  /// Nothing that libcurl finds in this turn had come before this instant.
  var readySince: Instant { loop.readySince }

  init(_ loop: LoopThread) { self.loop = loop }

  /// Until the connection stands, or bytes of the answer are there. One look-out for each transfer, the last.
  func await(_ what: Arrival, on descriptor: Int32, for transfer: Transfer) {
    watched.remove(transfer)
    watched.add(what, on: descriptor, for: transfer)
  }

  /// Nothing more of it is awaited. Its socket may be closed.
  func forget(_ transfer: Transfer) { watched.remove(transfer) }

  /// The kernel has reported these events for its socket.
  func came(_ events: UInt32, for transfer: Transfer, at now: Instant) {
    guard let what = watched.awaited(by: transfer) else { return }
    guard Self.brings(what, events) else { return }
    watched.remove(transfer)
    transfer.note(what, at: now)
  }

  /// Whether what is awaited has come by these events: a connection stands when the kernel takes bytes for it.
  static func brings(_ what: Arrival, _ events: UInt32) -> Bool {
    let wanted = what == .answer ? LoopThread.readable : LoopThread.writable
    return events & (wanted | LoopThread.ended) != 0
  }

  /// Stamps whatever came since the last look, the loop's own included.
  func look(at now: Instant = .now) {
    guard watched.count > 0 else { return }
    let pause = max(Self.resolution, Self.resolutionForEach * Int64(watched.count))
    guard now.nanoseconds - max(lastLook, loop.drained).nanoseconds >= pause else { return }
    lastLook = now
    watched.take { transfer, what in transfer.note(what, at: now) }
  }
}

/// The sockets of which something is awaited.
private struct Watched {
  private var entries: [pollfd] = []
  /// Whose each entry is.
  private var owners: [Transfer] = []

  var count: Int { entries.count }

  mutating func add(_ what: Arrival, on descriptor: Int32, for transfer: Transfer) {
    transfer.lookout = entries.count
    entries.append(pollfd(fd: descriptor, events: Int16(what == .answer ? POLLIN : POLLOUT), revents: 0))
    owners.append(transfer)
  }

  /// The event that is awaited on its socket. `nil` for none.
  func awaited(by transfer: Transfer) -> Arrival? {
    transfer.lookout.map { Int32(entries[$0].events) == POLLIN ? .answer : .connection }
  }

  mutating func remove(_ transfer: Transfer) {
    guard let index = transfer.lookout else { return }
    transfer.lookout = nil
    let last = entries.count - 1
    if index != last {
      let moved = owners[last]
      (entries[index], owners[index]) = (entries[last], moved)
      moved.lookout = index
    }
    entries.removeLast()
    owners.removeLast()
  }

  /// Takes out those on which something came, and tells of each.
  mutating func take(_ body: (Transfer, Arrival) -> Void) {
    var left = poll(&entries, UInt(entries.count), 0)
    // From the end: what is taken out is replaced by one that was seen.
    var index = entries.count - 1
    while left > 0, index >= 0 {
      let entry = entries[index]
      if entry.revents != 0 {
        left -= 1
        let transfer = owners[index]
        remove(transfer)
        // A socket that libcurl has closed meanwhile tells nothing.
        if Int32(entry.revents) & POLLNVAL == 0 {
          body(transfer, Int32(entry.events) == POLLIN ? .answer : .connection)
        }
      }
      index -= 1
    }
  }
}

/// Event that is awaited on a socket.
enum Arrival { case connection, answer }
