// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Questions of other places, and the limits on answering them: one probe of a check at a time, one more for all
/// questions that come meanwhile, and some checks at once. A store that asks without end gets no more than that, and a
/// question that was withdrawn is not answered.
struct AnswerQueue: Sendable {
  struct Question: Hashable, Sendable {
    var check: UniqueID
    var revision: Int64
  }

  /// Checks that are looked at at once.
  static let limit = 16
  /// From one look at a check to the next.
  static let pace: Duration = .seconds(1)

  /// The newest question about each check that no probe has begun for.
  private var open: [UniqueID: Int64] = [:]
  /// Entries that are not open any more are passed over.
  private var order: [UniqueID] = []
  private var running: [UniqueID: Int64] = [:]
  private var begun: [UniqueID: Instant] = [:]

  mutating func add(_ question: Question) {
    guard running[question.check] ?? 0 < question.revision else { return }
    if open.updateValue(question.revision, forKey: question.check) == nil { order.append(question.check) }
  }

  /// No place asks about this check any more.
  mutating func drop(_ check: UniqueID) { open[check] = nil }

  /// Questions to answer now; each is to be given back.
  mutating func next(at now: Instant) -> [Question] {
    begun = begun.filter { $0.value.duration(to: now) < Self.pace }
    var taken: [Question] = []
    var rest: [UniqueID] = []
    var seen: Set<UniqueID> = []
    for check in order where seen.insert(check).inserted {
      guard let revision = open[check] else { continue }
      guard running.count < Self.limit, running[check] == nil, begun[check] == nil else {
        rest.append(check)
        continue
      }
      open[check] = nil
      running[check] = revision
      begun[check] = now
      taken.append(Question(check: check, revision: revision))
    }
    order = rest
    return taken
  }

  mutating func done(_ check: UniqueID) { running[check] = nil }
}

// Looking when others ask.
extension QuorumDesk {
  func answer() async {
    await withDiscardingTaskGroup { group in
      repeat {
        let now = time.instant()
        for question in state.withLock({ $0.answers.next(at: now) }) {
          group.addTask { await self.answer(question) }
        }
      } while (try? await time.sleep(for: Self.pace)) != nil
    }
  }

  private func answer(_ question: AnswerQueue.Question) async {
    defer { state.withLock { $0.answers.done(question.check) } }
    guard let check = state.withLock({ $0.watched[question.check]?.check }) else { return }
    // It is in no window and is not delivered: the check's own schedule goes on as if nothing had been asked.
    let began = time.wall()
    guard let verdict = await probe(check.triedOnce) else { return }
    state.withLock { $0.figures.answered += 1 }
    say(check.id, Vote(verdict.state, verdict.reason, answers: question.revision), began: began)
  }
}
