// SPDX-License-Identifier: MIT

import Testing

@testable import Import

/// Services and hosts of Nagios that are defined more than once.
@Suite struct NagiosDefinitionsTests {
  private static let base = """
    define command {
      command_name tcp
      command_line check_tcp -H $HOSTADDRESS$ -p $ARG1$
    }
    define hostgroup {
      hostgroup_name all
      members near,far
    }
    define host {
      host_name near
      address 192.0.2.1
    }
    define host {
      host_name far
      address 192.0.2.2
    }

    """

  private func service(_ hosts: String, _ port: Int, _ name: String = "s") -> String {
    "define service {\n\(hosts)\nservice_description \(name)\ncheck_command tcp!\(port)\n}\n"
  }

  private func read(_ objects: String...) throws -> ReadSource {
    try ReadSource(.nagios, Self.base + objects.joined())
  }

  /// Name, port and notes of each check.
  private func lines(_ made: ReadSource) -> [String] {
    made.imported.checks.map { check in
      ([check.name, check["port"]?.word ?? ""] + check.notes.map(\.line)).joined(separator: " ")
    }
  }

  /// A service that names its host takes the place of that of a hostgroup, wherever it is.
  @Test func aServiceOfItsHost() throws {
    let (all, own) = (service("hostgroup_name all", 1), service("host_name far", 2))
    let made = try read(all, own)
    #expect(lines(made) == ["near s 1", "far s 2"])
    #expect(try lines(read(own, all)) == ["far s 2", "near s 1"])
    #expect(
      try lines(read(all, service("host_name far", 2, "other"))) == ["far s 1", "near s 1", "far other 2"])
    #expect(!made.reasons.contains { $0.contains("definition") } && made.problems == [])
    let each = try read(all, service("host_name near,far", 2))
    #expect(lines(each) == ["near s 2", "far s 2"])
    #expect(each.reasonCounts["other definitions of the service count on its hosts"] == 3)
    #expect(
      try lines(read(service("hostgroup_name all\nhost_name far", 1), own)).map { $0.prefix(8) } == [
        "near s 1", "far s 2 ",
      ])
  }

  /// Of two alike one counts, and says so.
  @Test func servicesAlike() throws {
    let note =
      "changed: service_description: Nagios keeps one definition of a service on a host: the last is taken"
    let made = try read(service("host_name near", 1), service("host_name near,far", 2))
    #expect(lines(made) == ["near s 2 \(note)", "far s 2"])
    let groups = try read(service("hostgroup_name all", 1), service("hostgroup_name all", 2))
    #expect(lines(groups) == ["far s 2 \(note)", "near s 2 \(note)"])
    let own = try read(
      service("hostgroup_name all", 1), service("hostgroup_name all", 2), service("host_name far", 3))
    #expect(lines(own) == ["near s 2 \(note)", "far s 3"])
  }

  @Test func hostsAlike() throws {
    let host = { (port: Int) in
      "define host {\nhost_name h\naddress 192.0.2.3\ncheck_command tcp!\(port)\n}\n"
    }
    let made = try read(host(1), host(2))
    #expect(lines(made) == ["h host 2"])
    #expect(made.reasonCounts["Nagios keeps one definition of a host: the last is taken"] == 1)
    #expect(made.reasonCounts["another definition of the host counts"] == 2)
    #expect(made.imported.carried + made.imported.listed == made.imported.total)
  }

  /// Names are patterns where nagios.cfg says so.
  @Test(arguments: [("1", "f*", true), ("1", "^f\\.r", true), ("1", "gone", false), ("0", "f*", false)])
  func patterns(flag: String, name: String, isPattern: Bool) throws {
    let made = try read("use_regexp_matching=\(flag)\n", service("host_name \(name)", 1))
    let why = "names by patterns (use_regexp_matching) are not worked out"
    #expect(made.names == [])
    #expect(made.imported.leftOut.map(\.name) == (isPattern ? ["\"host \(name) s\""] : []))
    #expect(made.reasons.contains(why) == isPattern)
  }
}
