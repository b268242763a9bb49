// SPDX-License-Identifier: MIT

import Basics

/// Buckets of one width, and the running totals of the windows read from them.
///
/// All but the newest bucket are sealed: packed into one byte log in ascending order, a quarter of the size of plain
/// structs. A late verdict opens a sealed one again. Buckets leave only when newer ones need their place, the one
/// furthest from the newcomer first: a clock that is wrong for a while costs as many buckets as it was wrong for,
/// not the history.
struct BucketSeries: Sendable {
  private let shape: SeriesShape
  private var log: [UInt8] = []
  private var sealed = 0
  private var newest: Bucket?
  /// Empty while there is one bucket at most: it is then the total of each window that holds it.
  private var windows: [SeriesWindow] = []

  init(_ shape: SeriesShape) { self.shape = shape }

  var width: Int64 { shape.width }
  var resolution: SketchResolution? { shape.resolution }

  func key(of instant: Int64) -> Int64 { floorDivide(instant, width).quotient }

  /// Time, cut at the edges of the buckets.
  mutating func add(_ standing: Standing, _ span: Span) {
    var start = span.start
    while start < span.end {
      let key = key(of: start)
      let end = min(span.end, (key + 1) * width)  // bounded: instants are within 2^55
      var delta = Bucket(key: key)
      delta.seconds[standing] = end - start  // bounded: both are within the bucket
      add(delta)
      start = end
    }
  }

  /// One verdict, with its latency in microseconds if it was a success that counts.
  mutating func count(_ standing: Standing, at slot: Int64, latency: Int64?) {
    var delta = Bucket(key: key(of: slot))
    delta.counts[standing] = 1
    if let latency {
      delta.latency = LatencySum(count: 1, sum: latency, minimum: latency, maximum: latency)
      if let resolution { delta.sketch.add(LatencyBins.bin(latency, resolution)) }
    }
    add(delta)
  }

  private mutating func add(_ delta: Bucket) {
    if let newest, newest.key != delta.key { openWindows() }
    for index in windows.indices where delta.key > windows[index].current ?? .min {
      advance(index, to: delta.key)
    }
    mergeIntoWindows(delta)
    // The oldest goes first where a newer one comes: its room is what the newcomer needs.
    // bounded: a count of buckets in memory
    if delta.key > newest?.key ?? .max, sealed + 1 >= shape.capacity { evict(furthestFrom: delta.key) }
    place(delta)
    // bounded: a count of buckets in memory
    while sealed + 1 > shape.capacity { evict(furthestFrom: delta.key) }
  }

  /// There is more than one bucket: each window has a total of its own, which is counted when it is first needed.
  private mutating func openWindows() {
    if windows.isEmpty { windows = shape.windows.map { SeriesWindow(length: $0) } }
  }

  private mutating func place(_ delta: Bucket) {
    guard let newest else {
      self.newest = delta
      return
    }
    if delta.key == newest.key {
      self.newest?.merge(delta)
    } else if delta.key > newest.key {
      seal(newest, at: log.count..<log.count)
      sealed += 1
      self.newest = delta
    } else {
      reopen(delta)
    }
  }

  private mutating func reopen(_ delta: Bucket) {
    var position = 0
    while let entry = entry(at: position), entry.key <= delta.key {
      guard entry.key < delta.key else {
        var bucket = entry.bucket()
        bucket.merge(delta)
        seal(bucket, at: position..<entry.end)
        return
      }
      position = entry.end
    }
    seal(delta, at: position..<position)
    sealed += 1
  }

  private mutating func evict(furthestFrom key: Int64) {
    // Nothing that holds the log may live on: it would be copied whole for the few bytes that go.
    let oldest = entry(at: 0).map { (bucket: $0.bucket(), end: $0.end) }
    guard let first = oldest, let last = newest else { return }
    if last.key - key <= key - first.bucket.key {  // bounded: quotients of instants, and lengths of ours
      drop(first.bucket)
      log.removeSubrange(0..<first.end)
    } else {
      drop(last)
      var position = 0
      while let end = entry(at: position)?.end, end < log.count { position = end }
      newest = entry(at: position)?.bucket()
      log.removeSubrange(position...)
    }
    sealed -= 1  // bounded: above 0, as one is there
  }

