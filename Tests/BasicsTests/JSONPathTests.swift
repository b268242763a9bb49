// SPDX-License-Identifier: MIT

import Basics
import Testing

/// What a path may be, and what is said of one that is none.
@Suite struct JSONPathTests {
  private static let elsewhere = "must lead to one place: no wildcard, no .. and no filter"
  private static let noName = "has no name after a dot; write names with other characters as ['name']"
  private static let bracket = "must lead to one place: a bracket holds a quoted name or one index"
  private static let half = "has half a surrogate pair"

  @Test(
    arguments: [
      ("", "must start with $"), ("a", "must start with $"), ("@.a", "must start with $"),
      ("$a", "has a character after 0 segments that starts no segment"),
      ("$.a b", "has a character after 1 segments that starts no segment"), ("$..a", elsewhere),
      ("$.*", elsewhere),
      ("$.[0]", elsewhere), ("$.", noName), ("$.1", noName), ("$.-a", noName), ("$[*]", bracket),
      ("$[", bracket),
      ("$[a]", bracket), ("$[0", "has a bracket that is not closed"),
      ("$['a'", "has a bracket that is not closed"),
      ("$[0,1]", "has a bracket that is not closed"), ("$[01]", "has an index that is no whole number"),
      ("$[-0]", "has an index that is no whole number"), ("$[-]", "has an index that is no whole number"),
      ("$[9007199254740993]", "has an index that is no whole number"),
      ("$['a", "has a quoted name that is not closed"),
      ("$['a\u{1f}']", "has a quoted name that is not closed"),
      (#"$['\"#, "ends in a backslash"), (#"$['\q']"#, "has an unknown escape in a quoted name"),
      (#"$['\"']"#, "has an unknown escape in a quoted name"),
      (#"$['\u12']"#, #"has \u without four hexadecimal digits"#), (#"$['\ud83d']"#, half),
      (#"$['\ude42']"#, half), (#"$['\ud83dx']"#, half), (#"$['\ud83d\u0041']"#, half),
      (#"$['\ud83d\udbff']"#, half),
    ] as [(String, String)])
  func isNone(text: String, message: String) throws {
    let error = try #require(throws: JSONPath.Invalid.self) { try JSONPath(text) }
    #expect(error.message == message)
  }

  @Test(
    arguments: [
      ("$", []), ("$.a", [.name("a")]), ("$._1é", [.name("_1é")]), ("$[0][-1]", [.index(0), .index(-1)]),
      ("$[9007199254740992]", [.index(1 << 53)]), ("$[-9007199254740992]", [.index(-(1 << 53))]),
      (#"$['\'\"']"#, nil), (#"$['\'"']"#, [.name("'\"")]), (#"$["\"'"]"#, [.name("\"'")]),
      (#"$['\b\f\n\r\t\/\\']"#, [.name("\u{8}\u{c}\n\r\t/\\")]),
      (#"$['\u0041\ud800\udc00\udbff\udfff']"#, [.name("A\u{10000}\u{10ffff}")]),
      ("$.a[1]['b c']", [.name("a"), .index(1), .name("b c")]),
    ] as [(String, [JSONPath.Segment]?)])
  func segments(text: String, segments: [JSONPath.Segment]?) {
    #expect((try? JSONPath(text))?.segments == segments)
  }
}
