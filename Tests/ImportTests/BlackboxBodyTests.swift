// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// What blackbox_exporter asks of a body besides its text, in checks that are imported.
@Suite struct BlackboxBodyTests {
  @Test(
    arguments: [
      ("compression: gzip", nil, ["laxer: an answer that is not compressed is taken, too; it fails there"]),
      ("compression: \"\"", nil, []), ("body_size_limit: 2KB", "2048B", []), ("body_size_limit: 0", nil, []),
      ("body_size_limit: 1GB", nil, ["stricter: an answer of more than 16 MiB is down here"]),
    ] as [(String, String?, [String])])
  func limitsAndCodings(setting: String, most: String?, lines: [String]) throws {
    let made = try ReadSource(
      .blackbox,
      [
        ("b.yml", "modules: {m: {prober: http, http: {\(setting)}}}"),
        (
          "p.yml",
          """
          scrape_configs:
          - metrics_path: /probe
            params: {module: [m]}
            static_configs: [{targets: ["http://a.example", "http://b.example"]}]
            relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
          """
        ),
      ])
    for check in made.imported.checks {
      #expect(check.notes.map { "\($0.change?.rawValue ?? "-"): \($0.why)" } == lines)
      #expect(check["max_body"]?.word == most)
    }
    #expect(made.names.count == 2 && made.problems == [])
  }
}
