// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics

/// `quartz-agent schema`.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of agent.yaml, for editors.")

  @Flag(help: "Print the tables of keys in Markdown instead, as the documentation has them.")
  var markdown = false

  func run() {
    printOutput(markdown ? KeyDocs.all : ConfigSchema.json() + "\n")
  }
}
