// SPDX-License-Identifier: MIT

import Agent
import ArgumentParser
import Basics

/// The command line. Each command is one file in Commands/.
@main
struct QuartzAgentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quartz-agent",
    abstract: "Synthetic monitoring agent: HTTP, TCP, TLS, DNS, ping and heartbeat checks.",
    discussion: """
      Exit codes: 0 fine (once: all up), 1 degraded, 2 down, 3 unknown, 64 wrong usage, 65 and 66 \
      wrong or unreadable input, 70 internal error, 73 an output that cannot be written, \
      75 another agent holds the state directory, 78 wrong configuration, 130 stopped before the end.
      """,
    version: agentVersion,
    subcommands: [
      RunCommand.self, OnceCommand.self, ValidateCommand.self, InitCommand.self, TestCommand.self,
      StatusCommand.self, SpoolCommand.self, DoctorCommand.self, SchemaCommand.self, ImportCommand.self,
      TraceCommand.self, CompareCommand.self, GroupCommand.self, IncidentsCommand.self, AckCommand.self,
      MuteCommand.self, UnmuteCommand.self,
      MaintenanceCommand.self, PostCommand.self, ReportCommand.self, AlertCommand.self,
      CompletionsCommand.self, ManualCommand.self,
    ]
  )

  /// Runs the command the arguments name. The process is prepared first, before any library looks at it.
  static func main() async {
    requireStack()
    prepareProcess()
    do {
      try requireCommandLine()
      if let unknown = UnknownCommand(CommandLine.arguments.dropFirst(), of: Self.self) {
        throw failure(unknown.message, hint: unknown.hint, status: ExitCode.validationFailure.rawValue)
      }
      let command = try parseAsRoot()
      try requireResources()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        var command = command
        try command.run()
      }
    } catch {
      end(with: error)
    }
  }

  private static func end(with error: any Error) -> Never {
    let isPlugin = PluginAnswer.isExpected(by: CommandLine.arguments.dropFirst())
    // `--help` and the exit codes that a command chose.
    if let code = error as? ExitCode {
      exit(withError: isPlugin ? ExitCode(min(code.rawValue, ExitStatus.unknown)) : code)
    }
    var error = error
    let code = exitCode(for: error)
    // Help, the version and completions are output like any other.
    if code == .success {
      let text = fullMessage(for: error)
      if !text.isEmpty { printOutput(text + "\n") }
      exit(withError: ExitCode.success)
    }
    // Anything but a usage error or a failure of a command is a fault of ours, and 1 means "degraded".
    if code == .failure, !(error is CommandFailure) {
      error = failure("\(error)", status: ExitStatus.internalError)
    }
    if isPlugin {
      print(PluginAnswer.line(for: error, words: message(for: error)))
      exit(withError: ExitCode(ExitStatus.unknown))
    }
    guard let failure = error as? CommandFailure else { exit(withError: error) }
    failure.print()
    exit(withError: ExitCode(failure.status))
  }
}
