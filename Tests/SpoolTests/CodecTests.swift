// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Spool

@Suite("Record format, version 1")
struct CodecTests {
  @Test("checksums are those of RFC 3720")
  func checksum() {
    #expect(CRC32C.checksum(Array("123456789".utf8)) == 0xe306_9283)
    #expect(CRC32C.checksum([UInt8](repeating: 0, count: 32)) == 0x8a91_36aa)
    #expect(CRC32C.checksum([UInt8](repeating: 0xff, count: 32)) == 0x62a8_ab43)
  }

  private var full: DeliveryRecord {
    var record = sampleRecord(5, message: "connect to 192.0.2.7:443: refused")
    record.statusCode = 503
    record.certificateNotAfter = Timestamp(seconds: 4_102_444_800)
    record.timings = Timings(
      dns: .nanoseconds(1), connect: .microseconds(1200), startTLS: .microseconds(7), tls: .milliseconds(3),
      firstByte: .seconds(1), transfer: .zero, total: .seconds(70))
    record.flags = [.post, .maintenance]
    record.hold = VerdictHold(interval: .seconds(86_400), spanned: Self.slots(1 << 16))
    return record
  }

  @Test("what goes in comes out, with every word of every enum")
  func roundTrip() throws {
    #expect(try RecordPayload.decode(RecordPayload.encode(full)) == full)
    for reason in Reason.allCases {
      for phase in Phase.allCases {
        var record = sampleRecord(1)
        record.reason = reason
        record.phase = phase
        record.state = CheckState.allCases[Int(record.id.low % 4)]
        #expect(try RecordPayload.decode(RecordPayload.encode(record)) == record)
      }
    }
  }

  private static func slots(
    _ count: Int, from first: Int64 = 1_700_000_030_000_000, every interval: Int64 = 30_000_000
  ) -> SlotRange {
    SlotRange(first: Timestamp(microseconds: first), count: count, interval: .microseconds(interval))
  }

  @Test("how long a verdict holds comes back, and what no history can count does not")
  func hold() throws {
    let minute = VerdictHold(interval: .seconds(60))
    for (put, found) in [
      (nil, nil), (minute, minute), (VerdictHold(interval: .zero), nil),
      (VerdictHold(interval: .microseconds(1 << 46 + 1)), nil),
      (
        VerdictHold(interval: .microseconds(1), spanned: Self.slots(1)),
        VerdictHold(interval: .microseconds(1), spanned: Self.slots(1))
      ),
      (VerdictHold(interval: .seconds(60), spanned: Self.slots(0)), minute),
      (VerdictHold(interval: .seconds(60), spanned: Self.slots(1 << 16 + 1)), minute),
      (VerdictHold(interval: .seconds(60), spanned: Self.slots(9, every: 1 << 46 + 1)), minute),
      (VerdictHold(interval: .seconds(60), spanned: Self.slots(9, from: 1 << 55 + 1)), minute),
      (VerdictHold(interval: .seconds(60), spanned: Self.slots(9, from: -1 << 55 - 1)), minute),
    ] as [(VerdictHold?, VerdictHold?)] {
      var record = sampleRecord(1)
      record.hold = put
      #expect(try RecordPayload.decode(RecordPayload.encode(record)).hold == found)
    }
    var record = sampleRecord(1)
    let before = RecordPayload.encode(record).count
    record.hold = minute
    #expect(RecordPayload.encode(record).count == before + 6)
  }

  @Test("a bundle of records is taken whole or not at all")
  func bundle() {
    let records = [full, sampleRecord(1), sampleRecord(2)]
    let bytes = RecordBundle.encode(records)
    #expect(RecordBundle.decode(bytes) == records)
    #expect(RecordBundle.decode([]) == [])
    for count in 1..<bytes.count where RecordBundle.decode(Array(bytes.prefix(count))) != nil {
      let whole = (1...2).map { RecordBundle.encode(records.prefix($0)).count }
      #expect(whole.contains(count), "cut after \(count) bytes")
    }
    #expect(RecordBundle.decode([0xff, 0xff] + bytes) == nil)
    #expect(RecordBundle.decode(RecordBundle.encode((0...500).map { sampleRecord($0) }))?.count == 501)
  }

