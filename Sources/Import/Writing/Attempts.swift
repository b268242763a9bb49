// SPDX-License-Identifier: MIT

import Basics

/// Attempts of Nagios and Icinga: results in a row that are not OK before they notify.
extension ImportedCheck {
  /// Longest time that a rule waits.
  private static let longest = 7 * 86_400_000

  /// Writes the attempts, with `retry` between them where the check is asked every `interval` otherwise; milliseconds.
  mutating func attempts(_ count: Int, retry: Int, interval: Int) {
    guard count > 1 else { return }
    self["failure_threshold"] = .number(within(1...100, "max_check_attempts", count))
    let (pace, usual) = (max(1000, retry), max(1000, interval))
    if pace < usual { self["interval_failing"] = .duration(pace) }
    if retry < pace, pace < usual {
      note(.changed, "retry_interval", "\(retry)ms is made 1s, the shortest there is")
    }
    if pace > usual {
      note(
        .stricter, "retry_interval",
        "a check that is down is probed at its interval, \(ForeignDuration.text(usual)), "
          + "not after \(ForeignDuration.text(pace))")
    }
  }

  /// How long a warning has to last before its channels are notified, in milliseconds: as long as the attempts take, and from
  /// one result to the next at least, as a check that is degraded is probed at its interval.
  ///
  /// The days of a certificate do not go up and down, so the first result is enough.
  mutating func warningTime() -> Int {
    guard let attempts = self["failure_threshold"]?.word.flatMap({ Int($0) }), attempts > 1,
      let interval = milliseconds("interval")
    else { return 0 }
    let retry = milliseconds("interval_failing") ?? interval
    let taken = (attempts - 1) * retry
    let isCertificate = Self.limits.allSatisfy { $0 == "certificate" || self["expect.\($0).warn"] == nil }
    let lasting = min(Self.longest, isCertificate ? taken : max(taken, interval))
    if lasting != taken || retry < interval && !isCertificate {
      note(
        .changed, "max_check_attempts",
        "a warning is notified after \(ForeignDuration.text(lasting)): a check that is degraded is probed at its "
          + "interval, not at retry_interval")
    }
    return lasting
  }

  /// Lowers limits on times to the timeout: a check that takes longer is down by it anyway.
  mutating func keepLimitsWithinTimeout() {
    guard let timeout = self["timeout"] else { return }
    for path in ["rtt", "response_time"].flatMap({ ["expect.\($0).warn", "expect.\($0).fail"] }) {
      guard let limit = milliseconds(path), limit > milliseconds("timeout") ?? limit else { continue }
      self[path] = timeout
    }
  }

  private func milliseconds(_ key: String) -> Int? {
    self[key]?.word.flatMap { ForeignDuration.milliseconds($0) }
  }
}
