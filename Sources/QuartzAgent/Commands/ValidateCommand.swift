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
      problems, 78 with. Problems go to standard error.
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
    for problem in reading.problems { printError("\(path): \(problem)") }
    if !reading.problems.isEmpty { throw ExitCode(ExitStatus.configuration) }
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

  /// - Parameter user: the user whose reading it is. `nil` where it is the caller's.
  init(_ path: String, for user: String? = nil) throws {
    let subject = user.map { "the configuration, as \($0) reads it," } ?? "the configuration"
    loaded = try loadConfig(path, credentials: .ofTheService, of: subject) { _ in }
    let (faults, shortcomings) = moduleProblems(loaded.settings)
    self.shortcomings = shortcomings
    problems = (trustProblems(loaded.settings) + faults).map { problem in
      user.map { "\(problem) (as \($0) reads it)" } ?? problem
    }
  }
}

/// The file of `/probe`: why it would be refused, and what its modules ask for in vain.
private func moduleProblems(_ settings: Settings) -> (faults: [String], shortcomings: [String]) {
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

/// Problems with the files of certificates that checks name, trusted ones and a client's own. The file's walk only sees
/// their names; a daemon starts all the same, since such a file may come later.
func trustProblems(_ settings: Settings) -> [String] {
  let trust = TrustStore()
  return settings.checks.flatMap { check -> [String] in
    let name = "check \"\(check.name.printable(maxBytes: 200))\""
    let options: TLSOptions? =
      switch check.kind {
      case .http(let http): http.tls
      case .tls(let tls): tls.options
      case .tcp(let tcp): tcp.tls
      case .dns(let dns): dns.tls
      case .ping, .heartbeat: nil
      }
    var problems: [String] = []
    do {
      if let file = options?.caFile { _ = try trust.store(caFile: file) }
    } catch {
      problems.append("\(name): tls.ca_file: \(error)")
    }
    if let certificate = options?.clientCertificate,
      let words = clientCertificateProblem(certificate: certificate, key: options?.clientKey)
    {
      problems.append("\(name): tls.client_certificate: \(words)")
    }
    return problems
  }
}
