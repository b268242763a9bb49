// SPDX-License-Identifier: MIT

import Basics

/// Uptime Kuma: its database, or the backup in JSON of version 1.
struct KumaImport {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  func read(_ file: ImportFile) throws(ImportProblem) -> [ImportedCheck] {
    do throws(ImportProblem) {
      let source = file.isDatabase ? try KumaSource.database(file.bytes) : try ForeignNode.json(file.bytes)
      let entered = ledger.enter(source, file: file.name)
      guard let monitors = entered["monitorList"]?.items else {
        throw ImportProblem(
          "no monitors are in it", hint: "give Uptime Kuma's kuma.db, or a backup of version 1 in JSON")
      }
      var book = KumaBook(entered, monitors, ledger)
      return try book.checks()
    } catch { throw error.of(file) }
  }
}

/// The monitors of a file, and what is beside them.
private struct KumaBook {
  /// Notifications of a monitor that count.
  private static let most = 64

  private let ledger: Ledger
  private let source: ForeignNode
  private let monitors: [KumaRow]
  private let days: [Int]
  private var notifications: KumaNotifications
  private var proxies: [ByteText: ForeignNode] = [:]
  private var tags: [ByteText: [String]] = [:]
  /// Notifications of a monitor, by its id.
  private var assigned: [ByteText: [String]] = [:]
  /// Monitors, groups among them.
  private var rows: [ByteText: KumaRow] = [:]
  /// Keys of the checks that were made, by the ids of their monitors and of the groups above them.
  private var keys: [ByteText: [Int]] = [:]
  private var made: [ImportedCheck] = []

  init(_ source: ForeignNode, _ monitors: [ForeignNode], _ ledger: Ledger) {
    (self.source, self.ledger) = (source, ledger)
    self.monitors = monitors.map { KumaRow($0, ledger) }
    days = KumaDays.read(source)
    notifications = KumaNotifications(source["notificationList"]?.items ?? [], days: days, ledger)
    for node in source["proxyList"]?.items ?? [] {
      if let id = node["id"]?.text { proxies[ByteText(id)] = node }
    }
    for node in source["tagList"]?.items ?? [] {
      if let id = node["monitor_id"]?.text, let words = tag(node) {
        tags[ByteText(id), default: []].append(words)
      }
    }
    for node in source["monitorNotificationList"]?.items ?? [] {
      guard let id = node["monitor_id"]?.text, let other = node["notification_id"]?.text,
        assigned[ByteText(id)]?.count ?? 0 < Self.most
      else { continue }
      ledger.carry(node)
      assigned[ByteText(id), default: []].append(other)
    }
    for row in self.monitors { if let id = row["id"]?.text { rows[ByteText(id)] = row } }
  }

  private func tag(_ tag: ForeignNode) -> String? {
    ledger.carry(tag)
    guard let name = tag["name"]?.text else { return nil }
    let value = tag["value"]?.text ?? ""
    return value.isEmpty ? name : "\(name):\(value)"
  }

  mutating func checks() throws(ImportProblem) -> [ImportedCheck] {
    for row in monitors {
      ledger.settle()
      let before = ledger.carried
      do throws(KumaRefusal) {
        let monitor = KumaMonitor(row: row, proxies: proxies, days: days)
        var check = try monitor.check()
        finish(&check, row)
        monitor.settle()
        check.carried = ledger.carried - before
        check.notes += ledger.takeNotes()
        made.append(check)
      } catch {
        refuse(row, error.why)
      }
      try ledger.count(of: row["name"]?.text ?? "unnamed")
    }
    notifications.finish()
    rest()
    return made
  }

  private func refuse(_ row: KumaRow, _ why: String) {
    let name = row["name"]?.text ?? "unnamed"
    // Of a group its name and its notifications are carried.
    if row["type"]?.text == "group" { row.carry("name", "type", "id", "notificationIDList") }
    ledger.list(row.node, why, always: row["type"]?.text != "group")
    ledger.leaveOut(name, why)
  }

