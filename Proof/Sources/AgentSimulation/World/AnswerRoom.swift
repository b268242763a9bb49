// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// What the answers under way may hold together, as the probes of one process meet it: who finds no room waits for it, in the
/// order of coming, and who has waited too long goes without having asked its target anything.
///
/// No lock: the simulator has one thread.
final class AnswerRoom: @unchecked Sendable {
  private final class Turn {
    var isTaken = false
    let tell: (Bool) -> Void
    init(_ tell: @escaping (Bool) -> Void) { self.tell = tell }
  }

  /// How many may have an answer under way.
  var places = AnswerRoom.many {
    didSet { serve() }
  }
  /// How long one waits; nil: not at all, it comes again later.
  var patience: Duration?
  private var taken = 0
  private var queue: [Turn] = []
  private let life: Life

  /// No check of any world is held back by so many.
  static let many = 64

  init(_ life: Life) { self.life = life }

  /// False: there was no room in time, or nobody wants it any more.
  ///
  /// - Parameter limit: of the attempt, which waits no longer than it may last.
  func enter(within limit: Duration) async -> Bool {
    if queue.isEmpty, taken < places {
      taken += 1
      return true
    }
    guard let patience else { return false }
    var turn: Turn?
    let isServed: Bool? = await life.answer { tell in
      let own = Turn(tell)
      turn = own
      queue.append(own)
      life.after(min(patience, limit)) { [self] in
        guard !own.isTaken, leaveQueue(own) else { return }
        own.tell(false)
      }
    }
    if isServed == nil, let turn { if turn.isTaken { leave() } else { _ = leaveQueue(turn) } }
    return isServed ?? false
  }

  func leave() {
    taken -= 1
    serve()
  }

  private func serve() {
    while taken < places, !queue.isEmpty {
      let next = queue.removeFirst()
      taken += 1
      next.isTaken = true
      next.tell(true)
    }
  }

  private func leaveQueue(_ turn: Turn) -> Bool {
    guard let place = queue.firstIndex(where: { $0 === turn }) else { return false }
    queue.remove(at: place)
    return true
  }
}
