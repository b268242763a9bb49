// SPDX-License-Identifier: MIT

import Basics

/// Lets transfers with TLS begin a few at a time. A handshake is a millisecond of work for the engine's thread: of
/// five hundred begun at once each would be measured with the work for all the others. What waits its turn is late,
/// which is nobody's latency.
struct HandshakeQueue {
  /// Enough to keep this thread and a server at work.
  static let limit = 16
  /// One that waits for its server costs nothing, and after this long it counts no more: servers that never answer
  /// hold nobody up.
  static let span: Int64 = 30_000_000

  private var begun: [(at: Instant, number: UInt64)] = []

  mutating func add(_ transfer: Transfer) { begun.append((transfer.started, transfer.number)) }

  /// Whether one more may begin.
  mutating func hasRoom(_ active: TransferTable, at now: Instant = .now) -> Bool {
    if begun.count < Self.limit { return true }
    begun.removeAll { one in
      guard let transfer = active[one.number], transfer.seen.requestStart == nil else { return true }
      return now.nanoseconds - one.at.nanoseconds > Self.span
    }
    return begun.count < Self.limit
  }
}
