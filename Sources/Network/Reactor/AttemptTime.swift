// SPDX-License-Identifier: MIT

import Basics

/// The rest of an attempt's time. Only the time of others counts, name servers, proxies and targets, as the threads
/// that spoke to them measured it; never the time between two of them in this machine.
package struct AttemptTime: Hashable, Sendable {
  package private(set) var left: Duration

  package init(until deadline: Instant, now: Instant = .now) {
    left = max(.zero, now.duration(to: deadline))
  }

  /// Of what begins now.
  package var deadline: Instant { deadline(after: left) }

  /// Of what begins now, and gets no more than that.
  package func deadline(after share: Duration) -> Instant { .now + share }

  /// - Parameter span: nil and what is negative count as nothing.
  package mutating func spend(_ span: Duration?) { left -= min(left, max(.zero, span ?? .zero)) }
}
