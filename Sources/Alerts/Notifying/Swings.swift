// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Checks of an incident that flap, as a channel has them. A check flaps as one, whichever of its rules found it: what its other alerts do
/// are swings of the same.
struct Swings: Sendable {
  /// Checks, and parts of the agent.
  private var sources: Set<Trouble.Key> = []
  /// Their alerts that the channel takes for firing and that are well, but not for long enough yet: until when.
  private(set) var settling: [Trouble.Key: Instant] = [:]

  /// - Parameter now: `nil` where none is waited for.
  init(_ incident: Incident, _ heard: Heard, _ flap: FlapSettings, at now: Instant?) {
    sources = Set(incident.members.lazy.filter(\.isFlapping).map(\.trouble.key.source))
    guard !sources.isEmpty, let now, !heard.isOver else { return }
    for member in incident.members {
      let key = member.trouble.key
      guard let known = heard.alerts[key], known.end == nil, let calm = calm(member, flap), calm > now else {
        continue
      }
      settling[key] = calm
    }
  }

  /// It is an alert of a check that flaps.
  func isOne(_ member: Incident.Member) -> Bool { sources.contains(member.trouble.key.source) }

  /// A swing says nothing new where the channel has the check as flapping and something as at least as severe.
  func isKnown(_ trouble: Trouble, _ heard: Heard) -> Bool {
    sources.contains(trouble.key.source) && heard.isFlapping
      && heard.severity.map { trouble.severity <= $0 } ?? false
  }

  /// When an alert of a check that flaps will have been well for long enough; `nil` for one that fires, and of other checks.
  private func calm(_ member: Incident.Member, _ flap: FlapSettings) -> Instant? {
    guard !member.isActive, isOne(member) else { return nil }
    return member.leftAt.map { $0 + member.calming(flap) }
  }

  /// The same of several, the last of them.
  func calm(_ members: [Incident.Member], _ flap: FlapSettings) -> Instant? {
    members.lazy.compactMap { calm($0, flap) }.max()
  }

  func isSettling(_ source: Trouble.Key) -> Bool { settling.keys.contains { $0.source == source } }

  /// One of those that settle is above low for the channel: that it is less now is not said yet.
  func holdsSevere(_ heard: Heard) -> Bool {
    settling.keys.contains { heard.alerts[$0].map { $0.severity > .low } ?? false }
  }
}
