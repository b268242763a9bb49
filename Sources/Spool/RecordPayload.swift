// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The stored form of a `DeliveryRecord`: tagged fields, unknown tags skipped, enums as the words users see.
///
/// The tags and words are the format. They never depend on the order of cases or properties in the source, a tag is
/// never given a second meaning, and a newer writer may add tags without a new format version.
enum RecordPayload {
  /// Largest payload a writer makes, in bytes.
  static let limit = 1024

  private enum Tag {
    static let id: UInt64 = 1
    static let checkID: UInt64 = 2
    static let agent: UInt64 = 3
    static let scheduledAt: UInt64 = 4
    static let startedAt: UInt64 = 5
    static let trigger: UInt64 = 6
    static let status: UInt64 = 7
    static let state: UInt64 = 8
    static let reason: UInt64 = 9
    static let phase: UInt64 = 10
    static let statusCode: UInt64 = 11
    static let responseTime: UInt64 = 12
    static let dns: UInt64 = 13
    static let connect: UInt64 = 14
    static let tls: UInt64 = 15
    static let firstByte: UInt64 = 16
    static let transfer: UInt64 = 17
    static let total: UInt64 = 18
    static let certificateNotAfter: UInt64 = 19
    static let message: UInt64 = 20
    static let flags: UInt64 = 21
    static let startTLS: UInt64 = 22
    static let wireID: UInt64 = 23
    static let ownerRevision: UInt64 = 24
    static let hold: UInt64 = 25
    static let spannedFirst: UInt64 = 26
    static let spannedCount: UInt64 = 27
    static let spannedInterval: UInt64 = 28
  }

  private enum Words {
    static let trigger = WordTable<Trigger>()
    static let status = WordTable<ResultStatus>()
    static let state = WordTable<CheckState>()
    static let reason = WordTable<Reason>()
    static let phase = WordTable<Phase>()
  }

  /// At most `limit` bytes: the agent's name and the message are cut to 255 bytes each. Durations keep nanoseconds.
  static func encode(_ record: DeliveryRecord) -> [UInt8] {
    var fields = FieldWriter()
    fields.put(Tag.id, record.id)
    fields.put(Tag.checkID, record.checkID)
    fields.put(Tag.agent, cut(record.agent))
    fields.put(Tag.scheduledAt, integer: record.scheduledAt.microseconds)
    fields.put(Tag.startedAt, integer: record.startedAt.microseconds)
    fields.put(Tag.trigger, record.trigger.rawValue)
    fields.put(Tag.status, record.status.rawValue)
    fields.put(Tag.state, record.state.rawValue)
    fields.put(Tag.reason, record.reason.rawValue)
    fields.put(Tag.flags, integer: Int64(record.flags.rawValue))  // bounded: flags have 32 bits at most
    if let id = record.wireID { fields.put(Tag.wireID, id) }
    if let revision = record.ownerRevision { fields.put(Tag.ownerRevision, integer: revision) }
    if let phase = record.phase { fields.put(Tag.phase, phase.rawValue) }
    // bounded: a wider number
    if let code = record.statusCode { fields.put(Tag.statusCode, integer: Int64(code)) }
    if let message = record.message { fields.put(Tag.message, cut(message)) }
    if let end = record.certificateNotAfter {
      fields.put(Tag.certificateNotAfter, integer: end.microseconds)
    }
    let timings = record.timings
    let durations: [(UInt64, Duration?)] = [
      (Tag.responseTime, record.responseTime), (Tag.dns, timings.dns), (Tag.connect, timings.connect),
      (Tag.startTLS, timings.startTLS), (Tag.tls, timings.tls), (Tag.firstByte, timings.firstByte),
      (Tag.transfer, timings.transfer),
      (Tag.total, timings.total),
    ]
    for case (let tag, let duration?) in durations { fields.put(tag, integer: nanoseconds(duration)) }
    if let hold = record.hold { put(hold, into: &fields) }
    return fields.bytes
  }

  /// Microseconds, as slots have them.
  private static func put(_ hold: VerdictHold, into fields: inout FieldWriter) {
    fields.put(Tag.hold, integer: hold.interval.microseconds)
    guard let slots = hold.spanned else { return }
    fields.put(Tag.spannedFirst, integer: slots.first.microseconds)
    fields.put(Tag.spannedCount, integer: Int64(slots.count))  // bounded: a wider number
    fields.put(Tag.spannedInterval, integer: slots.interval.microseconds)
  }

  static func decode(_ bytes: [UInt8]) throws(MalformedPayload) -> DeliveryRecord {
    try bytes.withUnsafeBytes { bytes in
      // The standard library's closure loses the error's type; the result carries it.
      do throws(MalformedPayload) {
        return Result<DeliveryRecord, MalformedPayload>.success(try decode(bytes))
      } catch {
        return .failure(error)
      }
    }.get()
  }

  /// Throws when a field every record has is absent, or a word is not known to this version.
  static func decode(_ bytes: UnsafeRawBufferPointer) throws(MalformedPayload) -> DeliveryRecord {
    var reader = FieldReader(bytes)
    var draft = Draft()
    while let field = try reader.next() {
      guard draft.take(field.tag, field.value) else { throw MalformedPayload(field: field.tag) }
    }
    return try draft.record()
  }

  /// The slot of the record without decoding the rest: enough for the times of a gap.
  static func scheduledAt(_ bytes: UnsafeRawBufferPointer) -> Timestamp? {
    var reader = FieldReader(bytes)
    while let field = try? reader.next() {
      if field.tag == Tag.scheduledAt { return field.value.integer.map(Timestamp.init(microseconds:)) }
    }
    return nil
  }

