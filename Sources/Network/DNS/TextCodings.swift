// SPDX-License-Identifier: MIT

import Basics

/// Upper case, as the RFCs print digests.
func hexText(_ bytes: some Collection<UInt8>) -> String { Base16.text(bytes, Base16.upper) }

func hexText(_ word: UInt16) -> String { hexText([UInt8(word >> 8), UInt8(word & 255)]) }

private let base32Alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUV".utf8)

/// RFC 4648 7 without padding, upper case.
func base32Text(_ bytes: some Collection<UInt8>) -> String {
  var text: [UInt8] = []
  text.reserveCapacity(bytes.count * 8 / 5 + 4)
  var pending = 0
  var bits = 0
  for byte in bytes {
    pending = (pending << 8 | Int(byte)) & 0xffff
    bits += 8
    while bits >= 5 {
      bits -= 5
      text.append(base32Alphabet[pending >> bits & 31])
    }
  }
  if bits > 0 { text.append(base32Alphabet[pending << (5 - bits) & 31]) }
  return String(decoding: text, as: UTF8.self)
}
