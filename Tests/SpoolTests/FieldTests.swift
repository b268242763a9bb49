// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Spool

/// The tagged fields of a record, one by one: a tag that changes its meaning makes stored results unreadable.
@Suite("Fields of a record")
struct FieldTests {
  /// A number of its own in every field that is one.
  private var full: DeliveryRecord {
    var record = sampleRecord(5, message: "why")
    (record.scheduledAt, record.startedAt) = (Timestamp(microseconds: 10), Timestamp(microseconds: 11))
    record.statusCode = 503
    record.responseTime = .nanoseconds(1)
    record.timings = Timings(
      dns: .nanoseconds(2), connect: .nanoseconds(3), startTLS: .nanoseconds(8), tls: .nanoseconds(4),
      firstByte: .nanoseconds(5), transfer: .nanoseconds(6), total: .nanoseconds(7))
    record.certificateNotAfter = Timestamp(microseconds: 9)
    record.flags = [.post, .traced, .overruled]
    record.wireID = UniqueID(high: 0x0102_0304_0506_0708, low: 0x090a_0b0c_0d0e_0f10)
    record.ownerRevision = 300
    return record
  }

  private func fields(_ bytes: [UInt8]) -> [UInt64: [UInt8]] {
    var found: [UInt64: [UInt8]] = [:]
    bytes.withUnsafeBytes { bytes in
      var reader = FieldReader(bytes)
      while let field = try? reader.next() { found[field.tag] = Array(field.value.bytes) }
    }
    return found
  }

  private func payload(_ fields: [UInt64: [UInt8]]) -> [UInt8] {
    var writer = FieldWriter()
    for (tag, value) in fields.sorted(by: { $0.key < $1.key }) { writer.put(tag, value) }
    return writer.bytes
  }

