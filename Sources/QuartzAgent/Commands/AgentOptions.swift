// SPDX-License-Identifier: MIT

import Agent
import AgentConfig
import ArgumentParser
import Basics
import Glibc
import Monitoring
import StatusServer

/// Which running agent is meant.
struct AgentOptions: ParsableArguments {
  @OptionGroup var config: ConfigOptions

  @Option(help: "The agent's socket, or its address:port, when no configuration names it.")
  var socket: String?

  func client() throws -> AgentClient {
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

/// Exit codes of the commands that ask a running agent.
enum AgentExitCodes {
  static let asked =
    "Exit code: 0 when the agent answered, 3 when none does, 64 wrong usage, 78 for a wrong configuration."
  static let ordered =
    "Exit code: 0 done, 3 when no agent answers or it refused, 64 wrong usage, 78 for a wrong configuration."
}

/// Author of an order, and the reason.
struct OrderOptions: ParsableArguments {
  @Option(help: "Name of the operator, for the record. Default: SUDO_USER, LOGNAME or USER.")
  var by: String?

  @Option(help: "Reason, for the record.")
  var why: String?

  /// As items of a query.
  var items: [String] {
    let name = by ?? loginName()
    return [name.map { "by=\(percentEncoded($0))" }, why.map { "why=\(percentEncoded($0))" }].compactMap(
      \.self)
  }
}

/// Refuses an empty name, such as that of a variable that is not set.
///
/// - Parameter what: the thing that is to be named.
func requireName(_ name: String, _ what: String) throws {
  guard name.allSatisfy(\.isWhitespace) else { return }
  throw ValidationError("the name is empty. Name \(what)")
}

/// Name of the login at the terminal, also behind sudo.
func loginName() -> String? {
  let environment = processEnvironment()
  for variable in ["SUDO_USER", "LOGNAME", "USER"] {
    if let name = environment[variable], !name.isEmpty { return name }
  }
  return nil
}

extension AgentClient {
  /// Orders something and prints what the agent says.
  func order(_ path: String, _ items: [String]) async throws {
    let query = items.isEmpty ? "" : "?" + items.joined(separator: "&")
    let text = try await ask("/api/v1/\(path)\(query)", method: "POST")
    let words = (try? JSONValue.parse(text.utf8))?["data"]?["message"]?.string
    printOutput((words ?? text) + "\n")
  }
}
