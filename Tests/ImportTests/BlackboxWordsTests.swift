// SPDX-License-Identifier: MIT

import Import
import Testing

/// Words of modules and jobs that mean more than they seem to: versions, hosts, instances, defaults and charts.
@Suite struct BlackboxWordsTests {
  private static func job(_ more: String, _ target: String) -> String {
    """
    scrape_configs:
    - job_name: j
      metrics_path: /probe
    \(more)  static_configs: [{targets: ["\(target)"]}]
      relabel_configs: [{source_labels: [__address__], target_label: __param_target}]

    """
  }

  private func read(
    _ module: String, of target: String = "https://a.example", more: String = "  params: {module: [m]}\n"
  ) throws -> ReadSource {
    try ReadSource(.blackbox, "modules: {m: {\(module)}}\n" + Self.job(more, target))
  }

  /// The exporter compares with the words of Go, in which version 2 has a point and a zero.
  @Test(
    arguments: [
      ("HTTP/1.1, HTTP/2.0", "~ ^(1\\.1|2)$", 0), ("HTTP/1.1, HTTP/2", "~ ^(1\\.1)$", 1),
      ("HTTP/2", "~ ^()$", 1), ("HTTP/1.0", "~ ^(1\\.0)$", 0), ("http/1.1, '1.1', HTTP/3.0", "~ ^(3)$", 2),
    ] as [(String, String, Int)])
  func versions(given: String, pattern: String, listed: Int) throws {
    let made = try read("prober: http, http: {valid_http_versions: [\(given)]}")
    let check = try #require(made.imported.checks.first)
    #expect(check["expect.http_version"]?.word == pattern && made.imported.listed == listed)
    let why = "no answer has this version in the exporter: that of HTTP/2 is HTTP/2.0"
    #expect(made.reasons == Array(repeating: why, count: listed) && made.problems == [])
  }

  /// The host that a module names is also that of the certificate, unless `server_name` says another.
  @Test(
    arguments: [
      ("headers: {Host: b.example}", "https://192.0.2.1/x", "b.example"),
      ("headers: {hOST: \"b.example:8443\"}", "https://192.0.2.1:8443/x", "b.example"),
      ("headers: {Host: b.example}", "http://192.0.2.1/x", nil),
      ("headers: {Host: b.example}", "192.0.2.1", nil),
      ("headers: {Host: A.example}", "https://a.example?b", nil),
      ("headers: {Host: b.example}, tls_config: {server_name: c.example}", "https://192.0.2.1", "c.example"),
      ("headers: {X-Host: b.example}", "https://192.0.2.1", nil),
      ("http_headers: {Host: {values: [b.example]}}", "https://192.0.2.1", nil),
    ] as [(String, String, String?)])
  func namesOfCertificates(settings: String, target: String, name: String?) throws {
    let made = try read("prober: http, http: {\(settings)}", of: target)
    #expect(made.imported.checks.first?["tls.server_name"]?.word == name)
  }

  /// The parameter `hostname` takes the place of the module's Host header, and of the name that it gives TLS; `server_name`
  /// stays.
  @Test(
    arguments: [
      ("", "p.example:8443", "p.example:8443", "p.example"),
      ("headers: {Host: b.example}", "p.example", "p.example", "p.example"),
      ("tls_config: {server_name: c.example}", "p.example", "p.example", "c.example"),
      (
        "headers: {Host: b.example}, tls_config: {server_name: c.example}", "p.example", "p.example",
        "c.example"
      ),
    ])
  func namesOfTheParameter(settings: String, hostname: String, host: String, name: String) throws {
    let made = try read(
      "prober: http, http: {\(settings)}", of: "https://192.0.2.1",
      more: "  params: {module: [m], hostname: [\"\(hostname)\"]}\n")
    let check = try #require(made.imported.checks.first)
    #expect(check["headers.Host"]?.word == host && check["tls.server_name"]?.word == name)
  }

