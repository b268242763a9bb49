// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import TestSupport
import Testing

/// Files of each source with a port or a name, imported and run once: what arrives is what the other monitor sends.
@Suite struct ImportPortStories {
  struct Source: CustomTestStringConvertible, Sendable {
    var format: String
    var text: String
    /// What is sent to the port.
    var sent = ""
    var testDescription: String { format }
  }

  static func nagios(_ line: String) -> String {
    """
    define command {
      command_name odd
      command_line /usr/lib/nagios/plugins/\(line)
    }
    define host {
      host_name odd
      address 127.0.0.1
      max_check_attempts 1
    }
    define service {
      host_name odd
      service_description s
      check_command odd
      max_check_attempts 1
    }
    """
  }

  private static func icinga(_ command: String, _ variables: [String]) -> String {
    """
    object Host "odd" {
      address = "127.0.0.1"
    }
    object Service "s" {
      host_name = "odd"
      check_command = "\(command)"
      max_check_attempts = 1
      \(variables.map { "vars.\($0)" }.joined(separator: "\n  "))
    }
    """
  }

  private static func blackbox(_ prober: String, _ settings: String) -> String {
    """
    modules:
      odd: {prober: \(prober), timeout: 3s, \(prober): \(settings)}
    scrape_configs:
      - job_name: odd
        metrics_path: /probe
        params: {module: [odd]}
        static_configs: [{targets: ["127.0.0.1:PORT"]}]
        relabel_configs: [{source_labels: [__address__], target_label: __param_target}]
    """
  }

  private static func smokeping(_ probe: String, _ settings: String) -> String {
    """
    *** Database ***
    step = 300
    pings = 1
    *** Probes ***
    + \(probe)
    binary = /usr/bin/\(probe.lowercased())
    *** Targets ***
    + odd
    probe = \(probe)
    host = 127.0.0.1
    \(settings)
    """
  }

  private static func monitor(_ members: String) -> String {
    "{\"monitorList\": [{\"id\": 1, \"name\": \"odd\", \"interval\": 60, \"maxretries\": 0, \(members)}]}"
  }

  static let ports: [Source] = [
    Source(
      format: "blackbox",
      text: blackbox(
        "tcp",
        "{query_response: [{expect: '^220 (\\S+)', send: 'HELO ${1} $1 [$x] $$'}, {expect: '^250'}]}"),
      sent: "HELO odd.example odd.example [] $\n"),
    Source(
      format: "telegraf",
      text: """
        [[inputs.net_response]]
        protocol = "tcp"
        address = "127.0.0.1:PORT"
        send = "odd  x\\r\\n"
        expect = "220 od+"
        """, sent: "odd  x\r\n"),
    Source(
      format: "nagios",
      text: nagios("check_tcp -H $HOSTADDRESS$ -p PORT -E -s 'odd x\\r\\n' -e '220 odd' -q ''"),
      sent: "odd x\r\n"),
    Source(
      format: "icinga2",
      text: icinga("tcp", ["tcp_port = PORT", "tcp_send = \"odd x\\n\"", "tcp_expect = \"220\""]),
      sent: "odd x\n"),
    Source(
      format: "checkly",
      text: """
        [{"name": "odd", "checkType": "TCP", "request": {"hostname": "127.0.0.1", "port": PORT, "data": "odd ${x}\\r\\n",
          "assertions": [{"source": "RESPONSE_DATA", "property": "", "comparison": "CONTAINS", "target": "220 odd."}]}}]
        """, sent: "odd ${x}\r\n"),
    Source(
      format: "uptime-kuma", text: monitor("\"type\": \"port\", \"hostname\": \"127.0.0.1\", \"port\": PORT")),
    Source(
      format: "cloudprober",
      text: "probe { name: \"odd\" type: TCP targets { host_names: \"127.0.0.1\" } tcp_probe { port: PORT } }"
    ),
    Source(
      format: "gatus",
      text: "endpoints: [{name: odd, url: \"tcp://127.0.0.1:PORT\", conditions: [\"[CONNECTED] == true\"]}]"),
    Source(format: "smokeping", text: smokeping("TCPPing", "port = PORT")),
    Source(
      format: "upptime",
      text: "owner: a\nsites: [{name: odd, check: tcp-ping, url: 127.0.0.1, port: PORT}]"),
  ]

