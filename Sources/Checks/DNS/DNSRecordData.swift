// SPDX-License-Identifier: MIT

import Monitoring

extension DNSReader {
  /// Reads a record's data up to `end`. `type` is nil for a class other than IN, whose data means nothing to us.
  mutating func data(of type: DNSRecordType?, until end: Int) throws(DNSMalformed) -> DNSRecord.Value {
    switch type {
    case .a, .aaaa:
      guard let address = IPAddress(bytes: try take(end - offset)), address.version == (type == .a ? 4 : 6)
      else {
        throw DNSMalformed("an address record has the wrong length")
      }
      return .address(address)
    case .cname, .ns, .ptr:
      return .name(try name())
    case .mx:
      return .text("\(try word()) \(try name())")
    case .srv:
      return .text("\(try word()) \(try word()) \(try word()) \(try name())")
    case .soa:
      let names = "\(try name()) \(try name())"
      return .text("\(names) \(try long()) \(try long()) \(try long()) \(try long()) \(try long())")
    case .txt:
      return .text(try characterStrings(until: end))
    case .caa:
      return .text(try caa(until: end))
    default:
      return .text(generic(try take(end - offset)))
    }
  }

  private mutating func characterStrings(until end: Int) throws(DNSMalformed) -> String {
    var parts: [String] = []
    while offset < end {
      let length = Int(try byte())
      guard length <= end - offset else { throw DNSMalformed("a character string reaches past its record") }
      parts.append(quoted(try take(length)))
    }
    return parts.joined(separator: " ")
  }

  /// RFC 8659 4.1: flags, the tag with its length, and the value to the end.
  private mutating func caa(until end: Int) throws(DNSMalformed) -> String {
    let flags = try byte()
    let length = Int(try byte())
    guard length > 0, length <= end - offset else { throw DNSMalformed("a CAA tag reaches past its record") }
    let tag = try take(length)
    guard tag.allSatisfy(isLetterOrDigit) else { throw DNSMalformed("a CAA tag is not letters and digits") }
    let value = try take(end - offset)
    return "\(flags) \(String(decoding: tag, as: UTF8.self)) \(quoted(value))"
  }
}

/// RFC 3597 5: what any reader of zone files understands, whatever the type.
private func generic(_ data: ArraySlice<UInt8>) -> String {
  if data.isEmpty { return "\\# 0" }
  let digits = Array("0123456789abcdef".utf8)
  var hex: [UInt8] = []
  hex.reserveCapacity(data.count * 2)
  for byte in data { hex += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
  return "\\# \(data.count) \(String(decoding: hex, as: UTF8.self))"
}

/// A character string in quotes; quotes and backslashes get a backslash, what is not printable ASCII `\DDD`.
private func quoted(_ bytes: ArraySlice<UInt8>) -> String {
  var text: [UInt8] = [0x22]
  for byte in bytes {
    switch byte {
    case 0x22, 0x5c: text += [0x5c, byte]
    case 0x20...0x7e: text.append(byte)
    default: text += decimalEscape(byte)
    }
  }
  text.append(0x22)
  return String(decoding: text, as: UTF8.self)
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
  (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
}
