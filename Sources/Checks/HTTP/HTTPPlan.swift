// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Constants that the parts of one attempt share. They copy the reference: settings are two dozen strings and arrays,
/// and each copy of them counts every one.
final class HTTPPlan: Sendable {
  let attempt: Attempt
  /// The check's own, with the proxy that the agent puts in a stranger's way.
  let settings: HTTPSettings
  let finder: TargetFinder
  /// Sent unless the check has a header of that name.
  let userAgent: String

  var check: MonitoringCheck { attempt.check }

  init(_ attempt: Attempt, _ settings: HTTPSettings, finder: TargetFinder, userAgent: String) {
    self.attempt = attempt
    self.settings = settings
    self.finder = finder
    self.userAgent = userAgent
  }
}
