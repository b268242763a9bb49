// SPDX-License-Identifier: MIT

@testable import Basics
@testable import Monitoring
@testable import Spool

/// Ways in for hostile bytes: what the fuzz targets call. Nothing of the agent does.
package enum SpoolFuzz {
  /// A segment of any content, read in windows of several sizes; every way finds the same.
  package static func segment(_ bytes: [UInt8]) {
    let whole = records(in: bytes, window: 1 << 20)
    precondition(records(in: bytes, window: 8192) == whole, "the window changes what is read")
    bytes.withUnsafeBytes { bytes in
      _ = SegmentHeader(bytes)
      _ = GapRecord(payload: bytes)
      _ = RefusedPayload.decode(bytes)
      if let record = try? RecordPayload.decode(bytes) {
        precondition(
          (try? RecordPayload.decode(RecordPayload.encode(record))) != nil, "cannot read what it wrote")
      }
    }
  }

  /// A cursor file of any content, and the same with its head and its sums put right.
  package static func cursor(_ bytes: [UInt8]) {
    believe(bytes)
    believe(sealed(bytes))
    let second = [UInt8](repeating: 0, count: Cursor.slotDistance) + sealed(bytes.reversed())
    believe(Array(sealed(bytes).prefix(Cursor.slotDistance) + second.dropFirst(sealed(bytes).count)))
  }

  /// One slot: as many ranges as it says it has.
  private static func sealed(_ content: [UInt8]) -> [UInt8] {
    var slot = [UInt8]()
    slot.append(littleEndian: Cursor.magic)
    slot.append(littleEndian: Cursor.version)
    slot += content.prefix(50)
    slot += [UInt8](repeating: 0, count: 56 - slot.count)
    // As numbers below the limit are: the two bytes above it would refuse nearly all.
    for place in [15, 23, 31, 39] { slot[place] = 0 }
    let rest = content.dropFirst(50)
    let ranges = rest.count / Cursor.rangeSize
    slot[6] = UInt8(truncatingIfNeeded: ranges)
    slot[7] = 0
    let sums = (CRC32C.checksum(slot), ranges == 0 ? 0 : CRC32C.checksum(slot + rest.prefix(ranges * 16)))
    slot.append(littleEndian: sums.0)
    slot.append(littleEndian: sums.1)
    return slot + rest
  }

  private static func believe(_ bytes: [UInt8]) {
    let (cursor, _) = Cursor.newest(in: bytes)
    guard let cursor else { return }
    let progress = DeliveryProgress(cursor)
    precondition(progress.settledThrough < RecordFrame.sequenceLimit)
    let again = Cursor(generation: cursor.generation, progress: progress, identity: cursor.identity)
    precondition(again.bytes.withUnsafeBytes { Cursor(slot: $0) } == again, "cannot read what it wrote")
  }

  private struct Seen: Hashable {
    var sequence: UInt64
    var kind: UInt8
    var offset: Int
  }

  private static func records(in bytes: [UInt8], window: Int) -> [Seen] {
    let files = FuzzFiles(["a": bytes])
    guard let file = try? files.open("a", create: false) else { return [] }
    let name = SegmentName(log: .results, base: 1, generation: 1)
    var reader = SegmentReader(
      files: files, file: file, segment: Segment(file: "a", name: name), end: bytes.count)
    reader.window = window
    var seen: [Seen] = []
    _ = try? reader.walk(from: SegmentHeader.size) { visit in
      guard case .record(let record) = visit else { return true }
      precondition(record.frame.isGap || record.frame.sequence > seen.last?.sequence ?? 0 || seen.isEmpty)
      seen.append(
        Seen(sequence: record.frame.sequence, kind: record.frame.kind, offset: record.position.offset))
      return true
    }
    return seen
  }

  /// The first byte says how many files the rest is; a store starts on them, records, and starts again.
  package static func store(_ bytes: [UInt8]) {
    guard let count = bytes.first.map({ Int($0 % 3) + 1 }), bytes.count < 64 << 10 else { return }
    let part = max(1, (bytes.count - 1) / count)
    var contents: [String: [UInt8]] = [:]
    for index in 0..<count {
      let content = Array(bytes.dropFirst(1 + index * part).prefix(part))
      let name = SegmentName(log: .results, base: UInt64(index * 10 + 1), generation: UInt32(index + 1))
      contents[index == 2 ? Cursor.fileName : name.text] = content
    }
    let files = FuzzFiles(contents)
    var settings = SpoolSettings(path: "/", size: 64 << 10, segmentSize: 16 << 10)
    settings.quarantineSize = 32 << 10
    var first = start(settings, files)
    precondition(first.mode == .durable, "does not start: \(first.mode)")
    let waiting = first.pending(.live, limit: .max).count + first.pending(.backlog, limit: .max).count
    let sequence = first.nextSequence
    let entry = SpoolEntry(sequence: sequence, kind: .result, deliverable: true, payload: sample)
    precondition(first.record([entry], overflow: nil, at: moment), "does not record")
    var second = start(settings, files)
    let found = second.pending(.live, limit: .max).count + second.pending(.backlog, limit: .max).count
    precondition(second.mode == .durable && second.nextSequence > sequence && found <= waiting + 1)
    precondition(found == waiting + 1 || second.counters.dropped > 0 || first.counters.dropped > 0, "lost")
  }

  private static let moment = SpoolTime(wall: Timestamp(seconds: 1_700_000_000), monotonic: 1_000_000)

  private static let sample = RecordPayload.encode(
    DeliveryRecord(
      id: UniqueID(high: 1, low: 2), checkID: UniqueID(high: 3, low: 4), agent: "a",
      scheduledAt: moment.wall, startedAt: moment.wall, trigger: .schedule, status: .success, state: .up,
      reason: .ok, phase: nil, statusCode: nil, responseTime: nil, timings: Timings(),
      certificateNotAfter: nil, message: nil, flags: [.post]))

  private static func start(_ settings: SpoolSettings, _ files: FuzzFiles) -> SpoolCore {
    var core = SpoolCore(settings: settings, nonce: 1, at: moment) { () throws(FileFault) in files }
    core.attach(at: moment)
    return core
  }
}
