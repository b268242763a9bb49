// SPDX-License-Identifier: MIT

import Basics
import Testing

/// Escapes, words of a shell, secrets in texts, and what is cut off.
@Suite struct PlainTextRuleTests {
  /// Every byte but the unreserved ones of RFC 3986, section 2.3, and back again.
  @Test(
    arguments: [
      ("", ""), ("aZ09-._~", "aZ09-._~"), ("a b", "a%20b"), ("ä", "%C3%A4"), ("100%", "100%25"),
      ("&=+/?#:@", "%26%3D%2B%2F%3F%23%3A%40"), ("[`{", "%5B%60%7B"), ("\0\u{7f}", "%00%7F"),
    ])
  func escapes(text: String, escaped: String) {
    #expect(percentEncoded(text) == escaped)
    #expect(percentDecoded(escaped) == text)
  }

  @Test(
    arguments: [
      ("%c3%a4", "ä"), ("a+b", "a+b"), ("%41%7a", "Az"), ("%2525", "%25"), ("%", nil), ("a%2", nil),
      ("%zz", nil), ("%2g", nil), ("%ff", nil), ("%c3", nil), ("% 41", nil),
    ] as [(String, String?)])
  func whatIsEscaped(text: String, decoded: String?) { #expect(percentDecoded(text) == decoded) }

  /// What sh(1) would take apart, or take for something else, is quoted.
  @Test(
    arguments: [
      ("", "''"), ("plain", "plain"), ("a/b:c@d%e+f=g,h-i_j.k~l", "a/b:c@d%e+f=g,h-i_j.k~l"),
      ("~home", "'~home'"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("'", #"''\'''"#), ("$x", "'$x'"),
      ("a;b", "'a;b'"), ("a*", "'a*'"), ("\"", "'\"'"), ("`x`", "'`x`'"), ("é", "'é'"), ("a\nb", "'a\nb'"),
    ])
  func oneWordOfAShell(text: String, word: String) { #expect(shellWord(text) == word) }

  @Test func bytesAreTheSameOrNot() {
    #expect(equalInConstantTime([1, 2, 3], [1, 2, 3]))
    for other in [[9, 2, 3], [1, 9, 3], [1, 2, 9], [1, 2], [1, 2, 3, 1], []] as [[UInt8]] {
      #expect(!equalInConstantTime([1, 2, 3], other) && !equalInConstantTime(other, [1, 2, 3]), "\(other)")
    }
    #expect(!equalInConstantTime([1, 2, 1, 2], [1, 2]) && !equalInConstantTime([1, 2], [1, 2, 1, 2]))
    // No token is no token: it opens nothing.
    #expect(!equalInConstantTime([], []))
  }

  @Test(
    arguments: [
      ("", ""), (" \t ", ""), ("a", "a"), (" \ta b\t ", "a b"), ("a ", "a"), ("\ta", "a"), ("\na\r", "\na\r"),
      ("\u{a0}a", "\u{a0}a"),
    ])
  func blanksAtTheEnds(text: String, rest: String) { #expect(text.withoutBlanks == rest) }

  @Test func otherBytesAtTheEnds() {
    let bytes = Array("xxaxbxx".utf8)
    #expect(Array(bytes.trimmed { $0 == 0x78 }) == Array("axb".utf8))
    #expect(bytes.trimmed { _ in true }.isEmpty && Array(bytes.trimmed()) == bytes)
  }

  /// A secret that is too short is found in any text, and an empty one in each.
  @Test func secretsThatAreRepeated() {
    let known = KnownSecrets(["abc", "defg", ""], atLeast: 4)
    let texts = ["", "abc", "xdefg", "defgx", "xdefgx", "def"]
    #expect(texts.map { known.areRepeated(in: Array($0.utf8)) } == [false, false, true, true, true, false])
    #expect(KnownSecrets(["a", "bc"]).areRepeated(in: Array("xbcx".utf8)))
    #expect(KnownSecrets(["a", "bc"]).areRepeated(in: Array("xax".utf8)))
    #expect(!KnownSecrets([""], atLeast: 0).areRepeated(in: Array("x".utf8)))
    #expect(!KnownSecrets([]).areRepeated(in: Array("x".utf8)))
    // In the forms of a debug page as well: base64, hexadecimal, an escape of JSON.
    let forms = ["told UXpUb2s5YUI= so", "517A546F6B396142", #"\u0051zTok9aB"#, "qztok9ab"]
    #expect(
      forms.map { KnownSecrets(["QzTok9aB"]).areRepeated(in: Array($0.utf8)) } == [true, true, true, false])
  }

  /// Four columns more than the first line, at most half of the width; a line may be full.
  @Test func linesThatAreFolded() {
    let text = "  alpha beta gamma delta epsilon"
    #expect(text.folded(width: 20) == ["  alpha beta gamma", "      delta epsilon"])
    #expect(text.folded(width: 18) == ["  alpha beta gamma", "      delta", "      epsilon"])
    #expect(text.folded(width: 17) == ["  alpha beta", "      gamma delta", "      epsilon"])
    #expect(text.folded(width: 20, hanging: 0) == ["  alpha beta gamma", "delta epsilon"])
    #expect(text.folded(width: 12) == ["  alpha beta", "      gamma", "      delta", "      epsilon"])
    #expect(text.folded(width: 20, hanging: 15)[1] == "          delta")
    #expect("a  b   c".folded(width: 7, hanging: 1) == ["a  b", " c"])
    #expect("abcdefghij".folded(width: 4, hanging: 0) == ["abcdefghij"])
    #expect("abcdefghij".folded(width: 4, hanging: 0, breaksWords: true) == ["abcd", "efgh", "ij"])
  }

  /// Texts that look alike are cut in front of where they differ; where that looks like another text, a number
  /// makes the difference, and equal texts have one.
  @Test func cutsThatEndInANumber() {
    #expect(distinctCuts(["abcd-one-lmnop", "abcd-two-lmnop"], columns: 10) == ["…one-lmnop", "…two-lmnop"])
    #expect(
      distinctCuts(["abcd-one-lmnop", "short", "abcd-one-lmnop"], columns: 10)
        == ["abcd…lmnop", "short", "abcd…lmnop"])
    #expect(distinctCuts(["1234567890", "12345678901"], columns: 10) == ["1234567890", "1234…78901"])
    #expect(
      distinctCuts(["abcd…lmnop", "abcd-one-lmnop", "…", "abcd-one-lmnop"], columns: 10)
        == ["abcd…lmnop", "abcd-one…2", "…", "abcd-one…2"])
    #expect(
      distinctCuts(["aaaaaaaaaaaa", "aaaaaaaaaaaaa", "…", "…a"], columns: 5)
        == ["aaa…2", "aaa…3", "…", "…a"])
  }
}
