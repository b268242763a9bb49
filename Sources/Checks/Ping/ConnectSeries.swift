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
  /// As that of `EchoSeries`.
  var patience: Instant?

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

  private enum Event: Sendable {
    case report(Int, FlowReport)
    /// Dialled, and given up with the run.
    case abandoned
    /// The time was over before its turn.
    case unsent
    case patienceEnded
  }

  func run() async throws(CancellationError) -> Outcome {
    let start = Instant.now
    let (reports, abandoned) = await withTaskGroup(of: Event.self) { group in
      for number in 1...settings.count {
        group.addTask { await report(number, start) }
      }
      if let patience {
        group.addTask {
          try? await TimeSource.system.sleep(until: patience)
          return .patienceEnded
        }
      }
      return await collect(&group)
    }
    if Task.isCancelled { throw CancellationError() }
    var outcome = Outcome()
    for (number, report) in reports.sorted(by: { $0.0 < $1.0 }) { outcome.add(report, number) }
    outcome.tally.sent += abandoned
    outcome.elapsed = start.duration(to: abandoned > 0 ? .now : reports.map(\.1.ended).max() ?? start)
    return outcome
  }

  /// The connections that ended by themselves, and how many were given up.
  private func collect(
    _ group: inout TaskGroup<Event>
  ) async -> (reports: [(Int, FlowReport)], abandoned: Int) {
    var (reports, abandoned, ended) = ([(Int, FlowReport)](), 0, 0)
    for await event in group {
      switch event {
      case .report(let number, let report): reports.append((number, report))
      case .abandoned: abandoned += 1
      case .unsent: break
      case .patienceEnded:
        if !reports.contains(where: \.1.isReply) { group.cancelAll() }
        continue
      }
      ended += 1
      if ended == settings.count { group.cancelAll() }
    }
    return (reports, abandoned)
  }

  /// On the grid of the first connection.
  private func report(_ number: Int, _ start: Instant) async -> Event {
    let turn = start + settings.packetInterval * (number - 1)
    do {
      if number > 1 { try await TimeSource.system.sleep(until: turn) }
      guard Instant.now < deadline else { return .unsent }
    } catch {
      return .unsent
    }
    do {
      return .report(
        number, try await reactor.converse(Silence(), over: .tcp, with: peer, until: deadline).report)
    } catch {
      return .abandoned
    }
  }
}

extension FlowReport {
  /// The host accepted the connection or refused it.
  fileprivate var isReply: Bool {
    switch end {
    case .done, .closed, .failed(ECONNREFUSED), .failed(ECONNRESET): true
    case .failed, .timedOut: false
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
    if report.isReply {
      tally.roundTrips[number] = report.started.duration(to: report.connected ?? report.ended)
    } else if case .failed(let code) = report.end {
      if code != ETIMEDOUT { tally.errors[number] = ICMPError(code: code) }
    } else if report.isOwnLateness, late == nil {
      late = report
    }
  }
}
