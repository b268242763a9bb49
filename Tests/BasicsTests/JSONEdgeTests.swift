// SPDX-License-Identifier: MIT

import Basics
import Testing

/// Blanks between all parts of a text, the size of what is given, and how often a search asks whether it goes on.
@Suite struct JSONEdgeTests {
  private static let spaced =
    "\t{ \n\"a\" \r: [ 1 , { \"b\" : [ ] , \"d\" : [ [ ] , { } ] } , [ ] ] , \"c\" : { } }\r\n "
  private static let compact = #"{"a":[1,{"b":[],"d":[[],{}]},[]],"c":{}}"#

  @Test(
    arguments: [
      ("$", compact), ("$.a[0]", "1"), ("$.a[-3]", "1"), ("$.a[1].b", "[]"), ("$.a[-2].b", "[]"),
      ("$.a[-2].d[-1]", "{}"), ("$.a[1].d[-2]", "[]"), ("$.a[2]", "[]"), ("$.a[-1]", "[]"), ("$.c", "{}"),
    ])
  func blanksAnywhere(path: String, value: String) throws {
    for text in [Self.spaced, Self.compact] {
      let found = try JSONSearch.find([JSONPath(path)], in: Array(text.utf8))
      #expect(found == [.value(try JSONValue.parse(value.utf8))])
      let whole = try JSONValue.parse(text.utf8)
      #expect(whole.text == Self.compact)
      #expect(try JSONPath(path).value(in: whole)?.text == value)
    }
  }

  @Test(arguments: ["$.a[9]", "$.a[-4]", "$.b", "$.c.d", "$.a.b", "$.c[0]", "$.a[2][-1]"])
  func noneWithin(path: String) throws {
    #expect(try JSONSearch.find([JSONPath(path)], in: Array(Self.spaced.utf8)) == [.missing])
    #expect(try JSONPath(path).value(in: JSONValue.parse(Self.spaced.utf8)) == nil)
  }

  /// Asked at every 1024th value that is no list and no object.
  @Test(arguments: [(1023, 0), (1024, 1), (2047, 1), (2048, 2)])
  func whetherItGoesOn(values: Int, times: Int) throws {
    let text = Array(("[" + Array(repeating: "1", count: values).joined(separator: ",") + "]").utf8)
    var asked = 0
    let found = try JSONSearch.find([JSONPath("$[1]")], in: text) {
      asked += 1
      return true
    }
    #expect(found == [.value(.number("1"))] && asked == times)
    let path = try JSONPath("$.no")
    guard times > 0 else {
      #expect(try JSONSearch.find([path], in: text) { false } == [.missing])
      return
    }
    // A bracket, and a digit and a comma for each before it.
    let error = try #require(throws: JSONError.self) { try JSONSearch.find([path], in: text) { false } }
    #expect(error.description == "given up: it takes too long at byte 2047")
  }

