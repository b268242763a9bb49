// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// A value of a known key that is none: the usual one is taken, and the check says that it changed.
@Suite struct UnreadValuesTests {
  struct Source: Sendable, CustomTestStringConvertible {
    var format: ImportFormat
    var text: String
    /// Keys that are named.
    var keys: [String]
    var testDescription: String { format.rawValue }
  }

  static let sources = [
    Source(
      format: .cloudprober,
      text: """
        probe { name: "p" type: PING interval: "1223" timeout_msec: soon targets { host_names: "a.example" }
          ping_probe { packets_per_probe: many } }
        """,
      keys: ["probe.interval", "probe.timeout_msec", "probe.ping_probe.packets_per_probe"]),
    Source(
      format: .telegraf,
      text: """
        [[inputs.http_response]]
        urls = ["http://a.example"]
        response_timeout = "later"
        response_status_code = "two"
        interval = "soon"
        """,
      keys: [
        "inputs.http_response[0].response_timeout", "inputs.http_response[0].response_status_code",
        "inputs.http_response[0].interval",
      ]),
    Source(
      format: .nagios,
      text: """
        define host {
         host_name h
        }
        define command {
         command_name c
         command_line /p/check_tcp -H a.example -p 25
        }
        define service {
         host_name h
         service_description s
         check_command c
         check_interval soon
         retry_interval never
         max_check_attempts x
        }
        """,
      keys: ["[2].check_interval", "[2].retry_interval", "[2].max_check_attempts"]),
    Source(
      format: .icinga2,
      text: """
        object Host "h" {
          address = "192.0.2.1"
          check_command = "ping4"
          check_interval = "soon"
          retry_interval = -5
          max_check_attempts = "x"
        }
        """,
      keys: ["Host[h].check_interval", "Host[h].retry_interval", "Host[h].max_check_attempts"]),
    Source(
      format: .smokeping,
      text: """
        *** Database ***
        step = 300
        pings = 20
        *** Probes ***
        + FPing
        binary = /usr/bin/fping
        step = soon
        pings = many
        *** Targets ***
        probe = FPing
        + a
        host = a.example
        """,
      keys: ["Probes[FPing].step", "Probes[FPing].pings"]),
    Source(
      format: .checkly,
      text: """
        [{"name":"n","frequency":"often","maxResponseTime":true,"activated":"perhaps",
          "request":{"url":"https://a.example","skipSSL":"x"}}]
        """,
      keys: ["[0].frequency", "[0].maxResponseTime", "[0].activated", "[0].request.skipSSL"]),
    Source(
      format: .upptime,
      text: """
        owner: a
        sites:
          - name: x
            url: https://a.example
            maxResponseTime: fast
            requestTimeout: long
        """,
      keys: ["sites[0].maxResponseTime", "sites[0].requestTimeout"]),
    Source(
      format: .gatus,
      text: """
        endpoints:
          - name: a
            url: https://a.example/
            enabled: perhaps
            client: {insecure: maybe}
            conditions: ["[STATUS] == 200"]
        """,
      keys: ["endpoints[0].enabled", "endpoints[0].client.insecure"]),
  ]

  @Test(arguments: sources) func itSaysSoBesideTheCheck(source: Source) throws {
    let made = try ReadSource(source.format, source.text)
    let notes = try #require(made.imported.checks.first).notes.filter { $0.why == Ledger.misread }
    #expect(Set(notes.map { String($0.place.drop { $0 != " " }.dropFirst()) }) == Set(source.keys))
    #expect(notes.allSatisfy { $0.change == .changed && $0.isValue })
    #expect(!made.reasons.contains(Ledger.unknownKey) && made.problems == [])
  }

