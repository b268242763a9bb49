// SPDX-License-Identifier: MIT

import Basics

extension [UInt8] {
  /// An array doubles by itself; with tens of thousands of logs that slack would be most of the memory. The sizes are those of
  /// few classes, a sixteenth to a thirty-second apart, so that the place that one log leaves is another's: at a full hour
  /// all of them need room in the same second.
  mutating func reserveStepwise(_ need: Int) {
    guard need > capacity else { return }
    let step = Swift.max(64, (1 << (Int.bitWidth - 1 - need.leadingZeroBitCount)) / 32)
    reserveCapacity((need + step - 1) / step * step)
  }
}
