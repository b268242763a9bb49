// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// The addresses of a host, pinged in turn until one replies. Pure.
struct PingTurns {
  /// Of each address that was pinged, in their order.
  private var outcomes: [ProbeOutcome] = []

  mutating func add(_ outcome: ProbeOutcome) { outcomes.append(outcome) }

  /// The last address replied, or what failed would fail for the next one too.
  var isOver: Bool { outcomes.last.map(endsTurns) ?? false }

  /// Of the attempt.
  let timeout: Duration

  init(timeout: Duration) { self.timeout = timeout }

  /// A missing route is of one address; no permission, no descriptor and a machine that was busy are of all of them.
  private func endsTurns(_ outcome: ProbeOutcome) -> Bool {
    if outcome.hasReply { return true }
    var judged = outcome
    PauseRule(timeout: timeout).judge(&judged)
    return judged.verdict.reason.isLocal && judged.verdict.phase != .connect
  }

  /// When an address that is silent makes room for the others. `nil` for the last one, which has the whole of the time.
  static func patience(_ time: AttemptTime, others: Int) -> Instant? {
    others > 0 ? time.deadline(after: time.left / (others + 1)) : nil
  }

  /// That of the address that replied; without one, of the first whose failure is no fault of this machine.
  var outcome: ProbeOutcome {
    guard let last = outcomes.last else { preconditionFailure("pinged no address at all") }
    guard outcomes.count > 1 else { return last }
    var outcome =
      isOver ? last : outcomes.first { !$0.verdict.reason.isLocal } ?? outcomes.first ?? last
    if !isOver { outcome.verdict = outcome.verdict.tried(outcomes.count) }
    outcome.timings.total = outcomes.reduce(.zero) { $0 + $1.took }
    outcome.dialled = dialled
    return outcome
  }

  private var dialled: [DialledAddress] {
    var start = Duration.zero
    return outcomes.map { outcome in
      defer { start += outcome.took }
      let isReached = outcome.hasReply
      return DialledAddress(
        address: outcome.address ?? "", outcome: isReached ? .connected : .failed,
        reason: isReached ? nil : outcome.verdict.reason, after: start, elapsed: outcome.took)
    }
  }
}

extension ProbeOutcome {
  fileprivate var took: Duration { self.timings.total ?? .zero }

  fileprivate var hasReply: Bool { (self.ping?.received ?? 0) > 0 }
}

extension PingSettings {
  /// With no more packets than leave half of the time for the replies.
  func fitting(_ time: Duration) -> PingSettings {
    var settings = self
    settings.count = min(count, 1 + Int(time.microseconds / 2 / packetInterval.microseconds))
    return settings
  }
}
