// SPDX-License-Identifier: MIT

import Basics

/// The transfers under way, each under a number that no other one ever gets. Belongs to the engine's thread.
///
/// A number is a place in an array and a count of those who had it: a look-up is a comparison.
final class TransferTable {
  /// No transfer's number.
  static let none: UInt64 = 0
  /// No transfer's number either.
  static let cancelled = UInt64.max

  private struct Place {
    var uses: UInt64 = 0
    var transfer: Transfer?
  }

  private var places: [Place] = []
  private var free: [Int] = []

  var isEmpty: Bool { free.count == places.count }
  var transfers: [Transfer] { places.compactMap(\.transfer) }

  func insert(_ transfer: Transfer) -> UInt64 {
    let index = free.popLast() ?? places.count
    if index == places.count { places.append(Place()) }
    places[index].uses += 1
    places[index].transfer = transfer
    return places[index].uses << 32 | UInt64(index)
  }

  subscript(number: UInt64) -> Transfer? {
    let index = Int(number & 0xffff_ffff)
    guard index < places.count, places[index].uses == number >> 32 else { return nil }
    return places[index].transfer
  }

  func remove(_ number: UInt64) {
    let index = Int(number & 0xffff_ffff)
    guard index < places.count, places[index].uses == number >> 32, places[index].transfer != nil else {
      return
    }
    places[index].transfer = nil
    free.append(index)
  }
}
