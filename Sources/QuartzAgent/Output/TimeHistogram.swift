// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// How often which response time came: buckets of equal width on a logarithmic scale, the finest of which at most
/// twelve hold all.
struct TimeHistogram: Equatable {
  struct Bucket: Equatable {
    /// Milliseconds; below `upper`.
    var lower: Double
    var upper: Double
    var count: Int
  }

  static let mostBuckets = 12
  /// Buckets for each power of ten, the finest first.
  private static let scales: [Double] = [384, 192, 96, 48, 24, 12, 6, 3, 2, 1, 0.5, 0.25]

  let buckets: [Bucket]

  /// - Parameter sorted: milliseconds, ascending. Less than a nanosecond counts as one.
  init(sorted: [Double]) {
    guard let first = sorted.first, let last = sorted.last else {
      buckets = []
      return
    }
    let (low, high) = (max(first, 1e-6), max(last, 1e-6))
    let steps = Self.scales.lazy.map { Steps(low, high, scale: $0) }.first { $0.count <= Self.mostBuckets }
    let bounds = (steps ?? Steps(low, high, scale: 0.25)).bounds
    var counts = Array(repeating: 0, count: max(1, bounds.count - 1))
    var index = 0
    for time in sorted {
      while index < counts.count - 1, time >= bounds[index + 1] { index += 1 }
      counts[index] += 1
    }
    buckets = counts.indices.map { Bucket(lower: bounds[$0], upper: bounds[$0 + 1], count: counts[$0]) }
  }

  /// The steps of a scale that span two values.
  private struct Steps {
    var first: Int
    var count: Int
    var scale: Double

    init(_ low: Double, _ high: Double, scale: Double) {
      self.scale = scale
      var first = Int((log10(low) * scale).rounded(.down))
      // Rounding may put a bound on the wrong side of the value that is on it.
      while Self.bound(first, scale) > low { first -= 1 }
      var count = max(1, Int((log10(high) * scale).rounded(.down)) - first + 1)
      while Self.bound(first + count, scale) <= high { count += 1 }
      (self.first, self.count) = (first, count)
    }

    var bounds: [Double] { (first...first + count).map { Self.bound($0, scale) } }

    private static func bound(_ step: Int, _ scale: Double) -> Double { pow(10, Double(step) / scale) }
  }

  /// One line a bucket, within the width.
  ///
  /// - Parameter isASCII: of characters that every terminal has.
  func lines(width: Int, isASCII: Bool) -> [String] {
    let most = buckets.map(\.count).max() ?? 0
    let labels = buckets.map {
      Self.digits($0.lower) + (isASCII ? " - " : " – ") + Self.digits($0.upper) + " ms"
    }
    let counts = buckets.map { String($0.count) }
    let (label, count) = (labels.map(\.columns).max() ?? 0, counts.map(\.utf8.count).max() ?? 0)
    let room = min(60, width - 2 - label - 2 - count - 2)
    return buckets.indices.map { index in
      let line = "  " + padLeft(labels[index], label) + "  " + padLeft(counts[index], count)
      guard room > 0, buckets[index].count > 0 else { return line.cut(columns: max(1, width)) }
      let share = Double(buckets[index].count) / Double(max(1, most)) * Double(room)
      return line + "  " + Self.bar(share, isASCII: isASCII)
    }
  }

  /// A value is always visible, however small its share.
  private static func bar(_ columns: Double, isASCII: Bool) -> String {
    let eighths = max(1, whole((columns * 8).rounded(), in: 1...8_000))
    if isASCII { return String(repeating: "#", count: max(1, eighths / 8)) }
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    return String(repeating: "█", count: eighths / 8) + rest
  }

  /// Four digits of it, so that neighbours differ on every scale.
  private static func digits(_ milliseconds: Double) -> String {
    let places = milliseconds >= 1000 ? 0 : milliseconds >= 100 ? 1 : milliseconds >= 10 ? 2 : 3
    let factor = pow(10, Double(places))
    let scaled = whole((milliseconds * factor).rounded(), in: 0...1_000_000_000_000)
    if places == 0 { return String(scaled) }
    let unit = Int(factor)
    return "\(scaled / unit)." + padded(Int64(scaled % unit), places)
  }

  func write(to json: inout JSONWriter) {
    json.array { json in
      for bucket in buckets {
        json.object { json in
          json.field("from_ms", rounded(bucket.lower))
          json.field("to_ms", rounded(bucket.upper))
          json.field("count", bucket.count)
        }
      }
    }
  }

  /// To a nanosecond.
  private func rounded(_ milliseconds: Double) -> Double { (milliseconds * 1_000_000).rounded() / 1_000_000 }
}
