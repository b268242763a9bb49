// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The note of a result that was down on its outage. Shared: by equal results in a row, and by the outages of a check
/// that fails in the same way every night.
final class OutageNote: Sendable {
  let reason: Reason
  let phase: Phase?
  let message: String?

  init(reason: Reason, phase: Phase?, message: String?) {
    (self.reason, self.phase) = (reason, phase)
    self.message = message.map { $0.printable(maxBytes: Outage.maxMessage) }
  }

  func says(_ other: OutageNote) -> Bool {
    self === other || reason == other.reason && phase == other.phase && message == other.message
  }

  /// Bytes of the object and its text, a header of two words included.
  var footprint: Int { 48 + (message?.utf8.count ?? 0) }  // bounded: a text of at most 256 bytes
}

/// Down time that is one stretch, and the words of its first and its last result.
struct OutageSpan: Sendable {
  var span: Span
  var first: OutageNote
  var last: OutageNote
  /// Of it that were down results: a spanned slot is none.
  var results: UInt32

  init(_ span: Span, _ note: OutageNote, isResult: Bool) {
    (self.span, first, last, results) = (span, note, note, isResult ? 1 : 0)
  }

  /// With one that goes on where this one ends.
  mutating func join(_ later: OutageSpan) {
    span.end = later.span.end
    results = results.addingReportingOverflow(later.results).overflow ? .max : results + later.results
    last = later.last.says(first) ? first : later.last
  }

  var outage: Outage {
    let end = Timestamp(microseconds: span.end)
    return Outage(
      begin: Timestamp(microseconds: span.start), end: end, heldUntil: end, reason: first.reason,
      phase: first.phase, firstMessage: first.message, lastMessage: last.message, results: Int(results))
  }
}

/// The outages of a check that are over, made of the stretches of down time as they are claimed: what is claimed once
/// counts once, here as in the buckets. A check that never was down pays two words.
struct OutageLog: Sendable {
  /// By their begin, ascending. Two overlap only where the clock was set back.
  private(set) var spans: [OutageSpan] = []
  /// Sums of the outages that were dropped last, at most one; an array, because an empty one takes a single word.
  private var dropped: [EarlierOutages] = []

  var earlier: EarlierOutages? { dropped.first }

  /// Adds down time that no outage has yet. It joins the outages that it touches, the latest of them where the clock
  /// was set back.
  mutating func add(_ new: OutageSpan) {
    var new = new
    if let before = spans.lastIndex(where: { $0.span.end == new.span.start }) {
      var joined = spans.remove(at: before)
      joined.join(new)
      new = joined
    }
    if let after = spans.lastIndex(where: { $0.span.start == new.span.end }) {
      new.join(spans.remove(at: after))
    }
    insert(new)
  }

  private mutating func insert(_ new: OutageSpan) {
    var new = new
    let place = spans.lastIndex { $0.span.start <= new.span.start }.map { $0 + 1 } ?? 0
    // The same fault as the time before: its words are there already.
    if place > 0, spans[place - 1].first.says(new.first) {
      if new.last === new.first { new.last = spans[place - 1].first }
      new.first = spans[place - 1].first
    }
    // An array doubles by itself.
    if spans.count == spans.capacity { spans.reserveCapacity(spans.count + max(2, spans.count / 4)) }
    spans.insert(new, at: place)
  }

  mutating func trim(_ limit: Int) {
    guard spans.count > limit else { return }
    for outage in spans.dropLast(limit) {
      if dropped.isEmpty {
        dropped = [EarlierOutages(outage.span)]
      } else {
        dropped[0].add(outage.span)
      }
    }
    // Of its own size again: what was read from a file may be many more.
    spans = Array(spans.suffix(limit))
  }

  /// With the stretch that is still open, whose verdict is down, or nil.
  ///
  /// - Parameter lasts: the open stretch is of the newest verdict, which is not stale.
  func all(open: OutageSpan?, lasts: Bool) -> [Outage] {
    guard let open else { return spans.map(\.outage) }
    var all = spans
    var newest = open
    if let before = all.lastIndex(where: { $0.span.end == open.span.start }) {
      newest = all.remove(at: before)
      newest.join(open)
    }
    let place = all.lastIndex { $0.span.start <= newest.span.start }.map { $0 + 1 } ?? 0
    var outages = all.map(\.outage)
    var outage = newest.outage
    if lasts { outage.end = nil }
    outages.insert(outage, at: place)
    return outages
  }

  /// The one that begins last of what `all` gives, without making the others.
  func latest(open: OutageSpan?, lasts: Bool) -> Outage? {
    guard let open else { return spans.last?.outage }
    var newest = open
    if let before = spans.last(where: { $0.span.end == open.span.start }) {
      newest = before
      newest.join(open)
    }
    var outage = newest.outage
    if lasts { outage.end = nil }
    return outage
  }

  /// Bytes held beyond the struct itself.
  var footprint: Int {
    var bytes =
      spans.capacity * MemoryLayout<OutageSpan>.stride
      + dropped.capacity * MemoryLayout<EarlierOutages>.stride
    for (place, span) in spans.enumerated() {
      if place == 0 || spans[place - 1].first !== span.first { bytes += span.first.footprint }
      if span.last !== span.first { bytes += span.last.footprint }
    }
    return bytes
  }
}

extension OutageLog {
  func encode(into writer: inout ByteWriter) {
    writer.count(spans.count)
    for outage in spans {
      writer.signed(outage.span.start)
      writer.signed(outage.span.end)
      writer.unsigned(UInt64(outage.results))
      outage.first.encode(into: &writer)
      writer.bytes.append(outage.last === outage.first ? 0 : 1)
      if outage.last !== outage.first { outage.last.encode(into: &writer) }
    }
  }

  init(from reader: inout ByteReader) throws(CodingDamage) {
    for _ in 0..<(try reader.count()) {
      let span = Span(start: try reader.signed(in: Span.told), end: try reader.signed(in: Span.told))
      let results = try reader.unsigned(through: UInt64(UInt32.max))
      guard span.start >= spans.last?.span.start ?? .min, span.end > span.start, spans.count < Outage.limit
      else { throw CodingDamage() }
      var outage = OutageSpan(span, try OutageNote(from: &reader), isResult: false)
      outage.results = UInt32(clamping: results)
      if try reader.byte() == 1 { outage.last = try OutageNote(from: &reader) }
      insert(outage)
    }
  }

  /// The last part of a check: files of earlier versions have none.
  func encodeEarlier(into writer: inout ByteWriter) {
    writer.count(dropped.count)
    for outages in dropped { outages.encode(into: &writer) }
  }

  mutating func decodeEarlier(from reader: inout ByteReader) throws(CodingDamage) {
    let count = try reader.count()
    guard count <= 1 else { throw CodingDamage() }
    for _ in 0..<count { dropped = [try EarlierOutages(from: &reader)] }
  }
}

extension OutageNote {
  func encode(into writer: inout ByteWriter) {
    writer.text(reason.rawValue)
    writer.text(phase?.rawValue)
    writer.text(message)
  }

  convenience init(from reader: inout ByteReader) throws(CodingDamage) {
    guard let reason = Reason(word: try reader.text() ?? "") else { throw CodingDamage() }
    self.init(
      reason: reason, phase: try reader.text().flatMap { Phase(word: $0) }, message: try reader.text())
  }
}
