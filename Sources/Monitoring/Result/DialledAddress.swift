// SPDX-License-Identifier: MIT

import Basics

/// One of the addresses of a host that were raced for a connection, and how it fared.
package struct DialledAddress: Hashable, Sendable {
  package enum Outcome: String, CaseIterable, Hashable, Sendable {
    case connected
    /// Another one was connected first.
    case abandoned
    case failed
  }

  /// As text, with the port.
  package var address: String
  package var outcome: Outcome
  /// Why it failed; nil unless it did.
  package var reason: Reason?
  /// From the first address's start to this one's.
  package var after: Duration
  /// From its start to its end, whichever it was.
  package var elapsed: Duration

  package init(
    address: String, outcome: Outcome, reason: Reason? = nil, after: Duration, elapsed: Duration
  ) {
    self.address = address
    self.outcome = outcome
    self.reason = reason
    self.after = after
    self.elapsed = elapsed
  }
}

/// Verdict on one address of a check with `addresses: each`.
package struct AddressVerdict: Hashable, Sendable {
  /// As text, with the port where there is one.
  package var address: String
  package var status: ResultStatus
  package var state: CheckState
  package var reason: Reason
  package var phase: Phase?
  package var message: String?
  package var responseTime: Duration?
  package var timings: Timings
  package var statusCode: Int?

  package init(
    address: String, verdict: Verdict, responseTime: Duration? = nil, timings: Timings = Timings(),
    statusCode: Int? = nil
  ) {
    self.address = address
    self.status = verdict.status
    self.state = verdict.state
    self.reason = verdict.reason
    self.phase = verdict.phase
    self.message = verdict.message
    self.responseTime = responseTime
    self.timings = timings
    self.statusCode = statusCode
  }
}

extension DialledAddress {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("address", address)
      json.field("outcome", outcome.rawValue)
      json.fieldIfPresent("reason", reason?.rawValue)
      json.field("after_ms", after)
      json.field("elapsed_ms", elapsed)
    }
  }
}

extension AddressVerdict {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("address", address)
      json.field("status", status.rawValue)
      json.field("state", state.rawValue)
      json.field("reason", reason.rawValue)
      json.fieldIfPresent("phase", phase?.rawValue)
      json.fieldIfPresent("message", message)
      json.fieldIfPresent("response_time_ms", responseTime)
      if timings != Timings() {
        json.key("timings")
        timings.write(to: &json)
      }
      json.fieldIfPresent("status_code", statusCode)
    }
  }
}
