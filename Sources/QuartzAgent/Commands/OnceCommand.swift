// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import ArgumentParser
import Basics
import Checks
import Glibc
import Monitoring
import Network

/// `quartz-agent once`: run checks now, through the engine the daemon uses.
struct OnceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "once",
    abstract: "Run checks now and print the results.",
    discussion: """
      Names checks of the configuration by name or id (default: all enabled ones), or targets without any: \
      https://example.com, 'tcp://db:5432?dialog=postgres', 'dns://1.1.1.1/example.com?type=AAAA', \
      'tls://mail:25?starttls=smtp', ping://host. A word like db:5432 is tcp://db:5432. Every key of a check can be \
      given with --with. A target is tried once, unless --retries says otherwise. Its name is the target without its query; \
      equal names get a number, and one that is given twice runs once a round.

      Exit code: 0 all up, 1 degraded, 2 down, 3 unknown, nothing run or (with --post) not delivered; down \
      counts before the others, so it can serve as a Nagios plugin; 64 wrong usage or an unknown name, 73 an --export that cannot be written, 78 a wrong \
      configuration; 130 when stopped before the end, with what was found until then. With --format nagios these four are 3.
      """)

  @OptionGroup var config: ConfigOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "Show where the time went, every hop, the certificate chain and every assertion.")
  var explain = false

  @Flag(
    help: """
      After a failure that the route may explain, trace the route to the target: up to 15 s more. With a \
      table it implies --explain.
      """)
  var trace = false

  @Flag(help: "Also deliver the results: through the running agent, else directly with three tries.")
  var post = false

  @Option(
    help: "Number of rounds; more than one adds min, p50, p95, p99, max, standard deviation, loss and jitter."
  )
  var count = 1

  @Option(help: "Rounds before the first that counts: neither printed nor delivered.")
  var warmUp = 0

  @Option(help: "Interval from the start of one round to the next, such as 500ms. Default: 1s.")
  var every: Duration?

  @Option(
    name: .customLong("tag"),
    help: ArgumentHelp(
      "Only checks of the configuration with this tag, also among those named. May be repeated.",
      valueName: "tag"), completion: NameCompletion.tags)
  var tags: [String] = []

  @Option(
    help: ArgumentHelp(
      "Also write all results to a file; its end is the format: .json, .ndjson, .csv, .md or .xml (JUnit).",
      valueName: "file"))
  var export: String?

  @OptionGroup(title: "Options for targets") var asked: TargetOptions

  @Argument(
    help: ArgumentHelp("Names or ids of checks, or targets.", valueName: "check"),
    completion: NameCompletion.checks)
  var targets: [String] = []

  func validate() throws {
    guard (1...1_000_000).contains(count) else { throw ValidationError("--count must be 1 to 1000000") }
    guard (0...1000).contains(warmUp) else { throw ValidationError("--warm-up must be 0 to 1000") }
    if every != nil, count == 1, warmUp == 0 {
      throw ValidationError("--every is the interval between rounds: add --count")
    }
    if explain, let format = output.format, format != .table {
      throw ValidationError(
        "--explain goes with --format table; \(format.rawValue) has no place for its details, such as response headers"
      )
    }
    if let export, ResultExport(export) == nil {
      throw ValidationError(
        "--export \(export.printable(maxBytes: 200)): the end of the name is .\(ResultExport.forms.keys.sorted().joined(separator: ", ."))"
      )
    }
    if output.format == .nagios, count > 1 {
      throw ValidationError("--format nagios is the answer of one round: leave --count out")
    }
  }

  func run() async throws {
    let selection = try OnceSelection(targets: targets, tags: tags, options: asked, config: config)
    if let words = selection.repeatedWords { printError("quartz-agent: \(words)") }
    let file = export.flatMap(ResultExport.init)
    try file?.requireWritable()
    let terminal = Terminal()
    let explains = explain || trace && output.format ?? .table == .table
    let printer = OncePrinter(
      format: output.chosen(terminal, explains: explains), explain: explains, terminal: terminal,
      color: output.colors.isOn(for: terminal), rounds: count, checks: selection.checks)
    let way = post ? try OncePost(selection) : nil
    let status = try await withProbeEngine(
      egress: selection.egress, explains: explains || output.format == .nagios, time: .system
    ) { engine in
      engine.canaries.replace(selection.canaries)
      engine.parents.replace(selection.dependencies)
      if let agent = selection.settings.flatMap({ AgentClient($0.status) }) {
        let heartbeats = OnceHeartbeats(agent)
        engine.heartbeats.ask { await heartbeats.latest(of: $0) }
      }
      let traces = OnceTraces(selection.settings?.trace ?? TraceSettings())
      let rounds = OnceRounds(
        checks: selection.checks, plan: selection.maintenance, count: count, warmUp: warmUp,
        every: every ?? .seconds(1),
        traces: trace ? traces : nil)
      let (results, wasStopped) = try await rounds.run(engine, printer)
      let unfinished = wasStopped ? rounds.unfinished(results) : []
      // A plugin's text has one first line, which says what the exit code says: it waits for the delivery and for
      // the file.
      let isPlugin = output.format == .nagios
      let early = isPlugin ? try await way?.deliver(results, engine) : nil
      if isPlugin { try file?.write(printer.document(results, unfinished)) }
      printer.finish(results, unfinished: unfinished, isDelivered: early ?? true)
      if !isPlugin { try file?.write(printer.document(results, unfinished)) }
      if wasStopped {
        let all = rounds.checks.count * count
        printError("quartz-agent: stopped: \(all - results.count) of \(all) runs were not finished")
      }
      if results.isEmpty, !wasStopped {
        printError("quartz-agent: \(selection.nothingRun)")
      }
      let status = ExitStatus.of(results.map(\.state))
      let isDelivered = if let early { early } else { try await way?.deliver(results, engine) ?? true }
      if wasStopped { return ExitStatus.interrupted }
      return isDelivered || status == ExitStatus.down ? status : ExitStatus.unknown
    }
    if status != 0 { throw ExitCode(status) }
  }
}

