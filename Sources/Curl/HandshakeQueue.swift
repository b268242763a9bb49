// SPDX-License-Identifier: MIT

import Basics

/// Lets transfers with TLS begin a few at a time. A handshake is a millisecond of work for the engine's thread: of five
/// hundred begun at once each would be measured with the work for all the others. A wait for a turn counts as lateness,
/// not as latency. Urgent origins neither wait nor count.
struct HandshakeQueue {
  /// Enough to keep this thread and a server at work.
  static let limit = 22
  static let shares: [WorkOrigin.Kind: Shares.Share] = [
    .fileChecks: Shares.Share(guaranteed: 6, bound: 16), .apiChecks: Shares.Share(guaranteed: 2, bound: 8),
    .asked: Shares.Share(guaranteed: 2, bound: 8), .tokens: Shares.Share(guaranteed: 1, bound: 4),
    .discovery: Shares.Share(guaranteed: 1, bound: 4),
  ]
  /// A handshake that waits for its server costs nothing, and after this long it counts no more: servers that never
  /// answer delay no others.
  static let span: Int64 = 30_000_000

  private struct Begun {
    var at: Instant
    var number: UInt64
    var kind: WorkOrigin.Kind
  }

  private var begun: [Begun] = []
  private var shares = Shares(limit: HandshakeQueue.limit, HandshakeQueue.shares)

  /// There was room for it, or its origin is urgent.
  mutating func add(_ number: UInt64, for kind: WorkOrigin.Kind, at begin: Instant) {
    guard !kind.isUrgent, shares.take(1, for: kind) else { return }
    begun.append(Begun(at: begin, number: number, kind: kind))
  }

  /// Whether one more of this origin may begin.
  ///
  /// - Parameter isGoingOn: whether the handshake of this number has not ended.
  mutating func hasRoom(
    for kind: WorkOrigin.Kind, at now: Instant = .now, isGoingOn: (UInt64) -> Bool
  ) -> Bool {
    if shares.hasRoom(for: 1, of: kind) { return true }
    var goingOn: [Begun] = []
    for one in begun {
      if isGoingOn(one.number), now.nanoseconds - one.at.nanoseconds <= Self.span {
        goingOn.append(one)
      } else {
        shares.give(1, of: one.kind)
      }
    }
    begun = goingOn
    return shares.hasRoom(for: 1, of: kind)
  }
}
