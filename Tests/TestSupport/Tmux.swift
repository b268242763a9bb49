// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// A real terminal of a size, from Debian's tmux, with one command in it.
package struct Tmux: Sendable {
  let folder: URL

  /// - Parameter command: for a shell, in the folder. What it leaves on the screen stays until the body ends.
  package static func with<Value>(
    _ command: String, columns: Int, rows: Int = 60, in folder: URL,
    _ body: (Tmux) async throws -> Value
  ) async throws -> Value {
    let tmux = Tmux(folder: folder)
    // Ctrl-C is for the command and not for the shell around it.
    let shell = "trap : INT; cd '\(folder.path)'; \(command); echo \"end $?\"; exec sleep 600"
    let outcome = try await tmux.run(
      "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", shell, ";", "set", "-g", "status", "off")
    guard outcome.status == 0 else { throw Refusal(description: "tmux: \(outcome.output)") }
    guard let server = Int32(try await tmux.value(of: "pid")), server > 1 else {
      throw Refusal(description: "tmux does not say its process id")
    }
    // Its end hangs up the terminal, which ends what runs in it. Asking it to end may take it a while.
    defer { kill(server, SIGKILL) }
    return try await body(tmux)
  }

  /// The rows of the screen down to the last one with text.
  package func screen() async throws -> [String] {
    let rows = try await run("capture-pane", "-p").output.split(
      separator: "\n", omittingEmptySubsequences: false)
    return rows.map(String.init).reversed().drop { $0.isEmpty }.reversed()
  }

  /// Polls the screen until it is as wanted; one that never is, is an error that shows it.
  package func screen(
    within limit: Duration = .seconds(60), when isWanted: ([String]) -> Bool
  ) async throws -> [String] {
    let deadline = ContinuousClock.now + limit
    while true {
      let rows = try await screen()
      if isWanted(rows) { return rows }
      guard ContinuousClock.now < deadline else {
        throw Refusal(description: "never seen on the screen, which has:\n" + rows.joined(separator: "\n"))
      }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  package func press(_ key: String) async throws { _ = try await run("send-keys", key) }

  /// A variable of tmux(1), such as `cursor_flag`.
  package func value(of variable: String) async throws -> String {
    let said = try await run("display-message", "-p", "#{\(variable)}").output
    return said.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func run(_ arguments: String...) async throws -> ToolOutcome {
    let program = "/usr/bin/tmux"
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw MissingServer(program: program, debianPackage: "tmux")
    }
    // A server of its own, without anybody's settings, in a locale that every Debian has. It must not inherit the
    // descriptor by which Foundation notices the end of what it started: it lives on when the client has ended.
    let script = """
      for entry in /proc/$$/fd/*; do number=${entry##*/}; [ "$number" -gt 2 ] && eval "exec $number>&-"; done
      unset TMUX NO_COLOR; LC_ALL=C.UTF-8 SHELL=/bin/sh exec "$@"
      """
    return try await runTool(
      "/bin/bash",
      [
        "-c", script, "tmux", program, "-S", folder.appending(path: "tmux.sock").path, "-f", "/dev/null",
        "-u",
      ]
        + arguments, debianPackage: "bash", in: folder)
  }

  private struct Refusal: Error, CustomStringConvertible {
    var description: String
  }
}
