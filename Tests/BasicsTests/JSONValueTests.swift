// SPDX-License-Identifier: MIT

import Basics
import Testing

@Suite struct JSONValueTests {
  private func parse(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

  @Test(
    arguments: [
      ("null", .null), (" true\n", .bool(true)), ("\t\r\n false ", .bool(false)), ("0", .number("0")),
      ("-0", .number("-0")), ("-12.5e+3", .number("-12.5e+3")), ("1E9", .number("1E9")),
      ("1e400", .number("1e400")), ("\"\"", .string("")), ("[]", .array([])), ("{ }", .object([])),
      ("[1,[2],{}]", .array([.number("1"), .array([.number("2")]), .object([])])),
      (#"{"b":1,"a":null}"#, .object([.init("b", .number("1")), .init("a", .null)])),
      (#"{"":0}"#, .object([.init("", .number("0"))])),
      (#""\"\\\/\b\f\n\r\t\u0041""#, .string("\"\\/\u{8}\u{c}\n\r\tA")),
      (#""\ud83d\ude42\uD83D\uDE42""#, .string("🙂🙂")), (#""\u0000""#, .string("\0")),
      ("\"\u{7f}\u{2028}é\"", .string("\u{7f}\u{2028}é")),
      // Half a surrogate pair, in every position: RFC 8259 section 8.2.
      (#""\ud800""#, .string("\u{fffd}")), (#""cut \udc00x""#, .string("cut \u{fffd}x")),
      (#""\ud800\n""#, .string("\u{fffd}\n")), (#""\uD800\u0041""#, .string("\u{fffd}A")),
      (#""\udfff\ud800""#, .string("\u{fffd}\u{fffd}")),
      (#""\ud83d\ud83d\ude42""#, .string("\u{fffd}🙂")),
    ] as [(String, JSONValue)])
  func reads(text: String, value: JSONValue) throws {
    #expect(try parse(text) == value)
  }

  static let invalid: [String] = [
    "", " ", "nul", "nullx", "True", "NaN", "Infinity", "-Infinity", "undefined", "'a'", "a",
    // numbers
    "-", "+1", "01", "-01", "1.", ".5", "1.e1", "1e", "1e+", "0x10", "1_000", "--1", "1 2", "٣",
    // strings
    "\"", "\"abc", "\"a\nb\"", "\"a\tb\"", "\"\0\"", "\"\u{1b}\"", #""\x41""#, #""\u12""#, #""\u12g4""#,
    #""\u+123""#, #""\"#, #""\u"#, #""\'""#,
    // half a surrogate pair, and an escape that is none
    #""\ud83d\u""#, #""\ud83d\ude4""#, #""\ud83d\x""#, #""\ud83d\""#,
    // structure
    "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "{", "}", "{1:2}", #"{"a"}"#, #"{"a":}"#,
    #"{"a":1,}"#,
    #"{"a" 1}"#, #"{"a":1 "b":2}"#, #"{,}"#, #"{"a":1]"#, "{a:1}", "[1]]", "[1][2]", "{} {}", "1,",
    "null null",
    "// c\n1", "/* c */ 1", "\u{feff}1", "\u{a0}1", "\u{c}1", "1\0",
    // duplicate names, also as escapes; other bytes are another name
    #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"{"x":{"b":1,"c":2,"b":3}}"#,
  ]

  @Test(arguments: invalid)
  func refuses(text: String) {
    #expect(throws: JSONError.self) { try parse(text) }
  }

  @Test(
    arguments: [
      [0x22, 0x80, 0x22], [0x22, 0xc3, 0x22], [0x22, 0xc0, 0xaf, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], [0xff], [0x22, 0xff, 0x22], [0xff, 0xfe, 0x31, 0x00],
    ] as [[UInt8]])
  func refusesInvalidUTF8(bytes: [UInt8]) {
    #expect(throws: JSONError.self) { try JSONValue.parse(bytes) }
  }

  @Test(arguments: ["[", "{\"a\":", "[{\"a\":"])
  func refusesDepthInsteadOfOverflowing(opening: String) {
    #expect(throws: JSONError.self) { try parse(String(repeating: opening, count: 10_000)) }
  }

  @Test func depthLimitIsExact() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    #expect(throws: Never.self) { try JSONValue.parse(nested(64)) }
    #expect(throws: JSONError.self) { try JSONValue.parse(nested(65)) }
    #expect(throws: Never.self) { try JSONValue.parse(nested(3), maxDepth: 3) }
    #expect(throws: JSONError.self) { try JSONValue.parse(nested(4), maxDepth: 3) }
  }

  @Test(arguments: [
    ("[1 2]", "expected a comma or ] at byte 3"), (#"{"a":1,"a":2}"#, "duplicate member name at byte 10"),
    ("[1]x", "unexpected text after the value at byte 3"), ("", "unexpected end at byte 0"),
  ])
  func saysWhatAndWhere(text: String, message: String) {
    let error = #expect(throws: JSONError.self) { try parse(text) }
    #expect(error?.description == message)
  }

  @Test func givesNumbersOnlyWhereTheyFit() throws {
    #expect(try parse("9223372036854775807").integer == .max)
    #expect(try parse("-9223372036854775808").integer == .min)
    #expect(try parse("9223372036854775808").integer == nil)
    #expect(try parse("1.0").integer == nil)
    #expect(try parse("1e2").integer == nil)
    #expect(try parse("1e2").double == 100)
    #expect(try parse("1e400").double == nil)
    #expect(try parse("-1e400").double == nil)
    #expect(try parse("1e-400").double == 0)
    #expect(try parse(String(repeating: "9", count: 5000)).integer == nil)
    #expect(try parse("\"1\"").integer == nil)
  }

  @Test func accessorsAnswerForTheirOwnKindOnly() throws {
    let value = try parse(#"{"s":"x","b":true,"n":null,"l":[1,"two"],"o":{"k":3}}"#)
    #expect(value["s"]?.string == "x")
    #expect(value["b"]?.bool == true)
    #expect(value["n"]?.isNull == true)
    #expect(value["l"]?[1]?.string == "two")
    #expect(value["l"]?.array?.count == 2)
    #expect(value["o"]?["k"]?.integer == 3)
    #expect(value.members?.map(\.name) == ["s", "b", "n", "l", "o"])
    #expect(value["missing"] == nil)
    #expect(value["l"]?[2] == nil)
    #expect(value["l"]?[-1] == nil)
    #expect(value["l"]?["s"] == nil)
    #expect(value[0] == nil)
    #expect(value["s"]?.bool == nil)
    #expect(value["b"]?.string == nil)
    #expect(value["s"]?.array == nil)
    #expect(value["l"]?.members == nil)
  }

  /// Damage at any byte of a document is an error or another value, never a crash.
  @Test func survivesEveryCutAndFlippedByte() throws {
    let document = Array(#"{"a":[1,-2.5e3,"\u00e9\ud83d\ude42é"],"b":{"c":null,"d":true}}"#.utf8)
    let whole = try JSONValue.parse(document)
    for end in 0..<document.count {
      #expect(throws: JSONError.self) { try JSONValue.parse(document[..<end]) }
    }
    for index in document.indices {
      for bit in 0..<8 {
        var damaged = document
        damaged[index] ^= 1 << bit
        // The case of a hex digit says nothing; every other bit does.
        let isCase = bit == 5 && document[index] | 0x20 >= 0x61
        if let value = try? JSONValue.parse(damaged), !isCase { #expect(value != whole) }
      }
    }
  }
}
