// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import QuartzAgent

/// `--tag`: which checks it chooses, and what is said of a tag that no check has.
@Suite struct TagChoiceTests {
  private func check(_ name: String, _ tags: [String], enabled: Bool = true) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.tags) = (name, "tcp", tags)
    (definition.host, definition.port, definition.enabled) = ("shop.example", 80, enabled)
    return try MonitoringCheck(definition)
  }

  private func problem<Value>(_ body: () throws -> Value) -> CommandFailure? {
    do { _ = try body() } catch { return error as? CommandFailure }
    return nil
  }

  /// One of several tags is enough; what is off is chosen only by its name.
  @Test(
    arguments: [
      (["web"], false, ["Shop"]), (["web"], true, ["Shop", "Off"]),
      (["db", "web"], false, ["Shop", "Base"]),
      (["tag:web"], false, ["Shop"]), (["tag:own"], false, ["Odd"]), (["own"], false, ["Plain"]),
      (["tag:web", "own"], false, ["Shop", "Plain"]), (["none", "db"], false, ["Base"]),
    ] as [([String], Bool, [String])])
  func chosen(tags: [String], named: Bool, names: [String]) throws {
    let checks = [
      try check("Shop", ["web", "eu"]), try check("Base", ["db"]), try check("Off", ["web"], enabled: false),
    ]
    // `tag:` may be part of a tag.
    let odd = tags == ["tag:own"] ? [try check("Odd", ["tag:own"])] : [try check("Plain", ["own"])]
    let choice = try TagChoice(tags, in: checks + odd)
    #expect(try choice.chosen(checks + odd, named: named).map(\.name) == names)
  }

  @Test func nothingIsChosen() throws {
    let off = try check("Off \"x\"", ["old"], enabled: false)
    let on = try check("Shop", ["web"])
    let choice = try TagChoice(["old", "web"], in: [off, on])
    let disabled = problem { try choice.chosen([off], named: false) }
    #expect(disabled?.message == "every check with the tag \"old\" or \"web\" is disabled")
    #expect(
      disabled?.hint
        == "one that is named runs all the same: quartz-agent once \(shellWord("Off \"x\""))")
    let other = try TagChoice(["old"], in: [off, on])
    let none = problem { try other.chosen([on], named: true) }
    #expect(none?.message == "none of the checks named has the tag \"old\"")
    #expect(none?.hint == "leave the names out, or --tag")
    #expect([disabled, none].map(\.?.status) == [64, 64])
  }

  /// Eight tags are named, the rest is counted; a tag that is nearly one of them is asked for.
  @Test(
    arguments: [
      ([], "no check has any; tags are given as 'tags: [team:shop]'"),
      (["b", "a"], "tags there are: a, b"),
      (
        ["h", "g", "f", "e", "d", "c", "b", "a"], "tags there are: a, b, c, d, e, f, g, h"
      ),
      (
        ["i", "h", "g", "f", "e", "d", "c", "b", "a"],
        "tags there are: a, b, c, d, e, f, g, h and 1 more"
      ),
      (["databases", "a"], "did you mean \"databases\"?"),
    ] as [([String], String)])
  func unknownTags(known: [String], hint: String) throws {
    let checks = try known.map { try check("Of \($0)", [$0]) } + [try check("Bare", [])]
    let found = problem { try TagChoice(["database"], in: checks) }
    #expect(found?.message == "no check of the configuration has the tag \"database\"")
    #expect(found?.hint == hint && found?.status == 64)
    #expect(problem { try TagChoice([], in: checks) } == nil)
  }
}