  /// Prometheus knows no span of time without a unit.
  @Test func aPaceThatIsNoneIsNamedBesideEachCheck() throws {
    let made = try ReadSource(
      .blackbox,
      [
        ("b.yml", "modules: {m: {prober: tcp, timeout: abc}}"),
        (
          "p.yml",
          """
          scrape_configs:
          - job_name: j
            metrics_path: /probe
            scrape_interval: 30
            params: {module: [m]}
            static_configs: [{targets: ["a.example:80", "b.example:80"]}]
            relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
          """
        ),
      ])
    for check in made.imported.checks {
      #expect(check.notes.map(\.why) == [Ledger.misread, Ledger.misread])
      #expect(
        Set(check.notes.map(\.place)) == ["scrape_interval", "b.yml:1: modules.m.timeout"]
          && check["interval"]?.word == "1m")
    }
    #expect(made.names.count == 2 && made.problems == [])
  }

  @Test func databasesOfSmokepingHaveToSayThePace() throws {
    let made = try ReadSource(.smokeping, "*** Targets ***\nprobe = FPing\n+ a\nhost = a.example\n")
    #expect(
      made.imported.checks[0].notes.map(\.line) == [
        "changed: step: *** Database *** has to say it, and is not in the files: 5m is taken",
        "changed: pings: *** Database *** has to say it, and is not in the files: 20 is taken",
      ])
  }

  /// Numbers beyond what agent.yaml takes are named, with what became of them.
  @Test(
    arguments: [
      (
        ImportFormat.cloudprober,
        "probe { name: \"p\" type: PING targets { host_names: \"a\" } interval_msec: 60000 timeout_msec: 30000 ping_probe { packets_per_probe: 500 payload_size: 9000 } }",
        [
          "changed: packets_per_probe: 500 is made 100, the most there is",
          "changed: payload_size: 9000 is made 1472, the most there is",
        ]
      ),
      (
        .cloudprober,
        "probe { name: \"p\" type: HTTP targets { host_names: \"a\" } http_probe { max_redirects: 30 } }",
        ["stricter: max_redirects: 30 is made 20, the most there is"]
      ),
      (
        .telegraf,
        "[[inputs.ping]]\nurls = [\"a\"]\ncount = 300\nping_interval = 0.01\ndeadline = 30\ninterval = \"60s\"\n",
        ["changed: count: 300 is made 100, the most there is"]
      ),
      (
        .upptime, "owner: a\nsites: [{name: x, url: \"https://a.example\", maxRedirects: 40}]",
        ["stricter: maxRedirects: 40 is made 20, the most there is"]
      ),
      (
        .cloudprober,
        "probe { name: \"p\" type: HTTP targets { host_names: \"a\" } validator { name: \"v\" http_validator { success_status_codes: \"200,2xx\" } } }",
        [
          "laxer: f:1: probe.validator.http_validator.success_status_codes: one of them is no status and no range of statuses"
        ]
      ),
    ] as [(ImportFormat, String, [String])])
  func numbersBeyondTheirRange(format: ImportFormat, text: String, lines: [String]) throws {
    let made = try ReadSource(format, text)
    let changes = made.imported.checks[0].notes.filter { $0.change != nil }.map(\.line)
    #expect(changes.filter { !$0.hasPrefix("stricter: timeout") } == lines)
    #expect(made.problems == [])
  }

  /// What holds for all checks of a source is named beside each.
  @Test(
    arguments: [
      (
        ImportFormat.telegraf, "[agent]\ninterval = \"soon\"\n[[inputs.ping]]\nurls = [\"a\", \"b\"]\n",
        "changed: agent.interval: \(Ledger.misread)", "10s"
      ),
      (
        .upptime,
        "owner: a\nsites: [{name: x, url: \"https://a.example\"}, {name: y, url: \"https://b.example\"}]\nworkflowSchedule: {uptime: often}",
        "changed: workflowSchedule.uptime: it is no cron expression that comes every so many minutes: 5m is taken",
        "5m"
      ),
      (
        .nagios,
        """
        interval_length=inf
        define command {
         command_name c
         command_line /p/check_ssh -H 192.0.2.1
        }
        define host {
         host_name a
         check_command c
        }
        define host {
         host_name b
         check_command c
        }
        """, "changed: interval_length: \(Ledger.misread)", "5m"
      ),
    ] as [(ImportFormat, String, String, String)])
  func aPaceOfAllChecks(format: ImportFormat, text: String, line: String, interval: String) throws {
    let made = try ReadSource(format, text)
    #expect(made.imported.checks.count == 2 && made.problems == [])
    for check in made.imported.checks {
      #expect(check.notes.map(\.line).contains(line) && check["interval"]?.word == interval)
    }
    #expect(made.imported.notes.contains { $0.isValue && $0.change == .changed })
  }
}
