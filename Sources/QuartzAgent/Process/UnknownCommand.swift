// SPDX-License-Identifier: MIT

import AgentConfig
import ArgumentParser
import Basics

/// A word in the place of a command that is no command.
struct UnknownCommand: Equatable {
  /// Lower case, no full stop.
  var message: String
  var hint: String

  /// `nil` where the commands are right, or there are none.
  ///
  /// - Parameter arguments: of the command line, without the program.
  init?(_ arguments: some Sequence<String>, of root: any ParsableCommand.Type) {
    var command = root
    var way = [root._commandName]
    for word in arguments {
      let known = command.configuration.subcommands
      guard !known.isEmpty, !word.hasPrefix("-") else { return nil }
      // The words behind it are commands too.
      if word == "help" { continue }
      if command is any TakesWords.Type { return nil }
      if let next = known.first(where: { $0._commandName == word }) {
        (command, way) = (next, way + [word])
        continue
      }
      let commands = way.joined(separator: " ")
      message = "there is no command \"\(word.printable(maxBytes: 100))\""
      let names = known.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
      if let similar = nearest(to: word, among: names) {
        hint = "did you mean '\(similar)'? see: \(commands) \(similar) --help"
      } else if way.count == 1, isTarget(word) {
        hint = "to run a check once: \(commands) once \(shellWord(word.printable(maxBytes: 300)))"
      } else {
        hint = "commands: \(names.joined(separator: ", ")); see: \(commands) --help"
      }
      return
    }
    return nil
  }
}

/// A command with subcommands whose default one begins with words of the reader's own.
protocol TakesWords {}

/// Whether `once` could take it for a target.
private func isTarget(_ word: String) -> Bool {
  word.contains("://") || Endpoint(word, defaultPort: nil) != nil
}
