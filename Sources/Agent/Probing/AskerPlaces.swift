// SPDX-License-Identifier: MIT

import Basics

/// Places of probes under way, by `IPAddress.origin` of the asker. An eighth of them is kept for those who have none yet. Pure.
struct AskerPlaces {
  private var running: [IPAddress?: Int] = [:]
  private var count = 0

  /// False: there is no place for this one.
  mutating func take(for asker: IPAddress?, of limit: Int) -> Bool {
    let asker = asker?.origin
    guard count < (running[asker] == nil ? limit : limit - limit / 8) else { return false }
    count += 1
    running[asker, default: 0] += 1
    return true
  }

  mutating func give(of asker: IPAddress?) {
    let asker = asker?.origin
    count -= 1
    let left = (running[asker] ?? 1) - 1
    running[asker] = left > 0 ? left : nil
  }
}
