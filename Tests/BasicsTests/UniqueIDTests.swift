// SPDX-License-Identifier: MIT

import Testing

@testable import Basics

/// Counts up, so that what comes out of it is known.
private struct CountingGenerator: RandomNumberGenerator {
  var value: UInt64
  mutating func next() -> UInt64 {
    value &+= 0x9e37_79b9_7f4a_7c15
    return value
  }
}

private let dnsNamespace = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

@Suite struct UniqueIDTests {
  /// RFC 9562, appendix A.4, and values of two independent implementations.
  @Test(arguments: [
    ("www.example.com", "2ed6657d-e927-568b-95e1-2665a8aea6a2"),
    ("python.org", "886313e1-3b8a-5372-9b90-0c9aee199e5d"),
    ("", "4ebd0208-8328-5d69-8c44-ec50939c0967"),
    ("sixteen bytes ok", "68e53c9a-6e44-571d-8806-59b17c0c5976"),
    ("Postgres primary, eu-west-1, port 5432 (behind the bouncer)", "646d3258-6af8-5e34-ba76-35bba5464db6"),
  ])
  func version5IsTheStandards(name: String, expected: String) throws {
    let namespace = try #require(UniqueID(dnsNamespace))
    #expect(UniqueID.v5(namespace: namespace, name: name).description == expected)
  }

  @Test func version5IsStableAndTellsNamesApart() throws {
    let namespace = try #require(UniqueID(dnsNamespace))
    let names = [
      "Shop front", "shop front", "Shop front ", "Größe", "🙂", String(repeating: "x", count: 1000),
    ]
    let ids = names.map { UniqueID.v5(namespace: namespace, name: $0) }
    #expect(ids == names.map { UniqueID.v5(namespace: namespace, name: $0) })
    #expect(Set(ids).count == names.count)
  }

  @Test(arguments: [0, 1, 1_645_557_742_000, 0xffff_ffff_ffff] as [Int64])
  func version7CarriesTheMilliseconds(milliseconds: Int64) {
    var generator = CountingGenerator(value: 7)
    let id = UniqueID.v7(at: Timestamp(milliseconds: milliseconds), using: &generator)
    #expect(id.high >> 16 == UInt64(milliseconds))
    #expect(id.high >> 12 & 15 == 7)
    #expect(id.low >> 62 == 2)
    #expect(Array(id.description)[14] == "7")
  }

  /// The layout of RFC 9562, appendix A.6: 2022-02-22T19:22:22Z.
  @Test func version7LayoutIsTheStandards() throws {
    let example = try #require(UniqueID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"))
    var generator = CountingGenerator(value: 0)
    let ours = UniqueID.v7(at: Timestamp(milliseconds: 1_645_557_742_000), using: &generator)
    #expect(ours.high >> 12 == example.high >> 12)
    #expect(ours.low >> 62 == example.low >> 62)
  }

  @Test func version7SortsByTime() {
    var generator = SystemRandomNumberGenerator()
    let ids = (0..<500).map { UniqueID.v7(at: Timestamp(milliseconds: $0 * 7), using: &generator) }
    #expect(ids == ids.sorted())
    #expect(ids.map(\.description) == ids.map(\.description).sorted())
  }

  @Test func version7NeverRepeatsInOneMillisecond() {
    var generator = SystemRandomNumberGenerator()
    let ids = (0..<20_000).map { _ in UniqueID.v7(at: .epoch, using: &generator) }
    #expect(Set(ids).count == ids.count)
  }

  /// A clock before 1970 (no battery) or beyond 48 bits still gives a valid id.
  @Test(arguments: [Int64.min, -1, Int64.max])
  func version7SurvivesAbsurdClocks(microseconds: Int64) {
    var generator = SystemRandomNumberGenerator()
    let id = UniqueID.v7(at: Timestamp(microseconds: microseconds), using: &generator)
    #expect(id.high >> 12 & 15 == 7)
    #expect(id.low >> 62 == 2)
    if microseconds < 0 { #expect(id.high >> 16 == 0) }
  }

  @Test func parsesEitherCaseAndPrintsLower() throws {
    let id = try #require(UniqueID("6BA7B810-9dad-11D1-80B4-00c04FD430C8"))
    #expect(id.description == dnsNamespace)
    #expect(id.bytes.count == 16)
    #expect(UniqueID(bytes: id.bytes) == id)
  }

  @Test(arguments: [
    "", "6ba7b810", "6ba7b8109dad11d180b400c04fd430c8", "{6ba7b810-9dad-11d1-80b4-00c04fd430c8}",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c", "6ba7b810-9dad-11d1-80b4-00c04fd430c88",
    "6ba7b810-9dad-11d1-80b4_00c04fd430c8", "6ba7b81-09dad-11d1-80b4-00c04fd430c8",
    "gba7b810-9dad-11d1-80b4-00c04fd430c8", " 6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430c\u{ff18}",
    "+ba7b810-9dad-11d1-80b4-00c04fd430c8",
  ])
  func refuses(text: String) {
    #expect(UniqueID(text) == nil)
  }

  @Test(arguments: [0, 1, 15, 17, 32])
  func needsSixteenBytes(count: Int) {
    #expect(UniqueID(bytes: [UInt8](repeating: 1, count: count)) == nil)
  }

  @Test func comparesInByteOrder() throws {
    let texts = [
      "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-ffff-ffffffffffff",
      "00000000-0000-0001-0000-000000000000", "80000000-0000-0000-0000-000000000000",
    ]
    let ids = try texts.map { try #require(UniqueID($0)) }
    #expect(ids.reversed().sorted() == ids)
  }
}

@Suite struct SHA1Tests {
  /// RFC 3174, section 7.3, and FIPS 180-2's vectors.
  @Test(arguments: [
    ("", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    ),
    ("a", 1_000_000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
    (
      "0123456701234567012345670123456701234567012345670123456701234567", 10,
      "dea356a2cddd90c7a7ecedc5ebb563934f460452"
    ),
  ])
  func vectors(text: String, count: Int, expected: String) {
    let message = Array(String(repeating: text, count: count).utf8)
    #expect(hex(sha1(message)) == expected)
  }

  /// Every length around the block and padding edges, by `sha1sum`.
  @Test(arguments: [
    (55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"), (56, "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
    (63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5"), (64, "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
    (65, "11655326c708d70319be2610e8a57d9a5b959d3b"), (119, "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56"),
    (120, "f34c1488385346a55709ba056ddd08280dd4c6d6"), (128, "ad5b3fdbcb526778c2839d2f151ea753995e26a0"),
  ])
  func blockEdges(length: Int, expected: String) {
    #expect(hex(sha1([UInt8](repeating: UInt8(ascii: "a"), count: length))) == expected)
  }

  private func hex(_ bytes: [UInt8]) -> String {
    Base16.text(bytes)
  }
}
