// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics
import Checks
import Curl
import Monitoring

/// `quartz-agent validate`.
struct ValidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check the configuration and list every problem with its place.",
    discussion: "Exit code: 0 without problems, 78 with. Problems go to standard error.")

  @OptionGroup var config: ConfigOptions

  @Flag(help: "Print the effective configuration, with defaults filled in and secrets redacted.")
  var print = false

  func run() throws {
    let path = try config.required()
    let settings = try loadSettings(path)
    let problems = trustProblems(settings)
    for problem in problems { printError("\(path): \(problem)") }
    if !problems.isEmpty { throw ExitCode(ExitStatus.configuration) }
    if print {
      printOutput(EffectiveConfig.print(settings))
    } else {
      let count = settings.checks.count
      printOutput("\(path): ok, \(count) \(count == 1 ? "check" : "checks")\n")
    }
    guard settings.checks.contains(where: \.sendsEchoes) else { return }
    switch pingWay() {
    case .unprivileged: break
    case .raw: printError("note: \(PingWay.raw.words)")
    case .closed(let problem): printError("warning: ping checks cannot run on this machine: \(problem)")
    }
  }
}

/// What is wrong with the files of certificates that checks name, trusted ones and a client's own. The file's walk only
/// sees their names; a daemon starts all the same, since such a file may come later.
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
