// SPDX-License-Identifier: MIT

import ArgumentParser
import Basics

/// `quartz-agent completions`.
struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print the completion script of a shell.",
    discussion: """
      deploy/README.md says where each shell looks for it.

      Exit code: 0 printed, 64 wrong usage, 73 the output cannot be written.
      """)

  enum Shell: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish
  }

  @Argument(help: "bash, zsh or fish.")
  var shell: Shell

  static func script(for shell: Shell) -> String {
    let kind: CompletionShell =
      switch shell {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    let script = QuartzAgentCommand.completionScript(for: kind)
    return script.hasSuffix("\n") ? script : script + "\n"
  }

  func run() { printOutput(Self.script(for: shell)) }
}

/// `quartz-agent man`.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "man",
    abstract: "Print a page of the manual, for man(1).",
    discussion: """
      Names of pages: quartz-agent.1, quartz-agent-once.1, agent.yaml.5 and so on.

      Exit code: 0 printed, 64 there is no such page, 73 the output cannot be written.
      """)

  @Argument(help: "A page, or a command. Default: quartz-agent.1.")
  var page = "quartz-agent.1"

  func run() throws {
    let pages = ManualPages.all()
    let names = [page, "quartz-agent-\(page).1", "\(page).1", "\(page).5"]
    guard let found = names.lazy.compactMap({ name in pages.first { $0.name == name } }).first else {
      throw failure(
        "there is no page \"\(page.printable(maxBytes: 100))\"",
        hint: "pages: \(pages.map(\.name).joined(separator: ", "))",
        status: ExitCode.validationFailure.rawValue)
    }
    printOutput(found.text)
  }
}
