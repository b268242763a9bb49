// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// A way to the receiver. It makes the request and reads the answer; what follows from it is the machine's.
package protocol ResultTransport: Sendable {
  var dialect: DeliveryDialect { get }

  /// Sends one batch, an empty one as a sign of life.
  func deliver(_ records: [DeliveryRecord]) async throws(CancellationError) -> DeliveryReport

  /// Reads the key again, or signs in again. True when there is something new to try.
  func renewCredentials() async throws(CancellationError) -> Bool
}

/// Outcome of a request: its meaning, and the answer itself for the rate budget.
package struct DeliveryReport: Hashable, Sendable {
  package var outcome: DeliveryOutcome
  package var response: OutboundAnswer?

  package init(_ outcome: DeliveryOutcome, _ reply: APIReply? = nil) {
    self.outcome = outcome
    if case .response(let response) = reply { self.response = response }
  }
}
