// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Testing

@testable import AgentConfig

/// Items of `discover` that are edited, and their secrets: the targets stay until the new place answers.
@Suite struct DiscoveryEditTests {
  private func loaded(
    _ items: String, _ files: [String: String], secret: String = "hunter2"
  ) throws(ConfigErrors) -> LoadedConfig {
    var sources = ConfigSources.test
    sources.secrets = SecretFiles(
      read: { _ throws(SecretFiles.Note) in SecretFiles.Contents(text: secret) },
      readBody: { _ throws(SecretFiles.Note) in "" })
    sources.files = ConfigFiles(
      expand: { [$0] }, read: { path throws(ConfigErrors) in Array((files[path] ?? "").utf8) },
      isThere: { files[$0] != nil })
    let text = """
      agent: {state_dir: /state}
      templates:
        web: {type: http, url: "https://${target}/", interval: 30s}
        port: {type: tcp, host: "${host}", port: "${port}"}
      discover: [\(items)]

      """
    return try ConfigLoader.parse(text: text, file: "etc/agent.yaml", sources: sources)
  }

  /// A secret that is rotated is the same source: nothing that it knows goes.
  @Test(arguments: [
    #"http: "https://cmdb.example/x", headers: {Authorization: "Bearer ${file:/secrets/key}"}"#,
    #"http: "https://cmdb.example/x?key=${file:/secrets/key}""#,
  ])
  func aRotatedSecret(place: String) throws {
    func loaded(_ secret: String, _ files: [String: String] = [:]) throws(ConfigErrors) -> LoadedConfig {
      try self.loaded("{\(place), extends: web}", files, secret: secret)
    }
    let path = try #require(loaded("one").origin.patterns.first)
    let list = #"[{"targets": ["a.example:1", "b.example:1"]}]"#
    let (before, after) = (try loaded("one", [path: list]), try loaded("two", [path: list]))
    #expect(before.settings.checks.map(\.name) == ["web a.example:1", "web b.example:1"])
    #expect(after.settings.checks == before.settings.checks && after.origin == before.origin)
    #expect(after.settings.discover != before.settings.discover)
    #expect(after.settings.discover.map(\.cacheName) == before.settings.discover.map(\.cacheName))
  }

  /// An item whose place is edited has the targets of the place before, until it has a list of its own. So has no item that is
  /// new beside it, none of another template, and none after the list is gone.
  @Test func anEditedPlaceKeepsTheTargetsBefore() throws {
    func item(_ place: String, _ template: String = "web") -> String { "{\(place), extends: \(template)}" }
    func loaded(_ items: [String], _ files: [String: String]) throws -> LoadedConfig {
      try self.loaded(items.joined(separator: ", "), files)
    }
    func isLeftOut(_ loaded: LoadedConfig) -> Bool {
      loaded.warnings.contains { $0.message.contains("left out") }
    }
    let old = item("http: \"https://cmdb.example/x\"")
    let first = try loaded([old], [:])
    let path = try #require(first.origin.patterns.first)
    let files = [
      path: #"[{"targets": ["a.example:1"]}]"#,
      "/state/\(DiscoveryIndex.name)": String(
        decoding: DiscoveryIndex(of: first.settings.discover).json, as: UTF8.self),
    ]
    let edits = [
      item("http: \"https://cmdb.example/y\""), item("http: \"http://cmdb.example/x\""),
      item("http: \"https://cmdb.example/x\", headers: {User-Agent: me}"), item("dns: _a._tcp.example"),
    ]
    for edit in edits {
      let edited = try loaded([edit], files)
      #expect(edited.settings.checks.map(\.name) == ["web a.example:1"], "\(edit)")
      let own = try #require(edited.origin.patterns.first)
      #expect(own != path && edited.origin.files == ["etc/agent.yaml", path], "\(edit)")
      let learned = try loaded([edit], files.merging([own: #"[{"targets": ["b.example:1"]}]"#]) { $1 })
      #expect(learned.settings.checks.map(\.name) == ["web b.example:1"], "\(edit)")
      let both = try loaded([edit, old], files)
      #expect(both.settings.checks.map(\.name) == ["web a.example:1"] && !isLeftOut(both), "\(edit)")
      #expect(try loaded([edit], files.filter { $0.key != path }).settings.checks.isEmpty, "\(edit)")
    }
    let two = try loaded([edits[0], edits[1]], files)
    #expect(two.settings.checks.map(\.name) == ["web a.example:1"] && !isLeftOut(two))
    #expect(try loaded([item("dns: _a._tcp.example", "port")], files).settings.checks.isEmpty)
  }

  /// A file that is no index names no list.
  @Test(arguments: ["", "{}", "[1]", #"[{"item": "a"}]"#, #"[{"item": 1, "list": "b"}]"#])
  func whatIsNoIndex(text: String) {
    #expect(DiscoveryIndex(json: Array(text.utf8)).entries.isEmpty)
  }
}