/// The rounds of one `once`.
private struct OnceRounds: Sendable {
  let checks: [MonitoringCheck]
  let plan: MaintenancePlan
  let count: Int
  /// Rounds before the first that counts.
  let warmUp: Int
  let every: Duration
  /// `nil` where traces are off.
  let traces: OnceTraces?

  /// The names of those that have no result at all.
  func unfinished(_ results: [CheckResult]) -> [String] {
    let finished = Set(results.map(\.checkID))
    return checks.filter { !finished.contains($0.id) }.map(\.name)
  }

  /// Runs until the last round, or until it is stopped (SIGINT, SIGTERM, SIGHUP): then with the results so far.
  func run(
    _ engine: ProbeEngine, _ printer: OncePrinter
  ) async throws -> (results: [CheckResult], wasStopped: Bool) {
    let signals = processSignals(keepsIgnored: true)
    let work = Task { try await all(engine, printer) }
    let watch = Task {
      for await _ in signals { work.cancel() }
    }
    defer {
      watch.cancel()
      forgetProcessSignals()
    }
    do {
      return (try await work.value, false)
    } catch is CancellationError {
      return (printer.results, true)
    }
  }

  private func all(_ engine: ProbeEngine, _ printer: OncePrinter) async throws -> [CheckResult] {
    var results: [CheckResult] = []
    var next = engine.time.instant()
    for round in -warmUp..<count {
      if round > -warmUp {
        next += every
        try await engine.time.sleep(until: next)
      }
      if round < 0 {
        _ = try await engine.runAll(checks, plan, then: nil) { _ in }
        continue
      }
      results += try await engine.runAll(checks, plan, then: await traces?.add(engine)) { printer.add($0) }
    }
    return results
  }
}
