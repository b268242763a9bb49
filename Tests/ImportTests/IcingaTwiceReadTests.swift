// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Values of Icinga 2 that two settings are made of, one of which has no counterpart.
@Suite struct IcingaTwiceReadTests {
  private static let user = "object User \"ann\" {\n email = \"ann@a.example\"\n}\n"

  private func read(_ text: String) throws -> ReadSource { try ReadSource(.icinga2, Self.user + text) }

  private static func host(_ name: String, _ line: String) -> String {
    "object Host \"\(name)\" {\n address = \"192.0.2.3\"\n check_command = \"hostalive\"\n \(line)\n}\n"
  }

  /// An endpoint is named beside its check, also where it is the host's name or part of a rule.
  @Test(arguments: ["host.vars.endpoint", "host.name"]) func endpointsThatAreCarried(value: String) throws {
    func read(_ line: String) throws -> ReadSource {
      try ReadSource(
        .icinga2,
        """
        object Host "a" {
          address = "192.0.2.1"
          check_command = "hostalive"
          vars.endpoint = "a.example"
        }
        apply Service "s" {
          check_command = "ssh"
          \(line)
          assign where host.vars.endpoint
        }
        """)
    }
    let (made, plain) = (try read("command_endpoint = \(value)"), try read(""))
    let why = "an agent probes from where it stands"
    #expect(made.names == ["a host", "a s"])
    #expect(made.imported.checks.map { check in check.notes.count { $0.why == why } } == [0, 1])
    let notes = made.imported.checks[1].notes.filter { $0.why == why }
    #expect(notes.map(\.change) == [.changed] && notes.map(\.isValue) == [false])
    #expect(made.imported.carried == plain.imported.carried && made.imported.listed == plain.imported.listed)
  }

  /// A period that also decides which hosts notify is named beside their checks.
  @Test func aPeriodThatIsCarried() throws {
    let made = try read(
      Self.host("mill", "vars.hours = \"9to5\"") + """
        apply Notification "n" to Host {
          command = "mail-host-notification"
          users = [ "ann" ]
          period = host.vars.hours
          assign where host.vars.hours
        }
        """)
    let check = try #require(made.imported.checks.first { $0.name == "mill host" })
    let why = "it is the same for all channels here: write alerts.quiet_hours"
    let notes = check.notes.filter { $0.why == why }
    #expect(notes.map(\.change) == [.changed] && notes.map(\.isValue) == [false])
  }

  /// A check that a notification does not reach says so, where the notification reaches another one.
  @Test func aNotificationOfOneHostOnly() throws {
    let made = try read(
      Self.host("mill", "vars.way = \"mail\"") + Self.host("farm", "vars.way = \"sms\"") + """
        apply Notification "n" to Host {
          command = host.vars.way
          users = [ "ann" ]
          interval = "soon"
          assign where host.vars.way
        }
        """)
    let why = "its command sends no mail to a user: write alerts.channels, see docs/alerts.md"
    let found = made.imported.checks.filter { check in check.notes.contains { $0.why == why } }
    #expect(found.map(\.name) == ["farm host"])
    #expect(found.flatMap(\.notes).filter { $0.why == why }.map(\.change) == [.laxer])
    let mill = try #require(made.imported.checks.first { $0.name == "mill host" })
    #expect(mill.notes.filter { $0.why == Ledger.misread }.map(\.isValue) == [true])
  }
}
