// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A place's vote on a check, as it was written.
package struct PlaceVote: Hashable, Sendable {
  package var state: CheckState
  package var reason: Reason
  /// It was found by a probe that began after the question was there.
  package var hasAnswered: Bool

  package init(_ state: CheckState, _ reason: Reason, hasAnswered: Bool = false) {
    (self.state, self.reason, self.hasAnswered) = (state, reason, hasAnswered)
  }
}

/// The rule of `confirm`, without a memory: the same votes give the same verdict at every place, on the way down and on
/// the way back.
///
/// A place has a say while it is alive, which is while its lease in the store lives. `from` of the places that have a say,
/// this one included, make a check down, also where this place finds otherwise. Fewer make a failure here `regional`, which
/// is degraded. Where fewer than `from` are alive this place's own verdict holds, and a failure is flagged unconfirmed:
/// nothing is unknown for want of others.
package struct QuorumRule: Sendable {
  package let settings: ConfirmSettings
  /// This agent's own.
  package let place: String

  package init(_ settings: ConfirmSettings, place: String) {
    (self.settings, self.place) = (settings, place)
  }

  package enum Decision: Hashable, Sendable {
    case wait
    case settled(QuorumVerdict)
  }

  /// - Parameters:
  ///   - own: the verdict that was measured here.
  ///   - votes: what the others have written; a place that is not there has written nothing, or its lease is over.
  ///   - alive: places that have a lease, whether they have written or not.
  ///   - asked: how long ago they were asked to look; nil: they were not.
  package func decide(
    _ own: Verdict, votes: [String: PlaceVote], alive: Set<String>, asked: Duration?  // own text
  ) -> Decision {
    let others = settings.of.filter { $0 != place }
    if let asked, asked < settings.within, own.state == .down,
      others.contains(where: { alive.contains($0) && votes[$0]?.hasAnswered != true })
    {
      return .wait
    }
    let places = settings.of.map { name in
      guard name != place else { return PlaceVerdict(name, own.state, own.reason) }
      guard alive.contains(name) else { return PlaceVerdict(name, isAlive: false) }
      let vote = votes[name]
      return PlaceVerdict(
        name, vote?.state, vote?.reason, isSilent: asked != nil && vote?.hasAnswered != true)
    }
    return .settled(
      QuorumVerdict(outcome(own, places), from: settings.from, places: places, own: own))
  }

  /// The other places' votes are not known: the store is out of reach.
  func decideAlone(_ own: Verdict) -> Decision {
    let places = settings.of.map { name in
      name == place
        ? PlaceVerdict(name, own.state, own.reason) : PlaceVerdict(name, isAlive: false, isHeard: false)
    }
    return .settled(QuorumVerdict(outcome(own, places), from: settings.from, places: places, own: own))
  }

  private func outcome(_ own: Verdict, _ places: [PlaceVerdict]) -> QuorumVerdict.Outcome {
    let isDown = own.state == .down
    if places.count(where: \.isDown) >= settings.from { return isDown ? .confirmed : .outvoted }
    guard isDown else { return .own }
    return places.count(where: \.isAlive) < settings.from ? .unconfirmed : .regional
  }
}
