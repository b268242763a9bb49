// SPDX-License-Identifier: MIT

/// Since when what the kernel reports may have waited, and by when everything that had come was looked at. Pure.
///
/// One look tells of so many descriptors only. Those that are ready take turns in it, so that after as many full looks as
/// hold all descriptors everything was told that was there before the first of them.
package struct DrainClock {
  /// Descriptors that one look tells of.
  package let capacity: Int
  /// Nothing that was reported last had come before this instant.
  package private(set) var readySince: Instant
  /// Everything that had come by then was looked at.
  package private(set) var drained: Instant
  private var lastLook: Instant
  private var fullSince: Instant?
  private var fullLooks = 0

  package init(capacity: Int, now: Instant) {
    self.capacity = capacity
    (readySince, drained, lastLook) = (now, now, now)
  }

  /// - Parameters:
  ///   - count: of the descriptors reported.
  ///   - arrived: when the first of them came, where the thread slept until then; nil: it came while the thread was at work.
  ///   - open: all descriptors.
  package mutating func looked(at now: Instant, count: Int, arrived: Instant?, open: Int) {
    // Of a full look before, the rest waits since that one or longer.
    if fullSince == nil { readySince = arrived ?? lastLook }
    lastLook = now
    guard count >= capacity else {
      (drained, fullSince, fullLooks) = (now, nil, 0)
      return
    }
    let start = fullSince ?? now
    fullSince = start
    fullLooks += 1
    guard fullLooks > open / capacity + 1 else { return }
    drained = max(drained, start)
    (readySince, fullSince, fullLooks) = (start, now, 1)
  }
}
