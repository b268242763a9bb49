// SPDX-License-Identifier: MIT

import Monitoring

/// How delivery goes, for the status page and `quartz-agent status`.
package struct DeliveryStatus: Hashable, Sendable {
  package var dialect: DeliveryDialect
  /// Counts since the start, the last success, and what is wrong.
  package var tally: DeliveryTally
  /// Nothing is sent before then.
  package var heldUntil: Timestamp?
  /// Rows in memory on their way, refused parts included.
  package var open: Int
  /// Of these, rows whose bad neighbour is looked for once the hourly allowance is back.
  package var parked: Int
  /// The backlog lane had records when it was last looked at.
  package var hasBacklog: Bool
  /// Rows in a request now, and what the settings ask for.
  package var batch: Int
  package var configuredBatch: Int
  package var usage: RequestUsage

  init(_ machine: DeliveryMachine, usage: RequestUsage, dialect: DeliveryDialect) {
    self.dialect = dialect
    self.tally = machine.tally
    self.heldUntil = machine.holdUntil
    self.open = machine.lanes.values.reduce(0) { $0 + $1.openRows }
    self.parked = machine.parkedRows
    self.hasBacklog = (machine.lanes[.backlog]?.openRows ?? 0) > 0
    self.batch = machine.batchLimit
    self.configuredBatch = machine.settings.batch
    self.usage = usage
  }

  /// How long so many waiting rows take at the backlog's share of the rate budget.
  package func drainTime(rows: Int, limits: RateBudget.Limits = .init()) -> Duration {
    let requests = (rows + batch - 1) / max(1, batch)
    return .seconds(requests * 3600 / max(1, limits.backlogPerHour))
  }

  /// One line a fact, for people: what works, what does not, what to do about it.
  package func lines(now: Timestamp) -> [String] {
    var lines: [String] = []
    if let success = tally.lastSuccess {
      lines.append("delivered \(tally.delivered) results, the last at \(success.rfc3339)")
    } else {
      lines.append("nothing delivered yet")
    }
    if let trouble = tally.trouble {
      lines.append("not delivering since \((tally.troubleSince ?? now).rfc3339): \(trouble.message)")
      if let hint = trouble.hint { lines.append("hint: \(hint)") }
      if let heldUntil, heldUntil > now { lines.append("next try at \(heldUntil.rfc3339)") }
    }
    if tally.quarantined > 0 {
      lines.append("\(tally.quarantined) results refused by the receiver, see: quartz-agent spool quarantine")
    }
    if parked > 0 {
      lines.append("\(parked) results parked until the allowance for finding bad rows is back")
    }
    if tally.withheld > 0 { lines.append("\(tally.withheld) results withheld (unknown, or in maintenance)") }
    if batch < configuredBatch { lines.append("batches of \(batch): the receiver refused larger ones (413)") }
    lines.append(
      "requests: \(usage.minute) in the last minute of \(usage.allowedPerMinute), "
        + "\(usage.hour) in the last hour of \(usage.perHour)")
    if let problem = usage.storeProblem { lines.append("the request budget is not on disk: \(problem)") }
    return lines
  }
}

/// What the rate budget has seen.
package struct RequestUsage: Hashable, Sendable {
  package var minute: Int
  package var hour: Int
  package var allowedPerMinute: Int
  package var perHour: Int
  /// Why it is not on disk: a restart then forgets it.
  package var storeProblem: String?
}
