// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import Alerts
import ArgumentParser
import Basics
import Checks
import Curl
import Monitoring
import Network

/// `quartz-agent validate`.
struct ValidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check the configuration and list every problem with its place.",
    discussion: """
      As root it also reads the files as the owner of the state directory, the agent's user. Exit code: 0 without \
      problems, 64 wrong usage or an unknown name of --explain, 78 with problems. Problems go to standard error.
      """)

  @OptionGroup var config: ConfigOptions

  @Flag(help: "Print the effective configuration, with defaults filled in and secrets redacted.")
  var print = false

  @Option(
    help: ArgumentHelp(
      "Show the source of a check's value: file, line and which of template, group or defaults; without a key, of all values.",
      valueName: "check.key"))
  var explain: String?

  func run() throws {
    let path = try config.required()
    if let explain { return try explainValue(explain, path) }
    let reading = try reading(path)
    let settings = reading.loaded.settings
    for warning in reading.loaded.warnings { printError("warning: \(warning)") }
    for note in reading.loaded.unread { printError("note: \(note)") }
    for words in reading.fileWarnings { printError("warning: \(words)") }
    if !reading.problems.isEmpty { throw report(reading.problems, path) }
    warnOfTemplates(settings)
    for words in reading.shortcomings { printError("warning: probe.modules: not done here: \(words)") }
    if print {
      printOutput(EffectiveConfig.print(settings))
    } else {
      let count = settings.checks.count
      printOutput("\(path): ok, \(counted(count, "check"))\n")
    }
    guard settings.checks.contains(where: \.sendsEchoes) else { return }
    switch pingWay() {
    case .unprivileged: break
    case .raw: printError("note: \(PingWay.raw.words)")
    case .closed(let problem): printError("warning: ping checks cannot run on this machine: \(problem)")
    }
  }

  /// As the agent reads it, from here on as its user: root reads files that the agent cannot, and has raw sockets.
  private func reading(_ path: String) throws -> ConfigReading {
    let reading = try ConfigReading(path)
    guard becomeOwner(of: reading.loaded.settings.agent.stateDir) else { return reading }
    guard mayRead(path) else {
      printError("warning: \(path) may not be read by \(agentUserWords)\n  hint: \(unreadableHint)")
      return reading
    }
    return try ConfigReading(path, for: agentUserWords)
  }
}

/// The configuration as one user reads it, with the files that it names.
private struct ConfigReading {
  let loaded: LoadedConfig
  let problems: [String]
  let shortcomings: [String]
  let fileWarnings: [String]

  /// Problems of the text and of the files that it names are reported together.
  ///
  /// - Parameter user: the user whose reading it is. `nil` where it is the caller's.
  init(_ path: String, for user: String? = nil) throws {
    let subject = user.map { "the configuration, as \($0) reads it," } ?? "the configuration"
    do {
      loaded = try ConfigLoader.load(
        path: path, environment: processEnvironment(), patterns: Pattern.rule, credentials: .ofTheService)
    } catch {
      var errors = error
      let named = error.readable.map { Self.look(at: $0, for: user).problems } ?? []
      errors.problems += named.map { ConfigProblem(file: path, message: $0) }
      throw report(errors, of: subject)
    }
    (problems, shortcomings, fileWarnings) = Self.look(at: loaded.settings, for: user)
  }

  /// The files that the configuration names.
  private static func look(
    at settings: Settings, for user: String?
  ) -> (problems: [String], shortcomings: [String], warnings: [String]) {
    let files = NamedFiles(settings)
    let (faults, shortcomings) = moduleProblems(settings)
    let problems = (files.problems + faults).map { problem in
      user.map { "\(problem) (as \($0) reads it)" } ?? problem
    }
    return (problems, shortcomings, files.warnings)
  }
}

/// Failure for files that the configuration names and the agent cannot use. `run` starts with a warning for each.
private func report(_ problems: [String], _ path: String) -> CommandFailure {
  failure(
    "the configuration names files that cannot be used: \(counted(problems.count, "problem"))",
    status: ExitStatus.configuration, details: problems.map { "\(path): \($0)" })
}

/// The file of `/probe`: why it would be refused, and what its modules ask for in vain.
func moduleProblems(_ settings: Settings) -> (faults: [String], shortcomings: [String]) {
  guard let file = settings.probe?.modules else { return ([], []) }
  do {
    let modules = try ProbeModules(file: file)
    let faults = modules.faults.map { "probe.modules: \($0)" }
    return (faults, faults.isEmpty ? modules.shortcomings : [])
  } catch { return (["probe.modules: \(ProbeModules.words(for: error))"], []) }
}

/// Each template is tried with sample data: one that comes to nothing is replaced by the built-in words.
private func warnOfTemplates(_ settings: Settings) {
  let writer = MessageWriter(agent: settings.agent.name, region: settings.agent.region, pageURL: nil)
  for channel in settings.alerts?.channels ?? [] {
    let empty = channel.emptyTemplates(writer, now: TimeSource.system.wall())
    for key in ["title", "text"] {
      let kinds = empty.filter { $0.key == key }.map(\.kind.words)
      guard !kinds.isEmpty else { continue }
      printError(
        "warning: \(key) of the channel \(quoted(channel.name)) is empty for \(kinds.joined(separator: ", ")): the built-in words are sent then"
      )
    }
  }
}

/// `validate --explain CHECK.KEY`.
private func explainValue(_ question: String, _ path: String) throws {
  let found: ValueExplanation?
  do {
    found = try ConfigLoader.explain(
      question, path: path, environment: processEnvironment(), patterns: Pattern.rule)
  } catch {
    throw report(error)
  }
  guard let found else {
    throw failure(
      "\(quoted(question)) is no check of \(path), or no key of one; write CHECK or CHECK.KEY, such as "
        + "\"Shop front.timeout\"", status: ExitCode.validationFailure.rawValue)
  }
  printOutput(explanationText(found))
}

/// A line for each value, and one for each place that has something to say of it: the first counts.
private func explanationText(_ explanation: ValueExplanation) -> String {
  var text = "check \(quoted(explanation.check))\n"
  for value in explanation.values {
    text += "\(value.key.printable(maxBytes: 200)): \(value.sources.first?.value ?? "")\n"
    for (index, source) in value.sources.enumerated() {
      let place = source.place.map { " at \($0)" } ?? ""
      // Tags add up, as far as the first place that takes them away.
      let addsUp = value.key == "tags" && !value.sources[..<index].contains { $0.value == "null" }
      let other = (addsUp ? "and" : "instead of") + " \(source.value) from"
      text += "  \(index == 0 ? "from" : other) \(source.label)\(place)\n"
    }
  }
  return text
}
