// SPDX-License-Identifier: MIT

import Basics

/// The time of one other side: a server, a proxy, a name server. Delays on this machine are added, so that it gets its
/// whole time however busy we are. Pure.
///
/// Only our own delays count: data that came and waited for our thread, a turn that was ours to give, a core that the
/// machine did not give us. Nothing that the other side sends makes it longer, and it never more than doubles the time.
package struct TimeAllowance: Hashable, Sendable {
  /// The other side's own.
  package let limit: Duration
  package private(set) var held = Duration.zero
  /// Delay beyond the most that is added.
  package private(set) var excess = Duration.zero

  package init(_ limit: Duration) { self.limit = max(.zero, limit) }

  /// From the start on, with what was held so far.
  package var whole: Duration { limit + held }

  /// We were the ones to wait for.
  package mutating func hold(_ span: Duration) {
    guard span > .zero else { return }
    let added = min(span, limit - held)
    held += added
    excess += span - added
  }

  /// The meaning of a time that ran out.
  package enum End: Hashable, Sendable {
    /// There is time left.
    case early
    /// The other side had all its time.
    case timeout
    /// It had not: this machine was late by more than a fifth of it.
    case ownFault
  }

  /// - Parameters:
  ///   - elapsed: since the start.
  ///   - lateness: how much later than it should have this machine did what nothing made up for.
  package func end(after elapsed: Duration, lateness: Duration = .zero) -> End {
    if elapsed < whole { return .early }
    return (lateness + excess) * 5 > limit ? .ownFault : .timeout
  }
}
