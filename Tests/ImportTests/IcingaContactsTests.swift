// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Users of Icinga 2 by mail, and what depends on what.
@Suite struct IcingaContactsTests {
  private static let base = """
    const SysconfDir2 = SysconfDir + "/x"
    object NotificationCommand "mail" {
      import "plugin-notification-command"
      command = [ ConfigDir + "/scripts/mail.sh" ]
      arguments = { "-r" = "$user.email$" }
    }
    object NotificationCommand "sms" {
      command = [ "/usr/bin/sms", "$user.pager$" ]
    }
    object TimePeriod "always" {
      import "legacy-timeperiod"
      ranges = {
        "monday" = "00:00-24:00"
        "tuesday" = "00:00-24:00"
        "wednesday" = "00:00-24:00"
        "thursday" = "00:00-24:00"
        "friday" = "00:00-24:00"
        "saturday" = "00:00-24:00"
        "sunday" = "00:00-24:00"
      }
    }
    template User "generic-user" { enable_notifications = true }
    object UserGroup "admins" { display_name = "Admins" }
    object User "ann" {
      import "generic-user"
      display_name = "Ann A."
      groups = [ "admins" ]
      email = "ann@a.example"
    }
    object User "bob" {
      email = "bob@a.example"
      states = [ OK, Critical, Up, Down ]
      types = [ Problem ]
    }
    template Notification "mail-host" {
      command = "mail"
      states = [ Up, Down ]
      types = [ Problem, Recovery, Custom, FlappingStart ]
      period = "always"
    }
    template Notification "mail-service" {
      command = "mail"
      states = [ OK, Warning, Critical, Unknown ]
      types = [ Problem, Acknowledgement, Recovery ]
    }
    object Host "gate" {
      address = "192.0.2.1"
      check_command = "hostalive"
    }
    object Host "web" {
      address = "192.0.2.2"
      check_command = "hostalive"
      vars.notification.mail.groups = [ "admins" ]
    }
    apply Service "port" {
      check_command = "tcp"
      vars.tcp_port = 80
      vars.tcp_wtime = 1
      vars.tcp_ctime = 5
      assign where host.address
    }

    """

  private func read(_ text: String) throws -> ReadSource { try ReadSource(.icinga2, Self.base + text) }

  private static let notifications = """
    apply Notification "mail" to Host {
      import "mail-host"
      user_groups = host.vars.notification.mail.groups
      assign where host.vars.notification.mail
    }
    apply Notification "mail" to Service {
      import "mail-service"
      user_groups = host.vars.notification.mail.groups
      users = [ "bob" ]
      interval = 0
      times.begin = 5m
      assign where host.vars.notification.mail
    }

    """

