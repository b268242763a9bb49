// SPDX-License-Identifier: MIT

import Agent
import ArgumentParser
import Basics
import Logging

/// A command that could not do its work: what is wrong, what to do, and the exit code.
struct CommandFailure: Error, Equatable {
  var message: String
  var hint: String?
  var status: Int32
  /// Lines for stderr that come before the message, such as each problem of a configuration.
  var details: [String] = []

  init(_ message: String, hint: String? = nil, status: Int32, details: [String] = []) {
    (self.message, self.hint, self.status, self.details) = (message, hint, status, details)
  }

  /// Writes it to stderr.
  func print() {
    let priority = Journal.isStandardError(processEnvironment()) ? Journal.priority(.error) : ""
    for line in details.flatMap({ $0.split(separator: "\n") }) { printError(priority + line) }
    printError("\(priority)quartz-agent: error: \(message)")
    if let hint { printError("\(priority)quartz-agent: hint: \(hint)") }
  }
}

/// The error to throw.
func failure(
  _ message: String, hint: String? = nil, status: Int32, details: [String] = []
) -> CommandFailure { CommandFailure(message, hint: hint, status: status, details: details) }

/// Answer of `once --format nagios` without a result: a plugin prints one line on stdout and ends with 0 to 3, whatever
/// is wrong (Monitoring Plugins Development Guidelines, "Plugin Output for Nagios", "Plugin Return Codes").
enum PluginAnswer {
  /// Whether a plugin's answer is expected: of `once`, and of a command that is none. Asked of the words themselves, since
  /// they may be wrong.
  ///
  /// - Parameter arguments: of the command line, without the program.
  static func isExpected(by arguments: some Collection<String>) -> Bool {
    let others = QuartzAgentCommand.configuration.subcommands.map { $0._commandName }.filter {
      $0 != OnceCommand._commandName
    }
    if let command = arguments.first(where: { !$0.hasPrefix("-") }), others.contains(command) { return false }
    return arguments.contains("--format=nagios")
      || zip(arguments, arguments.dropFirst()).contains { $0 == "--format" && $1 == "nagios" }
  }

  /// - Parameter words: of the parser, for an error that is its own.
  static func line(for error: any Error, words: String) -> String {
    guard let failure = error as? CommandFailure else { return line(words) }
    let detail = failure.details.first.map { ": \($0.prefix { $0 != "\n" })" } ?? ""
    return line(failure.message + detail)
  }

  private static func line(_ words: String) -> String {
    NagiosText.word(ExitStatus.unknown) + " - "
      + harmless(words.split(separator: "\n").joined(separator: " "))
  }
}
