// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Replies to a run of packets or connections, by their numbers from 1 on.
struct PingTally: Hashable, Sendable {
  var sent = 0
  var roundTrips: [Int: Duration] = [:]
  /// Errors of the network in place of replies.
  var errors: [Int: ICMPError] = [:]

  /// True when each of `count` was answered or refused.
  func isSettled(_ count: Int) -> Bool { roundTrips.count + errors.count == count }

  var facts: PingFacts {
    var facts = PingFacts(sent: sent, received: roundTrips.count)
    facts.refused = errors.count
    let trips = roundTrips.sorted { $0.key < $1.key }.map(\.value)
    guard let minimum = trips.min(), let maximum = trips.max() else { return facts }
    let average = trips.reduce(.zero, +) / trips.count
    let variance =
      trips.reduce(0.0) { $0 + ($1 - average).seconds * ($1 - average).seconds } / Double(trips.count)
    (facts.minimum, facts.average, facts.maximum) = (minimum, average, maximum)
    facts.standardDeviation = .seconds(variance.squareRoot())
    facts.jitter = Self.jitter(trips)
    return facts
  }

  /// The mean difference between one round trip and the next: what RFC 3550 6.4.1 calls D, over the whole run
  /// instead of smoothed, since a run is short and ends.
  private static func jitter(_ trips: [Duration]) -> Duration? {
    guard trips.count > 1 else { return nil }
    let steps = zip(trips, trips.dropFirst()).map { $0 < $1 ? $1 - $0 : $0 - $1 }
    return steps.reduce(.zero, +) / steps.count
  }
}
