// SPDX-License-Identifier: MIT

import Basics
import Checks
import Monitoring

/// What is probed: each target works most of the time, and is down, slow, silent or of two minds for a while.
///
/// No lock: the simulator has one thread.
final class Targets: @unchecked Sendable {
  enum Mood: CaseIterable {
    case well, slow, refusing, silent, flapping
    /// It is this machine that cannot tell.
    case ownFault
  }

  private struct Target {
    var mood = Mood.well
    var until: Instant
    var dice: Dice
  }

  private let clock: WorldClock
  private let seed: UInt64
  private let meanWell: Duration
  private var targets: [UniqueID: Target] = [:]
  /// All is well from now on.
  var isHealed = false
  /// Results say which address was dialled.
  var havePeers = false
  /// Nothing gets there, for the uplink is down.
  var areCutOff = false
  /// They take and give what they have byte by byte, and some of them nothing of it in time.
  var areSlow = false

  init(_ clock: WorldClock, seed: UInt64, meanWell: Duration) {
    (self.clock, self.seed, self.meanWell) = (clock, seed, meanWell)
  }

  /// It refuses everybody for a while.
  func fail(_ check: UniqueID, for length: Duration) {
    let until = clock.now + length
    targets[check, default: Target(until: until, dice: Dice(seed, "target \(check.low)"))].until = until
    targets[check]?.mood = .refusing
  }

  /// How an attempt at it goes that begins now: what is found, and when.
  func look(at check: MonitoringCheck) -> (outcome: ProbeOutcome, takes: Duration) {
    var target =
      targets[check.id] ?? Target(until: clock.now, dice: Dice(seed, "target \(check.id.low)"))
    defer { targets[check.id] = target }
    while !isHealed, target.until <= clock.now {
      target.mood = target.mood == .well ? Mood.allCases.randomElement(using: &target.dice) ?? .well : .well
      target.until =
        max(target.until, clock.now - .seconds(1))
        + target.dice.about(target.mood == .well ? meanWell : .seconds(900))
    }
    let quick = target.dice.time(.milliseconds(2) ... .milliseconds(300))
    let mood = isHealed ? .well : areCutOff ? .refusing : target.mood
    let peer = havePeers ? Self.peer(of: check) : nil
    let (outcome, takes) = Self.outcome(of: mood, quick, check, peer, &target.dice)
    guard areSlow, !isHealed, outcome.verdict.isSuccess else { return (outcome, takes) }
    return Self.dripping(check, takes)
  }

  /// The body comes for longer than half of the time that there is, and where the answer itself took long, not to its end.
  private static func dripping(_ check: MonitoringCheck, _ takes: Duration) -> (ProbeOutcome, Duration) {
    let long = check.timeout / 2 + takes * 3
    if long < check.timeout { return (ProbeOutcome(.ok, responseTime: takes), long) }
    let verdict = Verdict(.transferTimeout, phase: .transfer, message: "the body did not end in time")
    return (ProbeOutcome(verdict, responseTime: takes), check.timeout)
  }

  private static func peer(of check: MonitoringCheck) -> SocketAddress? {
    guard case .tcp(let tcp) = check.kind, let address = IPAddress(tcp.host) else { return nil }
    return SocketAddress(address, port: tcp.port)
  }

  private static func outcome(
    of mood: Mood, _ quick: Duration, _ check: MonitoringCheck, _ peer: SocketAddress?, _ dice: inout Dice
  ) -> (ProbeOutcome, Duration) {
    switch mood {
    case .well: return (ProbeOutcome(.ok, responseTime: quick, peer: peer), quick)
    case .slow:
      let long = quick + .milliseconds(1500)
      return (ProbeOutcome(.ok, responseTime: long, peer: peer), long)
    case .refusing:
      let verdict = Verdict(.connectRefused, phase: .connect, message: "connection refused")
      return (ProbeOutcome(verdict, responseTime: quick, peer: peer), quick)
    case .silent:
      let verdict = Verdict(.connectTimeout, phase: .connect, message: "no answer", timedOut: true)
      return (ProbeOutcome(verdict, responseTime: check.timeout, peer: peer), check.timeout)
    case .flapping: return outcome(of: dice.pick([.well, .refusing, .silent]), quick, check, peer, &dice)
    case .ownFault: return (ProbeOutcome(Verdict(.localFault, phase: .connect, message: "no route")), quick)
    }
  }
}

/// The one probe of a life, for checks of every kind.
struct ScriptedProbe: Probe {
  let targets: Targets
  let life: Life
  let room: AnswerRoom
  let given: GivenAnswers
  /// At what another check depends on, beside its schedule.
  var isLook = false

  func probe(
    _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
  ) async throws(CancellationError) -> Probed {
    let start = life.clock.now
    if !isLook { given.begin(attempt.check.id, at: start) }
    guard await room.enter(within: start.duration(to: attempt.deadline)) else {
      if Task.isCancelled || !life.isAlive { throw CancellationError() }
      guard room.patience != nil else {
        if !isLook { given.postpone(attempt.check.id) }
        return .postponed(by: .seconds(4))
      }
      var outcome = ProbeOutcome(
        Verdict(.localFault, phase: .prepare, message: "the answers under way hold all that they may"))
      outcome.held = start.duration(to: life.clock.now)
      outcome.isHeldBack = true
      return .done(outcome)
    }
    defer { room.leave() }
    let held = start.duration(to: life.clock.now)
    var (outcome, takes) = targets.look(at: attempt.check)
    outcome.held = held
    if !isLook { given.note(outcome.verdict, of: attempt.check.id, held: held) }
    try await life.time.sleep(for: takes)
    if isLook {
      given.looked(at: attempt.check.id, begun: start, outcome.verdict)
    } else {
      given.end(attempt.check.id, at: life.clock.now)
    }
    return .done(outcome)
  }
}
