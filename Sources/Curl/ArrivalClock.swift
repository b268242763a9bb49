// SPDX-License-Identifier: MIT

import CCurl
import Glibc

/// Notes when the kernel had something for a transfer, so that a burst of answers is not measured by the order in
/// which one thread gets to them.
///
/// The sockets lie in an epoll set of their own, edge-triggered, which is looked at between the steps of libcurl: an
/// answer that waits while others are worked on gets the time of its arrival. Belongs to the engine's thread.
final class ArrivalClock {
  /// Looks closer together than this see nothing new.
  private static let resolution: Duration = .microseconds(100)

  /// Negative when there was no descriptor for it: then the stamps are those of our own work, as good as they are.
  private let descriptor = quartz_arrivals_open()
  private var found = [quartz_arrival](repeating: quartz_arrival(), count: Int(QUARTZ_ARRIVALS))
  private var watched: [UInt64: Transfer] = [:]
  private var lastLook = ContinuousClock.now

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The socket leaves the set by being closed.
  func watch(_ socket: Int32, for transfer: Transfer) {
    let id = transfer.ticket.id
    if quartz_arrivals_watch(descriptor, socket, id) == 0 { watched[id] = transfer }
  }

  func forget(_ transfer: Transfer) { watched[transfer.ticket.id] = nil }

  /// Stamps whatever came since the last look.
  func look(at now: ContinuousClock.Instant = .now) {
    guard now - lastLook >= Self.resolution, !watched.isEmpty else { return }
    lastLook = now
    var count: Int
    repeat {
      count = Int(quartz_arrivals_take(descriptor, &found))
      for arrival in found.prefix(max(0, count)) {
        watched[arrival.id]?.noteReady(toRead: arrival.readable != 0, toWrite: arrival.writable != 0, at: now)
      }
    } while count == found.count
  }
}
