// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// What Uptime Kuma keeps beside its monitors: maintenance, pages and proxies, by groups of monitors too.
@Suite struct KumaBesideTests {
  private static let monitors = """
    {"id":1,"name":"Shop","type":"group"},
    {"id":2,"name":"Front","type":"port","hostname":"a.example","port":1,"parent":1},
    {"id":3,"name":"Cart","type":"port","hostname":"b.example","port":1,"parent":1},
    {"id":4,"name":"Other","type":"port","hostname":"c.example","port":1}
    """

  private func read(_ more: String) throws -> Imported {
    let text = "{\"serverTimezone\":\"UTC\",\"monitorList\":[\(Self.monitors)],\(more)}"
    return try Importer.read(.uptimeKuma, [ImportFile(name: "f", bytes: Array(text.utf8))])
  }

  private func maintenance(_ strategy: String, _ more: String, of monitors: [Int]) -> String {
    let links = monitors.map { "{\"monitor_id\":\($0),\"maintenance_id\":1}" }.joined(separator: ",")
    return """
      "maintenanceList":[{"id":1,"title":"W","active":1,"strategy":"\(strategy)","start_time":"02:00:00",
      "end_time":"03:00:00"\(more)}],"monitorMaintenanceList":[\(links)]
      """
  }

  /// Kuma holds a monitor's group to be under maintenance as well.
  @Test func maintenanceOfAGroupIsOfItsMonitors() throws {
    let made = try read(maintenance("recurring-interval", ",\"interval_day\":1", of: [1, 2, 4]))
    let keys = made.checks.map(\.key)
    #expect(made.checks.map(\.name) == ["Front", "Cart", "Other"])
    #expect(made.sections.windows.map(\.selected) == [keys])
    let group = try read(maintenance("recurring-interval", ",\"interval_day\":1", of: [1]))
    #expect(group.sections.windows.map(\.selected) == [Array(keys.prefix(2))])
    #expect(group.leftOut.map(\.name) == ["\"Shop\""])
  }

  /// A maintenance that begins in the future begins then: the first of its days, not before its own hour.
  @Test(
    arguments: [
      ("recurring-weekday", "\"weekdays\":\"[1]\"", "2031-05-07 00:00:00", ["2031-05-12T02:00"]),
      ("recurring-weekday", "\"weekdays\":\"[3]\"", "2031-05-07 00:00:00", ["2031-05-07T02:00"]),
      ("recurring-weekday", "\"weekdays\":\"[3]\"", "2031-05-07 12:00:00", ["2031-05-14T02:00"]),
      (
        "recurring-weekday", "\"weekdays\":\"[0,6]\"", "2031-05-07 00:00:00",
        ["2031-05-11T02:00", "2031-05-10T02:00"]
      ),
      ("recurring-day-of-month", "\"days_of_month\":\"[5]\"", "2031-05-07 00:00:00", ["2031-06-05T02:00"]),
      (
        "recurring-day-of-month", "\"days_of_month\":\"[\\\"lastDay1\\\"]\"", "2031-04-07 00:00:00",
        ["2031-05-31T02:00"]
      ),
      ("recurring-weekday", "\"weekdays\":\"[1]\"", "", ["2024-01-01T02:00"]),
    ] as [(String, String, String, [String])])
  func daysFromTheStartOn(strategy: String, days: String, start: String, windows: [String]) throws {
    let date = start.isEmpty ? "" : ",\"start_date\":\"\(start)\""
    let made = try read(maintenance(strategy, ",\(days)\(date)", of: [2]))
    #expect(made.sections.windows.map { $0["start"]?.word } == windows)
  }

