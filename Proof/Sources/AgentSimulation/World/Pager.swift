// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring

/// Who is told of incidents, and the way there.
///
/// No lock: the simulator has one thread.
final class Pager: @unchecked Sendable {
  enum Mood: CaseIterable {
    case well, refusing
    /// It was told, and the answer is lost.
    case mute
    case slow
  }

  private let clock: WorldClock
  private var dice: Dice
  var mood = Mood.well
  /// Told of each message that arrives, again when it comes again.
  var observe: (AlertMessage) -> Void = { _ in }

  init(_ clock: WorldClock, seed: UInt64) {
    self.clock = clock
    dice = Dice(seed, "pager")
  }

  func take(_ message: AlertMessage, _ answer: @escaping (SendOutcome) -> Void) {
    let mood = mood
    let way =
      mood == .slow
      ? dice.time(.seconds(1) ... .seconds(9)) : dice.time(.milliseconds(5) ... .milliseconds(300))
    clock.after(way) {
      if mood != .refusing { self.observe(message) }
      self.clock.after(way) {
        switch mood {
        case .well, .slow: answer(.delivered)
        case .refusing: answer(.failed("connection refused", isUnreachable: true))
        case .mute: answer(.failed("no answer came"))
        }
      }
    }
  }
}

/// The way of one life to it.
struct LifePager: MessageSending {
  let pager: Pager
  let life: Life
  /// Told when the life knows that a message was taken.
  let acknowledged: @Sendable (AlertMessage) -> Void

  func send(_ message: AlertMessage, by channel: AlertChannel, to recipients: [String]?) async -> SendOutcome
  {
    guard let outcome: SendOutcome = await life.answer({ pager.take(message, $0) }) else {
      return .failed("stopped")
    }
    if outcome == .delivered, life.isAlive { acknowledged(message) }
    return outcome
  }
}
