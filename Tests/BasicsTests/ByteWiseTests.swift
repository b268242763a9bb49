// SPDX-License-Identifier: MIT

import Basics
import Testing

/// Every comparison and search that this module has in place of the standard library's, by bytes and both ways.
@Suite struct ByteWiseTests {
  private static let composed = "é"
  private static let parts = "e\u{301}"

  @Test func texts() {
    let (one, other, same) = (Self.composed, Self.parts, String(Self.composed))
    #expect(one == same && !(one == other) && one != other && !(one != same))
    #expect(other < one && !(one < other) && !(one < same) && one > other && !(other > one) && !(one > same))
    let (piece, second) = (one[...], other[...])
    #expect(piece == one && !(piece == other) && piece != other && !(piece != one))
    #expect(one == piece && !(one == second) && one != second && !(one != piece))
    #expect(piece == same[...] && piece != second && !(piece == second) && !(piece != same[...]))
    #expect("" == "" && !("" == "a") && !("a" == "") && "ab" != "a" && "ab" != "ac")
  }

  @Test func textsThatMayBeNone() {
    let (none, one, other): (String?, String?, String?) = (nil, Self.composed, Self.parts)
    let same: String? = Self.composed
    #expect(none == nil && !(none == one) && !(one == none) && one == same && !(one == other))
    #expect(!(none != nil) && none != one && one != none && !(one != same) && one != other)
  }

  @Test func characters() {
    let (one, other): (Character, Character) = ("é", "e\u{301}")
    let same: Character = "é"
    #expect(one == same && !(one == other) && one != other && !(one != same))
    let text = Self.composed
    #expect(one == text && !(other == text) && other != text && !(one != text))
    let (none, first, second): (Character?, Character?, Character?) = (nil, one, other)
    let again: Character? = same
    #expect(none == nil && !(none == first) && !(first == none) && first == again && !(first == second))
    #expect(none != first && first != none && !(first != again) && first != second)
    #expect(first == text && !(second == text) && !(none == text))
    #expect(!(first != text) && second != text && none != text)
  }

  /// In a `switch`, for whole texts, pieces of them and characters, in all four pairs.
  @Test func patterns() {
    func isWord(_ text: String) -> Bool { if case "é" = text { true } else { false } }
    func isWord(_ text: Substring) -> Bool { if case "é" = text { true } else { false } }
    #expect(isWord(Self.composed) && !isWord(Self.parts))
    #expect(isWord(Self.composed[...]) && !isWord(Self.parts[...]))
    let (text, other) = (Self.composed, Self.parts)
    #expect(text ~= text && !(text ~= other))
    #expect(text ~= text[...] && !(text ~= other[...]))
    #expect(text[...] ~= text && !(text[...] ~= other))
    #expect(text[...] ~= text[...] && !(text[...] ~= other[...]))
    let (one, second): (Character, Character) = ("é", "e\u{301}")
    #expect(one ~= one && !(one ~= second))
  }

  @Test func lists() {
    let list = ["b", Self.parts, "a"]
    #expect(list.contains("a") && list.contains(Self.parts) && !list.contains(Self.composed))
    #expect(list.firstIndex(of: "a") == 2 && list.firstIndex(of: Self.composed) == nil)
    #expect(list[1...].contains("a") && !list[1...].contains("b"))
    #expect(["b", Self.composed, "a", Self.parts].sorted() == ["a", "b", Self.parts, Self.composed])
    #expect(![String]().contains("a"))
  }

  @Test(
    arguments: [
      ("abc", "", true, true, true), ("abc", "a", true, false, true), ("abc", "c", false, true, true),
      ("abc", "b", false, false, true), ("abc", "abc", true, true, true),
      ("abc", "abcd", false, false, false),
      ("abc", "xabc", false, false, false), ("", "", true, true, true), ("", "a", false, false, false),
      ("é", "e", false, false, false), ("e\u{301}", "e", true, false, true),
    ])
  func beginningsAndEnds(text: String, part: String, begins: Bool, ends: Bool, holds: Bool) {
    #expect(text.hasPrefix(part) == begins && text[...].hasPrefix(part) == begins)
    #expect(text.hasSuffix(part) == ends && text[...].hasSuffix(part) == ends)
    #expect(text.contains(part) == holds && text.contains(part[...]) == holds)
    #expect(text[...].contains(part) == holds)
  }

  @Test func placesOfCharacters() {
    let text = "aé;é\r\n;b\r\n"
    func offset(_ index: String.Index?) -> Int? {
      index.map { text.utf8.distance(from: text.utf8.startIndex, to: $0) }
    }
    #expect(offset(text.firstIndex(of: "é")) == 1 && offset(text.lastIndex(of: "é")) == 4)
    #expect(offset(text.firstIndex(of: ";")) == 3 && offset(text.lastIndex(of: ";")) == 8)
    #expect(offset(text.firstIndex(of: "\r\n")) == 6 && offset(text.lastIndex(of: "\r\n")) == 10)
    #expect(text.firstIndex(of: "x") == nil && text.lastIndex(of: "x") == nil)
    #expect(text.contains("é" as Character) && !text.contains("e" as Character))
  }

