// SPDX-License-Identifier: MIT

extension Duration {
  /// Whole microseconds, rounded towards zero. Clamped to 64 bits (292,000 years).
  package var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, tooLong) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (whole, overflow) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return tooLong || overflow ? (seconds < 0 ? .min : .max) : whole
  }

  /// With microsecond precision.
  package var milliseconds: Double { Double(microseconds) / 1000 }

  package var seconds: Double { Double(microseconds) / 1_000_000 }

  /// Parses a whole or decimal number with a unit: `500ms`, `1.5s`, `5m`, `1h`, `21d`. `nil` without a unit, for a
  /// negative number, for more than 3 decimals and for more than 10 years.
  package init?(text: some StringProtocol) {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let scale: Int64
    switch text[digits.endIndex...] {
    case "us": scale = 1
    case "ms": scale = 1000
    case "s": scale = 1_000_000
    case "m": scale = 60_000_000
    case "h": scale = 3_600_000_000
    case "d": scale = 86_400_000_000
    default: return nil
    }
    let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, first.count <= 15, let whole = Int64(first) else { return nil }
    // Before the decimals are added: near the end of 64 bits they would turn the sum negative.
    let product = whole.multipliedReportingOverflow(by: scale)
    guard !product.overflow, product.partialValue <= tenYears else { return nil }
    var microseconds = product.partialValue
    if parts.count == 2 {
      guard (1...3).contains(parts[1].count), let decimals = Int64(parts[1]) else { return nil }
      let divisor: Int64 = [10, 100, 1000][parts[1].count - 1]  // bounded: one to three decimals
      let extra = decimals * scale  // bounded: three decimals, and a day's microseconds at most
      guard extra % divisor == 0 else { return nil }
      microseconds += extra / divisor  // bounded: the whole part is below ten years
    }
    guard microseconds <= tenYears else { return nil }
    self = .microseconds(microseconds)
  }

  /// The shortest exact form that `init(text:)` reads back: `90s`, `2h`, `21d`, `1500us`.
  package var text: String {
    let value = microseconds
    if value == 0 { return "0s" }
    for (unit, scale) in units where value % scale == 0 { return "\(value / scale)\(unit)" }
    return "\(value)us"
  }
}

/// Of 365.25 days, in microseconds.
private let tenYears: Int64 = 315_576_000_000_000

private let units: [(String, Int64)] = [
  ("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1000),
]
