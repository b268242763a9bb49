// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// One rule that holds for one check, or for a part of the agent.
package struct Trouble: Hashable, Sendable {
  /// Which trouble it is: the same one keeps its key over results and restarts.
  package struct Key: Hashable, Comparable, Sendable {
    /// The rule's name.
    package var rule: ByteText
    /// `nil` for an alert about the agent itself.
    package var check: UniqueID?
    /// The part of the agent; empty for a check.
    package var part: ByteText

    package init(rule: String, check: UniqueID? = nil, part: String = "") {
      (self.rule, self.check, self.part) = (ByteText(rule), check, ByteText(part))
    }

    /// The subject of the alert without its rule: a check, or a part of the agent.
    var source: Key {
      var source = self
      source.rule = ByteText("")
      return source
    }

    package static func < (left: Key, right: Key) -> Bool {
      (left.rule.text, left.check?.description ?? "", left.part.text)
        < (right.rule.text, right.check?.description ?? "", right.part.text)
    }
  }

  package var key: Key
  package var subject: AlertSubject
  package var severity: AlertSeverity
  /// The check's name, or the part of the agent.
  package var name: String
  package var target: String?
  package var state: CheckState?
  package var reason: Reason?
  /// One line for a person, without secrets.
  package var text: String?
  /// Since when it is so: the first slot of the row, not the result that made the rule hold.
  package var since: Timestamp
  /// The last result that was up or degraded, before it; `nil` where none is known, and for what is not about availability.
  package var lastGood: Timestamp?
  /// How many steps of the rule are passed, from 1; a certificate's rule has several, and each is news.
  package var level = 1
  /// From one result of the check to the next; zero: there are none.
  package var pace: Duration = .zero
  /// Properties that it shares with other alerts.
  package var relation = Relation()

  package init(
    key: Key, subject: AlertSubject, severity: AlertSeverity, name: String, target: String? = nil,
    since: Timestamp
  ) {
    (self.key, self.subject, self.severity) = (key, subject, severity)
    (self.name, self.target, self.since) = (name, target, since)
  }

  /// Removes the target and the text of a failure, which may name the host or an address or repeat the target's answer.
  /// Texts that the agent computes itself stay, such as a response time or the days of a certificate.
  mutating func hideTarget() {
    let host = relation.host
    (target, relation) = (nil, Relation())
    guard let words = text, subject != .agent else { return }
    if subject == .availability || host.map({ words.lowercased().contains($0) }) ?? false { text = nil }
  }

  /// By what troubles belong together.
  package struct Relation: Hashable, Sendable {
    /// Lower case, without a port.
    package var host: String?
    package var resource: UniqueID?
    /// Network of the address that was dialled: its /24 (IPv4) or /48 (IPv6), as a site is given it (RFC 6177).
    package var network: String?

    package init(host: String? = nil, resource: UniqueID? = nil, network: String? = nil) {
      (self.host, self.resource, self.network) = (host, resource, network)
    }
  }
}

/// Change of an alert.
package enum TroubleEvent: Hashable, Sendable {
  /// It fires from now on, or another step of it does.
  case holds(Trouble)
  /// - Parameter note: of a renamed check, its new name.
  case ended(Trouble.Key, at: Timestamp, TroubleEnd, note: String? = nil)
}

/// Why an alert does not fire any more: only the first of these means that something works again.
package enum TroubleEnd: String, CaseIterable, Hashable, Sendable {
  /// The rule does not hold any more.
  case recovered
  /// A maintenance window began.
  case maintenance
  /// The check is not configured any more.
  case removed
  /// The check is configured with `enabled: false`.
  case disabled
  /// The check has another name, and so another id.
  case renamed
  /// Another member of the group reports it in another incident.
  case moved
  /// The rule was removed, does not select the check any more, or says something else.
  case ruleChanged = "rule_changed"
}

extension Trouble.Relation {
  package init(_ check: MonitoringCheck, peer: IPAddress?) {
    let host = check.kind.dialled?.host.lowercased()
    let address = peer ?? host.flatMap { IPAddress($0) }
    self.init(host: host, resource: check.resourceID, network: address.map(Self.network))
  }

  /// In words, to be compared only.
  static func network(_ address: IPAddress) -> String {
    let length = address.version == 4 ? 3 : 6
    return "\(address.version):" + address.bytes.prefix(length).map { String($0) }.joined(separator: ".")
  }
}
