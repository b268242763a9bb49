// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization

/// Takes what jobs report and tells the probe of it: the book, the time, and who may write in it.
package final class HeartbeatDesk: Sendable {
  /// A token and whose it is.
  private struct Door {
    let check: UniqueID
    let token: [UInt8]
    /// Reports of the minute that began then.
    var minute: Instant
    var taken = 0
  }

  private struct State {
    var book = HeartbeatBook()
    var doors: [Door] = []
    var elsewhere: Asking?
  }

  /// Asks another process how a job is; nil: it does not know either.
  package typealias Asking = @Sendable (MonitoringCheck) async -> ProbeOutcome?

  /// Reports that a check takes within a minute.
  package static let reportsAMinute = 60

  private let state = Mutex(State())
  private let time: TimeSource

  package init(time: TimeSource) { self.time = time }

  /// What was known before the process began; before the checks are followed.
  package func restore(_ book: HeartbeatBook) { state.withLock { $0.book = book } }

  package var book: HeartbeatBook { state.withLock(\.book) }

  /// Takes over other checks, from now on. What the others have reported is forgotten.
  package func follow(_ checks: [MonitoringCheck]) {
    let now = time.instant()
    let doors = checks.compactMap { check -> Door? in
      guard case .heartbeat(let settings) = check.kind else { return nil }
      return Door(check: check.id, token: Self.padded(settings.token.reveal()), minute: now)
    }
    state.withLock { state in
      state.book.keep(doors.map(\.check), now: now)
      let before = state.doors
      state.doors = doors.map { door in
        before.first { $0.check == door.check && $0.token == door.token } ?? door
      }
    }
  }

  /// Takes as long whichever token it is, and for one that nobody has.
  package func take(_ report: HeartbeatReport, token: String) -> HeartbeatAnswer {
    let now = time.instant()
    let shown = Self.padded(token)
    let isPossible = CheckLimits.heartbeatToken.contains(token.utf8.count) && !token.utf8.contains(0)
    return state.withLock { state in
      var found: Int?
      for (place, door) in state.doors.enumerated() {
        let isSame = equalInConstantTime(shown, door.token)
        if isSame, isPossible { found = place }
      }
      guard let place = found else { return .unknown }
      if state.doors[place].minute.duration(to: now) >= .seconds(60) {
        (state.doors[place].minute, state.doors[place].taken) = (now, 0)
      }
      guard state.doors[place].taken < Self.reportsAMinute else { return .tooMany }
      state.doors[place].taken += 1
      state.book.take(report, of: state.doors[place].check, now: now)
      return .taken
    }
  }

  /// The sender of the last report with this token is asked to send it once more.
  package func mayRepeat(token: String) {
    let shown = Self.padded(token)
    state.withLock { state in
      guard let door = state.doors.first(where: { equalInConstantTime(shown, $0.token) }) else { return }
      state.book.mayRepeat(door.check)
    }
  }

  /// For a process that nobody reports to: who is to be asked.
  package func ask(_ elsewhere: @escaping Asking) { state.withLock { $0.elsewhere = elsewhere } }

  /// How the job is; nil: nobody knows.
  func look(at check: MonitoringCheck) async -> ProbeOutcome? {
    if let outcome = outcome(of: check) { return outcome }
    return await state.withLock(\.elsewhere)?(check)
  }

  /// How the job is; nil: no such check is followed here.
  func outcome(of check: MonitoringCheck) -> ProbeOutcome? {
    guard case .heartbeat(let settings) = check.kind, let page = state.withLock({ $0.book.pages[check.id] })
    else { return nil }
    return HeartbeatJudge(settings).judge(page, at: time.reading())
  }

  /// Of one length, whatever it is; no token has a zero in it.
  private static func padded(_ token: String) -> [UInt8] {
    let length = CheckLimits.heartbeatToken.upperBound
    var bytes = Array(token.utf8.prefix(length))
    bytes += [UInt8](repeating: 0, count: length - bytes.count)
    return bytes
  }
}
