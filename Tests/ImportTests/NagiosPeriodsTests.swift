// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// Time periods of Nagios: quiet hours, checks that never run and contacts that are never notified.
@Suite struct NagiosPeriodsTests {
  private static let base = """
    use_timezone=Europe/Berlin
    define command {
      command_name notify-by-mail
      command_line /usr/bin/mail $CONTACTEMAIL$
    }
    define command {
      command_name tcp
      command_line check_tcp -H $HOSTADDRESS$ -p 80 -w 1 -c 5
    }
    define timeperiod {
      timeperiod_name never
      alias No Time
    }

    """

  private func period(_ name: String, _ range: String) -> String {
    let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    return "define timeperiod {\ntimeperiod_name \(name)\n" + days.map { "\($0) \(range)\n" }.joined() + "}\n"
  }

  private func contact(_ name: String, _ lines: String) -> String {
    "define contact {\ncontact_name \(name)\nemail \(name)@a.example\nhost_notification_commands notify-by-mail\n"
      + "service_notification_commands notify-by-mail\n\(lines)\n}\n"
  }

  private func read(_ service: String, office: String, oncall: String) throws -> ReadSource {
    try ReadSource(
      .nagios,
      Self.base + period("day", "07:00-22:00") + period("late", "18:00-23:00") + contact("office", office)
        + contact("oncall", oncall)
        + "define host {\nhost_name h\naddress 192.0.2.1\n}\ndefine service {\nhost_name h\nservice_description s\n"
        + "check_command tcp\ncontacts office,oncall\n\(service)\n}\n")
  }

  /// Hours of the day are quiet hours where all notifications have them; those of all channels are the same.
  @Test(
    arguments: [
      (
        "notification_period 24x7", "service_notification_period day", "service_notification_period 24x7",
        false
      ),
      ("", "service_notification_period day", "", false),
      ("notification_period late", "service_notification_period day", "", false),
      ("notification_period day", "", "", true),
      ("", "service_notification_period day", "service_notification_period day", true),
      (
        "notification_period day", "service_notification_period day", "service_notification_period 24x7", true
      ),
      ("notification_period day", "host_notification_period 24x7", "", true),
    ] as [(String, String, String, Bool)])
  func hoursOfAll(service: String, office: String, oncall: String, isQuiet: Bool) throws {
    let made = try read(service, office: office, oncall: oncall)
    let quiet = made.imported.sections.quiet
    #expect(
      quiet.map { quiet in ["from", "to", "timezone"].map { quiet[$0]?.word } }
        == (isQuiet ? ["22:00", "07:00", "Europe/Berlin"] : nil))
    let why = "alerts.quiet_hours is one time of day for all channels"
    #expect(made.reasons.contains(why) == !isQuiet)
    #expect(made.imported.sections.channels.map(\.name) == ["office", "oncall"])
  }

  /// A period of a contact that no notification has decides nothing.
  @Test func hoursOfNone() throws {
    let made = try read("notification_period day", office: "host_notification_period late", oncall: "")
    #expect(made.imported.sections.quiet?["from"]?.word == "22:00")
    #expect(made.reasonCounts["no notification of a channel has it"] == 1)
  }

  /// A period without hours is never.
  @Test(
    arguments: [
      ("notification_period never", "", nil, []),
      ("", "service_notification_period never", nil, ["oncall"]),
      ("", "host_notification_period never", nil, ["office", "oncall"]),
      ("check_period never", "", "false", ["office", "oncall"]),
    ] as [(String, String, String?, [String])])
  func never(service: String, office: String, enabled: String?, channels: [String]) throws {
    let made = try read(service, office: office, oncall: "")
    #expect(made.imported.sections.channels.map(\.name) == channels)
    #expect(made.imported.sections.rules.map(\.selected) == channels.flatMap { _ in [[1], [1]] })
    #expect(made.imported.sections.remind == (channels.isEmpty ? nil : 1_800_000))
    #expect(made.imported.checks.map { $0["enabled"]?.word } == [enabled])
    #expect(made.imported.checks.map { $0.notes.map(\.line) } == [[]])
    #expect(made.imported.sections.quiet == nil && made.imported.notes.allSatisfy { $0.change == nil })
  }

  /// A host is unreachable where all its parents are down; one that is not checked is always up.
  @Test(
    arguments: [
      (
        "check_command tcp", [1, 2],
        ["laxer: one parent that is down is enough here; there all of them have to be"]
      ),
      ("", [], ["not carried: no check runs of a host that it names, so it is always up"]),
      (
        "check_command tcp\nactive_checks_enabled 0", [],
        ["not carried: no check runs of a host that it names, so it is always up"]
      ),
      ("check_command gone", [], ["stricter: no check is made of one of the hosts that it names"]),
    ] as [(String, [Int], [String])])
  func parents(line: String, keys: [Int], lines: [String]) throws {
    let made = try ReadSource(
      .nagios,
      Self.base
        + "define host {\nhost_name gw1\naddress 192.0.2.1\ncheck_command tcp\n}\n"
        + "define host {\nhost_name gw2\naddress 192.0.2.2\n\(line)\n}\n"
        + "define host {\nhost_name a\naddress 192.0.2.3\ncheck_command tcp\nparents gw1,gw2\n}\n")
    let check = try #require(made.imported.checks.first { $0.name == "a host" })
    #expect(check.parents == keys)
    let notes = (made.imported.notes + check.notes).filter { $0.place.hasSuffix("parents") }
    #expect(notes.map { "\($0.change?.rawValue ?? "not carried"): \($0.why)" } == lines)
  }
}
