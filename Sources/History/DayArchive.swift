// SPDX-License-Identifier: MIT

import Basics

/// The finished days of a check: thirteen months and the running one, in some 13 bytes a day of a check that works.
///
/// A day is folded once, from the buckets of the windows and the outages, when the first verdict of a later day has come. A late
/// verdict opens it again, and it is folded again with the next one.
struct DayArchive: Hashable, Sendable {
  /// Days that are kept: 397 of thirteen months at most, and 31 of the running one.
  static let capacity = 428

  /// Days in ascending order.
  private var log: [UInt8] = []
  private var count = 0
  private var newest: Int64?
  /// First day that is not folded yet, or has changed since; `nil` before the first verdict.
  private(set) var unfolded: Int64?

  init() {}

  /// Something of this day has changed.
  mutating func touch(_ day: Int64) { if day < unfolded ?? .max { unfolded = day } }

  /// All days before this one are folded.
  mutating func settle(before day: Int64) { unfolded = day }

  /// Adds a day. One that is there is replaced, unless it knows of more time; outages that it alone knows stay.
  mutating func put(_ day: DayFigures) {
    if let newest, day.key <= newest { replace(day) } else { append(day) }
    while count > Self.capacity { dropFirst() }
  }

  private mutating func append(_ day: DayFigures) {
    write(day, at: log.count..<log.count)
    count += 1
    newest = day.key
  }

  private mutating func replace(_ day: DayFigures) {
    var position = 0
    while let found = entry(at: position), found.day.key <= day.key {
      guard found.day.key < day.key else {
        if day.known >= found.day.known { write(day.since(found.day), at: position..<found.end) }
        return
      }
      position = found.end
    }
    write(day, at: position..<position)
    count += 1
  }

  private mutating func write(_ day: DayFigures, at range: Range<Int>) {
    var writer = ByteWriter()
    day.encode(into: &writer)
    log.reserveStepwise(log.count - range.count + writer.bytes.count)  // bounded: sizes of what is in memory
    log.replaceSubrange(range, with: writer.bytes)
  }

  private mutating func dropFirst() {
    // The entry is gone before the log changes: it would be copied whole.
    guard let end = entry(at: 0)?.end else { return }
    log.removeSubrange(0..<end)
    count -= 1  // bounded: above 0, as one is there
  }

  /// The log was written by this type or checked when it was read, so that damage here cannot happen.
  private func entry(at position: Int) -> (day: DayFigures, end: Int)? {
    guard position < log.count else { return nil }
    var reader = ByteReader(log, from: position)
    guard let day = try? DayFigures(from: &reader) else { return nil }
    return (day, reader.position)
  }

  /// The folded ones among these days, ascending.
  func days(in keys: Range<Int64>) -> [DayFigures] {
    guard let newest, newest >= keys.lowerBound else { return [] }
    var found: [DayFigures] = []
    var reader = ByteReader(log)
    while !reader.atEnd, let day = try? DayFigures(from: &reader), day.key < keys.upperBound {
      if day.key >= keys.lowerBound { found.append(day) }
    }
    return found
  }

  /// The first one; `nil` without any.
  var first: Int64? { entry(at: 0)?.day.key }

  /// Bytes held beyond the struct itself.
  var footprint: Int { log.capacity }

  func encode(into writer: inout ByteWriter) {
    writer.optional(unfolded)
    writer.count(count)
    writer.blob(log)
  }

  /// Checks every day, so that reading one cannot meet damage.
  init(from reader: inout ByteReader) throws(CodingDamage) {
    unfolded = try reader.optional()
    // bounded: a constant
    let told = Int(clamping: try reader.unsigned(through: UInt64(Self.capacity)))
    let stored = try reader.blob()
    var entries = ByteReader(stored)
    while !entries.atEnd {
      let day = try DayFigures(from: &entries)
      guard day.key > newest ?? .min else { throw CodingDamage() }
      newest = day.key
      count += 1
    }
    guard count == told else { throw CodingDamage() }
    log.reserveStepwise(stored.count + 1)  // bounded: sizes of what is in memory
    log += stored
  }
}
