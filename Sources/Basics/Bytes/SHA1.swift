// SPDX-License-Identifier: MIT

/// SHA-1 (RFC 3174), for version 5 UUIDs only: they need it by definition, and nothing here relies on its strength.
func sha1(_ message: [UInt8]) -> [UInt8] {
  var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
  var padded = message + [0x80]
  padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
  let bits = UInt64(message.count) * 8
  padded += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
  for start in stride(from: 0, to: padded.count, by: 64) {
    compress(&state, padded[start..<start + 64])
  }
  return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
}

private func compress(_ state: inout [UInt32], _ block: ArraySlice<UInt8>) {
  var words: [UInt32] = []
  words.reserveCapacity(80)
  for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
    words.append(block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
  }
  for index in 16..<80 {
    words.append(rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
  }
  var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
  for index in 0..<80 {
    let (mix, constant): (UInt32, UInt32) =
      switch index {
      case 0..<20: (b & c | ~b & d, 0x5a82_7999)
      case 20..<40: (b ^ c ^ d, 0x6ed9_eba1)
      case 40..<60: (b & c | b & d | c & d, 0x8f1b_bcdc)
      default: (b ^ c ^ d, 0xca62_c1d6)
      }
    let next = rotate(a, 5) &+ mix &+ e &+ constant &+ words[index]
    (a, b, c, d, e) = (next, a, rotate(b, 30), c, d)
  }
  for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
}

private func rotate(_ word: UInt32, _ bits: UInt32) -> UInt32 { word << bits | word >> (32 - bits) }
