// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Groups

/// The rule of `confirm`: every combination of what three places may find, and what holds for all of them.
@Suite struct QuorumRuleTests {
  /// What another place may be.
  enum Other: CaseIterable {
    case up, down, degraded, unknown
    /// Alive, with an older word that it is up, and without an answer.
    case silent
    case dead

    func vote() -> PlaceVote? {
      switch self {
      case .up: PlaceVote(.up, .ok, hasAnswered: true)
      case .down: PlaceVote(.down, .connectRefused, hasAnswered: true)
      case .degraded: PlaceVote(.degraded, .responseTime, hasAnswered: true)
      case .unknown: PlaceVote(.unknown, .localFault, hasAnswered: true)
      case .silent: PlaceVote(.up, .ok)
      // What it wrote last may still be in a cache.
      case .dead: PlaceVote(.down, .connectRefused, hasAnswered: true)
      }
    }
  }

  static let own: [Verdict] = [
    .ok, Verdict(.connectTimeout, phase: .connect, message: "no reply"),
    Verdict(.responseTime, phase: .assertion, degraded: true), Verdict(.localFault, phase: .prepare),
  ]

  private func decide(
    _ own: Verdict, _ paris: Other, _ ny: Other, from: Int, asked: Duration? = .seconds(20)
  ) -> QuorumRule.Decision {
    let rule = QuorumRule(ConfirmSettings(from: from, of: ["london", "paris", "ny"]), place: "london")
    let others = ["paris": paris, "ny": ny]
    return rule.decide(
      own, votes: others.compactMapValues { $0.vote() },
      alive: Set(others.filter { $0.value != .dead }.keys), asked: asked)
  }

  private func settled(_ own: Verdict, _ paris: Other, _ ny: Other, from: Int) throws -> QuorumVerdict {
    guard case .settled(let confirmation) = decide(own, paris, ny, from: from) else {
      throw StillWaiting()
    }
    return confirmation
  }

  private struct StillWaiting: Error {}

