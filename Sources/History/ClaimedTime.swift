// SPDX-License-Identifier: MIT

import Basics

/// A half-open stretch of time, microseconds since the epoch.
struct Span: Hashable, Sendable {
  var start: Int64
  var end: Int64

  var length: Int64 { end - start }

  /// The instants a file may tell, in microseconds: 1,100 years around 1970.
  static let told: ClosedRange<Int64> = -1 << 55...1 << 55

  /// The part inside [from, to); nil when there is none.
  func clipped(from: Int64, to: Int64) -> Span? {
    let clipped = Span(start: max(start, from), end: min(end, to))
    return clipped.start < clipped.end ? clipped : nil
  }
}

/// Which time already has a verdict: no second may count twice, whatever order results come in.
///
/// In the steady state this is one span that grows; each gap makes one more.
struct ClaimedTime: Hashable, Sendable {
  /// Ascending, apart from one another.
  private(set) var spans: [Span] = []

  /// Beyond this many, the two oldest become one: a very late result in the gap between them then adds no time,
  /// which is the harmless side to err on.
  static let limit = 128

  init(spans: [Span] = []) { self.spans = spans }

  /// Claims the part of the span that is unclaimed, and returns just that.
  mutating func claim(_ wanted: Span) -> [Span] {
    guard wanted.start < wanted.end else { return [] }
    guard let last = spans.last, wanted.start < last.end else { return [append(wanted)] }
    var first = spans.count
    while first > 0, spans[first - 1].end >= wanted.start { first -= 1 }
    var free: [Span] = []
    var cursor = wanted.start
    var merged = wanted
    var index = first
    while index < spans.count, spans[index].start <= wanted.end {
      if let gap = Span(start: cursor, end: spans[index].start).clipped(from: wanted.start, to: wanted.end) {
        free.append(gap)
      }
      cursor = max(cursor, spans[index].end)
      merged = Span(start: min(merged.start, spans[index].start), end: max(merged.end, spans[index].end))
      index += 1
    }
    if cursor < wanted.end { free.append(Span(start: cursor, end: wanted.end)) }
    spans.replaceSubrange(first..<index, with: [merged])
    shrink()
    return free
  }

  /// Forgets every claim after the instant: the clock was set back, and that time is lived again.
  mutating func release(after instant: Int64) {
    while let last = spans.last, last.end > instant {
      spans.removeLast()
      if last.start < instant { spans.append(Span(start: last.start, end: instant)) }
    }
  }

  /// Forgets what no window reaches any more.
  mutating func forget(before instant: Int64) {
    while let first = spans.first, first.end < instant { spans.removeFirst() }
  }

  private mutating func append(_ span: Span) -> Span {
    if let last = spans.indices.last, spans[last].end == span.start {
      spans[last].end = span.end
    } else {
      spans.append(span)
      shrink()
    }
    return span
  }

  private mutating func shrink() {
    while spans.count > Self.limit {
      spans[1].start = spans[0].start
      spans.removeFirst()
    }
  }
}

func encodeSpans(_ spans: [Span], into writer: inout ByteWriter) {
  writer.count(spans.count)
  for span in spans {
    writer.signed(span.start)
    writer.signed(span.end)
  }
}

func decodeSpans(from reader: inout ByteReader) throws(CodingDamage) -> [Span] {
  var spans: [Span] = []
  for _ in 0..<(try reader.count()) {
    let span = Span(start: try reader.signed(in: Span.told), end: try reader.signed())
    // An open end is the last instant there is.
    guard span.end == .max || Span.told.contains(span.end), span.start < span.end,
      span.start >= spans.last?.end ?? .min
    else { throw CodingDamage() }
    spans.append(span)
  }
  return spans
}
