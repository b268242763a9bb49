// SPDX-License-Identifier: MIT

import Network

/// Builds answers byte by byte, right and wrong ones.
package struct Wire {
  package var id: UInt16
  package var flags: UInt16 = 0x8180
  /// As they stand in the message; nil: as many as there are.
  package var counts: (UInt16?, UInt16?, UInt16?, UInt16?) = (nil, nil, nil, nil)
  package var question: [UInt8]
  package var answers: [[UInt8]] = []
  package var authority: [[UInt8]] = []
  package var additional: [[UInt8]] = []

  /// The answer to a query: its id and question, NOERROR, recursion done.
  package init(to query: [UInt8]) {
    id = UInt16(query[0]) << 8 | UInt16(query[1])
    var end = 12
    while end < query.count, query[end] > 0 { end += 1 + Int(query[end]) }
    question = Array(query[12..<min(end + 5, query.count)])
  }

  package init(_ name: String, _ type: DNSRecordType) {
    self.init(
      to: DNSQuery(
        id: 7, question: .init(name: DNSName(name) ?? .root, type: type), recursion: true, edns: false
      ).bytes)
  }

  package var bytes: [UInt8] {
    var bytes = be(id) + be(flags)
    bytes += be(counts.0 ?? 1)
    bytes += be(counts.1 ?? UInt16(answers.count))
    bytes += be(counts.2 ?? UInt16(authority.count))
    bytes += be(counts.3 ?? UInt16(additional.count))
    bytes += question
    for record in answers + authority + additional { bytes += record }
    return bytes
  }

  /// Behind its length, as TCP has it.
  package var framed: [UInt8] { be(UInt16(bytes.count)) + bytes }

  package func with(_ change: (inout Wire) -> Void) -> Wire {
    var copy = self
    change(&copy)
    return copy
  }

  package static func name(_ text: String) -> [UInt8] { DNSName(text)?.wire ?? [] }

  /// A record; its name defaults to a pointer to the question's.
  package static func record(
    _ type: UInt16, _ data: [UInt8], name: [UInt8] = [0xc0, 12], ttl: UInt32 = 300, class: UInt16 = 1
  ) -> [UInt8] {
    var bytes = name + be(type)
    bytes += be(`class`)
    bytes += be(UInt16(truncatingIfNeeded: ttl >> 16)) + be(UInt16(truncatingIfNeeded: ttl))
    bytes += be(UInt16(data.count))
    return bytes + data
  }

  package static func a(_ octets: UInt8..., name: [UInt8] = [0xc0, 12]) -> [UInt8] {
    record(1, octets, name: name)
  }

  package static func cname(_ target: String, name: [UInt8] = [0xc0, 12]) -> [UInt8] {
    record(5, Wire.name(target), name: name)
  }
}

package func be(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
