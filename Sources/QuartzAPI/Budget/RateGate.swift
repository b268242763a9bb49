// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// The door through which every request to one origin goes: uploads, pulls, sign-ins and heartbeats share a budget.
package actor RateGate {
  package nonisolated let time: SteadyTime
  private let file: any DurableBytes
  private let limits: RateBudget.Limits
  /// `nil` until the last run's requests were read.
  private var budget: RateBudget?
  private var isReading = false
  private var isWriting = false
  /// For what is being read, or written.
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// Why the requests of the run before are not known.
  private var storeProblem: String?
  /// How far the server's clock was ahead of this machine's in its last answer.
  private var serverAhead: Duration?

  package init(time: SteadyTime, file: any DurableBytes, limits: RateBudget.Limits = .init()) {
    self.time = time
    self.file = file
    self.limits = limits
  }

  /// `nil` where the request was counted and may be made; otherwise the earliest time for it.
  package func admit(_ use: RequestUse) async -> Timestamp? {
    while true {
      await restore()
      switch budget?.request(use, at: time.now) {
      case .granted: return nil
      case .wait(let until): return until
      case .reserve, nil: await write(reserving: limits.block)
      }
    }
  }

  /// Waits for its turn.
  package func admitted(_ use: RequestUse) async throws(CancellationError) {
    while let until = await admit(use) { try await time.sleep(until: until) }
  }

  /// Applies the answer's limits of the rate.
  package func observe(_ response: OutboundAnswer) {
    if let date = response.header("Date").flatMap({ HTTPDate.parse($0) }) {
      serverAhead = time.wall.duration(to: date)
    }
    if response.status == 429 {
      budget?.tooMany()
    } else if (200...299).contains(response.status) {
      budget?.succeeded()
    }
    guard let left = response.header("X-RateLimit-Remaining").flatMap({ Int($0) }), left <= 0 else { return }
    let wait = RetryAfter.wait(response, now: time.wall) ?? .seconds(60)
    budget?.exhausted(until: time.now.advanced(by: wait))
  }

  /// On the way out: what was reserved and not made is given back.
  package func close() async {
    guard budget != nil else { return }
    // First, so that nobody uses what the file is about to give back.
    budget?.closed()
    await write(reserving: 0)
  }

  package func usage() -> RequestUsage {
    let used = budget?.used(at: time.now) ?? (minute: 0, hour: 0)
    return RequestUsage(
      minute: used.minute, hour: used.hour, allowedPerMinute: budget?.allowedPerMinute ?? limits.perMinute,
      perHour: limits.perHour, storeProblem: storeProblem, serverAhead: serverAhead)
  }

  /// One reader: a second one would read what the first has written since.
  private func restore() async {
    guard budget == nil else { return }
    if isReading { return await withCheckedContinuation { waiting.append($0) } }
    isReading = true
    var bytes: [UInt8]?
    do { bytes = try await file.read() } catch {
      storeProblem = error.description
      // Unreadable is not empty: it must not open a fresh minute.
      bytes = []
    }
    budget = RateBudget(restoring: bytes, at: time.now, limits: limits)
    await file.understood()
    isReading = false
    wake()
  }

  private func wake() {
    let woken = waiting
    waiting = []
    for continuation in woken { continuation.resume() }
  }

  /// One writer at a time, so that an older block never replaces a newer one; the others wait and ask again.
  private func write(reserving block: Int) async {
    if isWriting { return await withCheckedContinuation { waiting.append($0) } }
    guard let bytes = budget?.encoded(reserving: block) else { return }
    isWriting = true
    // A file that cannot be written stops nothing; it is told by who keeps it, once for all files.
    try? await file.write(bytes)
    isWriting = false
    if block > 0 { budget?.reserved() }
    wake()
  }
}
