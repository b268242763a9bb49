// SPDX-License-Identifier: MIT

extension Timestamp {
  /// The years 2020 to 2199. A clock that shows anything else to this program is wrong: a machine without a battery
  /// starts in 1970, a flipped bit leads anywhere.
  package var isPlausible: Bool { (1_577_836_800_000_000..<7_258_118_400_000_000).contains(microseconds) }
}
