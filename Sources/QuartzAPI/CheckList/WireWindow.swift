// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A row of one of the API's lists: typed, not judged.
protocol ListRow: Hashable, Sendable {
  /// The last part of the route, and what the rows are called.
  static var route: String { get }
  static var plural: String { get }
  /// The filter that the server is asked for beside the page.
  static var filter: String { get }
  var id: UniqueID { get }
  /// False for a row that the filter should have kept away.
  var isWanted: Bool { get }
  init(_ json: JSONValue) throws(WireCheckError)
}

extension WireCheck: ListRow {
  static let route = "monitoring-checks"
  static let plural = "checks"
  // Without it the backend lists the disabled checks only.
  static let filter = "is_enabled=true&"
  var isWanted: Bool { isEnabled }
}

/// One row of `GET /maintenance-windows`. The backend's own `active` filter knows nothing of recurrence, so all rows
/// are read.
package struct WireWindow: ListRow {
  static let route = "maintenance-windows"
  static let plural = "maintenance windows"
  static let filter = ""
  var isWanted: Bool { true }

  package var id: UniqueID
  package var resourceID: UniqueID
  package var title: String
  /// As the API writes them; PostgreSQL also knows `infinity` and years of five digits.
  package var starts: String
  package var ends: String
  /// The API's word; nil for a window that comes once.
  package var recurrence: String?

  package init(_ json: JSONValue) throws(WireCheckError) {
    func wrong(_ column: String) -> WireCheckError {
      let id = json["id"]?.uniqueID.map { " \($0)" } ?? ""
      return WireCheckError(description: "maintenance window\(id) has a \(column) of the wrong type")
    }
    guard let id = json["id"]?.uniqueID else { throw wrong("id") }
    guard let resource = json["resource_id"]?.uniqueID else {
      throw wrong("resource_id")
    }
    guard let title = json["title"]?.string else { throw wrong("title") }
    guard let starts = json["starts_at"]?.string else { throw wrong("starts_at") }
    guard let ends = json["ends_at"]?.string else { throw wrong("ends_at") }
    (self.id, self.resourceID, self.title, self.starts, self.ends) = (id, resource, title, starts, ends)
    // A pattern stays behind when somebody takes the tick of recurrence away.
    let repeats = json["is_recurring"]?.bool ?? false
    recurrence = repeats ? json["recurrence_pattern"]?.string ?? "" : nil
  }

  package func write(into json: inout JSONWriter) {
    json.object { json in
      json.field("id", id.description)
      json.field("resource_id", resourceID.description)
      json.field("title", title)
      json.field("starts_at", starts)
      json.field("ends_at", ends)
      json.field("is_recurring", recurrence != nil)
      json.fieldIfPresent("recurrence_pattern", recurrence)
    }
  }
}

extension WireWindow {
  /// The windows that can still hold, those of the resources that this agent probes for the API first.
  ///
  /// - Returns: the windows, and why each of the others of these resources is not kept.
  static func mapped(
    _ rows: [WireWindow], resources: Set<UniqueID>, now: Timestamp
  ) -> (windows: [MaintenanceWindow], problems: [String]) {
    var windows: [MaintenanceWindow] = []
    var problems: [String] = []
    // A day of grace: a result may be as late as its run is long.
    let current = rows.filter { row in
      guard row.recurrence == nil, let ends = Timestamp(rfc3339: row.ends) else { return true }
      return ends.advanced(by: .seconds(86_400)) >= now
    }
    let ordered = current.sorted { left, right in
      let (first, second) = (resources.contains(left.resourceID), resources.contains(right.resourceID))
      return first == second ? left.id < right.id : first
    }
    for row in ordered {
      let name = row.title.printable(maxBytes: 80)
      let isOurs = resources.contains(row.resourceID)
      guard windows.count < MaintenanceLimits.windows else {
        // Others are for checks of the file that name the resource, if any does.
        if !isOurs { break }
        problems.append("\(name): over the limit of \(MaintenanceLimits.windows) maintenance windows")
        continue
      }
      // One row that cannot be read says nothing about the others.
      guard let starts = Timestamp(rfc3339: row.starts), let ends = Timestamp(rfc3339: row.ends) else {
        let column = Timestamp(rfc3339: row.starts) == nil ? ("starts_at", row.starts) : ("ends_at", row.ends)
        if isOurs {
          problems.append("\(name): \(column.0) is no point in time: \"\(column.1.printable(maxBytes: 40))\"")
        }
        continue
      }
      do throws(InvalidMaintenance) {
        windows.append(
          try MaintenanceWindow(
            id: row.id, title: row.title, resource: row.resourceID, starts: starts, ends: ends,
            repetition: row.recurrence))
      } catch  where isOurs {
        problems.append("\(name): \(error.problems.map(\.message).joined(separator: "; "))")
      } catch {}
    }
    return (windows, problems)
  }
}
