// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Monitoring

@Suite struct DependencyGraphTests {
  private func check(
    _ name: String, tags: [String] = [], on parents: [String] = [], enabled: Bool = true
  ) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type) = (name, "tcp")
    (definition.host, definition.port) = ("a.example", 443)
    (definition.plan.tags, definition.plan.dependsOn) = (tags, parents)
    definition.plan.enabled = enabled
    return try MonitoringCheck(definition)
  }

  private func rule(checks: [String] = [], tags: [String] = [], on parents: [String]) -> DependencyRule {
    var rule = DependencyRule()
    (rule.checks, rule.tags, rule.dependsOn) = (checks, tags, parents)
    return rule
  }

  /// A parent is named by its name, its id, or a tag; what has the tag does not depend on itself.
  @Test func parentsAreFoundByNameIDAndTag() throws {
    let gateway = try check("Gateway")
    let one = try check("Core 1", tags: ["core"])
    let two = try check("Core 2", tags: ["core"], on: ["tag:core"])
    let shop = try check("Shop", on: ["tag:core", gateway.id.description, "Gateway", "Nobody"])
    let graph = DependencyGraph([gateway, one, two, shop])
    #expect(graph.parents(of: shop.id).map(\.name) == ["Core 1", "Core 2", "Gateway"])
    #expect(graph.parents(of: two.id).map(\.name) == ["Core 1"])
    #expect(graph.parents(of: gateway.id).isEmpty && graph.cycle == nil)
  }

  /// A rule is for the checks it names, by name or id, and for those with its tags, beside what they say themselves.
  @Test func rulesAddToWhatChecksSay() throws {
    let (gateway, power) = (try check("Gateway"), try check("Power"))
    let till = try check("Till", tags: ["north"], on: ["Power"])
    let door = try check("Door")
    let graph = DependencyGraph(
      [gateway, power, till, door],
      rules: [rule(tags: ["north"], on: ["Gateway"]), rule(checks: [door.id.description], on: ["Till"])])
    #expect(graph.parents(of: till.id).map(\.name) == ["Power", "Gateway"])
    #expect(graph.ancestors(of: door.id).map(\.name) == ["Till", "Power", "Gateway"])
  }

  /// What is not probed is never down, so nobody hides behind it.
  @Test func aCheckThatIsOffIsNobodysParent() throws {
    let graph = DependencyGraph([try check("Gateway", enabled: false), try check("Shop", on: ["Gateway"])])
    #expect(graph.isEmpty)
  }

  /// The way round is told, and cut: nobody is his own excuse, and the others keep theirs.
  @Test func aWayRoundIsCutAndTold() throws {
    let list = [
      try check("A", on: ["B"]), try check("B", on: ["C"]), try check("C", on: ["A", "D"]), try check("D"),
    ]
    let graph = DependencyGraph(list)
    #expect(graph.cycle == ["A", "B", "C", "A"])
    #expect(graph.ancestors(of: list[0].id).map(\.name) == ["B", "C", "D"])
    #expect(graph.ancestors(of: list[2].id).map(\.name) == ["D"])
    for check in list { #expect(!graph.ancestors(of: check.id).contains(check)) }
  }

  /// Every check with a tag depends on every other: all is cut but a chain, and it takes no time worth speaking of.
  @Test func aTagThatDependsOnItselfIsCut() throws {
    let list = try (0..<2000).map { try check("c\($0)", tags: ["all"]) }
    let graph = DependencyGraph(list, rules: [rule(tags: ["all"], on: ["tag:all"])])
    #expect(graph.cycle != nil)
    for check in list { #expect(!graph.ancestors(of: check.id).contains(check)) }
    // Somebody is at the root.
    #expect(list.contains { graph.parents(of: $0.id).isEmpty })
  }

  /// A chain as long as the list needs no stack; 64 of it count.
  @Test func aLongChainIsFollowedAsFarAsItCounts() throws {
    let list = try (0..<5000).map { try check("c\($0)", on: $0 == 0 ? [] : ["c\($0 - 1)"]) }
    let graph = DependencyGraph(list)
    #expect(graph.cycle == nil)
    let ancestors = graph.ancestors(of: list[4999].id)
    #expect(ancestors.count == DependencyGraph.limit && ancestors.first?.name == "c4998")
  }
}
