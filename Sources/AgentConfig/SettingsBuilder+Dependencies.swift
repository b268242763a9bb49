// SPDX-License-Identifier: MIT

import Basics
import Monitoring

// depends_on, dependencies
extension SettingsBuilder {
  /// The rules of the section. Names in them and in `depends_on` of the checks are judged here: an unknown parent would
  /// have no effect.
  mutating func dependencies(_ checks: [(check: MonitoringCheck, map: GivenMap)]) -> [DependencyRule] {
    let list = root["dependencies"]?.list ?? []
    guard list.count <= DependencyRule.limit else {
      walk.problem(
        root.position(of: ["dependencies"]),
        "dependencies may list at most \(DependencyRule.limit) rules, found \(list.count)")
      return []
    }
    let isUsed = !list.isEmpty || checks.contains { !$0.check.plan.dependsOn.isEmpty }
    guard isUsed else { return [] }
    let known = knownChecks(checks.map(\.check))
    var rules: [DependencyRule] = []
    for item in list {
      guard case .map(let map) = item.value else { continue }
      let rule = DependencyRule(map, &walk.reader)
      judge(rule, map, known)
      rules.append(rule)
    }
    for (check, map) in checks {
      parents(check.plan.dependsOn, map, known, of: check.name)
    }
    if let cycle = DependencyGraph(checks.map(\.check), rules: rules).cycle {
      let first = checks.first { $0.check.name == cycle.first && !$0.check.plan.dependsOn.isEmpty }
      walk.problem(
        first?.map.position(of: ["depends_on"]) ?? root.position(of: ["dependencies"]),
        "dependencies go round: \(cycle.map(quoted).joined(separator: " -> "))",
        hint: "nothing can depend on itself: leave one of them out")
    }
    return rules
  }

  private mutating func judge(_ rule: DependencyRule, _ map: GivenMap, _ known: KnownChecks) {
    for (name, entries) in [("checks", rule.checks), ("tags", rule.tags)]
    where entries.count > DependencyRule.entries {
      walk.problem(
        map.position(of: [name]),
        "\(name) has \(entries.count) entries, at most \(DependencyRule.entries) are allowed")
    }
    if rule.checks.isEmpty, rule.tags.isEmpty, map["checks"] == nil, map["tags"] == nil {
      walk.problem(
        map.position, "the dependency matches no checks", hint: "set checks or tags")
    }
    for (index, name) in rule.checks.enumerated() where !map.isInvalid(["checks", String(index)]) {
      let position = map.position(of: ["checks", String(index)])
      if let problem = known.problem(name, "checks") { say(problem, position, known) }
    }
    for (index, tag) in rule.tags.enumerated() where !map.isInvalid(["tags", String(index)]) {
      warnOfTag(tag, map.position(of: ["tags", String(index)]), "tags", known)
    }
    if rule.dependsOn.isEmpty, !map.isInvalid(["depends_on"]) {
      walk.problem(
        map.position(of: ["depends_on"]), "depends_on is \(map["depends_on"] == nil ? "missing" : "empty")",
        hint: "name the check without which these cannot work, such as their gateway's")
    }
    parents(rule.dependsOn, map, known, of: nil)
  }

  /// The words of one `depends_on`.
  private mutating func parents(
    _ words: [String], _ map: GivenMap, _ known: KnownChecks, of name: String?
  ) {
    if words.count > DependencyRule.entries {
      walk.problem(
        map.position(of: ["depends_on"]),
        "depends_on has \(words.count) entries, at most \(DependencyRule.entries) are allowed")
    }
    for (index, word) in words.enumerated() where !map.isInvalid(["depends_on", String(index)]) {
      let position = map.position(of: ["depends_on", String(index)])
      if let tag = DependencyRule.tag(in: word) {
        warnOfTag(tag, position, "depends_on", known)
      } else if word == name {
        walk.problem(position, "depends_on names the check itself")
      } else if let problem = known.problem(word, "depends_on", mustRun: true) {
        say(problem, position, known)
      }
    }
  }

  /// Where checks are discovered, a name may be that of one that is gone or will come.
  mutating func say(
    _ problem: (message: String, hint: String?), _ position: Position, _ known: KnownChecks
  ) {
    if known.mayDiscover {
      walk.warn(position, problem.message, hint: problem.hint)
    } else {
      walk.problem(position, problem.message, hint: problem.hint)
    }
  }

  /// Only a warning: a check with it may come later, or from the API.
  mutating func warnOfTag(_ tag: String, _ position: Position, _ key: String, _ known: KnownChecks) {
    guard !known.hasOthers, !known.tags.contains(ByteText(tag)) else { return }
    walk.warn(
      position, "\(key) names a tag that no check has: \(quoted(tag))",
      hint: nearest(to: tag, among: known.tags.map(\.text).sorted()).map { "did you mean \"\($0)\"?" })
  }
}
