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
    return Self.outcome(of: isHealed ? .well : target.mood, quick, check, &target.dice)
  }

  private static func outcome(
    of mood: Mood, _ quick: Duration, _ check: MonitoringCheck, _ dice: inout Dice
  ) -> (ProbeOutcome, Duration) {
    switch mood {
    case .well: return (ProbeOutcome(.ok, responseTime: quick), quick)
    case .slow:
      let long = quick + .milliseconds(1500)
      return (ProbeOutcome(.ok, responseTime: long), long)
    case .refusing:
      let verdict = Verdict(.connectRefused, phase: .connect, message: "connection refused")
      return (ProbeOutcome(verdict, responseTime: quick), quick)
    case .silent:
      let verdict = Verdict(.connectTimeout, phase: .connect, message: "no answer", timedOut: true)
      return (ProbeOutcome(verdict, responseTime: check.timeout), check.timeout)
    case .flapping: return outcome(of: dice.pick([.well, .refusing, .silent]), quick, check, &dice)
    case .ownFault: return (ProbeOutcome(Verdict(.localFault, phase: .connect, message: "no route")), quick)
    }
  }
}

/// The one probe of a life, for checks of every kind.
struct ScriptedProbe: Probe {
  let targets: Targets
  let life: Life

  func probe(
    _ attempt: Attempt, at addresses: [SocketAddress], dns: Duration?
  ) async throws(CancellationError) -> Probed {
    let (outcome, takes) = targets.look(at: attempt.check)
    try await life.time.sleep(for: takes)
    return .done(outcome)
  }
}
