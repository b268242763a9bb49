// SPDX-License-Identifier: MIT

import Basics

/// Days before a certificate's end on which Kuma notifies of it, the most first.
enum KumaDays {
  static let key = "tlsExpiryNotifyDays"

  static func read(_ source: ForeignNode) -> [Int] {
    guard let items = source[key]?.items else { return [21, 14, 7] }
    return Array(Set(items.compactMap(\.number).filter((1...365).contains)).sorted(by: >).prefix(10))
  }
}

/// Content read of a database: the tables as a backup has them, each with the columns that say something.
enum KumaSource {
  private static let lists: [(list: String, table: String, columns: Set<ByteText>?)] = [
    ("notificationList", "notification", ["id", "name", "config"]),
    ("monitorNotificationList", "monitor_notification", ["monitor_id", "notification_id"]),
    ("proxyList", "proxy", ["id", "protocol", "host", "port", "auth", "username", "password", "active"]),
    ("maintenanceList", "maintenance", nil),
    ("monitorMaintenanceList", "monitor_maintenance", ["monitor_id", "maintenance_id"]),
    ("statusPageList", "status_page", nil),
    ("groupList", "group", ["id", "name", "public", "active", "weight", "status_page_id"]),
    ("monitorGroupList", "monitor_group", ["monitor_id", "group_id", "send_url"]),
    ("dockerHostList", "docker_host", ["name"]),
  ]

  static func database(_ bytes: [UInt8]) throws(ImportProblem) -> ForeignNode {
    let database = try SQLiteFile(bytes)
    guard let monitors = try database.table("monitor", order: "id") else {
      throw ImportProblem("has no table \"monitor\": it is not of Uptime Kuma")
    }
    let tags = try joined(database.table("monitor_tag") ?? [], database.table("tag") ?? [])
    var made: [(name: String, value: ForeignNode)] = [
      ("monitorList", list(monitors)), ("tagList", list(tags)),
    ]
    for (name, table, columns) in lists {
      let rows = (try database.table(table, order: "id") ?? []).map { row in
        guard let columns, let entries = row.entries else { return row }
        return ForeignNode(content: .map(entries.filter { columns.contains(ByteText($0.name)) }), line: 0)
      }
      if !rows.isEmpty { made.append((name, list(rows))) }
    }
    let settings = try database.table("setting") ?? []
    func setting(_ key: String) -> JSONValue? {
      let text = settings.first { $0["key"]?.text == key }?["value"]?.text
      return text.flatMap { try? JSONValue.parse(Array($0.utf8)) }
    }
    if case .string(let name)? = setting("serverTimezone") {
      made.append(("serverTimezone", ForeignNode(text: name)))
    }
    if let days = setting(KumaDays.key)?.array {
      made.append((KumaDays.key, list(days.map { ForeignNode(text: $0.string ?? $0.text) })))
    }
    return ForeignNode(content: .map(made), line: 0)
  }

  private static func list(_ rows: [ForeignNode]) -> ForeignNode {
    ForeignNode(content: .list(rows), line: 0)
  }

  /// The tags of monitors with their names.
  private static func joined(_ uses: [ForeignNode], _ tags: [ForeignNode]) -> [ForeignNode] {
    let names = Dictionary(
      tags.compactMap { tag in tag["id"]?.text.flatMap { id in tag["name"].map { (ByteText(id), $0) } } },
      uniquingKeysWith: { first, _ in first })
    return uses.compactMap { use in
      guard let id = use["tag_id"]?.text, let name = names[ByteText(id)] else { return nil }
      let kept = (use.entries ?? []).filter { ["monitor_id", "value"].contains($0.name) }
      return ForeignNode(content: .map(kept + [("name", name)]), line: 0)
    }
  }
}