  private mutating func finish(_ check: inout ImportedCheck, _ row: KumaRow) {
    check.key = ledger.nextKey()
    let id = row["id"].flatMap { $0.text.map { ByteText($0) } }
    for words in (row["tags"]?.items ?? []).compactMap(tag) + (id.flatMap { tags[$0] } ?? []) {
      check.tag(words)
    }
    var ids = id.flatMap { assigned[$0] } ?? []
    ids += assignedInBackup(row)
    // Groups above one another, which may go round.
    var (above, seen) = (row["parent"]?.text.map { ByteText($0) }, Set<ByteText>())
    row.carry("parent")
    while let group = above, seen.insert(group).inserted, seen.count <= 20, let parent = rows[group] {
      keys[group, default: []].append(check.key)
      check.tag(parent["name"]?.text ?? "")
      if parent["active"]?.flag == false { check["enabled"] = .plain("false") }
      let own = (assigned[group] ?? []) + assignedInBackup(parent)
      if !own.isEmpty, Set(own.map { ByteText($0) }).subtracting(ids.map { ByteText($0) }).isEmpty == false {
        check.note(.changed, "parent", "each monitor of the group notifies, not the group")
        ids += own.filter { !ids.contains($0) }
      }
      above = parent["parent"]?.text.map { ByteText($0) }
    }
    notifications.add(&check, row, ids)
    if let id { keys[id] = [check.key] }
  }

  /// `{"1": true}`, or `[1]` as a client of Kuma's interface writes it.
  private func assignedInBackup(_ row: KumaRow) -> [String] {
    row.carry("notificationIDList")
    if let items = row["notificationIDList"]?.items { return items.prefix(Self.most).compactMap(\.text) }
    return (row["notificationIDList"]?.entries ?? []).prefix(Self.most).filter { $0.value.flag == true }.map(
      \.name)
  }

  // MARK: Beside the monitors

  private mutating func rest() {
    ledger.settle()
    var affected: [ByteText: [Int]] = [:]
    for node in source["monitorMaintenanceList"]?.items ?? [] {
      ledger.carry(node)
      guard let id = node["monitor_id"]?.text, let keys = keys[ByteText(id)],
        let window = node["maintenance_id"]?.text
      else { continue }
      // What is done to a group is done to its monitors, too.
      let known = Set(affected[ByteText(window)] ?? [])
      affected[ByteText(window), default: []] += keys.filter { !known.contains($0) }
    }
    for node in source["maintenanceList"]?.items ?? [] { maintenance(KumaRow(node, ledger), affected) }
    for node in source["dockerHostList"]?.items ?? [] {
      let why = "containers are not asked for"
      ledger.list(node, why)
      ledger.leaveOut("docker host \(node["name"]?.text ?? "unnamed")", why)
    }
    var pages = KumaPages(source, keys, ledger)
    pages.write(&made)
    let section = Section(source, ledger)
    section.carry("serverTimezone", KumaDays.key)
    for node in source["proxyList"]?.items ?? [] {
      // A number means nothing beside what was carried.
      if node["host"].map(ledger.isSettled) == true { ledger.carry(node["id"]) }
    }
    section.list("no monitor uses it", "proxyList")
    section.list("it says which version wrote the file", "version")
    section.list("no monitor imported uses the notification", "notificationList")
    section.list("a tag that no monitor imported has", "tagList", "monitorTagList")
    section.listRest()
  }

  private func maintenance(_ row: KumaRow, _ affected: [ByteText: [Int]]) {
    let before = ledger.carried
    let zone = source["serverTimezone"]?.text
    let title = row["title"]?.text ?? "unnamed"
    do throws(KumaRefusal) {
      let checks = row["id"]?.text.flatMap { affected[ByteText($0)] } ?? []
      var windows = try KumaMaintenance(row: row, serverZone: zone).windows(checks)
      ledger.list(row.node, "another kind of maintenance's setting", always: false)
      windows[0].carried = ledger.carried - before
      windows[0].notes += ledger.takeNotes()
      ledger.sections.windows += windows
    } catch {
      ledger.list(row.node, error.why)
      ledger.leaveOut("maintenance \(title)", error.why)
    }
  }
}
