// SPDX-License-Identifier: MIT

import Monitoring

/// What is asked: class IN always.
package struct DNSQuestion: Hashable, Sendable {
  package var name: DNSName
  package var type: DNSRecordType

  package init(name: DNSName, type: DNSRecordType) {
    self.name = name
    self.type = type
  }
}

/// One resource record, its data already read.
package struct DNSRecord: Hashable, Sendable {
  package enum Value: Hashable, Sendable {
    case address(IPAddress)
    /// CNAME, NS, PTR.
    case name(DNSName)
    /// Any other, in presentation format.
    case text(String)
  }

  package var name: DNSName
  package var type: DNSRecordType
  /// Seconds. With the highest bit set it is zero (RFC 2181 8).
  package var ttl: UInt32
  package var value: Value

  /// The data in presentation format.
  package var data: String {
    switch value {
    case .address(let address): address.description
    case .name(let name): name.description
    case .text(let text): text
    }
  }
}

/// A parsed response (or query). The authority and additional sections are checked, not kept.
package struct DNSMessage: Hashable, Sendable {
  package var id: UInt16
  package var isResponse: Bool
  package var opcode: UInt8
  package var authoritative: Bool
  package var truncated: Bool
  /// With EDNS's upper bits.
  package var rcode: DNSResponseCode
  package var question: DNSQuestion
  package var answers: [DNSRecord]

  /// Reads a whole message with exactly one question of class IN. Bytes behind the last record are not looked at.
  package init(_ bytes: [UInt8]) throws(DNSMalformed) {
    var reader = DNSReader(bytes)
    id = try reader.word()
    let flags = try reader.word()
    isResponse = flags & 0x8000 != 0
    opcode = UInt8(flags >> 11 & 15)
    authoritative = flags & 0x0400 != 0
    truncated = flags & 0x0200 != 0
    let questions = try reader.word()
    let counts = (answers: try reader.word(), authority: try reader.word(), additional: try reader.word())
    guard questions == 1 else { throw DNSMalformed("the message has \(questions) questions") }
    let name = try reader.name()
    question = DNSQuestion(name: name, type: DNSRecordType(rawValue: try reader.word()))
    guard try reader.word() == 1 else { throw DNSMalformed("the question is not of class IN") }

    answers = []
    // The count is the sender's claim: a record takes 11 bytes at least.
    answers.reserveCapacity(min(Int(counts.answers), reader.remaining / 11))
    for _ in 0..<counts.answers { answers.append(try reader.record().record) }
    for _ in 0..<counts.authority { _ = try reader.record() }
    var upperBits: UInt16?
    for _ in 0..<counts.additional {
      guard let bits = try reader.record().extendedCode else { continue }
      guard upperBits == nil else { throw DNSMalformed("the message has two OPT records") }
      upperBits = bits
    }
    rcode = DNSResponseCode(rawValue: (upperBits ?? 0) << 4 | flags & 15)
  }
}

extension DNSReader {
  /// A record, and the extended response code's upper bits when it is OPT.
  fileprivate mutating func record() throws(DNSMalformed) -> (record: DNSRecord, extendedCode: UInt16?) {
    let name = try name()
    let type = DNSRecordType(rawValue: try word())
    let recordClass = try word()
    let ttl = try long()
    let length = Int(try word())
    guard length <= remaining else {
      throw DNSMalformed("a record's data reaches past the end of the message")
    }
    let end = offset + length
    let value: DNSRecord.Value
    if type == .opt {
      guard name == .root else { throw DNSMalformed("an OPT record is not at the root") }
      try options(until: end)
      value = .text("")
    } else {
      value = try data(of: recordClass == 1 ? type : nil, until: end)
    }
    guard offset == end else { throw DNSMalformed("a \(type) record's data has the wrong length") }
    let record = DNSRecord(name: name, type: type, ttl: ttl > Int32.max ? 0 : ttl, value: value)
    return (record, type == .opt ? UInt16(ttl >> 24) : nil)
  }

  private mutating func options(until end: Int) throws(DNSMalformed) {
    while offset < end {
      _ = try word()
      let length = Int(try word())
      guard length <= end - offset else { throw DNSMalformed("an EDNS option reaches past its record") }
      _ = try take(length)
    }
  }
}
