// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import ArgumentParser
import Basics
import Checks
import Monitoring

/// `quartz-agent doctor`: what on this machine would make probes lie.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find problems of this machine that would falsify results.",
    discussion: """
      As root it runs as the owner of the state directory, the agent's user. It checks the configuration, the resolvers, the trusted certificates, the clock, descriptors, the permission to \
      ping, routes, the state directory and, where the configuration names them, the API and its key, and the store of the group.

      Exit code: 0 all well, 1 warnings, 2 problems.
      """)

  @OptionGroup var config: ConfigOptions

  @Option(help: "table or json. Default: table.")
  var format: TableFormat = .table

  @OptionGroup var colors: ColorOptions

  func run() async throws {
    let (settings, found) = configurationOfAgent()
    var findings = [found]
    findings += await onThread { machine(settings) }
    let egress = settings.map(ProbeEgress.init) ?? ProbeEgress()
    findings += try await withProbeEngine(egress: egress, time: .system) { engine in
      let network = NetworkFindings(engine: engine)
      var findings = await network.resolvers()
      if let unread = settings?.unread["quartz"] {
        findings.append(.fine("api", "not asked: it \(unread.words)"))
      } else if let quartz = settings?.quartz {
        findings += await network.api(quartz)
      }
      if let unread = settings?.unread["group"] {
        findings.append(.fine("group", "not asked: it \(unread.words)"))
      } else if let settings, let group = settings.group {
        findings += await GroupFindings(engine: engine, group: group, settings: settings).all()
      }
      return findings
    }
    print(findings)
    let worst = findings.map(\.severity).max() ?? .fine
    if worst != .fine { throw ExitCode(Int32(worst.rawValue)) }
  }

  /// As the agent reads it, from here on as its user: root reads files that the agent cannot.
  private func configurationOfAgent() -> (Settings?, Notice) {
    let first = configuration()
    guard let settings = first.0, let path = config.existing, becomeOwner(of: settings.agent.stateDir) else {
      return first
    }
    guard mayRead(path) else {
      return (
        settings,
        .warning("configuration", "\(path) may not be read by \(agentUserWords)", hint: unreadableHint)
      )
    }
    let own = configuration(for: agentUserWords)
    return (own.0 ?? settings, own.1)
  }

  /// - Parameter user: the user whose reading it is. `nil` where it is the caller's.
  private func configuration(for user: String? = nil) -> (Settings?, Notice) {
    guard let path = config.existing else {
      return (
        nil,
        .warning(
          "configuration", "there is none", hint: "name one with --config; only the machine is looked at")
      )
    }
    do {
      let loaded = try ConfigLoader.load(
        path: path, environment: processEnvironment(), patterns: Pattern.rule, credentials: .ofTheService)
      let count = loaded.settings.checks.count
      if let found = filesFinding(loaded.settings, path) { return (loaded.settings, found) }
      var words = "\(path): \(counted(count, "check"))"
      if !loaded.unread.isEmpty { words += ", \(loaded.unread.count) credentials that the service alone has" }
      guard let warning = loaded.warnings.first else {
        return (loaded.settings, .fine("configuration", words))
      }
      let warned = loaded.warnings.reduce(0) { $0 + $1.count }
      return (
        loaded.settings,
        .warning(
          "configuration",
          "\(words), \(counted(warned, "warning")): \(warning.headline)",
          hint: warning.hint)
      )
    } catch {
      let first = error.problems.first
      return (
        nil,
        .critical(
          "configuration",
          "\(path) has \(counted(error.count, "problem"))\(user.map { " for \($0)" } ?? "")"
            + (first.map { ": \($0.headline)" } ?? ""),
          hint: error.count == 1 ? first?.hint : "quartz-agent validate lists them")
      )
    }
  }

  /// Files that `validate` refuses. `nil` where each can be used.
  private func filesFinding(_ settings: Settings, _ path: String) -> Notice? {
    let problems = NamedFiles(settings).problems + moduleProblems(settings).faults
    guard let first = problems.first else { return nil }
    return .critical(
      "configuration", "\(path): \(first)",
      hint: problems.count == 1 ? nil : "quartz-agent validate lists \(problems.count - 1) more")
  }

  private func machine(_ settings: Settings?) -> [Notice] {
    let pings = settings?.checks.contains { check in
      if case .ping(let ping) = check.kind { ping.method == .icmp } else { false }
    }
    var findings = [
      authoritiesFinding(), clockFinding(),
      descriptorFinding(wanted: settings?.limits.inFlight, checks: settings?.checks.count ?? 1),
      stackFinding(),
      pingFinding(pings ?? false),
    ]
    findings += familyFindings(settings?.checks ?? [])
    if let settings {
      findings += stateFolderFindings(
        settings.agent.stateDir, spool: settings.spool.size, isReserved: settings.delivers)
      findings += strangeFileFindings(settings.agent.stateDir)
      findings += asideNotices(in: settings.agent.stateDir)
    }
    return findings
  }

  private func print(_ findings: [Notice]) {
    switch format {
    case .table:
      let terminal = Terminal()
      let color = colors.isOn(for: terminal)
      let places = findings.map(\.place.text.columns).max() ?? 0
      let width = terminal.isWidthKnown ? terminal.width : nil
      printOutput(findings.map { $0.line(placeWidth: places, width: width, color: color) }.joined())
    case .json:
      var json = JSONWriter(reserving: 4096)
      json.array { json in
        for finding in findings { finding.write(to: &json) }
      }
      printOutput(json.text + "\n")
    }
  }
}
