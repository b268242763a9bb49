// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Hosts of Nagios and Icinga 2: up or down, and what runs on them.
@Suite struct HostStateTests {
  /// Names of checks with what they depend on.
  private func parents(_ made: ReadSource) -> [String] {
    ImportedCheck.linked(made.imported.checks).map { check in
      guard case .list(let items)? = check["depends_on"] else { return check.name }
      return "\(check.name) < \(items.compactMap(\.word).joined(separator: ", "))"
    }
  }

  private func nagios(_ lines: String, settings: String = "") throws -> ReadSource {
    try ReadSource(
      .nagios,
      """
      \(settings)
      define command {
        command_name ping
        command_line /p/check_ping -H $HOSTADDRESS$ -w 100,20% -c 500,60% -p 5
      }
      define command {
        command_name tcp
        command_line /p/check_tcp -H $HOSTADDRESS$ -p 22 -w 1
      }
      define host {
        host_name a
        address 192.0.2.1
        \(lines)
      }
      define host {
        host_name b
        address 192.0.2.2
      }
      define service {
        host_name a,b
        service_description s
        check_command ping
      }
      """)
  }

  private func icinga(_ lines: String) throws -> ReadSource {
    try ReadSource(
      .icinga2,
      """
      object Host "a" {
        address = "192.0.2.1"
        \(lines)
      }
      object Host "b" { address = "192.0.2.2" }
      apply Service "s" {
        check_command = "ping4"
        assign where host.address
      }
      """)
  }

  /// Services of a host that is down are not notified of. A host without a check, or whose check is off, is up.
  @Test func servicesDependOnTheirHost() throws {
    #expect(try parents(nagios("check_command ping")) == ["a host", "a s < a host", "b s"])
    #expect(try parents(nagios("")) == ["a s", "b s"])
    let off = try nagios("check_command ping\nactive_checks_enabled 0")
    #expect(parents(off) == ["a host", "a s", "b s"])
    #expect(!off.reasons.contains("a check that it depends on is not here, or off"))
    #expect(try parents(icinga("check_command = \"hostalive\"")) == ["a host", "a s < a host", "b s"])
    #expect(try parents(icinga("")) == ["a s", "b s"])
    let quiet = try icinga("check_command = \"hostalive\"\nenable_active_checks = false")
    #expect(parents(quiet) == ["a host", "a s", "b s"])
  }

  /// A warning leaves a host up, and a service degraded.
  @Test func warningsOfHosts() throws {
    let made = try nagios("check_command ping")
    let limits = "expect:\n  rtt:\n    fail: 500ms\n  loss:\n    fail: 59.99%"
    #expect(try made.keys() == "type: ping\nhost: \"192.0.2.1\"\ncount: 5\n\(limits)")
    #expect(made.imported.checks[1]["expect.rtt.warn"]?.word == "100ms")
    #expect(made.imported.checks[1]["expect.loss.warn"]?.word == "19.99%")
    let only = try nagios("check_command tcp")
    #expect(only.imported.checks[0]["expect"] == nil)
    let alive = try icinga("check_command = \"hostalive\"").imported.checks
    #expect(alive[0]["expect.rtt.warn"] == nil && alive[0]["expect.loss.warn"] == nil)
    #expect(alive[0]["expect.rtt.fail"]?.word == "5s" && alive[0]["expect.loss.fail"]?.word == "100%")
    #expect(alive[1]["expect.rtt.warn"]?.word == "100ms")
  }

  /// A Nagios that stands by runs nothing, or notifies of nothing.
  @Test(
    arguments: [
      ("enable_notifications=0", "stricter", "Nagios notifies of nothing; the rules notify here"),
      ("execute_host_checks=0", "changed", "Nagios runs none of them; the checks run here"),
      ("execute_service_checks=0", "changed", "Nagios runs none of them; the checks run here"),
      ("enable_notifications=1", nil, "it is about Nagios itself"),
      ("execute_service_checks=1", nil, "it is about Nagios itself"),
    ] as [(String, String?, String)])
  func standsBy(setting: String, change: String?, why: String) throws {
    let notes = try nagios("check_command ping", settings: setting).imported.notes
    let found = notes.filter { $0.place.contains(setting.prefix { $0 != "=" }) }
    #expect(found.map(\.why) == [why] && found.map { $0.change?.rawValue } == [change])
  }

  /// Nagios can be told that a warning is a failure of a host.
  @Test(
    arguments: [
      ("use_aggressive_host_checking=1", true), ("use_agressive_host_checking=1", true),
      ("use_aggressive_host_checking=0", false), ("", false),
    ])
  func warningsThatAreFailures(setting: String, fails: Bool) throws {
    let made = try nagios("check_command ping", settings: setting)
    let host = made.imported.checks[0]
    #expect(host["expect.rtt.fail"]?.word == (fails ? "100ms" : "500ms"))
    #expect(host["expect.loss.fail"]?.word == (fails ? "19.99%" : "59.99%"))
    #expect(host["expect.rtt.warn"] == nil && host["expect.loss.warn"] == nil)
    #expect(made.imported.checks[1]["expect.rtt.fail"]?.word == "500ms")
    #expect(!made.reasons.contains("it is about Nagios itself"))
    let port = try nagios("check_command tcp", settings: setting).imported.checks[0]
    #expect(port["expect.response_time.fail"]?.word == (fails ? "1s" : nil))
  }
}
