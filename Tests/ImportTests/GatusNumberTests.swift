// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// Numbers of Gatus, and conditions that have their placeholder on the right.
@Suite struct GatusNumberTests {
  /// Go's ParseInt of base 0: the prefix is the base, and a 0 in front makes it octal.
  @Test(
    arguments: [
      ("0", 0), ("00", 0), ("7", 7), ("010", 8), ("0777", 511), ("-010", -8), ("+010", 8), ("08", nil),
      ("019", nil), ("0o17", 15), ("0O17", 15), ("0x1F", 31), ("0Xff", 255), ("-0x10", -16), ("0b101", 5),
      ("0B11", 3), ("100", 100), ("+5", 5), ("-5", -5), ("--5", nil), ("+-5", nil), ("", nil), ("-", nil),
      ("0x", nil), ("0b2", nil), ("0o8", nil), ("1a", nil), ("1.0", nil), (" 1", nil),
    ] as [(String, Int?)])
  func integers(text: String, number: Int?) { #expect(GatusNumber.integer(text) == number, "\(text)") }

  /// A span of time in milliseconds, an integer, or a number whose fraction is cut; others are no numbers.
  @Test(
    arguments: [
      ("500", 500), ("010", 8), ("08", 8), ("0x10", 16), ("2s", 2000), ("1.5s", 1500), ("1m30s", 90_000),
      ("48h", 172_800_000), ("250ms", 250), ("1.9", 1), ("-1.9", -1), ("-5", -5), ("1e3", 1000),
      ("999999999999999", 999_999_999_999_999), ("1000000000000000", nil),
      ("-999999999999999", -999_999_999_999_999),
      ("-1000000000000000", nil), ("999999999999999.5", 999_999_999_999_999), ("1e15", nil), ("2d", nil),
      ("1w", nil), ("1y", nil), ("", nil), ("abc", nil), ("inf", nil), ("nan", nil), ("5x", nil),
    ] as [(String, Int?)])
  func comparedNumbers(text: String, number: Int?) {
    #expect(GatusNumber.compared(text) == number, "\(text)")
  }

  /// A placeholder on the right: what is smaller than it, it is greater than. Equality stays as it is.
  @Test(arguments: [
    ("<", ">"), (">", "<"), ("<=", ">="), (">=", "<="), ("==", "=="), ("!=", "!="),
  ])
  func bothSides(written: String, turned: String) throws {
    let left = try GatusCondition("[BODY].a \(written) 5")
    #expect(left.placeholder == "[BODY]" && left.path == "a" && left.function == .none)
    #expect(left.operation == written && left.right == "5")
    let right = try GatusCondition("5 \(written) len([body].a)")
    #expect(right.placeholder == "[BODY]" && right.path == "a" && right.function == .length)
    #expect(right.operation == turned && right.right == "5")
  }

  /// Those of 4 to 9 that meet a condition, by hand.
  private static let sets: [(condition: String, numbers: [Int])] = [
    ("[STATUS] < 7", [4, 5, 6]), ("7 < [STATUS]", [8, 9]), ("[STATUS] <= 7", [4, 5, 6, 7]),
    ("7 <= [STATUS]", [7, 8, 9]), ("[STATUS] > 7", [8, 9]), ("7 > [STATUS]", [4, 5, 6]),
    ("[STATUS] >= 7", [7, 8, 9]), ("7 >= [STATUS]", [4, 5, 6, 7]), ("[STATUS] == 7", [7]),
    ("7 == [STATUS]", [7]), ("7 != [STATUS]", [4, 5, 6, 8, 9]), ("[STATUS] == 07", [7]),
    ("[STATUS] < 010", [4, 5, 6, 7]), ("010 > [STATUS]", [4, 5, 6, 7]), ("010 <= [STATUS]", [8, 9]),
    ("[STATUS] == 010", [8]), ("010 == [STATUS]", [8]), ("[STATUS] != 0x8", [4, 5, 6, 7, 9]),
    ("[STATUS] == any(5, 07, 8)", [5, 8]), ("any(5, 6) != [STATUS]", [4, 7, 8, 9]),
    ("[STATUS] == pat([5-6])", [5, 6]), ("[STATUS] != pat([^5-6])", [5, 6]),
    ("pat(?) == [STATUS]", [4, 5, 6, 7, 8, 9]), ("[STATUS] == pat([)", []),
    ("[STATUS] != pat([)", [4, 5, 6, 7, 8, 9]), ("[STATUS] == x", []), ("[STATUS] != x", [4, 5, 6, 7, 8, 9]),
    ("[STATUS] < 6.9", [4, 5]),
  ]

  @Test(arguments: GatusNumberTests.sets.indices) func numbersThatMeetIt(_ row: Int) throws {
    let (text, numbers) = Self.sets[row]
    let condition = try GatusCondition(text)
    let holds = try #require(condition.ofNumbers())
    #expect((4...9).filter(holds) == numbers, "\(text)")
    #expect((4...9).filter { condition.holds(String($0)) == true } == numbers, "\(text)")
  }

  @Test(
    arguments: [
      ("[BODY] == 010", "8", true), ("[BODY] == 8", "010", true), ("[BODY] == 08", "8", false),
      ("[BODY] == 08", "08", true), ("[BODY] != 08", "8", true), ("[BODY] == 0x8", "0b1000", true),
      ("[BODY] < 2s", "1999", true), ("[BODY] < 2s", "2000", false), ("[BODY] <= 2s", "2000", true),
      ("2s > [BODY]", "1999", true), ("2s < [BODY]", "1999", false), ("[BODY] < x", "1", nil),
      ("[BODY] < 5", "x", nil), ("[BODY] == x", "x", true), ("[BODY] == x", "X", false),
      ("[BODY] != x", "x", false), ("[BODY] == any(8, x)", "010", false), ("[BODY] == any(8, x)", "x", true),
      ("[BODY] != any(8, x)", "x", false), ("[BODY] == pat(a*)", "ab", true),
      ("[BODY] == pat([)", "[", false),
      ("[BODY] != pat([)", "[", true),
    ] as [(String, String, Bool?)])
  func textsThatMeetIt(condition: String, value: String, isMet: Bool?) throws {
    #expect(try GatusCondition(condition).holds(value) == isMet, "\(condition) of \(value)")
  }

  @Test(
    arguments: [
      ("has([BODY].a) == true", true), ("has([BODY].a) == false", false), ("has([BODY].a) != true", false),
      ("has([BODY].a) != false", true), ("true == has([BODY].a)", true), ("false != has([BODY].a)", true),
      ("has([BODY].a) == 1", nil), ("has([BODY].a) > true", nil), ("has([BODY].a) == TRUE", nil),
    ] as [(String, Bool?)])
  func flags(condition: String, flag: Bool?) throws {
    let read = try GatusCondition(condition)
    #expect(read.flag == flag && read.function == .has, "\(condition)")
  }

  private func why(_ text: String) -> String? {
    do throws(GatusCondition.Unreadable) {
      _ = try GatusCondition(text)
      return nil
    } catch { return error.why }
  }

  @Test func whatIsNoCondition() {
    let unknown = "Gatus knows no such condition"
    for text in ["", "[STATUS]", "[STATUS]==1", "[STATUS] =1", "[STATUS] = 1", "==", " == "] {
      #expect(why(text) == (text == " == " ? "it has no placeholder that is known" : unknown), "\(text)")
    }
    #expect(why("[STATUS] == 1 == 2") == "it compares more than two values")
    #expect(why("[STATUS] < 1 < 2") == "it compares more than two values")
    #expect(why("[STATUS] == [BODY]") == "two values of the answer are not compared with one another")
    #expect(why("[CONTEXT].a == [STATUS]") == "two values of the answer are not compared with one another")
    #expect(why("[NOTHING] == 1") == "it has no placeholder that is known")
    #expect(why("[CONTEXT].a == 1") == nil && why("  [status]   ==   1 ") == nil)
  }

  private static let any = "expect:\n  status: any"

  /// In the file they mean the same as with the placeholder on the left.
  @Test(
    arguments: [
      (["300 > [STATUS]", "200 <= [STATUS]"], "expect:\n  status: [200-299]"),
      (["0310 == [STATUS]"], "expect:\n  status: [200]"),
      (["[STATUS] >= 0310", "[STATUS] <= 0454"], "expect:\n  status: [200-300]"),
      (["500 > [RESPONSE_TIME]", "[CONNECTED] == true"], "\(any)\n  response_time:\n    fail: 500ms"),
      (["500 >= [RESPONSE_TIME]", "[CONNECTED] == true"], "\(any)\n  response_time:\n    fail: 501ms"),
      (["48h < [CERTIFICATE_EXPIRATION]"], "\(any)\n  certificate:\n    fail: 2d\n    warn: 2d"),
      (["5 <= [BODY].a"], "\(any)\n  json:\n    \"$.a\": \">= 5\""),
      (["5 < [BODY].a"], "\(any)\n  json:\n    \"$.a\": \">= 6\""),
      (["5 > [BODY].a", "[CONNECTED] == true"], "\(any)\n  json:\n    \"$.a\": \"< 5\""),
      // A number is cut to a whole one before it is compared: 5.9 is 5.
      (["5 >= [BODY].a", "[CONNECTED] == true"], "\(any)\n  json:\n    \"$.a\": \"< 6\""),
    ] as [([String], String)])
  func turnedConditions(conditions: [String], expect: String) throws {
    #expect(try GatusConditionTests.outcome(conditions).expect == expect, "\(conditions)")
  }
}
