// SPDX-License-Identifier: MIT

import Basics
import Testing

/// Bytes and numbers as texts and bytes.
@Suite struct CodingTests {
  /// The vectors of RFC 4648, section 10.
  @Test(
    arguments: [
      ("", "", ""), ("f", "Zg==", "66"), ("fo", "Zm8=", "666f"), ("foo", "Zm9v", "666f6f"),
      ("foob", "Zm9vYg==", "666f6f62"), ("fooba", "Zm9vYmE=", "666f6f6261"),
      ("foobar", "Zm9vYmFy", "666f6f626172"),
    ] as [(String, String, String)])
  func basesHaveTheVectorsOfTheirRFC(text: String, base64: String, base16: String) {
    #expect(Base64.text(text.utf8) == base64)
    #expect(Base64.bytes(base64, limit: text.utf8.count) == Array(text.utf8))
    #expect(Base16.text(text.utf8) == base16)
    #expect(Base16.text(text.utf8, Base16.upper) == base16.uppercased())
    #expect(Base16.bytes(base16) == Array(text.utf8))
  }

  @Test(arguments: ["Zg=", "Zg", "Zg===", "====", "Z=g=", "Zm9v=", "Zm-v", " Zm9"])
  func noBase64(text: String) { #expect(Base64.bytes(text, limit: 100) == nil) }

  @Test(arguments: ["6", "6g", "6F", " 66", "66 "])
  func noBase16(text: String) { #expect(Base16.bytes(text) == nil) }

  @Test func numbersHaveTheirWidth() {
    #expect(Base16.text(0x3e9 as UInt64, width: 16) == "00000000000003e9")
    #expect(Base16.text(UInt32.max, width: 8) == "ffffffff")
    #expect(Base16.text(0 as UInt32, width: 1) == "0")
    #expect(Base16.text(0x1234 as UInt32, width: 2) == "1234")
    #expect((0...255).compactMap { Base16.value($0) } == Array(0...9) + Array(10...15) + Array(10...15))
  }

  @Test(
    arguments: [
      (0, [0x00]), (1, [0x01]), (127, [0x7f]), (128, [0x80, 0x01]), (300, [0xac, 0x02]),
      (1 << 63, [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]),
      (.max, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
    ] as [(UInt64, [UInt8])])
  func varints(value: UInt64, bytes: [UInt8]) {
    var written: [UInt8] = []
    written.append(varint: value)
    #expect(written == bytes)
    var number = Varint()
    #expect(bytes.map { number.take($0) } == bytes.map { $0 < 0x80 })
    #expect(number.value == value)
  }

  @Test func aNumberWithoutEndIsTooLong() {
    var (number, taken) = (Varint(), 0)
    while !number.isTooLong, !number.take(0xff) { taken += 1 }
    #expect(number.isTooLong && taken == 10)
  }

  @Test func nounsAreCounted() {
    #expect([0, 1, 2].map { counted($0, "check") } == ["0 checks", "1 check", "2 checks"])
    #expect([0, 1, 2].map { counted($0, "retry", "retries") } == ["0 retries", "1 retry", "2 retries"])
    #expect([1, 2].map { plural("is", $0, "are") } == ["is", "are"])
  }
}
