// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Foundation
import History
import Logging
import Monitoring
import QuartzAPI
import Status
import Synchronization
import TestSupport
import Testing
@testable import Agent

/// What an agent and the Quartz apps say to each other of alerts, contact by contact, under a clock of the test's.
@Suite struct AppDeskTests {
  private struct NoSender: MessageSending {
    func send(_ message: AlertMessage, by channel: AlertChannel, to recipients: [String]?) async
      -> SendOutcome
    { .delivered }
  }

  /// One life of an agent over a folder, with a check that is down.
  private struct World {
    let check: MonitoringCheck
    let alerts: AlertDesk
    let operators: OperatorDesk
    let desk: AppDesk
    let clock: FakeClock

    init(_ folder: String, _ clock: FakeClock, isOwner: Bool = true) async throws {
      self.clock = clock
      let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let disk = StateDisk(folder: folder, time: clock.time)
      var definition = CheckDefinition()
      (definition.name, definition.type, definition.host, definition.port) = ("Shop", "tcp", "192.0.2.1", 80)
      let check = try MonitoringCheck(definition)
      self.check = check
      let catalog = CheckCatalog(file: [check])
      let history = HistoryStore()
      var settings = AlertSettings()
      settings.channels = [AlertChannel(name: "pager", kind: .exec(ExecChannel(command: ["/bin/true"])))]
      settings.rules = [
        AlertRule("down", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .high)
      ]
      alerts = await AlertDesk(
        settings, agent: AgentSettings(), history: history, catalog: catalog, sender: NoSender(),
        file: disk.file(AlertDesk.fileName), log: log, time: clock.time)
      alerts.apply([check])
      operators = await OperatorDesk(
        restoring: disk, catalog, MaintenanceBook(file: []), alerts: alerts, log: log, time: clock.time)
      desk = AppDesk(
        asks: AskDesk(isRunHere: { _ in isOwner }, log: log, time: clock.time), alerts: alerts,
        isRunHere: { _ in isOwner }, log: log, time: clock.time)
    }

    /// One result, and what it means.
    func find(_ state: CheckState) {
      var found = CheckResult(
        id: UniqueID(high: 5, low: UInt64(clock.wall.microseconds)), check: check, trigger: .schedule,
        scheduledAt: clock.wall, startedAt: clock.wall, late: .zero,
        verdict: state == .up ? .ok : Verdict(.connectRefused, phase: .connect, message: "refused"))
      found.maintenance = false
      let now = ClockReading(boot: clock.instant, wall: clock.wall)
      alerts.state.withLock { state in
        state.book.note(found, now: now)
        state.book.advance(to: now)
      }
    }

    func look() {
      let now = ClockReading(boot: clock.instant, wall: clock.wall)
      alerts.state.withLock { $0.book.advance(to: now) }
    }

    var incident: Incident? { alerts.state.withLock { $0.book.incidents.opened.first } }

