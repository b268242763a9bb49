// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Contacts of Nagios by mail, and what depends on what.
@Suite struct NagiosContactsTests {
  /// A contact has one address or several, with or without names; a word that is none gets no mail.
  @Test(
    arguments: [
      ("a@x.example", ["a@x.example"], []),
      ("a@x.example, b@x.example", ["a@x.example", "b@x.example"], []),
      ("a@x.example b@x.example", ["a@x.example", "b@x.example"], []),
      ("Ann Other <a@x.example>", ["a@x.example"], []),
      ("Ann <a@x.example>,b@x.example", ["a@x.example", "b@x.example"], []),
      ("root, a@x.example", ["a@x.example"], ["\"root\" has no @, so it gets no mail"]),
    ] as [(String, [String], [String])])
  func addresses(email: String, to: [String], words: [String]) throws {
    let text = Self.base.replacing("email ann@a.example", with: "email \(email)")
    let made = try ReadSource(.nagios, text.replacing("members bob", with: "members ann"))
    let channel = try #require(made.imported.sections.channels.first)
    guard case .list(let items)? = channel["mail.to"] else { return #expect(Bool(false), "no list") }
    #expect(items.compactMap(\.word) == to)
    #expect(channel.notes.filter { $0.change == .laxer }.map(\.why) == words)
  }

  /// A contact behind an exclamation mark is excluded.
  @Test func excludedContacts() throws {
    let made = try ReadSource(
      .nagios, Self.base.replacing("contact_groups admins", with: "contacts ann,!bob,carl,!carl"))
    #expect(made.imported.sections.channels.map { String($0.name.prefix(3)) } == ["ann"])
    #expect(!made.reasons.contains { $0.contains("is not in the files given") })
  }

  static let base = """
    define command {
      command_name notify-by-mail
      command_line printf "%b" "$HOSTNAME$" | /usr/bin/mail -s "x" $CONTACTEMAIL$
    }
    define command {
      command_name notify-by-sms
      command_line /usr/bin/sms $CONTACTPAGER$
    }
    define command {
      command_name tcp
      command_line check_tcp -H $HOSTADDRESS$ -p $ARG1$ -w 1 -c 5
    }
    define command {
      command_name alive
      command_line check_ping -H $HOSTADDRESS$ -w 100,20% -c 500,60% -p 5
    }
    define timeperiod {
      timeperiod_name always
      sunday 00:00-24:00
      monday 00:00-24:00
      tuesday 00:00-24:00
      wednesday 00:00-24:00
      thursday 00:00-24:00
      friday 00:00-24:00
      saturday 00:00-24:00
    }
    define contact {
      contact_name ann
      alias Ann A.
      email ann@a.example
      contactgroups admins
      host_notification_commands notify-by-mail
      service_notification_commands notify-by-mail
      host_notification_options d,u,r
      service_notification_options w,c,r
      host_notification_period always
      service_notification_period always
    }
    define contact {
      contact_name bob
      email bob@a.example
      service_notification_commands notify-by-sms
      host_notification_commands notify-by-sms
    }
    define contactgroup {
      contactgroup_name admins
      members bob
    }
    define host {
      host_name gate
      address 192.0.2.1
      check_command alive
    }
    define host {
      host_name web
      address 192.0.2.2
      parents gate
      check_command alive
      contact_groups admins
      notification_interval 60
      max_check_attempts 4
    }

    """

  private func read(_ text: String, settings: String = "") throws -> ReadSource {
    try ReadSource(.nagios, settings + Self.base + text)
  }

  private func service(_ lines: String = "") -> String {
    "define service {\nhost_name web\nservice_description port\ncheck_command tcp!80\n\(lines)\n}\n"
  }

  @Test func aContactIsAChannelAndHisChecksARule() throws {
    let made = try read(service())
    #expect(made.names == ["gate host", "web host", "web port"])
    #expect(
      try made.sections() == """
        alerts:
          remind: 1h
          channels:
            - name: ann
              mail:
                server: localhost:25
                tls: none
                from: nagios@localhost
                to: ["ann@a.example"]
              recovered: true
              updates: true
          rules:
            - name: ann
              type: consecutive_failures
              channels: [ann]
              checks: [2, 3]
            - name: ann warnings
              type: state
              state: degraded
              for: 0s
              channels: [ann]
              checks: [3]
        """)
    #expect(
      made.imported.sections.channels[0].notes.map(\.why) == [
        "Nagios hands mail to the machine's own mailer; here localhost:25 gets it, from nagios@localhost: "
          + "set mail.server and mail.from",
        "unknown states, flapping and downtimes are not notified: u",
      ])
    #expect(made.imported.checks[2]["failure_threshold"] == nil)
    #expect(
      made.reasons.contains(
        "no imported check notifies this contact by mail: write alerts.channels, see docs/alerts.md"))
  }

  @Test func whatIsNotToldIsNoRule() throws {
    let off = try read(service("notifications_enabled 0"))
    #expect(off.imported.sections.rules.map(\.selected) == [[2]])
    let down = try read(service("notification_options w,r\nnotification_interval 0"))
    #expect(down.imported.sections.channels.map(\.name) == ["ann", "ann once"])
    #expect(down.imported.sections.rules.map(\.name) == ["ann", "ann once warnings"])
    #expect(down.imported.sections.channels[1]["updates"]?.word == "false")
    let other = try read(service("contacts bob"))
    #expect(other.imported.sections.rules.map(\.selected) == [[2]])
    let none = try read(service("contacts gone"))
    #expect(none.imported.checks[2].notes.map(\.why) == ["the contact gone is not in the files given"])
  }

  @Test func aTimeOfDayIsQuietHours() throws {
    let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    let period =
      "define timeperiod {\ntimeperiod_name day\n" + days.map { "\($0) 08:00-20:00\n" }.joined() + "}\n"
    let text = period + service("notification_period day\ncontacts ann")
    func readAll(_ text: String, settings: String = "") throws -> ReadSource {
      let base = Self.base.replacing("contact_groups admins", with: "notification_period day\n  contacts ann")
      return try ReadSource(.nagios, settings + base + text)
    }
    let made = try readAll(text, settings: "use_timezone=Europe/London\n")
    #expect(
      made.imported.sections.quiet.map { check in check.keys.compactMap { $0.value.word } }
        == ["20:00", "08:00", "Europe/London"])
    let unknown = try readAll(text)
    #expect(unknown.imported.sections.quiet == nil)
    #expect(
      unknown.reasons.contains(
        "whose clock it means is not in the files (use_timezone): write alerts.quiet_hours"))
    let work = try read(
      "define timeperiod {\ntimeperiod_name work\nmonday 08:00-20:00\n}\n"
        + service("notification_period work"),
      settings: "use_timezone=Europe/London\n")
    #expect(work.imported.sections.quiet == nil)
    #expect(
      work.reasonCounts == [
        "alerts.quiet_hours is one time of day for all channels": 1,
        "a command that no imported check uses": 2,
        "a channel is known by its contact's name": 1,
        "no imported check notifies this contact by mail: write alerts.channels, see docs/alerts.md": 4,
        "checks run all day; write maintenance for the rest": 2,
        "it is about Nagios itself": 1,
      ])
  }

  @Test func parentsAndDependencies() throws {
    let made = try read(
      service()
        + """
        define service {
          host_name gate
          service_description port
          check_command tcp!22
        }
        define servicedependency {
          host_name gate
          service_description port
          dependent_host_name web
          dependent_service_description port
          notification_failure_criteria w,c
        }
        define hostdependency {
          host_name web
          dependent_host_name gate
          notification_failure_criteria o
        }
        """)
    let checks = ImportedCheck.linked(made.imported.checks)
    #expect(checks.map(\.name) == ["gate host", "web host", "web port", "gate port"])
    let parents = checks.map { check -> [String] in
      guard case .list(let items)? = check["depends_on"] else { return [] }
      return items.compactMap(\.word)
    }
    #expect(
      parents == [[], ["gate host"], ["web host", "gate host", "gate port"], ["gate host"]])
    #expect(checks[2].notes.map(\.why) == ["only while what it names is down, not in its other states"])
    #expect(
      made.reasonCounts == [
        "it does not hold while what it names is down": 3,
        "a command that no imported check uses": 2,
        "a channel is known by its contact's name": 1,
        "no imported check notifies this contact by mail: write alerts.channels, see docs/alerts.md": 4,
        "only while what it names is down, not in its other states": 1,
      ])
  }

  @Test func circlesAndWhatIsGone() {
    func check(_ key: Int, _ parents: [Int]) -> ImportedCheck {
      var check = ImportedCheck(name: "c\(key)", type: "ping")
      (check.key, check.parents) = (key, parents)
      return check
    }
    let made = ImportedCheck.linked([check(1, [2]), check(2, [1]), check(3, [4, 9, 3]), check(4, [])])
    let parents = made.map { check -> [String] in
      guard case .list(let items)? = check["depends_on"] else { return [] }
      return items.compactMap(\.word)
    }
    #expect(parents == [[], [], ["c4"], []])
    #expect(made[0].notes.map(\.why) == ["dependencies that lead in a circle are left out"])
    #expect(made[2].notes.map(\.why) == ["a check that it depends on is not here, or off"])
  }

  /// A contact whose template is missing says so, though it is a channel.
  @Test func aTemplateOfAContactIsMissing() throws {
    let contact =
      "define contact {\n contact_name eve\n email eve@a.example\n use far\n"
      + " service_notification_commands notify-by-mail\n host_notification_commands notify-by-mail\n}\n"
    let made = try read(contact + service("contacts eve"))
    #expect(made.imported.sections.channels.map(\.name).contains("eve"))
    let why = "the template \"far\" is not in the files given, so what it sets is missing"
    #expect(made.imported.notes.filter { $0.why == why }.map(\.isValue) == [true])
  }

  /// An interval of notifications is in units of interval_length, 60 s where that is not given.
  @Test(arguments: [("", 600_000), ("interval_length=20\n", 200_000), ("interval_length=60\n", 600_000)])
  func theUnitOfAnInterval(settings: String, milliseconds: Int) throws {
    let made = try read(service("contacts ann\nnotification_interval 10"), settings: settings)
    #expect(made.imported.sections.remind == milliseconds)
  }

  /// An interval of notifications that is none is listed once, and named beside each check.
  @Test func anIntervalThatIsNone() throws {
    let made = try read(service("contacts ann\nnotification_interval soon"))
    let check = try #require(made.imported.checks.last)
    let notes = check.notes.filter { $0.why == Ledger.misread }
    #expect(notes.map(\.change) == [.changed] && notes.map(\.isValue) == [true])
    #expect(made.reasonCounts[Ledger.misread] == 1)
  }
}