  private mutating func drop(_ bucket: Bucket) {
    for index in windows.indices where windows[index].contains(bucket.key) { windows[index].current = nil }
  }

  /// The window's totals when `now` is in its last, unfinished bucket.
  mutating func totals(_ index: Int, now: Int64) -> Bucket {
    let key = key(of: now)
    guard !windows.isEmpty else {
      let window = SeriesWindow(length: shape.windows[index], current: key)
      return newest.flatMap { window.contains($0.key) ? $0 : nil } ?? Bucket(key: 0)
    }
    if windows[index].current != key { advance(index, to: key) }
    return windows[index].totals
  }

  /// First instant of the window that ends with the bucket of `now`.
  // bounded: instants are within 2^55
  func start(_ index: Int, now: Int64) -> Int64 { (key(of: now) - shape.windows[index] + 1) * width }

  /// Moves the window's edge: what left it is taken away, what entered it is added.
  private mutating func advance(_ index: Int, to key: Int64) {
    var window = windows[index]
    // Releases the stored copy, so that the totals below are changed in place.
    windows[index].totals = Bucket(key: 0)
    defer { windows[index] = window }
    // bounded: quotients of instants, and lengths of ours
    guard let old = window.current, key > old, key - old < window.length, (newest?.key ?? old) <= old else {
      window.current = key
      return recount(&window)
    }
    window.current = key
    var stale = false
    var position = 0
    // bounded: quotients of instants, and lengths of ours
    while let entry = entry(at: position), entry.key <= key - window.length {
      // bounded: quotients of instants, and lengths of ours
      if entry.key > old - window.length { stale = window.totals.subtract(entry.bucket()) || stale }
      position = entry.end
    }
    // bounded: quotients of instants, and lengths of ours
    if let newest, newest.key <= key - window.length, newest.key > old - window.length {
      stale = window.totals.subtract(newest) || stale
    }
    if stale { recount(&window) }
  }

  private func recount(_ window: inout SeriesWindow) {
    window.totals = Bucket(key: 0)
    forEach { bucket in
      if window.contains(bucket.key) { window.totals.merge(bucket) }
    }
  }

  /// Every bucket, oldest first.
  func forEach(_ body: (Bucket) -> Void) {
    var position = 0
    while let entry = entry(at: position) {
      body(entry.bucket())
      position = entry.end
    }
    if let newest { body(newest) }
  }

  /// The buckets with these keys, oldest first. No other is decoded.
  func forEach(in keys: Range<Int64>, _ body: (Bucket) -> Void) {
    var position = 0
    while let entry = entry(at: position), entry.key < keys.upperBound {
      if entry.key >= keys.lowerBound { body(entry.bucket()) }
      position = entry.end
    }
    if let newest, keys.contains(newest.key) { body(newest) }
  }

  /// Latencies of the bucket that holds the instant.
  func sketch(at instant: Int64) -> LatencySketch {
    let key = key(of: instant)
    var sketch = LatencySketch()
    forEach(in: key..<key + 1) { sketch += $0.sketch }  // bounded: a quotient of an instant
    return sketch
  }

  /// Keys of the first bucket and of the newest; `nil` without any.
  var keys: ClosedRange<Int64>? {
    guard let newest else { return nil }
    return min(entry(at: 0)?.key ?? newest.key, newest.key)...newest.key
  }

  private struct Entry {
    var key: Int64
    var payload: ByteReader
    var end: Int

    /// The log was written by this type or checked when it was read, so that damage here cannot happen.
    func bucket() -> Bucket {
      var reader = payload
      return (try? Bucket(key: key, from: &reader)) ?? Bucket(key: key)
    }
  }

  private func entry(at position: Int) -> Entry? {
    guard position < log.count else { return nil }
    var reader = ByteReader(log, from: position)
    guard let key = try? reader.fixed32(), let size = try? reader.count() else { return nil }
    let end = reader.position + size  // bounded: a count that is no more than the bytes left
    return Entry(
      // bounded: a wider number
      key: Int64(Int32(bitPattern: key)), payload: ByteReader(log, from: reader.position, to: end), end: end)
  }

