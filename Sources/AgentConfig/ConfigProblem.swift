// SPDX-License-Identifier: MIT

import Basics

/// One thing to tell the person who wrote the file: an error, or a warning.
package struct ConfigProblem: Hashable, Sendable, CustomStringConvertible {
  /// As the user named it.
  package var file: String
  /// From 1; 0 when the problem is about the file as a whole.
  package var line: Int
  package var column: Int
  /// Lower case, no full stop; never holds a secret.
  package var message: String
  /// The next step. `nil` where the message says it.
  package var hint: String?
  /// Problems that it is about: more than one at the end of a list that was cut.
  package var count = 1

  package init(file: String, line: Int = 0, column: Int = 0, message: String, hint: String? = nil) {
    self.file = file
    self.line = line
    self.column = column
    self.message = message
    self.hint = hint
  }

  /// `agent.yaml:14:5: interval must be at least 1s, found 0s`.
  package var headline: String {
    (line > 0 ? "\(file):\(line):\(column)" : file) + ": \(message)"
  }

  /// The headline, and a second line with the hint if there is one.
  package var description: String {
    headline + (hint.map { "\n  hint: \($0)" } ?? "")
  }
}

extension ConfigProblem {
  /// Problems that are reported at once: a file of 16 MiB may be wrong in each of its bytes.
  static let most = 100

  /// - Parameter count: how many there are, of which these are the first.
  static func bounded(_ problems: [ConfigProblem], of count: Int) -> [ConfigProblem] {
    guard count > most else { return problems }
    var rest = ConfigProblem(file: problems[most - 1].file, message: "and \(count - most) more")
    rest.count = count - most
    return problems.prefix(most) + [rest]
  }
}

/// Everything that is wrong with a configuration, in the order of the file. Never empty. At most a hundred, and then
/// how many more.
package struct ConfigErrors: Error, Hashable, Sendable, CustomStringConvertible {
  package var problems: [ConfigProblem]
  /// How many there are, with those that are not told one by one.
  package var count: Int { problems.reduce(0) { $0 + $1.count } }
  /// Warnings beside the problems.
  package var warnings: [ConfigProblem] = []
  /// The settings in the rest of the file. `nil` where it cannot be read at all. Enough to find an agent that runs on
  /// an earlier state of it, never to run on.
  package var readable: Settings?

  package var description: String { problems.map(\.description).joined(separator: "\n") }
}
