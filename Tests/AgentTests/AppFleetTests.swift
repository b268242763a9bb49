// SPDX-License-Identifier: MIT

import Basics
import Logging
import Monitoring
import QuartzAPI
import TestSupport
import Testing

@testable import Agent

/// What the apps show of agents is in the status of the agent, as of the last answer.
@Suite struct AppFleetTests {
  @Test func theStatusShowsWhatTheAppsShow() {
    let clock = FakeClock()
    let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let desk = AppDesk(
      asks: AskDesk(isRunHere: { _ in true }, log: log, time: clock.time),
      isRunHere: { _ in true }, log: log, time: clock.time)
    #expect(desk.notices == [], "no answer yet")
    var words = ContactWords()
    words.fleet = [
      FleetTrouble(name: "a1", isSelf: true, words: "Its list is old"),
      FleetTrouble(name: "a2", isSilent: true, words: "Silent"),
    ]
    desk.hear(words)
    #expect(
      desk.notices.map(\.what) == [
        "this agent is degraded in the Quartz apps: Its list is old",
        "agent a2 is down in the Quartz apps: Silent",
      ])
    clock.advance(by: .seconds(180))
    #expect(desk.notices.count == 2)
    clock.advance(by: .milliseconds(1))
    #expect(desk.notices == [], "nothing is known of the apps any more")
    desk.hear(words)
    #expect(desk.notices.count == 2)
    desk.hear(ContactWords())
    #expect(desk.notices == [], "all are well again")
  }

  /// An answer of an old receiver changes nothing: the words that it knows not are none.
  @Test func anAgentWithoutASectionAlertsSaysNothingOfThem() {
    let clock = FakeClock()
    let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    for (hasAlerts, words) in [
      (false, ["list", "asks", "windows", "fleet"]), (true, ["list", "asks", "windows", "fleet", "acks"]),
    ] {
      let contact = LinkAnswers().contact(hasAlerts: hasAlerts)
      #expect(contact.can == words)
      #expect(contact.say() == ContactSaying())
    }
    let desk = AppDesk(
      asks: AskDesk(isRunHere: { _ in true }, log: log, time: clock.time), isRunHere: { _ in true }, log: log,
      time: clock.time)
    var said = ContactWords()
    (said.makesAlerts, said.alerts) = (true, AppAlerts(version: 1))
    desk.hear(said)
    #expect(desk.say() == ContactSaying())
  }
}
