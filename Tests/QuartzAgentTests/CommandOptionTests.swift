// SPDX-License-Identifier: MIT

import Alerts
import ArgumentParser
import Basics
import Foundation
import FoundationEssentials
import Glibc
import Logging
import Monitoring
import Spool
import TestSupport
import Testing

@testable import AgentConfig
@testable import QuartzAgent

/// What commands take for granted, what they take at all, and the codes that they end with.
@Suite struct CommandOptionTests {
  /// The codes of the manual, which scripts and Nagios rely on.
  @Test func exitCodes() {
    let codes = [
      ExitStatus.up, ExitStatus.degraded, ExitStatus.down, ExitStatus.unknown, ExitStatus.badData,
      ExitStatus.noInput, ExitStatus.internalError, ExitStatus.cannotCreate, ExitStatus.locked,
      ExitStatus.configuration, ExitStatus.interrupted,
    ]
    #expect(codes == [0, 1, 2, 3, 65, 66, 70, 73, 75, 78, 130])
    // A usage error is the parser's own.
    #expect(ExitCode.validationFailure.rawValue == 64)
  }

  /// What `run` ends with where its store cannot be opened.
  @Test func theStoreOfAnotherAgent() {
    let errors: [SpoolError] = [
      .locked(path: "/a"), .invalidSettings("too small"), .notDurable(reason: "no space"),
    ]
    #expect(errors.map(\.exitStatus) == [75, 78, 70])
  }

  /// An empty name, as of a variable that is not set, is a usage error.
  @Test func emptyNames() {
    let commands: [(any ParsableCommand.Type, [String])] = [
      (AckCommand.self, [""]), (AckCommand.self, ["  "]), (UnmuteCommand.self, [""]),
      (MuteCommand.self, ["", "10m"]), (MaintenanceCommand.Start.self, ["", "10m"]),
      (MaintenanceCommand.End.self, [""]), (PostCommand.Delete.self, [" "]), (AlertExplainCommand.self, [""]),
    ]
    for (command, arguments) in commands {
      do {
        _ = try command.parse(arguments)
        Issue.record("\(command) takes \(arguments)")
      } catch {
        #expect(command.exitCode(for: error) == .validationFailure)
        #expect(command.message(for: error).contains("the name is empty. Name "), "\(command)")
      }
    }
    #expect(throws: Never.self) { try AckCommand.parse(["3f2a1c"]) }
  }

  @Test func defaultsOfOnce() throws {
    let once = try OnceCommand.parse([])
    #expect((once.count, once.warmUp) == (1, 0) && once.every == nil)
    #expect(!once.explain && !once.trace && !once.post && once.export == nil && once.targets == [])
    #expect(once.output.format == nil && once.output.colors.color == .auto && !once.output.colors.noColor)
    let shortcuts = once.asked.shortcuts
    #expect(shortcuts.isEmpty && shortcuts.retries == nil && shortcuts.timeout == nil)
  }

  @Test func defaultsOfTheOthers() throws {
    let imported = try ImportCommand.parse(["gatus", "a.yml"])
    #expect(imported.length == .seconds(3600) && !imported.force && imported.output == nil)
    let made = try InitCommand.parse([])
    #expect(made.output == "agent.yaml" && made.interval == .seconds(60) && made.listen == nil)
    #expect(try AlertCommand.Test.parse([]).kind == .test && AlertCommand.Test.parse([]).names == [])
    #expect(try ManualCommand.parse([]).page == "quartz-agent.1")
    let log = try LogOptions.parse([])
    #expect(log.logLevel == .info && log.logFormat == .text)
    #expect(try TestCommand.parse(["cases.yaml"]).format == .text)
    #expect(try DoctorCommand.parse([]).format == .table && StatusCommand.parse([]).format == .table)
    #expect(try GroupCommand.parse([]).format == .table && !GroupCommand.parse([]).checks)
    #expect(try IncidentsCommand.parse([]).format == .table && !IncidentsCommand.parse([]).all)
    #expect(try CompareCommand.parse(["a", "b"]).format == .table)
    #expect(try MuteCommand.parse(["Shop", "90m"]).length == .seconds(5400))
    #expect(try !MaintenanceCommand.Start.parse(["all", "10m"]).skip)
    #expect(try QuartzAgentCommand.parseAsRoot(["spool", "quarantine"]) is SpoolCommand.QuarantineList)
  }

  /// Options of a target are keys of its check.
  @Test func optionsOfATarget() throws {
    let shortcuts = try OnceCommand.parse([
      "-H", "A: b", "--header", "C: d", "-X", "PUT", "-d", "x=1", "--data", "y=2", "-k", "--timeout", "3s",
      "--retries", "2", "https://a.example",
    ]).asked.shortcuts
    #expect(shortcuts.headers == ["A: b", "C: d"] && shortcuts.data == ["x=1", "y=2"])
    #expect(shortcuts.method == "PUT" && shortcuts.isInsecure)
    #expect(shortcuts.timeout == "3s" && shortcuts.retries == 2)
  }

