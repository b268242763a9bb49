// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Icinga 2: groups by rules, rules of `apply … for`, and names that a service sets itself.
@Suite struct IcingaGroupsTests {
  private static let base = """
    object Host "h" {
      address = "192.0.2.1"
      check_command = "hostalive"
      vars.vhosts["one"] = { http_uri = "/one" }
      vars.vhosts["two"] = { http_uri = "/two" }
      vars.list = [ "x", "y" ]
    }
    object NotificationCommand "mail" { command = [ "mail", "$user.email$" ] }
    object User "bob" {
      email = "bob@a.example"
      vars.team = "ops"
    }

    """

  private func read(_ text: String) throws -> ReadSource { try ReadSource(.icinga2, Self.base + text) }

  private func parents(_ made: ReadSource) -> [[String]] {
    ImportedCheck.linked(made.imported.checks).map { check in
      guard case .list(let items)? = check["depends_on"] else { return [] }
      return items.compactMap(\.word)
    }
  }

  private func leftOut(_ made: ReadSource) -> [String] {
    made.imported.leftOut.map { "\($0.name) \($0.why)" }
  }

  /// The list that is walked takes the place of `assign where`, and a rule that ignores still holds.
  @Test(
    arguments: [
      ("(k => v in host.vars.vhosts)", "ignore where k == \"two\"", ["h host", "h S-one"], []),
      ("(x in host.vars.list)", "ignore where x == \"y\"", ["h host", "h S-x"], []),
      ("(x in host.vars.list)", "ignore where true", ["h host"], []),
      ("(x in host.vars.list)", "ignore where false", ["h host", "h S-x", "h S-y"], []),
      ("(x in host.vars.list)", "assign where x == \"y\"", ["h host", "h S-y"], []),
      (
        "(x in host.vars.list)", "assign where true\n ignore where x == \"x\"", ["h host", "h S-y"], []
      ),
      (
        "(x in [ \"z\" ])", "ignore where typeof(x) != Dictionary", ["h host"],
        ["\"h S-z\" the function typeof is not worked out"]
      ),
    ] as [(String, String, [String], [String])])
  func rulesOfALoop(loop: String, rules: String, names: [String], words: [String]) throws {
    let made = try read("apply Service \"S-\" for \(loop) {\n check_command = \"ssh\"\n \(rules)\n}\n")
    #expect(made.names == names && leftOut(made) == words)
  }

  /// The attribute is the name of the service, for rules and for the check.
  @Test func aServiceNamesItself() throws {
    let made = try read(
      """
      apply Service for (n in [ 601, 602 ]) {
        name = "num" + n
        check_command = "tcp"
        vars.tcp_port = n
      }
      apply Service for (n in [ 601 ]) {
        name = gone() + n
        check_command = "ssh"
      }
      apply Notification "n" to Service {
        command = "mail"
        users = [ "bob" ]
        assign where service.name == "num602"
      }
      """)
    #expect(made.names == ["h host", "h num601", "h num602"])
    #expect(leftOut(made) == ["\"h 601\" the function gone is not worked out"])
    #expect(made.imported.sections.rules.map { $0.selected ?? [] } == [[3]])
  }

  private static let rules = """
    apply Service "a" {
      check_command = "ssh"
      assign where true
    }
    apply Service "b" {
      check_command = "tcp"
      vars.tcp_port = 25
      groups = [ "mailgrp" ]
      assign where true
    }
    apply Notification "n" to Service {
      command = "mail"
      users = [ "bob" ]
      assign where "shells" in service.groups
    }
    apply Dependency "d" to Service {
      parent_service_name = "b"
      assign where service.groups.contains("shells")
    }

    """

  /// Notifications and dependencies see the groups of services.
  @Test func servicesInGroupsByRules() throws {
    let made = try read(
      Self.rules + "object ServiceGroup \"shells\" { assign where service.check_command == \"ssh\" }\n")
    #expect(made.names == ["h host", "h a", "h b"] && leftOut(made) == [])
    #expect(made.imported.sections.channels.map(\.name) == ["bob"])
    #expect(made.imported.sections.rules.map { $0.selected ?? [] } == [[2]])
    #expect(parents(made) == [[], ["h host", "h b"], ["h host"]])
  }

