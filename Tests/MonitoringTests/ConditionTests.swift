// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Monitoring

/// Conditions as they are read, and what is a number, a word and a text in them.
@Suite struct ConditionTests {
  /// An operator with a space behind it; everything else is a literal, and the whole of it.
  @Test(
    arguments: [
      ("ok", .equal, "ok"), ("", .equal, ""), ("~ ^a$", .matches, "^a$"), ("!~  b c", .notMatches, "b c"),
      ("!= x", .notEqual, "x"), ("< 1", .less, "1"), ("<= 2", .lessOrEqual, "2"), ("> 3", .greater, "3"),
      (">= 4", .greaterOrEqual, "4"), (">4", .equal, ">4"), ("~", .equal, "~"), (" ~ a", .equal, " ~ a"),
      ("~ ", .matches, ""), ("a ~ b", .equal, "a ~ b"),
    ] as [(String, Condition.Comparison, String)])
  func reading(text: String, comparison: Condition.Comparison, operand: String) {
    let condition = Condition(parsing: text)
    #expect(condition.comparison == comparison && condition.operand == operand)
    #expect(condition.type == .text)
  }

  @Test func operatorsOfKinds() {
    let patterns: Set<Condition.Comparison> = [.matches, .notMatches]
    let numeric: Set<Condition.Comparison> = [.less, .lessOrEqual, .greater, .greaterOrEqual]
    for comparison in Condition.Comparison.allCases {
      #expect(comparison.isPattern == patterns.contains(comparison), "\(comparison)")
      #expect(comparison.isNumeric == numeric.contains(comparison), "\(comparison)")
    }
  }

  /// Decimal numbers only.
  @Test(
    arguments: [
      ("5", 5), ("-5", -5), ("+1.5", 1.5), ("2e3", 2000), ("2E-1", 0.2), ("inf", nil), ("nan", nil),
      ("0x10", nil), ("", nil), (" 5", nil), ("5 ", nil), ("1e999", nil), ("1_000", nil), ("5s", nil),
    ] as [(String, Double?)])
  func numbers(text: String, number: Double?) {
    #expect(Condition.number(text) == number)
    #expect(Condition(.less, text).number == number)
  }

  /// A value of JSON has a type: quotes, in the file or behind the operator, make a text of it.
  @Test(
    arguments: [
      ("1.5", true, .equal, "1.5", .word, "1.5"), ("1.5", false, .equal, "1.5", .string, "\"1.5\""),
      ("true", true, .equal, "true", .word, "true"), ("null", false, .equal, "null", .string, "\"null\""),
      ("True", true, .equal, "True", .string, "True"), ("a b", true, .equal, "a b", .string, "a b"),
      ("!= 1.5", false, .notEqual, "1.5", .word, "!= 1.5"),
      ("!= \"1.5\"", true, .notEqual, "1.5", .string, "!= \"1.5\""),
      ("!= a", true, .notEqual, "a", .string, "!= a"), ("> 1", true, .greater, "1", .text, "> 1"),
      ("~ a", false, .matches, "a", .text, "~ a"), (" a", false, .equal, " a", .string, "\" a\""),
      ("\"a", false, .equal, "\"a", .string, "\"\\\"a\""),
    ] as [(String, Bool, Condition.Comparison, String, Condition.OperandType, String)])
  func typesOfJSON(
    text: String, isPlain: Bool, comparison: Condition.Comparison, operand: String,
    type: Condition.OperandType, shown: String
  ) {
    let condition = Condition(json: ConditionText(text, isPlain: isPlain))
    #expect(condition == Condition(comparison, operand, type: type))
    #expect(condition.description == shown)
  }

  /// Words of JSON, what some readers of YAML take for one, and texts.
  @Test(
    arguments: [
      ("5", true, false), ("-1.5e3", true, false), ("true", true, false), ("null", true, false),
      ("+5", false, true), (".5", false, true), ("5.", false, true), ("007", false, true),
      ("TRUE", false, true), ("Null", false, true), ("False", false, true), ("yes", false, false),
      ("a", false, false), ("", false, false), ("\"a\"", false, false), ("[]", false, false),
      (" 5", false, false), ("5s", false, false),
    ])
  func words(text: String, isWord: Bool, isAlmost: Bool) {
    #expect(Condition.isWord(text) == isWord)
    #expect(Condition.isAlmostWord(text) == isAlmost)
  }

