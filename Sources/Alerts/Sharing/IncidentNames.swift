// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Ids of the group's incidents: two agents that find the same alert by themselves give its incident the same id, so
/// that a receiver that knows the one knows the other.
package struct IncidentNames: Hashable, Sendable {
  package var group: String
  package var checks: Set<UniqueID>

  package init(group: String, checks: Set<UniqueID>) { (self.group, self.checks) = (group, checks) }

  /// Version 8 (RFC 9562, section 5.8): the milliseconds of its begin, as in version 7, then bits of SHA-256 over group,
  /// check, subject and begin. `nil`: the check is not shared.
  func id(_ trouble: Trouble) -> UniqueID? {
    guard let check = trouble.key.check, checks.contains(check) else { return nil }
    let text =
      "\(group.utf8.count) \(group) \(check) \(trouble.subject.rawValue) \(trouble.since.microseconds)"
    let digest = sha256(Array(text.utf8))
    let word = { (start: Int) in digest[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    let milliseconds = UInt64(clamping: trouble.since.milliseconds) & 0xffff_ffff_ffff
    return UniqueID(
      high: milliseconds << 16 | 0x8000 | word(0) & 0xfff, low: word(8) & ~(3 << 62) | 1 << 63)
  }
}

extension Incident {
  /// The group's: what it shares and what only one agent has are never in one incident.
  func isShared(_ names: IncidentNames?) -> Bool {
    guard let names, let check = members.first?.trouble.key.check else { return false }
    return names.checks.contains(check)
  }

  /// Checks of its members, each once.
  package var checks: Set<UniqueID> { Set(members.compactMap(\.trouble.key.check)) }
}
