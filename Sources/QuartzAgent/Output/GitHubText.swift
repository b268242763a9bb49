// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// Results as workflow commands of GitHub Actions, one line a result that is not up: down is an error, degraded and unknown are
/// warnings. Then one line that says what all came to.
///
/// Source: "Workflow commands for GitHub Actions", with the escapes of the toolkit's `command.ts`.
enum GitHubText {
  static func render(_ results: [CheckResult], unfinished: [String]) -> String {
    let lines =
      results.compactMap { result -> String? in
        switch result.state {
        case .up: nil
        case .down: line("error", result.check, result.detail)
        case .degraded, .unknown: line("warning", result.check, "\(result.state.rawValue): \(result.detail)")
        }
      } + unfinished.map { line("warning", $0, "was not run to its end") }
    return (lines + [MarkdownText.sentence(results, unfinished)]).map { $0 + "\n" }.joined()
  }

  private static func line(_ command: String, _ title: String, _ message: String) -> String {
    let title = escaped(title.printable(maxBytes: 200)).replacing(":", with: "%3A").replacing(
      ",", with: "%2C")
    return "::\(command) title=\(title)::\(escaped(message.printable(maxBytes: 1024)))"
  }

  /// Line ends, and the mark of an escape.
  private static func escaped(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }
}