  /// The mistakes of a condition each have a step to take.
  @Test func aStepToTake() {
    func hints(_ change: (inout CheckDefinition) -> Void) -> [String?] {
      var definition = CheckDefinition.http()
      change(&definition)
      do throws(InvalidCheck) {
        _ = try MonitoringCheck(definition)
        return []
      } catch { return error.problems.map(\.hint) }
    }
    #expect(
      hints { $0.expect.headers = [(name: "A", condition: ">=5")] }
        == ["write \">= 5\", or \"~ \" and a pattern for the literal"])
    #expect(hints { $0.expect.headers = [(name: "A", condition: "=~ a b")] } == ["=~ a b is written ~ a b"])
    #expect(hints { $0.expect.headers = [(name: "A", condition: "=> 5")] } == ["=> 5 is written >= 5"])
    #expect(hints { $0.expect.headers = [(name: "A", condition: "== 5")] } == ["== 5 is written 5"])
    #expect(hints { $0.expect.status = ["299-200"] } == ["write 200-299"])
    #expect(hints { $0.method = "Get" } == ["write GET"])
    #expect(hints { $0.type = "HTTP" } == ["write it in lower case: http"])
    #expect(
      hints { $0.http.body = Redacted("x") }
        == ["add method: POST, or method: GET where the server reads it"])
    #expect(hints { $0.id = "7" } == ["leave it out to have one derived from the name"])
    #expect(hints { $0.resource = "7" } == ["such as 0b8f1c9e-3d52-4a7b-8c11-5e6f7a8b9c0d"])
  }

  /// A pattern that does not compile is told with the compiler's words, wherever it stands.
  @Test func patternsAreCompiled() {
    let rule = PatternRule(problem: { $0.contains("(") ? "missing )" : nil }, byteProblem: { _ in nil })
    func problems(_ base: CheckDefinition, _ change: (inout CheckDefinition) -> Void) -> [String] {
      var definition = base
      change(&definition)
      do throws(InvalidCheck) {
        _ = try MonitoringCheck(definition, patterns: rule)
        return []
      } catch { return error.problems.map(\.message) }
    }
    let end = "is no regular expression: missing )"
    let http = CheckDefinition.http()
    #expect(problems(http) { $0.http.expect.bodyMatches = ["a", "("] } == ["expect.body.matches[1] \(end)"])
    #expect(problems(http) { $0.http.expect.bodyNotMatches = ["("] } == ["expect.body.not_matches[0] \(end)"])
    #expect(problems(http) { $0.expect.finalURL = "~ (" } == ["expect.final_url \(end)"])
    #expect(problems(http) { $0.expect.finalURL = "!~ (" } == ["expect.final_url \(end)"])
    #expect(problems(http) { $0.expect.finalURL = "(" } == [])
    #expect(
      problems(http) { $0.expect.json = [(path: "$.a", condition: ConditionText("~ ("))] }
        == ["expect.json.$.a \(end)"])
    let dns = CheckDefinition.dns(name: "a.example")
    #expect(problems(dns) { $0.expect.answersNone = ["~ ("] } == ["expect.answers.none[0] \(end)"])
    var step = DialogStepDefinition()
    step.expect = "~ ("
    #expect(
      problems(.tcp(host: "a", port: 1)) { $0.dialogSteps = [step] } == ["dialog[0].expect \(end)"])
  }

  /// One step of a dialog has one of four things, in pairs of digits where it is bytes.
  @Test func stepsOfADialog() {
    func problems(_ change: (inout DialogStepDefinition) -> Void) -> [String] {
      var (definition, step) = (CheckDefinition.tcp(host: "a", port: 1), DialogStepDefinition())
      change(&step)
      definition.dialogSteps = [step]
      do throws(InvalidCheck) {
        _ = try MonitoringCheck(definition)
        return []
      } catch { return error.problems.map(\.message) }
    }
    #expect(problems { _ in } == ["dialog[0] is empty"])
    #expect(
      problems { ($0.send, $0.expect) = (Redacted("a"), "b") } == ["dialog[0] has both send and expect"])
    #expect(
      problems { ($0.sendHex, $0.expectHex) = (Redacted("00"), "00") }
        == ["dialog[0] has both send_hex and expect_hex"])
    #expect(problems { $0.send = Redacted("") } == ["dialog[0].send is empty"])
    #expect(problems { $0.expect = "" } == ["dialog[0].expect is empty"])
    #expect(problems { $0.expect = "> 5" } == ["dialog[0].expect must be a literal or ~ and a pattern"])
    for (digits, isTaken) in [
      ("0d0a", true), ("0d 0A", true), ("0d0", false), ("0d 0", false), ("zz", false), ("", false),
      ("+1", false),
    ] {
      let send = problems { $0.sendHex = Redacted(digits) }
      let expect = problems { $0.expectHex = digits }
      let words = "must be pairs of hexadecimal digits"
      #expect(send == (isTaken ? [] : ["dialog[0].send_hex \(words)"]), "\(digits)")
      #expect(expect == (isTaken ? [] : ["dialog[0].expect_hex \(words)"]), "\(digits)")
    }
  }
}
