// SPDX-License-Identifier: MIT

import Basics
import Foundation
import Glibc
import Monitoring
import TestSupport
import Testing

@testable import AgentConfig

/// `include`: several files that are one configuration.
struct IncludeTests {
  private func load(_ files: [String: String]) throws(ConfigErrors) -> LoadedConfig {
    var sources = ConfigSources.test
    sources.files = ConfigFiles(
      expand: { pattern in
        guard pattern.hasSuffix("*.yaml") else { return [pattern] }
        return files.keys.filter { $0.hasPrefix(pattern.dropLast(6)) }.sorted()
      },
      read: { path throws(ConfigErrors) in
        guard let text = files[path] else {
          throw ConfigErrors(problems: [ConfigProblem(file: path, message: "the file does not exist")])
        }
        return Array(text.utf8)
      })
    return try ConfigLoader.parse(
      bytes: Array((files["etc/agent.yaml"] ?? "").utf8), file: "etc/agent.yaml", sources: sources)
  }

  private func check(_ name: String) -> String { "{name: \(name), type: tcp, host: a, port: 1}" }

  @Test func listsArePutTogetherInOrder() throws {
    let loaded = try load([
      "etc/agent.yaml": "include: conf.d/*.yaml\nchecks: [\(check("Main"))]\n",
      "etc/conf.d/b.yaml": "checks: [\(check("B1")), \(check("B2"))]\ncanaries: [B2]\n",
      "etc/conf.d/a.yaml": "checks: [\(check("A"))]\n", "etc/conf.d/empty.yaml": "# nothing yet\n",
      "etc/other/c.yaml": "checks: [\(check("C"))]\n",
    ])
    #expect(loaded.settings.checks.map(\.name) == ["Main", "A", "B1", "B2"])
    #expect(loaded.settings.canaries == ["B2"])
    #expect(
      loaded.origin.files == [
        "etc/agent.yaml", "etc/conf.d/a.yaml", "etc/conf.d/b.yaml", "etc/conf.d/empty.yaml",
      ])
    #expect(loaded.origin.patterns == ["etc/conf.d/*.yaml"])
  }

  /// The defaults of a file are those of its checks: the agent's are the main file's alone, and what that leaves out is built in.
  @Test(arguments: [true, false]) func defaultsOfAnIncludedFile(hasOwn: Bool) throws {
    let loaded = try load([
      "etc/agent.yaml": "include: conf.d/*.yaml\n" + (hasOwn ? "defaults: {retries: 3}\n" : "")
        + "checks: [\(check("Main"))]\n",
      "etc/conf.d/a.yaml":
        "defaults: {retries: 5, interval: 20s, timeout: 4s, retry_delay: 1s}\nchecks: [\(check("A"))]\n",
      "etc/conf.d/b.yaml": "defaults: {interval: 40s}\nchecks: [\(check("B"))]\n",
    ])
    var wanted = CheckDefaults()
    if hasOwn { wanted.retries = 3 }
    #expect(loaded.settings.defaults == wanted)
    let checks = loaded.settings.checks
    #expect(checks.map(\.name) == ["Main", "A", "B"])
    #expect(checks.map(\.plan.retries) == [wanted.retries, 5, wanted.retries])
    #expect(checks.map(\.interval) == [.seconds(60), .seconds(20), .seconds(40)])
    #expect(checks.map(\.timeout) == [.seconds(10), .seconds(4), .seconds(10)])
  }

  /// Ten thousand checks in ten files are one list, in the order of the files.
  @Test func tenThousandChecksAreOneList() throws {
    var files = ["etc/agent.yaml": "include: conf.d/*.yaml\n"]
    for file in 0..<10 {
      let checks = (0..<1000).map { "  - {name: n\(file * 1000 + $0), type: tcp, host: a, port: 1}\n" }
      files["etc/conf.d/\(file).yaml"] = "checks:\n" + checks.joined()
    }
    let names = try load(files).settings.checks.map(\.name)
    #expect(names == (0..<10_000).map { "n\($0)" })
  }

  @Test func theMainFileMayHoldNoCheckItself() throws {
    let loaded = try load([
      "etc/agent.yaml": "include: [checks.yaml]\n", "etc/checks.yaml": "checks: [\(check("A"))]\n",
    ])
    #expect(loaded.settings.checks.map(\.name) == ["A"])
  }

  /// A file that is named again, by itself or by a pattern, is read once.
  @Test func aFileIsReadOnce() throws {
    let loaded = try load([
      "etc/agent.yaml": "include: [conf.d/a.yaml, conf.d/b.yaml, conf.d/a.yaml, conf.d/*.yaml]\n",
      "etc/conf.d/a.yaml": "checks: [\(check("A"))]\n", "etc/conf.d/b.yaml": "checks: [\(check("B"))]\n",
    ])
    #expect(loaded.settings.checks.map(\.name) == ["A", "B"])
    #expect(loaded.origin.files == ["etc/agent.yaml", "etc/conf.d/a.yaml", "etc/conf.d/b.yaml"])
  }

  @Test func problemsNameTheirFile() throws {
    let errors = try #require(throws: ConfigErrors.self) {
      try load([
        "etc/agent.yaml": "include: [conf.d/*.yaml, missing.yaml, '']\nchecks: [\(check("Main"))]\n",
        "etc/conf.d/a.yaml": "checks:\n  - {name: Main, type: tcp, host: a}\n",
        "etc/conf.d/b.yaml": "quartz: {}\ncheks: []\n", "etc/conf.d/c.yaml": "- a\n",
        "etc/conf.d/d.yaml": "checks: [\n",
        "etc/conf.d/e.yaml": "include: a.yaml\n",
      ])
    }
    #expect(
      errors.description == """
        etc/agent.yaml:1:26: include: etc/missing.yaml: the file does not exist
        etc/agent.yaml:1:40: include must be the path of a file, or a pattern such as conf.d/*.yaml
        etc/conf.d/a.yaml:2:5: port is missing
          hint: 1 to 65535
        etc/conf.d/a.yaml:2:6: name "Main" is used twice
          hint: the first is in etc/agent.yaml, line 2
        etc/conf.d/b.yaml:1:1: unknown key "quartz"
          hint: keys here: defaults, templates, groups, maintenance, canaries, dependencies, checks
        etc/conf.d/b.yaml:2:1: unknown key "cheks"
          hint: did you mean "checks"?
        etc/conf.d/c.yaml:1:1: an included file must be a map of lists, found a list
          hint: begin it with checks:
        etc/conf.d/d.yaml:2:1: no valid YAML: did not find expected node content
        etc/conf.d/e.yaml:1:1: unknown key "include"
          hint: keys here: defaults, templates, groups, maintenance, canaries, dependencies, checks
        """)
  }

  @Test func aPatternMayMatchNothing() throws {
    let loaded = try load(["etc/agent.yaml": "include: conf.d/*.yaml\nchecks: [\(check("A"))]\n"])
    #expect(loaded.origin.files == ["etc/agent.yaml"] && loaded.settings.checks.count == 1)
  }

  /// A file that is emptied is missing from its list, of a path as of a pattern, so that a reload is held back; a warning names it
  /// unless a comment says that it is meant.
  @Test(arguments: ["etc/conf.d/*.yaml", "etc/conf.d/a.yaml"])
  func aFileThatIsEmptied(pattern: String) throws {
    func loaded(_ text: String) throws -> LoadedConfig {
      try load([
        "etc/agent.yaml": "include: \(pattern.dropFirst(4))\nchecks: [\(check("Main"))]\n",
        "etc/conf.d/a.yaml": text,
      ])
    }
    func list(_ names: String...) -> [ConfigList] {
      [ConfigList(pattern: pattern, what: "files", names: Set(names.map { ByteText($0) }))]
    }
    let full = try loaded("checks: [\(check("A"))]\n")
    #expect(full.lists == list("etc/conf.d/a.yaml") && full.warnings.isEmpty)
    for text in ["", " \n\n"] {
      let empty = try loaded(text)
      #expect(empty.lists == list() && empty.settings.checks.map(\.name) == ["Main"])
      #expect(
        empty.warnings.map(\.headline) == [
          "etc/agent.yaml:1:1: include: etc/conf.d/a.yaml is empty: it adds nothing"
        ])
    }
    let comment = try loaded("# none\n")
    #expect(comment.lists == list() && comment.warnings.isEmpty)
  }

  /// On a real disk: what matches a pattern and cannot be read is a problem, never left out without a word.
  @Test(arguments: ["dangling", "folder", "pipe", "device"])
  func whatMatchesIsMeant(kind: String) async throws {
    try await withTemporaryDirectory { folder in
      let main = folder.appending(path: "agent.yaml").path
      let strange = folder.appending(path: "conf.d/z.yaml").path
      try FileManager.default.createDirectory(
        at: folder.appending(path: "conf.d"), withIntermediateDirectories: false)
      try "include: conf.d/*.yaml\nchecks: [\(check("Main"))]\n".write(
        toFile: main, atomically: true, encoding: .utf8)
      switch kind {
      case "dangling": symlink("nowhere", strange)
      case "folder": mkdir(strange, 0o700)
      case "pipe": mkfifo(strange, 0o600)
      default: symlink("/dev/zero", strange)
      }
      let errors = try #require(throws: ConfigErrors.self) {
        try ConfigLoader.load(path: main, environment: [:], patterns: ConfigSources.test.patterns)
      }
      let words = [
        "dangling": "the file does not exist", "folder": "this is a directory",
        "pipe": "this is no regular file",
        "device": "this is no regular file",
      ]
      #expect(errors.problems.map(\.message) == ["include: \(strange): \(words[kind] ?? "")"])
    }
  }

  @Test func aFolderThatMayNotBeReadIsAProblem() async throws {
    try await withTemporaryDirectory { folder in
      // Root may read everything; a pattern below something that is no folder at all fails for everybody alike.
      let closed = folder.appending(path: "loop").path
      symlink(closed, closed)
      #expect(ConfigFiles.disk.expand(closed + "/*.yaml") == [closed])
      #expect(ConfigFiles.disk.expand(folder.path + "/none/*.yaml") == [])
    }
  }
}
