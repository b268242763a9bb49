// SPDX-License-Identifier: MIT

import Basics
import Logging
import Monitoring
import QuartzAPI
import StatusServer
import Synchronization

/// Runs what people ask for in the Quartz apps: each ask once, where this agent runs the check.
///
/// The receiver offers an ask until it is answered or over, so that a restart loses none.
final class AskDesk: Sendable {
  private struct Taken {
    var ask: ContactWords.Ask
    var at: Timestamp
  }

  private let isRunHere: @Sendable (UniqueID) -> Bool
  private let log: Logger
  private let time: TimeSource
  /// Newest last.
  private let taken = Mutex<[Taken]>([])
  private let (asks, bell) = AsyncStream<ContactWords.Ask>.makeStream(bufferingPolicy: .bufferingOldest(most))

  /// Asks that are remembered, and that may wait.
  private static let most = 500
  /// A run by hand of the same check is under way, or all places for such runs are taken.
  private static let patience: Duration = .milliseconds(250)

  /// - Parameter isRunHere: whether a check is this agent's, in a group as its owner.
  init(isRunHere: @escaping @Sendable (UniqueID) -> Bool, log: Logger, time: TimeSource) {
    (self.isRunHere, self.log, self.time) = (isRunHere, log, time)
  }

  var contact: ContactDesk {
    ContactDesk(can: ["list", "asks"]) { [self] in
      hear($0.asks)
    } ask: { [self] in
      ask(of: $0)
    }
  }

  /// What the receiver offers.
  func hear(_ offered: [ContactWords.Ask]) {
    let now = time.wall()
    let mine = offered.filter { isRunHere($0.check) }
    let new = taken.withLock { taken in
      let known = Set(taken.map(\.ask.id))
      let new = mine.filter { !known.contains($0.id) }
      taken += new.map { Taken(ask: $0, at: now) }
      if taken.count > Self.most { taken.removeFirst(taken.count - Self.most) }
      return new
    }
    for ask in new { bell.yield(ask) }
  }

  /// The ask that a result answers: the newest of its check in whose time it was started, however late it is delivered.
  func ask(of record: DeliveryRecord) -> UniqueID? {
    guard record.trigger == .manual else { return nil }
    let taken = taken.withLock { taken in
      taken.last { $0.ask.check == record.checkID && $0.at <= record.startedAt }
    }
    guard let taken, record.startedAt <= taken.at.advanced(by: taken.ask.expires) else { return nil }
    return taken.ask.id
  }

  /// Until the task is cancelled.
  ///
  /// - Parameters:
  ///   - perform: runs a check now.
  ///   - hurry: a result is waited for.
  func run(
    perform: @escaping @Sendable (UniqueID) async -> RunNowOutcome, hurry: @escaping @Sendable () -> Void
  ) async {
    await withDiscardingTaskGroup { group in
      for await ask in asks {
        group.addTask { await self.answer(ask, perform, hurry) }
      }
    }
  }

  private func answer(
    _ ask: ContactWords.Ask, _ perform: @Sendable (UniqueID) async -> RunNowOutcome,
    _ hurry: @Sendable () -> Void
  ) async {
    let due = time.instant() + ask.expires
    var why = "it is over"
    repeat {
      switch await perform(ask.check) {
      case .done(let result):
        hurry()
        log.info(
          "ran a check because somebody asked for it in Quartz",
          metadata: ["check": "\(result.check)", "ask": "\(ask.id)"])
        return
      case .busy(let words): why = words
      case .noSuchCheck: why = "the check is not enabled here"
      case .stopping: return
      }
      guard (try? await time.sleep(for: Self.patience)) != nil else { return }
    } while time.instant() < due
    log.warning(
      "did not run a check that somebody asked for in Quartz",
      metadata: ["ask": "\(ask.id)", "problem": "\(why)"])
  }
}
