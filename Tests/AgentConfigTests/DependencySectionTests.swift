// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

struct DependencySectionTests {
  private func file(_ section: String, shop: String = "", more: String = "") -> String {
    """
    \(section)
    checks:
      - {name: Gateway, type: ping, host: 192.0.2.1\(more)}
      - {name: Shop, type: tcp, host: shop.internal, port: 443, tags: [north]\(shop)}

    """
  }

  @Test func whatIsPrintedReadsBackTheSame() throws {
    let first = try settings(
      file(
        "dependencies: [{tags: [north], checks: [Gateway], depends_on: [\"tag:core\"]}]",
        shop: ", depends_on: [Gateway], strict_downtime: true"))
    #expect(first.dependencies.map(\.dependsOn) == [["tag:core"]])
    #expect(first.checks[1].plan.dependsOn == ["Gateway"] && first.checks[1].plan.strictDowntime)
    #expect(try settings(EffectiveConfig.print(first)) == first)
  }

  @Test(arguments: [
    (
      ", depends_on: [Gatewey]",
      "agent.yaml:4:89: depends_on names \"Gatewey\", which is no check of this file\n  hint: did you mean \"Gateway\"?"
    ),
    (", depends_on: [Shop]", "agent.yaml:4:89: depends_on names the check itself"),
    (
      ", depends_on: [\"\"]",
      "agent.yaml:4:89: depends_on[0] is empty\n  hint: a check's name or id, or tag: and a tag"
    ),
    (", depends_on: [Gateway, Gateway]", "agent.yaml:4:98: depends_on[1] repeats \"Gateway\""),
  ])
  func whatNobodyIsIsAnError(shop: String, problem: String) {
    #expect(problems(file("limits: {}", shop: shop)) == [problem])
  }

  @Test func aParentThatIsOffIsAnError() {
    #expect(
      problems(file("limits: {}", shop: ", depends_on: [Gateway]", more: ", enabled: false"))
        .first?.contains("which is not enabled") == true)
  }

  /// The path is shown, at the first of its checks.
  @Test func aWayRoundIsAnErrorWithItsPath() {
    let found = problems(file("limits: {}", shop: ", depends_on: [Gateway]", more: ", depends_on: [Shop]"))
    #expect(found.count == 1)
    #expect(found.first?.contains("dependencies go round: \"Gateway\" -> \"Shop\" -> \"Gateway\"") == true)
    let ruled = problems(
      file("dependencies: [{tags: [north], depends_on: [Gateway]}]", more: ", depends_on: [Shop]"))
    #expect(ruled.count == 1 && ruled.first?.hasPrefix("agent.yaml:3:") == true)
  }

  @Test(arguments: [
    ("{depends_on: [Gateway]}", "the dependency matches no checks"),
    ("{tags: [north]}", "depends_on is missing"),
    ("{tags: [north], depends_on: []}", "depends_on is empty"),
    ("{checks: [Shup], depends_on: [Gateway]}", "checks names \"Shup\""),
  ])
  func aRuleNeedsBothItsSides(rule: String, problem: String) {
    let found = problems(file("dependencies: [\(rule)]"))
    #expect(found.count == 1 && found.first?.contains(problem) == true, "\(found)")
  }

  /// 64 entries of each list, and one problem for the list that has more.
  @Test(arguments: ["checks", "tags", "depends_on"]) func listsAreBounded(key: String) {
    func told(_ count: Int) -> [String] {
      let others = ["checks", "tags", "depends_on"].filter { $0 != key }.map { "\($0): [Gateway]" }
      let list = (0..<count).map { "a\($0)" }.joined(separator: ", ")
      let rule = (others + ["\(key): [\(list)]"]).joined(separator: ", ")
      return problems(file("dependencies: [{\(rule)}]")).filter { $0.contains(" entries, at most ") }
        .map { String($0.split(separator: ": ", maxSplits: 1)[1]) }
    }
    #expect(told(64) == [])
    #expect(told(65) == ["\(key) has 65 entries, at most 64 are allowed"])
  }

  /// What is of the wrong type is not missing, too.
  @Test func aListOfAnotherTypeIsOneProblem() {
    let found = problems(file("dependencies: [{tags: [north], depends_on: {a: 1}}]"))
    #expect(found.count == 1 && found.first?.contains("depends_on") == true, "\(found)")
    #expect(found.first?.contains("depends_on is ") == false, "\(found)")
  }

  /// A check with the tag may come later.
  @Test func aTagThatNobodyHasIsAWarning() throws {
    let text = file("dependencies: [{tags: [nort], depends_on: [\"tag:core\"]}]")
    #expect(try warnings(text).count == 2)
    #expect(try warnings(text).first?.contains("did you mean \"north\"?") == true)
  }

  /// Names of the API's checks are known later.
  @Test func withAPullNamesAreTakenOnTrust() throws {
    let text = file(
      "quartz: {url: \"https://q.example/v1\", api_key: x, checks: {pull: true}}",
      shop: ", depends_on: [Uplink]")
    #expect(problems(text) == [])
  }
}