  static let names: [Source] = [
    Source(
      format: "gatus",
      text: """
        endpoints:
          - name: odd
            url: "127.0.0.1:PORT"
            dns: {query-name: odd.example, query-type: A}
            conditions: ["[BODY] == 192.0.2.7", "[DNS_RCODE] == NOERROR"]
        """),
    Source(
      format: "blackbox",
      text: blackbox(
        "dns",
        "{query_name: odd.example, query_type: A, validate_answer_rrs: {fail_if_none_matches_regexp: ['192.0.2.7']}}"
      )
    ),
    Source(
      format: "cloudprober",
      text: """
        probe { name: "odd" type: DNS targets { host_names: "127.0.0.1:PORT" }
          dns_probe { resolved_domain: "odd.example." query_type: A min_answers: 1 } }
        """),
    Source(
      format: "telegraf",
      text: """
        [[inputs.dns_query]]
        servers = ["127.0.0.1"]
        domains = ["odd.example"]
        record_type = "A"
        port = PORT
        """),
    Source(
      format: "uptime-kuma",
      text: monitor(
        "\"type\": \"dns\", \"hostname\": \"odd.example\", \"dns_resolve_type\": \"A\", \"port\": PORT, "
          + "\"dns_resolve_server\": \"127.0.0.1\"")),
    Source(
      format: "checkly",
      text: """
        [{"name": "odd", "checkType": "DNS", "request": {"query": "odd.example", "recordType": "A",
          "nameServer": "127.0.0.1", "port": PORT,
          "assertions": [{"source": "RESPONSE_CODE", "property": "", "comparison": "EQUALS", "target": "NOERROR"},
          {"source": "JSON_ANSWER", "property": "$.Answer[0].data", "comparison": "EQUALS", "target": "192.0.2.7"}]}}]
        """),
    Source(
      format: "nagios", text: nagios("check_dig -H 127.0.0.1 -p PORT -l odd.example -T A -a 192.0.2.7")),
    Source(
      format: "icinga2",
      text: icinga(
        "dig",
        [
          "dig_server = \"127.0.0.1\"", "dig_port = PORT", "dig_lookup = \"odd.example\"",
          "dig_record_type = \"A\"",
        ])),
    Source(
      format: "smokeping",
      text: smokeping("DNS", "lookup = odd.example\nrecordtype = A\nport = PORT\nrequire_noerror = 1")),
  ]

  private func once(_ source: Source, _ port: UInt16, in folder: URL) async throws {
    try source.text.replacing("PORT", with: "\(port)").write(
      to: folder.appending(path: "source"), atomically: true, encoding: .utf8)
    let made = try await AgentProcess(["import", source.format, "source", "-o", "agent.yaml"], in: folder)
      .finish()
    #expect(made.status < 2, "\(made.stderr)")
    let run = try await AgentProcess(["once", "-c", "agent.yaml"], in: folder).finish()
    #expect(run.status == 0, "\(made.stderr) \(run.stdout) \(run.stderr)")
  }

  @Test(arguments: ImportPortStories.ports) func whatArrivesAtAPort(_ source: Source) async throws {
    let arrived = Mutex<[String]>([])
    let server: @Sendable (LoopbackConnection) -> Void = { connection in
      connection.write("220 odd.example ready\r\n")
      let sent = connection.read(until: "\n")
      arrived.withLock { $0.append(sent) }
      connection.write("250 ok\r\n")
      connection.waitForEnd()
    }
    try await withTemporaryDirectory { folder in
      try await withLoopbackServer(script: server) { server in
        try await once(source, server.port, in: folder)
      }
      #expect(arrived.withLock { $0 } == [source.sent])
    }
  }

  @Test(arguments: ImportPortStories.names) func whatIsAskedOfANameServer(_ source: Source) async throws {
    let server = try TinyNameServer([[192, 0, 2, 7]])
    defer { server.stop() }
    try await withTemporaryDirectory { folder in try await once(source, server.port, in: folder) }
    #expect(server.questions == ["odd.example 1"])
  }
}
