// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One place's vote on a check.
package struct Vote: Hashable, Sendable {
  package var state: CheckState
  package var reason: Reason
  /// The store's revision of the newest question that was there before the probe began; 0: of none.
  package var answers: Int64

  package init(_ state: CheckState, _ reason: Reason, answers: Int64 = 0) {
    (self.state, self.reason, self.answers) = (state, reason, answers)
  }

  /// Bytes of one at most.
  package static let limit = 1024

  package var json: [UInt8] {
    var json = JSONWriter(reserving: 96)
    json.object { json in
      json.field("state", state.rawValue)
      json.field("reason", reason.rawValue)
      json.field("answers", answers)
    }
    return json.bytes
  }

  /// `nil` for bytes that are no vote. A word of another version counts as no statement about the target.
  package init?(json bytes: [UInt8]) {
    guard bytes.count <= Self.limit, let json = try? JSONValue.parse(bytes, maxDepth: 4),
      let state = json["state"]?.string.flatMap({ CheckState(word: $0) })
    else { return nil }
    self.state = state
    let fallback: Reason = state == .down ? .localFault : .ok
    reason = json["reason"]?.string.flatMap { Reason(word: $0) } ?? fallback
    answers = max(0, json["answers"]?.integer ?? 0)
  }
}
