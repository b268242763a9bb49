// SPDX-License-Identifier: MIT

import Basics

/// Alerts of the Quartz apps, all that are open, as the receiver said last.
package struct AppAlerts: Hashable, Sendable {
  /// One alert of each key is open at a time.
  package struct Key: Hashable, Comparable, Sendable {
    package var check: UniqueID
    /// Availability, performance or certificate: the apps know no other.
    package var kind: AlertSubject

    package init(_ check: UniqueID, _ kind: AlertSubject) { (self.check, self.kind) = (check, kind) }

    package static func < (left: Self, right: Self) -> Bool {
      (left.check, left.kind.rawValue) < (right.check, right.kind.rawValue)
    }
  }

  /// One that was made in an app, or at an agent and reached the receiver.
  package struct Acknowledgement: Hashable, Sendable {
    /// To the millisecond: it is the identity of the acknowledgement, and is kept so.
    package var at: Timestamp
    /// Name of the person; `nil` when the receiver does not know it.
    package var by: String?
    /// Name of the agent at which it was made; `nil` for one that was made in an app.
    package var agent: String?
    /// A person resolved the alert while the check still fails.
    package var isResolve = false

    package init(at: Timestamp, by: String? = nil, agent: String? = nil, isResolve: Bool = false) {
      (self.at, self.by, self.agent) = (Timestamp(milliseconds: at.milliseconds), by, agent)
      self.isResolve = isResolve
    }

    /// Bytes of `words`, and of a name by hand.
    package static let wordBytes = 160

    /// Name and place in one line, as `quartz-agent ack` has the name alone.
    package var words: String {
      let name = by ?? "an operator"
      return agent.map { "\(name) at agent \($0)" } ?? "\(name) in the Quartz app"
    }

    /// Reason to show; `nil` without one.
    package var note: String? { isResolve ? "resolved there while the check still fails" : nil }
  }

  package struct Alert: Hashable, Sendable {
    /// Time of the first failure; `nil` when the receiver does not say.
    package var since: Timestamp?
    package var acknowledged: Acknowledgement?

    package init(since: Timestamp?, acknowledged: Acknowledgement? = nil) {
      (self.since, self.acknowledged) = (since, acknowledged)
    }
  }

  package var version: Int64
  package var open: [Key: Alert] = [:]
  /// Times at which people resolved alerts of checks that still fail.
  package var closed: [Key: Timestamp] = [:]
  /// More are open than the receiver lists: the newest are listed.
  package var isCut = false

  package init(version: Int64) { self.version = version }

  /// Acknowledgements of alerts, in a fixed order.
  package var acknowledgements: [(key: Key, said: Acknowledgement)] {
    let ofOpen = open.compactMap { key, alert in alert.acknowledged.map { (key: key, said: $0) } }
    let ofClosed = closed.compactMap { key, at in
      open[key] == nil ? (key: key, said: Acknowledgement(at: at, isResolve: true)) : nil
    }
    return (ofOpen + ofClosed).sorted { $0.key < $1.key }
  }
}

/// An acknowledgement made at this agent, for the receiver.
package struct AppAck: Hashable, Sendable {
  package var key: AppAlerts.Key
  package var at: Timestamp
  package var by: String
  package var why: String?

  package init(_ key: AppAlerts.Key, at: Timestamp, by: String, why: String? = nil) {
    (self.key, self.at, self.by, self.why) = (key, at, by, why)
  }

  /// In one request.
  package static let most = 100
}
