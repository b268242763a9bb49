// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// Names of charsets, and the bytes of those that are read without iconv(3).
@Suite struct CharsetLabelTests {
  /// A label is known in either case, with and without hyphens, and each is of one converter.
  @Test(
    arguments: [
      ("utf-8", .utf8), ("UTF_8", .utf8), (" utf8\n", .utf8), ("unicode-1-1-utf-8", .utf8),
      ("utf-16", .utf16(isLittleEndian: true)), ("UTF-16LE", .utf16(isLittleEndian: true)),
      ("ucs-2", .utf16(isLittleEndian: true)), ("iso-10646-ucs-2", .utf16(isLittleEndian: true)),
      ("unicode", .utf16(isLittleEndian: true)), ("utf-16be", .utf16(isLittleEndian: false)),
      ("windows-1252", .windows1252), ("cp1252", .windows1252), ("x-cp1252", .windows1252),
      ("iso-8859-1", .windows1252), ("latin1", .windows1252), ("l1", .windows1252), ("ascii", .windows1252),
      ("us-ascii", .windows1252), ("ANSI_X3.4-1968", .windows1252), ("iso-ir-100", .windows1252),
      ("csISOLatin1", .windows1252), ("IBM819", .windows1252), ("cp819", .windows1252),
      ("koi8-r", .other("KOI8-R")), ("koi8", .other("KOI8-R")), ("koi8-u", .other("KOI8-U")),
      ("ibm866", .other("CP866")), ("cp866", .other("CP866")), ("macintosh", .other("MACINTOSH")),
      ("x-mac-roman", .other("MACINTOSH")), ("windows-874", .other("CP874")), ("tis-620", .other("CP874")),
      ("iso-8859-11", .other("CP874")), ("gbk", .other("GBK")), ("gb2312", .other("GBK")),
      ("x-gbk", .other("GBK")), ("gb18030", .other("GB18030")), ("big5", .other("BIG5-HKSCS")),
      ("big5-hkscs", .other("BIG5-HKSCS")), ("euc-jp", .other("EUC-JP")), ("x-euc-jp", .other("EUC-JP")),
      ("iso-2022-jp", .other("ISO-2022-JP")), ("Shift_JIS", .other("CP932")), ("sjis", .other("CP932")),
      ("x-sjis", .other("CP932")), ("windows-31j", .other("CP932")), ("euc-kr", .other("CP949")),
      ("ks_c_5601-1987", .other("CP949")), ("windows-949", .other("CP949")),
      ("latin2", .other("ISO-8859-2")), ("latin9", .other("ISO-8859-15")), ("latin5", .other("CP1254")),
      ("iso-8859-9", .other("CP1254")), ("iso-8859-8-i", .other("ISO-8859-8")),
      ("iso-8859-12", nil), ("iso-8859-0", nil), ("windows-1249", nil), ("windows-1259", nil), ("", nil),
      ("ebcdic-us", nil), ("utf\u{2010}8", nil), ("hz-gb-2312", nil),
      ("utf-7", .other("UTF-7")), ("utf-32", .utf32(isLittleEndian: false)),
      ("UTF-32LE", .utf32(isLittleEndian: true)), ("ucs-4", .utf32(isLittleEndian: false)),
      ("cp437", .other("CP437")), ("IBM850", .other("CP850")), ("850", .other("CP850")),
      ("ibm00858", .other("CP858")), ("hp-roman8", .other("HP-ROMAN8")), ("r8", .other("HP-ROMAN8")),
      ("x-mac-ce", .other("MAC-CENTRALEUROPE")), ("x-mac-cyrillic", .other("MAC-UK")),
      ("ibm037", .other("IBM037")), ("IBM01140", .other("IBM1140")), ("viscii", .other("VISCII")),
    ] as [(String, Charset?)])
  func labels(label: String, charset: Charset?) { #expect(Charset(label: label) == charset) }

  /// Parts of ISO 8859 and pages of Windows are known by their numbers.
  @Test func numbers() {
    for part in [2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16] {
      #expect(Charset(label: "iso-8859-\(part)") == .other("ISO-8859-\(part)"))
    }
    for page in [1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258] {
      #expect(Charset(label: "windows-\(page)") == .other("CP\(page)"))
      #expect(Charset(label: "CP\(page)") == .other("CP\(page)"))
    }
  }

  /// A label has 40 bytes at most.
  @Test func lengths() {
    #expect(Charset(label: "utf-8" + String(repeating: " ", count: 35)) == .utf8)
    #expect(Charset(label: "utf-8" + String(repeating: " ", count: 36)) == nil)
  }

  /// Each byte of windows-1252 from 0x7F on, as the Encoding Standard has it.
  @Test func windows1252() {
    let first =
      "\u{7f}€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ"
    let expected = first.unicodeScalars.map(\.value) + (UInt32(0xa0)...0xff)
    let found = Charset.windows1252.decoded([UInt8](0x7f...0xff)[...], within: CPUBudget(.seconds(60)))
    #expect(String(decoding: found ?? [], as: UTF8.self).unicodeScalars.map(\.value) == expected)
  }

  /// UTF-16 is read in both orders, and a byte that is left over is none.
  @Test func utf16() {
    func text(_ bytes: [UInt8], _ isLittleEndian: Bool) -> String {
      let charset = Charset.utf16(isLittleEndian: isLittleEndian)
      return String(
        decoding: charset.decoded(bytes[...], within: CPUBudget(.seconds(60))) ?? [], as: UTF8.self)
    }
    #expect(text([0x61, 0, 0xac, 0x20, 0x62], true) == "a€")
    #expect(text([0, 0x61, 0x20, 0xac, 0], false) == "a€")
    #expect(text([], true).isEmpty && text([0x61], true).isEmpty)
    #expect(!Charset.utf16(isLittleEndian: true).keepsASCII && Charset.utf8.keepsASCII)
    #expect(Charset.windows1252.keepsASCII && Charset.other("GBK").keepsASCII)
    #expect(!Charset.other("UTF-7").keepsASCII && !Charset.other("IBM037").keepsASCII)
  }

  /// A body that names UTF-8 and is none is as uncertain.
  @Test(arguments: [("Störung", false), ("Error!", true)])
  func whatIsAbsentInAMisnamedBody(word: String, isKnown: Bool) throws {
    let body = Array("<p>St".utf8) + [0xf6] + Array("rung</p>".utf8)
    let judge = try Answer(headers: [("Content-Type", "text/html; charset=utf-8")], bytes: body).judged {
      $0.http.expect.bodyNotContains = [word]
    }
    let words = "could not be judged: the answer names UTF-8, and the body is none"
    #expect(judge.verdict.isSuccess == isKnown)
    #expect(judge.verdict.message == (isKnown ? nil : "body.not_contains \"\(word)\" \(words)"))
  }
}
