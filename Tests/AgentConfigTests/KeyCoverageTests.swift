// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import AgentConfig

/// No key is accepted and then ignored: giving any of them a value that is not its default changes the settings.
struct KeyCoverageTests {
  struct Leaf: Sendable, CustomTestStringConvertible {
    var path: [String]
    var testDescription: String { path.joined(separator: ".") }
  }

  /// Every key with a value of its own, as a path from the top; checks by type.
  static let settingLeaves: [Leaf] =
    leaves(
      KeyTable(
        keys: KeyTable.root.keys.filter { !["checks", "include", "templates", "defaults"].contains($0.name) }),
      [])
    + leaves(KeyTable(CheckDefaults.keys), ["defaults"])
  static let checkLeaves: [Leaf] = CheckType.allCases.flatMap { type in
    leaves(KeyTable.check.narrowed(to: type).without(["extends", "hosts"]), [type.rawValue])
  }

  /// Keys of one check alone, and a way to log in, which is taken as a whole.
  static let ownKeys = ["name", "id", "was", "type", "token", "auth"]

  static func leaves(_ table: KeyTable, _ path: [String]) -> [Leaf] {
    table.keys.flatMap { key -> [Leaf] in
      if case .map(let inner) = key.value { return leaves(inner, path + [key.name]) }
      return [Leaf(path: path + [key.name])]
    }
  }

  @Test func tablesAreWhole() {
    #expect(Self.settingLeaves.count >= 35 && Self.checkLeaves.count >= 80)
    let sections = [.root, KeyTable(QuartzSettings.keys), KeyTable(EgressSettings.keys)]
    for table in sections + CheckType.allCases.map(KeyTable.check.narrowed) {
      #expect(Set(table.keys.map(\.name)).count == table.keys.count)
      #expect(table.planned.isDisjoint(with: table.keys.map { ByteText($0.name) }))
    }
  }

  @Test(arguments: settingLeaves)
  func everySettingCounts(leaf: Leaf) throws {
    let base =
      switch leaf.path {
      case ["status", "read_token"], ["status", "hosts"], ["status", "socket"]:
        ["status.listen": "127.0.0.1:9797"]
      case ["discover"]: ["templates": "{t: {type: ping, host: \"${host}\"}}"]
      case let path where path.first == "alerts": KeySamples.alertsBase(path)
      case let path where path.first == "probe":
        ["probe.modules": "a.yml", "probe.token": "0123456789abcdef", "probe.allow": "[192.0.2.0/24]"]
      case let path where path.starts(with: ["status", "public"]):
        ["status.public.listen": "127.0.0.1:9898", "status.public.groups": "[shop]"]
      case let path where path.first == "group": KeySamples.groupBase(path)
      default: leaf.path.first == "quartz" ? KeySamples.quartzBase(leaf.path) : [:]
      }
    let value = try #require(
      KeySamples.settingValues[leaf.testDescription], "give the new key a value here and a reader")
    let without = try baseline(text(base.filter { $0.key != leaf.testDescription }) + oneCheck, orBase: base)
    let with = try settings(text(base.merging([leaf.testDescription: value]) { $1 }) + oneCheck)
    #expect(with != without)
  }

  @Test(arguments: checkLeaves)
  func everyCheckKeyCounts(leaf: Leaf) throws {
    let (type, path) = (leaf.path[0], leaf.path.dropFirst().joined(separator: "."))
    let value = try #require(
      KeySamples.checkValues["\(type):\(path)"] ?? KeySamples.checkValues[path],
      "give the new key a value here")
    // A type has no other value to change to; the definition cannot do without it.
    if path == "type" { return }
    let base = KeySamples.checkBases[type, default: [:]].merging(
      KeySamples.checkNeeds["\(type):\(path)"] ?? KeySamples.checkNeeds[path] ?? [:]
    ) { $1 }
    // Of these two a check has one.
    func flow(_ values: [String: String]) -> String {
      KeySamples.flow(values.filter { $0.key != "period" || values["cron"] == nil })
    }
    let group = path.hasPrefix("confirm.") ? KeySamples.ownPlace : ""
    let without = try settings(group + "checks:\n  - {\(flow(base))}\n")
    let with = try settings(group + "checks:\n  - {\(flow(base.merging([path: value]) { $1 }))}\n")
    #expect(with.checks != without.checks || with.maintenance != without.maintenance)
  }

  /// What a check may say, its type's defaults may say for it.
  @Test(arguments: checkLeaves.filter { !ownKeys.contains($0.path[1]) })
  func everyCheckKeyMayBeADefault(leaf: Leaf) throws {
    let (type, path) = (leaf.path[0], leaf.path.dropFirst().joined(separator: "."))
    let value = try #require(KeySamples.checkValues["\(type):\(path)"] ?? KeySamples.checkValues[path])
    var base = KeySamples.checkBases[type, default: [:]].merging(
      KeySamples.checkNeeds["\(type):\(path)"] ?? KeySamples.checkNeeds[path] ?? [:]
    ) { $1 }
    if path == "cron" || base["cron"] != nil { base["period"] = nil }
    base[path] = nil
    let group = path.hasPrefix("confirm.") ? KeySamples.ownPlace : ""
    let own = try settings(group + "checks:\n  - {\(KeySamples.flow(base.merging([path: value]) { $1 }))}\n")
    let inherited = try settings(
      group
        + "defaults: {\(type): {\(KeySamples.flow([path: value]))}}\nchecks:\n  - {\(KeySamples.flow(base))}\n"
    )
    #expect(inherited.checks == own.checks && inherited.maintenance == own.maintenance)
  }

  /// Without a required key there are no settings; the full set, or none at all, is then what to differ from.
  private func baseline(_ text: String, orBase base: [String: String]) throws(ConfigErrors) -> Settings {
    for candidate in [text, self.text(base) + oneCheck] {
      if let settings = try? settings(candidate) { return settings }
    }
    return try settings(oneCheck)
  }

  private func text(_ values: [String: String]) -> String {
    var sections: [String: [String: String]] = [:]
    var single = ""
    for (path, value) in values {
      let parts = path.split(separator: ".", maxSplits: 1)
      if parts.count == 1 {
        single += "\(path): \(value)\n"
        continue
      }
      sections[String(parts[0]), default: [:]][String(parts[1])] = value
    }
    return single
      + sections.sorted { $0.key < $1.key }.map { "\($0.key): {\(KeySamples.flow($0.value))}\n" }.joined()
  }
}
