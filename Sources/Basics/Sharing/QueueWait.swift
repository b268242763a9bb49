// SPDX-License-Identifier: MIT

/// Work of one origin that waits in one of the process's queues.
package struct QueueWait: Hashable, Sendable {
  /// The queue that a task waits in.
  package enum Queue: String, CaseIterable, Hashable, Sendable {
    /// A turn of the thread that begins transfers.
    case starts
    /// Bytes for large answers.
    case memory
    case handshakes
    /// Memory and turns of the thread that undoes content codings.
    case decoding
    /// A thread that judges long answers and patterns.
    case judging
    /// A run in flight.
    case places
  }

  package var queue: Queue
  package var origin: WorkOrigin.Kind
  package var count: Int
  /// Since when something has been waiting without a break.
  package var since: Instant

  package init(_ queue: Queue, _ origin: WorkOrigin.Kind, count: Int, since: Instant) {
    (self.queue, self.origin, self.count, self.since) = (queue, origin, count, since)
  }
}

extension FairQueue {
  /// The tasks that wait, by origin; empty where none does.
  package func waits(for queue: QueueWait.Queue) -> [QueueWait] {
    guard !isEmpty else { return [] }
    return WorkOrigin.Kind.allCases.compactMap { kind in
      since(of: kind).map { QueueWait(queue, kind, count: count(of: kind), since: $0) }
    }
  }
}
