// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network
import QuartzAPI

/// The list of checks that the backend gives, and what people do to it there.
///
/// No lock: the simulator has one thread.
final class RemoteList: @unchecked Sendable {
  enum Mood: CaseIterable {
    case well
    /// It says that there is none.
    case empty
    /// The database fails.
    case failing
    /// An answer that is cut off, and one of another kind.
    case torn, strange
    /// It says that there are more than it gives.
    case short
    /// A row is there that the filter should have kept away.
    case unfiltered
  }

  struct Row: Hashable {
    let id: UniqueID
    let resource: UniqueID
    let number: Int
    var interval: Int
  }

  /// What of a check is in force.
  struct Listed: Hashable {
    let id: UniqueID
    let interval: Duration
  }

  private(set) var rows: [Row]
  /// Every row that ever was, as it was last.
  private var all: [Row]
  var mood = Mood.well
  private var dice: Dice

  init(seed: UInt64) {
    dice = Dice(seed, "remote list")
    all = []
    var resource = UniqueID.v7(at: Timestamp(seconds: 1_700_000_000), using: &dice)
    for number in 0..<6 {
      // Two of them have a resource in common.
      if number > 1 { resource = UniqueID.v7(at: Timestamp(seconds: 1_700_000_000), using: &dice) }
      let id = UniqueID.v7(at: Timestamp(seconds: 1_700_000_000), using: &dice)
      all.append(Row(id: id, resource: resource, number: number, interval: dice.pick([120, 300, 600])))
    }
    rows = Array(all.prefix(4))
  }

  var listed: Set<Listed> {
    Set(rows.map { Listed(id: $0.id, interval: .seconds(Int64($0.interval))) })
  }

  /// - Returns: in words.
  func edit() -> String {
    let place = Int.random(in: 0..<rows.count, using: &dice)
    switch dice.pick(["remove", "add", "add", "change", "most"]) {
    case "remove" where rows.count > 2:
      rows.remove(at: place)
      return "a check goes"
    case "most" where rows.count > 3:
      rows = [rows[place]]
      return "most checks go"
    case "change":
      rows[place].interval = dice.pick([60, 120, 300, 600].filter { $0 != rows[place].interval })
      if let own = all.firstIndex(where: { $0.id == rows[place].id }) { all[own] = rows[place] }
      return "check \(rows[place].number) has \(rows[place].interval) s"
    default:
      let missing = all.filter { row in !rows.contains { $0.id == row.id } }
      guard !missing.isEmpty else { return "nothing" }
      rows.append(dice.pick(missing))
      return "a check comes"
    }
  }

  func page() -> APIReply {
    switch mood {
    case .well: return .response(OutboundAnswer(status: 200, body: page(rows, total: rows.count)))
    case .empty: return .response(OutboundAnswer(status: 200, body: page([], total: 0)))
    case .failing: return .response(OutboundAnswer(status: 500, body: Array(#"{"error":"internal"}"#.utf8)))
    case .torn:
      return .response(OutboundAnswer(status: 200, body: Array(page(rows, total: rows.count).dropLast(40))))
    case .strange:
      return .response(OutboundAnswer(status: 200, body: Array(#"{"success":true,"data":[]}"#.utf8)))
    case .short:
      return .response(OutboundAnswer(status: 200, body: page(Array(rows.dropLast()), total: rows.count)))
    case .unfiltered:
      return .response(OutboundAnswer(status: 200, body: page(rows, total: rows.count, disabling: true)))
    }
  }

  private func page(_ rows: [Row], total: Int, disabling: Bool = false) -> [UInt8] {
    var json = JSONWriter(reserving: 2048)
    json.object { json in
      json.field("success", true)
      json.key("data")
      json.array { json in
        for row in rows { write(row, isEnabled: !disabling || row != rows.last, &json) }
      }
      json.key("meta")
      json.object { json in
        json.field("total", total)
        json.field("total_pages", total == 0 ? 0 : 1)
      }
    }
    return json.bytes
  }

  private func write(_ row: Row, isEnabled: Bool, _ json: inout JSONWriter) {
    json.object { json in
      json.field("id", row.id.description)
      json.field("resource_id", row.resource.description)
      json.key("resources")
      json.object { $0.field("name", "remote \(row.number)") }
      json.field("check_type", "port")
      json.field("is_enabled", isEnabled)
      json.field("ip_address", "198.51.100.\(row.number + 1)")
      json.field("port", 443)
      json.field("check_interval_seconds", row.interval)
      json.field("timeout_seconds", 5)
      json.field("retry_count", row.number % 2)
      json.field("retry_delay_ms", 1000)
    }
  }
}
