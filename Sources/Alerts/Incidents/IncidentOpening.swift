// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension Incident {
  /// The check that opened an incident, as it was configured then: receivers know the incident by it. Later messages keep it,
  /// whatever becomes of the check: another label is another alert for Alertmanager, another subject another thread.
  package struct Opening: Hashable, Sendable {
    package var name: String
    /// Type and tags of `metrics.labels`.
    package var labels: [AlertMessage.Label]

    /// One more than the tags that may be labels: the type.
    private static let most = TagLabels.limit + 1

    package init(name: String, labels: [AlertMessage.Label]) { (self.name, self.labels) = (name, labels) }

    func write(to json: inout JSONWriter) {
      json.field("name", name)
      json.key("labels")
      json.array { json in
        for label in labels {
          json.object { json in
            json.field("name", label.name)
            json.field("value", label.value)
          }
        }
      }
    }

    /// `nil` where it is none.
    init?(_ json: JSONValue) {
      guard let name = json["name"]?.string else { return nil }
      self.name = name.printable(maxBytes: CheckLimits.nameBytes)
      labels = (json["labels"]?.array ?? []).prefix(Self.most).compactMap { item in
        guard let name = item["name"]?.string, name == "type" || TagLabels.objection(to: name) == nil,
          let value = item["value"]?.string
        else { return nil }
        return AlertMessage.Label(name, value.printable(maxBytes: TagLabels.maxBytes))
      }
    }
  }
}

extension AlertBook {
  /// Keeps what receivers know each new incident by, before anything is sent of it. Incidents of checks that the writer
  /// does not know wait: the list of checks may still come.
  package mutating func keepOpenings(_ writer: MessageWriter) {
    for incident in incidents.open.values where incident.opening == nil {
      guard let first = incident.members.first?.trouble, writer.knows(first.key) else { continue }
      incidents.update(incident.id) { $0.opening = writer.opening(of: first) }
    }
  }
}
