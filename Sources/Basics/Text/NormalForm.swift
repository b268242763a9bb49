// SPDX-License-Identifier: MIT

@_spi(_Unicode) import Swift

// Unicode's normal form C, in which texts that read alike are the same bytes: a letter with its accent is one character
// or two, depending on who wrote it.

/// The bytes of the text in normal form C.
package func normalForm(_ text: String) -> [UInt8] { normalForm(Array(text.utf8)) }

/// - Parameter bytes: UTF-8; what is none becomes U+FFFD, where anything beside it has to be composed.
package func normalForm(_ bytes: [UInt8]) -> [UInt8] {
  guard var next = bytes.firstIndex(where: composes) else { return bytes }
  var output: [UInt8] = []
  output.reserveCapacity(bytes.count)
  var done = 0
  while next < bytes.endIndex {
    // From the ASCII character before, which may be a letter for a mark, to one that no mark follows.
    let start = bytes[done..<next].lastIndex { $0 < 0x80 } ?? done
    // bounded: places within the bytes
    let end =
      bytes.indices[next...].first { bytes[$0] < 0x80 && ($0 + 1 == bytes.count || bytes[$0 + 1] < 0x80) }
      ?? bytes.endIndex
    output += bytes[done..<start]
    compose(String(decoding: bytes[start..<end], as: UTF8.self), into: &output)
    done = end
    next = bytes[done...].firstIndex(where: composes) ?? bytes.endIndex
  }
  return output + bytes[done...]
}

/// No character below U+0300 composes with one before it, and their first bytes are below 0xCC.
private func composes(_ byte: UInt8) -> Bool { byte >= 0xcc }

/// Marks on one letter are sorted together, which is dear when they are many: after 30 of them the text is cut, as
/// Unicode's Stream-Safe Text Format has it (UAX #15, section 13). So the time grows with the length and no faster.
private func compose(_ text: String, into output: inout [UInt8]) {
  var piece = ""
  var marks = 0
  for scalar in text.unicodeScalars {
    let isMark = scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
    marks = isMark ? marks + 1 : 0  // bounded: at most 30, see below
    if marks > 30 {
      for scalar in piece._nfc { output += Array(String(scalar).utf8) }
      (piece, marks) = ("", 1)
    }
    piece.unicodeScalars.append(scalar)
  }
  for scalar in piece._nfc { output += Array(String(scalar).utf8) }
}

/// Lower case without marks, for a search: `Zurich` finds `Zürich`.
package func searchForm(_ text: String) -> String {
  let lower = text.lowercased()
  if lower.utf8.allSatisfy({ $0 < 0x80 }) { return lower }
  var plain = ""
  // A character at a time: marks are sorted within one alone, and one of many marks is cut as in `normalForm`.
  for character in lower {
    let scalars = String(String.UnicodeScalarView(character.unicodeScalars.prefix(31)))
    for scalar in scalars._nfd where scalar.properties.generalCategory != .nonspacingMark {
      plain.unicodeScalars.append(scalar)
    }
  }
  return plain
}
