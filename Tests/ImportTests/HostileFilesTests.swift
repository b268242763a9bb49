// SPDX-License-Identifier: MIT

import Basics
import Import
import Testing

/// Files of every source that are small to write and large to work out: each ends with a refusal in words, or is read.
@Suite struct HostileFilesTests {
  private func refusal(_ format: ImportFormat, _ text: String) -> ImportProblem? {
    do throws(ImportProblem) {
      _ = try Importer.read(format, [ImportFile(name: "f", bytes: Array(text.utf8))])
      return nil
    } catch { return error }
  }

  private func read(_ format: ImportFormat, _ text: String) throws(ImportProblem) -> Imported {
    try Importer.read(format, [ImportFile(name: "f", bytes: Array(text.utf8))])
  }

  private func text(_ part: String, _ count: Int) -> String { String(repeating: part, count: count) }
  private func list(_ count: Int, _ line: (Int) -> String) -> String {
    (0..<count).map(line).joined()
  }

  // MARK: YAML

  @Test(arguments: [ImportFormat.blackbox, .gatus]) func aliasesCountAsWhatTheyRepeat(_ format: ImportFormat)
  {
    let large = "a: &a \"\(text("x", 1 << 20))\"\nb:\n" + text("  - *a\n", 17)
    #expect(refusal(format, large)?.message == "f: line 17: more than 16 MiB of text, aliases expanded")
    let many = "a: &a [\(text("x,", 999))x]\nb:\n" + text("  - *a\n", 200)
    #expect(refusal(format, many)?.message == "f: line 201: more than 200000 values, aliases expanded")
    let deep = "a: " + text("[", 100) + text("]", 100)
    #expect(refusal(format, deep)?.message == "f: line 1: nested deeper than 64 levels")
  }

