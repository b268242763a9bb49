// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// A receiver that forgets what is not repeated, with more open incidents than it may have requests in that time.
@Suite struct KeepAliveTests {
  private func settings() -> AlertSettings {
    var settings = makeSettings([rule("down", .high)])
    settings.channels = [makeWebhook("am", .alertmanager)]
    (settings.groupWait, settings.groupInterval, settings.remind) = (
      .seconds(3), .seconds(1), .seconds(3600)
    )
    return settings
  }

  /// Each alert of a request: its incident, and until when the receiver takes it for firing.
  private func alerts(_ message: AlertMessage, _ desk: Desk) throws -> [(incident: String, until: Timestamp)]
  {
    let list = try #require(try body(message, desk.book.settings.channels[0]).array)
    return try list.map { alert in
      let incident = try #require(alert["labels"]?["incident"]?.string)
      let until = try #require(alert["endsAt"]?.string.flatMap { Timestamp(rfc3339: $0) })
      return (incident, until)
    }
  }

  /// 260 checks go down, one a second: each is opened, none expires while it is down, and ends are sent at once.
  @Test func moreIncidentsThanTurns() throws {
    let checks = try StormTests.checks(260)
    var desk = Desk(settings(), checks)
    for (second, check) in checks.enumerated() {
      desk.down(check, at: Int64(second))
      desk.tick(Int64(second))
    }
    desk.pass(from: 260, to: 699)
    for check in checks.prefix(10) { desk.up(check, at: 700) }
    desk.pass(from: 700, to: 760)
    var until: [String: Timestamp] = [:]
    for told in desk.told {
      for alert in try alerts(told.message, desk) {
        if let known = until[alert.incident] { #expect(known > after(told.at), "it expired before") }
        until[alert.incident] = alert.until
      }
    }
    #expect(until.count == 260)
    #expect(desk.told.filter { $0.message.kind == .opened }.map(\.at) == (3...262).map { Int64($0) })
    #expect(desk.told.filter { $0.message.kind == .recovered }.map(\.at) == (703...712).map { Int64($0) })
  }

  /// Three that are due at once, as the receiver was away, are one request.
  @Test func oneRequest() throws {
    let desk = try away { _ in .delivered }
    let later = desk.told.dropFirst(3)
    let first = try #require(later.first)
    #expect(later.count == 1 && (260...270).contains(first.at))
    let told = try desk.told.prefix(3).flatMap { try alerts($0.message, desk).map(\.incident) }
    #expect(try alerts(first.message, desk).map(\.incident) == told)
  }

  /// A request of several that is refused is sent again alert by alert: one that is not taken spoils no others.
  @Test func aRequestThatIsRefused() throws {
    let desk = try away { $0.others.isEmpty ? .delivered : .refused("400 bad") }
    let later = desk.told.dropFirst(3)
    let first = try #require(later.first).at
    #expect(later.map(\.at) == [first, first + 1, first + 2])
    #expect(later.map(\.message.title) == ["c0", "c1", "c2"].map { "\($0) is down: refused" })
    #expect(desk.book.notifier.state(of: "am").failed.isEmpty)
  }

  /// Three incidents at a receiver that is away when their keep-alives are due.
  private func away(_ answer: @escaping (AlertMessage) -> SendOutcome) throws -> Desk {
    let checks = try StormTests.checks(3)
    var desk = Desk(settings(), checks)
    desk.answer = { message, second in
      (240..<260).contains(second) ? .failed("refused", isUnreachable: true) : answer(message)
    }
    for (second, check) in checks.enumerated() {
      desk.down(check, at: Int64(second))
      desk.tick(Int64(second))
    }
    desk.pass(from: 3, to: 300)
    return desk
  }
}
