// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension DNSReader {
  /// Reads a record's data up to `end`, which lies within the message. A class we know nothing of has opaque data,
  /// and so has an unknown type (RFC 3597).
  mutating func data(
    of type: DNSRecordType, class recordClass: UInt16, until end: Int
  ) throws(DNSMalformed) -> DNSRecord.Value {
    guard recordClass == 1 || type.isOfAnyClass else { return .text(generic(try rest(until: end))) }
    switch type {
    case .a, .aaaa:
      guard end - offset == (type == .a ? 4 : 16) else {  // bounded: the place is no further than the end
        throw DNSMalformed("an address record has the wrong length")
      }
      if type == .a { return .address(.v4(try long())) }
      return .address(.v6(high: try wide(), low: try wide()))
    case .cname, .ns, .ptr:
      return .name(try name())
    case .loc:
      let data = try rest(until: end)
      return .text(DNSLocation(data)?.description ?? generic(data))
    default:
      guard let layout = type.layout else { return .text(generic(try rest(until: end))) }
      var words: [String] = []
      for field in layout { if let word = try read(field, until: end) { words.append(word) } }
      return .text(words.joined(separator: " "))
    }
  }

  mutating func rest(until end: Int) throws(DNSMalformed) -> ArraySlice<UInt8> {
    guard offset <= end else { throw DNSMalformed("a field reaches past its record") }
    return try take(end - offset)  // bounded: the place is no further than the end
  }

  /// A length byte and as many bytes, all of them inside the record.
  mutating func counted(until end: Int) throws(DNSMalformed) -> ArraySlice<UInt8> {
    let length = Int(try byte())  // bounded: a byte
    // bounded: the place is no further than the end
    guard length <= end - offset else { throw DNSMalformed("a string reaches past its record") }
    return try take(length)
  }

  /// One field in presentation format; nil where there is nothing to show.
  private mutating func read(_ field: DNSField, until end: Int) throws(DNSMalformed) -> String? {
    switch field {
    case .byte: return String(try byte())
    case .word: return String(try word())
    case .long: return String(try long())
    case .name: return try name().description
    case .address: return IPAddress.v4(try long()).description
    case .locator:
      return [try word(), try word(), try word(), try word()].map { hexText($0) }.joined(separator: ":")
    case .text: return quoted(try counted(until: end))
    case .type: return DNSRecordType(rawValue: try word()).description
    case .instant: return calendarText(try long())
    case .salt:
      let salt = try counted(until: end)
      return salt.isEmpty ? "-" : hexText(salt)
    case .hash: return base32Text(try counted(until: end))
    case .texts: return try characterStrings(until: end)
    default: return try readToEnd(field, end)
    }
  }

  private mutating func readToEnd(_ field: DNSField, _ end: Int) throws(DNSMalformed) -> String? {
    switch field {
    case .property: return try property(until: end)
    case .types: return try typeBitmap(until: end)
    case .parameters: return try serviceParameters(until: end)
    default: break
    }
    let data = try rest(until: end)
    switch field {
    case .quoted: return quoted(data)
    case .hex: return data.isEmpty ? nil : hexText(data)
    case .hyphenated: return data.map { hexText([$0]) }.joined(separator: "-")
    default: return data.isEmpty ? nil : Base64.text(data)
    }
  }

  private mutating func characterStrings(until end: Int) throws(DNSMalformed) -> String {
    var parts: [String] = []
    while offset < end { parts.append(quoted(try counted(until: end))) }
    return parts.joined(separator: " ")
  }

  private mutating func property(until end: Int) throws(DNSMalformed) -> String {
    let tag = try counted(until: end)
    guard !tag.isEmpty, tag.allSatisfy(isASCIIAlphanumeric) else {
      throw DNSMalformed("a CAA tag is not letters and digits")
    }
    return "\(String(decoding: tag, as: UTF8.self)) \(quoted(try rest(until: end)))"
  }

  /// Windows of 256 types each, ascending, of 1 to 32 bytes.
  private mutating func typeBitmap(until end: Int) throws(DNSMalformed) -> String? {
    var types: [String] = []
    var last = -1
    while offset < end {
      let window = Int(try byte())  // bounded: a byte
      let bits = try counted(until: end)
      guard window > last, (1...32).contains(bits.count) else {
        throw DNSMalformed("a type bitmap is out of order or has the wrong length")
      }
      last = window
      for (index, byte) in bits.enumerated() {
        for bit in 0..<8 where byte & 0x80 >> bit != 0 {
          let number = UInt16(window << 8 | index << 3 | bit)  // bounded: a byte, five bits and three
          types.append(DNSRecordType(rawValue: number).description)
        }
      }
    }
    return types.isEmpty ? nil : types.joined(separator: " ")
  }
}

/// RFC 3597 5: what any reader of zone files understands, whatever the type.
func generic(_ data: ArraySlice<UInt8>) -> String {
  data.isEmpty ? "\\# 0" : "\\# \(data.count) \(hexText(data))"
}
