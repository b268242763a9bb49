// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Monitoring

/// Operators of other languages at the start of a condition.
@Suite struct MisspellingTests {
  /// A sign, what stands behind it, and the operator that is meant; none where nothing stands behind it.
  @Test(
    arguments: [
      ("= 5", ["=", "5", "="]), ("==  5", ["==", "5", "="]), ("==5", ["==", "5", "="]),
      ("=~a", ["=~", "a", "~"]),
      ("!== a", ["!==", "a", "!="]), ("<>a", ["<>", "a", "!="]), ("=<5", ["=<", "5", "<="]),
      ("=>5", ["=>", "5", ">="]), ("! a", ["!", "a", "!="]), ("!=~a", ["!=~", "a", "!~"]),
      ("=", nil), ("==", nil), ("=~", nil), ("~=", nil), ("<>", nil), ("=<", nil), ("=>", nil), ("!", nil),
      ("=5", nil), ("a == 5", nil), ("", nil),
    ] as [(String, [String]?)])
  func signs(text: String, parts: [String]?) {
    let found = Condition.misspelling(of: text)
    #expect(found.map { [$0.sign, $0.rest] } == parts.map { Array($0.prefix(2)) })
    let meant: [String: Condition.Comparison] = [
      "=": .equal, "!=": .notEqual, "~": .matches, "!~": .notMatches, "<=": .lessOrEqual,
      ">=": .greaterOrEqual,
    ]
    #expect(found?.meant == parts.flatMap { meant[$0[2]] })
  }
}
