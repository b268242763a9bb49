// SPDX-License-Identifier: MIT

import Basics
import Glibc

/// Weighted rendezvous hashing: which of the members has a check. Each member asks it for itself, and all come to the same
/// answer without a word: no leader, no messages.
///
/// A member's claim to a check is ln(h) / weight, h being a hash of both in (0, 1); the greatest claim wins, and the second
/// is the standby's. A member that comes wins its own share and moves nothing else; one that goes gives up only what
/// it had.
package enum Rendezvous {
  /// The number of a name in every claim of its member. FNV-1a and the finaliser of SplitMix64, as `Timeline` has them.
  /// Never change them: members of two versions would place differently.
  package static func seed(_ name: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return mixed(hash)
  }

  /// The claim of a member; the greatest one has the check. Not positive.
  ///
  /// In 32 bits: two claims that are equal are decided by the names.
  package static func claim(_ check: UniqueID, seed: UInt64, weight: Int) -> Float {
    claim(of: hash(check.high, check.low, seed), weight: weight)
  }

  static func hash(_ high: UInt64, _ low: UInt64, _ seed: UInt64) -> UInt64 {
    mixed(mixed(high ^ seed) ^ low)
  }

  static func claim(of hash: UInt64, weight: Int) -> Float {
    // 53 bits, and never 0 or 1.
    let share = (Double(hash >> 11) + 0.5) * 0x1p-53
    return Float(logarithm(share) / Double(max(1, weight)))
  }

  /// A hash below this makes a smaller claim for this weight than the one given, for sure: the others need not be
  /// counted out. A claim at it or above may be greater, equal or smaller.
  ///
  /// ln(h) / weight is less than the claim where h is less than exp(claim · weight). A claim is exact to 1e-7 and the C
  /// library's exponential to 1e-15, whichever it is, so a millionth of room in the exponent decides nothing wrongly; and
  /// a hash's share of 2^64 is exact to 2^11.
  static func floor(of claim: Float, weight: Int) -> UInt64 {
    let power = Double(claim) * Double(max(1, weight)) * (1 + 0x1p-20)
    let bound = exp(power) * (1 - 0x1p-30) * 0x1p64
    // bounded: below 2^64, for the claim is not positive
    return bound > 8192 && bound < 0x1p64 ? UInt64(bound) - 4096 : 0
  }

  /// The natural logarithm of a number in (0, 1), from the four operations that IEEE 754 rounds alike everywhere: the
  /// C library's may differ in the last bit from one machine to the next, and then two members could each believe that
  /// the other has a check.
  static func logarithm(_ value: Double) -> Double {
    let mantissa = value.significand  // in [1, 2)
    let ratio = (mantissa - 1) / (mantissa + 1)
    let square = ratio * ratio
    // 2·artanh, to 1e-9; by Horner, from the 17th power down.
    var sum = 1.0 / 17
    for power in stride(from: 15, through: 1, by: -2) { sum = sum * square + 1 / Double(power) }
    return 2 * ratio * sum + Double(value.exponent) * 0.6931471805599453
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var hash = value &+ 0x9e37_79b9_7f4a_7c15
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
    return hash ^ (hash >> 31)
  }
}
