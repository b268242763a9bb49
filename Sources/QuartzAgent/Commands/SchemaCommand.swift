// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics

/// `quartz-agent schema`.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of agent.yaml, or of a file of cases, for editors.",
    discussion: "Exit code: 0 printed, 64 wrong usage, 73 the output cannot be written.")

  @Flag(help: "Print the tables of keys in Markdown instead, as the documentation has them.")
  var markdown = false

  @Flag(help: "The schema of files for quartz-agent test.")
  var cases = false

  func validate() throws {
    if markdown, cases { throw ValidationError("--markdown has all tables; leave --cases out") }
  }

  func run() {
    printOutput(markdown ? KeyDocs.all : ConfigSchema.json(cases ? .cases : .configuration) + "\n")
  }
}