  /// From a place on: at it, behind it, and where there is nothing left.
  @Test func aSearchFromAPlace() {
    let text = Array("abcabc".utf8)
    let needle = Array("abc".utf8)
    #expect(
      [0, 1, 3, 4, 6, 7, -1].map { firstPlace(of: needle, in: text, from: $0) } == [
        0, 3, 3, nil, nil, nil, nil,
      ])
    #expect([0, 6, 7].map { firstPlace(of: [], in: text, from: $0) } == [0, 6, nil])
    #expect(firstPlace(of: needle, in: []) == nil && firstPlace(of: [], in: []) == 0)
    #expect(firstPlace(of: Array("aab".utf8), in: Array("aaab".utf8)) == 1)
    #expect(firstPlace(of: Array("abab".utf8), in: Array("abacabab".utf8)) == 4)
  }

  @Test(
    arguments: [
      ("a.b.a", "a", "x", "x.b.x"), ("aaa", "aa", "b", "ba"), ("abc", "", "x", "abc"),
      ("abc", "d", "x", "abc"),
      ("abc", "abc", "", ""), ("éa", "e", "x", "éa"), ("ab", "b", "bb", "abb"),
    ])
  func replacements(text: String, wanted: String, other: String, made: String) {
    #expect(text.replacing(wanted, with: other) == made)
  }

  /// Different texts hash differently, and pieces of what is hashed one after the other do not run together.
  @Test func hashes() {
    #expect(ByteText("a").hashValue != ByteText("b").hashValue)
    #expect(ByteText("a").hashValue == ByteText("a"[...]).hashValue && ByteText("ab"[...]).text == "ab")
    #expect([ByteText("ab"), ByteText("c")].hashValue != [ByteText("a"), ByteText("bc")].hashValue)
    let values: [JSONValue] = [
      .null, .bool(true), .bool(false), .string("a"), .string("b"), .array([.null]),
      .object([.init("a", .null)]), .object([.init("b", .null)]), .object([.init("a", .bool(true))]),
    ]
    #expect(Set(values.map(\.hashValue)).count == values.count)
    for (place, value) in values.enumerated() {
      for (other, second) in values.enumerated() { #expect((value == second) == (place == other)) }
    }
    #expect(JSONValue.number("1") != .number("1.0") && JSONValue.number("1") != .string("1"))
  }

  @Test func wordsOfACase() {
    #expect(WorkKind(word: "up") == .up && WorkKind(word: "down"[...]) == .down)
    #expect(WorkKind(word: "Up") == nil && WorkKind(word: "") == nil && WorkKind(word: "upp") == nil)
  }

  private enum WorkKind: String, CaseIterable { case up, down }

  /// Controls, ends of lines and what turns the direction of a line, both sides of each.
  @Test func controlCharacters() {
    let values: [UInt32] = [
      0, 0x1f, 0x20, 0x7e, 0x7f, 0x9f, 0xa0, 0x61b, 0x61c, 0x61d, 0x200d, 0x200e, 0x200f, 0x2010, 0x2027,
      0x2028, 0x2029, 0x202a, 0x202e, 0x202f, 0x2065, 0x2066, 0x2069, 0x206a, 0xfefe, 0xfeff, 0xff00,
    ]
    let found = values.filter { value in
      Unicode.Scalar(value).map { "ab\(Character($0))c".hasControlCharacter } == true
    }
    #expect(
      found == [
        0, 0x1f, 0x7f, 0x9f, 0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069, 0xfeff,
      ])
    #expect(!"".hasControlCharacter && !"plain é 🙂".hasControlCharacter)
  }

  /// Joiners and selectors stay within one picture, and nowhere else.
  @Test(
    arguments: [
      ("❤\u{fe0f}\u{200d}🔥", "❤\u{fe0f}\u{200d}🔥"), ("1\u{200d}🙂", "1\\u{200d}🙂"),
      ("🙂\u{200d}1", "🙂\\u{200d}1"), ("❤\u{fe0e}", "❤\u{fe0e}"), ("a\u{fe0e}", "a\\u{fe0e}"),
      ("#\u{fe0f}\u{20e3}", "#\u{fe0f}\u{20e3}"), ("a\u{fe0f}\u{20e3}", "a\\u{fe0f}\u{20e3}"),
      ("1\u{fe0f}2", "1\\u{fe0f}2"), ("©\u{fe0f}", "©\u{fe0f}"), ("🙂\u{200d}a", "🙂\\u{200d}a"),
    ])
  func pictures(text: String, printed: String) {
    #expect(text.printable(maxBytes: 100).unicodeScalars.elementsEqual(printed.unicodeScalars))
  }

  /// A text is found where its beginning repeats in itself: what was matched so far may hold a beginning of the next place.
  @Test(
    arguments: ["aabaaac", "abacabad", "aabaabaaa", "ababac", "aaaab", "abcabcabd", "abaababaab"])
  func aTextThatRepeatsItself(text: String) {
    let needle = Array(text.utf8)
    for part in 1...needle.count {
      for gap in ["", "a", "b", "ab"] {
        let bytes = Array(needle.prefix(part)) + Array(gap.utf8) + needle + needle
        let plain = (0...bytes.count - needle.count).first { Array(bytes[$0..<$0 + needle.count]) == needle }
        #expect(firstPlace(of: needle, in: bytes) == plain, "\(part) and \(gap)")
      }
    }
    #expect(firstPlace(of: Array("aabaaac".utf8), in: Array("aabaaabaaac".utf8)) == 4)
  }
}
