// SPDX-License-Identifier: MIT

import Basics

/// One try of a run: the first, a retry or the confirmation.
package struct AttemptFacts: Hashable, Sendable {
  package var startedAt: Timestamp
  package var status: ResultStatus
  package var reason: Reason
  package var responseTime: Duration?
  /// The addresses that were raced, in the order of dialling; empty where there was only one.
  package var dialled: [DialledAddress]

  package init(
    startedAt: Timestamp, status: ResultStatus, reason: Reason, responseTime: Duration?,
    dialled: [DialledAddress] = []
  ) {
    self.startedAt = startedAt
    self.status = status
    self.reason = reason
    self.responseTime = responseTime
    self.dialled = dialled
  }
}
