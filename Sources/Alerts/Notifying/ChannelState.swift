// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// How it stands with one channel: its pace, its retries, the storm it is told of, and counts for people.
package struct ChannelState: Hashable, Sendable {
  /// The notification that is being sent now.
  var sending: UniqueID?
  package var isBusy: Bool { sending != nil }
  package var lastSent: Instant?
  /// Failed attempts in a row.
  package var failures = 0
  /// Before which nothing is sent; `nil` when the last attempt worked.
  package var retryAt: Instant?
  /// The receiver answered the last attempt with a failure that may be due to its content.
  var sparesUntried = false
  /// Why the last attempt failed, in words; `nil` when it did not.
  package var problem: String?
  package var storm: Storm?
  /// Up to when digests were sent, by the wall clock, and whether one is due.
  package var digestUpTo: Timestamp
  package var isDigestDue = false
  package var wasQuiet = false
  /// Since the start, by kind.
  package var delivered: [AlertMessage.Kind: Int] = [:]
  package var failed: [AlertMessage.Kind: Int] = [:]
  package var storms = 0
  /// Since when the channel is not configured any more; `nil` while it is.
  var leavingSince: Instant?

  package init(digestUpTo: Timestamp) { self.digestUpTo = digestUpTo }

  private static let first: Duration = .seconds(5)
  private static let longest: Duration = .seconds(300)
  /// Of a receiver that cannot be reached: to knock costs it nothing, and it is to hear soon after it is back.
  private static let longestUnreachable: Duration = .seconds(8)
  /// The longest that a receiver may ask for.
  private static let farthest: Duration = .seconds(3600)

  mutating func succeed() {
    (failures, retryAt, problem, sparesUntried) = (0, nil, nil, false)
  }

  /// Before which a notification is not sent, as an attempt failed; `nil` when the last one worked.
  ///
  /// - Parameter isTried: it was tried already. One that was not may be taken where another one failed.
  func retryTime(isTried: Bool) -> Instant? {
    guard sparesUntried, !isTried, let lastSent else { return retryAt }
    return retryAt.map { min($0, lastSent + Self.first) }
  }

  /// - Parameter id: of the message: its own chance spreads those who wait for one receiver.
  mutating func fail(
    _ words: String, retryAfter: Duration?, isUnreachable: Bool, id: UniqueID, at now: Instant
  ) {
    problem = words
    failures = min(failures + 1, 1000)  // bounded: by the minimum
    sparesUntried = !isUnreachable && retryAfter == nil
    retryAt =
      now + Self.pause(after: failures, retryAfter: retryAfter, isUnreachable: isUnreachable, id: id)
  }

  /// Time to the next attempt after so many failed ones in a row, of the channel or of one notification.
  static func pause(
    after failures: Int, retryAfter: Duration? = nil, isUnreachable: Bool = false, id: UniqueID
  ) -> Duration {
    let backoff = first * Double(1 << min(max(failures, 1) - 1, 10))
    let limit = isUnreachable ? longestUnreachable : longest
    let least = max(min(backoff, limit), min(retryAfter ?? .zero, farthest))
    return least * (1 + spread(id, failures))
  }

  /// The back-off over a restart.
  func writeRetry(to json: inout JSONWriter, now: ClockReading) {
    guard let retryAt, retryAt > now.boot else { return }
    json.field("failures", failures)
    json.fieldIfPresent("problem", problem)
    json.field("spares_untried", sparesUntried)
    // In the future: its age is below zero.
    json.age("retry_ago", retryAt, now: now)
  }

  mutating func readRetry(_ json: JSONValue, _ clock: SavedClock) {
    guard let next = clock.instant(json, "retry_ago"), next > clock.present else { return }
    retryAt = min(next, clock.present + Self.farthest * 1.25)
    failures = max(json.small("failures") ?? 1, 1)
    problem = json["problem"]?.string?.printable(maxBytes: SendOutcome.shown)
    sparesUntried = json["spares_untried"]?.bool ?? false
  }

  /// From 0 to a quarter.
  private static func spread(_ id: UniqueID, _ attempts: Int) -> Double {
    var word = id.low &+ UInt64(clamping: attempts) &* 0x9e37_79b9_7f4a_7c15
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    return Double((word ^ (word >> 27)) >> 40) / Double(1 << 26)
  }

  /// Notes that quiet hours ended, or that the digest's time of day has passed.
  mutating func watchDigest(_ settings: AlertSettings, quietEnd: Timestamp?, now: Timestamp) {
    if wasQuiet, quietEnd == nil { isDigestDue = true }
    wasQuiet = quietEnd != nil
    // A clock that was set back begins again: what was in a digest is in no other one.
    let last = min(digestUpTo, now)
    digestUpTo = now
    let day: Int64 = 86_400
    let local = settings.zone.local(now)
    let midnight = local.seconds - local.timeOfDay  // bounded: a time of day
    for begin in [midnight, midnight - day] {  // bounded: one day
      // bounded: a time of day
      let moment = settings.zone.instant(LocalTime(seconds: begin + settings.digest))
      if moment > last, moment <= now { isDigestDue = true }
    }
  }
}
