// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Question of a message.
package struct DNSQuestion: Hashable, Sendable {
  package var name: DNSName
  package var type: DNSRecordType
  /// 1 is IN.
  package var recordClass: UInt16
  /// Ask for signatures and for a word on whether they hold (DO, RFC 3225; AD in the query, RFC 6840 5.7).
  package var wantsProof: Bool

  package init(name: DNSName, type: DNSRecordType, recordClass: UInt16 = 1, wantsProof: Bool = false) {
    self.name = name
    self.type = type
    self.recordClass = recordClass
    self.wantsProof = wantsProof
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
  package var recordClass: UInt16
  /// Seconds. With the highest bit set it is zero (RFC 2181 8).
  package var ttl: UInt32
  package var value: Value

  package init(name: DNSName, type: DNSRecordType, recordClass: UInt16, ttl: UInt32, value: Value) {
    (self.name, self.type, self.recordClass) = (name, type, recordClass)
    (self.ttl, self.value) = (ttl, value)
  }

  /// The data in presentation format.
  package var data: String {
    switch value {
    case .address(let address): address.description
    case .name(let name): name.description
    case .text(let text): text
    }
  }
}

/// A parsed response (or query). The EDNS option record is no record of the additional section.
package struct DNSMessage: Hashable, Sendable {
  package var id: UInt16
  package var isResponse: Bool
  package var opcode: UInt8
  package var authoritative: Bool
  package var truncated: Bool
  /// The server looks names up for others (RA).
  package var recursionAvailable: Bool
  /// The server vouches for all of it (AD, RFC 4035 3.2.3).
  package var authentic: Bool
  /// With EDNS's upper bits.
  package var rcode: DNSResponseCode
  /// `nil` for a message without one, such as a refusal.
  package var question: DNSQuestion?
  package var answers: [DNSRecord]
  package var authority: [DNSRecord] = []
  package var additional: [DNSRecord] = []
  /// The zone of the SOA record in the authority section: how a negative answer names it (RFC 2308 2).
  package var zone: DNSName?
  package var extendedErrors: [DNSExtendedError] = []

  /// Reads a whole message with one question, or none. Bytes behind the last record are not looked at.
  package init(_ bytes: [UInt8]) throws(DNSMalformed) {
    var reader = DNSReader(bytes)
    id = try reader.word()
    let flags = try reader.word()
    isResponse = flags & 0x8000 != 0
    opcode = UInt8(flags >> 11 & 15)  // bounded: four bits
    authoritative = flags & 0x0400 != 0
    truncated = flags & 0x0200 != 0
    recursionAvailable = flags & 0x0080 != 0
    authentic = flags & 0x0020 != 0
    let questions = try reader.word()
    let counts = (answers: try reader.word(), authority: try reader.word(), additional: try reader.word())
    guard questions <= 1 else { throw DNSMalformed("the message has \(questions) questions") }
    question = questions == 1 ? try reader.question() : nil

    answers = []
    // The count is the sender's claim: a record takes 11 bytes at least.
    answers.reserveCapacity(min(Int(counts.answers), reader.remaining / 11))  // bounded: sixteen bits
    for _ in 0..<counts.answers { answers.append(try reader.record().record) }
    for _ in 0..<counts.authority {
      let record = try reader.record().record
      if record.type == .soa, zone == nil { zone = record.name }
      authority.append(record)
    }
    var options: DNSOptions?
    for _ in 0..<counts.additional {
      let (record, found) = try reader.record()
      guard let found else {
        additional.append(record)
        continue
      }
      guard options == nil else { throw DNSMalformed("the message has two OPT records") }
      options = found
    }
    // bounded: eight bits and four
    rcode = DNSResponseCode(rawValue: UInt16(options?.upperCode ?? 0) << 4 | flags & 15)
    if let errors = options?.errors { extendedErrors = errors }
  }
}

extension DNSMessage {
  /// The answer of servers from before EDNS to a question with it (RFC 6891 7).
  var refusesEDNS: Bool { rcode == .formErr || rcode == .notImp }

  /// It points elsewhere: the server neither answers for the name nor looks it up for others. For a stub resolver it is
  /// no answer at all. With an SOA record it says that there is nothing (RFC 2308 section 2.2).
  package var isReferral: Bool {
    rcode == .noError && answers.isEmpty && zone == nil && !authoritative && !recursionAvailable
  }
}

/// The fields of an OPT record that are used (RFC 6891 6.1).
private struct DNSOptions {
  /// The upper 8 bits of the response code.
  var upperCode: UInt8
  /// At most 4.
  var errors: [DNSExtendedError] = []
}

extension DNSReader {
  fileprivate mutating func question() throws(DNSMalformed) -> DNSQuestion {
    let name = try name()
    let type = DNSRecordType(rawValue: try word())
    return DNSQuestion(name: name, type: type, recordClass: try word())
  }

  /// A record; what it says about the whole message when it is OPT.
  fileprivate mutating func record() throws(DNSMalformed) -> (record: DNSRecord, options: DNSOptions?) {
    let name = try name()
    let type = DNSRecordType(rawValue: try word())
    let recordClass = try word()
    let ttl = try long()
    let length = Int(try word())  // bounded: sixteen bits
    guard length <= remaining else {
      throw DNSMalformed("a record's data reaches past the end of the message")
    }
    let end = offset + length  // bounded: a place within the message, and sixteen bits
    var options: DNSOptions?
    let value: DNSRecord.Value
    if type == .opt {
      guard name == .root else { throw DNSMalformed("an OPT record is not at the root") }
      // bounded: the upper eight of 32 bits
      options = DNSOptions(upperCode: UInt8(ttl >> 24), errors: try extendedErrors(until: end))
      value = .text("")
    } else {
      value = try data(of: type, class: recordClass, until: end)
    }
    guard offset == end else { throw DNSMalformed("a \(type) record's data has the wrong length") }
    let record = DNSRecord(
      name: name, type: type, recordClass: recordClass, ttl: ttl > Int32.max ? 0 : ttl, value: value)
    return (record, options)
  }

  private mutating func extendedErrors(until end: Int) throws(DNSMalformed) -> [DNSExtendedError] {
    var errors: [DNSExtendedError] = []
    while offset < end {
      let code = try word()
      let length = Int(try word())  // bounded: sixteen bits
      // bounded: the place is no further than the end
      guard length <= end - offset else { throw DNSMalformed("an EDNS option reaches past its record") }
      let data = try take(length)
      guard code == DNSExtendedError.optionCode, length >= 2, errors.count < 4 else { continue }
      errors.append(DNSExtendedError(data))
    }
    return errors
  }
}
