// SPDX-License-Identifier: MIT

import Import
import Testing

/// Settings of notifications that a service has from its templates and its host.
@Suite struct NagiosInheritanceTests {
  private func read(_ text: String) throws -> ReadSource {
    try ReadSource(.nagios, NagiosContactsTests.base + text)
  }

  private func service(_ lines: String) -> String {
    "define service {\nhost_name web\nservice_description port\ncheck_command tcp!80\n\(lines)\n}\n"
  }

  /// A service has its host's contacts where it and its templates name none; `null` names none, and keeps them away.
  @Test(
    arguments: [
      ("", true), ("contacts null", false), ("contact_groups null", false),
      ("contacts null\ncontact_groups admins", true),
      ("contacts ann\ncontact_groups null", true), ("use quiet", false), ("use quiet\ncontacts ann", true),
      ("use empty", true), ("contact_groups gone", false),
    ] as [(String, Bool)])
  func contactsOfTheHost(lines: String, isNotified: Bool) throws {
    let made = try read(
      "define service {\nname quiet\nregister 0\ncontacts null\n}\ndefine service {\nname empty\nregister 0\n}\n"
        + service(lines))
    let key = try #require(made.imported.checks.last).key
    #expect(made.imported.sections.rules.contains { $0.selected?.contains(key) == true } == isNotified)
  }

  /// Of its host's settings a service has the interval and the period of notifications, and no others.
  @Test func settingsOfTheHost() throws {
    func read(_ host: String, _ service: String = "") throws -> ReadSource {
      try self.read(
        """
        define host {
          host_name db
          address 192.0.2.3
          contacts ann
          \(host)
        }
        define service {
          host_name db
          service_description port
          check_command tcp!80
          \(service)
        }

        """)
    }
    func notifies(_ made: ReadSource) -> Bool {
      let key = made.imported.checks.last { $0.name == "db port" }?.key
      return made.imported.sections.rules.contains { rule in
        key.map { rule.selected?.contains($0) == true } ?? false
      }
    }
    #expect(try notifies(read("")))
    #expect(try notifies(read("notifications_enabled 0")))
    #expect(try !notifies(read("", "notifications_enabled 0")))
    let delay = "the first notification is sent at once"
    #expect(try read("first_notification_delay 5").reasonCounts[delay] == nil)
    #expect(try read("", "first_notification_delay 5").reasonCounts[delay] == 1)
    #expect(try read("notification_interval 10").imported.sections.remind == 600_000)
    #expect(
      try read("notification_interval 10", "notification_interval 20").imported.sections.remind == 1_200_000)
    let period = "alerts.quiet_hours is one time of day for all channels"
    let work =
      "define timeperiod {\ntimeperiod_name work\n"
      + ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
      .map { "\($0) 08:00-20:00\n" }.joined() + "}\n"
    func periods(_ host: String, _ service: String) throws -> Int? {
      let made = try ReadSource(
        .nagios,
        work + NagiosContactsTests.base
          + "define host {\nhost_name db\naddress 192.0.2.3\ncontacts ann\n\(host)\n}\n"
          + "define service {\nhost_name db\nservice_description port\ncheck_command tcp!80\n\(service)\n}\n")
      return made.reasonCounts[period]
    }
    #expect(try periods("notification_period work", "") == 1)
    #expect(try periods("notification_period work", "notification_period always") == nil)
    #expect(try periods("notification_period work", "notification_period null") == nil)
  }
}
