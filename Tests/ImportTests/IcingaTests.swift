// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Icinga 2's objects, worked out as Icinga does; what they come to is what `icinga2 object list` shows for the same files.
@Suite struct IcingaTests {
  private static let base = """
    template Host "generic-host" {
      max_check_attempts = 3
      check_interval = 1m
      retry_interval = 30s
      check_command = "hostalive"
    }
    template Service "generic-service" {
      max_check_attempts = 5
      check_interval = 1m
      retry_interval = 30s
    }
    object Host "web1" {
      import "generic-host"
      address = "192.0.2.1"
      vars.os = "Linux" // a comment
      vars.http_vhosts["shop"] = {
        http_vhost = "shop.example"
        http_uri = "/health"
        http_ssl = true
      }
      vars.roles = [ "web", "db" ]
    }
    object Host "old" {
      import "generic-host"
      address = "192.0.2.2"
      vars.os = "BSD"
    }

    """

  private func read(_ text: String) throws -> ReadSource { try ReadSource(nil, Self.base + text) }

  @Test func hostsAreChecked() throws {
    let made = try read("")
    #expect(made.imported.format == .icinga2)
    #expect(made.names == ["web1 host", "old host"])
    #expect(
      try made.keys() == """
        type: ping
        host: "192.0.2.1"
        count: 5
        expect:
          rtt:
            fail: 5s
          loss:
            fail: 100%
        failure_threshold: 3
        interval_failing: 30s
        """)
    #expect(made.imported.checks[0]["interval"]?.word == "1m" && made.problems == [])
  }

  /// A page about a check is its runbook; one with macros of Icinga is listed.
  @Test func runbooks() throws {
    let made = try ReadSource(
      .icinga2,
      """
      object Host "h" {
        address = "192.0.2.1"
        check_command = "hostalive"
        notes_url = "https://wiki.example/h?id=1"
      }
      object Service "s" {
        host_name = "h"
        check_command = "tcp"
        vars.tcp_port = 80
        notes_url = "https://wiki.example/$host.name$"
      }
      """)
    #expect(
      made.imported.checks.map { $0["runbook"]?.word ?? "none" } == ["https://wiki.example/h?id=1", "none"])
    #expect(made.reasonCounts["it is shown on Icinga's pages only"] == 1 && made.problems == [])
  }

  @Test func applyRules() throws {
    let made = try read(
      """
      apply Service "ssh" {
        import "generic-service"
        check_command = "ssh"
        vars.ssh_port = 2222
        assign where (host.address || host.address6) && host.vars.os == "Linux"
      }
      apply Service "db-" for (role in host.vars.roles) {
        check_command = "tcp"
        vars.tcp_port = 5432
        assign where role == "db"
      }
      apply Service for (vhost => config in host.vars.http_vhosts) {
        import "generic-service"
        check_command = "http"
        vars += config
        vars.http_onredirect = "follow"
      }
      apply Service "load" {
        check_command = "load"
        assign where match("web*", host.name)
        ignore where host.vars.os in [ "BSD" ]
      }
      """)
    #expect(made.names == ["web1 host", "old host", "web1 ssh", "web1 db-db", "web1 shop"])
    #expect(
      try made.keys(of: 2)
        == "type: tcp\nhost: \"192.0.2.1\"\nport: 2222\ndialog: ssh\nfailure_threshold: 5\ninterval_failing: 30s"
    )
    #expect(
      try made.keys(of: 3)
        == "type: tcp\nhost: \"192.0.2.1\"\nport: 5432\nfailure_threshold: 3\ninterval_failing: 1m")
    #expect(made.imported.checks[3]["interval"]?.word == "5m")
    #expect(
      try made.keys(of: 4) == """
        type: http
        url: https://192.0.2.1/health
        headers:
          Host: shop.example
        tls:
          server_name: shop.example
          verify: false
        failure_threshold: 5
        interval_failing: 30s
        """)
    #expect(made.imported.leftOut.map(\.name) == ["\"web1 load\""])
    #expect(made.imported.leftOut.map(\.why) == ["no check here does what \"load\" does"])
    #expect(made.problems == [])
  }

  @Test func groupsByRules() throws {
    let made = try read(
      """
      object HostGroup "linux" { assign where host.vars.os == "Linux" }
      apply Service "dns" {
        check_command = "dns"
        vars.dns_lookup = "a.example"
        vars.dns_server = "192.0.2.53"
        vars.dns_expected_answers = [ "192.0.2.9" ]
        assign where "linux" in host.groups
      }
      """)
    #expect(made.names == ["web1 host", "old host", "web1 dns"])
    #expect(
      try made.keys(of: 2) == """
        type: dns
        server: "192.0.2.53"
        query:
          name: a.example
        expect:
          answers:
            any: ["192.0.2.9"]
        failure_threshold: 3
        interval_failing: 1m
        """)
  }

  @Test func conditionsAndWhatIsNotWorkedOut() throws {
    let made = try read(
      """
      apply Service "a" {
        check_command = "tcp"
        if (host.vars.os == "Linux") { vars.tcp_port = 22 } else { vars.tcp_port = 23 }
        assign where true
      }
      apply Service "b" {
        check_command = "tcp"
        vars.tcp_port = {{ 80 }}
        assign where host.name == "web1"
      }
      apply Service "c" {
        check_command = "tcp"
        assign where regex("^w", host.name)
      }
      apply Service "d" {
        check_command = "http"
        assign where host.name == NodeName
      }
      object Notification "n" { host_name = "web1" }
      """)
    #expect(made.names == ["web1 host", "old host", "web1 a", "old a"])
    #expect(made.imported.checks[2]["port"]?.word == "22" && made.imported.checks[3]["port"]?.word == "23")
    #expect(
      made.imported.leftOut.map { "\($0.name) \($0.why)" } == [
        "\"web1 b\" a function is not worked out", "\"web1 c\" the function regex is not worked out",
        "\"old c\" the function regex is not worked out",
        "\"web1 d\" NodeName is not known before Icinga runs",
        "\"old d\" NodeName is not known before Icinga runs",
        "\"notification n\" its command sends no mail to a user: write alerts.channels, see docs/alerts.md",
      ])
    #expect(
      made.reasonCounts == [
        "a function is not worked out": 1,
        "the function regex is not worked out": 3,
        "NodeName is not known before Icinga runs": 2,
        "no imported check uses this variable": 6,
        "no check was made of it": 1,
        "no object given imports the template": 4,
        "its command sends no mail to a user: write alerts.channels, see docs/alerts.md": 2,
      ])
    #expect(made.imported.carried + made.imported.listed == made.imported.total)
  }

  /// `host.templates` are those that it imports; its state is only known while Icinga runs.
  @Test func attributesOfHosts() throws {
    let made = try read(
      """
      apply Service "t" {
        check_command = "tcp"
        vars.tcp_port = 1
        assign where "generic-host" in host.templates && host.name == "old" && !host.groups
      }
      apply Service "s" {
        check_command = "tcp"
        assign where host.state == 0
      }
      """)
    #expect(made.names == ["web1 host", "old host", "old t"])
    #expect(
      made.imported.leftOut.map(\.why)
        == Array(repeating: "host.state is not known before Icinga runs", count: 2))
  }

  @Test func aMissingTemplateIsNamed() throws {
    let made = try read(
      "object Host \"x\" {\n import \"gone\"\n address = \"a\"\n check_command = \"ping4\"\n}\n")
    #expect(made.names.last == "x host")
    #expect(
      made.reasons.contains("the template is not in the files given, so what it sets is missing"))
  }

  @Test(arguments: [
    ("object Host \"a\" {\n address = \"b\n}", "f: line 2: a text has no end"),
    ("object Host \"a\" {\n", "f: line 2: } is expected"),
    ("object Host \"a\"\nx", "f: line 2: { is expected"),
    ("object Host \"a\" {\n x = [ 1\n", "f: line 3: ] is expected"),
  ])
  func whatIsNoObjectIsRefused(text: String, words: String) {
    #expect(throws: ImportProblem(words)) { try ReadSource(.icinga2, text) }
  }

  @Test func workIsBounded() {
    let hosts = (0..<3000).map { "object Host \"h\($0)\" {}\n" }.joined()
    let rules = (0..<300).map { "apply Service \"s\($0)\" {\n assign where host.name == \"x\"\n}\n" }.joined()
    #expect(
      throws: ImportProblem("f: its rules take too much work", hint: "import the files in parts")
    ) { try ReadSource(.icinga2, hosts + rules) }
    let deep = String(repeating: "(", count: 5000)
    #expect(throws: ImportProblem.self) { try ReadSource(.icinga2, "const a = \(deep)1") }
  }
}
