// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Objects, templates, groups, macros and main files of Nagios.
@Suite struct NagiosTests {
  private static let base = """
    define command {
    \tcommand_name\ttcp\t\t; a comment
    \tcommand_line\t$USER1$/check_tcp -H $HOSTADDRESS$ \\
        -p $ARG1$
    }
    define host{
      host_name a;
      address 192.0.2.1;comment
      _port 8080
      hostgroups g1
    }
    define host {
      host_name b
      hostgroups g2,g3
    }
    define host {
      host_name c
    }
    define hostgroup {
      hostgroup_name g1
      hostgroup_members g2
    }
    define hostgroup {
      hostgroup_name g2
      hostgroup_members g1
    }
    define hostgroup {
      hostgroup_name all
      members *,!c
    }

    """

  private func service(_ lines: String) throws -> ReadSource {
    try ReadSource(.nagios, Self.base + "define service {\n\(lines)\n}\n")
  }

  @Test(arguments: [
    ("host_name a,b", ["a s", "b s"]), ("host_name *", ["a s", "b s", "c s"]),
    ("host_name *,!b", ["a s", "c s"]), ("hostgroup_name g1", ["a s", "b s"]),
    ("hostgroup_name all", ["a s", "b s"]), ("hostgroup_name all,!g3", ["a s"]),
    ("hostgroup_name *\nhost_name !a", ["b s"]),
  ])
  func hostsOfAService(lines: String, names: [String]) throws {
    let made = try service("\(lines)\nservice_description s\ncheck_command tcp!80")
    #expect(made.names == names && made.problems == [])
  }

  @Test func commentsAndContinuedLinesAreRead() throws {
    let made = try service("host_name a\nservice_description s\t; x\ncheck_command tcp!$_HOSTPORT$ ; y")
    #expect(made.names == ["a s"])
    #expect(try made.keys() == "type: tcp\nhost: \"192.0.2.1\"\nport: 8080")
    let semicolon = try service("host_name a\nservice_description s \\; t; u\ncheck_command tcp!80")
    #expect(semicolon.names == ["a s ; t"])
  }

  @Test func templatesAddToListsAndNullTakesAway() throws {
    let template = "define service {\n name t\n register 0\n host_name a\n max_check_attempts 4\n}\n"
    let made = try ReadSource(
      .nagios,
      Self.base + template
        + "define service {\n use t\n host_name +b\n service_description s\n check_command tcp!80\n"
        + " max_check_attempts null\n}\n")
    #expect(made.names == ["b s", "a s"])
    #expect(try !made.keys().contains("failure_threshold"))
  }

  /// Templates add to a list that begins with a plus, in their order, up to one whose list has none. `null` adds none.
  @Test(
    arguments: [
      ("use one,two", "+b", ["b", "a", "c"]), ("use two,one", "+b", ["b", "c"]),
      ("use one", "+b", ["b", "a"]),
      ("use one,two", "b", ["b"]), ("use one,two", nil, ["a", "c"]), ("use two,one", nil, ["c"]),
      ("use none,two", "+b", ["b", "c"]), ("use none,two", nil, []), ("use one,none,two", nil, ["a", "c"]),
      ("use nested", "+b", ["b", "a", "c"]), ("use nested,three", nil, ["a", "c"]),
      ("use other,three", nil, ["a", "d"]),
      ("use one,one", "+b", ["b", "a", "a"]),
    ] as [(String, String?, [String])])
  func severalTemplatesOfAList(use: String, own: String?, names: [String]) throws {
    func template(_ name: String, _ lines: String) -> String {
      "define service {\nname \(name)\nregister 0\n\(lines)\n}\n"
    }
    let file = try NagiosFile.read(
      Array(
        (template("one", "contacts +a") + template("two", "contacts c") + template("three", "contacts d")
          + template("none", "contacts null") + template("nested", "use one,two")
          + template("other", "use one")
          + "define service {\n\(use)\n\(own.map { "contacts \($0)" } ?? "")\n}\n").utf8))
    let (book, object) = (try NagiosBook([file]), try #require(file.objects.last))
    #expect(try book.names("contacts", of: object) == names)
  }

  @Test func whatIsMissingIsNamed() throws {
    let made = try service("use nothing\nhost_name a,z\nservice_description s\ncheck_command tcp!80")
    #expect(made.names == ["a s"])
    #expect(
      made.reasons == [
        "no imported check uses this variable",
        "host z is not in the files given",
        "the template \"nothing\" is not in the files given, so what it sets is missing",
      ])
    #expect(
      made.reasons.contains("the template \"nothing\" is not in the files given, so what it sets is missing"))
    let command = try service("host_name a\nservice_description s\ncheck_command other!80")
    #expect(command.names == [] && command.imported.leftOut.map(\.name) == ["\"a s\""])
    #expect(
      command.reasons.contains(
        "the command \"other\" is not in the files given: import the file that defines it too"))
  }

  /// Values of resource.cfg are secrets: they are references, also where they are not known.
  @Test func macrosOfResourceFiles() throws {
    let service = """
      define command {
      command_name w
      command_line $USER1$/check_http -H $HOSTALIAS$ -a $USER3$:$USER4$ -k "X-A: $USER5$" -u "/?a=$$1" -f follow
      }
      define service {
      host_name a
      service_description s
      check_command w
      }
      """
    let resource = "# x\n$USER1$=/usr/lib/nagios/plugins\n$USER3$=me\n$USER4$=hunter2;x\n"
    let made = try ReadSource(
      nil,
      [
        (
          "nagios.cfg",
          "cfg_file=/etc/nagios/objects.cfg\nresource_file=/etc/nagios/resource.cfg\ninterval_length=1\n"
        ),
        ("a/objects.cfg", Self.base + service), ("a/resource.cfg", resource),
      ])
    let keys = try made.keys()
    #expect(
      keys == """
        type: http
        url: "http://a/?a=$1"
        headers:
          X-A: "${env:NAGIOS_USER5}"
        auth:
          basic:
            username: "${env:QUARTZ_C_USER3}"
            password: "${env:QUARTZ_C_PASSWORD}"
        """)
    #expect(made.secrets.map { $0.value.reveal() } == ["me", "hunter2;x"])
    #expect(made.imported.checks[0]["interval"]?.word == "5s")
    #expect(
      made.reasons.contains(
        "$USER5$ is not in the files given: set NAGIOS_USER5, or import resource.cfg too"))
    #expect(made.problems == [])
  }

  @Test func aSecretInAnAddressIsAVariable() throws {
    let made = try ReadSource(
      .nagios,
      [
        (
          "o.cfg",
          """
          define command {
          command_name w
          command_line check_http -H a.example -u "/?k=$USER4$" -f follow
          }
          define host {
          host_name a
          check_command w
          }
          """
        ), ("resource.cfg", "$USER4$=hunter2\n"),
      ])
    #expect(try made.keys() == "type: http\nurl: \"http://a.example/?k=${env:NAGIOS_USER4}\"")
    #expect(made.problems == [] && !made.text.contains("hunter2"))
    #expect(
      made.reasons.contains("set NAGIOS_USER4 to the value of $USER4$ in resource.cfg before the start"))
  }

  @Test func contactsAreListedWithWhatToWrite() throws {
    let made = try ReadSource(
      .nagios, Self.base + "define contact {\n contact_name x\n email x@a.example\n}\n")
    #expect(
      made.reasons.contains(
        "no imported check notifies this contact by mail: write alerts.channels, see docs/alerts.md"
      ))
  }

  @Test func anObjectWithoutAnEndIsRefused() {
    #expect(throws: ImportProblem("f: line 2: the object has no }")) {
      try ReadSource(.nagios, "\ndefine host {\n host_name a\ndefine host {\n}\n")
    }
  }
}

