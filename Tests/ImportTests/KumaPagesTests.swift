// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Pages, notifications and maintenance of Kuma: what is chosen, in which order, and what is left out.
@Suite struct KumaPagesTests {
  private static let monitors = """
    {"id":2,"name":"Front","type":"port","hostname":"a.example","port":1,"tags":[{"name":"Web"}]},
    {"id":4,"name":"Other","type":"port","hostname":"c.example","port":1}
    """

  private func read(_ more: String, _ monitors: String = KumaPagesTests.monitors) throws -> Imported {
    let text = "{\"serverTimezone\":\"UTC\",\"monitorList\":[\(monitors)],\(more)}"
    return try Importer.read(.uptimeKuma, [ImportFile(name: "f", bytes: Array(text.utf8))])
  }

  private func list(_ value: AgentValue?) -> [String] {
    if case .list(let items)? = value { items.compactMap(\.word) } else { [] }
  }

  /// The first page that is published, its public groups by their weight.
  @Test(arguments: [("0", nil), ("1", "false")] as [(String, String?)])
  func thePage(sendsURL: String, hides: String?) throws {
    let made = try read(
      """
      "statusPageList":[{"id":1,"title":"Old","published":0},{"id":2,"title":"First","published":1,"slug":"f"},
      {"id":3,"title":"Second","published":true}],
      "groupList":[{"id":1,"name":"B b","weight":2,"status_page_id":2},
      {"id":2,"name":"A","public":true,"weight":1,"status_page_id":2},
      {"id":3,"name":"Hidden","public":0,"weight":1,"status_page_id":2},
      {"id":4,"name":"Elsewhere","weight":1,"status_page_id":3}],
      "monitorGroupList":[{"monitor_id":2,"group_id":1,"send_url":0},{"monitor_id":4,"group_id":2,"send_url":\(sendsURL)}]
      """)
    let page = try #require(made.sections.page)
    #expect(page["title"]?.word == "First" && page["listen"]?.word == "127.0.0.1:9798")
    #expect(page["hide_targets"]?.word == hides && list(page["groups"]) == ["A", "B-b"])
    #expect(made.checks.map(\.tags) == [["Web", "B-b"], ["A"]])
    #expect(
      made.leftOut.map(\.name) + made.leftOut.map(\.why) == [
        "\"status page Old\"", "\"status page Second\"", "the page is not published",
        "there is one public page",
      ])
  }

  /// A tag that checks beside those of the group bear gets a number, of 2 to 9; beyond, the group is not shown.
  @Test(arguments: [(1, ["Web-2"]), (2, ["Web-3"]), (8, ["Web-9"]), (9, [])])
  func tagsOfOthers(taken: Int, groups: [String]) throws {
    let tags = (1...taken).map { "{\"name\":\"\($0 == 1 ? "Web" : "Web-\($0)")\"}" }.joined(separator: ",")
    let made = try read(
      """
      "statusPageList":[{"id":1,"title":"P","published":1}],
      "groupList":[{"id":1,"name":"Web","weight":1,"status_page_id":1}],
      "monitorGroupList":[{"monitor_id":4,"group_id":1}]
      """, Self.monitors.replacing("{\"name\":\"Web\"}", with: tags))
    #expect(list(made.sections.page?["groups"]) == groups && made.checks[1].tags == groups)
  }

  private static let links = #""monitorMaintenanceList":[{"monitor_id":2,"maintenance_id":1}]"#

  private func windows(_ members: String) throws -> Imported {
    try read("\"maintenanceList\":[{\"id\":1,\"title\":\"W\",\(members)}],\(Self.links)")
  }

  /// A moment is a date, a blank or a T, and a time.
  @Test(
    arguments: [
      ("2026-01-04T02:00", "2026-01-04T02:00"), ("2026-01-04 02:00", "2026-01-04T02:00"),
      ("2026-01-04T02:00:30.000Z", "2026-01-04T02:00"), ("2026-01-04 02:0", nil), ("2026/01-04 02:00", nil),
      ("2026-01/04 02:00", nil), ("2026-01-04x02:00", nil), ("2026-01-04 02.00", nil),
      ("2026-01-04 0a:00", nil),
      ("x026-01-04 02:00", nil), ("2026-01-04 02:0x", nil),
    ] as [(String, String?)])
  func moments(text: String, moment: String?) throws {
    let one = try windows(
      "\"strategy\":\"single\",\"start_date\":\"\(text)\",\"end_date\":\"2026-01-05 03:00:00\"")
    #expect(one.sections.windows.map { $0["start"]?.word } == (moment == nil ? [] : [moment]))
    let other = try windows(
      "\"strategy\":\"single\",\"start_date\":\"2026-01-03 03:00:00\",\"end_date\":\"\(text)\"")
    #expect(other.sections.windows.map { $0["end"]?.word } == (moment == nil ? [] : [moment]))
    #expect(other.leftOut.map(\.why) == (moment == nil ? ["it has no start and end"] : []))
  }

  private static let hours = #""start_time":"02:00:00","end_time":"03:00:00""#

  /// A day of which there is none makes no window, and its values are listed.
  @Test(arguments: [
    #""strategy":"recurring-weekday","weekdays":"[]""#, #""strategy":"recurring-weekday""#,
    #""strategy":"recurring-weekday","weekdays":"[8,-1]""#,
    #""strategy":"recurring-day-of-month","days_of_month":"[]""#,
  ])
  func noDay(members: String) throws {
    let made = try windows("\(members),\(Self.hours)")
    #expect(made.sections.windows.isEmpty && made.leftOut.map(\.why) == ["it names no day"])
    #expect(made.leftOut.map(\.name) == ["\"maintenance W\""])
    #expect(
      made.notes.contains {
        $0.why == "it names no day" && $0.place.hasSuffix("maintenanceList[0].start_time")
      })
  }

  @Test func aMaintenanceOfNoMonitor() throws {
    let made = try read(
      "\"maintenanceList\":[{\"id\":1,\"title\":\"W\",\"strategy\":\"recurring-interval\",\(Self.hours)}]")
    #expect(made.leftOut.map(\.why) == ["it is for no check"])
  }

  /// What a maintenance says is counted and noted once, at the first of its windows.
  @Test func windowsOfOneMaintenance() throws {
    let made = try windows(
      "\"active\":true,\"strategy\":\"recurring-weekday\",\"weekdays\":[1,7],\"description\":\"d\",\"cron\":\"c\","
        + "\"duration\":60,\"odd\":\"x\",\(Self.hours)")
    #expect(made.sections.windows.map(\.name) == ["W on Monday", "W on Sunday"])
    // id, title, active, strategy, two days and two times.
    #expect(made.sections.windows.map(\.carried) == [8, 0])
    #expect(
      made.sections.windows[0].notes.map(\.why) == [
        "people see its title", "it follows from the times", "it follows from the times",
        "another kind of maintenance's setting",
      ])
    #expect(made.sections.windows[1].notes == [])
  }

  /// In a database the server's zone is among its settings, in JSON.
  @Test func theZoneInADatabase() throws {
    let made = try Importer.read(
      nil,
      [
        ImportFile(
          name: "kuma.db",
          bytes: try DatabaseMaker.make(
            KumaTests.schema + """
              INSERT INTO monitor (id, name, type, url, interval, active) VALUES (1, 'a', 'http', 'https://a.example', 60, 1);
              INSERT INTO setting VALUES (1, 'other', '"x"'), (2, 'serverTimezone', '"Asia/Tokyo"');
              INSERT INTO maintenance VALUES (1, 'M', '', 1, 'recurring-interval', NULL, NULL, '23:00', '01:00', '[]', '[]', 1,
                'SAME_AS_SERVER');
              INSERT INTO monitor_maintenance VALUES (1, 1, 1);
              """))
      ])
    #expect(made.sections.windows.map { $0["timezone"]?.word } == ["Asia/Tokyo"])
  }
}
