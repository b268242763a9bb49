// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Testing

/// How many files, sources, labels and hosts there may be.
struct FoundLimitsTests {
  private func load(
    _ text: String, files: [String] = ["t.json"], content: String = "# nothing\n"
  ) throws(ConfigErrors) -> LoadedConfig {
    var sources = ConfigSources.test
    sources.files = ConfigFiles(
      expand: { pattern in pattern.contains("*") ? files : [pattern] },
      read: { _ throws(ConfigErrors) in Array(content.utf8) }, isThere: { _ in true })
    return try ConfigLoader.parse(text: text, file: "agent.yaml", sources: sources)
  }

  private func told(
    _ text: String, files: [String] = ["t.json"], content: String = "# nothing\n"
  ) -> [String] {
    do throws(ConfigErrors) {
      _ = try load(text, files: files, content: content)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  private let template = "templates: {port: {type: tcp, host: \"${host}\", port: 1}}\n"

  @Test func includedFilesAreBounded() throws {
    let names = (1...257).map { "f\($0).yaml" }
    let text = "include: [\"*.yaml\"]\n" + oneCheck
    #expect(try load(text, files: Array(names.prefix(256))).origin.files.count == 257)
    #expect(told(text, files: names) == ["agent.yaml:1:11: include names more than 256 files"])
    let nothing = "include must be the path of a file, or a pattern such as conf.d/*.yaml"
    #expect(told("include: [a.yaml, \"\"]\n" + oneCheck) == ["agent.yaml:1:19: " + nothing])
    #expect(told("include: [\"a\\0b\"]\n" + oneCheck) == ["agent.yaml:1:11: " + nothing])
  }

  /// Elsewhere `**` is any depth, here it would be one level, and the other files would not be read.
  @Test func patternsOfAnyDepth() {
    for (text, place, pattern) in [
      ("include: [\"a/**/*.yaml\"]\n" + oneCheck, "1:11: include", "a/**/*.yaml"),
      ("include: [a.yaml, \"**\"]\n" + oneCheck, "1:19: include", "**"),
      (template + "discover: [{file: \"t/**/*.json\", extends: port}]\n", "2:12: discover", "t/**/*.json"),
    ] {
      let words = told(text, files: ["a.yaml"]).filter { $0.contains("**") }
      #expect(words.count == 1 && words[0].hasPrefix("agent.yaml:\(place): \""), "\(words)")
      #expect(words[0].contains("\(pattern)\": ** does not go into folders of folders"))
      #expect(!words[0].contains("matches"))
    }
  }

  @Test func sourcesAreBounded() throws {
    func text(_ count: Int) -> String {
      let all = (1...count).map { "{file: t.json, extends: port, name: \"n\($0) ${target}\"}" }
      return template + "discover: [\(all.joined(separator: ", "))]\n"
    }
    let list = #"[{"targets": ["a.example"]}]"#
    let loaded = try load(text(32), content: list)
    #expect(loaded.settings.discover.count == 32 && loaded.settings.checks.count == 32)
    #expect(
      told(text(33), content: list) == [
        "agent.yaml:2:1: discover may list at most 32 sources, found 33"
      ])
    let some = template + "discover: [{file: \"*.json\", extends: port}]\n"
    let names = (1...257).map { "f\($0).json" }
    #expect(try load(some, files: Array(names.prefix(256)), content: "[]").origin.files.count == 257)
    #expect(
      told(some, files: names, content: "[]") == ["agent.yaml:2:12: discover names more than 256 files"])
    let tooLong = String(repeating: " ", count: DiscoverySource.mostBytes + 1)
    #expect(told(some, content: tooLong) == ["agent.yaml:2:12: discover: t.json has more than 4 MiB"])
  }

