// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// An acknowledgement covers an alert at the step that it had: the next one is notified of, also at the same severity.
@Suite struct AcknowledgedStepTests {
  @Test(arguments: [false, true]) func theNextStep(isRestarted: Bool) throws {
    let shop = try makeCheck("Shop")
    var settings = quickSettings()
    settings.channels = [makePagerDuty("ops")]
    var desk = Desk(settings, [shop])
    func step(_ level: Int, at second: Int64) throws {
      var trouble = try #require(desk.book.incidents.opened.first?.members.first?.trouble)
      trouble.level = level
      desk.book.incidents.take(.holds(trouble), now: reading(second))
    }
    func acknowledge(at second: Int64) throws {
      let word = try #require(desk.book.incidents.opened.first?.short)
      _ = desk.book.acknowledge(word, by: "ann", note: nil, now: after(second))
    }
    desk.down(shop, at: 0)
    desk.pass(from: 0, to: 9)
    try step(2, at: 10)
    desk.pass(from: 10, to: 19)
    try acknowledge(at: 20)
    desk.pass(from: 20, to: 29)
    if isRestarted { desk = try desk.restarted(at: 30) }
    try step(2, at: 31)
    desk.pass(from: 31, to: 39)
    try step(3, at: 40)
    desk.pass(from: 40, to: 49)
    try acknowledge(at: 50)
    desk.pass(from: 50, to: 200)
    #expect(desk.told.map(\.at) == [3, 10, 20, 40, 50], "\(desk.lines)")
    #expect(
      try desk.told.map { try pagerDutyAction($0.message) } == [
        "trigger", "trigger", "acknowledge", "trigger", "acknowledge",
      ])
  }
}
