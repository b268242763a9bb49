// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// What the targets gave to the probes of one process, by check: a verdict is made of that and of nothing else.
///
/// No lock: the simulator has one thread.
final class GivenAnswers: @unchecked Sendable {
  enum Answer: String {
    case works = "works"
    case fails = "fails"
    /// The probe could not tell, or asked nobody.
    case nothing = "said nothing"
  }

  /// The last attempt of a run.
  struct Given {
    var answer = Answer.nothing
    var begun: Instant
    var ended: Instant
    /// It had to wait for room, so that the agent's attempt began at another instant.
    var isHeld = false
  }

  /// An attempt at a canary or a parent, beside the schedule.
  struct Look {
    var begun: Instant
    var answer: Answer
  }

  private var last: [UniqueID: Given] = [:]
  private var postponed: Set<UniqueID> = []
  /// Of each check the last ones.
  private(set) var looks: [UniqueID: [Look]] = [:]

  subscript(check: UniqueID) -> Given? { last[check] }

  func begin(_ check: UniqueID, at now: Instant) {
    let isHeld = postponed.remove(check) != nil
    last[check] = Given(begun: now, ended: now, isHeld: isHeld)
  }

  /// The attempt comes again later.
  func postpone(_ check: UniqueID) { postponed.insert(check) }

  func note(_ verdict: Verdict, of check: UniqueID, held: Duration) {
    if held > .zero { last[check]?.isHeld = true }
    last[check]?.answer = Answer(verdict)
  }

  func end(_ check: UniqueID, at now: Instant) { last[check]?.ended = now }

  func looked(at check: UniqueID, begun: Instant, _ verdict: Verdict) {
    looks[check, default: []].append(Look(begun: begun, answer: Answer(verdict)))
    if looks[check, default: []].count > 60 { looks[check]?.removeFirst(30) }
  }

  /// Whether a look at a check that began since then had one of these answers.
  func saw(_ check: UniqueID, since start: Instant, _ answers: Answer...) -> Bool {
    looks[check]?.contains { $0.begun >= start && answers.contains($0.answer) } ?? false
  }
}

extension GivenAnswers.Answer {
  fileprivate init(_ verdict: Verdict) {
    self =
      switch verdict.state {
      case .up, .degraded: .works
      case .down: .fails
      case .unknown: .nothing
      }
  }
}
