// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

/// Conditions as people write them, and as they mistake them.
struct ConditionSpellingTests {
  private func conditions(_ json: String) throws -> [Condition] {
    let text = oneCheck + "    expect: {json: {\(json)}}\n"
    guard case .http(let http) = try settings(text).checks[0].kind else { return [] }
    return http.expect.json.map(\.condition)
  }

  /// YAML's own quotes tell a text from a number, a boolean and null, and printing keeps it so.
  @Test(arguments: [
    ("1.5", Condition.OperandType.word, "1.5"), ("\"1.5\"", .string, "1.5"), ("'1.5'", .string, "1.5"),
    ("-0.5e3", .word, "-0.5e3"), ("true", .word, "true"), ("'true'", .string, "true"),
    ("null", .word, "null"), ("\"null\"", .string, "null"), ("ok", .string, "ok"), ("yes", .string, "yes"),
    ("'010'", .string, "010"), ("2026-01-04", .string, "2026-01-04"), ("1.2.3", .string, "1.2.3"),
    ("'~'", .string, "~"), ("''", .string, ""),
  ])
  func literalsKeepTheirType(yaml: String, type: Condition.OperandType, operand: String) throws {
    let wanted = Condition(.equal, operand, type: type)
    #expect(try conditions("$.x: \(yaml)") == [wanted])
    let printed = EffectiveConfig.print(try settings(oneCheck + "    expect: {json: {$.x: \(yaml)}}\n"))
    guard case .http(let again) = try settings(printed).checks[0].kind else { return }
    #expect(again.expect.json.map(\.condition) == [wanted], "\(printed)")
  }

  /// `!=` names the type of what it is held against, and keeps it when printed.
  @Test(arguments: [
    ("'!= 1.5'", Condition.OperandType.word, "1.5"), (#"'!= "1.5"'"#, .string, "1.5"),
    ("'!= null'", .word, "null"), ("'!= down'", .string, "down"), (#"'!= "down"'"#, .string, "down"),
  ])
  func differencesKeepTheirType(yaml: String, type: Condition.OperandType, operand: String) throws {
    let wanted = Condition(.notEqual, operand, type: type)
    #expect(try conditions("$.x: \(yaml)") == [wanted])
    let printed = EffectiveConfig.print(try settings(oneCheck + "    expect: {json: {$.x: \(yaml)}}\n"))
    guard case .http(let again) = try settings(printed).checks[0].kind else { return }
    #expect(again.expect.json.map(\.condition) == [wanted], "\(printed)")
  }

  /// Some readers of YAML take these for a number or a boolean and others do not: the writer has to say it.
  @Test(arguments: ["010", "+5", ".5", "5.", "True", "FALSE"])
  func whatMayBeEitherIsRefused(yaml: String) {
    let found = problems(oneCheck + "    expect: {json: {$.x: \(yaml)}}\n")
    #expect(found.count == 1)
    #expect(found.first?.contains("agent.yaml:5:") == true)
  }

  /// A key without a value is a mistake, also where null could be meant.
  @Test(arguments: ["", "~"]) func nothingIsNotNull(yaml: String) {
    let found = problems(oneCheck + "    expect:\n      json:\n        $.x: \(yaml)\n")
    #expect(found.count == 1)
    #expect(found.first?.contains("expect.json.$.x is empty") == true)
  }

  /// Operators of other languages are told apart from literals, with the spelling that is meant and the place.
  @Test(arguments: [
    ("== ok", "== ok is written ok"), ("= ok", "= ok is written ok"), ("=== ok", "=== ok is written ok"),
    ("==ok", "== ok is written ok"), ("=~ x", "=~ x is written ~ x"), ("=~x", "=~ x is written ~ x"),
    ("~= x", "~= x is written ~ x"), ("<> x", "<> x is written != x"), ("!== x", "!== x is written != x"),
    ("! x", "! x is written != x"), ("=< 5", "=< 5 is written <= 5"), ("=> 5", "=> 5 is written >= 5"),
    ("!=~ x", "!=~ x is written !~ x"),
  ])
  func otherSpellingsAreTold(text: String, hint: String) {
    for key in ["json: {$.x", "header: {x-a", "final_url", "http_version"] {
      let close = key.contains("{") ? "}" : ""
      let found = problems(oneCheck + "    expect: {\(key): \"\(text)\"\(close)}\n")
      #expect(found.count == 1, "\(key) \(found)")
      #expect(found.first?.contains("agent.yaml:5:") == true)
      #expect(found.first?.contains("which is no operator") == true, "\(found)")
      #expect(found.first?.contains(hint) == true, "\(found)")
    }
    let dns = """
      checks:
        - name: Zone
          type: dns
          query: {name: shop.example, type: TXT}
          expect: {answers: {any: ["\(text)"]}, count: "\(text)"}

      """
    let found = problems(dns)
    #expect(found.count == 2, "\(found)")
    #expect(found.allSatisfy { $0.contains(hint) }, "\(found)")
  }

  /// What only looks like an operator further in, or has a meaning of its own, stays a literal.
  @Test(arguments: ["a == b", "=", "==", "!", "!important", "=ok", "~user", "=?utf-8?q?x?="])
  func literalsStay(text: String) throws {
    #expect(try conditions("$.x: \"\(text)\"") == [Condition(.equal, text, type: .string)])
  }
}
