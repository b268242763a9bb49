// SPDX-License-Identifier: MIT

import Basics
import TestSupport
import Testing

@Suite struct CRC32CTests {
  /// RFC 3720, appendix B.4, and the check value of the algorithm.
  @Test(
    arguments: [
      ([], 0), (Array("123456789".utf8), 0xe306_9283), ([UInt8](repeating: 0, count: 32), 0x8a91_36aa),
      ([UInt8](repeating: 0xff, count: 32), 0x62a8_ab43), (Array(0..<32), 0x46dd_794e),
      (Array((0..<32).reversed()), 0x113f_db5c),
    ] as [([UInt8], UInt32)])
  func vectors(bytes: [UInt8], sum: UInt32) {
    #expect(CRC32C.checksum(bytes) == sum)
  }

  /// Eight bytes a step or one bit a step, from the start or continued: the same sum.
  @Test func agreesWithTheDefinition() {
    func defined(_ bytes: [UInt8]) -> UInt32 {
      ~bytes.reduce(UInt32.max) { crc, byte in
        (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0x82f6_3b78 : crc >> 1 }
      }
    }
    var generator = SeededGenerator(seed: 11)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(CRC32C.checksum(bytes) == defined(bytes), "\(length) bytes")
      let cut = Int.random(in: 0...length, using: &generator)
      let first = CRC32C.checksum(Array(bytes[..<cut]))
      let whole = Array(bytes[cut...]).withUnsafeBytes { CRC32C.checksum($0, from: first) }
      #expect(whole == defined(bytes), "\(length) bytes cut at \(cut)")
    }
  }
}
