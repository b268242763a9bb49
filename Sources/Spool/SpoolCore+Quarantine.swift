// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The stored form of a refused result: where it was, why it was refused, what it was.
enum RefusedPayload {
  static func encode(_ record: QueuedRecord, code: String) -> [UInt8] {
    var fields = FieldWriter()
    fields.put(1, integer: Int64(clamping: record.sequence))
    fields.put(2, RecordPayload.cut(code))
    fields.put(3, RecordPayload.encode(record.record))
    return fields.bytes
  }

  static func decode(_ bytes: UnsafeRawBufferPointer) -> QuarantinedRecord? {
    var reader = FieldReader(bytes)
    var sequence: UInt64?
    var code: String?
    var record: DeliveryRecord?
    while let field = try? reader.next() {
      switch field.tag {
      case 1: sequence = field.value.integer.map { UInt64(clamping: $0) }
      case 2: code = field.value.text
      case 3: record = try? RecordPayload.decode(field.value.bytes)
      default: continue
      }
    }
    guard let sequence, let code, let record else { return nil }
    return QuarantinedRecord(sequence: sequence, code: code, record: record)
  }
}

extension SpoolCore {
  /// Refused results held in memory while the disk is away; the oldest go first.
  static let refusedLimit = 1024

  mutating func quarantine(_ records: [QueuedRecord], code: String, at time: SpoolTime) {
    for record in records {
      refusals.waiting.append(
        SpoolEntry(
          sequence: refusals.next, kind: .refused, deliverable: false,
          payload: RefusedPayload.encode(record, code: code)))
      refusals.next += 1
    }
    storeRefused(at: time)
    if refusals.waiting.count > SpoolCore.refusedLimit {
      counters.quarantineDropped += refusals.waiting.count - SpoolCore.refusedLimit
      refusals.waiting.removeFirst(refusals.waiting.count - SpoolCore.refusedLimit)
    }
  }

  /// Writes and syncs what waits; in a new segment if that fails once, later if it fails twice.
  mutating func storeRefused(at time: SpoolTime) {
    guard case .durable = mode, !refusals.waiting.isEmpty, quarantined != nil else { return }
    for _ in 0..<2 {
      var rest = refusals.waiting[...]
      do {
        try putRefused(&rest, at: time)
        refusals.waiting = []
        return
      } catch {
        fault(error)
        _ = quarantined?.abandon { _ in true }
      }
    }
  }

  private mutating func putRefused(_ rest: inout ArraySlice<SpoolEntry>, at time: SpoolTime) throws(FileFault)
  {
    while !rest.isEmpty {
      rest = rest.dropFirst(try quarantined?.append(rest) { _ in true } ?? 0)
      guard !rest.isEmpty else { break }
      let tail = quarantined?.isWritable == false ? quarantined?.tailToRewrite() : nil
      try quarantined?.seal()
      try? quarantined?.replenish()
      if (quarantined?.spareCount ?? 0) <= 1, tail?.generations.isEmpty != false {
        counters.quarantineDropped += quarantined?.segments.first?.records ?? 0
        quarantined?.recycleFirst()
      }
      let all = ((tail?.entries ?? []) + rest)[...]
      let carried = tail?.entries.count ?? 0
      let base = all.first?.sequence ?? refusals.next
      let count = try quarantined?.start(base: base, with: all, at: time.wall) { _ in true } ?? 0
      quarantined?.recycle(tail?.generations ?? [])
      rest = rest.dropFirst(count - carried)
    }
    try quarantined?.sync()
  }

  /// Everything in the quarantine, oldest first.
  func quarantinedRecords() -> [QuarantinedRecord] { reader().quarantined() }

  /// Forgets what was refused up to and including this number of the quarantine's own. A segment that holds later ones
  /// stays whole.
  mutating func clearQuarantine(through number: UInt64) {
    refusals.waiting.removeAll { $0.sequence <= number }
    do {
      try quarantined?.seal()
    } catch {
      fault(error)
      _ = quarantined?.abandon { _ in true }
    }
    let done = (quarantined?.segments ?? []).filter { ($0.last ?? 0) <= number }
    quarantined?.recycle(Set(done.map(\.name.generation)))
  }
}
