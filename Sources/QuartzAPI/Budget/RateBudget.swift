// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Purpose of a request. All share the budget, and each has a part of the hour that the others leave alone.
package enum RequestUse: UInt8, CaseIterable, Hashable, Sendable {
  case live = 0
  case backlog = 1
  case bisection = 2
  case pull = 3
  case session = 4
  case heartbeat = 5
  case resource = 6
}

/// The instants of the last requests to one origin, and the rule that follows from them: at most 90 in any minute
/// and 900 in any hour, below the 100 and 1,000 that the backend's guide names.
///
/// A log of instants and no token bucket: a bucket of 90 that refills at 1.5 a second lets 179 requests into one
/// minute. Requests are reserved on disk in blocks before they are made; what a crash leaves of a block counts as
/// made at the restart, so a crash loop cannot go over the limit either.
package struct RateBudget: Hashable, Sendable {
  package struct Limits: Hashable, Sendable {
    package var perMinute = 90
    package var perHour = 900
    /// Of the hour, for the backlog at most: what the shares of the others leave.
    package var backlogPerHour = 500
    /// Requests of the hour that are kept for each purpose. The rest belongs to the first that asks.
    package var shares: [RequestUse: Int] = [
      .live: 240, .pull: 60, .bisection: 40, .heartbeat: 30, .resource: 20, .session: 10,
    ]
    /// Of the minute, for the backlog.
    package var backlogPerMinute = 60
    /// Requests written down ahead at a time.
    package var block = 10

    package init() {}

    /// Most requests that one purpose can make in an hour.
    package func most(_ use: RequestUse) -> Int {
      // bounded: settings
      let others = RequestUse.allCases.reduce(0) { $0 + ($1 == use ? 0 : shares[$1] ?? 0) }
      return use == .backlog ? min(backlogPerHour, perHour - others) : perHour - others  // bounded: settings
    }
  }

  package enum Decision: Hashable, Sendable {
    /// Counted: make the request now.
    case granted
    /// Write `encoded()` to disk, call `reserved()`, ask again.
    case reserve
    /// Not before then.
    case wait(until: Timestamp)
  }

  package let limits: Limits
  /// Oldest first, none older than an hour.
  private(set) var log: [Entry] = []
  /// Of the block on disk, not made yet.
  private(set) var reservedLeft = 0
  /// Halved by a 429, creeping back up with every success.
  package private(set) var allowedPerMinute: Int
  private var blockedUntil: Timestamp?

  struct Entry: Hashable, Sendable {
    var at: Int64
    var use: RequestUse
  }

  package init(limits: Limits = Limits()) {
    self.limits = limits
    self.allowedPerMinute = limits.perMinute
  }

  package mutating func request(_ use: RequestUse, at now: Timestamp) -> Decision {
    forget(before: now)
    if let until = earliest(use), until > now { return .wait(until: until) }
    guard reservedLeft > 0 else { return .reserve }
    reservedLeft -= 1  // bounded: above 0, as was asked before
    log.append(Entry(at: max(now.microseconds, log.last?.at ?? now.microseconds), use: use))
    return .granted
  }

  /// The block that `encoded()` promised is on disk.
  package mutating func reserved() { reservedLeft = limits.block }

  /// Gives the open block up, before `encoded(reserving: 0)` says so on disk.
  package mutating func closed() { reservedLeft = 0 }

  /// Requests counted in the last minute and hour.
  package func used(at now: Timestamp) -> (minute: Int, hour: Int) {
    (count(within: .seconds(60), at: now) { _ in true }, count(within: .seconds(3600), at: now) { _ in true })
  }

  /// A 429: half the rate, at least 6 a minute.
  package mutating func tooMany() { allowedPerMinute = max(6, allowedPerMinute / 2) }

  /// An answer in good order: one request a minute more, up to the limit.
  // bounded: a limit of requests a minute
  package mutating func succeeded() { allowedPerMinute = min(limits.perMinute, allowedPerMinute + 1) }

  /// The server's own count, from X-RateLimit-Remaining: with nothing left, nothing is asked for until `until`.
  package mutating func exhausted(until: Timestamp) { blockedUntil = max(until, blockedUntil ?? until) }

  /// A little longer than what the server counts by: two requests may come closer together than they were made.
  private static let minute: Duration = .seconds(61)
  private static let hour: Duration = .seconds(3605)

  /// When the request may be made; nil or the past: now.
  private func earliest(_ use: RequestUse) -> Timestamp? {
    var waits: [Timestamp] = []
    if let blockedUntil { waits.append(blockedUntil) }
    waits += [free(allowedPerMinute, of: Self.minute) { _ in true }, freeInHour(use)].compactMap { $0 }
    if use == .backlog {
      // The whole minute counts against the backlog, so that a live flush always finds room in it.
      waits += [
        // bounded: a limit of requests a minute
        free(min(limits.backlogPerMinute, max(1, allowedPerMinute * 2 / 3)), of: Self.minute) { _ in true },
        free(limits.backlogPerHour, of: Self.hour) { $0 == .backlog },
      ].compactMap { $0 }
    }
    return waits.max()
  }

  /// When the limit-th last of those requests leaves the window; nil when there are fewer.
  private func free(_ limit: Int, of window: Duration, _ counts: (RequestUse) -> Bool) -> Timestamp? {
    var seen = 0
    for entry in log.reversed() where counts(entry.use) {
      seen += 1  // bounded: it counts entries in memory
      if seen == limit { return Timestamp(microseconds: entry.at).advanced(by: window) }
    }
    return nil
  }

  /// When the hour has a request for this purpose beside those that are kept for the others; `nil` when it has one now.
  private func freeInHour(_ use: RequestUse) -> Timestamp? {
    var made: [RequestUse: Int] = [:]
    for entry in log { made[entry.use, default: 0] += 1 }  // bounded: it counts entries in memory
    // bounded: settings, and counts of entries in memory
    let kept = limits.shares.reduce(0) { $0 + ($1.key == use ? 0 : max(0, $1.value - (made[$1.key] ?? 0))) }
    var over = log.count + kept - limits.perHour  // bounded: settings, and counts of entries in memory
    guard over >= 0 else { return nil }
    for entry in log {
      // One that leaves its own share is kept for its purpose again.
      let isOfShare = entry.use != use && (made[entry.use] ?? 0) <= limits.shares[entry.use] ?? 0
      made[entry.use, default: 0] -= 1  // bounded: it counts entries in memory
      if !isOfShare { over -= 1 }  // bounded: it counts entries in memory
      if over < 0 { return Timestamp(microseconds: entry.at).advanced(by: Self.hour) }
    }
    return nil
  }

  private func count(within window: Duration, at now: Timestamp, _ counts: (RequestUse) -> Bool) -> Int {
    // bounded: the time of this clock, which the list was cut by
    let from = now.microseconds - window.microseconds
    return log.reversed().prefix { $0.at > from }.count { counts($0.use) }
  }

  private mutating func forget(before now: Timestamp) {
    // bounded: the time of this clock, which the list was cut by
    let from = now.microseconds - Self.hour.microseconds
    let old = log.prefix { $0.at <= from }.count
    if old > 0 { log.removeFirst(old) }
    if let blockedUntil, blockedUntil <= now { self.blockedUntil = nil }
  }
}

