// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

/// `extends` of a check: the names of templates, how many and how deep.
struct TemplateNamesTests {
  private let hint = "\n  hint: such as extends: web"

  private func check(_ extends: String) -> String {
    "checks:\n  - {name: A, type: tcp, host: a, port: 1, extends: \(extends)}\n"
  }

  /// What names no template is told once, and in words of its own, also where nothing at all is named.
  @Test(arguments: [
    "[]", "{}", "null", "~", "{web: web}", "[null]", "[web, null]", "[null, web]", "[web, [web]]",
    "[{a: web}, web]", "[[]]",
  ])
  func namesAreTexts(extends: String) {
    let text = "templates: {web: {retries: 1}}\n" + check(extends)
    #expect(
      problems(text) == [
        "agent.yaml:3:53: extends must be the name of a template, or a list of names" + hint
      ])
  }

  /// A name is a name also where it looks like something else.
  @Test(arguments: [
    ("web", 7), ("[web]", 7), ("\"web\"", 7), ("\"null\"", 8), ("1", 9), ("[web, 1]", 9), ("[1, web]", 7),
    ("[web, web]", 7),
  ])
  func aNameIsTaken(extends: String, retries: Int) throws {
    let text = "templates: {web: {retries: 7}, \"null\": {retries: 8}, \"1\": {retries: 9}}\n"
    #expect(try settings(text + check(extends)).checks.map(\.retries) == [retries])
  }

  @Test func aCheckNamesSixteen() throws {
    func text(_ count: Int) -> String {
      let names = (1...count).map { "t\($0)" }
      return "templates: {\(names.map { "\($0): {tags: [\($0)]}" }.joined(separator: ", "))}\n"
        + check("[\(names.joined(separator: ", "))]")
    }
    #expect(try settings(text(16)).checks.first?.tags.count == 16)
    #expect(
      problems(text(17)) == ["agent.yaml:3:53: extends names 17 templates, at most 16 are allowed"])
  }

  /// Each of them may extend another one.
  @Test func sixteenAreBelowOneAnother() throws {
    func text(_ count: Int) -> String {
      let templates = (1...count).map { number in
        let next = number < count ? ", extends: t\(number + 1)" : ", retries: 5"
        return "  t\(number): {tags: [t\(number)]\(next)}\n"
      }
      return check("t1") + "templates:\n" + templates.joined()
    }
    let deepest = try #require(try settings(text(16)).checks.first)
    #expect(deepest.retries == 5 && deepest.tags.count == 16)
    let found = problems(text(17))
    #expect(found.count == 1)
    #expect(found.first?.hasSuffix(": templates extend one another more than 16 deep") == true)
    #expect(found.first?.hasPrefix("agent.yaml:19:") == true)
  }

  /// A ring is told from its first member on; a name that is none with what is near.
  @Test func namesThatLeadNowhere() {
    let ring =
      "templates: {a: {extends: b}, b: {extends: [c]}, c: {extends: b}, d: {extends: d}, web: {retries: 1}}\n"
    #expect(
      problems(ring + check("a")) == [
        "agent.yaml:1:62: a template extends itself: \"b\" > \"c\" > \"b\"\n  hint: leave one of them out"
      ])
    #expect(
      problems(ring + check("d")) == [
        "agent.yaml:1:79: a template extends itself: \"d\" > \"d\"\n  hint: leave one of them out"
      ])
    #expect(
      problems(ring + check("wob")) == [
        "agent.yaml:3:53: extends names \"wob\", which is no template\n  hint: did you mean \"web\"?"
      ])
    #expect(
      problems(ring + check("[web, quite-another]")) == [
        "agent.yaml:3:59: extends names \"quite-another\", which is no template"
          + "\n  hint: templates are in the section of that name"
      ])
  }

  /// Templates are reached more than once without being a ring, and count once.
  @Test func aDiamondIsNoRing() throws {
    let text = """
      templates:
        base: {retries: 3, tags: [base]}
        left: {extends: base, retry_delay: 2s}
        right: {extends: base, retry_delay: 3s}

      """
    let check = try #require(try settings(text + check("[left, right]")).checks.first)
    #expect(check.retries == 3 && check.plan.retryDelay == .seconds(3))
    #expect(check.tags == ["base"])
  }

  /// Names of groups are tags, behind six bytes of their own.
  @Test func namesOfGroupsOfChecks() throws {
    func text(_ name: String) -> String {
      "groups:\n  - {name: \"\(name)\", checks: [{name: A, type: tcp, host: a, port: 1}]}\n"
    }
    let most = CheckLimits.tagBytes - 6
    #expect(try settings(text(String(repeating: "g", count: most))).checks.count == 1)
    for name in [String(repeating: "g", count: most + 1), "", "a\\u0007b"] {
      let found = problems(text(name))
      #expect(
        found.contains(
          "agent.yaml:2:6: a group's name must be 1 to \(most) bytes without control characters"))
    }
    let two = "groups:\n  - {name: G, checks: []}\n  - {name: H, checks: []}\n  - {name: G, checks: []}\n"
    #expect(
      problems(two + oneCheck) == [
        "agent.yaml:4:6: the group \"G\" is given twice\n  hint: put them together"
      ])
    #expect(
      problems("groups:\n  - {checks: []}\n" + oneCheck).contains(
        "agent.yaml:2:5: groups: name is missing\n  hint: such as name: Shop"))
  }
}
