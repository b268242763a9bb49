// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Alerts

/// When a channel is tried again, when its digest is due, and when a storm is told of: at the bounds of each time.
@Suite struct ChannelStateTests {
  private static let hour: Int64 = 3600

  /// The n-th failure in a row, what the receiver asks for, and the least wait; a quarter more at most.
  @Test(
    arguments: [
      (1, nil, false, 5), (2, nil, false, 10), (3, nil, false, 20), (4, nil, false, 40), (5, nil, false, 80),
      (6, nil, false, 160), (7, nil, false, 300), (8, nil, false, 300), (40, nil, false, 300),
      (1, nil, true, 5), (2, nil, true, 8), (9, nil, true, 8), (1, 4, false, 5), (1, 6, false, 6),
      (7, 400, false, 400), (1, 3600, false, 3600), (1, 3601, false, 3600), (9, 3601, true, 3600),
    ] as [(Int, Int?, Bool, Int)])
  func pauses(failures: Int, asked: Int?, isUnreachable: Bool, least: Int) {
    let now = reading(0).boot
    var pauses: Set<Duration> = []
    for number in 0..<40 {
      var state = ChannelState(digestUpTo: after(0))
      for _ in 0..<failures {
        state.fail(
          "away", retryAfter: asked.map { .seconds($0) }, isUnreachable: isUnreachable,
          id: UniqueID(high: 7, low: UInt64(number)), at: now)
      }
      let pause = state.retryAt.map { now.duration(to: $0) } ?? .zero
      #expect(pause >= .seconds(least) && pause < .seconds(least) * 1.25)
      #expect(state.failures == failures && state.problem == "away")
      pauses.insert(pause)
      state.succeed()
      #expect(state.failures == 0 && state.retryAt == nil && state.problem == nil)
    }
    #expect(pauses.count > 30, "those who wait for one receiver come apart")
  }

  /// From one look to the next: the digest's time of day lies between them, or quiet hours have ended.
  @Test(
    arguments: [
      (8, 0, 8 * 3600 - 1, false), (8, 0, 8 * 3600, true), (8, 8 * 3600 - 1, 8 * 3600, true),
      (8, 8 * 3600, 8 * 3600 + 1, false), (8, 8 * 3600, 32 * 3600 - 1, false), (8, 8 * 3600, 32 * 3600, true),
      // The evening before, and one that was slept through.
      (23, 20 * 3600, 25 * 3600, true), (23, 24 * 3600, 25 * 3600, false), (0, 20 * 3600, 24 * 3600, true),
      // A clock that was set back begins again.
      (8, 9 * 3600, 7 * 3600, false), (8, 9 * 3600, 8 * 3600, false),
    ] as [(Int64, Int64, Int64, Bool)])
  func digests(digest: Int64, last: Int64, now: Int64, isDue: Bool) {
    var settings = AlertSettings()
    settings.digest = digest * Self.hour
    var state = ChannelState(digestUpTo: after(last))
    state.watchDigest(settings, quietEnd: nil, now: after(now))
    #expect(state.isDigestDue == isDue && state.digestUpTo == after(now) && !state.wasQuiet)
  }

  @Test func digestsAfterQuietHours() {
    let settings = AlertSettings()
    #expect(settings.digest == 8 * Self.hour)
    var state = ChannelState(digestUpTo: after(0))
    for (second, isQuiet, isDue) in [
      (1, false, false), (2, true, false), (3, true, false), (4, false, true),
    ] {
      state.watchDigest(settings, quietEnd: isQuiet ? after(9) : nil, now: after(Int64(second)))
      #expect(state.isDigestDue == isDue && state.wasQuiet == isQuiet, "\(second)")
    }
    // It is due until it was sent.
    state.watchDigest(settings, quietEnd: nil, now: after(5))
    #expect(state.isDigestDue)
  }

  private static func trouble(_ number: Int) -> Trouble {
    Trouble(
      key: .init(rule: "down", part: "\(number)"), subject: .availability, severity: .high,
      name: "c\(number)", since: after(0))
  }

  /// Open incidents of one alert each, that began at 0 s; of some the alert has ended, some are over.
  private func incidents(_ count: Int, quiet: Int = 0, over: Int = 0) -> [Incident] {
    (0..<count).map { number in
      var incident = Incident(
        id: UniqueID(high: 5, low: UInt64(number)), subject: .availability, begin: after(0),
        opened: after(0), at: reading(0).boot)
      let trouble = Self.trouble(number)
      incident.take(trouble, at: reading(0))
      if number < quiet + over { incident.leave(trouble.key, at: reading(1), .recovered) }
      if number < over { incident.end = after(1) }
      return incident
    }
  }

  private let plain = AlertChannel(name: "ops", kind: .exec(ExecChannel(command: ["/bin/true"])))

  /// The notification of a storm at a second; last told at `told`.
  private func kind(
    _ own: [Incident], told: Int64?, at second: Int64, heardOver: Int = 0, _ channel: AlertChannel? = nil
  ) -> AlertMessage.Kind? {
    var storm = Storm(id: UniqueID(high: 9, low: 9), begin: after(0), at: reading(0).boot)
    storm.incidents = Set(own.map(\.id))
    storm.heard = Dictionary(
      uniqueKeysWithValues: own.enumerated().map { ($0.element.id, $0.offset < heardOver) })
    storm.lastAt = told.map { reading($0).boot }
    // A group's wait of 3 s, an interval of 10 s, reminders after 60 s.
    return storm.kind(own, channel ?? plain, quickSettings(), at: reading(second).boot)
  }

  @Test func aStormBegins() {
    #expect(kind(incidents(11), told: nil, at: 2) == nil && kind(incidents(11), told: nil, at: 3) == .opened)
    #expect(kind(incidents(11, quiet: 10), told: nil, at: 3) == .opened)
    #expect(kind(incidents(11, quiet: 11), told: nil, at: 99) == nil)
  }

  @Test func aStormChangesAndEnds() {
    let whole = incidents(12)
    #expect(kind(whole, told: 3, at: 62) == nil && kind(whole, told: 3, at: 63) == .update)
    let less = incidents(12, over: 1)
    #expect(kind(less, told: 3, at: 12) == nil && kind(less, told: 3, at: 13) == .update)
    #expect(kind(less, told: 3, at: 13, heardOver: 1) == nil)
    // One that was over fires again.
    #expect(kind(whole, told: 3, at: 13, heardOver: 1) == .update)
    // Ten are no storm, as soon as an interval is over; none is told at once.
    let few = incidents(12, over: 2)
    #expect(kind(few, told: 3, at: 12) == nil && kind(few, told: 3, at: 13) == .recovered)
    #expect(kind(incidents(12, over: 12), told: 3, at: 4) == .recovered)
    // Nothing fires, and nothing is over yet.
    #expect(kind(incidents(12, quiet: 12), told: 3, at: 900) == nil)
    #expect(kind(incidents(12, quiet: 11), told: 3, at: 63) == .update)
  }

  @Test func aStormIsRepeated() {
    var silent = plain
    silent.updates = false
    #expect(kind(incidents(12), told: 3, at: 900, silent) == nil)
    #expect(kind(incidents(12, over: 1), told: 3, at: 13, silent) == .update)
    let forgetful = makeWebhook("am", .alertmanager)
    for quiet in [0, 12] {
      let own = incidents(12, quiet: quiet)
      #expect(kind(own, told: 3, at: 242, forgetful) == nil)
      #expect(kind(own, told: 3, at: 243, forgetful) == .update)
    }
  }
}