  @Test(
    "durations and times of any sign and size survive",
    arguments: [0, 1, -1, 127, 128, -128, -129, .max, .min])
  func numbers(_ value: Int64) throws {
    var record = sampleRecord(1)
    record.responseTime = .nanoseconds(value)
    record.startedAt = Timestamp(microseconds: value)
    #expect(try RecordPayload.decode(RecordPayload.encode(record)) == record)
  }

  @Test("the largest record stays within 1 KiB, cut at whole characters")
  func size() throws {
    var record = full
    record.agent = String(repeating: "ä", count: 400)
    record.message = String(repeating: "x", count: 254) + "€€€"
    let bytes = RecordPayload.encode(record)
    #expect(bytes.count <= RecordPayload.limit)
    let decoded = try RecordPayload.decode(bytes)
    #expect(decoded.agent == String(repeating: "ä", count: 127))
    #expect(decoded.message == String(repeating: "x", count: 254))
  }

  @Test("fields a later version adds are skipped; words it adds are not guessed")
  func forwardCompatible() throws {
    var bytes = RecordPayload.encode(full)
    bytes += [0xe8, 0x07, 3, 1, 2, 3]
    #expect(try RecordPayload.decode(bytes) == full)
    var fields = FieldWriter()
    fields.put(9, "reason_of_2031")
    #expect(throws: MalformedPayload(field: 9)) {
      try RecordPayload.decode(RecordPayload.encode(full) + fields.bytes)
    }
  }

  @Test("a cut payload is an error, never a crash")
  func truncated() {
    let bytes = RecordPayload.encode(full)
    for length in 0..<bytes.count {
      let decoded = try? RecordPayload.decode(Array(bytes[..<length]))
      #expect(decoded == nil || decoded != full)
    }
  }

  /// Bytes written by the first release. They never change: a reader that fails here would lose stored results.
  @Test("K12: the bytes of version 1 are what they were")
  func golden() throws {
    let record = DeliveryRecord(
      id: UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001),
      checkID: UniqueID(high: 1, low: 2),
      agent: "a", scheduledAt: Timestamp(microseconds: 1_700_000_000_000_000),
      startedAt: Timestamp(microseconds: 1_700_000_000_003_000), trigger: .schedule, status: .success,
      state: .up,
      reason: .ok, phase: nil, statusCode: 200, responseTime: .milliseconds(5), timings: Timings(),
      certificateNotAfter: nil,
      message: nil, flags: [.post])
    var bytes: [UInt8] = []
    RecordFrame.encode(entry(1001, record), into: &bytes)
    #expect(Base16.text(bytes) == Fixture.record)
    let frame = try #require(bytes.withUnsafeBytes { RecordFrame($0, at: 0) })
    #expect(
      frame.sequence == 1001 && frame.isDeliverable && bytes.withUnsafeBytes { frame.isIntact($0, at: 0) })
    #expect(try RecordPayload.decode(Array(bytes[24..<24 + frame.payloadLength])) == record)
    let header = SegmentHeader(
      log: .results, identity: UniqueID(high: 1, low: 2), nonce: 3, base: 1001, generation: 7,
      segmentSize: 4 << 20,
      createdAt: Timestamp(microseconds: 1_700_000_000_000_000))
    #expect(Base16.text(header.bytes) == Fixture.header)
    let cursor = Cursor(
      generation: 9, progress: DeliveryProgress(settledThrough: 1000), identity: UniqueID(high: 1, low: 2))
    #expect(Base16.text(cursor.bytes) == Fixture.cursor)
    #expect(
      SegmentName(log: .results, base: 1001, generation: 7).text == "results-00000000000003e9-00000007.seg")
  }
}

private enum Fixture {
  static let record =
    "5152454301010100600000002cd9f3a6e90300000000000001100190000000007000800000000000"
    + "0001021000000000000000010000000000000002030161040700401e18240a060507b84b1e18240a"
    + "0606087363686564756c650707737563636573730802757009026f6b1501010b02c8000c03404b4c"
    + "fbb878b800000000"
  static let header =
    "5153454701000000000000000000000100000000000000020300000000000000e903000000000000"
    + "070000000000400000401e18240a06000000000040193759"
  static let cursor =
    "51435552010000000900000000000000e803000000000000e903000000000000e803000000000000"
    + "000000000000000100000000000000020a45811400000000"
}
