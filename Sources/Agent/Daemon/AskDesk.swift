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
    var boot: Instant
  }

  private struct State {
    /// Newest last.
    var taken: [Taken] = []
    /// Those under way.
    var open = 0
    /// Checks of other agents with an ask in the last answer, and when it is over.
    var elsewhere: [UniqueID: Instant] = [:]
  }

  private let isRunHere: @Sendable (UniqueID) -> Bool
  private let log: Logger
  private let time: TimeSource
  private let state = Mutex(State())
  private let (asks, bell) = AsyncStream<ContactWords.Ask>.makeStream(bufferingPolicy: .bufferingOldest(most))

  /// Asks that are remembered, and that are under way at once: more of them are taken when they are offered again.
  private static let (most, mostOpen) = (500, 100)
  /// Between two asks of a check: what the API sends sets no pace that its checks may not have.
  private static let spacing: Duration = .seconds(5)
  /// A run by hand of the same check is under way, or all places for such runs are taken.
  private static let patience: Duration = .milliseconds(250)

  /// - Parameter isRunHere: whether a check is this agent's, in a group as its owner.
  init(isRunHere: @escaping @Sendable (UniqueID) -> Bool, log: Logger, time: TimeSource) {
    (self.isRunHere, self.log, self.time) = (isRunHere, log, time)
  }

  /// Takes the open asks of an answer.
  func hear(_ offered: [ContactWords.Ask]) {
    let now = time.reading()
    let mine = Set(offered.map(\.check).filter(isRunHere))
    let new = state.withLock { state in
      state.elsewhere = [:]
      for ask in offered where !mine.contains(ask.check) {
        state.elsewhere[ask.check] = now.boot + ask.expires
      }
      return offered.filter { mine.contains($0.check) && Self.take($0, &state, now) }
    }
    for ask in new { bell.yield(ask) }
  }

  /// Whether a check has become this agent's for which another was asked: the receiver knows whether that ask is still open.
  /// Says so once.
  func hasTakenOver() -> Bool {
    let now = time.instant()
    let asked = state.withLock(\.elsewhere).filter { $0.value > now && isRunHere($0.key) }
    guard !asked.isEmpty else { return false }
    state.withLock { state in
      for check in asked.keys { state.elsewhere[check] = nil }
    }
    return true
  }

  private static func take(_ ask: ContactWords.Ask, _ state: inout State, _ now: ClockReading) -> Bool {
    guard state.open < mostOpen, !state.taken.contains(where: { $0.ask.id == ask.id }) else { return false }
    let last = state.taken.last { $0.ask.check == ask.check }
    if let last, last.boot.duration(to: now.boot) < spacing { return false }
    state.taken.append(Taken(ask: ask, at: now.wall, boot: now.boot))
    if state.taken.count > most { state.taken.removeFirst() }
    state.open += 1  // bounded: below `mostOpen`, as was asked before
    return true
  }

  /// The ask that a result answers: the newest of its check in whose time it was started, however late it is delivered.
  func ask(of record: DeliveryRecord) -> UniqueID? {
    guard record.trigger == .manual else { return nil }
    let taken = state.withLock { state in
      state.taken.last { $0.ask.check == record.checkID && $0.at <= record.startedAt }
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
    defer { state.withLock { $0.open -= 1 } }  // bounded: once for each that was taken
    let due = time.instant() + ask.expires
    var why: String
    repeat {
      switch await perform(ask.check) {
      case .done(let result):
        hurry()
        log.info(
          "ran a check that was asked for in Quartz",
          metadata: ["check": "\(result.check)", "ask": "\(ask.id)"])
        return
      case .busy(let words): why = words
      case .noSuchCheck: why = "the check is not enabled here"
      case .stopping: return
      }
      guard (try? await time.sleep(for: Self.patience)) != nil else { return }
    } while time.instant() < due
    log.warning(
      "did not run a check that was asked for in Quartz",
      metadata: ["ask": "\(ask.id)", "problem": "\(why)"])
  }
}
