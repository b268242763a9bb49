// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// Each stage by itself: what it lets pass, and the words and the time with which it holds the rest.
@Suite struct StageTableTests {
  private let plain = AlertChannel(name: "ops", kind: .exec(ExecChannel(command: ["/bin/true"])))
  private let forgetful = makeWebhook("am", .alertmanager)
  private let stateful = makePagerDuty("pd")

  private func trouble(_ number: Int = 0, _ severity: AlertSeverity = .high) -> Trouble {
    Trouble(
      key: .init(rule: "down", check: UniqueID(high: 0, low: UInt64(number))), subject: .availability,
      severity: severity, name: "c\(number)", since: after(0))
  }

  private func incident(_ count: Int = 1, _ severity: AlertSeverity = .high) -> Incident {
    var incident = Incident(
      id: UniqueID(high: 5, low: 1), subject: .availability, begin: after(0), opened: after(0),
      at: reading(0).boot)
    for number in 0..<count { incident.take(trouble(number, severity), at: reading(0)) }
    return incident
  }

  /// An incident that the channel was told of at 5 s, as it was then.
  private func told(_ channel: AlertChannel, _ count: Int = 1) throws -> Incident {
    var incident = incident(count)
    let draft = try #require(Draft(incident, channel, quickSettings()))
    incident.log[channel.name, default: .init()].deliver(draft.heard, at: reading(5))
    return incident
  }

  private func draft(
    _ incident: Incident, _ channel: AlertChannel? = nil, _ trigger: Draft.Trigger? = nil
  ) throws -> Draft {
    var draft = try #require(Draft(incident, channel ?? plain, quickSettings()))
    if let trigger { draft.trigger = trigger }
    return draft
  }

  private func context(_ second: Int64, _ change: (inout NotifyContext) -> Void = { _ in }) -> NotifyContext {
    var context = NotifyContext(now: reading(second), settings: quickSettings())
    change(&context)
    return context
  }

  private func judge(
    _ stage: Stage, _ draft: Draft, _ context: NotifyContext,
    _ change: (inout ChannelState) -> Void = { _ in }
  ) -> StageRuling {
    var (draft, state) = (draft, ChannelState(digestUpTo: after(0)))
    change(&state)
    return stage.judge(&draft, context, state)
  }

