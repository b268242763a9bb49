// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// The stages that leave alerts out: with what words they hold what has none left, and what of it passes.
@Suite struct StageNarrowTests {
  private let plain = AlertChannel(name: "ops", kind: .exec(ExecChannel(command: ["/bin/true"])))
  private let forgetful = makeWebhook("am", .alertmanager)

  private func trouble(_ number: Int) -> Trouble {
    Trouble(
      key: .init(rule: "down", check: UniqueID(high: 0, low: UInt64(number))), subject: .availability,
      severity: .high, name: "c\(number)", since: after(0))
  }

  private func incident(_ count: Int) -> Incident {
    var incident = Incident(
      id: UniqueID(high: 5, low: 1), subject: .availability, begin: after(0), opened: after(0),
      at: reading(0).boot)
    for number in 0..<count { incident.take(trouble(number), at: reading(0)) }
    return incident
  }

  private func told(_ channel: AlertChannel, _ count: Int) throws -> Incident {
    var incident = incident(count)
    let draft = try #require(Draft(incident, channel, quickSettings()))
    incident.log[channel.name, default: .init()].deliver(draft.heard, at: reading(5))
    return incident
  }

  private func judge(
    _ stage: Stage, _ incident: Incident, _ channel: AlertChannel? = nil, _ trigger: Draft.Trigger? = nil,
    _ change: (inout NotifyContext) -> Void = { _ in }
  ) throws -> (ruling: StageRuling, draft: Draft) {
    var draft = try #require(Draft(incident, channel ?? plain, quickSettings()))
    if let trigger { draft.trigger = trigger }
    var context = NotifyContext(now: reading(10), settings: quickSettings())
    change(&context)
    let ruling = stage.judge(&draft, context, ChannelState(digestUpTo: after(0)))
    return (ruling, draft)
  }

  /// Until the last of the alerts may be told; with one that may it is told of that one.
  @Test(arguments: [true, false]) func windowsAndMutes(isMute: Bool) throws {
    let (stage, words) = isMute ? (Stage.mute, "muted") : (.maintenance, "in maintenance")
    func change(_ ends: [String: Int64]) -> (inout NotifyContext) -> Void {
      let until = { (trouble: Trouble) in ends[trouble.name].map { after($0) } }
      return { context in
        if isMute { context.mutedUntil = until } else { context.maintenanceUntil = until }
      }
    }
    let both = try judge(stage, incident(2), nil, nil, change(["c0": 60, "c1": 50]))
    #expect(both.ruling == .hold(words, until: after(60)))
    let one = try judge(stage, incident(2), nil, nil, change(["c0": 60]))
    #expect(one.ruling == .pass && one.draft.members.map(\.trouble.name) == ["c1"])
    #expect(one.draft.fresh == [trouble(1).key])
    #expect(try judge(stage, incident(1)).ruling == .pass)
    // What the channel has stays in it, and nothing of it is new.
    let known = try judge(stage, told(plain, 1), nil, .joined, change(["c0": 60]))
    #expect(known.ruling == .pass && known.draft.members.count == 1)
    // A receiver that keeps a state is held its first trigger alone.
    let held = change(["c0": 60])
    #expect(try judge(stage, incident(1), forgetful, nil, held).ruling == .hold(words, until: after(60)))
    #expect(try judge(stage, incident(1), forgetful, .joined, held).ruling == .pass)
    #expect(try judge(stage, incident(1), nil, .resolved, held).ruling == .pass)
  }

  /// Where all that fires is muted nothing is repeated, but to a receiver that forgets.
  @Test func mutedReminders() throws {
    let mute: (inout NotifyContext) -> Void = { context in
      context.mutedUntil = { $0.name == "c0" ? after(60) : nil }
    }
    for trigger in [Draft.Trigger.reminder, .flapping] {
      let held = try judge(.mute, told(plain, 1), nil, trigger, mute).ruling
      #expect(held == .hold("muted", until: after(60)))
      #expect(try judge(.mute, told(plain, 2), nil, trigger, mute).ruling == .pass)
      #expect(try judge(.mute, told(forgetful, 1), forgetful, trigger, mute).ruling == .pass)
    }
  }

