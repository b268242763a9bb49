// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Import
import Monitoring
import Testing

/// Files of targets that Prometheus reads: an entry of `discover`, or checks of the targets that are there.
@Suite struct TargetFileTests {
  private static let modules = """
    modules:
      web:
        prober: http
        timeout: 8s
        http: {preferred_ip_protocol: ip4, headers: {X-Odd: "${target} $1"}, basic_auth: {username: us, password: "p w"}}
      icmp: {prober: icmp}
      bare: {prober: http, http: {no_follow_redirects: true, tls_config: {insecure_skip_verify: true}}}
      still: {prober: http, http: {no_follow_redirects: true}}
      file: {prober: http, http: {bearer_token_file: "/run/${label:team}"}}

    """
  private static let rules = """
    - {source_labels: [__address__], target_label: __param_target}
    - {source_labels: [__param_target], target_label: instance}
    - {target_label: site, replacement: north}
    - {target_label: __address__, replacement: "e:9115"}
    """
  private static let urls = """
    [{"targets": ["https://a.example/x?y=1", "https://192.0.2.1:81"], "labels": {"team": "site reliability", "tier": "1"}},
     {"targets": ["https://b.example"]}]
    """
  private static let readOnce = "its targets are those of the time of import: the file is read once"
  private static let noScheme =
    "a target without http:// or https:// is left out here, and asked for by http there"

  private func read(
    module: String = "web", params: String = "", rules: [String] = [], files: String = "files: [t/*.json]",
    _ lists: [(name: String, text: String)] = [("in/a.json", Self.urls)]
  ) throws -> ReadSource {
    let all = Self.rules.split(separator: "\n").map(String.init) + rules
    let text = """
      \(Self.modules)scrape_configs:
      - job_name: j
        metrics_path: /probe
        params: {module: [\(module)]\(params)}
        file_sd_configs: [{\(files)}]
        relabel_configs:
      \(all.map { "  \($0)\n" }.joined())
      """
    return try ReadSource(.blackbox, [("p.yml", text)] + lists)
  }

  private func text(of made: ReadSource) -> String {
    var yaml = AgentYAML(secrets: .environment)
    return yaml.render(made.imported.checks, sections: made.imported.sections, head: [])
  }

  /// The loader's checks, where each pattern stands for these files.
  private func loaded(
    _ made: ReadSource, _ lists: [(name: String, text: String)] = [("in/a.json", Self.urls)]
  ) throws -> LoadedConfig {
    var environment = [String: String]()
    for part in text(of: made).split(separator: "${env:").dropFirst() {
      environment[String(part.prefix { $0 != "}" })] = "p w"
    }
    let sources = ConfigSources(
      environment: environment,
      secrets: SecretFiles(
        read: { _ throws(SecretFiles.Note) in SecretFiles.Contents(text: "a") },
        readBody: { _ throws(SecretFiles.Note) in "a" }), hostName: "a",
      files: ConfigFiles(
        expand: { _ in lists.map(\.name) },
        read: { path throws(ConfigErrors) in Array((lists.first { $0.name == path }?.text ?? "").utf8) },
        isThere: { _ in true }))
    return try ConfigLoader.parse(text: text(of: made), file: "agent.yaml", sources: sources)
  }

