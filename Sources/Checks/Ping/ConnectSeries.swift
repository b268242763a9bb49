// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Network

/// A run of TCP connections, each closed as soon as it stands. Accepted and refused are both replies of the host; a
/// SYN that is lost is repeated by the kernel after a second, which is then in the round trip.
struct ConnectSeries: Sendable {
  let reactor: Reactor
  let peer: SocketAddress
  let settings: PingSettings
  let deadline: Instant

  /// Outcome of a run.
  struct Outcome: Sendable {
    var tally = PingTally()
    /// Of the first connection that failed for this machine's reasons.
    var fault: FlowReport?
    /// Of a connection that ran out of time while our own thread was late.
    var late: FlowReport?
    var elapsed = Duration.zero
    /// The kernel's figures of the connections.
    var tcp: TransportFacts?
  }

  func run() async throws(CancellationError) -> Outcome {
    let start = Instant.now
    let reports = await withTaskGroup(of: (Int, FlowReport)?.self) { group in
      for number in 1...settings.count {
        group.addTask { await report(number, start) }
      }
      var reports: [(Int, FlowReport)] = []
      for await report in group { if let report { reports.append(report) } }
      return reports.sorted { $0.0 < $1.0 }
    }
    if Task.isCancelled { throw CancellationError() }
    var outcome = Outcome()
    for (number, report) in reports { outcome.add(report, number) }
    outcome.elapsed = start.duration(to: reports.map(\.1.ended).max() ?? start)
    return outcome
  }

  /// On the grid of the first connection. `nil` when it was cancelled, or the time was over before its turn.
  private func report(
    _ number: Int, _ start: Instant
  ) async -> (Int, FlowReport)? {
    let turn = start + settings.packetInterval * (number - 1)
    do {
      if number > 1 { try await TimeSource.system.sleep(until: turn) }
      guard Instant.now < deadline else { return nil }
      return (number, try await reactor.converse(Silence(), over: .tcp, with: peer, until: deadline).report)
    } catch {
      return nil
    }
  }
}

extension ConnectSeries.Outcome {
  fileprivate mutating func add(_ report: FlowReport, _ number: Int) {
    if case .failed(let code) = report.end, Verdict(errno: code, phase: .connect, peer: "").reason.isLocal {
      if fault == nil { fault = report }
      return
    }
    tally.sent += 1
    if let one = report.tcp { tcp = tcp?.adding(one) ?? one }
    switch report.end {
    case .done, .closed, .failed(ECONNREFUSED), .failed(ECONNRESET):
      tally.roundTrips[number] = report.started.duration(to: report.connected ?? report.ended)
    case .failed(let code):
      if code != ETIMEDOUT { tally.errors[number] = ICMPError(code: code) }
    case .timedOut:
      if report.isOwnLateness, late == nil { late = report }
    }
  }
}