  @Test func dependencies() throws {
    let all = try judge(.dependency, incident(2)) { context in context.failsWith = { _ in "Router" } }
    #expect(all.ruling == .hold("fails with Router", until: nil))
    let one = try judge(.dependency, incident(2)) { context in
      context.failsWith = { $0.name == "c0" ? "Router" : nil }
    }
    #expect(one.ruling == .pass && one.draft.members.map(\.trouble.name) == ["c1"])
    #expect(try judge(.dependency, incident(1)).ruling == .pass)
  }

  /// What is acknowledged is neither told nor repeated; a receiver that wants it is told that it is.
  @Test func acknowledged() throws {
    let held = StageRuling.hold("acknowledged by ann", until: nil)
    var fresh = incident(1)
    fresh.acknowledge(by: "ann", note: nil, at: after(6))
    #expect(try judge(.acknowledge, fresh).ruling == held)
    fresh.take(trouble(1), at: reading(7))
    let more = try judge(.acknowledge, fresh)
    #expect(more.ruling == .pass && more.draft.members.map(\.trouble.name) == ["c1"])
    var known = try told(plain, 1)
    #expect(try judge(.acknowledge, known).ruling == .pass)
    known.acknowledge(by: "ann", note: nil, at: after(6))
    for trigger in [Draft.Trigger.reminder, .flapping, .rootRecovered] {
      #expect(try judge(.acknowledge, known, nil, trigger).ruling == held)
    }
    var wanting = plain
    wanting.acknowledged = true
    let notice = try judge(.acknowledge, known, wanting, .reminder)
    #expect(notice.ruling == .pass && notice.draft.trigger == .acknowledged)
    #expect(try judge(.acknowledge, fresh, wanting, .joined).draft.trigger == .joined)
    var other = try told(forgetful, 1)
    other.acknowledge(by: "ann", note: nil, at: after(6))
    #expect(try judge(.acknowledge, other, forgetful).ruling == .pass)
  }

  /// With `fallback` the apps notify of what they show, and have their time for the rest.
  @Test func apps() throws {
    func change(_ standings: [String: AppStanding], _ app: AppAlerting = .fallback) -> (
      inout NotifyContext
    ) -> Void {
      { context in
        context.settings.app = app
        context.inApps = { standings[$0.trouble.name] ?? .none }
      }
    }
    let shown = StageRuling.hold("the Quartz apps notify of it", until: nil)
    let awaited = StageRuling.hold("waiting for the Quartz apps to show it", until: after(40))
    let due = AppStanding.awaited(reading(40).boot)
    #expect(try judge(.app, incident(1), nil, nil, change(["c0": .shown])).ruling == shown)
    #expect(try judge(.app, incident(1), nil, nil, change(["c0": .shown], .always)).ruling == .pass)
    #expect(try judge(.app, incident(1), nil, nil, change(["c0": due])).ruling == awaited)
    #expect(try judge(.app, incident(2), nil, nil, change(["c0": .shown, "c1": due])).ruling == awaited)
    #expect(try judge(.app, incident(1), nil, nil, change([:])).ruling == .pass)
    let one = try judge(.app, incident(2), nil, nil, change(["c0": .shown]))
    #expect(one.ruling == .pass && one.draft.members.map(\.trouble.name) == ["c1"])
    for trigger in [Draft.Trigger.reminder, .flapping] {
      let known = try told(plain, 2)
      #expect(
        try judge(.app, known, nil, trigger, change(["c0": .shown, "c1": .shown])).ruling == shown)
      #expect(try judge(.app, known, nil, trigger, change(["c0": .shown])).ruling == .pass)
    }
  }
}
