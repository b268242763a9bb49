// SPDX-License-Identifier: MIT

import Basics

/// An instant of the clock that nobody sets and that counts through sleep, as `ContinuousClock` does. One word: the
/// standard library's instant has no fixed layout, and each copy of one is a call.
struct Stamp: Hashable, Comparable {
  let nanoseconds: Int64

  static var now: Stamp { Stamp(nanoseconds: SystemClock.boot.nanoseconds) }

  static func < (left: Stamp, right: Stamp) -> Bool { left.nanoseconds < right.nanoseconds }

  static func - (left: Stamp, right: Stamp) -> Duration {
    .nanoseconds(left.nanoseconds - right.nanoseconds)
  }

  static func - (left: Stamp, right: Duration) -> Stamp { left + (.zero - right) }

  static func + (left: Stamp, right: Duration) -> Stamp {
    let (seconds, attoseconds) = right.components
    let (whole, isHuge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    // A limit of centuries is none.
    if isHuge { return Stamp(nanoseconds: .max) }
    let (sum, isLate) = left.nanoseconds.addingReportingOverflow(whole + attoseconds / 1_000_000_000)
    return Stamp(nanoseconds: isLate ? .max : sum)
  }
}
