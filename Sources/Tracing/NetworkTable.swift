// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Whose network an address is in, by a local file: lines of prefix, AS number and name, with a tab or a comma between.
/// The longest prefix that holds an address names it. Pure.
package struct NetworkTable: Hashable, Sendable {
  /// By version and length of the prefix.
  private var maps: [Int: [IPAddress: UInt32]] = [:]
  /// The lengths there are, the longest first.
  private var lengths: [Int: [Int]] = [:]
  private var names: [String] = []

  package init() {}

  /// Bytes of a file, and its lines.
  package static let sizeLimit = 64 << 20
  static let lineLimit = 2_000_000

  /// Error in a file, with its line, from 1.
  package struct Problem: Error, Hashable, CustomStringConvertible {
    package var line: Int
    package var message: String
    package var description: String { "line \(line): \(message)" }
  }

  package init(_ bytes: [UInt8]) throws(Problem) {
    var places: [ByteText: UInt32] = [:]
    var number = 0
    for line in bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
      number += 1
      guard number <= Self.lineLimit else {
        throw Problem(line: number, message: "more than \(Self.lineLimit) lines")
      }
      let text = line.last == 0x0d ? line.dropLast() : line
      guard !text.isEmpty, text.first != UInt8(ascii: "#") else { continue }
      try add(Array(text.prefix(1000)), number, &places)
    }
    for key in maps.keys { lengths[key >> 8, default: []].append(key & 255) }
    for version in lengths.keys { lengths[version]?.sort(by: >) }
  }

  private mutating func add(_ line: [UInt8], _ number: Int, _ places: inout [ByteText: UInt32])
    throws(Problem)
  {
    let separator: UInt8 = line.contains(0x09) ? 0x09 : UInt8(ascii: ",")
    let fields = line.split(separator: separator, maxSplits: 2, omittingEmptySubsequences: false)
      .map { String(decoding: $0.trimmed { isBlank($0) || $0 == UInt8(ascii: "\"") }, as: UTF8.self) }
    let shown = (fields.first ?? "").printable(maxBytes: 60)
    guard fields.count == 3 else {
      throw Problem(
        line: number,
        message: "three fields are needed: prefix, AS number, name, with a tab or a comma between")
    }
    guard let prefix = CIDR(fields[0]) else {
      throw Problem(
        line: number, message: "\"\(shown)\" is no prefix such as 192.0.2.0/24 (no bits set behind it)")
    }
    let digits = fields[1].uppercased().hasPrefix("AS") ? String(fields[1].dropFirst(2)) : fields[1]
    guard let autonomous = UInt32(digits) else {
      throw Problem(line: number, message: "\"\(fields[1].printable(maxBytes: 60))\" is no AS number")
    }
    let name = "AS\(autonomous) \(fields[2].printable(maxBytes: 80))"
    let place = places[ByteText(name)] ?? UInt32(truncatingIfNeeded: names.count)
    if Int(place) == names.count {
      names.append(name)
      places[ByteText(name)] = place
    }
    maps[prefix.base.version << 8 | prefix.prefix, default: [:]][prefix.base] = place
  }

  /// `AS64500 Example`; nil: the file does not have it.
  package func name(of address: IPAddress) -> String? {
    for length in lengths[address.version] ?? [] {
      guard let block = CIDR(holding: address, prefix: length),
        let place = maps[address.version << 8 | length]?[block.base]
      else { continue }
      return names[Int(place)]
    }
    return nil
  }
}