  @Test func aUserIsAChannelAndItsChecksARule() throws {
    let made = try read(Self.notifications)
    #expect(made.names == ["gate host", "web host", "gate port", "web port"])
    #expect(
      try made.sections() == """
        alerts:
          remind: 30m
          channels:
            - name: ann
              mail:
                server: localhost:25
                tls: none
                from: icinga@localhost
                to: ["ann@a.example"]
              recovered: true
              updates: true
            - name: bob without recovery once
              mail:
                server: localhost:25
                tls: none
                from: icinga@localhost
                to: ["bob@a.example"]
              recovered: false
              updates: false
            - name: ann once
              mail:
                server: localhost:25
                tls: none
                from: icinga@localhost
                to: ["ann@a.example"]
              recovered: true
              updates: false
          rules:
            - name: ann
              type: consecutive_failures
              channels: [ann]
              checks: [2]
            - name: bob without recovery once
              type: consecutive_failures
              channels: [bob without recovery once]
              checks: [4]
            - name: ann once
              type: consecutive_failures
              channels: [ann once]
              checks: [4]
            - name: ann once warnings after 5m
              type: state
              state: degraded
              for: 5m
              channels: [ann once]
              checks: [4]
        """)
    #expect(
      made.imported.sections.channels[0].notes.map(\.why) == [
        "Icinga hands mail to the machine's own mailer; here localhost:25 gets it, from icinga@localhost: "
          + "set mail.server and mail.from",
        "unknown states, flapping, downtimes and custom notifications are not notified: Custom,FlappingStart",
      ])
    #expect(
      made.imported.checks[3].notes.map { "\($0.change.map(\.rawValue) ?? ""): \($0.why)" } == [
        "changed: a warning is notified after 5m: a check that is degraded is probed at its interval, "
          + "not at retry_interval",
        "stricter: the first notification is sent at once",
      ])
    #expect(
      made.reasonCounts == [
        "a warning is notified after 5m: a check that is degraded is probed at its interval, not at retry_interval":
          1,
        "the first notification is sent at once": 1,
        "no imported notification uses the command": 3,
        "checks run all day; write maintenance for the rest": 9,
        "a channel is known by its user's name": 1,
        "its users have channels": 1,
        "it is shown on Icinga's pages only": 1,
        "the key is unknown here, so it has no effect": 1,
      ])
    #expect(made.imported.carried + made.imported.listed == made.imported.total && made.problems == [])
  }

  @Test func whatIsNotNotified() throws {
    let pager = try read(
      "apply Notification \"s\" to Host {\n command = \"sms\"\n users = [ \"ann\" ]\n assign where true\n}\n")
    #expect(pager.imported.sections.channels.isEmpty)
    #expect(
      pager.reasons.contains(
        "its command sends no mail to a user: write alerts.channels, see docs/alerts.md"))
    let off = try read(
      "object Host \"off\" {\n address = \"192.0.2.3\"\n check_command = \"hostalive\"\n enable_notifications = false\n}\n"
        + "object Notification \"n\" {\n import \"mail-host\"\n host_name = \"off\"\n users = [ \"ann\" ]\n}\n"
    )
    #expect(off.imported.sections.rules.isEmpty)
    let unknown = try read(
      "object Notification \"n\" {\n import \"mail-host\"\n host_name = \"web\"\n users = [ \"gone\" ]\n}\n"
        + "object Notification \"m\" {\n import \"mail-host\"\n host_name = \"web\"\n users = {{ [] }}\n}\n")
    #expect(unknown.imported.checks[1].notes.map(\.why) == ["the user gone is not in the files given"])
    #expect(unknown.reasons.contains("a function is not worked out"))
    #expect(unknown.imported.sections.channels.isEmpty)
  }

  @Test func dependencies() throws {
    let made = try read(
      """
      apply Dependency "gate" to Host {
        parent_host_name = "gate"
        disable_checks = true
        assign where host.name != "gate"
      }
      apply Dependency "port" to Service {
        parent_host_name = "gate"
        parent_service_name = "port"
        states = [ OK ]
        assign where service.name == "port"
      }
      object Dependency "always" {
        parent_host_name = "web"
        child_host_name = "gate"
        states = [ Up, Down ]
      }
      object Dependency "none" {
        parent_host_name = "nowhere"
        child_host_name = "gate"
      }
      """)
    let checks = ImportedCheck.linked(made.imported.checks)
    let parents = checks.map { check -> [String] in
      guard case .list(let items)? = check["depends_on"] else { return [] }
      return items.compactMap(\.word)
    }
    #expect(checks.map(\.name) == ["gate host", "web host", "gate port", "web port"])
    #expect(parents == [[], ["gate host"], ["gate host"], ["web host", "gate host", "gate port"]])
    #expect(checks[3].notes.map(\.why) == ["only while what it names is down, not in its other states"])
    let reasons = made.reasonCounts
    #expect(reasons["it does not hold while what it names is down"] == 3, "\(reasons)")
    #expect(reasons["no check is made of what it depends on"] == 2)
    #expect(reasons["no imported check is its child"] == 3)
    #expect(made.imported.carried + made.imported.listed == made.imported.total && made.problems == [])
  }

  /// A dependency that holds while what it names is down stops nothing: a host that is down is Down, a service Critical,
  /// whatever the child is.
  @Test(
    arguments: [
      ("host", "host", "[ Down ]", false), ("host", "host", "[ Up, Down ]", false),
      ("host", "host", "[ Up ]", true), ("host", "host", "[ Critical ]", true), ("host", "host", nil, true),
      ("service", "host", "[ Down ]", false), ("service", "host", "[ Up ]", true),
      ("service", "host", "[ Critical ]", true), ("service", "host", nil, true),
      ("host", "service", "[ Critical ]", false), ("host", "service", "[ OK, Critical ]", false),
      ("host", "service", "[ OK, Warning ]", true), ("host", "service", "[ Down ]", true),
      ("service", "service", "[ Critical ]", false), ("service", "service", "[ OK, Unknown ]", true),
      ("service", "service", "[ Down ]", true), ("service", "service", nil, true),
    ] as [(String, String, String?, Bool)])
  func statesOfAParent(child: String, parent: String, states: String?, isTaken: Bool) throws {
    let made = try read(
      """
      object Dependency "d" {
        parent_host_name = "gate"
        child_host_name = "web"
        \(parent == "service" ? "parent_service_name = \"port\"" : "")
        \(child == "service" ? "child_service_name = \"port\"" : "")
        \(states.map { "states = \($0)" } ?? "")
      }
      """)
    let parents = ImportedCheck.linked(made.imported.checks).map { check -> [String] in
      guard case .list(let items)? = check["depends_on"] else { return [] }
      return items.compactMap(\.word)
    }
    let taken = isTaken ? [parent == "service" ? "gate port" : "gate host"] : []
    #expect(made.imported.checks.map(\.name) == ["gate host", "web host", "gate port", "web port"])
    #expect(parents == [[], child == "service" ? [] : taken, ["gate host"], ["web host"] + taken])
    #expect(made.reasons.contains("it does not hold while what it names is down") == !isTaken)
    #expect(made.problems == [])
  }

  /// Users of groups count each time that they are named.
  @Test func usersAreBounded() {
    let users = (0..<1000).map { "object User \"u\($0)\" {\n email = \"a@b\"\n groups = [ \"g\" ]\n}\n" }
      .joined()
    let hosts = (0..<300).map {
      "object Host \"h\($0)\" {\n address = \"192.0.2.1\"\n check_command = \"hostalive\"\n}\n"
    }.joined()
    #expect(
      throws: ImportProblem(
        "f: checks have more than 200000 users together, those of groups included",
        hint: "import the files in parts")
    ) {
      try read(
        users + hosts
          + "apply Notification \"n\" to Host {\n import \"mail-host\"\n user_groups = [ \"g\" ]\n assign where true\n}\n"
      )
    }
  }

  /// Templates of Icinga's own library say how commands run.
  @Test func templatesOfTheLibraryAreNotMissing() throws {
    let made = try ReadSource(.icinga2, Self.base)
    #expect(!made.reasons.contains("the template is not in the files given, so what it sets is missing"))
  }
}
