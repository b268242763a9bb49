// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// 2,000 alerts within 30 s, for three channels.
@Suite(.timeLimit(.minutes(5))) struct StormScaleTests {
  private static let count = 2000

  @Test func twoThousandAlertsAreAFewMessages() throws {
    let checks = try (0..<Self.count).map { try makeCheck("c\($0)", host: "10.\($0 / 250).\($0 % 250).1") }
    let channels = ["ops", "pd", "am"]
    var settings = StormTests.settings(channels)
    (settings.channels[1], settings.channels[2]) = (makePagerDuty("pd"), makeWebhook("am", .alertmanager))
    var desk = Desk(settings, checks)
    for second in 0..<30 {
      for place in stride(from: second, to: Self.count, by: 30) {
        desk.down(checks[place], at: Int64(second))
      }
      desk.tick(Int64(second))
    }
    desk.pass(from: 30, to: 60, by: 2)
    for channel in channels {
      #expect(desk.told.count { $0.channel == channel } <= 3)
    }
    #expect(desk.told.map(\.at) == [15, 15, 15])
    desk.pass(from: 63, to: 84, by: 3)
    // The update of each channel tells of every alert.
    let updates = desk.told.dropFirst(3)
    #expect(
      updates.map(\.channel).sorted() == channels.sorted() && updates.allSatisfy { (75...78).contains($0.at) }
    )
    for update in updates {
      #expect(
        update.message.title == "2000 checks of 2000 incidents are still down; the storm had 2000 incidents")
      #expect(update.message.memberCount == Self.count && update.message.alertCount == Self.count)
      #expect(update.message.members.count == AlertMessage.maxMembers)
    }
    #expect(
      desk.book.incidents.opened.allSatisfy { incident in
        channels.allSatisfy { incident.log[$0].map { !$0.heard.isEmpty && $0.sending == nil } ?? false }
      })
    try judgeState(&desk, at: 84, most: 4000 * Self.count)
    try end(&desk, checks, channels)
  }

  /// All is well again: an end for each channel, and the state is as small as after any other day.
  private func end(_ desk: inout Desk, _ checks: [MonitoringCheck], _ channels: [String]) throws {
    for check in checks { desk.up(check, at: 90) }
    desk.pass(from: 90, to: 210, by: 15)
    #expect(desk.told.filter { $0.message.kind == .recovered }.map(\.channel).sorted() == channels.sorted())
    #expect(
      desk.told.count == 9 && Set(desk.told.map(\.message.incident)).count == 3, "a storm for each channel")
    #expect(desk.book.incidents.all.count == IncidentBook.kept)
    try judgeState(&desk, at: 210, most: 5000 * IncidentBook.kept)
  }

  private func judgeState(_ desk: inout Desk, at second: Int64, most: Int) throws {
    var json = JSONWriter()
    json.object { desk.book.encode(to: &$0, now: desk.now(second)) }
    let size = json.bytes.count
    #expect(size <= most, "\(size) bytes")
  }
}
