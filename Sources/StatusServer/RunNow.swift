// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Status

/// Outcome of a request to run a check now.
package enum RunNowOutcome: Sendable {
  case done(CheckResult)
  case noSuchCheck
  /// Not now, and why, for a person.
  case busy(String)
  /// The agent is ending.
  case stopping
}

/// Guards the one route with an effect: a client with the token may run a check now.
struct RunNowGate: Sendable {
  /// `nil` disables it.
  let token: Redacted?

  /// `nil` when the header proves that the client has the token; else the answer.
  func refusal(_ authorization: String?) -> (status: Int, code: String, message: String)? {
    guard let token else {
      return (403, "RUN_NOW_OFF", "run now and operator actions are disabled: set status.run_now_token")
    }
    // Not what a browser sends along by itself: any page could make it ask.
    guard let shown = Credential(authorization), shown.scheme == .bearer else {
      return (401, "UNAUTHORIZED", "send the header Authorization: Bearer with status.run_now_token")
    }
    return shown.matches(token) ? nil : (401, "UNAUTHORIZED", "this is not status.run_now_token")
  }
}

extension Routes {
  /// `POST /api/v1/checks/{id}/run`.
  func run(_ path: RequestPath, authorization: String?) async -> Reply {
    guard path.segments.count == 5, path.segments.starts(with: ["api", "v1", "checks"]),
      path.segments[4] == "run"
    else { return refusedMethod(path) }
    if let refusal = runNow.refusal(authorization) {
      return failure(refusal.status, refusal.code, refusal.message)
    }
    guard let id = UniqueID(path.segments[3]) else {
      return failure(404, "NOT_FOUND", "no check has this id")
    }
    switch await source.runNow(id) {
    case .done(let result):
      return Reply(
        200, .json, StatusJSON.success(now: source.now) { result.write(withAppNames: true, to: &$0) })
    case .noSuchCheck: return failure(404, "NOT_FOUND", "no enabled check has this id")
    case .busy(let why): return failure(409, "BUSY", why)
    case .stopping: return failure(503, "STOPPING", "the agent is ending")
    }
  }
}