  /// The fields read so far.
  private struct Draft {
    var id: UniqueID?
    var checkID: UniqueID?
    var agent: String?
    var scheduledAt: Int64?
    var startedAt: Int64?
    var trigger: Trigger?
    var status: ResultStatus?
    var state: CheckState?
    var reason: Reason?
    var phase: Phase?
    var statusCode: Int64?
    var responseTime: Duration?
    var timings = Timings()
    var certificateNotAfter: Int64?
    var message: String?
    var flags: Int64?
    var wireID: UniqueID?
    var ownerRevision: Int64?
    var held: Int64?
    var spanned: (first: Int64?, count: Int64?, interval: Int64?)

    /// False when a known field has a value this version cannot read.
    mutating func take(_ tag: UInt64, _ value: FieldValue) -> Bool {
      switch tag {
      case Tag.id: set(&id, value.uniqueID)
      case Tag.checkID: set(&checkID, value.uniqueID)
      case Tag.agent: set(&agent, value.text)
      case Tag.scheduledAt: set(&scheduledAt, value.integer)
      case Tag.startedAt: set(&startedAt, value.integer)
      case Tag.trigger: set(&trigger, Words.trigger[value.bytes])
      case Tag.status: set(&status, Words.status[value.bytes])
      case Tag.state: set(&state, Words.state[value.bytes])
      case Tag.reason: set(&reason, Words.reason[value.bytes])
      case Tag.phase: set(&phase, Words.phase[value.bytes])
      case Tag.statusCode: set(&statusCode, value.integer)
      case Tag.certificateNotAfter: set(&certificateNotAfter, value.integer)
      case Tag.message: set(&message, value.text)
      case Tag.flags: set(&flags, value.integer)
      case Tag.wireID: set(&wireID, value.uniqueID)
      case Tag.ownerRevision: set(&ownerRevision, value.integer)
      case Tag.hold: set(&held, value.integer)
      case Tag.spannedFirst: set(&spanned.first, value.integer)
      case Tag.spannedCount: set(&spanned.count, value.integer)
      case Tag.spannedInterval: set(&spanned.interval, value.integer)
      default: takeDuration(tag, value)
      }
    }

    private mutating func takeDuration(_ tag: UInt64, _ value: FieldValue) -> Bool {
      let duration = value.integer.map { Duration.nanoseconds($0) }
      switch tag {
      case Tag.responseTime: return set(&responseTime, duration)
      case Tag.dns: return set(&timings.dns, duration)
      case Tag.connect: return set(&timings.connect, duration)
      case Tag.startTLS: return set(&timings.startTLS, duration)
      case Tag.tls: return set(&timings.tls, duration)
      case Tag.firstByte: return set(&timings.firstByte, duration)
      case Tag.transfer: return set(&timings.transfer, duration)
      case Tag.total: return set(&timings.total, duration)
      default: return true
      }
    }

    private func set<T>(_ field: inout T?, _ value: T?) -> Bool {
      field = value
      return value != nil
    }

    func record() throws(MalformedPayload) -> DeliveryRecord {
      guard let id, let checkID, let agent, let scheduledAt, let startedAt, let trigger, let status,
        let state,
        let reason, let flags
      else { throw MalformedPayload(field: nil) }
      var record = DeliveryRecord(
        id: id, checkID: checkID, agent: agent, scheduledAt: Timestamp(microseconds: scheduledAt),
        startedAt: Timestamp(microseconds: startedAt), trigger: trigger, status: status, state: state,
        // bounded: Int has 64 bits
        reason: reason, phase: phase, statusCode: statusCode.map(Int.init), responseTime: responseTime,
        timings: timings, certificateNotAfter: certificateNotAfter.map(Timestamp.init(microseconds:)),
        message: message, flags: DeliveryRecord.Flags(rawValue: UInt8(truncatingIfNeeded: flags)))
      (record.wireID, record.ownerRevision, record.hold) = (wireID, ownerRevision, hold)
      return record
    }

    /// Lengths and numbers that a history can count; `nil` without them.
    private var hold: VerdictHold? {
      guard let held, Self.lengths.contains(held) else { return nil }
      var hold = VerdictHold(interval: .microseconds(held))
      if let first = spanned.first, let count = spanned.count, let interval = spanned.interval,
        Self.instants.contains(first), Self.counts.contains(count), Self.lengths.contains(interval)
      {
        hold.spanned = SlotRange(
          // bounded: Int has 64 bits
          first: Timestamp(microseconds: first), count: Int(count), interval: .microseconds(interval))
      }
      return hold
    }

    // So that the last of the slots is an instant, too: two years from one to the next, within 1,100 years of 1970.
    private static let lengths: ClosedRange<Int64> = 1...1 << 46
    private static let counts: ClosedRange<Int64> = 1...1 << 16
    private static let instants: ClosedRange<Int64> = -1 << 55...1 << 55
  }

  /// Clamped to 292 years.
  private static func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || carry ? (seconds < 0 ? .min : .max) : sum
  }

  /// The longest whole-character prefix of at most 255 bytes.
  static func cut(_ text: String) -> String {
    guard text.utf8.count > 255 else { return text }
    var length = 0
    let kept = text.unicodeScalars.prefix { scalar in
      // bounded: wider than what is put, or at most 255
      length += UTF8.width(scalar)
      return length <= 255
    }
    return String(kept)
  }
}
