// SPDX-License-Identifier: MIT

/// The largest lateness since any instant of the last two minutes (no probe lives longer than 60 s).
///
/// Kept as a falling staircase: an entry that is older and smaller than a newer one can never be the answer.
package struct LatenessWindow {
  private var steps: [(at: Instant, lateness: Duration)] = []

  package init() {}

  package mutating func record(_ lateness: Duration, at now: Instant) {
    // Below a millisecond it is noise of the timer, and would only make the staircase long.
    guard lateness >= .milliseconds(1) else { return }
    while let last = steps.last, last.lateness <= lateness { steps.removeLast() }
    if let first = steps.first, first.at.duration(to: now) > .seconds(120) {
      steps.removeAll { $0.at.duration(to: now) > .seconds(120) }
    }
    steps.append((now, lateness))
  }

  package func largest(since start: Instant) -> Duration {
    // From the end: who asks has begun a moment ago.
    let next = (steps.lastIndex { $0.at < start } ?? -1) + 1
    return next < steps.count ? steps[next].lateness : .zero
  }
}
