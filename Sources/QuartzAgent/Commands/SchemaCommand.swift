// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser

/// `quartz-agent schema`.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of agent.yaml, for editors.")

  func run() {
    printOutput(ConfigSchema.json() + "\n")
  }
}
