// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

// How one endpoint does, for a person who asks.
extension EtcdClient {
  /// Status of one member of the cluster, as it reports it.
  package struct Look: Sendable {
    /// As it writes it; empty: it does not say.
    package var version: String
    package var hasLeader: Bool
    /// Its alarms, such as a full database.
    package var complaints: [String]
    package var took: Duration
    /// Its wall clock against this machine's, to a second; `nil` when it does not say.
    package var ahead: Duration?

    /// Older ones have another gateway, or leases that it cannot renew.
    package var isTooOld: Bool {
      let parts = version.split(separator: ".").prefix(2).compactMap { Int($0) }
      guard parts.count == 2 else { return false }
      return parts[0] < 3 || parts[0] == 3 && parts[1] < 4
    }
  }

  /// Without signing in, which the status needs in no version but those that refuse it so.
  package func look(
    at index: Int, time: TimeSource
  ) async throws(CancellationError) -> Result<Look, EtcdFailure> {
    let begun = time.reading()
    var outcome = try await status(at: index, token: nil)
    if case .failure(let failure) = outcome, failure.trouble.kind == .unauthenticated,
      case .success(let token) = try await token(at: index), token != nil
    {
      outcome = try await status(at: index, token: token)
    }
    let ended = time.reading()
    switch outcome {
    case .failure(let failure): return .failure(failure)
    case .success(let (json, date)):
      let took = begun.boot.duration(to: ended.boot)
      let leader = json["leader"]?.string ?? "0"
      // A date is of the whole second that has begun: half of one on average.
      let ahead = date.map {
        begun.wall.advanced(by: took / 2).duration(to: $0.advanced(by: .milliseconds(500)))
      }
      return .success(
        Look(
          version: (json["version"]?.string ?? "").printable(maxBytes: 40), hasLeader: leader != "0",
          complaints: (json["errors"]?.array ?? []).prefix(8).compactMap(\.string)
            .map { $0.printable(maxBytes: 100) }, took: took, ahead: ahead))
    }
  }

  private func status(
    at index: Int, token: Redacted?
  ) async throws(CancellationError) -> Result<(JSONValue, Timestamp?), EtcdFailure> {
    let sent = try await transfer(
      "v3/maintenance/status", Array("{}".utf8), token: token, at: index, timeout: Self.patience, stream: nil)
    switch sent {
    case .failure(let failure): return .failure(failure)
    case .success(let report):
      let date = report.header("date").flatMap { HTTPDate.parse($0) }
      return Self.read(report, at: place(index)).map { ($0, date) }
    }
  }

  /// - Returns: false where this etcd has no authentication.
  package func signIn(at index: Int) async throws(CancellationError) -> Result<Bool, EtcdFailure> {
    try await token(at: index).map { $0 != nil }
  }
}