  @Test(
    arguments: [
      (["--count", "1000000"], nil), (["--count", "0"], "--count must be 1 to 1000000"),
      (["--count", "1000001"], "--count must be 1 to 1000000"), (["--warm-up", "1000"], nil),
      (["--warm-up=-1"], "--warm-up must be 0 to 1000"),
      (["--warm-up", "1001"], "--warm-up must be 0 to 1000"),
      (["--explain"], nil), (["--explain", "--format", "table"], nil),
      (
        ["--explain", "--format", "json"],
        "--explain goes with --format table; json has no place for its details, such as response headers"
      ),
      (["--every", "5s"], "--every is the interval between rounds: add --count"),
      (["--every", "5s", "--count", "2"], nil), (["--every", "5s", "--warm-up", "1"], nil),
      (["-c", ""], "--config is empty: name a file"),
      (["-c", "-"], "--config reads no standard input: name a file"), (["-c", "a.yaml"], nil),
      (["--export", "a.CSV"], nil),
      (
        ["--export", "a.txt"], "--export a.txt: the end of the name is .csv, .json, .md, .ndjson, .xml"
      ),
      (["--format", "nagios", "--count", "1"], nil),
      (
        ["--format", "nagios", "--count", "2"],
        "--format nagios is the answer of one round: leave --count out"
      ),
      (["--format", "json", "--count", "2"], nil),
    ] as [([String], String?)])
  func boundsOfOnce(options: [String], problem: String?) {
    judge(refusal(of: OnceCommand.self, options), problem)
  }

  @Test(
    arguments: [
      (["a", "b"], nil), (["a"], "name two files, or --by-place"), ([], "name two files, or --by-place"),
      (["-", "b"], nil), (["a", "-"], nil), (["-", "-"], "only one of the two can come from standard input"),
      (["--by-place"], nil), (["--by-place", "a"], "--by-place takes no file"),
      (["--by-place", "--period", "30d"], nil),
      (["a", "b", "--period", "30d"], "--period goes with --by-place"),
      (["a", "b", "--fail-slower", "10%"], nil),
      (["--by-place", "--fail-slower", "10%"], "--fail-slower compares two files; leave --by-place out"),
    ] as [([String], String?)])
  func whatCompareTakes(options: [String], problem: String?) {
    judge(refusal(of: CompareCommand.self, options), problem)
  }

  @Test(
    arguments: [
      (["auto", "a"], nil), (["gatus", "a"], nil), (["zabbix", "a"], "the format must be auto, "),
      (["auto", "a", "--for", "1s"], nil), (["auto", "a", "--for", "999ms"], "--for must be 1s to 7d"),
      (["auto", "a", "--for", "7d"], nil), (["auto", "a", "--for", "604801s"], "--for must be 1s to 7d"),
      (["auto", "a", "--diff", "http://127.0.0.1:9115"], nil),
      (["auto", "a", "--diff", "127.0.0.1"], ", such as http://127.0.0.1:9115"),
      (["auto"] + Array(repeating: "a", count: 1000), nil),
      (["auto"] + Array(repeating: "a", count: 1001), "give 1 to 1000 files"),
    ] as [([String], String?)])
  func whatImportTakes(options: [String], problem: String?) {
    judge(refusal(of: ImportCommand.self, options), problem)
  }

  @Test(
    arguments: [
      ([], nil), (["--interval", "1s"], nil), (["--interval", "0s"], "--interval must be 1s to "),
      (["--interval", "999ms"], "--interval must be 1s to "),
    ] as [([String], String?)])
  func whatInitTakes(options: [String], problem: String?) {
    judge(refusal(of: InitCommand.self, options), problem)
  }

  /// The default in the help is one that the option accepts.
  @Test func defaultsAreAccepted() {
    for span in [Duration.seconds(1), .seconds(3600), .milliseconds(50), .seconds(90)] {
      #expect(Duration(argument: span.defaultValueDescription) == span)
    }
    #expect(TraceCommand.helpMessage(columns: 200).contains("(default: 1s)"))
    #expect(InitCommand.helpMessage(columns: 200).contains("(default: 1m)"))
    #expect(ImportCommand.helpMessage(columns: 200).contains("(default: 1h)"))
  }

  /// Lines that are rewritten need a terminal that can move.
  @Test(arguments: [(nil, false), ("", false), ("dumb", false), ("xterm", true), ("linux", true)])
  func linesAreRewritten(name: String?, isDone: Bool) {
    #expect(Terminal.rewritesLines { $0 == "TERM" ? name : nil } == isDone)
  }

