// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Logging
import Monitoring
import Network
import Scheduler
import Spool

// The first lines of the log.
extension AgentParts {
  func announce() {
    let (settings, catalog, log) = (base.settings, base.catalog, base.log)
    let count = catalog.checks.count { $0.enabled }
    var metadata: Logger.Metadata = ["version": "\(agentVersion)", "agent": "\(settings.agent.name)"]
    if let group = base.group { metadata["shared_in_group"] = "\(group.grid.name)" }
    if let hours = expectedCoverage { metadata["outage_covered"] = "\(hours) h" }
    log.notice("probing \(counted(count, "check"))", metadata: metadata)
    let limit = inFlightLimit(settings.limits.inFlight)
    if limit < min(settings.limits.inFlight ?? 100, count) {
      log.tell(
        .warning(
          "descriptors", "the descriptor limit holds back probes", hint: "raise LimitNOFILE or ulimit -n"),
        ["descriptors": "\(descriptorLimit())", "at_once": "\(limit)"])
    }
    if catalog.checks.contains(where: \.sendsEchoes) {
      switch pingWay() {
      case .unprivileged: break
      case .raw: log.notice("\(PingWay.raw.words)")
      case .closed(let problem): log.error("ping checks cannot run: \(problem)")
      }
    }
  }

  /// Hours of outage the store bridges at the configured rate; nil without delivery or on a store in memory.
  private var expectedCoverage: Int? {
    guard status.store.uploader != nil, base.outside.spool.status().isDurable else { return nil }
    let enabled = base.catalog.checks.filter(\.enabled)
    let perHour = enabled.reduce(0.0) { $0 + 3600 / $1.interval.seconds }
    return perHour > 0 ? Int(Double(base.settings.spool.size) / (perHour * Self.typicalRecord)) : nil
  }

  /// Bytes of a stored result with its framing, a failing one's message included; status shows the measured mean.
  private static let typicalRecord = 300.0
}
