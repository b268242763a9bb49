// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// Attributes that no file of Icinga 2 sets, as its rules see them, and filters as old files have them.
@Suite struct IcingaDefaultsTests {
  private static let host = """
    object Host "h" {
      address = "192.0.2.1"
      check_command = "hostalive"
    }

    """

  /// Names of the checks, and why others were left out.
  private func read(_ condition: String, set: String = "") throws -> (names: [String], why: [String]) {
    let made = try ReadSource(
      .icinga2,
      Self.host.replacing("}", with: "\(set)\n}")
        + "apply Service \"s\" {\n check_command = \"ssh\"\n assign where \(condition)\n}\n")
    return (made.names, made.imported.leftOut.map(\.why))
  }

  @Test(arguments: [
    "host.enable_notifications", "host.enable_notifications == true", "host.enable_active_checks",
    "host.enable_passive_checks", "host.enable_event_handler", "host.enable_perfdata",
    "!host.enable_flapping && host.volatile == false", "host.max_check_attempts == 3",
    "host.check_interval == 5m && host.retry_interval == 1m", "host.max_check_attempts > 1",
    "host.flapping_threshold_low == 25 && host.flapping_threshold_high == 30",
    "host[\"enable_notifications\"] && host[\"max_check_attempts\"] == 3",
    "host.groups == [] && !host.address6", "host.notes == \"\"",
  ])
  func whatNoFileSets(condition: String) throws {
    let made = try read(condition)
    #expect(made.names == ["h host", "h s"] && made.why == [])
    let other = try read("!(\(condition))")
    #expect(other.names == ["h host"] && other.why == [])
  }

  /// What a file sets counts.
  @Test(arguments: [
    ("enable_notifications = false", "!host.enable_notifications"),
    ("max_check_attempts = 5", "host.max_check_attempts == 5"),
    ("check_interval = 1m", "host.check_interval == 60"), ("enable_flapping = true", "host.enable_flapping"),
  ])
  func whatAFileSets(line: String, condition: String) throws {
    #expect(try read(condition, set: line).names == ["h host", "h s"])
    #expect(try read(condition).names == ["h host"])
  }

  @Test(arguments: ["host.package == \"_etc\"", "host[\"state\"] == 1", "host.last_check > 0"])
  func whatOnlyIcingaKnows(condition: String) throws {
    let made = try read(condition)
    #expect(made.names == ["h host"] && made.why.count == 1)
    #expect(made.why[0].hasSuffix(" is not known before Icinga runs"))
  }

  /// Groups, notifications and dependencies have rules as well.
  @Test func otherRules() throws {
    let made = try ReadSource(
      .icinga2,
      Self.host
        + """
        object Host "gate" {
          address = "192.0.2.2"
          check_command = "hostalive"
          max_check_attempts = 5
        }
        object HostGroup "patient" {
          assign where host.max_check_attempts == 3
        }
        object User "ann" { email = "ann@a.example" }
        apply Service "s" {
          check_command = "ssh"
          assign where "patient" in host.groups
        }
        apply Notification "n" to Service {
          command = "mail"
          users = [ "ann" ]
          assign where service.enable_notifications == true
        }
        apply Notification "m" to Host {
          command = "mail"
          users = [ "ann" ]
          ignore where !host.enable_notifications
          assign where host.max_check_attempts == 3
        }
        apply Dependency "d" to Host {
          parent_host_name = "gate"
          assign where host.max_check_attempts < 5
        }
        """)
    #expect(made.names == ["h host", "gate host", "h s"])
    #expect(made.imported.sections.rules.map(\.name) == ["ann"])
    #expect(made.imported.sections.rules.map(\.selected) == [[1, 3]])
    #expect(made.imported.checks.map(\.parents) == [[2], [], [1, 2]])
  }

  /// Old files add states and types with `|`, over several lines.
  @Test func bitsAreRead() throws {
    let made = try ReadSource(
      .icinga2,
      Self.host
        + """
        template Notification "old" {
          notification_command = "mail-service-notification",
          notification_state_filter = (StateFilterWarning |
                                       StateFilterCritical),
        }
        """)
    #expect(made.names == ["h host"])
  }

  /// Variables of the library's commands that have no counterpart are as the options that they become.
  @Test(
    arguments: [
      ("ssl_cert", "check_ssl_cert -H 192.0.2.1 -p 443", "ssl_cert_ignore_expiration = true", "--ignore-exp"),
      (
        "ssl_cert", "check_ssl_cert -H 192.0.2.1 -p 443", "ssl_cert_ignore_host_cn = true", "--ignore-host-cn"
      ),
      ("ssl_cert", "check_ssl_cert -H 192.0.2.1 -p 443", "ssl_cert_ignore_ocsp = true", "--ignore-ocsp"),
      (
        "ssl_cert", "check_ssl_cert -H 192.0.2.1 -p 443", "ssl_cert_maximum_validity = 90",
        "--maximum-validity=90"
      ),
      ("http", "check_http -I 192.0.2.1", "http_extra_opts = \"a@/etc/p.ini\"", "--extra-opts=a@/etc/p.ini"),
    ] as [(String, String, String, String)])
  func variablesWithoutACounterpart(name: String, line: String, variable: String, option: String) throws {
    let made = try ReadSource(
      .icinga2,
      Self.host
        + "object Service \"s\" {\n host_name = \"h\"\n check_command = \"\(name)\"\n vars.\(variable)\n}\n")
    let plain = try ReadSource(plugin: "\(line) \(option)")
    let check = try #require(made.imported.checks.last)
    let notes = check.notes.filter { $0.place == "check_command" }
    let expected = try #require(plain.imported.checks.first).notes.filter {
      $0.place.hasSuffix("check_command")
    }
    #expect(notes.map(\.why) == expected.map(\.why) && notes.map(\.change) == expected.map(\.change))
    #expect(notes.count == 1 && made.reasonCounts["no imported check uses this variable"] == nil)
  }
}
