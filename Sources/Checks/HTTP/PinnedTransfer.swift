// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Network

/// Makes one request to whichever of a host's addresses answers, each dialled exactly as it was judged.
///
/// A single address is libcurl's to dial. Several are raced by the reactor (RFC 8305), and libcurl gets the connection
/// that stands. From there on there is no second choice: what that server does is the verdict.
struct PinnedTransfer: Sendable {
  let engine: CurlEngine
  let reactor: Reactor

  func perform(
    _ request: consuming TransferRequest, to addresses: [SocketAddress],
    until deadline: Instant
  ) async throws(CancellationError) -> DialledTransfer {
    guard let first = addresses.first else { preconditionFailure("a transfer to no address at all") }
    guard addresses.count > 1 else {
      request.plan = .address(first)
      return try await send(request, to: first, until: deadline)
    }
    var time = AttemptTime(until: deadline)
    let race = try await reactor.race(addresses, until: time.deadline)
    time.spend(race.elapsed)
    guard let winner = race.winner, let socket = race.socket else { return lost(race, addresses) }
    request.plan = .connected(socket)
    var dialled = try await send(request, to: winner.peer, until: time.deadline)
    Self.add(race, to: &dialled)
    dialled.report.times.paused = ProcessPauses.shared.longest(since: race.started)
    return dialled
  }

  /// The race that was won for a transfer is part of it.
  static func add(_ race: RaceReport, to dialled: inout DialledTransfer) {
    dialled.connect = race.winner?.elapsed
    dialled.elapsed += race.elapsed
    dialled.spent += race.elapsed
    dialled.tries = race.dialled
  }

  private func send(
    _ request: consuming TransferRequest, to peer: SocketAddress, until deadline: Instant
  ) async throws(CancellationError) -> DialledTransfer {
    let left = max(.milliseconds(1), AttemptTime(until: deadline).left)
    request.timeout = left
    let report = try await engine.perform(request)
    let times = report.times
    return DialledTransfer(
      report: report, peer: peer,
      elapsed: times.ended - (times.connectStart ?? .zero) - times.idle,
      lateness: .zero, spent: times.ended - times.held)
  }

  /// No address accepted: the report of a transfer that never began.
  private func lost(_ race: RaceReport, _ addresses: [SocketAddress]) -> DialledTransfer {
    func failure(_ attempt: DialTry) -> TransferFailure {
      if case .failed(let code) = attempt.end { TransferFailure(connecting: code) } else { .connectTimeout }
    }
    let (_, peer) = race.failure(of: addresses) { Verdict(Reason(failure($0))) }
    let attempt = race.tries.first { $0.peer == peer }
    var report = TransferReport(outcome: .failed(attempt.map(failure) ?? .connectTimeout))
    report.tcp = attempt?.tcp
    report.times.paused = ProcessPauses.shared.longest(since: race.started)
    return DialledTransfer(
      report: report, peer: peer, elapsed: race.elapsed, lateness: race.lateness, spent: race.elapsed,
      connect: race.elapsed, tries: race.dialled)
  }
}

/// How a request to a list of addresses went.
struct DialledTransfer: Sendable {
  var report: TransferReport
  /// The one that answered, or the one whose failure counts.
  var peer: SocketAddress
  /// Over all tries, from dialling on; without the time spent waiting for the engine or by it.
  var elapsed: Duration
  /// Of a race that was lost: how late the reactor's thread was. The engine judges its own.
  var lateness: Duration
  /// Its part of the attempt's time.
  var spent = Duration.zero
  /// Of the connection that won the race; nil: libcurl made it, and its report has the time.
  var connect: Duration?
  /// All addresses that were raced.
  var tries: [DialledAddress] = []

  var timings: Timings {
    let spans = report.spans
    return Timings(
      connect: connect.map { $0 + (spans.connect ?? .zero) } ?? spans.connect, tls: spans.tls,
      firstByte: spans.firstByte, transfer: spans.transfer, total: elapsed)
  }
}
