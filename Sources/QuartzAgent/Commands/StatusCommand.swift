// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Curl
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

  @Option(help: "The agent's socket, when there is no configuration to name it.")
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
    printOutput(try await ask(try address(), path))
  }

  private func address() throws -> ListenAddress {
    if let socket { return .unix(path: socket) }
    let path = try config.required()
    guard let address = ListenAddress(try loadSettings(path) { _ in }.status.listen) else {
      throw failure(
        "status.listen is off in \(path): a running agent cannot be asked", status: ExitStatus.configuration)
    }
    return address
  }

  private func ask(_ address: ListenAddress, _ path: String) async throws -> String {
    let report = try await withCurlEngine { engine in try await engine.perform(request(address, path)) }
    if let problem = report.failure {
      let isSilent = problem.kind == .timeout
      let words =
        if case .unix = address, !isSilent { "nobody listens on the socket" } else { problem.message }
      throw failure(
        "no agent answers at \(address): \(words)",
        hint: isSilent
          ? "something is running there and does not answer: look at its log"
          : "is it running with this configuration? start it with: quartz-agent run",
        status: ExitStatus.unknown)
    }
    guard report.statusCode == 200, report.header("server") == "quartz-agent" else {
      throw failure(
        "something else than an agent answers at \(address) (status \(report.statusCode ?? 0))",
        hint: "see who listens there, or give this agent another status.listen", status: ExitStatus.unknown)
    }
    let text = String(decoding: report.body, as: UTF8.self)
    return text.hasSuffix("\n") ? text : text + "\n"
  }

  private func request(_ address: ListenAddress, _ path: String) -> TransferRequest {
    let goal = TransferRequest.Goal.body(limit: 64 << 20)
    switch address {
    case .unix(let socket):
      return TransferRequest(
        url: "http://localhost" + path, plan: .unixSocket(socket), timeout: .seconds(10), goal: goal)
    case .tcp(let host, let port):
      return TransferRequest(
        url: "http://\(Endpoint(host: host, port: port))" + path, plan: .address(host, port: port),
        timeout: .seconds(10), goal: goal)
    }
  }
}