  @Test func aFileOfURLsIsReadByTheAgent() throws {
    let made = try read(files: "files: [t/*.json], refresh_interval: 5m")
    #expect(made.names == [])
    #expect(
      text(of: made) == """
        templates:
          web:
            type: http
            url: "${target}"
            headers:
              X-Odd: "$${target} $1"
            allow_downgrade: true
            auth:
              basic:
                username: us
                password: "${env:QUARTZ_WEB_PASSWORD}"
            retries: 0
            interval: 1m
            timeout: 8s
            tags: ["job:j", "site:north"]
        discover:

          # laxer: p.yml:5: modules.web.http.preferred_ip_protocol: addresses of the other family are asked, too, where this one does not answer
          # changed: p.yml:14: scrape_configs[0].file_sd_configs[0].files[0]: \(Self.noScheme)
          # changed: p.yml:14: scrape_configs[0].file_sd_configs[0].files[0]: the file is looked for beside agent.yaml, not beside Prometheus' configuration
          - file: "t/*.json"
            extends: web
            name: "web ${target}"

        checks: []

        """)
    let loaded = try loaded(made)
    #expect(
      loaded.warnings.map(\.message) == [
        "auth.basic.password comes from the environment, which other programs may see"
      ])
    #expect(
      loaded.settings.checks.map(\.name) == [
        "web https://a.example/x?y=1", "web https://192.0.2.1:81", "web https://b.example",
      ])
    #expect(
      loaded.settings.checks.map(\.tags) == [
        ["team:site reliability", "tier:1", "job:j", "site:north"],
        ["team:site reliability", "tier:1", "job:j", "site:north"], ["job:j", "site:north"],
      ])
    #expect(made.reasons.filter { !$0.hasPrefix("no target given") } == [])
    #expect(made.imported.listed == made.imported.notes.count { $0.isValue } + 1)
  }

  /// The name is asked for at each target: in the request, and in TLS, to which a redirect may lead.
  @Test func aNameAskedForIsCarried() throws {
    let made = try read(params: ", hostname: [\"h.example:8443\"]")
    #expect(made.names == [])
    #expect(text(of: made).contains("      Host: \"h.example:8443\"\n"))
    #expect(text(of: made).contains("    tls:\n      server_name: h.example\n"))
    let loaded = try loaded(made).settings.checks
    let settings = loaded.compactMap { if case .http(let http) = $0.kind { http } else { nil } }
    #expect(settings.count == 3)
    for http in settings {
      #expect(http.headers.last?.name == "Host" && http.headers.last?.value == Redacted("h.example:8443"))
      #expect(http.tls.serverName == "h.example")
    }
  }

  /// Prometheus reads it again when it has targets.
  @Test(arguments: ["[]", "[{\"targets\": []}]"]) func aListWithoutTargets(list: String) throws {
    let made = try read([("in/a.json", list)])
    #expect(made.names == [] && made.imported.sections.discover.isEmpty)
    #expect(made.reasonCounts[Self.readOnce] == 1)
    #expect(made.reasonCounts["its targets are in a file that was not given: import it too"] == nil)
  }

  struct Other: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var module = "web"
    var rules: [String] = []
    var params = ""
    var list = TargetFileTests.urls
    /// Names of the checks that are made; nil: one for each URL of the usual list.
    var names: [String]?

    init(_ what: String, list: String, names: [String]) {
      (testDescription, self.list, self.names) = (what, list, names)
    }

    init(
      _ what: String, module: String = "web", rules: [String] = [], params: String = "",
      names: [String]? = nil
    ) {
      (testDescription, self.module, self.rules, self.params) = (what, module, rules, params)
      self.names = names
    }
  }

  private static func list(_ targets: String, _ labels: String = "") -> String {
    "[{\"targets\": [\(targets)], \"labels\": {\(labels)}}]"
  }

  static let others: [Other] = [
    Other(
      "a host alone", list: list(#""https://a.example", "b.example""#),
      names: ["web https://a.example", "web b.example"]),
    Other(
      "one twice", list: list(#""http://a.example", "http://a.example""#),
      names: ["web http://a.example", "web http://a.example (2)"]),
    Other("a user", list: list(#""https://u:p@a.example/""#), names: ["web https://a.example/"]),
    Other(
      "a key", list: list(#""https://a.example/?token=s3cret""#), names: ["web https://a.example/?token="]),
    Other("a fragment", list: list(#""https://a.example/#a""#), names: ["web https://a.example/"]),
    Other("a dollar", list: list(#""https://a.example/$x""#), names: ["web https://a.example/$x"]),
    Other("another scheme", list: list(#""ftp://a.example/""#), names: ["web ftp://a.example/"]),
    Other("no text", list: list(#""https://a.example", {}"#), names: ["web https://a.example"]),
    Other(
      "the label job", list: list(#""https://a.example""#, #""job": "k""#), names: ["web https://a.example"]),
    Other(
      "the label instance", list: list(#""https://a.example""#, #""instance": "k""#),
      names: ["web https://a.example"]),
    Other(
      "a label of Prometheus", list: list(#""https://a.example""#, #""__scrape_interval__": "60s""#),
      names: ["web https://a.example"]),
    Other(
      "a label with a dollar", list: list(#""https://a.example""#, #""a": "${env:HOME}""#),
      names: ["web https://a.example"]),
    Other(
      "an empty label", list: list(#""https://a.example""#, #""a": """#), names: ["web https://a.example"]),
    Other(
      "a long label", list: list(#""https://a.example""#, "\"a\": \"\(String(repeating: "b", count: 63))\""),
      names: ["web https://a.example"]),
    Other(
      "a label that a rule sets", list: list(#""https://a.example""#, #""site": "south""#),
      names: ["web https://a.example"]),
    Other(
      "seventeen labels",
      list: list(#""https://a.example""#, (0..<17).map { "\"l\($0)\": \"v\"" }.joined(separator: ",")),
      names: ["web https://a.example"]),
    Other(
      "no http", module: "icmp",
      names: ["icmp https://a.example/x?y=1", "icmp https://192.0.2.1:81", "icmp https://b.example"]),
    Other("settings that depend on the scheme", module: "bare"),
    Other("a rule that drops", rules: ["- {source_labels: [__param_target], regex: c.*, action: drop}"]),
    Other("a rule that keeps", rules: ["- {source_labels: [__param_target], regex: http.*, action: keep}"]),
    Other(
      "a rule with a pattern",
      rules: ["- {source_labels: [__address__], regex: \"(h.*)\", target_label: x, replacement: y}"]),
    Other("a rule on a label", rules: ["- {source_labels: [team], target_label: owner}"]),
    Other("a rule that names a label", rules: ["- {source_labels: [__param_target], target_label: page}"]),
    Other(
      "a module by the address", rules: ["- {source_labels: [__param_target], target_label: __param_module}"],
      names: []),
    Other("a name asked for, which TLS has only", module: "still", params: ", hostname: [h.example]"),
  ]

  /// Checks of the targets that are there; the report says that no further one will be seen.
  @Test(arguments: others) func targetsThatAreChecks(other: Other) throws {
    let made = try read(
      module: other.module, params: other.params, rules: other.rules, [("a.json", other.list)])
    let usual = ["https://a.example/x?y=1", "https://192.0.2.1:81", "https://b.example"]
    #expect(made.names == other.names ?? usual.map { "\(other.module) \($0)" })
    #expect(made.imported.sections.discover.isEmpty)
    #expect(made.reasonCounts[Self.readOnce] == 1 && made.reasonCounts[Self.noScheme] == nil)
    let notes = made.imported.notes + made.imported.checks.flatMap(\.notes)
    #expect(notes.count { $0.isValue } == made.imported.listed)
  }

  /// Of two patterns one is read by the agent: what is said of both is not true of both.
  @Test func aPatternStandsForItself() throws {
    let lists = [("a.json", Self.list("\"https://a.example\"")), ("b.json", Self.list("\"b.example\""))]
    let made = try read(files: "files: [/t/a.json, /t/b.json, /t/c.json], refresh_interval: 1m", lists)
    #expect(made.names == ["web b.example"])
    #expect(made.imported.sections.discover.map { $0.entry["file"]?.word } == ["/t/a.json"])
    #expect(made.imported.sections.discover[0].entry.notes.map(\.why).filter { $0.contains("beside") } == [])
    let places = made.imported.notes.filter { $0.why.contains("read once") || $0.why.contains("not given") }
    #expect(
      places.map(\.line) == [
        "not carried: p.yml:14: scrape_configs[0].file_sd_configs[0].files[2]: its targets are in a file that was not given: import it too",
        "not carried: p.yml:14: scrape_configs[0].file_sd_configs[0].files[1]: \(Self.readOnce)",
        "not carried: p.yml:14: scrape_configs[0].file_sd_configs[0].refresh_interval: \(Self.readOnce)",
      ])
  }

  /// agent.yaml takes so many; the rest stays as it was.
  @Test func thirtyTwoAtMost() throws {
    let lists = (0..<33).map { ("\($0).json", Self.list("\"https://h\($0).example\"")) }
    let made = try read(files: "files: [\(lists.map(\.0).joined(separator: ", "))]", lists)
    #expect(made.imported.sections.discover.count == 32 && made.names == ["web https://h32.example"])
    #expect(made.imported.sections.discover.map(\.template.name) == (2...33).map { "web (\($0))" })
  }

  /// Names of modules are a stranger's, and no check of an entry is called as another one is.
  @Test func namesMeanNothingElse() throws {
    let text = """
      modules: {"a${host}\\n- b: \\"$": {prober: http}}
      scrape_configs:
      - &j
        job_name: one
        metrics_path: /probe
        params: {module: ["a${host}\\n- b: \\"$"]}
        static_configs: [{targets: ["http://s.example"]}]
        file_sd_configs: [{files: ["t\\n$ ${env:HOME} *.json"]}]
        relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
      - {<<: *j, job_name: two}
      """
    let list = ("t\n$ ${env:HOME} 1.json", Self.list("\"http://s.example\""))
    let made = try ReadSource(.blackbox, [("p.yml", text), list])
    #expect(made.imported.sections.discover.count == 2, "\(made.reasons)")
    let loaded = try loaded(made, [list])
    #expect(loaded.warnings == [])
    #expect(
      loaded.settings.checks.map(\.name) == [
        "a${host}\\u{a}- b: \"$ http://s.example", "a${host}\\u{a}- b: \"$ http://s.example (2)",
        "a-{host}\\u{a}- b: \"- http://s.example", "a-{host}\\u{a}- b: \"- (2) http://s.example",
      ])
    #expect(loaded.settings.checks.map(\.target) == Array(repeating: "http://s.example/", count: 4))
    #expect(loaded.settings.checks.map(\.tags) == [["job:one"], ["job:two"], ["job:one"], ["job:two"]])
    #expect(
      loaded.settings.discover.map(\.place) == Array(repeating: .files("t\n$ ${env:HOME} *.json"), count: 2))
  }
}