  /// 64 KiB of a list or an object are given, a byte more is not; other values have no such bound.
  @Test func theLargestValue() throws {
    let path = [try JSONPath("$[0]")]
    func find(_ value: String) throws -> JSONSearch.Finding? {
      try JSONSearch.find(path, in: Array("[\(value)]".utf8)).first
    }
    let digits = String(repeating: "1", count: 65_534)
    #expect(try find("[\(digits)]") == .value(.array([.number(digits)])))
    #expect(try find("[\(digits)1]") == .tooLarge)
    #expect(
      try find("{\"a\":\(digits.dropLast(4))}")
        == .value(.object([.init("a", .number(String(digits.dropLast(4))))])))
    #expect(try find("{\"a\":\(digits.dropLast(3))}") == .tooLarge)
    #expect(try find(digits + "11111") == .value(.number(digits + "11111")))
  }

  /// A name with escapes is found by what it stands for, up to six bytes for each one.
  @Test(
    arguments: [
      ("ab", #"\u0061\u0062"#, true), ("ab", #"\u0061b"#, true), ("ab", #"\u0061"#, false),
      ("\n", #"\n"#, true), ("é", #"\u00e9"#, true), ("🙂", #"\ud83d\ude42"#, true),
      ("a", #"\u0061\u0061"#, false),
      ("\"", #"\""#, true), ("a\\b", #"a\\b"#, true), ("ab", #"a\\"#, false),
    ])
  func namesWithEscapes(name: String, written: String, isFound: Bool) throws {
    let quoted = name.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    let found = try JSONSearch.find(
      [JSONPath("$['\(quoted)']")], in: Array("{\"\(written)\": 1}".utf8))
    #expect(found == [isFound ? .value(.number("1")) : .missing])
  }

  /// Where a text goes wrong, for the parser and the search alike.
  @Test(
    arguments: [
      ("{\"a\" 1}", "expected a colon at byte 5"), ("{1:1}", "expected a member name at byte 1"),
      ("{\"a\":1;}", "expected a comma or } at byte 6"), ("[1;]", "expected a comma or ] at byte 2"),
      ("[-]", "expected a digit at byte 2"), ("[1.]", "expected a digit at byte 3"),
      ("[\"a", "unexpected end of a string at byte 3"), ("[\"\\", "unexpected end of a string at byte 3"),
      ("[\"\\x\"]", "unknown escape at byte 4"), ("[\"\\u12g4\"]", "expected four hex digits at byte 6"),
      ("[\"\n\"]", "control character in a string at byte 2"), ("[trub]", "unexpected character at byte 1"),
      ("[x]", "unexpected character at byte 1"), ("[1,", "unexpected end at byte 3"),
      ("1 2", "unexpected text after the value at byte 2"),
    ])
  func whereItGoesWrong(text: String, message: String) throws {
    let error = try #require(throws: JSONError.self) { try JSONValue.parse(text.utf8) }
    #expect(error.description == message)
    let path = try JSONPath("$.no")
    let other = try #require(throws: JSONError.self) { try JSONSearch.find([path], in: Array(text.utf8)) }
    #expect(other.description == message)
  }

  @Test(arguments: [("[[1]]", 1), ("[[1]]", 2), ("{\"a\":{}}", 1), ("{\"a\":{}}", 2), ("1", 0), ("[]", 0)])
  func howDeep(text: String, most: Int) throws {
    let depth = text.utf8.count { $0 == 0x5b || $0 == 0x7b }
    let path = try JSONPath("$[-1]")
    let message = "nested deeper than \(most)"
    guard depth > most else {
      #expect(throws: Never.self) { try JSONValue.parse(text.utf8, maxDepth: most) }
      #expect(throws: Never.self) { try JSONSearch.find([path], in: Array(text.utf8), maxDepth: most) }
      return
    }
    let error = try #require(throws: JSONError.self) { try JSONValue.parse(text.utf8, maxDepth: most) }
    #expect(error.message == message)
    let other = try #require(throws: JSONError.self) {
      try JSONSearch.find([path], in: Array(text.utf8), maxDepth: most)
    }
    #expect(other.message == message)
  }
}

/// Bytes of a store: what is written is read, up to each bound, and what is damaged is told.
@Suite struct ByteCodingTests {
  @Test func thereAndBack() throws {
    let id = UniqueID(high: 0x0102_0304_0506_0708, low: 0x090a_0b0c_0d0e_0f10)
    var writer = ByteWriter()
    writer.unsigned(300)
    for value in [0, -1, 1, -64, 64, .max, .min] as [Int64] { writer.signed(value) }
    for value in [nil, 0, -5] as [Int64?] { writer.optional(value) }
    writer.fixed32(0x0102_0304)
    writer.blob([7, 8])
    writer.text("é")
    writer.text(nil)
    writer.id(id)
    var reader = ByteReader(writer.bytes)
    #expect(try reader.unsigned() == 300)
    #expect(try (0..<7).map { _ in try reader.signed() } == [0, -1, 1, -64, 64, .max, .min])
    #expect(try (0..<3).map { _ in try reader.optional() } == [nil, 0, -5])
    #expect(Array(writer.bytes[reader.position...].prefix(4)) == [4, 3, 2, 1])
    #expect(try reader.fixed32() == 0x0102_0304)
    #expect(try reader.blob() == [7, 8])
    #expect(try reader.text() == "é")
    #expect(try reader.text() == nil)
    #expect(try reader.id() == id)
    #expect(reader.atEnd)
    #expect(throws: CodingDamage.self) { try reader.byte() }
  }

  /// Small numbers of either sign take one byte.
  @Test(arguments: [(0, [0]), (-1, [1]), (1, [2]), (-64, [127]), (64, [128, 1])] as [(Int64, [UInt8])])
  func signs(value: Int64, bytes: [UInt8]) {
    var writer = ByteWriter()
    writer.signed(value)
    #expect(writer.bytes == bytes)
  }

  @Test func bounds() throws {
    func isRead(_ bytes: [UInt8], _ body: (inout ByteReader) throws -> Void) -> Bool {
      var reader = ByteReader(bytes)
      do {
        try body(&reader)
        return true
      } catch { return false }
    }
    #expect(isRead([2, 7, 8]) { _ = try $0.count() } && !isRead([3, 7, 8]) { _ = try $0.count() })
    #expect(isRead([2, 7, 8]) { _ = try $0.blob() } && !isRead([3, 7, 8]) { _ = try $0.blob() })
    #expect(isRead([7, 8]) { _ = try $0.take(2) } && !isRead([7, 8]) { _ = try $0.take(3) })
    #expect(
      isRead([5]) { _ = try $0.unsigned(through: 5) } && !isRead([6]) { _ = try $0.unsigned(through: 5) })
    for (byte, fits) in [(3, false), (1, true), (4, true), (6, false)] as [(UInt8, Bool)] {
      // -2, -1, 2 and 3.
      #expect(isRead([byte]) { _ = try $0.signed(in: -1...2) } == fits)
    }
    #expect(!isRead([1, 0xff]) { _ = try $0.text() } && isRead([1, 0x61]) { _ = try $0.text() })
    #expect(!isRead([UInt8](repeating: 0, count: 15)) { _ = try $0.id() })
    let long = [UInt8](repeating: 0x80, count: 9)
    #expect(
      isRead(long + [1]) { _ = try $0.unsigned() } && !isRead(long + [0x80, 1]) { _ = try $0.unsigned() })
    var part = ByteReader([9, 1, 2, 9], from: 1, to: 3)
    #expect(try part.take(2) == [1, 2])
    #expect(part.atEnd)
    #expect(throws: CodingDamage.self) { try part.byte() }
    #expect(ByteReader([1, 2], to: 9).end(afterAll: 2))
  }

  @Test func base64HasItsBound() {
    for (text, count) in [("Zg==", 1), ("Zm8=", 2), ("Zm9v", 3), ("Zm9vYg==", 4), ("", 0)] {
      #expect(Base64.bytes(text, limit: count)?.count == count)
      #expect(Base64.bytes(text, limit: .max)?.count == count)
      #expect(count == 0 || Base64.bytes(text, limit: count - 1) == nil)
    }
    #expect(Base64.bytes("AAz+/9Z0", limit: 9) == [0x00, 0x0c, 0xfe, 0xff, 0xd6, 0x74])
    #expect(Base64.text([0x00, 0x0c, 0xfe, 0xff, 0xd6, 0x74]) == "AAz+/9Z0")
  }
}

extension ByteReader {
  /// Whether so many bytes are there to read.
  fileprivate func end(afterAll count: Int) -> Bool {
    var reader = self
    for _ in 0..<count where (try? reader.byte()) == nil { return false }
    return reader.atEnd
  }
}
