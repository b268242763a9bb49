// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Status

/// Notices about the queues of the process. Pure.
enum QueueNotices {
  /// A queue that has held work for longer is a problem.
  static let limit = Duration.seconds(2)

  static func notices(of waits: [QueueWait], at now: Instant, wall: Timestamp) -> [Notice] {
    held(waits, at: now).map { wait, span in
      .warning(
        .queues, words(for: wait, span), hint: wait.queue.hint(wait.origin),
        since: wall.advanced(by: .zero - span))
    }
  }

  static func lines(of waits: [QueueWait], at now: Instant) -> [String] {
    held(waits, at: now).map { wait, span in "\(words(for: wait, span)); \(wait.queue.hint(wait.origin))" }
  }

  static func views(of waits: [QueueWait], at now: Instant) -> [WaitView] {
    merged(waits).map {
      WaitView(
        queue: $0.queue.rawValue, origin: $0.origin.label, count: $0.count,
        held: max(.zero, $0.since.duration(to: now)))
    }
  }

  private static func held(_ waits: [QueueWait], at now: Instant) -> [(QueueWait, Duration)] {
    merged(waits).map { ($0, $0.since.duration(to: now)) }.filter { $0.1 > limit }
  }

  /// Two threads may have a queue of the same kind.
  private static func merged(_ waits: [QueueWait]) -> [QueueWait] {
    var found: [QueueWait] = []
    for wait in waits {
      if let index = found.firstIndex(where: { $0.queue == wait.queue && $0.origin == wait.origin }) {
        found[index].count += wait.count
        found[index].since = min(found[index].since, wait.since)
      } else {
        found.append(wait)
      }
    }
    return found
  }

  private static func words(for wait: QueueWait, _ span: Duration) -> String {
    "\(wait.origin.words) wait for \(wait.queue.words) for \(Int(span.seconds)) s: \(wait.count) waiting"
  }
}

extension QueueWait.Queue {
  fileprivate var words: String {
    switch self {
    case .starts: "their turn to begin transfers"
    case .memory: "memory for large answers"
    case .handshakes: "TLS handshakes"
    case .decoding: "decoding of compressed answers"
    case .judging: "a thread to judge answers"
    case .places: "a place among the runs in flight"
    }
  }

  fileprivate func hint(_ origin: WorkOrigin.Kind) -> String {
    let who =
      switch origin {
      case .apiChecks: "look for checks in Quartz whose servers hold their answers"
      case .asked: "look in /probe/last for targets that hold their answers"
      default: "look for checks whose servers hold their answers"
      }
    switch self {
    case .starts, .handshakes: return "ask for less at the same time, or give the agent a faster processor"
    case .memory: return "\(who), and lower their max_body or timeout"
    case .decoding: return "\(who), or turn off decompress for them"
    case .judging: return "look for conditions with expensive patterns or JSON paths"
    case .places: return "\(who), lower their timeout, or raise limits.in_flight"
    }
  }
}
