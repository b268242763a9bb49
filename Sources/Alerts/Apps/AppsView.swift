// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The alerts of the Quartz apps, as far as this agent knows them.
package struct AppsView: Hashable, Sendable {
  package enum Knowledge: Hashable, Sendable {
    /// No answer yet.
    case unheard(since: Instant)
    /// The receiver makes no alerts of the apps, or does not know them.
    case silent
    case known(AppAlerts)
  }

  var knowledge: Knowledge
  /// How far this agent's clock is ahead of the receiver's; zero up to a minute, which the receiver ignores as well.
  package var offset: Duration = .zero

  /// When acknowledgements were made, by this agent's clock: the apps take the time from browsers, whose clocks differ.
  var moments: [AppAlerts.Key: Moment] = [:]

  struct Moment: Hashable, Sendable {
    /// As the receiver has it.
    var said: Timestamp
    var local: Timestamp
  }

  package init(_ knowledge: Knowledge) { self.knowledge = knowledge }

  /// Difference of the clocks that counts.
  package static let skew: Duration = .seconds(60)

  package var alerts: AppAlerts? { if case .known(let alerts) = knowledge { alerts } else { nil } }

  /// An instant of the receiver's clock, by this agent's.
  func local(_ instant: Timestamp) -> Timestamp { instant.advanced(by: offset) }

  /// Judges the times of acknowledgements: one of an alert that was not acknowledged at the last contact was made since, and
  /// none is of the future.
  mutating func judge(after before: AppsView?, now: Timestamp) {
    for (key, said) in alerts?.acknowledgements ?? [] {
      if let known = before?.moments[key], known.said == said.at {
        moments[key] = known
      } else {
        let isNew = before?.alerts?.open[key].map { $0.acknowledged == nil } ?? false
        moments[key] = Moment(said: said.at, local: isNew ? now : min(local(said.at), now))
      }
    }
  }
}

/// An acknowledgement of the apps that was taken, for the log and the audit.
package struct TakenAcknowledgement: Hashable, Sendable {
  /// Short name of the incident.
  package var incident: String
  package var by: String
  package var note: String?
  /// Name and kind of the alert.
  package var alert: String
  /// All that fires in the incident is acknowledged.
  package var isWhole: Bool

  package var words: String {
    isWhole
      ? "incident \(incident) is acknowledged: no more reminders"
      : "\(alert) of incident \(incident) is acknowledged; others of it are not"
  }
}
