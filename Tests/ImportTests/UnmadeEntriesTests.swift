// SPDX-License-Identifier: MIT

import Import
import Testing

/// An entry that becomes no check is listed with all its values, also with those that were read before that was known.
@Suite struct UnmadeEntriesTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var format: ImportFormat
    var text: String
    var reasons: [String: Int]
    var testDescription: String { text }
  }

  static let rows: [Row] = [
    Row(
      format: .checkly, text: #"[{"name":"n","checkType":"BROWSER","frequency":10}]"#,
      reasons: ["no check here does what one of type BROWSER does": 3]),
    Row(
      format: .cloudprober,
      text: "probe { name: \"p\" type: EXTERNAL targets { host_names: \"a\" } interval: \"9s\" }",
      reasons: ["no check here is of this kind": 4]),
    Row(
      format: .cloudprober, text: "probe { name: \"p\" type: HTTP interval: \"9s\" }",
      reasons: ["its targets are not listed in the file": 3]),
    Row(
      format: .telegraf,
      text: "[[inputs.net_response]]\nprotocol = 'udp'\naddress = 'a:53'\ntimeout = '2s'\n",
      reasons: ["no check here speaks to a port of UDP": 1, "no check was made of the input": 2]),
    Row(
      format: .telegraf, text: "[[inputs.cpu]]\npercpu = true\n",
      reasons: ["the input probes nothing that a check here probes": 1]),
  ]

  @Test(arguments: UnmadeEntriesTests.rows) func allItsValuesAreListed(row: Row) throws {
    let made = try ReadSource(row.format, row.text)
    #expect(made.names == [] && made.imported.carried == 0)
    #expect(made.reasonCounts == row.reasons)
  }

  /// A window that is none, of a file whose check is made.
  @Test(arguments: [
    ("start: x, duration: 1h", "it is no start and duration that can be written", 3),
    ("start: \"23:00\", duration: soon", "it is no start and duration that can be written", 3),
    ("start: \"23:00\", duration: 1h, every: [Noday]", "it names days that are none", 4),
  ])
  func aWindowThatIsNone(members: String, reason: String, count: Int) throws {
    let made = try ReadSource(
      .gatus,
      """
      maintenance: {enabled: true, \(members)}
      endpoints: [{name: a, url: "https://a.example/", conditions: ["[STATUS] == 200"]}]
      """)
    #expect(made.imported.sections.windows.isEmpty)
    #expect(made.reasonCounts[reason] == count)
  }

  private func exporter(_ module: String, _ targets: String) throws -> ReadSource {
    try ReadSource(
      .blackbox,
      """
      modules:
        m: {\(module)}
      scrape_configs:
        - job_name: j
          metrics_path: /probe
          params: {module: [m]}
          static_configs: [{targets: [\(targets)]}]
          relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
      """)
  }

  /// The settings of a module are those of its checks, and of none where it makes none.
  @Test func aModuleWithoutChecks() throws {
    let module = "prober: tcp, timeout: 5s, tcp: {tls: true}"
    let some = try exporter(module, "\"a.example\", \"b.example:1\"")
    #expect(some.names == ["m b.example:1"] && some.reasonCounts["the target has no port"] == 1)
    #expect(some.reasonCounts["none of its targets has a check"] == nil)
    #expect(try some.keys().contains("tls: true"))
    let none = try exporter(module, "\"a.example\"")
    #expect(none.names == [] && none.reasonCounts["the target has no port"] == 1)
    #expect(none.reasonCounts["none of its targets has a check"] == 3)
    let other = try exporter("prober: grpc, timeout: 5s, grpc: {tls: true}", "\"a.example:1\"")
    #expect(other.reasonCounts["agent.yaml has no checks of this kind"] == 3)
  }

  /// A packet of more than one frame is made one that fits.
  @Test(
    arguments: [("0", nil, 0), ("1", "1", 0), ("1472", "1472", 0), ("1473", "1472", 1), ("9000", "1472", 1)]
      as [(String, String?, Int)])
  func packetsOfTheExporter(size: String, made: String?, count: Int) throws {
    let source = try exporter("prober: icmp, icmp: {payload_size: \(size)}", "\"192.0.2.1\"")
    let check = try #require(source.imported.checks.first)
    #expect(check["size"]?.word == made && source.problems == [])
    let notes = check.notes.filter { $0.why == "a packet has 1472 bytes at most" }
    #expect(notes.map(\.change) == Array(repeating: .changed, count: count))
  }
}
