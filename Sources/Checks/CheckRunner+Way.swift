// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

extension CheckRunner {
  /// The course of an attempt: wait for a place in the egress budget, resolve, judge, probe each address, and check,
  /// without an answer, whether this machine's own path is broken.
  func outcome(of attempt: Attempt) async throws(CancellationError) -> ProbeOutcome {
    let probe = probe(for: attempt.check.type)
    return try await paced(attempt) { attempt async throws(CancellationError) -> Probed in
      var time = AttemptTime(until: attempt.deadline)
      switch try await probe.find(attempt) {
      case nil: return onOwnPath(try await ask(attempt, at: [], dns: nil, probe))
      case .ended(let outcome): return .done(try await probe.unanswered(outcome, attempt))
      case .postponed(let wait): return .postponed(by: wait)
      case .found(let addresses, let name):
        time.spend(name?.spent)
        let attempt = attempt.until(time.deadline)
        let probed =
          attempt.check.addresses == .each
          ? try await probeEach(addresses, dns: name?.elapsed, attempt, probe)
          : onOwnPath(try await ask(attempt, at: addresses, dns: name?.elapsed, probe))
        return probed.paused(for: name?.paused).noting(attempt.account(of: addresses, name))
      }
    }
  }

  /// An attempt that came too early is made again later, with the whole of its time. A run waits for one interval in all,
  /// whatever retries it has: its slot is missed then. Waiting is lateness, never latency.
  private func paced(
    _ attempt: Attempt, _ once: (Attempt) async throws(CancellationError) -> Probed
  ) async throws(CancellationError) -> ProbeOutcome {
    let start = time.instant()
    var held = Duration.zero
    while true {
      switch try await once(attempt.later(by: held)) {
      case .done(var outcome):
        if held > .zero { outcome.held += held }
        return outcome
      case .postponed(let wait):
        guard held + wait <= attempt.patience else {
          var outcome = ProbeOutcome(.heldBack(for: held))
          outcome.held = held
          outcome.isHeldBack = true
          return outcome
        }
        try await time.sleep(for: wait)
        held = start.duration(to: time.instant())
      }
    }
  }

  /// All permitted addresses, 16 at most, at the same time, so that each has the whole of the time that is left.
  private func probeEach(
    _ addresses: [SocketAddress], dns: Duration?, _ attempt: Attempt, _ probe: any Probe
  ) async throws(CancellationError) -> Probed {
    let found = await withTaskGroup(of: (Int, Probed?).self) { group in
      for (index, peer) in addresses.enumerated() {
        group.addTask {
          // Resolving was done once, for all of them.
          let probed = try? await ask(
            attempt.pinned(to: peer.address), at: [peer], dns: dns.map { _ in .zero }, probe)
          return (index, probed.map(onOwnPath))
        }
      }
      var found = [Probed?](repeating: nil, count: addresses.count)
      for await (index, probed) in group { found[index] = probed }
      return found.compactMap(\.self)
    }
    // A probe throws only when it is cancelled.
    guard found.count == addresses.count else { throw CancellationError() }
    let merged = Self.merge(
      zip(addresses, found).map { ($0, $1.outcome) }, of: attempt.check, dns: dns)
    if case .postponed = found[merged.deciding] { return found[merged.deciding] }
    return .done(merged.outcome)
  }

  /// While this machine's own link or gateway is gone, silence says nothing about the target, and a whole network must
  /// not look down.
  private func onOwnPath(_ probed: Probed) -> Probed {
    guard case .done(var outcome) = probed, let peer = outcome.peer else { return probed }
    if outcome.verdict.isUnexplainedFault {
      // The errno alone, "permission denied" say, does not lead to the route that made it.
      guard let words = refusal(peer.address) else { return probed }
      outcome.verdict = outcome.verdict.with(message: words)
      return .done(outcome)
    }
    guard LocalPath.silence.contains(outcome.verdict.reason) else { return probed }
    let isRefused = outcome.verdict.reason == .connectUnreachable
    if let words = fault(peer.address) ?? (isRefused ? refusal(peer.address) : nil) {
      outcome.verdict = Verdict(.localFault, phase: outcome.verdict.phase ?? .connect, message: words)
    } else if let words = absence(peer.address) {
      // The kernel's own word for it is that there is no route to the host, which leads to routers.
      outcome.verdict = outcome.verdict.with(
        message: outcome.verdict.message.map { "\($0) (\(words))" } ?? words)
    }
    return .done(outcome)
  }
}

extension Attempt {
  /// Source of the target's resolved name. `nil` where no details are wanted, or where there was no name.
  fileprivate func account(of addresses: [SocketAddress], _ name: NameTime?) -> ResolvedName? {
    guard explains, let source = name?.source, let host = check.ownTarget?.endpoint.host else { return nil }
    return ResolvedName(name: host, addresses: addresses.map(\.address), source: source)
  }
}

extension Probed {
  /// Its response time may be too long by that as well.
  fileprivate func paused(for span: Duration?) -> Probed {
    guard let span, span > .zero, case .done(var outcome) = self, outcome.paused < span else { return self }
    outcome.paused = span
    return .done(outcome)
  }

  /// With the name that was resolved first.
  fileprivate func noting(_ name: ResolvedName?) -> Probed {
    guard let name, case .done(var outcome) = self else { return self }
    var account = outcome.account ?? ProbeAccount()
    account.names.insert(name, at: 0)
    outcome.account = account
    return .done(outcome)
  }

  /// The outcome of this address as one of several.
  fileprivate var outcome: ProbeOutcome {
    switch self {
    case .done(let outcome): outcome
    case .postponed: ProbeOutcome(.heldBack(for: .zero))
    }
  }
}

extension Verdict {
  /// This machine could not connect, and the message names no cause that leads further.
  fileprivate var isUnexplainedFault: Bool {
    reason == .localFault && phase == .connect && NarrowCause(reason, message) == nil
  }

  static func heldBack(for held: Duration) -> Verdict {
    let message =
      "held back for \(held.roundedText): checks from the API ask for more connections than they may"
    return Verdict(.localFault, phase: .prepare, message: message)
  }
}