/// Lists and groups that are small to write and large to work out.
@Suite struct NagiosGroupsTests {
  private func lines(_ count: Int, _ line: (Int) -> String) -> String { (0..<count).map(line).joined() }

  /// Each service stands for every host, and takes them all out again.
  @Test func hostsThatAreTakenOutCount() {
    let hosts = lines(2000) { "define host {\n host_name h\($0)\n}\n" }
    let services = lines(600) { _ in
      "define service {\n host_name *\n hostgroup_name !*\n check_command c\n}\n"
    }
    let group = "define hostgroup {\n hostgroup_name g\n members *\n}\n"
    #expect(
      throws: ImportProblem(
        "f: lists stand for more than 1000000 names",
        hint: "import the files in parts")
    ) { try ReadSource(.nagios, hosts + group + services) }
  }

  private static let pinged =
    "define command {\n command_name check_ping\n command_line check_ping\n}\n"
    + "define host {\n host_name h\n address a.example\n}\n"
    + "define contact {\n contact_name c\n email c@a.example\n}\n"

  private func services(_ count: Int, _ told: String) -> String {
    lines(count) {
      "define service {\n host_name h\n service_description s\($0)\n check_command check_ping\n \(told)\n}\n"
    }
  }

  private static let tooManyContacts = ImportProblem(
    "f: checks have more than 200000 contacts together, those of groups in groups included",
    hint: "import the files in parts")

  /// Each check walks all groups, which have no contact.
  @Test func groupsOfContactsCount() {
    let groups = lines(500) {
      "define contactgroup {\n contactgroup_name g\($0)\n contactgroup_members g\($0 + 1)\n}\n"
    }
    #expect(throws: Self.tooManyContacts) {
      try ReadSource(.nagios, Self.pinged + groups + services(500, "contact_groups g0"))
    }
  }

  /// Each check names one contact, again and again.
  @Test func contactsThatAreNamedAgainCount() {
    let names = Array(repeating: "c", count: 9000).joined(separator: ",")
    #expect(throws: Self.tooManyContacts) {
      try ReadSource(.nagios, Self.pinged + services(40, "contacts \(names)"))
    }
  }

  @Test func groupsAreNestedSoDeep() {
    let groups = lines(100) {
      "define hostgroup {\n hostgroup_name g\($0)\n hostgroup_members g\($0 + 1)\n}\n"
    }
    #expect(throws: ImportProblem("f: hostgroups are nested deeper than 64 levels")) {
      try ReadSource(.nagios, groups + "define service {\n hostgroup_name g0\n}\n")
    }
  }

  /// Blanks and tabs before a continued line are no part of it, and those within a line are.
  @Test(arguments: [
    ("1\\\n2", "12"), ("1\\\n  2", "12"), ("1\\\n\t\t2", "12"), ("1\\\n \t 2", "12"), ("1\\\n\t 2", "12"),
    ("1 \\\n\t2\\\n \t3", "1 23"), ("1\\\n\t2\t 3", "12\t 3"),
  ])
  func indentsOfContinuedLines(text: String, value: String) throws {
    let file = try NagiosFile.read(Array("a=\(text)\n".utf8))
    #expect(file.settings.map { $0.value.text } == [value])
  }
}
