// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Reports that a connection waited for a lost SYN: the kernel sends it again after a second, then after two more (RFC
/// 6298 2 and 5.7), and such a time alone does not show its parts. Of a success too, whose verdict it does not change.
///
/// That the SYN had no answer in time is all that the kernel knows: the SYN may have been lost, or its answer.
struct LostSYNs {
  /// How often one was sent again, on all connections of the attempt.
  let count: Int
  private let outcome: ProbeOutcome

  init(_ outcome: ProbeOutcome) {
    self.outcome = outcome
    count =
      outcome.hops.isEmpty
      ? Int(outcome.tcp?.synRetransmits ?? 0)
      : outcome.hops.reduce(0) { $0 + Int($1.tcp?.synRetransmits ?? 0) }
  }

  /// `nil` where none was lost.
  var words: String? {
    guard count > 0 else { return nil }
    if outcome.verdict.reason == .connectTimeout, outcome.hops.count < 2, outcome.ping == nil {
      return "none of \(count + 1) SYNs was answered"
    }
    let what =
      count == 1
      ? "1 SYN, or its answer, was lost and sent again"
      : "\(count) SYNs, or their answers, were lost and sent again"
    guard let taken = outcome.timings.connect else { return what }
    return "connecting took \(taken.roundedText)\(place): \(what)"
  }

  /// Which of several hops it was, where it was one.
  private var place: String {
    guard outcome.hops.count > 1 else { return "" }
    let hops = outcome.hops.indices.filter { (outcome.hops[$0].tcp?.synRetransmits ?? 0) > 0 }
    guard let hop = hops.first, hops.count == 1 else { return "" }
    return ", at hop \(hop + 1) of \(outcome.hops.count)"
  }
}

extension ProbeOutcome {
  /// Puts lost SYNs into the message.
  mutating func tellLostSYNs() {
    guard let words = LostSYNs(self).words else { return }
    verdict = verdict.with(message: verdict.message.map { "\($0); \(words)" } ?? words)
  }
}
