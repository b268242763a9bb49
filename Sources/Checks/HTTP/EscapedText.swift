// SPDX-License-Identifier: MIT

import Monitoring

/// A text with one level of escapes undone, and where each byte stood: percent form with whatever a framework leaves as
/// it is, the escapes of JSON and those of HTML. What is looked for in it is found however somebody wrote it.
struct EscapedText {
  private let source: [UInt8]
  private var bytes: [UInt8] = []
  /// Of each byte in the source, and the source's end.
  private var starts: [Int] = []

  /// Nil: nothing in it can be an escape.
  init?(_ text: String) {
    source = Array(text.utf8)
    guard source.contains(where: { "%\\&".utf8.contains($0) }) else { return nil }
    bytes.reserveCapacity(source.count)
    starts.reserveCapacity(source.count + 1)
    var index = 0
    while index < source.count {
      let (byte, length) = Self.byte(source[index...])
      bytes.append(byte)
      starts.append(index)
      index += length
    }
    starts.append(source.count)
  }

  /// The text as it was written, with a mark in the place of each of these. Nil: none is in it.
  func hiding(_ secrets: [String]) -> String? {
    var hidden = [Bool](repeating: false, count: bytes.count)
    var isFound = false
    for secret in secrets {
      let wanted = Array(secret.utf8)
      var from = 0
      while let place = position(of: wanted, from: from) {
        for index in place..<(place + wanted.count) { hidden[index] = true }
        (isFound, from) = (true, place + wanted.count)
      }
    }
    guard isFound else { return nil }
    var shown: [UInt8] = []
    for index in bytes.indices {
      if !hidden[index] {
        shown += source[starts[index]..<starts[index + 1]]
      } else if index == 0 || !hidden[index - 1] {
        shown += Array(Redacted.mark.utf8)
      }
    }
    return String(decoding: shown, as: UTF8.self)
  }

  private func position(of wanted: [UInt8], from start: Int) -> Int? {
    guard let first = wanted.first, start + wanted.count <= bytes.count else { return nil }
    return (start...(bytes.count - wanted.count)).first { place in
      bytes[place] == first && bytes[place..<(place + wanted.count)].elementsEqual(wanted)
    }
  }

  /// The first byte that is meant, and how many it is written with.
  private static func byte(_ rest: ArraySlice<UInt8>) -> (byte: UInt8, length: Int) {
    let first = rest[rest.startIndex]
    let tail = rest.dropFirst()
    switch first {
    case UInt8(ascii: "%"): return number(tail.prefix(2), digits: 2, radix: 16).map { ($0, 3) } ?? (first, 1)
    case UInt8(ascii: "\\"):
      if tail.first == UInt8(ascii: "u") {
        return number(tail.dropFirst().prefix(4), digits: 4, radix: 16).map { ($0, 6) } ?? (first, 1)
      }
      guard let next = tail.first, "/\"\\".utf8.contains(next) else { return (first, 1) }
      return (next, 2)
    case UInt8(ascii: "&"): return entity(tail) ?? (first, 1)
    default: return (first, 1)
    }
  }

  private static func entity(_ tail: ArraySlice<UInt8>) -> (byte: UInt8, length: Int)? {
    let name = tail.prefix(8).prefix { $0 != UInt8(ascii: ";") }
    guard tail.dropFirst(name.count).first == UInt8(ascii: ";") else { return nil }
    let length = name.count + 2
    switch String(decoding: name, as: UTF8.self) {
    case "amp": return (UInt8(ascii: "&"), length)
    case "lt": return (UInt8(ascii: "<"), length)
    case "gt": return (UInt8(ascii: ">"), length)
    case "quot": return (UInt8(ascii: "\""), length)
    case "apos": return (UInt8(ascii: "'"), length)
    case let text where text.lowercased().hasPrefix("#x"):
      return number(name.dropFirst(2), digits: name.count - 2, radix: 16).map { ($0, length) }
    case let text where text.hasPrefix("#"):
      return number(name.dropFirst(), digits: name.count - 1, radix: 10).map { ($0, length) }
    default: return nil
    }
  }

  private static func number(_ text: ArraySlice<UInt8>, digits: Int, radix: Int) -> UInt8? {
    guard digits > 0, text.count == digits, text.allSatisfy({ UnicodeScalar($0).properties.isASCIIHexDigit })
    else { return nil }
    return UInt8(String(decoding: text, as: UTF8.self), radix: radix)
  }
}