extension RateBudget {
  /// Format: `QRB1`, the reserved count, then 9 bytes a request (instant in microseconds, little-endian, and use),
  /// and a sum over all of it.
  ///
  /// - Parameter reserving: the block about to be used up; 0 on the way out, when nothing is left open.
  package func encoded(reserving block: Int) -> [UInt8] {
    var bytes = Array(magic)
    bytes.append(UInt8(clamping: block))
    for entry in log {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: entry.at >> (8 * $0)) }
      bytes.append(entry.use.rawValue)
    }
    return bytes + checksum(bytes)  // bounded: lists
  }

  /// The state that the last run left. Its open reservation counts as made now, and instants ahead of the clock as made
  /// now. `nil` bytes for a first start. With unreadable bytes nearly a whole minute counts as spent, since the use is
  /// not known.
  package init(restoring bytes: [UInt8]?, at now: Timestamp, limits: Limits = Limits()) {
    self.init(limits: limits)
    guard let bytes else { return }
    guard let (entries, reserved) = Self.decode(bytes) else {
      log = Array(
        // bounded: limits of requests a minute
        repeating: Entry(at: now.microseconds, use: .live), count: max(0, limits.perMinute - limits.block))
      return
    }
    log = entries.map { Entry(at: min($0.at, now.microseconds), use: $0.use) }.sorted { $0.at < $1.at }
    log += Array(repeating: Entry(at: now.microseconds, use: .live), count: reserved)
    forget(before: now)
  }

  private static func decode(_ bytes: [UInt8]) -> ([Entry], Int)? {
    let size = bytes.count - magic.count - 1 - 4  // bounded: a count of bytes; below 0 is refused next
    guard size >= 0, size % 9 == 0, bytes.starts(with: magic),
      checksum(bytes.dropLast(4)) == Array(bytes.suffix(4))
    else { return nil }
    var entries: [Entry] = []
    // bounded: places within the bytes, as was asked before
    for start in stride(from: magic.count + 1, to: magic.count + 1 + size, by: 9) {
      // bounded: a byte of eight
      let at = (0..<8).reduce(Int64(0)) { $0 | Int64(bytes[start + $1]) << (8 * Int64($1)) }
      // bounded: places within the bytes, as was asked before
      guard let use = RequestUse(rawValue: bytes[start + 8]) else { return nil }
      entries.append(Entry(at: at, use: use))
    }
    return (entries, Int(bytes[magic.count]))  // bounded: a byte
  }
}

private let magic = Array("QRB1".utf8)

/// FNV-1a over 32 bits: it finds a torn or edited file, which is all it is for.
private func checksum(_ bytes: some Sequence<UInt8>) -> [UInt8] {
  let sum = bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }  // bounded: a byte
  return (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
}