    func acknowledge() async throws {
      let answer = await operators.take(
        OperatorWish(.acknowledge(incident: try #require(incident).short), by: "root", why: "looking"))
      guard case .done = answer else { throw Lost() }
    }

    /// The receiver's list: the alert is open there, acknowledged or not.
    func words(version: Int64, _ acked: AppAlerts.Acknowledgement? = nil, isOpen: Bool = true) -> ContactWords
    {
      var (words, alerts) = (ContactWords(), AppAlerts(version: version))
      if isOpen {
        alerts.open[.init(check.id, .availability)] = .init(
          since: clock.wall.advanced(by: .seconds(-30)), acknowledged: acked)
      }
      (words.makesAlerts, words.alerts, words.now) = (true, alerts, clock.wall)
      return words
    }

    var unchanged: ContactWords {
      var words = ContactWords()
      words.makesAlerts = true
      return words
    }
  }

  private struct Lost: Error {}

  private func inWorld(_ body: (World, String, FakeClock) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let clock = FakeClock()
      let world = try await World(folder.path, clock)
      world.find(.down)
      try await body(world, folder.path, clock)
    }
  }

  /// With each contact until an answer shows it; an answer that is lost costs nothing.
  @Test func anAcknowledgementIsSaidOnceAndAgainAfterALostAnswer() async throws {
    try await inWorld { world, _, clock in
      #expect(world.desk.say() == ContactSaying())
      world.desk.hear(world.words(version: 1))
      #expect(world.desk.say().acks == [] && world.desk.say().alerts == 1)
      let at = clock.wall
      try await world.acknowledge()
      let ack = AppAck(.init(world.check.id, .availability), at: at, by: "root", why: "looking")
      #expect(world.desk.say().acks == [ack])
      // The answer is lost, and the next one says only that all is as it was.
      clock.advance(by: .seconds(10))
      #expect(world.desk.say().acks == [ack])
      world.desk.hear(world.unchanged)
      #expect(world.desk.say().acks == [ack])
      world.desk.hear(world.words(version: 2, .init(at: at, by: "root (looking)", agent: "a1")))
      #expect(world.desk.say().acks == [] && world.desk.say().alerts == 2)
      #expect(world.incident?.acknowledged?.by == "root")
    }
  }

  /// Of another alert, as far as the receiver knows: it is not asked again and again.
  @Test func whatIsNotTakenIsNotSaidAgain() async throws {
    try await inWorld { world, _, clock in
      world.desk.hear(world.words(version: 1))
      try await world.acknowledge()
      #expect(world.desk.say().acks.count == 1)
      world.desk.hear(world.words(version: 1))
      #expect(world.desk.say().acks == [])
      // Acknowledged once more, by a person who means what is so now.
      clock.advance(by: .seconds(1))
      try await world.acknowledge()
      #expect(world.desk.say().acks.map(\.at) == [clock.wall])
      world.desk.hear(world.words(version: 1))
      #expect(world.desk.say().acks == [])
      // It ended there, and another one is open.
      world.desk.hear(world.words(version: 2, isOpen: false))
      world.desk.hear(world.words(version: 3))
      #expect(world.desk.say().acks.count == 1)
    }
  }

  /// Acknowledged during an outage; the agent is killed; the way is there again.
  @Test(arguments: ["fires", "recovered", "shown"]) func aRestartDuringAnOutage(then: String) async throws {
    try await inWorld { world, folder, clock in
      world.desk.hear(world.words(version: 1))
      try await world.acknowledge()
      let at = clock.wall
      clock.advance(by: .seconds(3600))
      let next = try await World(folder, clock)
      #expect(next.desk.say().acks == [], "nothing is known of the apps yet")
      if then == "recovered" { next.find(.up) }
      var words = next.words(version: 7, then == "shown" ? .init(at: at, by: "root", agent: "a1") : nil)
      words.alerts?.open[.init(next.check.id, .availability)]?.since = at
      next.desk.hear(words)
      #expect(next.desk.say().acks.map(\.at) == (then == "fires" ? [at] : []))
    }
  }

  /// A receiver that makes no alerts, or does not know them, is told of none, and nothing is taken from what it said before.
  @Test func aReceiverWithoutAlerts() async throws {
    try await inWorld { world, _, _ in
      world.desk.hear(world.words(version: 1))
      try await world.acknowledge()
      world.desk.hear(ContactWords())
      #expect(world.desk.say() == ContactSaying())
      #expect(world.alerts.state.withLock { $0.book.apps } == AppsView(.silent))
      world.desk.hear(world.words(version: 1))
      #expect(world.desk.say().acks.count == 1)
    }
  }

  /// Members of a group that do not run the check hear of acknowledgements, and say nothing.
  @Test func theOwnerSpeaksAndAllHear() async throws {
    try await withTemporaryDirectory { folder in
      let clock = FakeClock()
      let world = try await World(folder.path, clock, isOwner: false)
      world.find(.down)
      try await world.acknowledge()
      world.desk.hear(world.words(version: 1))
      #expect(world.desk.say().acks == [])
      clock.advance(by: .seconds(1))
      let other = try await World(folder.path + "-other", clock, isOwner: false)
      other.find(.down)
      other.desk.hear(other.words(version: 1, .init(at: clock.wall, by: "Ann Smith")))
      #expect(other.incident?.isAcknowledged == true)
    }
  }

  /// With the words, the log line and the audit of `quartz-agent ack`; on disk, once.
  @Test func anAcknowledgementInTheAppIsAudited() async throws {
    try await inWorld { world, folder, clock in
      let said = world.words(version: 1, .init(at: clock.wall, by: "Ann Smith"))
      world.desk.hear(said)
      await world.operators.noteTaken()
      let short = try #require(world.incident).short
      let line = try #require(world.operators.current.audit.last)
      #expect(world.operators.current.audit.count == 1)
      #expect((line.at, line.act, line.subject) == (clock.wall, "ack", short))
      #expect((line.by, line.why, line.until) == ("Ann Smith in the Quartz app", nil, nil))
      world.desk.hear(said)
      await world.operators.noteTaken()
      let next = try await World(folder, clock)
      next.desk.hear(said)
      next.look()
      await next.operators.noteTaken()
      #expect(next.operators.current.audit.map(\.by) == ["Ann Smith in the Quartz app"])
      #expect(next.incident?.acknowledged?.by == "Ann Smith in the Quartz app")
    }
  }

  /// All windows until the receiver has them, where the key may show them; what comes back from there is not taken for another's.
  @Test func windowsAreSaidUntilTheReceiverHasThem() throws {
    let clock = FakeClock()
    let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host, definition.port) = ("Shop", "tcp", "192.0.2.1", 80)
    (definition.resource, definition.plan.post) = (UniqueID(high: 1, low: 1).description, true)
    let check = try MonitoringCheck(definition)
    let maintenance = MaintenanceBook(file: [], agent: "london-1")
    maintenance.replace(checks: [check])
    let desk = AppDesk(
      asks: AskDesk(isRunHere: { _ in true }, log: log, time: clock.time),
      windows: { [catalog = CheckCatalog(file: [check])] in
        maintenance.forApps(
          now: clock.wall, isPosted: { catalog.isPosted($0) }, isRunHere: { _ in true })
      }, isRunHere: { _ in true }, log: log, time: clock.time)
    func hear(_ version: String?) {
      var words = ContactWords()
      words.windowsVersion = version
      desk.hear(words)
    }
    let window = MaintenanceWindow(
      id: UniqueID(high: 9, low: 9), name: "deploy", selection: MaintenanceSelection(), from: clock.wall,
      until: clock.wall.advanced(by: .seconds(3600)), skip: false)
    hear("")
    #expect(desk.say().windows == nil, "there are none")
    maintenance.replace(hand: [window])
    let said = try #require(desk.say().windows)
    #expect(said.list.map(\.title) == ["deploy"])
    hear(nil)
    #expect(desk.say().windows == nil, "the key may not")
    hear("")
    #expect(desk.say().windows == said, "the answer was lost")
    hear(said.version)
    #expect(desk.say().windows == nil)
    // It is in the list of the API now.
    let row = try MaintenanceWindow(
      id: said.list[0].id, title: "deploy", resource: UniqueID(high: 1, low: 1),
      starts: window.occurrence(at: clock.wall)!.lowerBound,
      ends: clock.wall.advanced(by: .seconds(3600)), repetition: nil)
    maintenance.replace(api: [row])
    #expect(maintenance.plan.windows.map(\.origin) == [.local])
    // Ended by hand: it is over here at once, whatever the API still lists, and the receiver is told.
    maintenance.replace(hand: [])
    #expect(maintenance.plan.active(check.id, at: clock.wall).isEmpty)
    #expect(desk.say().windows?.list == [])
    hear(AppWindows([]).version)
    #expect(desk.say().windows == nil)
    // One that another agent made is one of the API.
    let other = MaintenanceBook(file: [], agent: "london-2")
    other.replace(checks: [check])
    other.replace(api: [row])
    #expect(other.plan.active(check.id, at: clock.wall).count == 1)
  }
}
