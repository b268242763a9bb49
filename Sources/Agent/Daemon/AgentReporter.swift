// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Spool
import Synchronization

/// How this agent does, for the receiver's list of agents.
final class AgentReporter: Sendable {
  private struct State {
    var checks: [MonitoringCheck] = []
    /// `nil` where the checks have changed since it was computed.
    var version: String?
    var lateness: @Sendable () -> Duration? = { nil }
  }

  private let spool: ResultSpool
  private let started: Timestamp
  private let state = Mutex(State())

  init(spool: ResultSpool, started: Timestamp) { (self.spool, self.started) = (spool, started) }

  /// The checks in force.
  func replace(checks: [MonitoringCheck]) {
    state.withLock { state in
      state.checks = checks
      state.version = nil
    }
  }

  /// Where to ask how late probes run.
  func follow(lateness: @escaping @Sendable () -> Duration?) { state.withLock { $0.lateness = lateness } }

  func report() async -> AgentReport {
    let (lateness, checks, known) = state.withLock { ($0.lateness, $0.checks, $0.version) }
    var report = AgentReport()
    let stored = spool.status()
    report.spoolDepth = stored.depth
    report.oldest = stored.oldest
    report.lost = stored.lostInGaps
    report.lostFrom = stored.gaps.compactMap(\.firstTime).min()
    report.lostTo = stored.gaps.compactMap(\.lastTime).max()
    report.lag = lateness()
    (report.started, report.checks) = (started, checks.count { $0.enabled })
    if let known {
      report.configVersion = known
    } else {
      // Ten thousand checks take a while to spell out.
      let version = await onThread { fingerprint(checks) }
      report.configVersion = version
      state.withLock { if $0.checks == checks { $0.version = version } }
    }
    return report
  }
}

/// Changes with everything the checks say; secrets are not in it.
private func fingerprint(_ checks: [MonitoringCheck]) -> String {
  var sum: UInt32 = 0
  for check in checks.sorted(by: { $0.id < $1.id }) {
    var text = "\(check)\n"
    sum = text.withUTF8 { CRC32C.checksum(UnsafeRawBufferPointer($0), from: sum) }
  }
  return "\(checks.count)-" + Base16.text(sum, width: 8)
}