  /// A group whose rule is not worked out leaves out the rules that look for it, and no other.
  @Test func aGroupInDoubt() throws {
    let made = try read(
      Self.rules
        + """
        object ServiceGroup "shells" { assign where regex("^ssh", service.check_command) }
        object HostGroup "odd" { assign where regex("^h", host.name) }
        apply Service "c" {
          check_command = "ssh"
          assign where "odd" in host.groups
        }
        apply Service "d" {
          check_command = "ssh"
          assign where "even" in host.groups
        }
        """)
    let why = "the function regex is not worked out"
    #expect(made.names == ["h host", "h a", "h b"] && made.imported.sections.rules.isEmpty)
    #expect(
      leftOut(made) == [
        "\"h c\" the rule of the group odd: \(why)",
        "\"notification n\" the rule of the group shells: \(why)",
        "\"dependency d\" the rule of the group shells: \(why)",
      ])
    #expect(made.imported.carried + made.imported.listed == made.imported.total)
  }

  /// A notification goes to users in a group by its rule, and to those of groups within the group.
  @Test(
    arguments: [
      ("admins", ["bob"]), ("outer", ["cyd"]), ("most", ["cyd"]), ("inner", ["cyd"]), ("gone", []),
    ] as [(String, [String])])
  func usersInGroups(group: String, channels: [String]) throws {
    let made = try read(
      """
      object UserGroup "admins" { assign where user.vars.team == "ops" && user.enable_notifications }
      object UserGroup "most" { groups = [ "inner" ] }
      object UserGroup "outer" { groups = [ "most" ] }
      object UserGroup "inner" { groups = [ "outer" ] }
      object User "cyd" {
        email = "cyd@a.example"
        groups = [ "inner" ]
      }
      apply Notification "n" to Host {
        command = "mail"
        user_groups = [ "\(group)" ]
        assign where true
      }
      """)
    #expect(made.imported.sections.channels.map(\.name) == channels && leftOut(made) == [])
    #expect(made.imported.sections.rules.map { $0.selected ?? [] } == channels.map { _ in [1] })
    let reasons = made.reasonCounts
    #expect(reasons["its users have channels"] == (channels == [] ? nil : channels == ["bob"] ? 2 : 6))
    #expect(
      reasons["no imported check notifies its users by mail"]
        == [0: 8, 2: 6, 6: 2][
          reasons["its users have channels"] ?? 0])
  }

  /// Members of a group whose rule is not worked out may be missing.
  @Test func usersInDoubt() throws {
    let groups = """
      object UserGroup "odd" {
        groups = [ "all" ]
        assign where regex("^b", user.name)
      }
      apply Notification "n" to Host {
        command = "mail"
        user_groups = [ "all" ]
        assign where true
      }

      """
    let why = "the rule of the group odd: the function regex is not worked out"
    let alone = try read(groups)
    #expect(alone.imported.sections.channels.isEmpty && leftOut(alone) == ["\"notification n\" \(why)"])
    let some = try read(
      groups + "object User \"cyd\" {\n email = \"c@a.example\"\n groups = [ \"all\" ]\n}\n")
    #expect(some.imported.sections.channels.map(\.name) == ["cyd"] && leftOut(some) == [])
    #expect(
      some.imported.checks[0].notes.filter { $0.change == .laxer }.map { "\($0.place): \($0.why)" }
        == ["user_groups: \(why)"])
  }

  /// A template of all objects is used by them, and a loop without a name is left out where it has items.
  @Test func whatAppliesToAll() throws {
    let made = try read(
      """
      template Host "all" default { vars.def = true }
      apply Notification for (n in host.vars.list) to Host { command = "mail" }
      apply Notification "m" for (n in host.vars.gone) to Host { command = "mail" }
      """)
    #expect(leftOut(made) == ["\"notification at line 14\" a rule with a loop is not worked out for it"])
    #expect(made.reasonCounts["no object given imports the template"] == nil)
  }
}
