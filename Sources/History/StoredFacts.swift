// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension CheckResult {
  /// The facts of a result that a stored record still has; all others are absent.
  init(_ record: DeliveryRecord, check: MonitoringCheck) {
    let verdict = Verdict(
      record.reason, phase: record.phase, message: record.message, degraded: record.state == .degraded)
    self.init(
      id: record.id, check: check, trigger: record.trigger, scheduledAt: record.scheduledAt,
      startedAt: record.startedAt, late: max(.zero, record.late), verdict: verdict)
    // As stored: a version that judges a reason differently must not rewrite the past.
    status = record.status
    (state, reason, phase) = record.judged
    facts.statusCode = record.statusCode
    facts.responseTime = record.responseTime
    facts.timings = record.timings
    maintenance = record.flags.contains(.maintenance)
  }
}
