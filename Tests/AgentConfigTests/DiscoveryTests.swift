// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Synchronization
import Testing

@testable import AgentConfig

/// `discover`: what of a list of targets becomes checks, and what of it never gets that far.
struct DiscoveryTests {
  private let template = """
    templates:
      web: {type: http, url: "https://${target}/", interval: 30s, tags: [web]}
      port: {type: tcp, host: "${host}", port: "${port}", timeout: 2s}

    """

  private func loaded(_ text: String, _ files: [String: String] = [:]) throws(ConfigErrors) -> LoadedConfig {
    var sources = ConfigSources.test
    sources.files = ConfigFiles(
      expand: { pattern in pattern.contains("*") ? files.keys.sorted() : [pattern] },
      read: { path throws(ConfigErrors) in
        guard let text = files[path] else {
          throw ConfigErrors(problems: [
            ConfigProblem(file: path, line: 0, column: 0, message: "the file does not exist", hint: nil)
          ])
        }
        return Array(text.utf8)
      }, isThere: { files[$0] != nil })
    return try ConfigLoader.parse(text: template + text, file: "etc/agent.yaml", sources: sources)
  }

  private func problems(_ text: String, _ files: [String: String] = [:]) -> [String] {
    do throws(ConfigErrors) {
      _ = try loaded(text, files)
      return []
    } catch {
      return error.problems.map(\.message)
    }
  }

