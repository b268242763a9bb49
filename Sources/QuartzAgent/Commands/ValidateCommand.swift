// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Checks
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
    if print {
      printOutput(EffectiveConfig.print(settings))
    } else {
      let count = settings.checks.count
      printOutput("\(path): ok, \(count) \(count == 1 ? "check" : "checks")\n")
    }
    if settings.checks.contains(where: { $0.type == .ping }), let problem = pingPermission() {
      printError("warning: ping checks cannot run on this machine: \(problem)")
    }
  }
}
