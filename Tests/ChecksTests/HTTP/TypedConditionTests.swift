// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import Checks

/// `expect.json`: a literal has the type it is written with.
struct TypedConditionTests {
  private static let body = #"{"s":"1.5","n":1.5,"t":true,"w":"true","z":null,"zs":"null","q":"\"","e":""}"#

  /// Quotes make a text, none make a number, a boolean or null; neither equals the other.
  @Test(arguments: [
    ("$.n", "1.5", true, true), ("$.n", "1.5", false, false), ("$.n", "1.50", true, true),
    ("$.s", "1.5", true, false), ("$.s", "1.5", false, true), ("$.s", "1.50", false, false),
    ("$.t", "true", true, true), ("$.t", "true", false, false), ("$.w", "true", true, false),
    ("$.w", "true", false, true), ("$.z", "null", true, true), ("$.z", "null", false, false),
    ("$.zs", "null", true, false), ("$.zs", "null", false, true), ("$.n", "null", true, false),
    ("$.e", "", false, true), ("$.z", "", false, false), ("$.q", "\"", false, true),
    // Behind != the operand says its type itself, however the whole is quoted.
    ("$.n", "!= 1.5", false, false), ("$.s", "!= 1.5", false, true), ("$.s", #"!= "1.5""#, true, false),
    ("$.n", #"!= "1.5""#, true, true), ("$.z", "!= null", false, false), ("$.zs", "!= null", false, true),
    ("$.w", #"!= "true""#, false, false), ("$.t", "!= true", true, false), ("$.w", "!= yes", true, true),
  ])
  func types(path: String, condition: String, isPlain: Bool, holds: Bool) throws {
    let judge = try Answer.json(Self.body).judged {
      $0.expect.json = [(path, ConditionText(condition, isPlain: isPlain))]
    }
    #expect(judge.verdict.reason == (holds ? .ok : .json), "\(judge.assertions)")
  }

  /// The words of an assertion tell a text from a number too.
  @Test func theExpectationShowsItsType() throws {
    let judge = try Answer.json(Self.body).judged {
      $0.expect.json = [("$.n", ConditionText("1.5", isPlain: false)), ("$.s", "1.5"), ("$.w", "no")]
    }
    #expect(judge.assertions.dropFirst().map(\.expected) == [#""1.5""#, "1.5", "no"])
    #expect(judge.assertions.dropFirst().map(\.actual) == ["1.5", #""1.5""#, #""true""#])
  }
}
