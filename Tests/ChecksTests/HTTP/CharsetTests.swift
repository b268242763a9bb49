// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import NetworkTestSupport
import Testing

@testable import Checks

/// Conditions on a body are about characters, whatever bytes they came as.
@Suite struct CharsetTests {
  private static let word = "Verf\u{fc}gbarkeit"
  private static let latin1 = Array("<p>Verf".utf8) + [0xfc] + Array("gbarkeit</p>".utf8)
  private static let utf8 = Array("<p>\(word)</p>".utf8)

  private static func utf16(_ text: String, isLittleEndian: Bool = true) -> [UInt8] {
    text.utf16.flatMap {
      isLittleEndian ? [UInt8($0 & 255), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 255)]
    }
  }

  private static func utf32(_ text: String, isLittleEndian: Bool = true) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar -> [UInt8] in
      let bytes = [16, 8, 0].map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
      return isLittleEndian ? Array(bytes.reversed()) + [0] : [0] + bytes
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let what: String
    var type: String? = "text/html"
    let body: [UInt8]
    var word = CharsetTests.word
    /// The word is found.
    var isFound = true
    /// Whether it is there cannot be said, so that neither condition holds.
    var isUnread = false
    var note: String?
    var testDescription: String { what }
  }

  private static func bytes(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap(\.self) }
  private static func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

  static let cases: [Case] = [
    Case(what: "latin1 by the header", type: "text/html; charset=ISO-8859-1", body: latin1),
    Case(what: "in quotes, in capitals", type: "text/html; Charset=\"Latin1\"; x=y", body: latin1),
    Case(what: "by meta", body: bytes(ascii("<html><META charset='iso-8859-1'>"), latin1)),
    Case(
      what: "by http-equiv", type: nil,
      body: bytes(
        ascii("<meta http-equiv=\"Content-Type\" content=\"text/html; charset=windows-1252\">"), latin1)),
    Case(
      what: "by XML", type: "application/xml",
      body: bytes(ascii("<?xml version='1.0' encoding='latin1'?>"), latin1)),
    Case(
      what: "not by a comment", body: bytes(ascii("<!-- <meta charset=latin1> -->"), latin1), isUnread: true),
    Case(
      what: "the header over the page", type: "text/html; charset=utf-8",
      body: bytes(ascii("<meta charset=latin1>"), utf8)),
    Case(
      what: "the mark over the header", type: "text/html; charset=iso-8859-1",
      body: bytes([0xef, 0xbb, 0xbf], utf8)),
    Case(what: "UTF-16 by its mark", body: bytes([0xff, 0xfe], utf16(word))),
    Case(what: "UTF-16, the other way round", body: bytes([0xfe, 0xff], utf16(word, isLittleEndian: false))),
    Case(
      what: "UTF-16 by the header", type: "text/plain; charset=utf-16", body: utf16("plain"), word: "plain"),
    Case(
      what: "ASCII that calls itself UTF-16", type: "application/json; charset=utf-16", body: ascii("plain"),
      word: "plain"),
    Case(
      what: "ASCII that calls itself UTF-32", type: "text/xml; charset=utf-32", body: ascii("plain text"),
      word: "plain"),
    Case(what: "a page is no UTF-16 by its own word", body: bytes(ascii("<meta charset=utf-16>"), utf8)),
    Case(
      what: "the euro of windows-1252", type: "text/plain; charset=latin1", body: [0x80], word: "\u{20ac}"),
    Case(
      what: "the euro of ISO 8859-15", type: "text/plain; charset=iso-8859-15", body: [0xa4], word: "\u{20ac}"
    ),
    Case(what: "Cyrillic", type: "text/plain; charset=KOI8-R", body: [0xd7, 0xd3, 0xa3], word: "всё"),
    Case(
      what: "Japanese", type: "text/plain; charset=Shift_JIS", body: [0x93, 0xfa, 0x96, 0x7b], word: "日本"),
    Case(
      what: "Japanese in seven bits", type: "text/plain; charset=iso-2022-jp",
      body: [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42], word: "日本"),
    Case(what: "Chinese", type: "text/plain; charset=gb2312", body: [0xd6, 0xd0, 0xce, 0xc4], word: "中文"),
    Case(
      what: "a PC's, of 1981", type: "text/html; charset=cp437",
      body: bytes(ascii("Verf"), [0x81], ascii("gbarkeit"))
    ),
    Case(
      what: "a PC's, of Europe", type: "text/html; charset=IBM-850",
      body: bytes(ascii("Verf"), [0x81], ascii("gbarkeit"))),
    Case(
      what: "of HP-UX", type: "text/html; charset=hp-roman8",
      body: bytes(ascii("Verf"), [0xcf], ascii("gbarkeit"))),
    Case(what: "Central Europe on a Mac", type: "text/plain; charset=x-mac-ce", body: [0x81], word: "Ā"),
    Case(
      what: "EBCDIC", type: "text/plain; charset=IBM1047",
      body: [0xe5, 0x85, 0x99, 0x86, 0xdc, 0x87, 0x82, 0x81, 0x99, 0x92, 0x85, 0x89, 0xa3]),
    Case(what: "ASCII for others", type: "text/plain; charset=UTF-7", body: ascii("Verf+APw-gbarkeit")),
    Case(what: "UTF-32 by its mark", body: bytes([0xff, 0xfe, 0, 0], utf32(word))),
    Case(
      what: "UTF-32, the other way round",
      body: bytes([0, 0, 0xfe, 0xff], utf32(word, isLittleEndian: false))),
    Case(what: "UTF-32 by the header", type: "text/plain; charset=utf-32", body: utf32(word)),
    Case(
      what: "UTF-32 by the header, the other way round", type: "text/plain; charset=utf-32",
      body: utf32(word, isLittleEndian: false)),
    Case(what: "two characters for one", body: ascii("Verfu\u{308}gbarkeit")),
    Case(what: "one for two", body: utf8, word: "Verfu\u{308}gbarkeit"),
    Case(what: "without a word on it", type: nil, body: utf8),
    Case(what: "bytes where nothing is known", type: nil, body: latin1, isUnread: true),
    Case(what: "ASCII where nothing is known", type: nil, body: latin1, word: "Verfall", isFound: false),
    Case(
      what: "a charset that nobody has", type: "text/html; charset=x-canary", body: latin1, isUnread: true,
      note: BodyText.unknownWords),
    Case(
      what: "no charset of the web", type: "text/html; charset=EBCDIC-US", body: latin1, isUnread: true,
      note: BodyText.unknownWords),
    Case(
      what: "seven bits that may be anything", type: "text/html; charset=iso-2022-cn",
      body: [0x1b, 0x24, 0x41],
      isUnread: true, note: BodyText.unknownWords),
    Case(
      what: "a misspelt charset", type: "text/html; charset=utf8mb4", body: utf8, note: BodyText.guessedWords),
    Case(what: "what is no UTF-8", type: "text/html; charset=utf-8", body: latin1, isUnread: true),
    Case(
      what: "behind what stands for nothing", type: "text/plain; charset=euc-jp", body: [0xff, 0xc6, 0xfc],
      word: "\u{fffd}日"),
    Case(
      what: "JSON", type: "application/json; charset=iso-8859-1",
      body: bytes([0x22], Array(latin1.dropFirst(3).dropLast(4)), [0x22])),
  ]

  @Test(arguments: cases) func charactersAreCompared(example: Case) throws {
    let headers = example.type.map { [("Content-Type", $0)] } ?? []
    for wanted in [true, false] {
      let judge = try Answer(headers: headers, bytes: example.body).judged {
        if wanted {
          $0.http.expect.bodyContains = [example.word]
          $0.http.expect.bodyMatches = [example.word]
        } else {
          $0.http.expect.bodyNotContains = [example.word]
          $0.http.expect.bodyNotMatches = [example.word]
        }
      }
      #expect(
        judge.assertions.dropFirst().map(\.ok)
          == (wanted == example.isFound && !example.isUnread ? [true, true] : [false, false]))
      if let note = example.note { #expect(judge.verdict.message?.hasSuffix(note) == true) }
      if judge.verdict.isSuccess { #expect(judge.verdict.message == example.note) }
    }
  }

  @Test func jsonIsCharactersToo() throws {
    let latin1 = Array(#"{"a":"f"#.utf8) + [0xfc] + Array(#"r","b":"fu\u0308r"}"#.utf8)
    let judge = try Answer(headers: [("Content-Type", "application/json;charset=latin1")], bytes: latin1)
      .judged {
        $0.expect.json = [
          ("$.a", ConditionText("f\u{fc}r")), ("$.b", ConditionText("f\u{fc}r")),
          ("$.b", ConditionText("~ ^f.r$")),
        ]
      }
    #expect(judge.verdict == .ok, "\(judge.verdict)")
  }

  @Test func bytesAreComparedWhereAskedFor() throws {
    let judge = try Answer(headers: [("Content-Type", "text/html; charset=latin1")], bytes: Self.latin1)
      .judged {
        $0.http.expect.bodyNotContains = [Self.word]
        $0.http.expect.comparesBytes = true
      }
    #expect(judge.verdict == .ok)
  }

  /// A pattern for bytes takes each as one character, and its own characters as the bytes of their UTF-8.
  @Test(
    arguments: [
      (latin1, "Verf.gbarkeit", true), (latin1, #"Verf\xfcgbarkeit"#, true),
      (latin1, "Verf[^a]gbarkeit", true),
      (latin1, word, false), (utf8, word, true), (utf8, #"Verf\xc3\xbcgbarkeit"#, true),
      (utf8, "Verf.gbarkeit", false), (utf8, "Verf..gbarkeit", true),
    ] as [([UInt8], String, Bool)])
  func patternsAreHeldAgainstBytes(body: [UInt8], pattern: String, isFound: Bool) throws {
    for wanted in [true, false] {
      let judge = try Answer(headers: [("Content-Type", "text/html; charset=latin1")], bytes: body).judged {
        $0.http.expect.comparesBytes = true
        if wanted {
          $0.http.expect.bodyMatches = [pattern]
        } else {
          $0.http.expect.bodyNotMatches = [pattern]
        }
      }
      #expect(judge.verdict.isSuccess == (wanted == isFound), "\(wanted): \(judge.verdict)")
    }
  }

  /// Without a charset, and without UTF-8, a pattern is looked for as characters and as bytes.
  @Test(
    arguments: [
      ("Verf.gbarkeit", true), (#"Verf\xfcgbarkeit"#, true), ("Verf[^a]gbarkeit", true), ("f.r 1", true),
      (#"f\x{fc}r"#, true), ("nothing", false),
    ])
  func patternsOfBytesInNoCharset(pattern: String, isFound: Bool) throws {
    let body = Self.latin1 + Array("f\u{fc}r 1".utf8)
    for wanted in [true, false] {
      let judge = try Answer(headers: [("Content-Type", "text/html")], bytes: body).judged {
        if wanted {
          $0.http.expect.bodyMatches = [pattern]
        } else {
          $0.http.expect.bodyNotMatches = [pattern]
        }
      }
      #expect(judge.verdict.isSuccess == (wanted == isFound), "\(wanted): \(judge.verdict)")
    }
  }

  /// Without a charset, and without UTF-8, only ASCII can be called absent; a pattern is ASCII by what it names.
  @Test(
    arguments: [
      (not: "St\u{f6}rung", isKnown: false), ("Error", true), (#"\x{f6}rung"#, false),
      (#"St\xf7rung"#, false),
      (#"Err\x6fr"#, true), (#"C:\\xff"#, true), (#"\p{Greek}"#, false), (#"\N{U+F7}"#, false),
      ("Err.r$", true),
      (#"\d{5}[a-f]"#, true),
    ])
  func whatIsAbsentInNoCharset(pattern: (not: String, isKnown: Bool)) throws {
    let judge = try Answer(headers: [("Content-Type", "text/html")], bytes: Self.latin1).judged {
      $0.http.expect.bodyNotMatches = [pattern.not]
    }
    #expect(judge.verdict.isSuccess == pattern.isKnown)
    if !pattern.isKnown {
      #expect(judge.verdict.message?.contains("could not be judged: the body is no UTF-8") == true)
    }
    let literal = try Answer(headers: [("Content-Type", "text/html")], bytes: Self.latin1).judged {
      $0.http.expect.bodyNotContains = [pattern.not]
    }
    let isASCII = pattern.not.utf8.allSatisfy { $0 < 0x80 }
    #expect(literal.verdict.isSuccess == isASCII)
    if !isASCII {
      let words = "could not be judged: the body is no UTF-8, and names no charset"
      #expect(literal.verdict.message == "body.not_contains \"\(pattern.not)\" \(words)")
    }
  }

  /// A pattern that no bytes can be held against fails either way, if it is not found as characters.
  @Test func aPatternOfCharactersAlone() throws {
    for wanted in [true, false] {
      let judge = try Answer(headers: [], bytes: Self.latin1).judged {
        if wanted {
          $0.http.expect.bodyMatches = [#"\x{263a}"#]
        } else {
          $0.http.expect.bodyNotMatches = [#"\x{263a}"#]
        }
      }
      #expect(judge.verdict.message?.hasSuffix("could not be judged: the body is no UTF-8") == true)
      #expect(judge.verdict.reason == Reason.body)
    }
  }

  /// Where bytes of a charset cannot be read, a text of ASCII may be missing only if they would show it.
  @Test func whatIsNotFoundInAnUnknownCharset() throws {
    let judge = try Answer(headers: [("Content-Type", "text/html; charset=x-canary")], bytes: Self.latin1)
      .judged { $0.http.expect.bodyNotContains = ["error"] }
    #expect(
      judge.verdict
        == Verdict(
          .body, phase: .assertion,
          message: "body.not_contains \"error\" could not be judged in an unknown charset; "
            + BodyText.unknownWords))
    #expect(judge.assertions.last?.actual == "not judged")
  }

  /// What a person is shown is characters as well.
  @Test func theExcerptIsReadInItsCharset() throws {
    let judge = try Answer(headers: [("Content-Type", "text/html; charset=latin1")], bytes: Self.latin1)
      .judged {
        $0.http.expect.bodyContains = ["nothing"]
      }
    #expect(judge.excerpt == "<p>\(Self.word)</p>")
  }

  /// A megabyte of a converter's dearest, and a mark on every letter, keep to the budget of a judgement.
  @Test(arguments: ["gb18030", "iso-2022-jp", "big5", "utf-8"])
  func aLargeBodyIsReadWithinItsBudget(charset: String) throws {
    let body: [UInt8] = (0..<(1 << 18)).flatMap { number -> [UInt8] in
      [UInt8(0x81 + number % 120), 0x40, 0xcc, 0x81]
    }
    let judge = try Answer(headers: [("Content-Type", "text/plain; charset=\(charset)")], bytes: body).judged
    {
      $0.http.expect.bodyContains = ["\u{e9}"]
    }
    #expect(judge.verdict.reason == Reason.body)
  }
}