  @Test func whatGoesTogether() {
    judge(refusal(of: StatusCommand.self, ["--watch"]), nil)
    judge(refusal(of: StatusCommand.self, ["--format", "json"]), nil)
    judge(
      refusal(of: StatusCommand.self, ["--watch", "--format", "json"]), "--watch goes with --format table")
    judge(refusal(of: SchemaCommand.self, ["--cases"]), nil)
    judge(refusal(of: SchemaCommand.self, ["--markdown"]), nil)
    judge(refusal(of: SchemaCommand.self, ["--markdown", "--cases"]), "--markdown has all tables")
  }

  private func judge(_ said: String?, _ problem: String?) {
    #expect(problem == nil ? said == nil : said?.contains(problem ?? "") == true, "\(said ?? "nothing")")
  }

  /// `10%` and `10` are the same; a share is neither negative nor more than a hundredfold.
  @Test(
    arguments: [
      ("10%", 10), ("10", 10), ("0", 0), ("0.5%", 0.5), ("10000%", 10_000), ("10000.5", nil), ("-1", nil),
      ("", nil), ("%", nil), ("10%%", nil), ("nan", nil), ("inf", nil), ("ten", nil),
    ] as [(String, Double?)])
  func percentages(text: String, value: Double?) { #expect(Percentage(argument: text)?.value == value) }

  /// A format that is named, else a table for people, else lines for programs.
  @Test func theFormatOfResults() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let output = Terminal(ends[1])
    let none = try OutputOptions.parse([])
    #expect(none.chosen(output) == .ndjson && none.chosen(output, explains: true) == .table)
    let junit = try OutputOptions.parse(["--format", "junit"])
    #expect(junit.chosen(output) == .junit && junit.chosen(output, explains: true) == .junit)
  }

  /// The kinds of a sample, as the messages are called.
  @Test func kindsOfASample() {
    #expect(
      AlertCommand.SampleKind.allCases.map(\.kind) == [.test, .opened, .update, .recovered, .digest])
    #expect(
      AlertCommand.SampleKind.allCases.map(\.rawValue) == ["test", "opened", "updated", "resolved", "digest"])
  }

  /// What `alert test` says of a channel.
  @Test func wordsOfASending() {
    let channel = AlertChannel(name: "pager", kind: .exec(ExecChannel(command: ["/bin/true", "x"])))
    let rows: [(SendOutcome, String?, String)] = [
      (.delivered, nil, "delivered to /bin/true"), (.delivered, "ok", "delivered to /bin/true (it said: ok)"),
      (.deliveredBut("550 b"), "ok", "delivered, but not to all recipients: 550 b"),
      (
        .partly("451 later", remaining: ["a@x", "b@x"]), nil,
        "not delivered to a@x, b@x: 451 later; the agent would retry for them"
      ),
      (.failed("timeout"), "hm", "not delivered: timeout (it said: hm); the agent would retry"),
      (.refused("400"), nil, "refused: 400"), (.refused("400"), "no", "refused: 400 (it said: no)"),
    ]
    for (outcome, answer, words) in rows { #expect(outcome.words(channel, answer) == words) }
  }

  /// The author and the reason go with an order; of a login that is known, its name.
  @Test func itemsOfAnOrder() throws {
    #expect(
      try OrderOptions.parse(["--by", "ann b", "--why", "a&b"]).items == ["by=ann%20b", "why=a%26b"])
    #expect(try OrderOptions.parse(["--why", "x"]).items.last == "why=x")
    #expect(try OrderOptions.parse(["--by", "ann"]).items == ["by=ann"])
  }

  /// A configuration that is refused has its warnings told, too, before its problems are counted.
  @Test func warningsOfWhatIsRefused() {
    func problem(_ message: String) -> ConfigProblem { ConfigProblem(file: "a.yaml", message: message) }
    var errors = ConfigErrors(problems: [problem("one"), problem("two")])
    errors.warnings = [problem("first"), problem("second")]
    var lines: [String] = []
    let refusal = report(errors) { lines.append($0) }
    #expect(lines == errors.warnings.map { "warning: \($0)" })
    #expect(
      refusal.message == "the configuration has 2 problems" && refusal.status == ExitStatus.configuration)
    errors.warnings = []
    lines = []
    _ = report(errors, of: "it") { lines.append($0) }
    #expect(lines == [])
  }

  /// A new configuration may hold secrets later: others may not read it. An existing one is not overwritten.
  @Test func theModeOfANewConfiguration() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path + "/agent.yaml"
      let command = try InitCommand.parse(["--output", path, "https://shop.example/"])
      try command.run()
      var facts = stat()
      #expect(stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG)
      #expect(facts.st_mode & 0o137 == 0 && facts.st_mode & 0o600 == 0o600)
      let before = facts.st_size
      #expect(throws: CommandFailure.self) { try command.run() }
      #expect(stat(path, &facts) == 0 && facts.st_size == before)
    }
  }
}
