// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Records on their way from one process of this agent to another: each as it is stored, behind its length (two bytes,
/// low one first). Reader and writer may be of different versions, as with the store.
package enum RecordBundle {
  /// Records in one bundle at most, so that it stays below `limit`. The reader of a bundle refuses more.
  package static let most = 500
  /// Bytes of a bundle at most.
  // bounded: two bytes, and constants
  package static let limit = most * (RecordPayload.limit + 2)

  package static func encode(_ records: some Collection<DeliveryRecord>) -> [UInt8] {
    var bytes: [UInt8] = []
    for record in records {
      let payload = RecordPayload.encode(record)
      bytes += [UInt8(truncatingIfNeeded: payload.count), UInt8(truncatingIfNeeded: payload.count >> 8)]
      bytes += payload
    }
    return bytes
  }

  /// `nil` unless every byte belongs to a whole record.
  package static func decode(_ bytes: [UInt8]) -> [DeliveryRecord]? {
    var records: [DeliveryRecord] = []
    var rest = bytes[...]
    while rest.count >= 2 {
      let count = Int(rest.removeFirst()) | Int(rest.removeFirst()) << 8  // bounded: two bytes
      guard count <= RecordPayload.limit, rest.count >= count,
        let record = try? RecordPayload.decode(Array(rest.prefix(count)))
      else { return nil }
      records.append(record)
      rest = rest.dropFirst(count)
    }
    return rest.isEmpty ? records : nil
  }
}
