// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Value in the group's store under one id.
package enum SharedValue: Hashable, Sendable {
  case alerts(SharedAlerts)
  case incident(SharedIncident)
  case report(SharedReport)

  /// Bytes of one at most.
  package static let limit = 65_536

  /// `nil` for bytes that are no value. Unknown fields in it mean nothing.
  package init?(json bytes: [UInt8], at id: UniqueID, now: ClockReading) {
    guard bytes.count <= Self.limit, let json = try? JSONValue.parse(bytes, maxDepth: 10),
      json["v"]?.integer == 2
    else { return nil }
    if let list = json["alerts"]?.array {
      self = .alerts(SharedAlerts(json, list, of: id))
    } else if let incident = json["incident"].flatMap({ Incident($0, SavedClock(now: now)) }),
      incident.id == id
    {
      self = .incident(SharedIncident(incident, by: (json["by"]?.string ?? "").printable(maxBytes: 100)))
    } else if let report = json["report"].flatMap({ SharedReport($0, at: id) }) {
      self = .report(report)
    } else {
      return nil
    }
  }
}

/// The alerts of one check, by the agent that runs it.
package struct SharedAlerts: Hashable, Sendable {
  package struct Ended: Hashable, Sendable {
    var at: Timestamp
    var end: TroubleEnd
    var note: String?
  }

  package var writer: String
  package var firing: [Trouble.Key: Trouble] = [:]
  /// Those that fire no more, until the incident says so.
  package var ended: [Trouble.Key: Ended] = [:]

  /// Rules of a check that are kept.
  private static let most = 16

  init(by writer: String) { self.writer = writer }

  var isEmpty: Bool { firing.isEmpty && ended.isEmpty }

  package var firingCount: Int { firing.count }

  /// Equal content, whichever agent wrote it: as it is kept, where times are of milliseconds.
  func says(_ other: SharedAlerts) -> Bool { self == other || json(by: "") == other.json(by: "") }

  package var json: [UInt8] { json(by: writer) }

  private func json(by writer: String) -> [UInt8] {
    var json = JSONWriter(reserving: 512)
    json.object { json in
      json.field("v", 2)
      json.field("by", writer)
      json.key("alerts")
      json.array { json in
        for (_, trouble) in firing.sorted(by: { $0.key < $1.key }) { json.object { trouble.write(to: &$0) } }
        for (key, ended) in ended.sorted(by: { $0.key < $1.key }) {
          json.object { json in
            key.write(to: &json)
            json.field("ended", ended.at)
            json.field("end", ended.end.rawValue)
            json.fieldIfPresent("note", ended.note)
          }
        }
      }
    }
    return json.bytes
  }

  fileprivate init(_ json: JSONValue, _ list: [JSONValue], of check: UniqueID) {
    writer = (json["by"]?.string ?? "").printable(maxBytes: 100)
    for item in list.prefix(2 * Self.most) {
      guard let key = Trouble.Key(item), key.check == check else { continue }
      if let at = item.time("ended"), let end = item["end"]?.string.flatMap(TroubleEnd.init) {
        let note = item["note"]?.string?.printable(maxBytes: CheckLimits.nameBytes)
        ended[key] = Ended(at: at, end: end, note: note)
      } else if let trouble = Trouble(item) {
        firing[key] = trouble
      }
    }
  }
}

/// An incident of the group with its notification log.
package struct SharedIncident: Hashable, Sendable {
  package var incident: Incident
  package var writer: String

  /// Members that are kept; the alerts of the others stand under their checks.
  static let most = 80

  init(_ incident: Incident, by writer: String) { (self.incident, self.writer) = (incident, writer) }

  /// As it is kept: with no more than there is room for.
  static func json(_ incident: Incident, by writer: String, now: ClockReading) -> [UInt8] {
    var kept = incident
    if incident.members.count > most { kept.restore(Array(incident.ranked.prefix(most))) }
    kept.trimSent(to: 20)
    // Each member hears the apps for itself.
    kept.taken = [:]
    var json = JSONWriter(reserving: 2048)
    json.object { json in
      json.field("v", 2)
      json.field("by", writer)
      json.key("incident")
      kept.write(to: &json, now: now)
    }
    return json.bytes
  }
}

extension Incident {
  /// The incident as another agent would read it, without instants, for comparing two.
  func asShared(now: ClockReading) -> Incident? {
    let bytes = SharedIncident.json(self, by: "", now: now)
    guard case .incident(let shared)? = SharedValue(json: bytes, at: id, now: now) else { return nil }
    return shared.incident.withoutInstants
  }

  var withoutInstants: Incident {
    var bare = Incident(id: id, subject: subject, begin: begin, opened: opened, at: Instant(nanoseconds: 0))
    bare.restore(
      members.map { member in
        var member = member
        (member.leftAt, member.roseAt, member.opens) = (nil, nil, [])
        return member
      })
    (bare.end, bare.quietSince, bare.acknowledged, bare.sent) = (end, quietSince, acknowledged, sent)
    bare.dropped = dropped
    bare.opening = opening
    bare.log = log.mapValues { record in
      var record = record
      record.lastAt = nil
      return record
    }
    return bare
  }

  /// Takes over what another agent knows of deliveries and acknowledgements, where that is newer. Where a channel has heard
  /// from it that all is over, it is.
  mutating func merge(_ other: Incident) {
    var isEndHeard = false
    for (channel, record) in other.log where record.deliveries > log[channel]?.deliveries ?? -1 {
      log[channel] = record
      isEndHeard = isEndHeard || record.heard.isOver
    }
    if isOpen, !other.isOpen, isEndHeard {
      restore(other.members)
      (end, quietSince, quietAt) = (other.end, other.quietSince, other.quietAt)
    }
    opening = opening ?? other.opening
    if let theirs = other.acknowledged { acknowledged = acknowledged?.joined(with: theirs) ?? theirs }
    taken.merge(other.taken) { max($0, $1) }
    if other.sent.count > sent.count { (sent, dropped) = (other.sent, other.dropped) }
  }
}
