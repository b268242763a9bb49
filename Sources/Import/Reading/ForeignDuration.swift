// SPDX-License-Identifier: MIT

import Basics

/// Spans of time as other programs write them: `90s`, `1m30s`, `1.5h`, `2d`, `500ms`, `300us`.
enum ForeignDuration {
  /// In milliseconds; nil: none, or beyond a hundred years.
  static func milliseconds(_ text: String) -> Int? {
    var rest = Array(text.utf8)[...]
    guard !rest.isEmpty, rest.count <= 40 else { return nil }
    var total = 0.0
    while !rest.isEmpty {
      let digits = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
      rest = rest.dropFirst(digits.count)
      let unit = rest.prefix { !(0x30...0x39).contains($0) && $0 != UInt8(ascii: ".") }
      rest = rest.dropFirst(unit.count)
      guard let number = Double(String(decoding: digits, as: UTF8.self)),
        let factor = factor(String(decoding: unit, as: UTF8.self))
      else { return nil }
      total += number * factor
    }
    guard total <= 3.2e12 else { return nil }
    return Int(total.rounded(.up))
  }

  private static func factor(_ unit: String) -> Double? {
    switch unit {
    case "ns": 1e-6
    case "us", "µs": 1e-3
    case "ms": 1
    case "s": 1000
    case "m": 60_000
    case "h": 3_600_000
    case "d": 86_400_000
    case "w": 604_800_000
    case "y": 31_536_000_000
    default: nil
    }
  }

  /// As agent.yaml writes it: the largest unit that divides it.
  static func text(_ milliseconds: Int) -> String {
    for (size, unit) in [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")]
    where milliseconds > 0 && milliseconds % size == 0 {
      return "\(milliseconds / size)\(unit)"
    }
    return "\(milliseconds)ms"
  }
}
