// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Looks for one answer in a window that grows, at a bounded cost however small the pieces are it grows by.
struct AnswerScan: Sendable {

  enum Finding {
    /// Complete after that many bytes, with a pattern's groups and a protocol's further steps.
    case found(Int, groups: [Range<Int>?], names: [String: Int], then: [SpokenStep])
    /// Not there so far.
    case missing
    /// To be asked again when more has come, or at the instant.
    case later(Instant?)
    case failed(DialogFailure)
  }

  /// A pattern that reaches to the end of what came is believed when nothing more came for so long.
  static let calm = Duration.milliseconds(100)
  /// Tries of a pattern or a reader before they are rationed, and how far apart they are then.
  static let freeTries = 64
  static let ration = Duration.milliseconds(20)

  /// Nothing came for a while, or nothing more will.
  var isCalm = false
  private var tries = 0
  private var nextTry: Instant?
  /// Bytes of the window in which a literal does not begin, or that a reader has seen.
  private var searched = 0

  /// - Parameter time: nanoseconds of processor time that the conversation's patterns may still take.
  mutating func look(
    for answer: Answer, in window: [UInt8], _ captures: Captures, at now: Instant, time: inout Int64
  ) -> Finding {
    switch answer {
    case .bytes(let bytes): return look(for: bytes, in: window)
    case .literal(let text):
      guard let bytes = captures.resolve(text) else {
        return .failed(.init(kind: .impossible, message: "it names something that was not captured"))
      }
      return look(for: bytes, in: window)
    case .pattern(let pattern): return look(for: pattern, in: window, at: now, time: &time)
    case .read(let read): return look(by: read, in: window, at: now)
    }
  }

  private mutating func look(
    by read: (ArraySlice<UInt8>) -> Reading, in window: [UInt8], at now: Instant
  ) -> Finding {
    if window.isEmpty || window.count == searched { return .missing }
    if let wait = ration(window, at: now) { return wait }
    isCalm = false
    searched = window.count
    switch read(window[...]) {
    case .more: return .missing
    case .accepted(let count, let then): return .found(count, groups: [], names: [:], then: then)
    case .refused(let words): return .failed(.init(kind: .refused, message: words))
    case .foreign(let words): return .failed(.init(kind: .unexpected, message: words))
    }
  }

  /// `nil` for looking now. A full window is always looked at, so that it is either read or given up.
  private mutating func ration(_ window: [UInt8], at now: Instant) -> Finding? {
    let isFull = window.count > DialogConversation.windowBytes
    if let nextTry, now < nextTry, !isCalm, !isFull { return .later(nextTry) }
    tries += 1
    nextTry = tries >= Self.freeTries ? now + Self.ration : nil
    return nil
  }

  private mutating func look(for literal: [UInt8], in window: [UInt8]) -> Finding {
    if let place = firstPlace(of: literal, in: window, from: searched) {
      return .found(place + literal.count, groups: [], names: [:], then: [])
    }
    // It may have begun in what came.
    searched = max(searched, window.count - literal.count + 1)
    return .missing
  }

  private mutating func look(
    for pattern: Pattern, in window: [UInt8], at now: Instant, time: inout Int64
  ) -> Finding {
    let isLast = isCalm
    if let wait = ration(window, at: now) { return wait }
    isCalm = false
    let start = SystemClock.threadWork.nanoseconds
    var outcome =
      isLast ? pattern.firstMatch(in: window, time: time) : pattern.settledMatch(in: window, time: time)
    if isLast, outcome == Pattern.Outcome.none, String(validating: window, as: UTF8.self) == nil {
      // Bytes in no known charset are bytes.
      let left = time - (SystemClock.threadWork.nanoseconds - start)
      outcome = pattern.forBytes?.firstMatch(in: window, time: left) ?? outcome
    }
    time -= SystemClock.threadWork.nanoseconds - start
    switch outcome {
    case .match(let whole, let groups, let names):
      return .found(whole.upperBound, groups: groups, names: names, then: [])
    case .limit: return .failed(.init(kind: .unexpected, message: Pattern.limitWords))
    case Pattern.Outcome.none?, nil:
      if window.count > DialogConversation.windowBytes { return .missing }
      // Once it was looked at to its end, only more bytes can change anything.
      return .later(isLast || window.isEmpty ? nil : nextTry ?? now + Self.calm)
    }
  }
}
