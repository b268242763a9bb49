// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// State of the rules for a check's results.
struct CheckMemory: Sendable {
  /// In a row, by the results that say something about the target.
  private(set) var failures = 0
  private(set) var successes = 0
  private(set) var failingSince: Timestamp?
  /// The last state that says something about the target, and since when.
  private var known: (state: CheckState, since: Timestamp)?
  private var unknownSince: Timestamp?
  private var lastTime: Duration?
  /// Of successes, oldest first.
  private var samples: [(at: Timestamp, value: Duration)] = []

  /// Successes that a percentile is made of, the newest.
  static let maxSamples = 720
  /// Fewer say nothing about a percentile.
  static let minSamples = 10

  /// - Parameter keepsTimes: a percentile of response times will be asked for.
  mutating func add(_ result: CheckResult, keepsTimes: Bool) {
    let slot = result.scheduledAt
    guard result.state != .unknown else {
      unknownSince = unknownSince ?? slot
      return
    }
    unknownSince = nil
    if known?.state != result.state { known = (result.state, slot) }
    if result.state == .down {
      failingSince = failingSince ?? slot
      failures = min(failures + 1, 1_000_000)
      successes = 0
    } else {
      failingSince = nil
      successes = min(successes + 1, 1_000_000)
      failures = 0
      lastTime = result.facts.responseTime
      if keepsTimes, let lastTime { keep(lastTime, at: slot) }
    }
  }

  private mutating func keep(_ value: Duration, at slot: Timestamp) {
    samples.append((slot, value))
    // Not at each: to take off the first is to move all.
    if samples.count > 2 * Self.maxSamples { samples.removeFirst(samples.count - Self.maxSamples) }
  }

  /// Since when it is in a state; nil: it is in another.
  func since(_ state: CheckState) -> Timestamp? {
    if state == .unknown { return unknownSince }
    return known?.state == state ? known?.since : nil
  }

  /// The last one, or a percentile by nearest rank of those of the last while; nil where there are too few.
  func responseTime(_ percentile: Int?, within window: Duration, at now: Timestamp) -> Duration? {
    guard let percentile else { return lastTime }
    let start = now.advanced(by: .zero - window)
    let recent = samples.suffix(Self.maxSamples).filter { $0.at > start }.map(\.value).sorted()
    guard recent.count >= Self.minSamples else { return nil }
    return recent[min(recent.count - 1, (recent.count * percentile + 99) / 100 - 1)]
  }
}
