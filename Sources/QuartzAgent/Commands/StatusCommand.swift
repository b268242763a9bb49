// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics
import Monitoring
import StatusServer

/// `quartz-agent status`: ask the running agent.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show what the running agent knows: checks, uptime, store, delivery, and what to do.",
    discussion: "Exit code: 0 when the agent answered, 3 when none does.")

  /// What the answer looks like.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, json
  }

  @OptionGroup var config: ConfigOptions

  @Option(help: "The agent's socket, or its address:port, when no configuration names it.")
  var socket: String?

  @Option(help: "table, or json with everything. Default: table.")
  var format: Format = .table

  @Flag(help: "No colours. The variable NO_COLOR does the same.")
  var noColor = false

  func run() async throws {
    let terminal = Terminal()
    let color = terminal.usesColor(disabled: noColor)
    let path =
      format == .json
      ? "/api/v1/summary?full=1" : "/api/v1/status.txt?width=\(terminal.width)&color=\(color ? 1 : 0)"
    printOutput(try await client().ask(path))
  }

  private func client() throws -> AgentClient {
    if let socket { return try AgentClient(place: socket) }
    let path = try config.required()
    let settings = try settingsForAsking(path)
    guard let client = AgentClient(settings.status) else {
      throw failure(
        "status.listen is off in \(path): a running agent cannot be asked", status: ExitStatus.configuration)
    }
    return client
  }
}
