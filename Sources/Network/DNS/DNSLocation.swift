// SPDX-License-Identifier: MIT

import Basics

/// The data of a LOC record (RFC 1876).
struct DNSLocation: Hashable, Sendable, CustomStringConvertible {
  /// Size, horizontal and vertical precision: a digit and a power of ten each, in centimetres.
  private let sizes: [UInt8]
  /// Thousandths of a second of arc; 2^31 is the equator and the prime meridian.
  private let latitude: UInt32
  private let longitude: UInt32
  /// Centimetres above 100,000 m below the reference spheroid.
  private let altitude: UInt32

  /// `nil` for another version than 0, another length and numbers outside their ranges: their meaning is not known.
  init?(_ data: ArraySlice<UInt8>) {
    guard data.count == 16, data[data.startIndex] == 0 else { return nil }
    sizes = Array(data.dropFirst().prefix(3))
    guard sizes.allSatisfy({ $0 >> 4 <= 9 && $0 & 15 <= 9 }) else { return nil }
    let words = (0..<3).map { index in
      // bounded: three words of sixteen bytes
      data.dropFirst(4 + index * 4).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    (latitude, longitude, altitude) = (words[0], words[1], words[2])
    // bounded: a constant
    let quarter = 90 * 3_600_000
    // bounded: of 32 bits in 64
    guard abs(Int(latitude) - 1 << 31) <= quarter, abs(Int(longitude) - 1 << 31) <= 2 * quarter else {
      return nil
    }
  }

  /// Degrees, minutes and seconds, the altitude, and the three sizes in metres.
  var description: String {
    // bounded: of 32 bits in 64
    let height = Int(altitude) - 10_000_000
    let sign = height < 0 ? "-" : ""
    // bounded: texts
    let all = [arc(latitude, "N", "S"), arc(longitude, "E", "W"), sign + text(centimetres: abs(height))]
    let metres = sizes.map { size in
      // bounded: a digit, and nine times ten of it
      text(centimetres: (0..<(size & 15)).reduce(Int(size >> 4)) { value, _ in value * 10 })
    }
    // bounded: lists of texts
    return (all + metres).joined(separator: " ")
  }

  private func arc(_ value: UInt32, _ positive: String, _ negative: String) -> String {
    // bounded: of 32 bits in 64
    let offset = Int(value) - 1 << 31
    let thousandths = abs(offset)
    let fraction = thousandths % 1000
    var seconds = String(thousandths / 1000 % 60)
    // bounded: below 1,000
    if fraction > 0 { seconds += "." + String(String(1000 + fraction).dropFirst()) }
    return
      "\(thousandths / 3_600_000) \(thousandths / 60_000 % 60) \(seconds) \(offset < 0 ? negative : positive)"
  }

  private func text(centimetres: Int) -> String {
    let rest = centimetres % 100
    // bounded: below 100
    return "\(centimetres / 100)" + (rest == 0 ? "" : "." + String(String(100 + rest).dropFirst())) + "m"
  }
}
