// SPDX-License-Identifier: MIT

import Basics

/// When a check was switched on. The agent's own absence does not end it: that time is due, and has no data.
struct EnabledTime: Hashable, Sendable {
  /// Ascending; the last one's end is `Int64.max` while the check is enabled.
  private(set) var spans: [Span] = []
  /// Time that lies ahead again after the clock was set back: it counts again when the clock is set forward over it.
  /// Kept as long as the process.
  private var ahead: [Span] = []
  /// First start, before a result of this process moved it. `nil` where none has. That result may be of a clock that was set
  /// back and is not found out yet.
  private var known: Int64?

  init() {}

  var isOpen: Bool { spans.last?.end == .max }

  mutating func set(_ enabled: Bool, at now: Int64) {
    if enabled, !isOpen {
      known = nil
      // What lies ahead was told by a clock that was wrong, and nobody saw it set back: no time is told twice.
      spans = spans.compactMap { $0.clipped(from: .min, to: now) } + [Span(start: now, end: .max)]
    } else if !enabled, isOpen, let last = spans.popLast(), last.start < now {
      spans.append(Span(start: last.start, end: now))
    }
    // Somebody who toggles a check all day: the oldest pause is forgotten.
    while spans.count > ClaimedTime.limit {
      spans[1].start = spans[0].start
      spans.removeFirst()
    }
  }

  /// The wall clock was set: what it left out was never due, and what it takes back is told again.
  mutating func clockStepped(from before: Int64, to now: Int64) {
    let wasOpen = isOpen
    let past = { (spans: [Span], end: Int64) in spans.compactMap { $0.clipped(from: .min, to: end) } }
    if now < before {
      forgetProof()
      ahead = united(past(spans, before) + ahead).compactMap { $0.clipped(from: now, to: .max) }
      spans = past(spans, now)
    } else {
      let passed = ahead.compactMap { $0.clipped(from: before, to: now) }
      ahead = ahead.compactMap { $0.clipped(from: now, to: .max) }
      spans = past(spans, before) + passed
    }
    if wasOpen { set(true, at: now) }
  }

  /// A result proves that the check was enabled, also when the memory of it was lost.
  mutating func prove(at slot: Int64, isReplayed: Bool = false) {
    guard let first = spans.first, slot < first.start else { return }
    if !isReplayed { known = known ?? first.start }
    spans[0].start = slot
  }

  /// Results since the clock was set back are no proof of the time that it was set back by.
  private mutating func forgetProof() {
    if let known, let first = spans.first, known < first.end { spans[0].start = known }
    known = nil
  }

  func length(from: Int64, to: Int64) -> Int64 {
    var length: Int64 = 0
    for span in spans { length += max(0, min(span.end, to) - max(span.start, from)) }
    return length
  }

  func encode(into writer: inout ByteWriter) { encodeSpans(spans, into: &writer) }

  init(from reader: inout ByteReader) throws(CodingDamage) { spans = try decodeSpans(from: &reader) }
}

/// The same time in ascending order, none of it twice.
func united(_ spans: [Span]) -> [Span] {
  var united: [Span] = []
  for span in spans.sorted(by: { $0.start < $1.start }) {
    if let last = united.last, span.start <= last.end {
      united[united.count - 1].end = max(last.end, span.end)
    } else {
      united.append(span)
    }
  }
  return united
}