  @Test("each part of a record has its tag")
  func tags() throws {
    let record = full
    let found = fields(RecordPayload.encode(record))
    let words: [UInt64: String] = [
      3: "london-1", 6: "schedule", 7: "failure", 8: "down", 9: "connect_refused", 10: "connect", 20: "why",
    ]
    for (tag, word) in words { #expect(found[tag] == Array(word.utf8), "\(tag)") }
    let numbers: [UInt64: [UInt8]] = [
      4: [10], 5: [11], 11: [0xf7, 1], 12: [1], 13: [2], 14: [3], 15: [4], 16: [5], 17: [6], 18: [7],
      19: [9], 21: [25], 22: [8], 24: [0x2c, 1],
    ]
    for (tag, number) in numbers { #expect(found[tag] == number, "\(tag)") }
    #expect(found[1] == record.id.bytes && found[2] == record.checkID.bytes)
    #expect(found[23] == Array(1...16))
    #expect(found.count == 24)
    #expect(try RecordPayload.decode(payload(found)) == record)
  }

  @Test("a record needs what every record has, and nothing else")
  func required() throws {
    let all = fields(RecordPayload.encode(full))
    for tag in UInt64(1)...24 {
      let less = payload(all.filter { $0.key != tag })
      if (1...9).contains(tag) || tag == 21 {
        #expect(throws: MalformedPayload(field: nil), "\(tag)") { try RecordPayload.decode(less) }
      } else {
        let decoded = try RecordPayload.decode(less)
        #expect(decoded != full && fields(RecordPayload.encode(decoded)) == all.filter { $0.key != tag })
      }
    }
  }

  @Test("a value that is none of its field is an error of that field")
  func values() {
    let ids: [UInt64] = [1, 2, 23], words: [UInt64] = [6, 7, 8, 9, 10], texts: [UInt64] = [3, 20]
    let numbers = Set(UInt64(1)...24).subtracting(ids + words + texts).sorted()
    let bad: [(tags: [UInt64], value: [UInt8])] = [
      (ids, [UInt8](repeating: 1, count: 15)), (ids, [UInt8](repeating: 1, count: 17)), (ids, []),
      (words, Array("UP".utf8)), (words, []), (texts, [0xff]), (numbers, []),
      (numbers, [UInt8](repeating: 1, count: 9)),
    ]
    let all = fields(RecordPayload.encode(full))
    for (tags, value) in bad {
      for tag in tags {
        let bytes = payload(all.merging([tag: value]) { $1 })
        #expect(throws: MalformedPayload(field: tag), "\(tag): \(value)") { try RecordPayload.decode(bytes) }
      }
    }
  }

  @Test(
    "a number takes as few bytes as its sign allows, low byte first",
    arguments: [
      (0, [0]), (127, [0x7f]), (128, [0x80, 0]), (255, [0xff, 0]), (256, [0, 1]), (32_767, [0xff, 0x7f]),
      (32_768, [0, 0x80, 0]), (-1, [0xff]), (-128, [0x80]), (-129, [0x7f, 0xff]), (-32_768, [0, 0x80]),
      (-32_769, [0xff, 0x7f, 0xff]), (.max, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
      (.min, [0, 0, 0, 0, 0, 0, 0, 0x80]),
    ] as [(Int64, [UInt8])])
  func integers(number: Int64, bytes: [UInt8]) {
    var writer = FieldWriter()
    writer.put(200, integer: number)
    #expect(writer.bytes == [0xc8, 1, UInt8(bytes.count)] + bytes)
    #expect(bytes.withUnsafeBytes { FieldValue(bytes: $0).integer } == number)
  }

  @Test("a duration that no number of nanoseconds holds becomes the nearest one that is")
  func longDurations() throws {
    for (duration, nanoseconds) in [
      (.seconds(9_223_372_036), 9_223_372_036_000_000_000), (.seconds(9_223_372_037), .max),
      (.seconds(Int64.max), .max), (.seconds(-9_223_372_037), .min), (.nanoseconds(-1), -1),
    ] as [(Duration, Int64)] {
      var record = sampleRecord(1)
      record.responseTime = duration
      let decoded = try RecordPayload.decode(RecordPayload.encode(record))
      #expect(decoded.responseTime == .nanoseconds(nanoseconds), "\(duration)")
    }
  }

  @Test("a bundle holds records, each with its length before it")
  func bundles() {
    let most = (0..<500).map { sampleRecord($0) }
    #expect(RecordBundle.decode(RecordBundle.encode(most)) == most)
    let more = most + [sampleRecord(500)]
    #expect(RecordBundle.decode(RecordBundle.encode(more)) == more)
    let long = sampleRecord(1, message: String(repeating: "m", count: 250))
    let payload = RecordPayload.encode(long)
    #expect(payload.count > 256 && RecordBundle.limit == 500 * 1026)
    let bundle = [UInt8(payload.count & 0xff), UInt8(payload.count >> 8)] + payload
    #expect(RecordBundle.decode(bundle) == [long])
    #expect(RecordBundle.decode(RecordBundle.encode(most.prefix(1)) + [0]) == nil)
  }

  @Test("a refused result keeps its number, its code and itself, and is none without one of them")
  func refused() throws {
    func decode(_ bytes: [UInt8]) -> QuarantinedRecord? {
      bytes.withUnsafeBytes { RefusedPayload.decode($0) }
    }
    let queued = QueuedRecord(sequence: 300, record: full)
    let bytes = RefusedPayload.encode(queued, code: "23503")
    #expect(decode(bytes) == QuarantinedRecord(sequence: 300, code: "23503", record: full))
    let all = fields(bytes)
    #expect(all[1] == [0x2c, 1] && all[2] == Array("23503".utf8))
    #expect(all[3] == RecordPayload.encode(full) && all.count == 3)
    for tag in UInt64(1)...3 { #expect(decode(payload(all.filter { $0.key != tag })) == nil, "\(tag)") }
    #expect(decode(bytes + [9, 1, 1]) != nil, "of a later version")
    let long = decode(RefusedPayload.encode(queued, code: String(repeating: "c", count: 300)))
    #expect(long?.code == String(repeating: "c", count: 255))
  }
}
