// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics
import Monitoring

/// `quartz-agent compare`: latency between two agents, regions or days.
struct CompareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare the latency of two files of results, phase by phase, or of the regions of a group.",
    discussion: """
      The files are the output of `once --format ndjson` or `spool export`: of two regions, two agents, or before and \
      after a change. Checks are matched by id, else by name and target. A difference is reported only where the ranks \
      of the times say so.

        quartz-agent once --count 30 --format ndjson \\
          https://example.com > london.ndjson
        quartz-agent compare london.ndjson paris.ndjson

      --by-place asks the running agent, and takes no file: each check with confirm as its regions see it, against the \
      fastest of them.

      Exit code: 0 compared, 1 slower by --fail-slower, 3 too few or too unsteady times for --fail-slower, or no agent answers, \
      64 wrong usage, 65 a line that is no result, or nothing to compare, 66 a file that cannot be read.
      """)

  @Option(help: "table or json. Default: table.")
  var format = TableFormat.table

  @Option(help: ArgumentHelp("Only this check, by its name.", valueName: "name"))
  var check: String?

  @Flag(help: "Compare the regions of a group, by the running agent's windows.")
  var byPlace = false

  @Option(help: "With --by-place: 24h, 7d, 30d or 90d. Default: 24h.")
  var period: UptimePeriod?

  @Option(
    help: ArgumentHelp(
      "Exit with 1 where B's response time is slower by this share of A's or more, beyond chance, such as 10%.",
      valueName: "percent"))
  var failSlower: Percentage?

  @OptionGroup var agent: AgentOptions

  @OptionGroup var colors: ColorOptions

  @Argument(help: ArgumentHelp("Results of the one; - for standard input.", valueName: "a"))
  var a: String?

  @Argument(help: ArgumentHelp("Results of the other.", valueName: "b"))
  var b: String?

  func validate() throws {
    if a == "-", b == "-" { throw ValidationError("only one of the two can come from standard input") }
    if byPlace, a != nil { throw ValidationError("--by-place takes no file") }
    if !byPlace, a == nil || b == nil { throw ValidationError("name two files, or --by-place") }
    if !byPlace, period != nil { throw ValidationError("--period goes with --by-place") }
    if byPlace, failSlower != nil {
      throw ValidationError("--fail-slower compares two files; leave --by-place out")
    }
  }

  func run() async throws {
    guard let a, let b else { return try await comparePlaces() }
    let files = (ResultFile(path: a), ResultFile(path: b))
    let (first, second) = (try await read(files.0), try await read(files.1))
    let comparison = Comparison(first, second, only: check)
    if comparison.uptimes.isEmpty { throw nothingInCommon(comparison, files) }
    let text = ComparisonText(
      comparison: comparison, names: (files.0.name, files.1.name), files: (first, second))
    let terminal = Terminal()
    switch format {
    case .table: printOutput(text.table(width: terminal.width, color: colors.isOn(for: terminal)))
    case .json: printOutput(text.json)
    }
    let slower = failSlower.map { comparison.slower(by: $0.value) } ?? []
    if !slower.isEmpty {
      throw failure("slower in B: \(slower.andMore(after: 1))", status: ExitStatus.degraded)
    }
    // A gate that cannot judge does not pass.
    let open = failSlower.map { comparison.undecided(by: $0.value) } ?? []
    if let first = open.first {
      let more = open.count > 1 ? ", and \(open.count - 1) more" : ""
      throw failure(
        "--fail-slower was not judged: \(first.check): \(first.why)\(more)",
        hint: "make both files with once --count 64 or more, while the machine is calm",
        status: ExitStatus.unknown)
    }
  }

  private func nothingInCommon(_ comparison: Comparison, _ files: (ResultFile, ResultFile)) -> CommandFailure
  {
    if let check {
      return failure(
        "no check called \"\(check.printable(maxBytes: 200))\" is in both files",
        hint: "leave --check out to see those that are", status: ExitStatus.badData)
    }
    func named(_ names: [String], _ file: ResultFile) -> String {
      "\(file.name.printable(maxBytes: 200)) has "
        + (names.isEmpty ? "none" : names.andMore(after: 1) { "\"\($0)\"" })
    }
    return failure(
      "no check is in both files: \(named(comparison.onlyA, files.0)), \(named(comparison.onlyB, files.1))",
      hint: "checks are matched by id, else by name and target", status: ExitStatus.badData)
  }

  private func comparePlaces() async throws {
    let client = try agent.client()
    let checks = try await PlaceComparison.pages { try await client.ask($0) }
    let comparison = PlaceComparison(checks, period: (period ?? .day).rawValue, only: check)
    guard !comparison.rows.isEmpty else {
      throw failure(
        check.map { "\"\($0.printable(maxBytes: 200))\" is not seen from several places" }
          ?? "no check is seen from several places",
        hint: "this agent knows of checks with confirm that it runs itself, once their places have answered; "
          + "who runs which: quartz-agent group --checks",
        status: ExitStatus.badData)
    }
    let terminal = Terminal()
    switch format {
    case .table:
      printOutput(comparison.table(width: terminal.width, color: colors.isOn(for: terminal)))
    case .json: printOutput(comparison.json)
    }
  }

  private func read(_ file: ResultFile) async throws -> MeasuredChecks {
    let read = await onThread { Result { () throws(CompareProblem) in try file.read() } }
    switch read {
    case .success(let checks):
      guard checks.results == 0 else { return checks }
      throw failure(
        "\(file.name.printable(maxBytes: 500)) has no result",
        hint: "make one with: quartz-agent once --count 30 --format ndjson https://example.com > a.ndjson",
        status: ExitStatus.badData)
    case .failure(let problem):
      throw failure(
        problem.message,
        hint: "a file has one result a line, as once --format ndjson and spool export print them",
        status: problem.isUnreadable ? ExitStatus.noInput : ExitStatus.badData)
    }
  }
}

extension UptimePeriod: ExpressibleByArgument {}

/// Percent on the command line: `10%` or `10`.
struct Percentage: ExpressibleByArgument {
  /// 0 to 10,000.
  var value: Double

  init?(argument: String) {
    let digits = argument.hasSuffix("%") ? String(argument.dropLast()) : argument
    guard let value = Double(digits), (0...10_000).contains(value) else { return nil }
    self.value = value
  }
}
