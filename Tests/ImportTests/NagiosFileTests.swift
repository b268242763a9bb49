// SPDX-License-Identifier: MIT

import Basics
import Testing

@testable import Import

/// Files of Nagios line by line: objects, settings, comments and limits.
@Suite struct NagiosFileTests {
  private func read(_ text: String, most: Int = ForeignLimits.values) throws(ImportProblem) -> NagiosFile {
    try NagiosFile.read(Array(text.utf8), most: most)
  }

  private func shown(_ file: NagiosFile) -> [String] {
    file.objects.map { object in
      let entries = (object.node.entries ?? []).map { "\($0.name)=\($0.value.text ?? "?")@\($0.value.line)" }
      return "\(object.kind)@\(object.node.line) \(entries.joined(separator: ","))"
    } + file.settings.map { "\($0.name)=\($0.value.text ?? "?")@\($0.value.line)" }
  }

  @Test(
    arguments: [
      ("define host {\n a b\n}\n", ["host@3 a=b@2"]), ("define\tHost{\na\tb  c\n}", ["host@3 a=b  c@2"]),
      ("define host{\n\n# c\n; d\n a b ; e\n}\n", ["host@6 a=b@5"]),
      ("define host{\na b\\;c\n}\n", ["host@3 a=b;c@2"]),
      ("define host{\na b\\\n   c\nd e\n}\n", ["host@5 a=bc@2,d=e@4"]),
      ("define host{\na b\\\\\nc d\n}\n", ["host@4 a=b\\@2,c=d@3"]),
      ("define host{\r\na b\r\n}\r\n", ["host@3 a=b@2"]),
      ("define host{\na\n_macro b\n_OTHER c\nCase d\n}\n", ["host@6 a=@2,_MACRO=b@3,_OTHER=c@4,Case=d@5"]),
      ("define host{\na b\n} trailing\nx=1\n", ["host@3 a=b@2", "x=1@4"]),
      ("a=b=c\n d = e \n", ["a=b=c@1", "d=e@2"]),
      ("word and more\nother{x\n", ["word=word and more@1", "other=other{x@2"]),
      ("$USER1$=/p\n", ["$USER1$=/p@1"]),
      ("defined x\n", ["defined=defined x@1"]), ("", []), ("# a=b\n;c=d\n\n", []), ("a=b", ["a=b@1"]),
      ("}\n", ["}=}@1"]),
      ("define host{\n}\ndefine service{\na b\n}\n", ["host@2 ", "service@5 a=b@4"]),
    ] as [(String, [String])])
  func lines(text: String, found: [String]) throws { #expect(shown(try read(text)) == found) }

  @Test(arguments: [
    ("define host{\na b\n", "line 1: the object has no }"),
    ("\ndefine host{\ndefine service{\n}\n", "line 2: the object has no }"),
  ])
  func refusals(text: String, words: String) { #expect(throws: ImportProblem(words)) { try read(text) } }

  /// Values of objects and settings count together, and those of one object for themselves.
  @Test func limits() throws {
    let two = "x=1\ndefine host{\na b\n}\n"
    #expect(try read(two, most: 2).settings.count == 1)
    #expect(throws: ImportProblem("line 3: more than 1 values")) { try read(two, most: 1) }
    #expect(throws: ImportProblem("line 5: more than 2 values")) { try read(two + "y=1\n", most: 2) }
    func object(_ count: Int) -> String { "define host{\n\(String(repeating: "a b\n", count: count))}\n" }
    #expect(try read(object(500)).objects.first?.node.entries?.count == 500)
    #expect(throws: ImportProblem("line 502: more than 500 values in one object")) { try read(object(501)) }
    #expect(try read(object(500) + object(500)).objects.count == 2)
  }

  /// Nagios knows some directives by several names, each for kinds of objects of its own.
  @Test(
    arguments: [
      ("host", "host_groups checks_enabled host", "hostgroups active_checks_enabled host"),
      (
        "service", "host hosts description hostgroup hostgroups service_groups contactgroups",
        "host_name host_name service_description hostgroup_name hostgroup_name servicegroups contactgroups"
      ),
      ("contact", "contact_groups description", "contactgroups description"),
      (
        "hostdependency", "host master_host master_host_name hostgroup hostgroups description",
        "host_name host_name host_name hostgroup_name hostgroup_name description"
      ),
      (
        "hostdependency", "dependent_host dependent_hostgroup dependent_hostgroups",
        "dependent_host_name dependent_hostgroup_name dependent_hostgroup_name"
      ),
      (
        "servicedependency", "notification_failure_options execution_failure_options host",
        "notification_failure_criteria execution_failure_criteria host_name"
      ),
      (
        "servicedependency", "description master_description master_service_description",
        "service_description service_description service_description"
      ),
      ("servicedependency", "dependent_description hosts", "dependent_service_description hosts"),
      ("command", "host description hosts", "host description hosts"),
      ("hostgroup", "host_groups hostgroups", "host_groups hostgroups"),
    ])
  func otherNames(kind: String, written: String, read: String) throws {
    let lines = written.split(separator: " ").map { "\($0) v\n" }.joined()
    let entries = try self.read("define \(kind) {\n\(lines)}\n").objects.first?.node.entries ?? []
    #expect(entries.map(\.name) == read.split(separator: " ").map(String.init))
    #expect(entries.allSatisfy { $0.value.text == "v" })
  }

  /// A file of another program has neither an object nor a setting.
  @Test(arguments: [
    ("endpoints:\n  - name: a\n    url: \"https://a.example/?b=c\"\n", true), ("hello\n", true),
    ("cfg_file=/etc/a.cfg\nhello\n", false), ("$USER1$=/usr/lib\n", false), ("# nothing\n", false),
    ("hello\ndefine host{\nhost_name a\n}\n", false),
  ])
  func filesOfOthers(text: String, isForeign: Bool) throws {
    #expect(try read(text).isForeign == isForeign)
    guard isForeign else { return }
    let reasons = try ReadSource(.nagios, text).reasons
    #expect(Set(reasons) == ["the file does not look like an object file of Nagios"])
  }

  /// A template alone is no object.
  @Test(arguments: [("register 0", false), ("register 1", true), ("name t", true)])
  func realObjects(line: String, isReal: Bool) throws {
    #expect(try read("define host{\n\(line)\n}\n").objects.map(\.isReal) == [isReal])
  }
}
