// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics
import Monitoring
import Status
import StatusServer

/// `quartz-agent status`: ask the running agent.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the running agent's checks, uptime, store, delivery, and problems.",
    discussion: """
      --state and --tag filter checks: of each kind, one match is enough, and both must match.

      Exit code: 0 when the agent answered, 3 when none does (with --watch, the last time), 64 for a tag that no check has, \
      78 for a wrong configuration.
      """)

  @OptionGroup var agent: AgentOptions

  @Option(help: "table, or json with everything. Default: table.")
  var format: TableFormat = .table

  @Flag(
    help:
      "Update it every 2 s, until q or Ctrl-C, also while the agent restarts. Keys sort, filter and find; the last line names them."
  )
  var watch = false

  @Option(
    name: .customLong("state"),
    help: ArgumentHelp(
      "Only checks in this state: \(ListFilter.State.allCases.map(\.rawValue).joined(separator: ", ")). May be repeated.",
      valueName: "state"))
  var states: [ListFilter.State] = []

  @Option(
    name: .customLong("tag"),
    help: ArgumentHelp("Only checks with this tag. May be repeated.", valueName: "tag"),
    completion: NameCompletion.tags)
  var tags: [String] = []

  @Option(help: "Sort by name; or by state, latency or uptime, the worst first. Default: as configured.")
  var sort: ListOrder?

  @OptionGroup var colors: ColorOptions

  func validate() throws {
    if watch, format == .json { throw ValidationError("--watch goes with --format table") }
  }

  func run() async throws {
    var client = try agent.client()
    if !watch { try await client.requireTags(tags) }
    guard format == .table else {
      printOutput(try await document(client))
      return
    }
    let color = colors.isOn(for: Terminal())
    let request: @Sendable (Int, WatchKeys) -> String = { width, keys in
      "/api/v1/status.txt?width=\(width)&color=\(color ? 1 : 0)" + keys.query.map { "&" + $0 }.joined()
    }
    guard watch else {
      printOutput(try await client.ask(request(Terminal().width, choice)))
      return
    }
    // An agent that hangs is to be told soon.
    client.patience = .seconds(5)
    let isAnswered = try await StatusWatch(client: client, keys: choice, request: request).run()
    if !isAnswered { throw ExitCode(ExitStatus.unknown) }
  }

  private var choice: WatchKeys {
    WatchKeys(sort: sort, states: states, tags: tags.flatMap(tagReadings))
  }

  /// Everything, or the list of checks where some are asked for.
  private func document(_ client: AgentClient) async throws -> String {
    let selection = choice.query
    guard !selection.isEmpty else { return try await client.ask("/api/v1/summary?full=1") }
    let text = try await client.ask("/api/v1/checks?limit=1000&" + selection.joined(separator: "&"))
    if let total = (try? JSONValue.parse(text.utf8))?["meta"]?["total"]?.integer, total > 1000 {
      printError("warning: the first 1000 of \(total) checks; narrow the choice with --state or --tag")
    }
    return text
  }
}

extension ListFilter.State: ExpressibleByArgument {}
extension ListOrder: ExpressibleByArgument {}
