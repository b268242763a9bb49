// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Jobs of Prometheus and Probe objects: which targets are probed, how often, by which module.
@Suite struct PrometheusTests {
  /// A name is shown to everybody who sees the page.
  @Test(arguments: [
    ("https://u:p@a.example/?token=s3cret&b=1#c", "https://a.example/?token=&b=1"),
    ("a.example/?apikey=s3cret", "a.example/?apikey="), ("u:p@a.example:1", "a.example:1"),
    ("https://a.example/?page=2", "https://a.example/?page=2"),
  ])
  func namesHaveNoCredentials(target: String, shown: String) {
    #expect(ForeignURL.withoutUser(target) == shown)
  }

  private static let modules = """
    modules:
      web: {prober: http, timeout: 8s}
      icmp: {prober: icmp}
      tls: {prober: tcp, tcp: {tls: true}}

    """
  private static let usual = """
      - {source_labels: [__address__], target_label: __param_target}
      - {target_label: __address__, replacement: "e:9115"}

    """

  private func read(
    _ job: String, rules: String = "", global: String = "", more: [(name: String, text: String)] = []
  )
    throws -> ReadSource
  {
    let text =
      "\(Self.modules)\(global)scrape_configs:\n- job_name: j\n  metrics_path: /probe\n\(job)\n  relabel_configs:\n\(rules)\(Self.usual)"
    return try ReadSource(.blackbox, [("p.yml", text)] + more)
  }

  /// Without those of modules that a test does not use.
  private func reasons(of made: ReadSource) -> [String] {
    made.reasons.filter { !$0.hasPrefix("no target given") }
  }

  @Test func rulesChooseAndNameTheModule() throws {
    let made = try read(
      """
        params: {module: [web]}
        static_configs:
        - {targets: [a.example, "b.example;icmp"], labels: {env: live}}
        - {targets: [c.example], labels: {env: test}}
      """,
      rules: [
        "{source_labels: [env], regex: test, action: drop}",
        "{source_labels: [__address__], regex: \"(.+);(.+)\", target_label: __param_module, replacement: $2}",
        "{source_labels: [__address__], regex: \"(.+);(.+)\", target_label: __address__, replacement: $1}",
        "{source_labels: [env], target_label: stage, action: uppercase}",
      ].map { "  - \($0)\n" }.joined())
    #expect(made.names == ["web a.example", "icmp b.example"] && made.problems == [])
    #expect(try made.keys(of: 1) == "type: ping\nhost: b.example\ncount: 1")
    #expect(made.text.contains("tags: [\"job:j\", \"env:live\", \"stage:LIVE\"]"))
    #expect(reasons(of: made) == ["relabel_configs[0] (line 13) drops it, so Prometheus does not probe it"])
  }

  /// The exporter answers half a second before the scrape gives up, or when the module's time is over.
  @Test(arguments: [
    ("", "", "8s"), ("  scrape_timeout: 5s\n", "", "4500ms"), ("  scrape_interval: 4s\n", "", "3500ms"),
    ("", "global: {scrape_timeout: 7s}\n", "6500ms"),
    ("  scrape_timeout: 20s\n", "global: {scrape_timeout: 7s}\n", "8s"),
  ])
  func timeouts(job: String, global: String, timeout: String) throws {
    let made = try read(
      "\(job)  params: {module: [web]}\n  static_configs: [{targets: [a.example]}]", global: global)
    #expect(made.imported.checks.first?["timeout"]?.word == timeout)
  }

  @Test func timesMayBeLabels() throws {
    let made = try read(
      "  params: {module: [icmp]}\n  static_configs: [{targets: [a], labels: {__scrape_interval__: 3m, __scrape_timeout__: 2s}}]"
    )
    #expect(made.imported.checks.first?["interval"]?.word == "3m")
    #expect(made.imported.checks.first?["timeout"]?.word == "1500ms")
  }

