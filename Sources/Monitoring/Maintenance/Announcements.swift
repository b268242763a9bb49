// SPDX-License-Identifier: MIT

import Basics

/// When the coming times of maintenance windows were announced to readers of the public page. A pure value, kept over restarts:
/// a moment stays, whatever the settings say later.
package struct Announcements: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var at: Timestamp
    /// After which it is forgotten.
    var end: Timestamp
  }

  private var entries: [UniqueID: Entry] = [:]
  /// The last look of this process; `nil` before the first.
  private var looked: Timestamp?
  /// There was no file: a time that is announced at the first look was announced when the settings say.
  private var isNew = true

  /// Entries that are kept: windows of a configuration and of the API, each with its next time.
  private static let limit = 4096

  package init() {}

  package var moments: [UniqueID: Timestamp] { entries.mapValues(\.at) }

  /// Notes the times that are announced by now.
  ///
  /// - Parameter announce: how long before its begin a window is announced.
  /// - Returns: something changed.
  package mutating func look(_ plan: MaintenancePlan, announce: Duration, now: Timestamp) -> Bool {
    let before = entries
    entries = entries.filter { $0.value.end > now }
    for window in plan.windows {
      guard let hours = window.occurrence(at: now) ?? window.next(after: now) else { continue }
      let due = hours.lowerBound.advanced(by: .zero - announce)
      let id = window.announcementID(hours.lowerBound)
      guard due <= now, entries[id] == nil, entries.count < Self.limit else { continue }
      let isInTime = isNew || looked.map { $0 < due } ?? false
      entries[id] = Entry(at: isInTime ? due : now, end: hours.upperBound)
    }
    (looked, isNew) = (now, false)
    return entries != before
  }
}

extension Announcements {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("version", 1)
      json.key("announced")
      json.array { json in
        for (id, entry) in entries.sorted(by: { $0.key < $1.key }) {
          json.object { json in
            json.field("id", id.description)
            json.field("at", entry.at)
            json.field("end", entry.end)
          }
        }
      }
    }
  }

  /// `nil` for a file that is none.
  package static func read(_ bytes: [UInt8]) -> Announcements? {
    guard let json = try? JSONValue.parse(bytes), json["version"]?.integer == 1 else { return nil }
    var book = Announcements()
    book.isNew = false
    func time(_ item: JSONValue, _ name: String) -> Timestamp? {
      item[name]?.timestamp
    }
    for item in (json["announced"]?.array ?? []).prefix(limit) {
      guard let id = item["id"]?.uniqueID, let at = time(item, "at"),
        let end = time(item, "end")
      else { continue }
      book.entries[id] = Entry(at: at, end: end)
    }
    return book
  }
}

extension MaintenanceWindow {
  /// Namespace of what readers of the public page are told; drawn once at random.
  package static let publicNamespace = UniqueID(high: 0x6f1b_3c9d_52e7_4a08, low: 0x9d44_71c2_0be5_8a36)

  /// Id of the time that begins then, the same for good.
  package func announcementID(_ begin: Timestamp) -> UniqueID {
    let series = id ?? .v5(namespace: Self.publicNamespace, name: name)
    return .v5(namespace: series, name: "maintenance \(begin.rfc3339)")
  }
}
