// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// What others want to know, and how much of it is looked at: one probe of a check at a time, one more for all questions
/// that come meanwhile, and some checks at once. A store that asks without end gets no more than that.
struct AnswerQueue: Sendable {
  /// Checks that are looked at at once.
  static let limit = 16
  /// From one look at a check to the next.
  static let pace: Duration = .seconds(1)

  /// The newest question about each check that no probe has begun for.
  private var open: [UniqueID: Int64] = [:]
  private var order: [UniqueID] = []
  private var running: Set<UniqueID> = []
  private var begun: [UniqueID: Instant] = [:]

  mutating func add(_ question: VoteBook.Question) {
    if open[question.check] == nil { order.append(question.check) }
    open[question.check] = max(open[question.check] ?? 0, question.revision)
  }

  /// What to look at now; each is to be given back.
  mutating func next(at now: Instant) -> [VoteBook.Question] {
    begun = begun.filter { $0.value.duration(to: now) < Self.pace }
    var taken: [VoteBook.Question] = []
    var rest: [UniqueID] = []
    for check in order {
      guard let revision = open[check] else { continue }
      guard running.count < Self.limit, !running.contains(check), begun[check] == nil else {
        rest.append(check)
        continue
      }
      open[check] = nil
      running.insert(check)
      begun[check] = now
      taken.append(VoteBook.Question(check: check, revision: revision))
    }
    order = rest
    return taken
  }

  mutating func done(_ check: UniqueID) { running.remove(check) }
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

  private func answer(_ question: VoteBook.Question) async {
    defer { state.withLock { $0.answers.done(question.check) } }
    guard isOwner(question.check), let check = state.withLock({ $0.book.watched[question.check]?.check })
    else {
      return
    }
    // It is in no window and is not delivered: the check's own schedule goes on as if nothing had been asked.
    let began = time.wall()
    guard let verdict = await probe(check.triedOnce) else { return }
    state.withLock { $0.figures.answered += 1 }
    await tell(check.id, Vote(verdict.state, verdict.reason, answers: question.revision), began: began)
  }
}