  /// Whether TLS is asked for the name `p.example`, by what the check says without the parameter.
  @Test(
    arguments: [
      ("http", [("url", .text("https://192.0.2.1"))], "p.example"),
      ("http", [("url", .text("HTTPS://192.0.2.1"))], "p.example"),
      ("http", [("url", .text("https://192.0.2.1")), ("follow", .plain("false"))], "p.example"),
      // A redirect may lead to TLS.
      ("http", [("url", .text("http://192.0.2.1"))], "p.example"),
      ("http", [("url", .text("http://192.0.2.1")), ("follow", .plain("false"))], nil),
      (
        "http",
        [
          ("url", .text("https://192.0.2.1")), ("headers", .map([("host", .text("B.example:1"))])),
          ("tls.server_name", .text("B.example")),
        ], "p.example"
      ),
      (
        "http",
        [
          ("url", .text("https://192.0.2.1")), ("headers", .map([("Host", .text("b.example"))])),
          ("tls.server_name", .text("c.example")),
        ], "c.example"
      ),
      ("tcp", [("host", .text("192.0.2.1"))], nil),
      ("tcp", [("host", .text("192.0.2.1")), ("tls", .plain("true"))], "p.example"),
      ("tcp", [("host", .text("192.0.2.1")), ("starttls", .text("smtp"))], "p.example"),
      ("tcp", [("host", .text("192.0.2.1")), ("tls.server_name", .text("c.example"))], "c.example"),
      ("ping", [("host", .text("192.0.2.1"))], nil),
    ] as [(String, [(name: String, value: AgentValue)], String?)])
  func namesInTLS(type: String, keys: [(name: String, value: AgentValue)], name: String?) {
    var check = ImportedCheck(name: "a", type: type)
    for key in keys { check[key.name] = key.value }
    check.asks(for: "p.example:8443")
    #expect(check["tls.server_name"]?.word == name)
    #expect(check["headers.Host"]?.word == (type == "http" ? "p.example:8443" : nil))
    #expect(check["headers.host"] == nil)
  }

  @Test(arguments: ["192.0.2.1", "192.0.2.1:80", "a.example:9100", "2001:db8::1"])
  func hostsOfPings(target: String) throws {
    let made = try read("prober: icmp", of: target)
    #expect(made.imported.checks.first?["host"]?.word == target)
    #expect(made.problems.isEmpty == !target.hasSuffix("0"))
  }

  /// The exporter takes `http_2xx` where a request names no module; at another port it may be another exporter.
  @Test(arguments: [("e:9115", ["http_2xx a.example"]), ("e:9222", []), ("9115", [])])
  func theModuleThatIsNotNamed(address: String, names: [String]) throws {
    let made = try ReadSource(
      .blackbox,
      """
      modules: {http_2xx: {prober: http}}
      scrape_configs:
      - job_name: j
        metrics_path: /probe
        static_configs: [{targets: [a.example]}]
        relabel_configs:
        - {source_labels: [__address__], target_label: __param_target}
        - {target_label: __address__, replacement: "\(address)"}
      """)
    #expect(made.names == names)
    let why =
      names.isEmpty
      ? "nothing says by which module it is probed: set params.module"
      : "no module is named: http_2xx is what the exporter takes"
    #expect(made.reasonCounts[why] == 1 && (names.isEmpty || made.problems == []))
  }

  /// An instance of its own is kept, one that repeats the target is not.
  @Test(arguments: [
    ("labels: {instance: shop}", "", ["job:j", "instance:shop"]),
    ("labels: {instance: a.example}", "", ["job:j"]),
    ("", "{source_labels: [__param_target], target_label: instance}", ["job:j"]),
    (
      "labels: {env: live}", "{source_labels: [env], target_label: instance, replacement: x-$1}",
      ["job:j", "env:live", "instance:x-live"]
    ),
  ])
  func instances(labels: String, rule: String, tags: [String]) throws {
    let made = try ReadSource(
      .blackbox,
      """
      modules: {m: {prober: icmp}}
      scrape_configs:
      - job_name: j
        metrics_path: /probe
        params: {module: [m]}
        static_configs: [{targets: [a.example], \(labels)}]
        relabel_configs:
        - {source_labels: [__address__], target_label: __param_target}
        \(rule.isEmpty ? "" : "- \(rule)")
      """)
    #expect(made.imported.checks.map(\.tags) == [tags])
  }