  @Test(arguments: [ImportFormat.blackbox, .gatus]) func directivesAreCounted(_ format: ImportFormat) {
    let tags = list(101) { "%TAG !a\($0)! tag:a,2026:\n" } + "---\na: 1\n"
    #expect(
      refusal(format, tags)
        == ImportProblem(
          "f: line 101: more than 100 directives", hint: "remove the lines that begin with %"))
  }

  @Test func theSizeIsTold() {
    let large = "a: " + text("x", 16 << 20)
    for format in [ImportFormat.blackbox, .gatus, .nagios, .cloudprober, .checkly, .uptimeKuma] {
      #expect(refusal(format, large)?.message == "f: is larger than 16 MiB")
    }
  }

  /// A place is cut where it has said enough: 200,000 of them are kept.
  @Test func placesAreShort() throws {
    let nested = list(40) { text("  ", $0) + text("k", 80) + ":\n" } + text("  ", 40) + "[1, 2]\n"
    let made = try read(.gatus, "endpoints: []\n" + nested)
    #expect(made.notes.map(\.place.utf8.count) == [410, 410])
  }

  @Test(arguments: [ImportFormat.checkly, .uptimeKuma]) func valuesOfJSONAreCounted(_ format: ImportFormat) {
    #expect(
      refusal(format, "[\(text("1,", 1_000_000))1]")
        == ImportProblem("f: more than 1000000 values", hint: "import the file in parts"))
  }

  // MARK: Gatus and Checkly

  @Test func manyConditionsAndHeadersAreRead() throws {
    let made = try read(
      .gatus,
      "endpoints:\n  - name: a\n    url: https://a.example/\n    headers:\n"
        + list(20_000) { "      h\($0): x\n" }
        + "    conditions:\n" + list(20_000) { "      - \"[BODY].a\($0) == 1\"\n" }
        + "      - \"[BODY].a7 == 2\"\n")
    guard case .map(let paths)? = made.checks.first?["expect.json"],
      case .map(let headers)? = made.checks.first?["headers"]
    else {
      Issue.record("no conditions")
      return
    }
    #expect(paths.count == 20_001 && headers.count == 20_000)
    #expect(made.checks.first?.notes == [])
  }

  @Test func checksAreCountedWhileTheyAreMade() {
    let endpoints = "endpoints:\n" + list(10_001) { "- {name: a\($0), url: http://a.example/}\n" }
    #expect(
      refusal(.gatus, endpoints)
        == ImportProblem("f: more than 10000 checks, at a10000", hint: "import the files in parts"))
    let checks = list(10_001) {
      "\($0 == 0 ? "" : ","){\"name\":\"a\($0)\",\"request\":{\"url\":\"http://a\"}}"
    }
    #expect(refusal(.checkly, "[\(checks)]")?.message == "f: more than 10000 checks, at a10000")
  }

  // MARK: blackbox

  @Test func aModuleTimesItsTargetsIsBounded() {
    let patterns = text("a,", 20_000)
    let job = """
      modules: {m: {prober: http, http: {fail_if_body_matches_regexp: [\(patterns)a]}}}
      scrape_configs:
      - job_name: j
        metrics_path: /probe
        params: {module: [m]}
        static_configs: [{targets: [\(text("a.example,", 200))b.example]}]
        relabel_configs: [{source_labels: [__address__], target_label: __param_target}]

      """
    #expect(
      refusal(.blackbox, job)
        == ImportProblem(
          "f: module \"m\": its settings, repeated for each target, are more than 500000 values or 32 MiB",
          hint: "import fewer targets at a time, or shorten the settings"))
  }

  @Test func relabellingThatDoublesEnds() throws {
    let rules = text(
      "  - {source_labels: [__address__], target_label: __address__, replacement: \"$1$1\"}\n", 64)
    let made = try read(
      .blackbox,
      """
      modules: {m: {prober: icmp}}
      scrape_configs:
      - job_name: j
        metrics_path: /probe
        params: {module: [m]}
        static_configs: [{targets: [aaaaaaaa]}]
        relabel_configs:
      \(rules)
      """)
    #expect(made.checks.isEmpty)
    #expect(
      made.notes.map(\.why) == [
        "relabel_configs[7] (line 15) makes more than 2048 bytes of it",
        "no target given uses the module; give the scrape config or Probe as well",
      ])
    let many = text("  - {target_label: a}\n", 501)
    #expect(
      refusal(
        .blackbox, "scrape_configs:\n- job_name: j\n  metrics_path: /probe\n  relabel_configs:\n\(many)")?
        .message == "f: line 5: more than 500 relabelling rules in one job")
  }

  // MARK: Nagios

  private static let hosts = """
    define host {
     host_name h
     address a.example
    }
    define command {
     command_name check_ping
     command_line check_ping
    }
    define command {
     command_name check_tcp
     command_line check_tcp $ARG1$ $ARG2$ $ARG3$
    }

    """

  /// Each template uses sixteen others: without memory that are 16^16 questions.
  @Test func templatesAreAskedOnce() throws {
    let templates = (0..<60).map { level in
      let used = (0..<16).map { "t\(level + 1)_\($0)" }.joined(separator: ",")
      return (0..<16).map { "define service {\n name t\(level)_\($0)\n use \(used)\n register 0\n}\n" }
        .joined()
    }.joined()
    let service = "define service {\n use t0_0\n host_name h\n check_command check_ping\n}\n"
    let made = try read(.nagios, templates + Self.hosts + service)
    #expect(made.checks.map(\.name) == ["h host"])
  }

  @Test func templatesMayUseOneAnotherButNotForEver() throws {
    let circle = """
      define service {
        name a
        use b
      }
      define service {
        name b
        use a
        check_interval 2
      }

      """
    let service = "define service {\n use a\n host_name h\n check_command check_ping\n}\n"
    let made = try read(.nagios, circle + Self.hosts + service)
    #expect(made.checks.first?["interval"]?.word == "2m")
    let chain = list(100) { "define service {\n name t\($0)\n use t\($0 + 1)\n register 0\n}\n" }
    #expect(
      refusal(.nagios, chain + Self.hosts + service.replacing("use a", with: "use t0"))
        == ImportProblem(
          "f: line 320: more than 64 templates above one another",
          hint: "look at `use` there: real configurations have fewer than ten"))
  }

  private static let tooLong =
    ["its command line is longer than 2048 bytes"]
    + Array(repeating: "a command that no imported check uses", count: 6)
    + ["no check was made of it, see check_command"]

  /// An argument is put in once: what it says of others is text.
  @Test func argumentsOfArgumentsAreText() throws {
    let command = "define command {\n command_name c\n command_line check_tcp -H x$ARG1$ -p 80\n}\n"
    let call = "c" + (2...32).map { "!$ARG\($0)$$ARG\($0)$" }.joined()
    let service = "define service {\n host_name h\n check_command \(call)\n}\n"
    let made = try read(.nagios, Self.hosts + command + service)
    #expect(made.checks.first?["host"]?.word == "x")
    let long =
      Self.hosts + command + "define service {\n host_name h\n check_command c!\(text("a", 3000))\n}\n"
    let notes = try read(.nagios, long).notes
    #expect(
      notes.map(\.why) == Self.tooLong)
    let grown = command.replacing("-H x$ARG1$", with: text("$ARG1$", 300))
    let filled = try read(
      .nagios, Self.hosts + grown + "define service {\n host_name h\n check_command c!\(text("a", 300))\n}\n")
    #expect(
      filled.notes.map(\.why) == Self.tooLong)
  }

  @Test func servicesTimesHostsIsBounded() {
    let hosts = list(200) { "define host {\n host_name h\($0)\n hostgroups g\n}\n" }
    let services = text("define service {\n hostgroup_name g,g\n check_command check_ping\n}\n", 51)
    #expect(
      refusal(.nagios, hosts + services)
        == ImportProblem(
          "f: more than 10000 checks, at the service that ends at line 1004",
          hint: "import the files in parts"))
    #expect(
      refusal(.nagios, "define host {\n\(list(501) { "_v\($0) x\n" })}\n")?.message
        == "f: line 502: more than 500 values in one object")
  }

  @Test func listsOfNamesAreBounded() {
    for list in ["host_name", "hostgroup_name"] {
      #expect(
        refusal(.nagios, Self.hosts + "define service {\n \(list) \(text("a,", 10_000))a\n}\n")
          == ImportProblem(
            "f: line 14: more than 10000 names in one list", hint: "import the files in parts"))
    }
    let group = "define hostgroup {\n hostgroup_name g\n members \(text("a,", 10_000))a\n}\n"
    #expect(refusal(.nagios, group)?.message == "f: line 3: more than 10000 names in one list")
  }

  // MARK: cloudprober

  @Test func aProbeTimesItsTargetsIsBounded() {
    let labels = text("additional_label {key: \"a\" value: \"b\"} ", 1000)
    let probe = "probe { name: \"p\" type: PING targets { host_names: \"\(text("a,", 999))a\" } \(labels) }"
    #expect(
      refusal(.cloudprober, probe)?.message
        == "f: p: its settings, repeated for each target, are more than 500000 values or 32 MiB")
    let hosts = "probe { name: \"p\" type: PING targets { host_names: \"\(text("a,", 10_001))a\" } }"
    #expect(refusal(.cloudprober, hosts)?.message == "f: more than 10000 checks, at p")
    #expect(refusal(.cloudprober, text("a{", 100))?.message == "f: line 1: nested too deep")
    #expect(refusal(.cloudprober, "a: \"x")?.message == "f: line 1: a text has no end")
  }

  // MARK: Secrets

  /// A name shows a target without who asks, and an option without what follows it.
  @Test func secretsAreInNoNameOrNote() throws {
    let targets = ["user:hunter2@a.example:25", "smtp://user:hunter2@a.example:25"]
    for target in targets {
      let made = try read(
        .blackbox,
        """
        modules: {m: {prober: tcp}}
        scrape_configs:
        - metrics_path: /probe
          params: {module: [m]}
          static_configs: [{targets: ["\(target)"]}]
          relabel_configs: [{source_labels: [__address__], target_label: __param_target}]

        """)
      #expect(made.checks.allSatisfy { !$0.name.contains("hunter2") }, "\(made.checks.map(\.name))")
    }
    let made = try read(
      .nagios,
      Self.hosts
        + "define service {\n host_name h\n check_command check_tcp!--login:me:hunter2!-p!80\n}\n")
    #expect(
      made.checks.first?.notes.map(\.why) == [
        "--login is no option of the plugin"
      ])
    for (format, text) in [
      (ImportFormat.gatus, "a: {password: hunter2, b: [hunter2\n"), (.checkly, "{\"password\":\"hunter2\",}"),
      (.uptimeKuma, "{\"monitorList\":\"hunter2\"}"), (.cloudprober, "password: \"hunter2\" {"),
      (.blackbox, "password: \"hunter2"),
    ] {
      let problem = try #require(refusal(format, text))
      #expect(!"\(problem)".contains("hunter2"))
    }
  }
}
