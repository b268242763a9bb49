// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Testing

/// Values of a list of targets that are no text.
@Suite struct TargetValuesTests {
  @Test func scalarsAreLabelsAndOthersAreNamed() throws {
    let list = try TargetList(
      json: Array(
        """
        [{"targets": ["127.0.0.1:18080", 5, true, null, ["a"]],
          "labels": {"team": 7, "ok": true, "env": "x", "none": null, "list": [1], "map": {}}}]
        """.utf8))
    #expect(list.targets.map(\.address) == ["127.0.0.1:18080"])
    #expect(list.targets[0].labels.map { "\($0.name)=\($0.value)" } == ["team=7", "ok=true", "env=x"])
    #expect(
      list.omissions == [
        "5 is no host, host:port or URL", "true is no host, host:port or URL",
        "null is no host, host:port or URL", "a list is no host, host:port or URL",
        "the label \"none\" must be a text, found null", "the label \"list\" must be a text, found a list",
        "the label \"map\" must be a text, found a map",
      ])
    #expect(list.leftOut == 4 && list.labelsLeftOut == 3)
    let labels = try TargetList(json: Array(#"[{"targets": ["a:1"], "labels": ["x"]}]"#.utf8))
    #expect(labels.skippedLabels == ["labels must be a map, found a list"] && labels.targets.count == 1)
  }

  /// The same in YAML, of a file on the disk; and a pattern that matches nothing.
  @Test func whatIsLeftOutIsNamed() throws {
    var sources = ConfigSources.test
    sources.files = ConfigFiles(
      expand: { $0.contains("*") ? [] : [$0] },
      read: { _ throws(ConfigErrors) in
        Array("- targets: [a.example:1, [b], {c: 1}, null]\n  labels: {team: 7, list: [1], none: ~}\n".utf8)
      }, isThere: { _ in true })
    func warned(_ file: String) throws -> [String] {
      let text = """
        templates: {port: {type: tcp, host: "${host}", port: 1}}
        discover: [{file: "\(file)", extends: port}]

        """
      return try ConfigLoader.parse(text: text, file: "agent.yaml", sources: sources).warnings.map(\.message)
    }
    #expect(
      try warned("t.yml") == [
        "t.yml: a list is no host, host:port or URL", "t.yml: a map is no host, host:port or URL",
        "t.yml: nothing is no host, host:port or URL",
        "t.yml: the label \"list\" must be a text, found a list",
        "t.yml: the label \"none\" must be a text, found nothing",
      ])
    #expect(try warned("target/*.json") == ["discover: no file matches \"target/*.json\""])
  }

  @Test(arguments: [
    ("include: /nowhere/conf.d/*.yaml\n", ["the directory \"/nowhere/conf.d\" does not exist"]),
    ("include: /*.nothing\n", []),
  ])
  func directoriesOfIncludes(line: String, words: [String]) throws {
    let found = try warnings(line + oneCheck)
    #expect(found.count == words.count && zip(found, words).allSatisfy { $0.contains($1) }, "\(found)")
  }
}