  /// A condition sees the data of a record; a pattern of what stands before it is listed.
  @Test(arguments: [
    ("192\\\\.0\\\\.2\\\\.7", true), (".*192.0.2.7", true), ("mail.a.example", true), (".+", true),
    ("a.example.*192.0.2.7", false), (".*a\\\\.example", false), ("example", false),
    ("IN.*192.0.2.7", false),
    ("IN\\\\s+MX", false), ("\\\\s192.0.2.7", false), ("MX 10", false), ("^10", false),
    ("300\\t", false), ("[[:space:]]10", false),
  ])
  func patternsOfRecords(pattern: String, isCarried: Bool) throws {
    for key in ["fail_if_matches_regexp", "fail_if_none_matches_regexp"] {
      let rules = "validate_answer_rrs: {\(key): [\"\(pattern)\"]}"
      let made = try read(
        "prober: dns, dns: {query_name: a.example., query_type: MX, \(rules)}", of: "192.0.2.53")
      let check = try #require(made.imported.checks.first)
      #expect((check["expect.answers"] != nil) == isCarried, "\(pattern)")
      let why = "laxer: conditions see the data of an answer, without name, TTL and type"
      #expect(
        check.notes.map { "\($0.change?.rawValue ?? "listed"): \($0.why)" } == (isCarried ? [] : [why]))
    }
  }

  /// Values of the exporter's Helm chart, alone or inside a HelmRelease, have the modules.
  @Test(arguments: [
    "config: {modules: {m: {prober: icmp}}}\nserviceMonitor: {targets: [{url: x}]}\nreplicas: 1",
    "kind: HelmRelease\nspec:\n  values:\n    config: {modules: {m: {prober: icmp}}}\n"
      + "    serviceMonitor: {targets: [{url: x}]}",
  ])
  func valuesOfAChart(text: String) throws {
    let made = try ReadSource(
      nil, [("v.yaml", text), ("p.yml", Self.job("  params: {module: [m]}\n", "a.example"))])
    #expect(made.names == ["m a.example"])
    #expect(
      made.reasonCounts == [
        "the targets of the chart become no checks: write them as static_configs of a job": 1,
        "it is about the Helm chart": 1,
      ])
  }

  /// Another object than a Probe is named, and a list of objects is looked into.
  @Test func otherObjects() throws {
    let made = try ReadSource(
      .blackbox,
      """
      apiVersion: v1
      kind: List
      items:
      - apiVersion: monitoring.coreos.com/v1
        kind: ServiceMonitor
        spec: {endpoints: [{path: /probe}]}
      """)
    let why = "an object of this kind is not read: write its targets as a Probe or a job"
    #expect(made.reasonCounts[why] == 3 && made.names == [])
  }

  /// Before STARTTLS a check compares nothing: what each server says there is left out, another pattern is listed.
  @Test(
    arguments: [
      ("{expect: '^220 ([^ ]+) ESMTP (.+)$'}, {send: EHLO a}, {expect: ^250-STARTTLS}, {send: STARTTLS}", 0),
      ("{expect: OK.*STARTTLS}, {send: . STARTTLS}, {expect: OK}", 0),
      ("{expect: '^\\+OK'}, {send: STLS}, {expect: ^.OK}", 0),
      ("{expect: ^220 mail.shop.example}, {send: EHLO a}, {expect: ^250-AUTH}, {send: STARTTLS}", 2),
    ] as [(String, Int)])
  func greetings(steps: String, listed: Int) throws {
    let made = try read(
      "prober: tcp, tcp: {query_response: [\(steps), {starttls: true}]}", of: "a.example:25")
    let check = try #require(made.imported.checks.first)
    #expect(check["starttls"] != nil && check["dialog"] == nil)
    let why = "the greeting before STARTTLS is not compared"
    #expect(check.notes.map(\.why) == Array(repeating: why, count: listed))
    #expect(check.notes.allSatisfy { $0.change == .laxer } && made.imported.listed == listed)
  }

  /// A label that repeats the target has none of its credentials.
  @Test func labelsHaveNoCredentials() throws {
    let made = try ReadSource(
      .blackbox,
      """
      modules: {m: {prober: http}}
      scrape_configs:
      - job_name: j
        metrics_path: /probe
        params: {module: [m]}
        static_configs:
        - {targets: ["https://u:p4ss@a.example/?token=s3cret&b=1"], labels: {owner: ann@a.example}}
        relabel_configs:
        - {source_labels: [__address__], target_label: __param_target}
        - {source_labels: [__address__], target_label: url}
        - {source_labels: [__address__], target_label: instance, replacement: "$1#x"}
      """)
    let shown = "https://a.example/?token=&b=1"
    let tags = ["job:j", "owner:ann@a.example", "url:\(shown)", "instance:\(shown)"]
    #expect(made.imported.checks.map(\.tags) == [tags])
    #expect(!made.text.contains("p4ss") && !made.text.contains("s3cret"))
  }

  @Test func filesOfJobsAreAskedFor() throws {
    let made = try read("prober: icmp", of: "a.example", more: "  params: {module: [m]}\n")
    #expect(made.reasons == [])
    let other = try ReadSource(
      .blackbox, "modules: {m: {prober: icmp}}\nscrape_config_files: [a.yml]\n" + Self.job("", "b"))
    #expect(other.reasons.contains("its jobs are in files of their own: give these as well"))
  }
}