  /// The page shows whatever bears the tag of its group.
  @Test func aGroupOfThePageShowsNoOtherChecks() throws {
    let made = try read(
      """
      "statusPageList":[{"id":1,"title":"P","published":1,"slug":"p"}],
      "groupList":[{"id":1,"name":"Shop","public":1,"weight":1,"status_page_id":1}],
      "monitorGroupList":[{"monitor_id":2,"group_id":1}]
      """)
    let page = try #require(made.sections.page)
    let groups = page["groups"].map { value -> [String] in
      if case .list(let names) = value { names.compactMap(\.word) } else { [] }
    }
    #expect(groups == ["Shop-2"])
    #expect(
      page.notes.contains { $0.line == "changed: groupList.name: Shop is Shop-2: other checks have that tag" }
    )
    let tags = made.checks.map { check -> [String] in
      if case .list(let tags)? = check["tags"] { tags.compactMap(\.word) } else { [] }
    }
    #expect(tags == [["Shop", "Shop-2"], ["Shop"], []])
  }

  @Test func whatAGroupOnThePageHolds() throws {
    let made = try read(
      """
      "statusPageList":[{"id":1,"title":"P","published":1,"slug":"p"}],
      "groupList":[{"id":1,"name":"All","public":1,"weight":1,"status_page_id":1}],
      "monitorGroupList":[{"monitor_id":1,"group_id":1},{"monitor_id":4,"group_id":1}]
      """)
    let shown = made.checks.filter { check in
      if case .list(let tags)? = check["tags"] { tags.contains { $0.word == "All" } } else { false }
    }
    #expect(shown.map(\.name) == ["Front", "Cart", "Other"])
  }

  /// No value of a notification without a monitor is carried.
  @Test func aNotificationThatNoMonitorUses() throws {
    let config = #"{\"type\":\"slack\",\"slackwebhookURL\":\"https://a.example/\"}"#
    let plain = try read("\"version\":\"2\"")
    let made = try read(
      "\"version\":\"2\",\"notificationList\":[{\"id\":1,\"name\":\"Ops\",\"config\":\"\(config)\"}]")
    #expect(made.sections.channels.isEmpty && made.carried == plain.carried)
    #expect(made.notes.count { $0.why == "no monitor uses it" && $0.isValue } == 3)
    #expect(
      made.leftOut.map(\.line) == [
        "left out: \"Shop\": a group: its monitors have its name as a tag",
        "left out: \"notification Ops\" (f: notificationList[0].id, 3 values): no monitor uses it",
      ])
  }

  /// A proxy that no check can pass is listed with all its values.
  @Test func aProxyOfAnUnknownKind() throws {
    let monitor = #"{"id":1,"name":"m","type":"http","url":"https://a.example","proxyId":1}"#
    let proxy = #"{"id":1,"protocol":"socks4","host":"p.example","port":1080,"active":1}"#
    let text = "{\"monitorList\":[\(monitor)],\"proxyList\":[\(proxy)]}"
    let made = try Importer.read(.uptimeKuma, [ImportFile(name: "f", bytes: Array(text.utf8))])
    #expect(made.leftOut.map(\.why) == ["its proxy speaks socks4, which no check does"])
    #expect(made.carried == 0 && made.notes.count { $0.why == "no monitor uses it" && $0.isValue } == 5)
  }

  /// Clients of Kuma's interface write the notifications of a monitor as a list.
  @Test(arguments: [
    ("[1,3]", ["N1", "N3"]), ("{\"1\":true,\"3\":false}", ["N1"]), ("[]", []), ("[\"3\"]", ["N3"]),
  ])
  func notificationsAsAList(ids: String, rules: [String]) throws {
    let config = #"{\"type\":\"slack\",\"slackwebhookURL\":\"https://a.example/\"}"#
    let notifications = (1...3).map { "{\"id\":\($0),\"name\":\"N\($0)\",\"config\":\"\(config)\"}" }
    let monitor =
      #"{"id":2,"name":"m","type":"port","hostname":"a.example","port":1,"notificationIDList":\#(ids)}"#
    let text = "{\"monitorList\":[\(monitor)],\"notificationList\":[\(notifications.joined(separator: ","))]}"
    let made = try Importer.read(.uptimeKuma, [ImportFile(name: "f", bytes: Array(text.utf8))])
    #expect(made.sections.rules.map(\.name) == rules)
    #expect(made.sections.rules.allSatisfy { $0.selected == made.checks.map(\.key) })
  }

  /// In a backup, too, each monitor notifies as it does itself, and as all groups above it do.
  @Test func notificationsOfGroupsInABackup() throws {
    let config = #"{\"type\":\"slack\",\"slackwebhookURL\":\"https://a.example/\"}"#
    let notifications = (1...4).map { "{\"id\":\($0),\"name\":\"N\($0)\",\"config\":\"\(config)\"}" }
    let text = """
      {"monitorList":[
      {"id":1,"name":"Shop","type":"group","parent":9,"notificationIDList":{"1":true,"2":false}},
      {"id":9,"name":"All","type":"group","notificationIDList":{"4":true}},
      {"id":2,"name":"Front","type":"port","hostname":"a.example","port":1,"parent":1},
      {"id":3,"name":"Cart","type":"port","hostname":"b.example","port":1,"parent":1,
      "notificationIDList":{"3":true}},
      {"id":4,"name":"Other","type":"port","hostname":"c.example","port":1}],
      "notificationList":[\(notifications.joined(separator: ","))]}
      """
    let made = try Importer.read(.uptimeKuma, [ImportFile(name: "f", bytes: Array(text.utf8))])
    let keys = made.checks.map(\.key)
    #expect(made.checks.map(\.name) == ["Front", "Cart", "Other"])
    #expect(made.sections.rules.map(\.name) == ["N1", "N4", "N3"])
    #expect(made.sections.rules.map(\.selected) == [[keys[0], keys[1]], [keys[0], keys[1]], [keys[1]]])
  }
}