  private mutating func seal(_ bucket: Bucket, at range: Range<Int>) {
    var payload = ByteWriter()
    bucket.encode(into: &payload)
    var entry = ByteWriter()
    entry.fixed32(UInt32(bitPattern: Int32(clamping: bucket.key)))
    entry.blob(payload.bytes)
    log.reserveStepwise(log.count - range.count + entry.bytes.count)  // bounded: sizes of what is in memory
    log.replaceSubrange(range, with: entry.bytes)
  }

  /// Bytes held, for the memory figure in the documentation.
  var footprint: Int {
    log.capacity + (newest?.sketch.bins.capacity ?? 0) * 8  // bounded: sizes of what is in memory
      // bounded: sizes of what is in memory
      + windows.reduce(0) { $0 + $1.totals.sketch.bins.capacity * 8 + MemoryLayout<SeriesWindow>.stride }
  }

  func encode(into writer: inout ByteWriter) {
    writer.count(sealed)
    writer.blob(log)
    writer.bytes.append(newest == nil ? 0 : 1)
    guard let newest else { return }
    writer.signed(newest.key)
    newest.encode(into: &writer)
  }

  /// Fills an empty series; checks every entry, so that `Entry.bucket()` cannot meet damage.
  mutating func decode(from reader: inout ByteReader) throws(CodingDamage) {
    sealed = Int(clamping: try reader.unsigned())
    let stored = try reader.blob()
    // With room for what comes next, while nothing lies behind it yet.
    log.reserveStepwise(stored.count + 1)  // bounded: sizes of what is in memory
    log += stored
    if try reader.byte() == 1 {
      let key = try reader.signed(in: Int64(Int32.min)...Int64(Int32.max))  // bounded: constants
      newest = try Bucket(key: key, from: &reader)
    }
    try countStored()
  }

  /// Checks what was read, and counts it for the windows up to the newest bucket: each bucket is decoded once, before the
  /// schedule begins. The first look at 10,000 checks would take 0.7 s for each day of them.
  private mutating func countStored() throws(CodingDamage) {
    if !log.isEmpty { openWindows() }
    for index in windows.indices { windows[index].current = newest?.key }
    var position = 0
    var entries = 0
    var previous = Int64.min
    while position < log.count {
      guard let entry = entry(at: position), entry.end <= log.count, entry.key > previous else {
        throw CodingDamage()
      }
      var payload = entry.payload
      let bucket = try Bucket(key: entry.key, from: &payload)
      guard payload.atEnd else { throw CodingDamage() }
      mergeIntoWindows(bucket)
      previous = entry.key
      position = entry.end
      entries += 1
    }
    guard entries == sealed, sealed <= shape.capacity, sealed == 0 || (newest?.key ?? .min) > previous else {
      throw CodingDamage()
    }
    if let newest { mergeIntoWindows(newest) }
  }

  private mutating func mergeIntoWindows(_ bucket: Bucket) {
    for index in windows.indices where windows[index].contains(bucket.key) {
      windows[index].totals.merge(bucket)
    }
  }
}

/// The properties that all series of a kind share.
final class SeriesShape: Sendable {
  /// Of a bucket, microseconds.
  let width: Int64
  let resolution: SketchResolution?
  /// Lengths in buckets.
  let windows: [Int64]
  /// Buckets that are kept: the longest window and one more.
  let capacity: Int

  init(width: Int64, windows: [Int], resolution: SketchResolution? = nil) {
    self.width = width
    self.resolution = resolution
    self.windows = windows.map { Int64($0) }  // bounded: lengths of ours
    capacity = (windows.max() ?? 1) + 1  // bounded: lengths of ours
  }
}

/// A window over the last buckets of a series.
struct SeriesWindow: Sendable {
  /// In buckets, the unfinished one included.
  let length: Int64
  /// Key of the last bucket in `totals`; nil when the totals must be counted again.
  var current: Int64?
  var totals = Bucket(key: 0)

  init(length: Int64, current: Int64? = nil) { (self.length, self.current) = (length, current) }

  func contains(_ key: Int64) -> Bool {
    guard let current else { return false }
    return key <= current && key > current - length  // bounded: quotients of instants, and lengths of ours
  }
}
