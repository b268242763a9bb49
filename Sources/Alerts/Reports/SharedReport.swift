// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The log of one report in the group's store: one member sends it, and the next one knows.
package struct SharedReport: Hashable, Sendable {
  package var name: String
  var channels: [String: ReportLog.Entry]  // own text: channels

  init(_ name: String, _ channels: [String: ReportLog.Entry]) {  // own text: channels
    (self.name, self.channels) = (name, channels)
  }

  /// Namespace of the ids of reports in the store.
  private static let namespace = UniqueID(high: 0x5f0a_6b1d_9c3e_4d27, low: 0x8a41_7f52_e06b_c913)

  /// Where it is in the store.
  static func id(_ name: String) -> UniqueID { .v5(namespace: namespace, name: name) }

  func json(by writer: String) -> [UInt8] {
    var json = JSONWriter(reserving: 512)
    json.object { json in
      json.field("v", 2)
      json.field("by", writer)
      json.key("report")
      json.object { json in
        json.field("name", name)
        json.key("channels")
        json.array { json in
          for (channel, entry) in channels.sorted(by: { $0.key < $1.key }) {
            json.object { entry.write(channel, to: &$0) }
          }
        }
      }
    }
    return json.bytes
  }

  /// `nil` where it is none of that id.
  init?(_ json: JSONValue, at id: UniqueID) {
    guard let name = json["name"]?.string, Self.id(name) == id else { return nil }
    self.init(name, [:])
    for item in (json["channels"]?.array ?? []).prefix(AlertChannel.limit) {
      if let (channel, entry) = ReportLog.Entry.read(item) { channels[channel] = entry }
    }
  }
}

extension AlertShare {
  func report(_ name: String) -> SharedReport? {
    if case .report(let shared)? = view.entries[SharedReport.id(name)]?.value { shared } else { nil }
  }
}

extension AlertBook {
  /// Reads what members before sent.
  mutating func readReports() {
    guard let share else { return }
    for schedule in settings.reports {
      if let shared = share.report(schedule.name) {
        notifier.reports.merge(schedule.name, shared.channels)
      }
    }
  }

  /// Entries of the store that are not as this agent, which notifies, has them.
  func reportWrites(_ share: AlertShare) -> [ShareWrite] {
    guard share.view.notifies else { return [] }
    return settings.reports.compactMap { schedule in
      let channels = notifier.reports.channels(of: schedule.name)
      guard !channels.isEmpty, share.report(schedule.name)?.channels != channels else { return nil }
      return ShareWrite([reportChange(schedule.name, channels, share)])
    }
  }

  func reportChange(
    _ name: String, _ channels: [String: ReportLog.Entry], _ share: AlertShare  // own text: channels
  ) -> ShareWrite.Change {
    let id = SharedReport.id(name)
    return .init(
      id, SharedReport(name, channels).json(by: share.writer), replacing: share.view.entries[id]?.changed ?? 0
    )
  }

  /// The context with what the group says of reports.
  package func informedOfReports(_ context: NotifyContext) -> NotifyContext {
    var context = context
    context.reportsHeld = reportsHeld
    return context
  }

  /// Why no report may be sent from here now; `nil` where one may. A report is no alarm: it waits for the store.
  var reportsHeld: String? {
    guard let share, incidents.names != nil else { return nil }
    switch share.view.touch {
    case .settling: return "the group's store is being read"
    case .away: return "the group's store cannot be reached"
    case .fresh: return share.view.notifies ? nil : "another member of the group sends it"
    }
  }
}
