// SPDX-License-Identifier: MIT

import Basics

/// Chance that can be repeated (SplitMix64). Each part of a world has dice of its own, so that what one part draws changes
/// nothing for the others.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  /// - Parameter part: whose dice, of one seed.
  init(_ seed: UInt64, _ part: String) {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ seed
    for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    state = hash &* 0x9e37_79b9_7f4a_7c15
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &self) == 0 }

  mutating func time(_ range: ClosedRange<Duration>) -> Duration {
    .microseconds(
      Int64.random(in: range.lowerBound.microseconds...range.upperBound.microseconds, using: &self))
  }

  /// Between a tenth and three times the mean: enough to be irregular.
  mutating func about(_ mean: Duration) -> Duration {
    .microseconds(Int64(Double(mean.microseconds) * Double.random(in: 0.1...1.9, using: &self)))
  }

  mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &self)]
  }
}
