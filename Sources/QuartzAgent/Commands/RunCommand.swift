// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics
import Checks
import Logging
import Monitoring

/// `quartz-agent run`: the daemon.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Probe on schedule, keep uptime windows, deliver results.",
    discussion: """
      Runs until SIGTERM or SIGINT, then finishes what is in flight within 5 s and exits 0; a second signal exits at \
      once. SIGHUP, and a change of its files, reads the checks of the configuration again.
      """)

  @OptionGroup var config: ConfigOptions
  @OptionGroup var logging: LogOptions

  func run() async throws {
    let signals = processSignals()
    let time = TimeSource.system
    let sink = LogSink(format: logging.logFormat, time: time)
    defer { sink.drain() }
    let log = Logger(label: "agent") { SinkHandler(label: $0, sink: sink, logLevel: logging.logLevel) }
    let path = try config.required()
    let loaded = try loadConfig(path) { log.warning("\($0.headline)", metadata: $0.hintMetadata) }
    let settings = loaded.settings
    for problem in await onThread({ trustProblems(settings) }) {
      log.warning("a file of trusted certificates cannot be used", metadata: ["problem": "\(problem)"])
    }
    let watch = await onThread { ConfigWatch(loaded.origin, time: time) }
    try await Agent(
      settings: settings, configPath: path, lists: loaded.lists, watch: watch, log: log, time: time
    ).run(signals)
  }
}

/// Reads the configuration for a command in a shell, or prints everything that is wrong with it. Credentials of the service
/// are not to be had there: what needs them is named and left out.
func loadSettings(
  _ path: String, warn: (ConfigProblem) -> Void = { printError("warning: \($0)") },
  note: (ConfigProblem) -> Void = { printError("note: \($0)") }
) throws -> Settings {
  let loaded = try loadConfig(path, credentials: .ofTheService, warn: warn)
  loaded.unread.forEach(note)
  return loaded.settings
}

/// Without the credentials of the service, and without a word.
func loadForAsking(_ path: String) throws(ConfigErrors) -> Settings {
  try ConfigLoader.load(
    path: path, environment: processEnvironment(), patterns: Pattern.rule, credentials: .ofTheService
  ).settings
}

/// For commands that only ask or read: an agent may run on an earlier state of a file that is wrong now.
func settingsForAsking(_ path: String) throws -> Settings {
  do {
    return try loadForAsking(path)
  } catch {
    guard let readable = error.readable else { throw report(error) }
    printError(
      "warning: \(path) has problems; a running agent keeps the last valid one. See quartz-agent validate")
    return readable
  }
}

/// The same, for who also wants to know what it was read from.
func loadConfig(
  _ path: String, credentials: CredentialRule = .needed, warn: (ConfigProblem) -> Void
) throws -> LoadedConfig {
  do {
    let loaded = try ConfigLoader.load(
      path: path, environment: processEnvironment(), patterns: Pattern.rule, credentials: credentials)
    loaded.warnings.forEach(warn)
    return loaded
  } catch {
    throw report(error)
  }
}

func report(_ errors: ConfigErrors, of subject: String = "the configuration") -> CommandFailure {
  for warning in errors.warnings { printError("warning: \(warning)") }
  let count = errors.count
  return failure(
    "\(subject) has \(count) \(count == 1 ? "problem" : "problems")", status: ExitStatus.configuration,
    details: errors.problems.map { "\($0)" })
}

extension ConfigProblem {
  /// The hint for a log line, which has one line only.
  var hintMetadata: Logger.Metadata? { hint.map { ["hint": "\($0)"] } }
}
