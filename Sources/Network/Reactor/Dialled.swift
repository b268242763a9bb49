// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring

/// How dialling a list of addresses went.
package struct Dialled: Sendable {
  /// Ok, or why no connection stands.
  package var verdict: Verdict
  /// `nil` when the verdict is not ok, and when it is not wanted.
  package var socket: ConnectedSocket?
  /// The one that answered, or the one whose failure counts.
  package var peer: SocketAddress
  /// Of the connection that stands, its own time only; nil when none does.
  package var connect: Duration?
  /// From the first address's start to the end of the race.
  package var elapsed: Duration
  /// All that were dialled; empty where there was no choice.
  package var tries: [DialledAddress]
  /// The kernel's figures of the connection that answered, or whose failure counts.
  package var tcp: TransportFacts?
  /// Longest pause of this process meanwhile: the times may be too long by as much.
  package var paused: Duration = .zero

  /// The part of the time that went into it; where no connection stands, all of it.
  package var dialling: Duration { connect ?? elapsed }
}

extension Reactor {
  /// Races the addresses for a connection. Messages call the target by `name`: they leave this machine, and must not
  /// show to an untrusted check where its name leads in this network.
  ///
  /// - Parameter timeout: the check's timeout, for the message, and not the rest of it by then or the time that this
  ///   machine was late. `nil` leaves it out.
  package func connect(
    to addresses: [SocketAddress], named name: Endpoint, until deadline: Instant, timeout: Duration? = nil,
    keepsSocket: Bool = true
  ) async throws(CancellationError) -> Dialled {
    let race = try await race(addresses, until: deadline, keepsSocket: keepsSocket)
    if let winner = race.winner {
      return Dialled(
        verdict: .ok, socket: race.socket, peer: winner.peer, connect: winner.elapsed, elapsed: race.elapsed,
        tries: race.dialled, tcp: winner.tcp, paused: ProcessPauses.shared.longest(since: race.started))
    }
    return Dialled(losing: race, to: addresses, named: name, timeout: timeout)
  }
}

extension Dialled {
  /// Of a race that no address won.
  init(losing race: RaceReport, to addresses: [SocketAddress], named name: Endpoint, timeout: Duration?) {
    let lost = race.failure(of: addresses) { Verdict(losing: $0, in: race, to: name, timeout: timeout) }
    self.init(
      verdict: lost.verdict.tried(race.tries.count), peer: lost.peer, elapsed: race.elapsed,
      tries: race.dialled, tcp: race.tries.first { $0.peer == lost.peer }?.tcp,
      paused: ProcessPauses.shared.longest(since: race.started))
  }
}

extension RaceReport {
  /// For the result; empty where there was no choice.
  package var dialled: [DialledAddress] {
    guard tries.count > 1 else { return [] }
    return tries.map { one in
      let outcome: DialledAddress.Outcome =
        switch one.end {
        case .connected: .connected
        case .abandoned: .abandoned
        case .failed, .timedOut: .failed
        }
      return DialledAddress(
        address: one.peer.description, outcome: outcome, reason: one.reason,
        after: started.duration(to: one.started),
        elapsed: one.elapsed)
    }
  }

  /// Which of the failed attempts speaks for all: a fault of this machine for one address says nothing about another,
  /// so what a target did outweighs it.
  package func failure(
    of peers: [SocketAddress], _ verdict: (DialTry) -> Verdict
  ) -> (verdict: Verdict, peer: SocketAddress) {
    let failures = tries.map { (verdict: verdict($0), peer: $0.peer) }
    if let worst = failures.first(where: { !$0.verdict.reason.isLocal }) ?? failures.first { return worst }
    // The time was over before the first attempt.
    guard let peer = peers.first else { preconditionFailure("dialled no address at all") }
    return (verdict(DialTry(peer: peer, started: started, ended: ended, end: .timedOut)), peer)
  }

  /// True when the time ran out and our own thread was late by more than a fifth of it.
  package var isOwnLateness: Bool {
    winner == nil && ended >= deadline && lateness * 5 > started.duration(to: deadline)
  }
}

extension DialTry {
  /// `nil` unless the attempt failed.
  fileprivate var reason: Reason? {
    switch end {
    case .connected, .abandoned: nil
    case .timedOut: .connectTimeout
    case .failed(let code): Verdict(errno: code, phase: .connect, peer: peer).reason
    }
  }
}

extension Verdict {
  /// Says of how many addresses none could be reached. Of one it says nothing.
  package func tried(_ count: Int) -> Verdict {
    guard count > 1, let message else { return self }
    return Verdict(reason, phase: phase, message: "\(message); \(count) addresses tried")
  }

  /// The meaning of an attempt that did not connect.
  init(losing attempt: DialTry, in race: RaceReport, to peer: Endpoint, timeout: Duration?) {
    switch attempt.end {
    case .failed(let code):
      self.init(
        errno: code, phase: .connect, peer: peer, source: attempt.peer.source)
    case .timedOut where race.isOwnLateness:
      let late = Int(race.lateness.milliseconds)
      self.init(
        .localFault, phase: .connect, message: "this machine was busy: its network thread was \(late) ms late"
      )
    case .timedOut, .abandoned, .connected:
      let limit = timeout.map { "within \($0.limitText)" } ?? "in time"
      self.init(
        .connectTimeout, phase: .connect, message: "\(peer): \(ConnectionWords.overdue(.connection, limit))")
    }
  }
}

extension Duration {
  /// As the limit of a check, in a message: the number that is configured.
  package var limitText: String { "the timeout of \(text)" }
}
