// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension CheckRunner {
  /// The way of an attempt: wait for a place in the egress budget; where each address is to answer, resolve, judge and
  /// probe each; and ask, when nobody answered, whether it is this machine's own path that is broken.
  ///
  /// An attempt that came too early is made again later, with the whole of its time, as long as the next slot is not
  /// due. Waiting is lateness, never latency.
  func outcome(
    of attempt: Attempt
  ) async throws(CancellationError) -> ProbeOutcome {
    let probe = self.probe(for: attempt.check.type)
    let start = time.instant()
    var held = Duration.zero
    while true {
      let paced = attempt.later(by: held)
      let probed: Probed =
        if let finder, let target = paced.targetOfEach {
          switch try await finder.find(target, for: paced, until: paced.deadline) {
          case .found(let addresses, let name): try await probeEach(addresses, name, paced, probe)
          case .ended(let outcome): .done(outcome)
          case .postponed(let wait): .postponed(by: wait)
          }
        } else { try await probeOnce(paced, probe) }
      switch probed {
      case .done(var outcome):
        if held > .zero { outcome.held += held }
        return outcome
      case .postponed(let wait):
        guard held + wait <= attempt.check.interval else {
          var outcome = ProbeOutcome(.heldBack(for: held))
          outcome.held = held
          return outcome
        }
        try await time.sleep(for: wait)
        held = start.duration(to: time.instant())
      }
    }
  }

  /// While this machine's own link or gateway is gone, silence says nothing about the target, and a whole network must
  /// not look down.
  private func probeOnce(
    _ attempt: Attempt, _ probe: any Probe
  ) async throws(CancellationError) -> Probed {
    let probed = try await probe.probe(attempt)
    guard case .done(var outcome) = probed, Self.silence.contains(outcome.verdict.reason),
      let peer = outcome.peer, let words = fault(peer.address)
    else { return probed }
    outcome.verdict = Verdict(.localFault, phase: outcome.verdict.phase ?? .connect, message: words)
    return .done(outcome)
  }

  /// What a dead link of our own looks like.
  private static let silence: Set<Reason> = [.connectTimeout, .connectUnreachable, .dnsTimeout, .pingTimeout]

  /// All permitted addresses, 16 at most, at the same time, so that each has the whole of the time that is left.
  private func probeEach(
    _ addresses: [SocketAddress], _ name: NameTime?, _ attempt: Attempt, _ probe: any Probe
  ) async throws(CancellationError) -> Probed {
    var time = AttemptTime(until: attempt.deadline)
    time.spend(name?.spent)
    let deadline = time.deadline
    let found = await withTaskGroup(of: (Int, Probed?).self) { group in
      for (index, peer) in addresses.enumerated() {
        group.addTask {
          (index, try? await probeOnce(attempt.pinned(to: peer.address, until: deadline), probe))
        }
      }
      var found = [Probed?](repeating: nil, count: addresses.count)
      for await (index, probed) in group { found[index] = probed }
      return found.compactMap(\.self)
    }
    // A probe throws only when it is cancelled.
    guard found.count == addresses.count else { throw CancellationError() }
    let merged = Self.merge(
      zip(addresses, found).map { ($0, $1.outcome) }, of: attempt.check, dns: name?.elapsed)
    if case .postponed = found[merged.deciding] { return found[merged.deciding] }
    return .done(merged.outcome)
  }
}

extension Attempt {
  /// Whose addresses are to answer one by one; nil: the first that accepts a connection answers for the host.
  fileprivate var targetOfEach: TargetFinder.Target? { check.addresses == .each ? check.ownTarget : nil }
}

extension Probed {
  /// What it is as one of several.
  fileprivate var outcome: ProbeOutcome {
    switch self {
    case .done(let outcome): outcome
    case .postponed: ProbeOutcome(.heldBack(for: .zero))
    }
  }
}

extension Verdict {
  static func heldBack(for held: Duration) -> Verdict {
    let message =
      "held back for \(held.roundedText): checks from the API ask for more connections than they may"
    return Verdict(.localFault, phase: .prepare, message: message)
  }
}