  private func result(_ confirmation: QuorumVerdict) throws -> CheckResult {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host) = ("A", "ping", "a.example")
    let check = try MonitoringCheck(definition, patterns: .unchecked)
    return CheckResult(
      id: check.id, check: check, trigger: .schedule, scheduledAt: .epoch, startedAt: .epoch, late: .zero,
      verdict: confirmation.own
    ).settled(by: confirmation)
  }

  /// Written down apart from the rule: 4 verdicts here, 6 by 6 there, from 1 to 3.
  @Test func everyCombinationOfThreePlaces() throws {
    for own in Self.own {
      for paris in Other.allCases {
        for ny in Other.allCases {
          for from in 1...3 {
            let confirmation = try settled(own, paris, ny, from: from)
            let downs = [paris, ny].count { $0 == .down } + (own.state == .down ? 1 : 0)
            let alive = [paris, ny].count { $0 != .dead } + 1
            let wanted: QuorumVerdict.Outcome =
              switch (own.state == .down, downs >= from, alive >= from) {
              case (true, true, _): .confirmed
              case (false, true, _): .outvoted
              case (true, false, true): .regional
              case (true, false, false): .unconfirmed
              case (false, false, _): .own
              }
            let label: Comment = "\(own.state) \(paris) \(ny) from \(from)"
            #expect(confirmation.outcome == wanted, label)
            #expect(confirmation.down == downs && confirmation.alive == alive, label)
            #expect(confirmation.places.map(\.place) == ["london", "paris", "ny"], label)
            let result = try result(confirmation)
            let state: CheckState =
              switch wanted {
              case .confirmed, .outvoted, .unconfirmed: .down
              case .regional: .degraded
              case .own: own.state
              }
            #expect(result.state == state, label)
            // Nothing is unknown for want of others, and what was measured is kept.
            #expect(result.state != .unknown || own.state == .unknown, label)
            #expect(result.ownVerdict == own, label)
          }
        }
      }
    }
  }

  @Test func twoOfThreeConfirm() throws {
    let result = try result(settled(Self.own[1], .down, .up, from: 2))
    #expect((result.state, result.reason) == (.down, .connectTimeout))
    #expect(result.message == "no reply; confirmed 2/3; ny up")
  }

  @Test func oneOfThreeIsRegional() throws {
    let result = try result(settled(Self.own[1], .up, .silent, from: 2))
    #expect((result.state, result.reason, result.phase) == (.degraded, .regional, nil))
    #expect(
      result.message == "down in 1 of 3 places; london connect_timeout, paris up, ny up (silent)")
  }

  @Test func aloneItsOwnWordHoldsAndIsFlagged() throws {
    let result = try result(settled(Self.own[1], .dead, .dead, from: 2))
    #expect((result.state, result.reason) == (.down, .connectTimeout))
    #expect(result.message == "no reply; unconfirmed: 1 of 3 places alive; paris gone, ny gone")
    #expect(result.json.contains("\"unconfirmed\":true"))
  }

  @Test func theOthersMayFindMore() throws {
    let result = try result(settled(.ok, .down, .down, from: 2))
    #expect((result.state, result.reason) == (.down, .regional))
    #expect(
      result.message
        == "down in 2 of 3 places, though not here; london up, paris connect_refused, ny connect_refused")
    let record = DeliveryRecord(result, agent: "a", flags: [.post])
    // What is delivered was measured here; what counts is what the places came to.
    #expect((record.state, record.reason, record.message) == (.up, .ok, nil))
    #expect(record.judged.state == .down && record.judged.reason == .regional)
  }

  @Test func aRegionalFailureIsDeliveredAsMeasured() throws {
    let result = try result(settled(Self.own[1], .up, .up, from: 2))
    let record = DeliveryRecord(result, agent: "a", flags: [.post])
    #expect((record.state, record.reason, record.message) == (.down, .connectTimeout, "no reply"))
    #expect(record.status == .timeout)
    #expect(record.judged.state == .degraded && record.judged.reason == .regional)
  }

  /// Waits for whoever is alive and has not answered, until the time is over, and for nobody else.
  @Test func itWaitsForTheLivingOnly() {
    for paris in Other.allCases {
      for ny in Other.allCases {
        for asked in [nil, Duration.zero, .milliseconds(19_999), .seconds(20)] {
          let waits = asked.map { $0 < .seconds(20) } == true && (paris == .silent || ny == .silent)
          #expect(
            (decide(Self.own[1], paris, ny, from: 2, asked: asked) == .wait) == waits,
            "\(paris) \(ny) \(asked.map { "\($0)" } ?? "not asked")")
          // What is not down here is never kept waiting.
          #expect(decide(.ok, paris, ny, from: 2, asked: asked) != .wait)
        }
      }
    }
  }

  /// Who looks makes no difference: places that see the same votes come to the same state, unless too few are alive.
  @Test func everyPlaceComesToTheSameVerdict() throws {
    var random = SystemRandomNumberGenerator()
    let names = ["a", "b", "c", "d", "e"]
    let words: [(CheckState, Reason)] = [(.up, .ok), (.down, .body), (.unknown, .localFault)]
    for _ in 0..<2000 {
      let alive = names.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
      let said = Dictionary(
        uniqueKeysWithValues: alive.map { ($0, words.randomElement(using: &random) ?? words[0]) })
      let from = Int.random(in: 1...5, using: &random)
      let downs = said.values.count { $0.0 == .down }
      for place in alive {
        let verdict = Verdict(said[place]?.1 ?? .ok)
        let rule = QuorumRule(ConfirmSettings(from: from, of: names), place: place)
        let decision = rule.decide(
          verdict, votes: said.filter { $0.key != place }.mapValues { PlaceVote($0.0, $0.1) },
          alive: Set(alive), asked: nil)
        guard case .settled(let confirmation) = decision else { throw StillWaiting() }
        let state = try result(confirmation).state
        #expect((state == .down) == (downs >= from || alive.count < from && verdict.state == .down))
        // A dissenting place is never hidden.
        #expect(confirmation.places.count == names.count)
      }
    }
  }
}
