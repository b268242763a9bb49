// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Status
import Testing
@testable import QuartzAgent

/// What operators read of windows, mutes and incidents.
@Suite struct OperatorTextTests {
  private func json(_ text: String) throws -> JSONValue { try JSONValue.parse(text.utf8) }

  @Test func windowsAndMutes() throws {
    let windows = try json(
      """
      {"windows":[{"name":"Patch","active":true,"from":"A","until":"B"},{"name":"Later","from":"C","until":"D"}],
      "by_hand":[{"id":"0123456789","target":"all","until":"E","why":"deploy","by":"ann"}]}
      """)
    let mutes = try json(
      #"[{"id":"abcdefghij","target":"tag:db","until":"F"},{"id":"1","target":"Shop","until":"G","by":"bob"}]"#
    )
    #expect(
      OrderText.windows(windows, mutes) == """
        maintenance  Patch  A to B
        next         Later  C to D
        by hand      456789  all  until E  (deploy, by ann)
        muted        efghij  tag:db  until F
        muted        1  Shop  until G  (by bob)

        """)
    #expect(OrderText.windows(nil, nil) == "no window, nothing muted\n")
    // An order is listed once, though it is among the windows under its reason.
    let hours = #""from":"2026-01-05T01:00:00.250Z","until":"2026-01-05T02:00:00.250Z""#
    let both = try json(
      """
      {"windows":[{"name":"deploy","active":true,\(hours)},
        {"name":"Patch","active":true,"from":"2026-01-05T01:00:00.000Z","until":"2026-01-05T02:00:00.000Z"}],
      "by_hand":[{"id":"0123456789","target":"Shop","why":"deploy",\(hours)}]}
      """)
    #expect(
      OrderText.windows(both, nil) == """
        maintenance  Patch  2026-01-05 01:00:00Z to 2026-01-05 02:00:00Z
        by hand      456789  Shop  until 2026-01-05 02:00:00Z  (deploy)

        """)
  }

  private func incident(_ more: String, status: String = "active") throws -> JSONValue {
    try json(
      """
      {"id":"01a2-abcdef","severity":"high","status":"\(status)","triggered_at":"2026-01-05T00:00:00.000Z",
       "title":"Shop is down",\(more)}
      """)
  }

  /// A line each, and of those that are not resolved what is in them.
  @Test func incidents() throws {
    let open = try incident(
      #""duration_s":3661,"members":1,"acknowledged_by":"ann","notifications":[],"checks":[]"#,
      status: "acknowledged")
    let over = try incident(#""duration_s":59,"members":7,"checks":[]"#, status: "resolved")
    let text = IncidentText(width: 200).render([open, over])
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    func cells(_ line: String) -> [String] { line.split(separator: /\s{2,}/).map { String($0) } }
    #expect(cells(lines[0]) == ["ID", "SEVERITY", "STATUS", "SINCE", "FOR", "WHAT"])
    #expect(
      cells(lines[1]) == ["abcdef", "high", "acknowledged", "2026-01-05 00:00:00Z", "1h 1m", "Shop is down"])
    #expect(
      cells(lines[2]) == ["abcdef", "high", "resolved", "2026-01-05 00:00:00Z", "59s", "Shop is down"])
    #expect(
      lines[3...] == [
        "", "abcdef: 1 member, acknowledged by ann", "  no channel is notified of it", "",
      ])
    #expect(IncidentText(width: 80).render([]) == "no incident\n")
    let two = try incident(#""members":2,"checks":[]"#)
    #expect(IncidentText(width: 80).render([two]).contains("\nabcdef: 2 members\n"))
  }

  /// The mark of an alert: its state while it fires, and then whether it is well.
  @Test(
    arguments: [
      (#""state":"down""#, CheckState.down), (#""state":"degraded""#, .degraded), (#""rule":"r""#, .degraded),
      (#""state":"down","until":"T""#, .up), (#""state":"down","until":"T","outcome":"gone""#, .unknown),
    ])
  func marks(member: String, mark: CheckState) throws {
    let one = try incident(
      #""subject":"availability","members":1,"alerts":1,"checks":[{"check_id":"1","name":"Shop",\#(member)}]"#
    )
    let last = IncidentText(width: 200).render([one]).split(separator: "\n").last
    #expect(last?.hasPrefix("  \(mark.mark) Shop") == true, "\(last ?? "")")
  }

  /// What holds the next notification of each channel, and until when.
  @Test(
    arguments: [
      (#""state":"pending","reason":"why""#, ""), (#""state":"pending","stage":"retry""#, " [retry]"),
      (#""state":"held","stage":"mute","until":"2026-01-05T01:00:00.000Z""#, " [mute]"),
      (
        #""state":"delivered","stage":"wait","reason":"reminder","until":"2026-01-05T04:00:00.000Z""#,
        "; reminder at 2026-01-05 04:00:00Z [wait]"
      ),
      (#""state":"delivered","stage":"wait","reason":"reminder""#, " [wait]"),
      (#""state":"delivered","stage":"mute""#, " [mute]"),
      (
        #""state":"delivered","stage":"mute","reason":"muted","until":"2026-01-05T04:00:00.000Z""#,
        "; no reminder until 2026-01-05 04:00:00Z: muted [mute]"
      ),
      (
        #""state":"delivered","stage":"acknowledge","reason":"known""#,
        "; no reminder: known [acknowledge]"
      ),
    ])
  func whatIsNext(item: String, words: String) throws {
    let one = try incident(#""notifications":[{"channel":"ops",\#(item)}]"#)
    let lines = AlertExplanation(check: nil).render([one]).split(separator: "\n").map(String.init)
    #expect(lines[0] == "abcdef active high: Shop is down" && lines.count == 2)
    let notification = try #require(
      IncidentStatus.Notification(try json(#"{"channel":"ops",\#(item)}"#)))
    #expect(lines[1] == "  \(notification.line)\(words)")
  }

  @Test func nothingToExplain() throws {
    #expect(AlertExplanation(check: nil).render([]) == "no incident is open, and nothing is pending\n")
    #expect(
      AlertExplanation(check: "Shop").render([]) == "no alert fires for \"Shop\", and nothing is pending\n")
    let alone = try incident(#""notifications":[]"#)
    #expect(
      AlertExplanation(check: nil).render([alone, alone])
        == "abcdef active high: Shop is down\n  no channel is notified of it\n\n"
        + "abcdef active high: Shop is down\n  no channel is notified of it\n")
  }
}
