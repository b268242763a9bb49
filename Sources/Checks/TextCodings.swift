// SPDX-License-Identifier: MIT

import Basics

// The alphabets bytes are written in (RFC 4648).

/// Upper case, as the RFCs print digests.
func hexText(_ bytes: some Collection<UInt8>) -> String {
  var text: [UInt8] = []
  text.reserveCapacity(bytes.count * 2)
  for byte in bytes { text += [upperHexDigits[Int(byte >> 4)], upperHexDigits[Int(byte & 15)]] }
  return String(decoding: text, as: UTF8.self)
}

func hexText(_ word: UInt16) -> String { hexText([UInt8(word >> 8), UInt8(word & 255)]) }

private let upperHexDigits = Array("0123456789ABCDEF".utf8)

/// RFC 4648 4, padded, in one piece.
func base64Text(_ bytes: some Collection<UInt8>) -> String {
  let alphabet = base64Alphabet
  var text = encode(bytes, alphabet, bitsPerDigit: 6)
  while text.count % 4 != 0 { text.append(0x3d) }
  return String(decoding: text, as: UTF8.self)
}

/// RFC 4648 7 without padding, upper case.
func base32Text(_ bytes: some Collection<UInt8>) -> String {
  String(decoding: encode(bytes, base32Alphabet, bitsPerDigit: 5), as: UTF8.self)
}

private let base64Alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
private let base32Alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUV".utf8)

private func encode(_ bytes: some Collection<UInt8>, _ alphabet: [UInt8], bitsPerDigit: Int) -> [UInt8] {
  var text: [UInt8] = []
  text.reserveCapacity(bytes.count * 8 / bitsPerDigit + 4)
  var pending = 0
  var bits = 0
  for byte in bytes {
    pending = (pending << 8 | Int(byte)) & 0xffff
    bits += 8
    while bits >= bitsPerDigit {
      bits -= bitsPerDigit
      text.append(alphabet[pending >> bits & (alphabet.count - 1)])
    }
  }
  if bits > 0 { text.append(alphabet[pending << (bitsPerDigit - bits) & (alphabet.count - 1)]) }
  return text
}
