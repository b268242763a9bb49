// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// What the group's store keeps of an incident under one of its checks: the incident, what people were told of it, and the
/// troubles of this check.
package struct SharedPart: Hashable, Sendable {
  /// With the members of the one check.
  package var incident: Incident
  /// The agent that wrote it.
  package var writer: String

  /// Bytes of one at most.
  package static let limit = 16_384
  /// Rules of a check that are kept.
  static let mostMembers = 16

  package init(
    _ incident: Incident, of check: UniqueID, told: [String: Told],  // own text: channels
    by writer: String
  ) {
    self.writer = writer
    self.incident = incident
    self.incident.told = told
    self.incident.kept = [:]
    self.incident.restore(
      Array(incident.members.filter { $0.trouble.key.check == check }.prefix(Self.mostMembers)))
  }

  /// Nil: more than may be.
  package var json: [UInt8]? {
    var json = JSONWriter(reserving: 1024)
    json.object { json in
      json.field("v", 1)
      json.field("by", writer)
      json.key("incident")
      incident.write(to: &json)
    }
    return json.bytes.count <= Self.limit ? json.bytes : nil
  }

  /// Nil: it is none. Troubles of other checks in it, and what is not known, mean nothing.
  package init?(json bytes: [UInt8], of check: UniqueID) {
    guard bytes.count <= Self.limit, let json = try? JSONValue.parse(bytes, maxDepth: 8),
      json["v"]?.integer == 1, let incident = json["incident"].flatMap(Incident.init)
    else { return nil }
    let told = incident.told.filter { $0.key.utf8.count <= 100 }
    self.init(incident, of: check, told: told, by: (json["by"]?.string ?? "").printable(maxBytes: 100))
    guard !self.incident.members.isEmpty else { return nil }
  }

  /// Says the same, whoever wrote it: also where the store's is shorter, as everything that is read is.
  func says(_ other: SharedPart, of check: UniqueID) -> Bool {
    if isSame(other) { return true }
    return other.json.flatMap { SharedPart(json: $0, of: check) }.map(isSame) ?? true
  }

  private func isSame(_ other: SharedPart) -> Bool {
    let (one, two) = (incident, other.incident)
    return one.id == two.id && one.begin == two.begin && one.opened == two.opened && one.end == two.end
      && one.acknowledged == two.acknowledged && one.told == two.told && one.members == two.members
  }
}

/// Where the store had an incident's entry.
package struct KeptMark: Hashable, Sendable {
  package var world: UInt64
  /// Revision of its creation.
  package var created: Int64

  package init(world: UInt64, created: Int64) { (self.world, self.created) = (world, created) }
}

/// What the group's incidents are called: two agents that find the same trouble by themselves call it the same, so that a
/// receiver who knows the one knows the other.
package struct IncidentNames: Hashable, Sendable {
  package var group: String
  package var checks: Set<UniqueID>

  package init(group: String, checks: Set<UniqueID>) { (self.group, self.checks) = (group, checks) }

  /// Version 8 (RFC 9562, section 5.8): the milliseconds of its begin, as in version 7, then bits of SHA-256 over group,
  /// check, subject and begin. Nil: nobody shares the check.
  func id(_ trouble: Trouble) -> UniqueID? {
    guard let check = trouble.key.check, checks.contains(check) else { return nil }
    let text =
      "\(group.utf8.count) \(group) \(check) \(trouble.subject.rawValue) \(trouble.since.microseconds)"
    let digest = sha256(Array(text.utf8))
    let word = { (start: Int) in digest[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    let milliseconds = UInt64(clamping: trouble.since.microseconds / 1000) & 0xffff_ffff_ffff
    return UniqueID(
      high: milliseconds << 16 | 0x8000 | word(0) & 0xfff, low: word(8) & ~(3 << 62) | 1 << 63)
  }
}
