// SPDX-License-Identifier: MIT

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4), eight bytes a step.
package enum CRC32C {
  /// The checksum of `bytes`, continuing from `previous` (0 at the start).
  package static func checksum(_ bytes: UnsafeRawBufferPointer, from previous: UInt32 = 0) -> UInt32 {
    var crc = ~previous
    var index = 0
    tables.withUnsafeBufferPointer { table in
      while index + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian ^ UInt64(crc)
        crc =
          table[1792 + Int(word & 0xff)] ^ table[1536 + Int(word >> 8 & 0xff)]
          ^ table[1280 + Int(word >> 16 & 0xff)] ^ table[1024 + Int(word >> 24 & 0xff)]
          ^ table[768 + Int(word >> 32 & 0xff)] ^ table[512 + Int(word >> 40 & 0xff)]
          ^ table[256 + Int(word >> 48 & 0xff)] ^ table[Int(word >> 56)]
        index += 8
      }
      while index < bytes.count {
        crc = table[Int((crc ^ UInt32(bytes[index])) & 0xff)] ^ crc >> 8
        index += 1
      }
    }
    return ~crc
  }

  package static func checksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBytes { checksum($0) }
  }

  /// Eight tables of 256 in a row: table k advances a byte by k further zero bytes.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var crc = UInt32(byte)
      // 0x82F63B78 is the polynomial 0x1EDC6F41 with its bits reversed.
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
      tables[byte] = crc
    }
    for byte in 0..<256 {
      for table in 1..<8 {
        let crc = tables[(table - 1) * 256 + byte]
        tables[table * 256 + byte] = tables[Int(crc & 0xff)] ^ crc >> 8
      }
    }
    return tables
  }()
}
