// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Curl

/// What the words before a body mean: its codings, and the lines of a mail server.
@Suite struct BodyRulesTests {
  /// Codings are undone in the other order than they were applied; what is no coding is none.
  @Test(
    arguments: [
      (["gzip"], [.gzip]), (["X-GZIP"], [.gzip]), (["deflate"], [.deflate]), (["br"], [.brotli]),
      (["zstd"], [.zstd]), (["gzip, br"], [.brotli, .gzip]), (["gzip", "br"], [.brotli, .gzip]),
      ([" \t gzip \t ,\tidentity , "], [.gzip]), (["identity"], []), ([], []),
      (["utf-8, deflate"], [.deflate]),
      (["iso-8859-1"], []), (["iso-8859-15"], []), (["iso-8859-0"], nil), (["iso-8859-16"], nil),
      (["iso-8859-x"], nil), (["iso-8859-0000001"], []), (["iso-8859-00000001"], nil), (["compress"], nil),
      (["gzip gzip"], nil),
    ] as [([String], [ContentCodings.Coding]?)])
  func codings(values: [String], codings: [ContentCodings.Coding]?) {
    let found = ContentCodings(values)
    #expect(found?.codings == codings)
    #expect(found.map(\.isEmpty) == codings.map(\.isEmpty))
  }

  /// Names that are no codings are told as they are, in lower case.
  @Test func misnomers() {
    let all = [
      "none", "binary", "7bit", "8bit", "text", "aws-chunked", "utf8", "utf-8", "utf-16", "ascii", "us-ascii",
      "windows-1252", "iso-8859-1", "iso-8859-15",
    ]
    #expect(ContentCodings.misnomers(all) == all)
    #expect(ContentCodings.misnomers(["gzip, UTF-8 ", "\tText,br"]) == ["utf-8", "text"])
    #expect(ContentCodings.misnomers(["gzip", "identity", "", "x", "iso-8859-16"]) == [])
    #expect(ContentCodings.areUndone(["aws-chunked,gzip"]) && ContentCodings.areUndone(["utf-8", "br"]))
    #expect(!ContentCodings.areUndone(all) && !ContentCodings.areUndone([]))
    #expect(!ContentCodings.areUndone(["rot13, gzip"]))
  }

  private func read(_ lines: [String]) -> [String?] {
    var reply = MailReplyLines()
    return lines.map { line in
      Array(line.utf8).withUnsafeBytes { reply.take($0) }
        .map { "\($0.code)|\(String(decoding: $0.text, as: UTF8.self))" }
    }
  }

  /// The lines of a reply are one text, from which the codes are taken; the next reply has a text of its own, and what has no code
  /// is no part of any.
  @Test func linesOfAReply() {
    #expect(read(["250-a \r\n", "250-\r\n", "250  b\r\n", "220 c\r\n"]) == [nil, nil, "250|a b", "220|c"])
    #expect(read(["250", "250\r\n", "250 \r\n", "354\n"]) == ["250|", "250|", "250|", "354|"])
    #expect(read(["x", "25", "25-a", "abc-d", "250 e\r\n"]) == [nil, nil, nil, nil, "250|e"])
  }

  /// Of a reply 4096 bytes are kept, over all of its lines.
  @Test func aLongReply() {
    func words(_ count: Int) -> String { String(repeating: "x", count: count) }
    #expect(read(["250 \(words(4096))\r\n"]) == ["250|\(words(4096))"])
    #expect(read(["250 \(words(4097))\r\n"]) == ["250|\(words(4096))"])
    #expect(read(["250-\(words(4094))\r\n", "250 yz\r\n"]) == [nil, "250|\(words(4094)) y"])
    #expect(read(["250-\(words(4096))\r\n", "250 yz\r\n"]) == [nil, "250|\(words(4096))"])
  }

  /// The cost of a signature by its key: the sizes of the numbers, and of curves their kind.
  @Test(
    arguments: [
      (.rsa(bits: 2048, exponent: 17), 67_408), (.rsa(bits: 2049, exponent: 17), 68_513),
      (.rsa(bits: 0, exponent: 17), 50_000), (.rsa(bits: -1, exponent: -1), 50_000),
      (.rsa(bits: 64, exponent: 99_999), 66_384), (.rsa(bits: 99_999, exponent: 1), 115_536),
      (.dsa(bits: 2048), 574_288), (.dsa(bits: 65), 52_048), (.curve(bits: 256), 200_000),
      (.curve(bits: 257), 1_000_000), (.curve(bits: 521), 1_000_000), (.curve(bits: 522), 3_000_000),
      (.other, 1_000_000),
    ] as [(ChainPrice.Key, Int)])
  func costsOfKeys(key: ChainPrice.Key, nanoseconds: Int) { #expect(key.nanoseconds == nanoseconds) }

  /// The dearest 18 keys count, names are compared in pairs, and 20 ms are not too much.
  @Test func costsOfAChain() {
    func price(_ keys: [ChainPrice.Key], size: Int = 600, constraints: Int = 0) -> ChainPrice {
      var price = ChainPrice(size: size)
      for key in keys { price.add(key, constraints: constraints) }
      return price
    }
    let eighteen = Array(repeating: ChainPrice.Key.other, count: 18)
    #expect(price(eighteen).nanoseconds == 18_000_000)
    #expect(price([.curve(bits: 256)] + eighteen).nanoseconds == 18_000_000)
    #expect(price([.curve(bits: 522)] + eighteen).nanoseconds == 20_000_000)
    #expect(!price([.curve(bits: 522)] + eighteen).isTooDear)
    #expect(price([.curve(bits: 522)] + eighteen, size: 8, constraints: 6).isTooDear)
    #expect(price([.curve(bits: 256)], constraints: 60).nanoseconds == 200_000 + 150 * 10 * 9)
    #expect(price([.curve(bits: 256)], constraints: 5).nanoseconds == 200_000)
    #expect(
      price([.curve(bits: 256)], size: 1 << 20, constraints: 1 << 20).nanoseconds == 200_000 + (1 << 20) * 9)
  }
}
