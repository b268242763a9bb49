// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Compares a path with the one that was last seen to work: pure.
///
/// Only differences that two traces show for certain are called a change. Routers limit how often they answer (RFC 1812
/// 4.3.2.8), so one that is silent while a later one answers has not changed; several routers share the traffic at one
/// place, so another of them is no other path; and loss counts from the hop on from which all hops behind have it too.
package struct TraceComparison: Hashable, Sendable {
  /// The one that explains most first.
  package let changes: [TraceChange]
  /// The path is broken behind this TTL, 0 to 255. `nil` where it is not, or the place is not known.
  package let brokenAfter: Int?
  /// One sentence for people, at most 256 bytes.
  package let summary: String

  /// The current state, without a comparison.
  package let shortSummary: String

  /// - Parameter good: the way as it was when the target worked; `nil` when it was never looked at.
  package init(_ trace: RouteTrace, good: RouteTrace?) {
    let good = good.flatMap { $0.target.address == trace.target.address && !$0.end.isFault ? $0 : nil }
    let finder = TraceChangeFinder(trace: trace, good: good)
    changes = finder.changes
    brokenAfter = finder.brokenAfter
    let parts = changes.isEmpty ? [finder.unchanged] : changes.prefix(2).map(\.words)
    let basis = good == nil && !trace.end.isFault ? ["no trace of it at work to compare with"] : []
    shortSummary = parts.joined(separator: "; ").printable(maxBytes: 256)
    summary = (parts + basis).joined(separator: "; ").printable(maxBytes: 256)
  }
}

/// One thing that is different.
package struct TraceChange: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// No answer from behind a router, where there was one before.
    case ends
    /// A device on the path refuses.
    case refused
    /// The same routers again and again.
    case loop
    /// The target itself, or what stands before it in its name, says no.
    case targetRefused = "target_refused"
    /// A device nearer than the target answers in its name.
    case answeredEarly = "answered_early"
    /// A link takes smaller packets than before.
    case mtu
    /// From a router on packets are lost.
    case loss
    /// From a router on answers take longer.
    case slower
    /// Another router than before.
    case differs
    /// More or fewer routers than before.
    case length
    /// The trace itself did not work.
    case fault
  }

  package var kind: Kind
  /// Of the router that it is about; nil: of none.
  package var ttl: Int?
  package var words: String

  init(_ kind: Kind, _ ttl: Int?, _ words: String) { (self.kind, self.ttl, self.words) = (kind, ttl, words) }
}

extension TraceEnd {
  var isFault: Bool { if case .fault = self { true } else { false } }
  package var isReached: Bool { if case .reached = self { true } else { false } }
}

extension TraceHop {
  /// The address with most answers, with its name.
  var place: String? { answers.first.map(\.place) }
  var addresses: Set<IPAddress> { Set(answers.map(\.address)) }
  var best: Duration? { answers.map(\.best).min() }
}

extension TraceAnswer {
  package var place: String {
    guard let name = name?.printable(maxBytes: 60), !name.isEmpty else { return address.description }
    return "\(address) \(name)"
  }
}