  /// Sixteen labels become tags, as far as each is no longer than a tag may be.
  @Test func labelsBecomeTags() throws {
    func tags(_ labels: [(String, String)]) throws -> [String] {
      let members = labels.map { "\"\($0.0)\": \"\($0.1)\"" }.joined(separator: ", ")
      let list = "[{\"targets\": [\"a.example\"], \"labels\": {\(members)}}]"
      let text = template + "discover: [{file: t.json, extends: port}]\n"
      return try load(text, content: list).settings.checks.first?.tags ?? ["none"]
    }
    let many = (1...17).map { ("l\($0)", "x") }
    #expect(try tags(many) == (1...16).map { "l\($0):x" })
    let longest = String(repeating: "v", count: 62)
    #expect(try tags([("a", longest), ("b", longest + "v"), ("c", "x")]) == ["a:" + longest, "c:x"])
    #expect(try tags([("__meta", "x"), ("_own", "y"), ("d", "$z")]) == ["_own:y"])
  }

  /// Targets that are left out of one list are named, fifty of them, and labels take none of these places.
  @Test func whatIsLeftOutIsWarnedOf() throws {
    let text = template + "discover: [{file: t.json, extends: port}]\n"
    func loaded(_ count: Int, labels: Int = 0) throws -> LoadedConfig {
      let targets = (0..<count).map { "\"\($0) x\"" }.joined(separator: ", ")
      let labels = (0..<labels).map { "\"l\($0)\": null" }.joined(separator: ", ")
      return try load(text, content: "[{\"targets\": [\(targets)], \"labels\": {\(labels)}}]")
    }
    func target(_ number: Int) -> String {
      "agent.yaml:2:12: t.json: \"\(number) x\" is no host, host:port or URL\n  hint: it is left out"
    }
    func label(_ number: Int) -> String {
      "agent.yaml:2:12: t.json: the label \"l\(number)\" must be a text, found null\n  hint: it is left out"
    }
    let some = try loaded(9, labels: 4)
    #expect(some.warnings.map(\.description) == (0..<9).map(target) + (0..<4).map(label))
    #expect(some.targetsLeftOut == 9)
    let many = try loaded(52, labels: 6)
    #expect(
      many.warnings.map(\.description)
        == (0..<50).map(target) + ["agent.yaml:2:12: t.json: 2 more targets left out"]
        + (0..<5).map(label) + ["agent.yaml:2:12: t.json: 1 more label left out"])
    #expect(many.targetsLeftOut == 52)
    // No port, which its check names.
    let named = text.replacing("port: 1", with: "port: \"${port}\"")
    #expect(try load(named, content: #"[{"targets": ["a.example", "b.example:1"]}]"#).targetsLeftOut == 1)
    #expect(try load(text, content: #"[{"targets": ["a.example", "b.example:1"]}]"#).targetsLeftOut == 0)
  }

  @Test func hostsAreBounded() {
    func hosts(_ list: String) -> [String] {
      told("checks:\n  - {name: \"A ${host}\", type: tcp, host: \"${host}\", port: 1, hosts: [\(list)]}\n")
    }
    let many = (1...10_001).map { "h\($0)" }.joined(separator: ", ")
    let found = hosts(many)
    #expect(found.count == 1)
    #expect(found.first?.hasSuffix(": hosts has 10001 entries, 1 to 10000 are possible") == true)
    #expect(hosts("").first?.hasSuffix(": hosts has 0 entries, 1 to 10000 are possible") == true)
    for item in ["[]", "{}", "null", "\"\""] {
      #expect(hosts("a, \(item)").first?.contains(": hosts must hold names or addresses, found ") == true)
    }
    #expect(hosts("a, b, c, b").first?.hasSuffix(": hosts names \"b\" twice") == true)
    #expect(hosts("a").isEmpty && hosts("a, b").isEmpty)
  }

  /// One host needs no word in the name; two do.
  @Test func namesOfSeveralHosts() {
    func hosts(_ list: String) -> [String] {
      told("checks:\n  - {name: Shop, type: tcp, host: \"${host}\", port: 1, hosts: [\(list)]}\n")
    }
    #expect(hosts("a").isEmpty)
    #expect(
      hosts("a, b") == [
        "agent.yaml:2:12: the checks of several hosts would all be called \"Shop\""
          + "\n  hint: put ${host} into the name, such as \"Shop ${host}\""
      ])
  }
}
