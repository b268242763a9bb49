// SPDX-License-Identifier: MIT

import Glibc

/// Notes when the kernel had something for a transfer, so that a burst of answers is not measured by the order in
/// which one thread gets to them.
///
/// The sockets of which something is awaited are looked at together between the steps of libcurl: an answer that waits
/// while others are worked on gets the time of its arrival. One call for all of them costs less than a set in the
/// kernel that each socket is put into and taken out of. Belongs to the engine's thread.
final class ArrivalClock {
  /// Looks closer together than this see nothing new; with many sockets a look takes longer, and they are rarer.
  private static let resolution: Int64 = 100_000
  private static let resolutionForEach: Int64 = 400

  private var entries: [pollfd] = []
  /// Whose each entry is.
  private var owners: [Transfer] = []
  private var lastLook = Stamp.now

  /// Until the connection stands, or bytes of the answer are there. One look-out for each transfer, the last.
  func await(_ what: Arrival, on descriptor: Int32, for transfer: Transfer) {
    forget(transfer)
    transfer.lookout = entries.count
    entries.append(pollfd(fd: descriptor, events: Int16(what == .answer ? POLLIN : POLLOUT), revents: 0))
    owners.append(transfer)
  }

  /// Nothing more of it is awaited. Its socket may be closed.
  func forget(_ transfer: Transfer) {
    guard let index = transfer.lookout else { return }
    transfer.lookout = nil
    let last = entries.count - 1
    if index != last {
      entries[index] = entries[last]
      owners[index] = owners[last]
      owners[index].lookout = index
    }
    entries.removeLast()
    owners.removeLast()
  }

  /// Stamps whatever came since the last look.
  func look(at now: Stamp = .now) {
    let pause = max(Self.resolution, Self.resolutionForEach * Int64(entries.count))
    guard !entries.isEmpty, now.nanoseconds - lastLook.nanoseconds >= pause else { return }
    lastLook = now
    var left = poll(&entries, UInt(entries.count), 0)
    // From the end: what is taken out is replaced by one that was seen.
    var index = entries.count - 1
    while left > 0, index >= 0 {
      let found = Int32(entries[index].revents)
      if found != 0 {
        left -= 1
        let transfer = owners[index]
        let what: Arrival = Int32(entries[index].events) == POLLIN ? .answer : .connection
        forget(transfer)
        // A socket that libcurl has closed meanwhile tells nothing.
        if found & POLLNVAL == 0 { transfer.note(what, at: now) }
      }
      index -= 1
    }
  }
}

/// What is waited for on a socket.
enum Arrival { case connection, answer }
