// SPDX-License-Identifier: MIT

import Basics

/// One place's verdict, as far as it is known here.
package struct PlaceVerdict: Hashable, Sendable {
  package var place: String
  /// `nil` where it has not voted.
  package var state: CheckState?
  package var reason: Reason?
  /// False where no member is left there, so that it has no vote.
  package var isAlive: Bool
  /// False: the store is out of reach, and whether anybody is there is not known. It has no say, as if it were gone.
  package var isHeard: Bool
  /// It was asked and did not answer in time; what it said before counts.
  package var isSilent: Bool
  /// When it was first heard of here; of other places only.
  package var since: Timestamp?

  package init(
    _ place: String, _ state: CheckState? = nil, _ reason: Reason? = nil, isAlive: Bool = true,
    isSilent: Bool = false, isHeard: Bool = true
  ) {
    (self.place, self.state, self.reason) = (place, state, reason)
    (self.isAlive, self.isSilent, self.isHeard) = (isAlive, isSilent, isHeard)
  }

  package var isDown: Bool { isAlive && state == .down }
}

/// Verdict of the places of `confirm` on one place's result. State and reason of the result are theirs; this place's
/// own are kept beside them, and are delivered.
package struct QuorumVerdict: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// The verdict of this place holds.
    case own
    /// Down here, and enough places find the same.
    case confirmed
    /// Down here, but too few places find the same: degraded.
    case regional
    /// Not down here, but enough other places are down: down.
    case outvoted
    /// Down here, and too few places are alive to say more, or none is heard.
    case unconfirmed
  }

  package var outcome: Outcome
  /// Places that must find it down.
  package var from: Int
  /// In the order of the configuration, this one included.
  package var places: [PlaceVerdict]
  /// As measured here.
  package var own: Verdict

  package init(_ outcome: Outcome, from: Int, places: [PlaceVerdict], own: Verdict) {
    (self.outcome, self.from, self.places, self.own) = (outcome, from, places, own)
  }

  /// Places that find it down.
  package var down: Int { places.count { $0.isDown } }
  package var alive: Int { places.count { $0.isAlive } }

  /// State and reason are the others', not this place's.
  package var isOverruled: Bool { outcome == .regional || outcome == .outvoted }

  /// One line for a person.
  package var message: String? {
    switch outcome {
    case .own: own.message
    case .confirmed: joined([own.message, "confirmed \(down)/\(places.count)", told { !$0.isDown }])
    case .unconfirmed where places.contains { !$0.isHeard }:
      joined([own.message, "unconfirmed: the store of the places is out of reach"])
    case .unconfirmed:
      joined([own.message, "unconfirmed: \(alive) of \(places.count) places alive", told { !$0.isAlive }])
    case .regional: joined(["down in \(down) of \(places.count) places", told { _ in true }])
    case .outvoted:
      joined(["down in \(down) of \(places.count) places, though not here", told { _ in true }])
    }
  }

  private func joined(_ parts: [String?]) -> String {
    parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "; ").printable(maxBytes: 256)
  }

  private func told(_ which: (PlaceVerdict) -> Bool) -> String {
    places.filter(which).map(\.text).joined(separator: ", ")
  }
}

extension PlaceVerdict {
  /// Such as `paris connect_refused`, `ny up`, `tokyo gone`, `rome not heard`.
  package var text: String {
    guard isHeard else { return "\(place) not heard" }
    guard isAlive else { return "\(place) gone" }
    let said =
      switch state {
      case nil: "says nothing"
      case .up: "up"
      case .down: reason?.rawValue ?? "down"
      case .degraded, .unknown: [state?.rawValue, reason?.rawValue].compactMap(\.self).joined(separator: " ")
      }
    return "\(place) \(said)\(isSilent && state != nil ? " (silent)" : "")"
  }
}

extension CheckResult {
  /// As measured here: what is delivered.
  package var ownVerdict: Verdict {
    confirmation?.own
      ?? Verdict(
        reason, phase: phase, message: message, degraded: state == .degraded, isUnknown: state == .unknown,
        timedOut: status == .timeout)
  }

  /// The same result with the verdict that the places came to.
  package func settled(by confirmation: QuorumVerdict) -> CheckResult {
    var result = self
    result.confirmation = confirmation
    result.message = confirmation.message.map { $0.printable(maxBytes: 256) }
    switch confirmation.outcome {
    case .own, .confirmed, .unconfirmed: break
    case .regional: (result.state, result.reason, result.phase) = (.degraded, .regional, nil)
    case .outvoted: (result.state, result.reason, result.phase) = (.down, .regional, nil)
    }
    return result
  }
}
