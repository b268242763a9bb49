// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

/// What comes from outside is compared, hashed and searched as bytes: no input takes more than its length.
@Suite(.timeLimit(.minutes(1))) struct ByteTextTests {
  /// Marks that canonical order would have to sort: the square of this many steps is minutes.
  static let marks = 400_000

  private static func run(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> String {
    var text = String.UnicodeScalarView()
    for index in 0..<marks { text.append(index.isMultiple(of: 2) ? first : second) }
    return String(text)
  }

  private static let one = run("\u{301}", "\u{323}")
  private static let other = run("\u{323}", "\u{301}")

  /// Two texts that are canonically equal are two keys.
  @Test func aKeyIsItsBytes() {
    #expect(ByteText(Self.one) != ByteText(Self.other))
    #expect(Set([ByteText(Self.one), ByteText(Self.other), ByteText(Self.one)]).count == 2)
    #expect(ByteText("é") != ByteText("e\u{301}"))
    #expect(Set<ByteText>(["a", "b"]).contains("b"))
  }

  /// The operators and searches of every room that imports this one are about bytes.
  @Test func nothingIsNormalised() {
    let one = Self.one
    #expect(one != Self.other)
    #expect(!(one < Self.other && Self.other < one))
    #expect(!one.hasPrefix("ab"))
    #expect(!one.hasSuffix("ab"))
    #expect(!one.contains("ab"))
    #expect(one.firstIndex(of: ";") == nil)
    #expect(one.lastIndex(of: ";") == nil)
    #expect(one.split(separator: ";").count == 1)
    #expect(one.replacing("ab", with: "x") == one)
    #expect(![one, one].contains(Self.other))
    #expect(Reason(word: one) == nil)
    let optional: String? = one
    #expect(optional != "ok")
    switch one {
    case "ok", "down": Issue.record("a run of marks is no word of ours")
    default: break
    }
    // A piece of a text has an operator of its own in the standard library.
    switch one.dropFirst() {
    case "ok", "down": Issue.record("a run of marks is no word of ours")
    default: break
    }
  }

  /// One character of marks is asked what it is without sorting them; what is plain is told as ever.
  @Test func aCharacterIsItsBytes() {
    let one = Character("a" + Self.one)
    #expect(!one.isNewline)
    #expect(!one.isASCII)
    let (isHash, isOther) = (one == "#", one != "#")
    #expect(!isHash && isOther)
    #expect(("#" + String(one)).prefix { $0 == "#" } == "#")
    #expect(String(one).prefix { $0 != "#" } == String(one))
    let last: Character? = one
    let isLastHash = last == "#"
    #expect(!isLastHash)
    let ends: [Character] = ["\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}"]
    #expect(ends.allSatisfy { $0.isNewline })
    #expect(ends.filter { $0.isASCII }.count == 5)
    #expect((["a", "0", " ", "\t"] as [Character]).allSatisfy { $0.isASCII && !$0.isNewline })
    #expect(!("é" as Character).isASCII)
  }

  /// Stepping back over flags takes a count of all before each: no search may do that.
  @Test func flagsAreNotCounted() {
    let flags = String(repeating: "\u{1f1e6}", count: Self.marks)
    #expect(flags.lastIndex(of: "/") == nil)
    #expect(flags.printable(maxBytes: 256).utf8.count <= 256)
  }

  /// The searches find what the standard library's find in plain text.
  @Test func plainTextIsSearchedAsEver() {
    let text = "a;bb;;c=1;é/é/x"
    #expect(text.split(separator: ";") == ["a", "bb", "c=1", "é/é/x"])
    #expect(
      text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false) == ["a", "bb;;c=1;é/é/x"])
    #expect(text.firstIndex(of: "é").map { text[$0...] } == "é/é/x")
    #expect(text.lastIndex(of: "/").map { text[$0...] } == "/x")
    #expect(text.lastIndex(of: "é").map { text[$0...] } == "é/x")
    #expect("a\r\nb\r\n\r\n\nc".split(separator: "\r\n") == ["a", "b", "\nc"])
    #expect("a\r\n".split(separator: "\r\n", omittingEmptySubsequences: false) == ["a", ""])
    #expect(text.replacing(";", with: ", ") == "a, bb, , c=1, é/é/x")
    #expect("aaaa".replacing("aa", with: "b") == "bb")
    #expect(text.contains("c=1") && !text.contains("c=2") && text.contains(""))
    #expect(text.hasPrefix("a;b") && text.hasSuffix("/x") && !text.hasSuffix("xa;bb;;c=1;é/é/x"))
  }

  /// A sign of two bytes splits as one of a single byte does, however often it may.
  @Test(arguments: ["", "a", "a;b", "a;b;c;d", ";a;;b;", ";;;", "a;;b;;;c"], 0...4)
  func splitsAtTwoBytesAsAtOne(text: String, most: Int) {
    for omits in [true, false] {
      let one = text.split(separator: ";", maxSplits: most, omittingEmptySubsequences: omits)
      let two = text.replacing(";", with: "\r\n")
        .split(separator: "\r\n", maxSplits: most, omittingEmptySubsequences: omits)
      #expect(two.map { $0.replacing("\r\n", with: ";") } == one.map(String.init))
    }
  }

  /// A member name of 900,000 marks, twice with the marks in another order: two names.
  @Test func aJSONNameOfMarksIsRead() throws {
    let text = #"{"\#(Self.one)": 1, "\#(Self.other)": 2, "end": 3}"#
    let value = try JSONValue.parse(text.utf8)
    #expect(value["end"]?.integer == 3)
    #expect(value[Self.other]?.integer == 2)
    #expect(try JSONValue.parse("{\"é\": 1, \"e\u{301}\": 2}".utf8)["e\u{301}"]?.integer == 2)
    #expect(value == value && value != JSONValue.object([]))
    #expect(Set([value]).contains(value))
    #expect(throws: JSONError.self) { try JSONValue.parse(#"{"\#(Self.one)": 1, "\#(Self.one)": 2}"#.utf8) }
    let found = try JSONSearch.find([JSONPath("$.end")], in: Array(text.utf8))
    #expect(found == [.value(.number("3"))])
  }

  /// A needle that nearly matches everywhere: the worst for a search that begins again.
  @Test func aSearchIsLinear() {
    let text = [UInt8](repeating: 0x61, count: 1 << 20)
    let needle = [UInt8](repeating: 0x61, count: 1 << 16) + [0x62]
    #expect(firstPlace(of: needle, in: text) == nil)
    #expect(firstPlace(of: needle, in: text + [0x62]) == text.count + 1 - needle.count)
  }

  /// The search against one that anybody can see through.
  @Test func aSearchFindsTheFirstPlace() {
    var dice = SeededDice(state: 7)
    for _ in 0..<3000 {
      let text = (0..<Int.random(in: 0...20, using: &dice)).map { _ in UInt8.random(in: 0...1, using: &dice) }
      let needle = (0..<Int.random(in: 0...5, using: &dice)).map { _ in UInt8.random(in: 0...1, using: &dice)
      }
      let places =
        needle.count > text.count
        ? []
        : (0...(text.count - needle.count)).filter {
          Array(text[$0..<($0 + needle.count)]) == needle
        }
      #expect(firstPlace(of: needle, in: text) == places.first, "\(needle) in \(text)")
    }
  }
}

/// A generator with the same numbers in every run.
private struct SeededDice: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}
