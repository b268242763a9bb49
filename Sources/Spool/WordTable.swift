// SPDX-License-Identifier: MIT

import Basics

/// Finds an enum's value by the bytes of its word without making a string: replaying a full store decodes a million
/// records with five words each.
struct WordTable<Value: RawRepresentable & CaseIterable & Sendable>: Sendable where Value.RawValue == String {
  /// Open addressing, at most half full.
  private var slots: [(word: [UInt8], value: Value)?]

  init() {
    let count = Value.allCases.count
    var size = 16
    while size < 2 * count { size *= 2 }
    slots = Array(repeating: nil, count: size)
    for value in Value.allCases {
      let word = Array(value.rawValue.utf8)
      var index = word.withUnsafeBytes { WordTable.hash($0) } & (size - 1)
      while slots[index] != nil { index = (index + 1) & (size - 1) }
      slots[index] = (word, value)
    }
  }

  subscript(bytes: UnsafeRawBufferPointer) -> Value? {
    var index = WordTable.hash(bytes) & (slots.count - 1)
    while let slot = slots[index] {
      if slot.word.count == bytes.count, slot.word.withUnsafeBytes({ equal($0, bytes) }) { return slot.value }
      index = (index + 1) & (slots.count - 1)
    }
    return nil
  }

  private func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    for index in 0..<left.count where left[index] != right[index] { return false }
    return true
  }

  /// FNV-1a. The words are ours, so collisions cannot be chosen.
  private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int(truncatingIfNeeded: hash & 0x7fff_ffff)
  }
}
