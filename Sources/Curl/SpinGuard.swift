// SPDX-License-Identifier: MIT

import Basics
import CSpin

/// Ends the connection that keeps the engine's thread inside one call of libcurl for good; see spin.h.
///
/// Belongs to the engine's thread, and outlives its multi handle: libcurl closes sockets until the end.
final class SpinGuard {
  /// Nanoseconds of work between two looks; the kernel rounds it up to its own tick. From the third look on that finds
  /// the thread in the same call the connection is ended that has been read from all the while, as spin.c has it.
  private static let interval = 3_000_000

  /// `nil` when memory is out: then nothing is guarded.
  private let state = quartz_spin_new()

  deinit { quartz_spin_free(state) }

  /// On the thread to guard. Where the kernel gives no timer now, a later call may get one.
  func arm() { _ = quartz_spin_arm(state, Self.interval) }

  func disarm() { quartz_spin_disarm(state) }

  /// The thread has come back from the libraries.
  func noteProgress() { quartz_spin_progress(state) }

  func watch(_ descriptor: Int32, for transfer: UInt64) { _ = quartz_spin_watch(state, descriptor, transfer) }

  /// Before the descriptor is closed.
  func forget(_ descriptor: Int32) { quartz_spin_forget(state, descriptor) }

  /// The transfers whose connections were ended since the last call.
  func takeCuts() -> [UInt64] {
    var cuts: [UInt64] = []
    while case let owner = quartz_spin_take(state), owner != 0 { cuts.append(owner) }
    return cuts
  }

  /// Bytes that were read from the transfer's connection. `nil` where it has none, or the count is not known.
  func consumed(_ descriptor: Int32, by transfer: UInt64) -> Int? {
    let bytes = quartz_spin_consumed(state, descriptor, transfer)
    return bytes >= 0 ? Int(clamping: bytes) : nil
  }
}

/// Bytes that a connection may carry besides the content of an answer: the handshake, records, frames, chunks. Pure.
enum WireBudget {
  /// Bytes of it for each byte of header or body; one byte in a TLS record of its own has 22 others.
  static let share = 32
  /// Bytes of it that need no reason.
  static let allowance = 1 << 20

  /// Whether this is a flood.
  ///
  /// - Parameters:
  ///   - consumed: all bytes read from the connection.
  ///   - delivered: bytes of header lines and body, before a content coding is undone.
  static func isSpent(consumed: Int, delivered: Int) -> Bool {
    let (earned, isHuge) = delivered.multipliedReportingOverflow(by: share)
    let (limit, isLarge) = earned.addingReportingOverflow(allowance)
    return !isHuge && !isLarge && consumed > limit
  }
}
