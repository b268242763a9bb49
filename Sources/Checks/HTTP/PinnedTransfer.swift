// SPDX-License-Identifier: MIT

import Curl
import Monitoring

/// Makes one request to whichever of a host's addresses answers, each dialled exactly as it was judged.
///
/// The addresses are tried in turn. All but the last get half of the time that is left, and at most 2 s, to accept
/// the connection, so that one dead address never eats the deadline of a live one. From the first accepted
/// connection on there is no second choice: what that server does is the verdict.
struct PinnedTransfer: Sendable {
  static let patience: Duration = .seconds(2)

  let engine: CurlEngine

  func perform(
    _ request: TransferRequest, to addresses: [SocketAddress], until deadline: ContinuousClock.Instant
  ) async throws(CancellationError) -> DialledTransfer {
    var elapsed = Duration.zero
    var worst: DialledTransfer?
    for (index, peer) in addresses.enumerated() {
      let left = max(.milliseconds(1), ContinuousClock.now.duration(to: deadline))
      var request = request
      request.plan = .address(peer.address.description, port: peer.port)
      request.timeout = left
      request.connectTimeout = index == addresses.count - 1 ? nil : min(left / 2, Self.patience)
      let report = try await engine.perform(request)
      elapsed += report.times.ended - (report.times.connectStart ?? .zero) - report.times.idle
      let dialled = DialledTransfer(
        report: report, peer: peer, elapsed: elapsed, lateness: report.times.lateness(beyond: left))
      guard report.failure?.phase == .connect else { return dialled }
      // A fault of this machine for one address says nothing about another: what a target did outweighs it.
      if worst == nil || !dialled.isLocal || worst?.isLocal == true { worst = dialled }
    }
    guard var worst else { preconditionFailure("a transfer to no address at all") }
    worst.elapsed = elapsed
    return worst
  }
}

/// How a request to a list of addresses went.
struct DialledTransfer: Sendable {
  var report: TransferReport
  /// The one that answered, or the one whose failure counts.
  var peer: SocketAddress
  /// Over all tries, from dialling on; without the time spent waiting for the engine or by it.
  var elapsed: Duration
  /// How much later than its limit the transfer was ended: then this machine was too busy to keep time.
  var lateness: Duration

  var isLocal: Bool {
    if case .local = report.failure?.kind { true } else { false }
  }

  var timings: Timings {
    let times = report.times
    return Timings(
      connect: interval(times.connectStart, times.connected), tls: interval(times.connected, times.tlsDone),
      firstByte: interval(times.requestStart, times.firstByte),
      transfer: interval(times.firstByte, times.lastByte),
      total: elapsed)
  }

  private func interval(_ start: Duration?, _ end: Duration?) -> Duration? {
    guard let start, let end else { return nil }
    return max(.zero, end - start)
  }
}

extension TransferTimes {
  fileprivate func lateness(beyond limit: Duration) -> Duration { max(queued, queued + ended - limit, .zero) }
}
