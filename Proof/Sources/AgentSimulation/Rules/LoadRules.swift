// SPDX-License-Identifier: MIT

/// What a member asks of the store in the time between two looks, five seconds. Pure.
struct LoadRules {
  /// One that ends at once is begun again 200 ms later: 25 times. Whoever is told what it missed begins another.
  static let mostWatches = 60

  private var before: [Int: Int] = [:]

  /// - Parameter watches: begun so far by this seat.
  mutating func judge(_ seat: Int, _ name: String, watches: Int) -> Violation.Found? {
    let begun = watches - (before.updateValue(watches, forKey: seat) ?? 0)
    guard begun > Self.mostWatches else { return nil }
    return (.load, "\(name) began \(begun) watches in five seconds, at most \(Self.mostWatches)")
  }
}
