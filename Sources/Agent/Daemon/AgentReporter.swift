// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Spool
import Synchronization

/// How this agent does, for the receiver's list of agents.
final class AgentReporter: Sendable {
  private let catalog: CheckCatalog
  private let spool: ResultSpool
  private let started: @Sendable () -> Timestamp
  private let lateness: @Sendable () -> Duration?
  /// The last list that was spelled out.
  private let known = Mutex<(checks: [MonitoringCheck], version: String)?>(nil)

  /// - Parameter lateness: of probes.
  init(
    _ catalog: CheckCatalog, spool: ResultSpool, started: @escaping @Sendable () -> Timestamp,
    lateness: @escaping @Sendable () -> Duration?
  ) {
    (self.catalog, self.spool, self.started, self.lateness) = (catalog, spool, started, lateness)
  }

  func report() async -> AgentReport {
    let checks = catalog.checks
    var report = AgentReport()
    let stored = spool.status()
    report.spoolDepth = stored.depth
    report.oldest = stored.oldest
    report.lost = stored.lostInGaps
    report.lostFrom = stored.gaps.compactMap(\.firstTime).min()
    report.lostTo = stored.gaps.compactMap(\.lastTime).max()
    report.lag = lateness()
    (report.started, report.checks) = (started(), checks.count { $0.enabled })
    report.configVersion = await version(of: checks)
    return report
  }

  /// Ten thousand checks take a while to spell out.
  private func version(of checks: [MonitoringCheck]) async -> String {
    if let known = known.withLock({ $0 }), known.checks == checks { return known.version }
    let version = await onThread { fingerprint(checks) }
    known.withLock { $0 = (checks, version) }
    return version
  }
}

/// Changes with everything the checks say; secrets are not in it.
private func fingerprint(_ checks: [MonitoringCheck]) -> String {
  var sum: UInt32 = 0
  for check in checks.sorted(by: { $0.id < $1.id }) {
    // Part by part: a check as a whole prints as nothing but its type.
    var text = "\(PoolDigest.words(of: check)) \(check.origin) \(check.resourceID?.description ?? "")\n"
    sum = text.withUTF8 { CRC32C.checksum(UnsafeRawBufferPointer($0), from: sum) }
  }
  return "\(checks.count)-" + Base16.text(sum, width: 8)
}
