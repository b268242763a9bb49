// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Sends ICMP echo requests over an unprivileged socket, or over a raw one where only that is allowed, or makes TCP connections, and counts what comes back before
/// the deadline.
///
/// The response time is the average round trip, which is what everybody means by it; `timings.total` is how long
/// the run took, pauses included. Several addresses are pinged in turn, until one replies.
package struct PingProbe: Probe {
  private let reactor: Reactor
  private let finder: TargetFinder

  package init(reactor: Reactor, finder: TargetFinder) {
    self.reactor = reactor
    self.finder = finder
  }

  package func find(_ attempt: Attempt) async throws(CancellationError) -> TargetFinder.Finding? {
    try await finder.find(attempt)
  }

  package func probe(
    _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
  ) async throws(CancellationError) -> Probed {
    let check = attempt.check
    guard case .ping(let settings) = check.kind else { return .done(.unsupported(check, by: "ping")) }
    var time = AttemptTime(until: attempt.deadline)
    var turns = PingTurns(timeout: check.timeout)
    for (index, peer) in addresses.enumerated() where !turns.isOver && (index == 0 || time.left > .zero) {
      let patience = PingTurns.patience(time, others: addresses.count - index - 1)
      let settings = index == 0 ? settings : settings.fitting(time.left)
      let outcome = try await ping(peer, attempt.until(time.deadline), settings, patience)
      time.spend(outcome.timings.total)
      turns.add(outcome)
    }
    var outcome = turns.outcome
    outcome.timings.dns = dns
    outcome.timings.total = (outcome.timings.total ?? .zero) + (dns ?? .zero)
    return .done(outcome)
  }

  private func ping(
    _ peer: SocketAddress, _ attempt: Attempt, _ settings: PingSettings, _ patience: Instant?
  ) async throws(CancellationError) -> ProbeOutcome {
    switch settings.method {
    case .icmp: try await echo(peer, attempt, settings, patience)
    case .tcp: try await connect(peer, attempt, settings, patience)
    }
  }

  package func unanswered(_ outcome: ProbeOutcome, _ attempt: Attempt) async -> ProbeOutcome {
    guard case .ping(let settings) = attempt.check.kind else { return outcome }
    var outcome = outcome
    outcome.assertions = judge(attempt.check, settings).judge(PingTally()).assertions
    return outcome
  }

  private func judge(
    _ check: MonitoringCheck, _ settings: PingSettings, paused: Duration = .zero
  ) -> PingJudge {
    PingJudge(settings: settings, namesOffender: check.origin == .local, paused: paused)
  }

  private func echo(
    _ peer: SocketAddress, _ attempt: Attempt, _ settings: PingSettings, _ patience: Instant?
  ) async throws(CancellationError) -> ProbeOutcome {
    let (check, deadline, pauses) = (attempt.check, attempt.deadline, PauseWatch())
    var series = EchoSeries(target: peer.address, settings: settings, nonce: .random(in: 0...UInt64.max))
    series.patience = patience
    var conversation = try await reactor.converse(series, over: .icmp, with: peer, until: deadline)
    if conversation.report.isForbidden, let identifier = EchoIdentifiers.shared.take() {
      defer { EchoIdentifiers.shared.giveBack(identifier) }
      series.identifier = identifier
      conversation = try await reactor.converse(series, over: .rawICMP, with: peer, until: deadline)
    }
    let (tally, report) = (conversation.conversation.tally, conversation.report)
    var outcome = outcome(of: tally, check, settings, pauses, elapsed: report.elapsed)
    if case .failed(let code) = report.end, tally.roundTrips.isEmpty {
      outcome.verdict = Verdict(pinging: report, code: code, host: settings.host, source: peer.source)
    } else if report.isOwnLateness, !outcome.verdict.isSuccess {
      outcome.verdict = .ownLateness(report, phase: .answer)
    }
    outcome.peer = SocketAddress(peer.address, port: 0)
    if attempt.explains, !tally.roundTrips.isEmpty, let hops = report.hopsLeft {
      var account = ProbeAccount()
      account.hopsLeft = hops
      outcome.account = account
    }
    return outcome
  }

  private func connect(
    _ peer: SocketAddress, _ attempt: Attempt, _ settings: PingSettings, _ patience: Instant?
  ) async throws(CancellationError) -> ProbeOutcome {
    let check = attempt.check
    let series = ConnectSeries(
      reactor: reactor, peer: peer, settings: settings, deadline: attempt.deadline, patience: patience)
    let pauses = PauseWatch()
    let run = try await series.run()
    var outcome = outcome(of: run.tally, check, settings, pauses, elapsed: run.elapsed)
    let isSilent = run.tally.roundTrips.isEmpty && run.tally.errors.isEmpty
    if let fault = run.fault, isSilent, case .failed(let code) = fault.end {
      outcome.verdict = Verdict(
        errno: code, phase: .connect, peer: settings.host, source: peer.source)
    } else if let late = run.late, !outcome.verdict.isSuccess {
      outcome.verdict = .ownLateness(late, phase: .answer)
    }
    outcome.peer = peer
    outcome.tcp = run.tcp
    return outcome
  }

  private func outcome(
    of tally: PingTally, _ check: MonitoringCheck, _ settings: PingSettings, _ pauses: PauseWatch,
    elapsed: Duration
  ) -> ProbeOutcome {
    let paused = pauses.longest
    let (verdict, assertions) = judge(check, settings, paused: paused).judge(tally)
    let facts = tally.sent == 0 ? nil : tally.facts
    var outcome = ProbeOutcome(
      verdict, responseTime: facts?.average, timings: Timings(total: elapsed), ping: facts,
      assertions: assertions)
    outcome.paused = paused
    return outcome
  }
}