  @Test func otherJobsAreNoProbes() throws {
    let text = """
      \(Self.modules)scrape_configs:
      - {job_name: snmp, metrics_path: /snmp, params: {module: [web]}, static_configs: [{targets: [a]}]}
      - {job_name: node, static_configs: [{targets: [b]}]}
      - {job_name: x, metrics_path: /probe, params: {module: [web]}, static_configs: [{targets: [c]}]}
      - job_name: y
        metrics_path: /probe
        static_configs: [{targets: [d]}]
        relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
      """
    let made = try ReadSource(.blackbox, text)
    #expect(made.names == [])
    #expect(
      made.reasonCounts == [
        "this job scrapes metrics, it probes nothing": 6,
        "no rule sets __param_target, so the exporter is asked for no target": 1,
        "nothing says by which module it is probed: set params.module": 1,
        "no target given uses the module; give the scrape config or Probe as well": 5,
      ])
  }

  @Test func whatIsNotWorkedOutNamesItsRule() throws {
    let made = try read(
      "  params: {module: [icmp]}\n  static_configs: [{targets: [a]}]",
      rules: "  - {source_labels: [__address__], regex: \"\\\\p{L}+\", action: keep}\n")
    #expect(made.names == [])
    #expect(
      made.reasonCounts == [
        "the rule is none of Prometheus', or its pattern is not worked out here": 3,
        "relabel_configs[0] (line 11) is not worked out here": 1,
        "no target given uses the module; give the scrape config or Probe as well": 5,
      ])
    let meta = try read(
      "  params: {module: [icmp]}\n  static_configs: [{targets: [a]}]",
      rules: "  - {source_labels: [__meta_x], target_label: x}\n")
    #expect(meta.names == [])
  }

  @Test func filesOfTargetsAreReadWhereTheyAreGiven() throws {
    let job =
      "  params: {module: [icmp]}\n  file_sd_configs: [{files: [\"/etc/p/targets/*.json\", other.yml]}]"
    let made = try read(
      job, more: [("t/web.json", "[{\"targets\": [\"a\", \"b\"], \"labels\": {\"x\": \"y\"}}]")])
    #expect(made.names == ["icmp a", "icmp b"])
    #expect(
      reasons(of: made) == [
        "its targets are in a file that was not given: import it too",
        "its targets are those of the time of import: the file is read once",
      ])
  }

  @Test func theHostnameIsAskedFor() throws {
    let made = try read(
      "  params: {module: [web], hostname: [a.example], debug: [\"true\"]}\n  static_configs: [{targets: [\"https://192.0.2.1/\"]}]"
    )
    #expect(
      try made.keys() == """
        type: http
        url: https://192.0.2.1/
        headers:
          Host: a.example
        tls:
          server_name: a.example
        """)
    #expect(reasons(of: made) == ["the exporter reads target, module and hostname only"])
    #expect(made.problems == [])
  }

  /// Without an interval a Probe object has that of the Prometheus object, which no file given has.
  @Test(arguments: [("", "30s", true), ("interval: 1m", "1m", false)])
  func theIntervalOfAProbeObject(line: String, interval: String, isNoted: Bool) throws {
    let made = try ReadSource(
      .blackbox,
      """
      \(Self.modules)---
      kind: Probe
      metadata: {name: p}
      spec:
        module: icmp
        \(line)
        prober: {url: "e:9115"}
        targets: {staticConfig: {static: [a.example]}}
      """)
    let check = try #require(made.imported.checks.first)
    #expect(check["interval"]?.word == interval && check["timeout"]?.word != nil)
    let why = "the Prometheus object says how often, and is not in the files: its usual 30s is taken"
    #expect(
      check.notes.filter { $0.change != nil && $0.place == "spec.interval" }.map(\.why)
        == (isNoted ? [why] : []))
  }

  @Test func probeObjectsRelabel() throws {
    let made = try ReadSource(
      .blackbox,
      """
      \(Self.modules)---
      kind: Probe
      metadata: {name: p, namespace: shop}
      spec:
        module: icmp
        interval: 20s
        prober: {url: "e:9115"}
        targets:
          staticConfig:
            static: [a.example, b.example, c.example/x]
            labels: {env: live}
            relabelingConfigs:
            - {sourceLabels: [__param_target], regex: b.*, action: drop}
            - {sourceLabels: [__param_target], regex: "([^/]+)(/.*)?", targetLabel: __param_target, replacement: $1}
      """)
    #expect(made.names == ["icmp a.example", "icmp c.example"])
    #expect(made.text.contains("tags: [\"job:probe/shop/p\", \"namespace:shop\", \"env:live\"]"))
    #expect(made.imported.checks.first?["interval"]?.word == "20s")
  }
}
