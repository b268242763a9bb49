// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// A value that changes several checks is counted once, and said beside each of them.
@Suite struct SharedNotesTests {
  struct Source: Sendable, CustomTestStringConvertible {
    var format: ImportFormat
    var files: [(name: String, text: String)]
    var line: String
    var testDescription: String { format.rawValue }
  }

  static let sources = [
    Source(
      format: .cloudprober,
      files: [
        (
          "f",
          "probe { name: \"p\" type: DNS targets { host_names: \"192.0.2.1,192.0.2.2\" } validator { regex: \"a\" } }"
        )
      ],
      line: "laxer: f:1: probe.validator.regex: a validator of this kind has no counterpart"),
    Source(
      format: .telegraf,
      files: [
        (
          "f",
          "[[inputs.http_response]]\nurls = [\"http://a.example\", \"http://b.example\"]\ncookie_auth_url = \"http://c.example\"\n"
        )
      ],
      line:
        "stricter: f:3: inputs.http_response[0].cookie_auth_url: the check logs in nowhere before, so what it asks for may be refused"
    ),
    Source(
      format: .smokeping,
      files: [
        (
          "f",
          "*** Database ***\nstep = 300\npings = 1\n*** Targets ***\n+ a\nprobe = SSH\nkeytype = rsa\n++ b\nhost = b.example\n++ c\nhost = c.example\n"
        )
      ],
      line: "laxer: f:7: Targets[a].keytype: no keys are exchanged"),
    Source(
      format: .blackbox,
      files: [
        ("b.yml", "modules: {m: {prober: icmp, icmp: {ttl: 9}}}"),
        (
          "p.yml",
          """
          scrape_configs:
          - metrics_path: /probe
            params: {module: [m]}
            static_configs: [{targets: [192.0.2.1, 192.0.2.2]}]
            relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
          """
        ),
      ],
      line: "changed: b.yml:1: modules.m.icmp.ttl: packets are sent as the kernel makes them"),
    Source(
      format: .icinga2,
      files: [
        (
          "f",
          """
          template Host "t" {
            check_command = "ping4"
            zone = "far"
          }
          object Host "a" {
            import "t"
            address = "192.0.2.1"
          }
          object Host "b" {
            import "t"
            address = "192.0.2.2"
          }
          """
        )
      ],
      line: "changed: f:3: Host[t].zone: an agent probes from where it stands"),
  ]

  @Test(arguments: sources) func eachCheckSaysIt(source: Source) throws {
    let made = try ReadSource(source.format, source.files)
    #expect(made.imported.checks.count == 2)
    for check in made.imported.checks {
      #expect(
        check.notes.filter { $0.change != nil }.map(\.line).contains(source.line),
        "\(check.name): \(check.notes.map(\.line))")
    }
    let notes = made.imported.notes + made.imported.checks.flatMap(\.notes)
    #expect(notes.count { $0.isValue } == made.imported.listed)
    #expect(notes.count { $0.isValue && $0.line == source.line } == 1)
  }

  /// The exporter asks one address; a check goes on to others.
  @Test(
    arguments: [
      ("preferred_ip_protocol: ip4", "a.example:80", 1),
      ("preferred_ip_protocol: ip4, ip_protocol_fallback: false", "a.example:80", 0),
      ("preferred_ip_protocol: ip4", "192.0.2.1:80", 0), ("preferred_ip_protocol: \"\"", "a.example:80", 0),
    ] as [(String, String, Int)])
  func aFamilyThatIsPreferredOnly(settings: String, target: String, count: Int) throws {
    let made = try ReadSource(
      .blackbox,
      [
        ("b.yml", "modules: {m: {prober: tcp, tcp: {\(settings)}}}"),
        (
          "p.yml",
          """
          scrape_configs:
          - metrics_path: /probe
            params: {module: [m]}
            static_configs: [{targets: ["\(target)"]}]
            relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
          """
        ),
      ])
    let line =
      "laxer: b.yml:1: modules.m.tcp.preferred_ip_protocol: addresses of the other family are asked, too, where this one "
      + "does not answer"
    #expect(made.imported.checks[0].notes.map(\.line) == Array(repeating: line, count: count))
  }
}
