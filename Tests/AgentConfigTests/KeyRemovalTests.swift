// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

/// `null` takes a key away that a check would inherit: every key of every type.
struct KeyRemovalTests {
  /// Whatever a default gives, `null` takes away: the check is as if nothing had been given, also below a key.
  @Test(arguments: KeyCoverageTests.checkLeaves.filter { !KeyCoverageTests.ownKeys.contains($0.path[1]) })
  func everyCheckKeyMayBeTakenAway(leaf: KeyCoverageTests.Leaf) throws {
    let (type, path) = (leaf.path[0], leaf.path.dropFirst().joined(separator: "."))
    let value = try #require(KeySamples.checkValues["\(type):\(path)"] ?? KeySamples.checkValues[path])
    var base = KeySamples.checkBases[type, default: [:]].merging(
      KeySamples.checkNeeds["\(type):\(path)"] ?? KeySamples.checkNeeds[path] ?? [:]
    ) { $1 }
    // What is taken away was not the check's own.
    base[path] = nil
    let group = path.hasPrefix("confirm.") ? KeySamples.ownPlace : ""
    let bare = "checks:\n  - {\(KeySamples.flow(base))}\n"
    guard let without = try? settings(group + bare) else {
      // A check cannot do without it: with `null` it lacks the key as well.
      let given = group + "defaults: {\(type): {\(KeySamples.flow([path: value]))}}\n"
      let taken = given + "checks:\n  - {\(KeySamples.flow(base.merging([path: "null"]) { $1 }))}\n"
      #expect(throws: ConfigErrors.self) { try settings(taken) }
      return
    }
    var keys = [path]
    // Also with the map that it is in, where the check has nothing else of that map.
    if let map = path.split(separator: ".").first.map(String.init), map != path,
      !base.keys.contains(where: { $0.hasPrefix(map + ".") })
    {
      keys.append(map)
    }
    // What a value brings along goes with it.
    let more = value.split(separator: ", ").dropFirst().compactMap {
      $0.split(separator: ":").first.map(String.init)
    }
    let others = Dictionary(uniqueKeysWithValues: path == "method" ? more.map { ($0, "null") } : [])
    for key in keys {
      let taken = try settings(
        group + "defaults: {\(type): {\(KeySamples.flow([path: value]))}}\n"
          + "checks:\n  - {\(KeySamples.flow(base.merging(others.merging([key: "null"]) { $1 }) { $1 }))}\n")
      #expect(taken.checks == without.checks && taken.maintenance == without.maintenance, "\(key)")
    }
  }

  /// Also where a nearer place has the key again: maps and tags that were taken away in between do not come back.
  @Test func whatIsTakenAwayInBetweenStaysAway() throws {
    let loaded = try settings(
      """
      templates:
        far: {type: http, url: "http://a/", tags: [x], headers: {a: "1"}, expect: {status: 204, header: {x: y}, json: {$.a: 1}}}
        between: {extends: far, tags: null, headers: null, expect: {status: null, header: null}}
        near: {extends: between, tags: [z], headers: {b: "2"}, expect: {header: {k: l}}}
      groups:
        - {name: G, tags: [g], checks: [{name: A, extends: near, tags: [own]}, {name: B, extends: between}]}
      """)
    func check(_ name: String) throws -> MonitoringCheck {
      try #require(loaded.checks.first { $0.name == name })
    }
    let a = try check("A")
    guard case .http(let http) = a.kind else {
      Issue.record("\(a.kind)")
      return
    }
    #expect(a.plan.tags == ["own", "z"])
    #expect(http.headers.map(\.name) == ["b"])
    #expect(http.expect.status == [200...299])
    #expect(http.expect.headers.map(\.name) == ["k"] && http.expect.json.count == 1)
    #expect(try check("B").plan.tags == [])
  }
}