  @Test func targetsOfFilesBecomeChecks() throws {
    let loaded = try loaded(
      """
      discover:
        - {file: "targets/*", extends: web, name: "Page of ${host} in ${label:city}"}
        - {file: "targets/*", extends: port}
      """,
      [
        "etc/targets/a.json": """
        [{"targets": ["a.example:8443", "b.example:443", "a.example:8443"], "labels": {"city": "Bern", "__meta_x": "y"}}]
        """,
        "etc/targets/b.yml": "- targets: ['[2001:db8::1]:443']\n  labels: {city: Genève}\n",
      ])
    let checks = loaded.settings.checks
    #expect(
      checks.map(\.name) == [
        "Page of a.example in Bern", "Page of b.example in Bern", "Page of 2001:db8::1 in Genève",
        "port a.example:8443", "port b.example:443", "port [2001:db8::1]:443",
      ])
    #expect(checks[0].target == "https://a.example:8443/" && checks[0].tags == ["city:Bern", "web"])
    #expect(checks[3].target == "a.example:8443" && checks[3].timeout == .seconds(2))
    #expect(checks[5].target == "[2001:db8::1]:443")
    #expect(loaded.warnings.isEmpty)
    #expect(
      loaded.origin.files == ["etc/agent.yaml"]
        + Array(repeating: ["etc/targets/a.json", "etc/targets/b.yml"], count: 2).flatMap(\.self))
  }

  /// A list of targets is somebody else's: it can name no secret, and one bad entry takes no other with it.
  @Test func whatNoTargetMayBeIsLeftOut() throws {
    let list = """
      [{"targets": ["${file:/etc/shadow}", "a.example", "two words", "", "x\\ny", "http://", "b.example:99999", "a..b", "x:y:z"],
        "labels": {"owner": "${env:HOME}", "city": "Bern"}}]
      """
    let loaded = try loaded(
      "discover: [{file: t.json, extends: web, name: \"${label:city} ${target}\"}]", ["etc/t.json": list])
    #expect(loaded.settings.checks.map(\.name) == ["Bern a.example"])
    #expect(loaded.settings.checks[0].tags == ["city:Bern", "web"])
    #expect(loaded.warnings.count == 9)
    #expect(!loaded.warnings.contains { $0.message.contains("shadow:") })
  }

  @Test func aTargetWithoutWhatItsCheckNamesIsLeftOut() throws {
    let loaded = try loaded(
      "discover: [{file: t.json, extends: port}]",
      ["etc/t.json": #"[{"targets": ["a.example", "b.example:1"]}]"#])
    #expect(loaded.settings.checks.map(\.name) == ["port b.example:1"])
    #expect(
      loaded.warnings.map(\.message) == [
        "etc/t.json: the target \"a.example\" is left out: it has no port, which its check names"
      ])
  }

  /// A list is somebody else's: what is wrong with one of its targets refuses neither the others nor the file.
  @Test(arguments: [
    // What its host is not, but its check is.
    ("{type: http, url: \"https://${target}/\", interval: \"${label:every}\"}", "every", "soon", "duration"),
    ("{type: tcp, host: \"${host}\", port: \"${label:port}\"}", "port", "70000", "65535"),
    ("{type: http, url: \"http://${host}/\", method: \"${label:m}\"}", "m", "GET IT", "method"),
    (
      "{type: tcp, host: \"${host}\", port: 1, depends_on: [\"${label:gw}\"]}", "gw", "t bad.example",
      "itself"
    ),
    (
      "{type: tcp, host: \"${host}\", port: 1, id: \"${label:id}\"}", "id", Self.id,
      "another check has the id"
    ),
  ])
  func aTargetWhoseCheckIsWrongIsLeftOut(template: String, label: String, wrong: String, words: String) throws
  {
    func group(_ target: String, _ value: String) -> String {
      #"{"targets": ["\#(target)"], "labels": {"\#(label)": "\#(value)"}}"#
    }
    let right = ["every": "10s", "port": "80", "m": "GET", "gw": "own", "id": Self.id][label] ?? ""
    let other = label == "id" ? "0c6f1f0a-7b86-4f53-9a5c-2f5f5f8f0a02" : right
    let text = """
        t: \(template)
      checks: [{name: own, type: ping, host: own.example}]
      discover: [{file: t.json, extends: t, name: "t ${host}"}]
      """
    let list = "[\(group("a.example", right)),\(group("bad.example", wrong)),\(group("c.example", other))]"
    let loaded = try loaded(text, ["etc/t.json": list])
    #expect(loaded.settings.checks.map(\.name) == ["own", "t a.example", "t c.example"])
    let warning = try #require(loaded.warnings.first)
    #expect(loaded.warnings.count == 1, "\(loaded.warnings)")
    #expect(warning.message.hasPrefix("etc/t.json: the target \"bad.example\" is left out: "), "\(warning)")
    #expect(warning.message.contains(words) && warning.line > 0, "\(warning)")
  }

  private static let id = "0c6f1f0a-7b86-4f53-9a5c-2f5f5f8f0a01"

  @Test func aTargetWithTheNameOfAnotherIsLeftOut() throws {
    let loaded = try loaded(
      """
      checks: [{name: page a.example, type: ping, host: own.example}]
      discover: [{file: t.json, extends: web, name: "page ${host}"}]
      """, ["etc/t.json": #"[{"targets": ["a.example:1", "b.example:1", "b.example:2"]}]"#])
    #expect(loaded.settings.checks.map(\.target) == ["own.example", "https://b.example:1/"])
    #expect(loaded.warnings.count == 2)
    #expect(loaded.warnings.allSatisfy { $0.message.contains("another check has the name \"page ") })
  }

  /// A target may be a whole URL; one that is none is left out where one is meant.
  @Test func targetsThatAreURLs() throws {
    let text = """
        whole: {type: http, url: "${target}", interval: 30s}
        below: {type: http, url: "${target}/health"}
      discover: [{file: t.json, extends: whole}, {file: u.json, extends: below}]
      """
    let loaded = try loaded(
      text,
      [
        "etc/t.json": #"[{"targets": ["https://a.example:8443/x?y=1", "b.example:1", "http://c.example/"]}]"#,
        "etc/u.json": #"[{"targets": ["http://d.example"]}]"#,
      ])
    #expect(
      loaded.settings.checks.map(\.target) == [
        "https://a.example:8443/x", "http://c.example/", "http://d.example/health",
      ])
    #expect(loaded.warnings.count == 1)
    #expect(loaded.warnings[0].message.hasPrefix("etc/t.json: the target \"b.example:1\" is left out: "))
  }

  /// What would be wrong with every target is wrong with the file, whether a target is there or not.
  @Test(arguments: ["[]", #"[{"targets": ["a.example:1", "b.example:2"]}]"#])
  func aTemplateThatMakesNoCheckIsAProblem(list: String) {
    let text = """
        bare: {url: "https://${target}/"}
        twice: {type: tcp, host: "${host}", port: 1, extends: wob}
      discover: [{file: t.json, extends: bare}, {file: t.json, extends: twice}]
      """
    let found = problems(text, ["etc/t.json": list])
    #expect(found.count == 2, "\(found)")
    #expect(
      found.contains { $0.contains("type is missing") } && found.contains { $0.contains("\"wob\"") },
      "\(found)")
  }

  /// Who is named may be gone from the list for today.
  /// The cap on a list's targets is one for all its files together, and counts each target once.
  @Test func allFilesOfAListHaveOneCap() throws {
    func file(_ numbers: Range<Int>) -> String {
      "[{\"targets\": [\(numbers.map { "\"h\($0).example:80\"" }.joined(separator: ","))]}]"
    }
    let list = "discover: [{file: \"targets/*\", extends: port}]\n"
    let full = [
      "etc/targets/a.json": file(0..<6_000), "etc/targets/b.json": file(5_000..<10_000),
      "etc/targets/c.json": file(0..<100),
    ]
    #expect(
      problems(list, full.merging(["etc/targets/d.json": file(9_999..<10_001)]) { $1 })
        == ["discover: etc/targets/* has more than 10000 targets in all its files"])
    #expect(
      problems(list, ["etc/targets/a.json": file(0..<10_001)])
        == ["discover: etc/targets/a.json has more than 10000 targets"])
  }

  @Test func namesOfTargetsThatAreGoneAreAWarning() throws {
    let text = """
      canaries: [web gone.example]
      checks: [{name: own, type: ping, host: own.example, depends_on: [web gone.example]}]
      status: {public: {listen: "127.0.0.1:1", checks: [web gone.example]}}
      discover: [{file: t.json, extends: web}]
      """
    let loaded = try loaded(text, ["etc/t.json": "[]"])
    #expect(
      loaded.warnings.count == 3
        && loaded.warnings.allSatisfy { $0.message.contains("is no check of this file") })
  }

  /// What a running agent learned is read like a file; before it learned anything there is nothing to read.
  @Test func whatWasLearnedIsRead() throws {
    let text = """
      agent: {state_dir: /state}
      discover: [{http: "https://cmdb.example/x", extends: web}, {dns: _https._tcp.example.com, extends: web}]
      """
    let first = try loaded(text)
    #expect(first.settings.checks.isEmpty && first.settings.discover.count == 2)
    #expect(first.origin.patterns.count == 2)
    let path = try #require(first.origin.patterns.first)
    #expect(path.hasPrefix("/state/discovered/") && path.hasSuffix(".json"))
    let list = TargetList(targets: [TargetList.Target(address: "a.example:1", host: "a.example", port: 1)])
    let second = try loaded(text, [path: String(decoding: list.json, as: UTF8.self)])
    #expect(second.settings.checks.map(\.name) == ["web a.example:1"])
  }

  @Test func listsAreWrittenAsTheyAreRead() throws {
    let list = try TargetList(
      json: Array(
        #"[{"targets": ["a:1"], "labels": {"x": "\"é\\"}}, {"targets": ["b:2", "https://c/d"]}]"#.utf8))
    #expect(list.targets.map(\.host) == ["a", "b", "c"] && list.targets.map(\.port) == [1, 2, 443])
    #expect(try TargetList(json: list.json) == list)
  }

  /// An address with other labels is another target; one with the same is not.
  @Test func anAddressWithOtherLabels() throws {
    func group(_ label: String) -> String {
      #"{"targets": ["a.example:1", "a.example:1"], "labels": {"n": "\#(label)"}}"#
    }
    let text = """
        t: {type: tcp, host: "${host}", port: 1}
      discover: [{file: t.json, extends: t, name: "t ${label:n}"}]
      """
    let list = "[\(group("one")),\(group("two")),\(group("one"))]"
    let loaded = try loaded(text, ["etc/t.json": list])
    #expect(loaded.settings.checks.map(\.name) == ["t one", "t two"] && loaded.warnings.isEmpty)
  }

  @Test(arguments: [
    ("discover: [{file: no.json, extends: web}]", "the file does not exist"),
    ("discover: [{file: bad.json, extends: web}]", "is no JSON"),
    ("discover: [{file: map.json, extends: web}]", "must be a list of groups with targets"),
    ("discover: [{file: group.json, extends: web}]", "a group without a list of targets"),
    ("discover: [{file: many.json, extends: web}]", "more than 10000 targets"),
    ("discover: [{file: one.json, extends: wob}]", "wob"),
    ("discover: [{extends: web}]", "has one of file, http and dns, found 0"),
    ("discover: [{file: a, dns: _a._tcp.b, extends: web}]", "has one of file, http and dns, found 2"),
    ("discover: [{dns: example.com, extends: web}]", "dns must be the name of SRV records"),
    ("discover: [{http: \"ftp://x/\", extends: web}]", "http must be an http or https URL"),
    ("discover: [{file: one.json, extends: web, name: Same}]", "all checks would be called"),
    ("discover: [{file: one.json}]", "extends is missing"),
  ])
  func whatCannotBeIsTold(text: String, words: String) {
    let many = (0..<10_001).map { "\"h\($0):1\"" }.joined(separator: ",")
    let found = problems(
      text,
      [
        "etc/bad.json": "[{", "etc/map.json": "{}", "etc/group.json": "[{\"labels\": {}}]",
        "etc/many.json": "[{\"targets\": [\(many)]}]", "etc/one.json": "[{\"targets\": [\"a:1\"]}]",
      ])
    #expect(found.contains { $0.contains(words) }, "\(found)")
  }
}
