// SPDX-License-Identifier: MIT

import Basics
import Monitoring

extension DNSReader {
  /// The parameters of an SVCB or HTTPS record (RFC 9460 2.1): keys strictly ascending, known ones in the form of
  /// their own, others `keyNNNNN="value"`.
  mutating func serviceParameters(until end: Int) throws(DNSMalformed) -> String? {
    var words: [String] = []
    var last = -1
    while offset < end {
      let key = try word()
      let length = Int(try word())  // bounded: sixteen bits
      // bounded: sixteen bits, and a place no further than the end
      guard Int(key) > last, length <= end - offset else {
        throw DNSMalformed("a service parameter is out of order or reaches past its record")
      }
      last = Int(key)  // bounded: sixteen bits
      let data = try take(length)
      guard let value = parameterText(key, data) else {
        throw DNSMalformed("the service parameter \(parameterName(key)) has a malformed value")
      }
      words.append(value.isEmpty ? parameterName(key) : "\(parameterName(key))=\(value)")
    }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }
}

/// The registry of RFC 9460 14.3.
private let parameterNames = [
  "mandatory", "alpn", "no-default-alpn", "port", "ipv4hint", "ech", "ipv6hint", "dohpath", "ohttp",
]

private func parameterName(_ key: UInt16) -> String {
  Int(key) < parameterNames.count ? parameterNames[Int(key)] : "key\(key)"  // bounded: sixteen bits
}

/// `nil` for a value that the key cannot have.
private func parameterText(_ key: UInt16, _ data: ArraySlice<UInt8>) -> String? {
  switch key {
  case 0: return mandatoryKeys(data)
  case 1: return protocols(data)
  case 2: return data.isEmpty ? "" : nil
  // bounded: pairs of bytes, as was asked before
  case 3: return data.count == 2 ? String(data.reduce(0) { $0 << 8 | Int($1) }) : nil
  case 4: return addresses(data, size: 4)
  case 5: return Base64.text(data)
  case 6: return addresses(data, size: 16)
  default: return data.isEmpty ? "" : quoted(data)
  }
}

private func mandatoryKeys(_ data: ArraySlice<UInt8>) -> String? {
  guard !data.isEmpty, data.count % 2 == 0 else { return nil }
  let bytes = Array(data)
  // bounded: pairs of bytes, as was asked before
  let keys = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
  return keys.map(parameterName).joined(separator: ",")
}

/// A list of length-prefixed names. In each, a comma and a backslash get a backslash, which the zone file's own
/// escaping doubles (RFC 9460 A.1).
private func protocols(_ data: ArraySlice<UInt8>) -> String? {
  var names: [String] = []
  var left = data
  while let length = left.popFirst() {
    guard length > 0, Int(length) <= left.count else { return nil }  // bounded: a byte
    var name: [UInt8] = []
    for byte in left.prefix(Int(length)) {  // bounded: a byte
      switch byte {
      case 0x2c: name += [0x5c, 0x5c, byte]
      case 0x5c: name += [0x5c, 0x5c, 0x5c, 0x5c]
      case 0x22, 0x28, 0x29, 0x3b: name += [0x5c, byte]
      case 0x21...0x7e: name.append(byte)
      default: name += decimalEscape(byte)
      }
    }
    names.append(String(decoding: name, as: UTF8.self))
    left = left.dropFirst(Int(length))  // bounded: a byte
  }
  return names.isEmpty ? nil : names.joined(separator: ",")
}

private func addresses(_ data: ArraySlice<UInt8>, size: Int) -> String? {
  guard !data.isEmpty, data.count % size == 0 else { return nil }
  let texts = stride(from: data.startIndex, to: data.endIndex, by: size).compactMap {
    IPAddress(bytes: data[$0..<($0 + size)])?.description  // bounded: the strides of whole addresses
  }
  return texts.joined(separator: ",")
}
