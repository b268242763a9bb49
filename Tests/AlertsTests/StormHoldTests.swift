// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// What holds a storm, what ends it, and what is none after all.
@Suite struct StormHoldTests {
  /// 30 checks down, told at 15 s.
  private func told(_ change: (inout AlertSettings) -> Void = { _ in }, checks count: Int = 30) throws -> (
    Desk, [MonitoringCheck]
  ) {
    let checks = try StormTests.checks(count)
    var settings = StormTests.settings()
    change(&settings)
    var desk = Desk(settings, checks)
    for check in checks.prefix(30) { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 30)
    #expect(desk.kinds == [.opened], "\(desk.lines)")
    return (desk, checks)
  }

  private func reload(_ desk: inout Desk, at second: Int64, _ change: (inout AlertSettings) -> Void) {
    var settings = desk.book.settings
    change(&settings)
    desk.book.apply(settings, now: reading(second))
    desk.book.apply(desk.checks, DependencyGraph(desk.checks), now: reading(second))
  }

  /// A reload after which none of it is the channel's business ends it there, once, and what comes goes out.
  @Test func aSeverityAboveTheStorm() throws {
    let critical = AlertRule(
      "worst", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .critical,
      selection: MaintenanceSelection(checks: ["c30"]))
    var (desk, checks) = try told({ $0.rules.append(critical) }, checks: 31)
    reload(&desk, at: 31) { $0.channels[0].severity = .critical }
    desk.pass(from: 31, to: 40)
    desk = try desk.restarted(at: 41)
    desk.down(checks[30], at: 41)
    desk.pass(from: 41, to: 300)
    #expect(
      desk.lines == [
        desk.lines[0],
        "31 recovered what is left of the storm of 30 incidents is below the severity of this channel",
        "56 opened c30 is down: refused",
      ])
  }

  /// Some of it goes on.
  @Test func aSeverityAboveSomeOfTheStorm() throws {
    let worst = AlertRule(
      "worst", .consecutiveFailures(threshold: 1, recoveries: 1), severity: .critical,
      selection: MaintenanceSelection(checks: Set((0..<15).map { ByteText("c\($0)") })))
    var (desk, checks) = try told { $0.rules.append(worst) }
    reload(&desk, at: 31) { $0.channels[0].severity = .critical }
    desk.pass(from: 31, to: 100)
    for check in checks { desk.up(check, at: 101) }
    desk.pass(from: 101, to: 400)
    #expect(desk.kinds == [.opened, .recovered], "\(desk.lines)")
    #expect(desk.told.last?.message.title == "all 30 incidents of the storm are over")
  }

  /// What is over before it is due is told to no one, in a storm as alone; what comes next is no part of it.
  @Test func aShortStormIsNotTold() throws {
    let checks = try StormTests.checks(30)
    var desk = Desk(StormTests.settings(), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 4)
    for check in checks { desk.up(check, at: 5) }
    desk.pass(from: 5, to: 400)
    #expect(desk.lines.isEmpty, "\(desk.lines)")
    #expect(desk.book.notifier.states["ops"]?.storm == nil)
    desk.down(checks[0], at: 500)
    desk.pass(from: 500, to: 600)
    #expect(desk.lines == ["515 opened c0 is down: refused"])
  }

  /// It was muted, or in maintenance, before it was due, and is over before that ends: nothing is sent of it, as of ten incidents.
  @Test(arguments: [10, 30], [false, true]) func aStormThatEndsWhileItIsMuted(count: Int, isMaintained: Bool)
    throws
  {
    let checks = try StormTests.checks(count)
    var desk = Desk(StormTests.settings(), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 5)
    if isMaintained { desk.maintained = Set(checks.map(\.id)) } else { desk.muted = Set(checks.map(\.id)) }
    desk.pass(from: 6, to: 39)
    for check in checks { desk.up(check, at: 40) }
    desk.pass(from: 40, to: 400)
    #expect(desk.lines == [])
  }

  /// A mute that is over holds nothing: what keeps the incidents of a storm from the channel then is the storm.
  @Test func aMuteThatIsOverBeforeTheStorm() throws {
    let checks = try StormTests.checks(30)
    var desk = Desk(StormTests.settings(), checks)
    desk.answer = { _, _ in .failed("503") }
    func held() -> Set<NotifyStage?> { Set(desk.book.incidents.all.map { $0.log["ops"]?.held }) }
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 9)
    desk.muted = Set(checks.map(\.id))
    desk.pass(from: 10, to: 20)
    #expect(held() == [.mute] && desk.sent.isEmpty)
    desk.muted = []
    desk.pass(from: 21, to: 25)
    #expect(held() == [.storm] && !desk.sent.isEmpty)
  }

  /// Most of it was over before it was due: the rest goes out by itself.
  @Test func whatRemainsOfAShortStorm() throws {
    let checks = try StormTests.checks(30)
    var desk = Desk(StormTests.settings(), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 4)
    for check in checks.dropFirst(2) { desk.up(check, at: 5) }
    desk.pass(from: 5, to: 400)
    #expect(desk.told.map(\.at) == [16, 17], "\(desk.lines)")
    #expect(desk.told.map(\.message.title).sorted() == ["c0 is down: refused", "c1 is down: refused"])
  }

  /// A receiver that cannot be reached while a storm lasts hears of it in one line each, once.
  @Test func aStormThatCouldNotBeTold() throws {
    let checks = try StormTests.checks(30)
    var desk = Desk(StormTests.settings(), checks)
    desk.answer = { _, second in second < 300 ? .failed("refused", isUnreachable: true) : .delivered }
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 99)
    for check in checks { desk.up(check, at: 100) }
    desk.pass(from: 100, to: 600)
    #expect(
      desk.told.map(\.message.title) == [
        "30 incidents began and ended while this channel could not be reached"
      ],
      "\(desk.lines)")
  }

  /// A storm whose first notification failed is not begun by the next attempt when nothing fires any more: it may be over.
  @Test func aStormThatIsQuietAtTheSecondAttempt() throws {
    let checks = try StormTests.checks(30)
    var desk = Desk(StormTests.settings(), checks)
    desk.answer = { _, second in second < 20 ? .failed("refused") : .delivered }
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 15)
    for check in checks { desk.up(check, at: 16) }
    desk.pass(from: 16, to: 100)
    #expect(desk.sent.map(\.at) == [15, 32])
    #expect(
      desk.lines == ["32 digest 30 incidents began and ended while this channel could not be reached"])
  }

  @Test func aChannelThatIsRemoved() throws {
    var (desk, checks) = try told()
    reload(&desk, at: 31) { $0.channels = makeSettings(channels: ["other"]).channels }
    desk.pass(from: 31, to: 200)
    let words = "this channel is not configured any more; the storm of 30 incidents lasts: 30 checks are down"
    #expect(desk.told.filter { $0.channel == "ops" }.map(\.message.title).last == words)
    for check in checks { desk.up(check, at: 201) }
    desk.pass(from: 201, to: 400)
    #expect(desk.told.filter { $0.channel == "ops" }.count == 2, "\(desk.lines)")
    #expect(desk.book.notifier.leaving.isEmpty)
  }

  /// From the second minute of the day to the twelfth; what happens in the storm then is told at their end.
  @Test func quietHours() throws {
    let begin: Int64 = 60
    var (desk, checks) = try told({ settings in
      settings.quietHours = QuietHours(
        from: begin, to: begin + 600, zone: .utc, except: .critical)
    })
    for check in checks.prefix(5) { desk.up(check, at: 90) }
    desk.pass(from: 31, to: 659)
    #expect(desk.kinds == [.opened], "\(desk.lines)")
    desk.pass(from: 660, to: 700)
    #expect(desk.told.map(\.at) == [15, 660] && desk.kinds == [.opened, .update], "\(desk.lines)")
  }

  /// Those that are muted before it is told are not of it.
  @Test func aMute() throws {
    let checks = try StormTests.checks(30)
    var desk = Desk(StormTests.settings(), checks)
    for check in checks { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 14)
    desk.muted = Set(checks.prefix(12).map(\.id))
    desk.pass(from: 15, to: 20)
    #expect(desk.told.map(\.message.memberCount) == [18])
    #expect(desk.told.first?.message.title == "18 checks of 18 incidents are down")
  }

  /// A channel that wants no resolved notifications gets none, and the next incident as ever.
  @Test func withoutRecovered() throws {
    var (desk, checks) = try told { $0.channels[0].sendsRecovered = false }
    for check in checks { desk.up(check, at: 31) }
    desk.pass(from: 31, to: 200)
    desk.down(checks[0], at: 1000)
    desk.pass(from: 1000, to: 1100)
    #expect(desk.kinds == [.opened, .opened] && desk.told.last?.message.isStorm == false, "\(desk.lines)")
  }

  /// Reminders are what `updates` is about.
  @Test func withoutUpdates() throws {
    for updates in [true, false] {
      var (desk, _) = try told { settings in
        settings.channels[0].updates = updates
        settings.remind = .seconds(120)
      }
      desk.pass(from: 31, to: 150)
      #expect(desk.kinds == (updates ? [.opened, .update] : [.opened]))
    }
  }

  /// A recipient who has the mail of before is sent the one that says more.
  @Test func moreJoinBeforeTheRestHasIt() throws {
    let checks = try StormTests.checks(40)
    var desk = Desk(StormTests.settings(), checks)
    desk.answer = { _, second in second < 30 ? .partly("452", remaining: ["c@x.example"]) : .delivered }
    for check in checks.prefix(30) { desk.down(check, at: 0) }
    desk.pass(from: 0, to: 16)
    for check in checks.suffix(10) { desk.down(check, at: 17) }
    desk.pass(from: 17, to: 60)
    let ids = desk.sent.map(\.id)
    #expect(
      desk.sent.map(\.recipients)
        == [nil, nil, ["c@x.example"], ["c@x.example"]].prefix(ids.count).map { $0 })
    #expect(ids.count >= 3 && ids[0] != ids[1] && Set(ids[1...]).count == 1, "\(desk.sent)")
    #expect(desk.told.map(\.message.memberCount) == [40])
  }
}