  /// From when each notification waits, for how long, and what for.
  @Test func waits() throws {
    let known = try told(plain)
    var recovered = known
    recovered.leave(trouble().key, at: reading(20), .recovered)
    var one = try told(plain, 2)
    one.leave(trouble().key, at: reading(20), .recovered)
    for (incident, trigger, due, words) in [
      (incident(), nil, 3, "waits for related failures: group_wait"),
      (known, .joined, 15, "gathers changes: group_interval"),
      (known, .flapping, 15, "gathers changes: group_interval"), (known, .reminder, 65, "reminder"),
      (recovered, .belowSeverity, 23, "waits for a relapse: group_wait"),
      (one, .rootRecovered, 30, "gathers changes: group_interval"),
    ] as [(Incident, Draft.Trigger?, Int64, String)] {
      // What is over has no draft of its own.
      var draft = try draft(incident.activeCount == 0 ? known : incident, nil, trigger)
      if incident.activeCount == 0 { (draft.incident, draft.members) = (incident, incident.members) }
      #expect(judge(.wait, draft, context(due - 1)) == .hold(words, until: after(due)), "\(words)")
      #expect(judge(.wait, draft, context(due)) == .pass)
    }
    for trigger in [Draft.Trigger.rose, .acknowledged, .channelRemoved, .resolved, .past] {
      #expect(try judge(.wait, draft(known, nil, trigger), context(5)) == .pass)
    }
    let again = try draft(told(forgetful), forgetful)
    #expect(again.trigger == .keepAlive)
    #expect(judge(.wait, again, context(244)) == .hold("keep-alive", until: after(245)))
    #expect(judge(.wait, again, context(245)) == .pass)
    let escalated = context(59) { $0.settings.escalate = [Escalation(after: .seconds(60), to: ["ops"])] }
    #expect(
      try judge(.wait, draft(incident()), escalated) == .hold("escalates to this channel", until: after(60)))
  }

  /// Without a result since the start a first notification and what repeats wait for one, unless one is on
  /// its way.
  @Test func unconfirmed() throws {
    let context = context(70) { context in
      context.confirmedBy = { $0.key.check == UniqueID(high: 0, low: 0) ? reading(90).boot : nil }
    }
    let held = StageRuling.hold("no result since the agent started", until: after(90))
    let known = try told(plain)
    #expect(try judge(.wait, draft(incident()), context) == held)
    #expect(try judge(.wait, draft(known), context) == held)
    #expect(try judge(.wait, draft(known, nil, .rootRecovered), context) == held)
    #expect(try judge(.wait, draft(known, nil, .joined), context) == .pass)
    #expect(try judge(.wait, draft(incident(2)), context) == .pass, "one has a result")
    var sending = incident()
    sending.log["ops"] = NotificationRecord()
    sending.log["ops"]?.sending = .init(id: UniqueID(high: 9, low: 9), kind: .opened, heard: Heard())
    #expect(try judge(.wait, draft(sending), context) == .pass)
  }

  /// A first notification waits ten seconds for a look at the way.
  @Test func pathLook() throws {
    var opened = try draft(incident())
    let look = { (second: Int64) in context(second) { $0.isLookedAt = { _ in true } } }
    #expect(judge(.pathLook, opened, look(12)) == .pass, "it is not due")
    opened.due = reading(3).boot
    let words = "the path to the target is being traced"
    #expect(judge(.pathLook, opened, look(12)) == .hold(words, until: after(13)))
    #expect(judge(.pathLook, opened, look(13)) == .pass && judge(.pathLook, opened, context(12)) == .pass)
    opened.trigger = .joined
    #expect(judge(.pathLook, opened, look(12)) == .pass)
  }

  /// One a second, one at a time, and none before the next try.
  @Test func theChannelItself() throws {
    let draft = try draft(incident())
    let last: (inout ChannelState) -> Void = { $0.lastSent = reading(5).boot }
    #expect(judge(.pace, draft, context(5), last) == .hold("one notification a second", until: after(6)))
    #expect(judge(.pace, draft, context(6), last) == .pass && judge(.pace, draft, context(5)) == .pass)
    let id = UniqueID(high: 9, low: 9)
    let busy: (inout ChannelState) -> Void = { ($0.lastSent, $0.sending) = (reading(5).boot, id) }
    #expect(judge(.pace, draft, context(5), busy) == .pass && judge(.send, draft, context(5)) == .pass)
    #expect(judge(.send, draft, context(5), busy) == .hold("another notification is being sent", until: nil))
    var own = incident()
    own.log["ops"] = NotificationRecord()
    own.log["ops"]?.sending = .init(id: id, kind: .opened, heard: Heard())
    #expect(
      try judge(.send, self.draft(own), context(5), busy) == .hold("it is being sent", until: nil))
    for (problem, words) in [(nil, "no answer"), ("deaf", "deaf")] as [(String?, String)] {
      let failed: (inout ChannelState) -> Void = { ($0.retryAt, $0.problem) = (reading(9).boot, problem) }
      #expect(
        judge(.retry, draft, context(8), failed)
          == .hold("the last attempt failed: \(words)", until: after(9)))
      #expect(judge(.retry, draft, context(9), failed) == .pass)
    }
    #expect(judge(.retry, draft, context(8)) == .pass)
  }

  /// What a storm tells of, what a channel does not want, and what it refused as it is.
  @Test func whatIsNotSentByItself() throws {
    let known = try told(plain)
    let storm: (inout ChannelState) -> Void = { state in
      state.storm = Storm(id: UniqueID(high: 9, low: 9), begin: after(0), at: reading(0).boot)
      state.storm?.incidents = [known.id]
    }
    #expect(try judge(.storm, draft(known), context(5), storm) == .fold(.storm))
    #expect(try judge(.storm, draft(known), context(5)) == .pass)
    var quiet = plain
    (quiet.updates, quiet.sendsRecovered) = (false, false)
    #expect(try judge(.severity, draft(known, quiet), context(5)) == .fold(.nothing))
    #expect(try judge(.severity, draft(known, quiet, .joined), context(5)) == .pass)
    #expect(try judge(.deduplicate, draft(known, quiet, .joined), context(5)) == .pass)
    #expect(try judge(.deduplicate, draft(known, quiet, .resolved), context(5)) == .fold(.nothing))
    #expect(try judge(.deduplicate, draft(known), context(5)) == .pass)
    #expect(try judge(.deduplicate, draft(known, nil, .resolved), context(5)) == .pass)
    var state = stateful
    state.sendsRecovered = false
    #expect(try judge(.deduplicate, draft(told(state), state, .resolved), context(5)) == .pass)
    for (isPlain, ruling) in [(true, .hold("no", until: nil)), (false, .pass)] as [(Bool, StageRuling)] {
      var refused = incident()
      let heard = try draft(refused).heard
      refused.log["ops"] = NotificationRecord()
      refused.log["ops"]?.refused = .init(heard: heard, words: "no", isPlain: isPlain)
      #expect(try judge(.deduplicate, draft(refused), context(5)) == ruling)
      refused.log["ops"]?.refused?.heard.isFlapping = true
      #expect(try judge(.deduplicate, draft(refused), context(5)) == .pass, "it is another one now")
    }
  }

  /// Low severity, quiet hours and the group.
  @Test func theDayAndTheGroup() throws {
    let (low, high, hour) = (incident(1, .low), incident(), Int64(3600))
    let digest = StageRuling.hold("of low severity: in the next digest", until: after(8 * hour))
    #expect(try judge(.severity, draft(low), context(0)) == digest)
    #expect(try judge(.severity, draft(high), context(0)) == .pass)
    #expect(try judge(.severity, draft(low, nil, .reminder), context(0)) == .fold(.nothing))
    let due: (inout ChannelState) -> Void = { $0.isDigestDue = true }
    #expect(try judge(.severity, draft(low), context(0), due) == .fold(.digest))
    let group = context(0) { $0.heldByGroup = { _ in "another notifies" } }
    #expect(try judge(.severity, draft(low), group, due) == .hold("another notifies", until: nil))
    #expect(try judge(.groupShare, draft(high), group) == .hold("another notifies", until: nil))
    #expect(try judge(.groupShare, draft(high), context(0)) == .pass)
    let night = context(23 * hour) { $0.settings.quietHours = QuietHours(from: 22 * hour, to: 6 * hour) }
    #expect(try judge(.quietHours, draft(high), night) == .hold("quiet hours", until: after(30 * hour)))
    #expect(try judge(.quietHours, draft(high), context(23 * hour)) == .pass)
    #expect(try judge(.quietHours, draft(high, nil, .channelRemoved), night) == .pass)
    #expect(
      try judge(.severity, draft(low), night, due)
        == .hold("of low severity: in the next digest", until: after(30 * hour)))
  }
}
