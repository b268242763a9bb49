// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// Times of what a channel is notified of: an incident may have begun before it, with alerts that are not routed to the channel.
extension Draft {
  /// Alerts that the channel is notified of, or was.
  private var told: [Incident.Member] {
    let routed = Set(members.map(\.trouble.key))
    return incident.members.filter { member in
      let key = member.trouble.key
      return routed.contains(key) || record.heard.alerts[key] != nil
    }
  }

  /// Whether these are all of the incident's.
  private func isWhole(_ told: [Incident.Member]) -> Bool {
    told.isEmpty || told.count == incident.members.count
  }

  /// When the first of its alerts began. One that opened again began when it joined, at the latest.
  var begin: Timestamp {
    let told = told
    guard !isWhole(told) else { return incident.begin }
    return told.map { min($0.trouble.since, $0.joined) }.min() ?? incident.begin
  }

  /// When the last of its alerts ended; `nil` while one fires.
  var end: Timestamp? {
    let told = told
    guard !isWhole(told) else { return incident.end }
    return told.contains(where: \.isActive) ? nil : told.compactMap(\.left).max()
  }
}
