// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A check's path to its target, for pages and documents.
package struct TraceView: Sendable {
  /// The last one that was made because something was wrong.
  package struct Latest: Sendable {
    package var cause: TraceCause
    /// When the run began that asked.
    package var begin: Timestamp
    package var trace: RouteTrace
    /// The last one made while the target worked, as it was then; `nil` when there was none.
    package var before: RouteTrace?
    package var comparison: TraceComparison

    package init(
      cause: TraceCause, begin: Timestamp, trace: RouteTrace, before: RouteTrace?, comparison: TraceComparison
    ) {
      (self.cause, self.begin, self.trace) = (cause, begin, trace)
      (self.before, self.comparison) = (before, comparison)
    }

    /// Why it was made, in words.
    package var why: String {
      switch cause {
      case .failure(let reason): "the check failed with \(reason.rawValue)"
      case .slow(let took, let usual):
        "it took \(StatusFormat.latency(took)), where 99% of \(usual.count) results took at most "
          + StatusFormat.latency(usual.p99)
      case .good: "the target worked"
      }
    }
  }

  package var latest: Latest?
  /// The last one made while the target worked.
  package var good: RouteTrace?
  /// From which response time on the way is looked at; nil: see `enough`.
  package var slowFrom: Duration?
  /// Results so far of those that the usual response time is computed from. `nil` where nothing asks for it.
  package var results: Int64?
  /// One is under way or waits.
  package var isPending = false
  /// No traces of this check; `nil` when there are.
  package var off: String?

  package init() {}

  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.fieldIfPresent("off", off)
      json.field("pending", isPending)
      json.fieldIfPresent("slow_from_ms", slowFrom)
      json.fieldIfPresent("results", results)
      json.key("latest")
      if let latest { latest.write(to: &json) } else { json.null() }
      json.key("good")
      if let good { good.write(to: &json) } else { json.null() }
    }
  }
}

extension TraceView.Latest {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("cause", cause.word)
      if case .failure(let reason) = cause { json.field("reason", reason.rawValue) }
      if case .slow(let took, let usual) = cause {
        json.field("response_time_ms", took)
        json.field("p99_ms", usual.p99)
      }
      json.field("begin", begin)
      json.field("summary", comparison.summary)
      json.fieldIfPresent("broken_after", comparison.brokenAfter)
      json.key("changes")
      json.array { json in
        for change in comparison.changes {
          json.object { json in
            json.field("kind", change.kind.rawValue)
            json.fieldIfPresent("ttl", change.ttl)
            json.field("words", change.words)
          }
        }
      }
      json.key("trace")
      trace.write(to: &json)
      json.key("before")
      if let before { before.write(to: &json) } else { json.null() }
    }
  }
}
