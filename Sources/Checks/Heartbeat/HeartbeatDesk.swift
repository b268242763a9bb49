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
    let settings: HeartbeatSettings
    /// Reports of the minute that began then.
    var minute: Instant
    var taken = 0
  }

  private struct State {
    var book = HeartbeatBook()
    var doors: [Door] = []
    var elsewhere: Asking?
    /// When it was last seen to run; `nil` where nothing watches over that.
    var alive: Instant?
    /// The last time in which no report was taken.
    var absence: HeartbeatBook.Absence?

    mutating func excuse(_ reading: ClockReading) {
      guard let absence else { return }
      for door in doors { book.excuse(door.check, absence, by: HeartbeatJudge(door.settings), at: reading) }
    }

    /// A gap since the last look is an absence: the machine slept, or the process was stopped.
    mutating func look(_ reading: ClockReading) {
      guard let last = alive else { return }
      alive = reading.boot
      guard last.duration(to: reading.boot) > HeartbeatDesk.longestGap else { return }
      absence = HeartbeatBook.Absence(from: last, until: reading.boot)
      excuse(reading)
    }
  }

  /// Asks another process how a job is; nil: it does not know either.
  package typealias Asking = @Sendable (MonitoringCheck) async -> ProbeOutcome?

  /// Between two calls of `watch` while jobs are waited for.
  package static let watchEvery: Duration = .seconds(5)
  /// Longest time between two looks in which the process is taken to have run. The shortest period is 10 s.
  static let longestGap: Duration = .seconds(12)

  /// Reports that a check takes within a minute.
  static let reportsAMinute = 60

  private let state = Mutex(State())
  private let time: TimeSource

  package init(time: TimeSource) { self.time = time }

  /// Takes over what was saved before the process began, before the checks are followed. No report was taken since then.
  package func restore(_ book: HeartbeatBook) {
    let now = time.instant()
    state.withLock { state in
      state.book = book
      state.absence = book.savedAt.map { HeartbeatBook.Absence(from: $0, until: now) }
    }
  }

  /// Notes that the process runs. Called every `watchEvery`.
  ///
  /// - Returns: whether any job is waited for.
  @discardableResult package func watch() -> Bool {
    let now = time.reading()
    return state.withLock { state in
      state.alive = state.alive ?? now.boot
      state.look(now)
      return !state.doors.isEmpty
    }
  }

  /// Checks whose report is missed now.
  package var missed: Set<UniqueID> {
    let now = time.reading()
    return state.withLock { state in
      let missed = state.doors.filter { door in
        guard let page = state.book.pages[door.check] else { return false }
        let verdict = HeartbeatJudge(door.settings).judge(page, at: now).verdict
        return verdict.reason == .heartbeatMissed && verdict.state == .down
      }
      return Set(missed.map(\.check))
    }
  }

  package var book: HeartbeatBook { state.withLock(\.book) }

  /// Applies another list of checks. Reports of checks that are gone are dropped.
  package func follow(_ checks: [MonitoringCheck]) {
    let reading = time.reading()
    let now = reading.boot
    let doors = checks.compactMap { check -> Door? in
      guard case .heartbeat(let settings) = check.kind else { return nil }
      return Door(
        check: check.id, token: Self.padded(settings.token.reveal()), settings: settings, minute: now)
    }
    state.withLock { state in
      state.book.keep(doors.map(\.check), now: now)
      let before = state.doors
      // Looks were rare while no job was waited for.
      if before.isEmpty { state.alive = nil }
      state.doors = doors.map { door in
        guard let known = before.first(where: { $0.check == door.check && $0.token == door.token }) else {
          return door
        }
        var door = door
        (door.minute, door.taken) = (known.minute, known.taken)
        return door
      }
      state.excuse(reading)
    }
  }

  /// Takes as long whichever token it is, also for an unknown one.
  package func take(_ report: HeartbeatReport, token: String) -> HeartbeatAnswer {
    let reading = time.reading()
    let now = reading.boot
    let shown = Self.padded(token)
    let isPossible = CheckLimits.heartbeatToken.contains(token.utf8.count) && !token.utf8.contains(0)
    return state.withLock { state in
      state.look(reading)
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

  /// For a process that takes no reports: where to ask.
  package func ask(_ elsewhere: @escaping Asking) { state.withLock { $0.elsewhere = elsewhere } }

  /// State of the job. `nil` where it is not known.
  func look(at check: MonitoringCheck) async -> ProbeOutcome? {
    if let outcome = outcome(of: check) { return outcome }
    return await state.withLock(\.elsewhere)?(check)
  }

  /// How the job is; nil: no such check is followed here.
  func outcome(of check: MonitoringCheck) -> ProbeOutcome? {
    guard case .heartbeat(let settings) = check.kind else { return nil }
    let reading = time.reading()
    let page = state.withLock { state in
      state.look(reading)
      return state.book.pages[check.id]
    }
    return page.map { HeartbeatJudge(settings).judge($0, at: reading) }
  }

  /// Of one length, whatever it is; no token has a zero in it.
  private static func padded(_ token: String) -> [UInt8] {
    let length = CheckLimits.heartbeatToken.upperBound
    var bytes = Array(token.utf8.prefix(length))
    bytes += [UInt8](repeating: 0, count: length - bytes.count)
    return bytes
  }
}
