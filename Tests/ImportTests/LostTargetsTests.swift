// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// Targets of the exporter that become no check are left out by their names.
@Suite struct LostTargetsTests {
  private static let rules =
    "relabel_configs: [{source_labels: [__address__], target_label: __param_target}]"

  private func left(_ made: ReadSource) -> [String] {
    made.imported.leftOut.map { "\($0.name) \($0.why)" }
  }

  private func job(_ more: String) throws -> ReadSource {
    try ReadSource(
      .blackbox,
      """
      modules: {m: {prober: http}}
      scrape_configs:
      - job_name: j
        metrics_path: /probe
        params: {module: [m]}
        \(more)
        \(Self.rules)
      """)
  }

  @Test(arguments: [
    ("kubernetes_sd_configs: [{role: service}]", "kubernetes_sd_configs"),
    ("http_sd_configs: [{url: x}]", "http_sd_configs"), ("ec2_sd_configs: [{region: x}]", "ec2_sd_configs"),
  ])
  func jobsThatDiscover(setting: String, name: String) throws {
    let made = try job(setting)
    #expect(
      made.names == [] && left(made) == ["\"job j\" its targets of \(name) are known to Prometheus only"])
    let both = try job("\(setting)\n  static_configs: [{targets: [\"https://a.example\"]}]")
    #expect(both.names == ["m https://a.example"] && left(both) == left(made))
  }

  @Test func filesThatAreNotGiven() throws {
    let made = try job("file_sd_configs: [{files: [\"/t/*.json\"]}]")
    #expect(left(made) == ["\"job j\" its targets are in a file that was not given: import it too"])
  }

  @Test func targetsWithoutAModule() throws {
    let made = try ReadSource(
      .blackbox,
      "modules: {n: {prober: http}}\nscrape_configs:\n- job_name: j\n  metrics_path: /probe\n"
        + "  params: {module: [m]}\n  static_configs: [{targets: [\"https://a.example/?key=x\"]}]\n  \(Self.rules)\n"
    )
    #expect(left(made) == ["\"m https://a.example/?key=\" no file given has the module \"m\""])
  }

  private static let probe = """
    kind: Probe
    metadata: {name: p}
    spec:
      module: http_2xx
      targets: {staticConfig: {static: ["https://a.example/"]}}
    """

  /// A Probe object of which nothing comes is named, and its targets say why.
  @Test(
    arguments: [
      (
        "prober: {url: \"snmp:9116\", path: /snmp}\n  targets: {staticConfig: {static: [a.example]}}",
        "the exporter is asked for none of its targets", "it is scraped at /snmp, not probed"
      ),
      (
        "prober: {url: \"e:9115\", path: \"/probe?module=m\"}\n  targets: {staticConfig: {static: [a.example]}}",
        "the exporter is asked for none of its targets", "it is scraped at /probe?module=m, not probed"
      ),
      ("prober: {url: \"e:9115\"}\n  targets: {staticConfig: {static: []}}", "it lists no targets", nil),
      ("prober: {url: \"e:9115\"}", "it lists no targets", nil),
      (
        "prober: {url: \"e:9115\"}\n  targets: {ingress: {selector: {}}}",
        "an Ingress is not looked up here: list its addresses", nil
      ),
    ] as [(String, String, String?)])
  func probesThatComeToNothing(spec: String, why: String, reason: String?) throws {
    let made = try ReadSource(
      .blackbox,
      "modules: {m: {prober: http}}\n---\nkind: Probe\nmetadata: {name: p}\nspec:\n  module: m\n  \(spec)\n")
    #expect(made.names == [] && left(made) == ["\"Probe p\" \(why)"])
    if let reason { #expect(made.reasons.contains(reason), "\(made.reasons)") }
  }

  @Test func aProbeWithoutASpec() throws {
    let made = try ReadSource(
      .blackbox, "modules: {m: {prober: http}}\n---\nkind: Probe\nmetadata: {name: p}\n")
    #expect(left(made) == ["\"Probe p\" it lists no targets"])
  }

  /// Values are merged into those of the chart, which has a module of its own.
  @Test(
    arguments: [
      ("icmp: {prober: icmp}", nil), ("http_2xx: {http: {valid_status_codes: [204]}}", "[204]"),
    ] as [(String, String?)])
  func theModuleOfTheChart(module: String, status: String?) throws {
    let made = try ReadSource(
      .blackbox, [("v.yaml", "config: {modules: {\(module)}}\n"), ("p.yaml", Self.probe)])
    #expect(made.names == ["http_2xx https://a.example/"] && made.problems == [])
    let check = try #require(made.imported.checks.first)
    #expect(check["timeout"]?.word == "5s" && check["expect.http_version"]?.word == "~ ^(1\\.1|2)$")
    #expect(try made.keys().contains("status: [204]") == (status != nil))
  }

  /// A module that two files define in different ways changes the checks, one that is the same does not.
  @Test(arguments: [("204", 1), ("401", 0)]) func modulesOfTwoExporters(status: String, notes: Int) throws {
    func values(_ status: String) -> String {
      "config: {modules: {http_2xx: {prober: http, http: {valid_status_codes: [\(status)]}}}}\n"
    }
    let made = try ReadSource(
      .blackbox, [("lan.yaml", values("401")), ("vpn.yaml", values(status)), ("p.yaml", Self.probe)])
    let check = try #require(made.imported.checks.first)
    let why = "other files have another module of this name: the last definition is taken"
    #expect(check.notes.filter { $0.why == why }.map(\.change) == Array(repeating: .changed, count: notes))
  }

  @Test func targetsOfTheChart() throws {
    let made = try ReadSource(
      .blackbox,
      "config: {modules: {m: {prober: icmp}}}\nserviceMonitor: {targets: [{name: a, url: x}, {url: y}]}\n")
    let why = "the targets of the chart become no checks: write them as static_configs of a job"
    #expect(left(made) == ["\"target a\" \(why)", "\"target y\" \(why)"])
  }

  /// Files of jobs are carried where they are given.
  @Test(arguments: [("jobs/*.yml", []), ("jobs/*.json", ["\"files jobs/*.json\""])] as [(String, [String])])
  func filesOfJobs(pattern: String, names: [String]) throws {
    let jobs = "scrape_configs: [{job_name: k, static_configs: [{targets: [a]}]}]\n"
    let made = try ReadSource(
      .blackbox, [("p.yml", "scrape_configs: []\nscrape_config_files: [\(pattern)]\n"), ("jobs/a.yml", jobs)])
    #expect(made.imported.leftOut.map(\.name) == names && made.imported.carried == (names.isEmpty ? 1 : 0))
    // The file that names them is not one of them.
    let alone = try ReadSource(
      .blackbox, [("p.yml", "scrape_configs: []\nscrape_config_files: [\(pattern)]\n")])
    #expect(alone.imported.leftOut.map(\.name) == ["\"files \(pattern)\""])
  }
}
