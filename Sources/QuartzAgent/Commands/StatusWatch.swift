// SPDX-License-Identifier: MIT

import Basics
import Glibc
import History
import Monitoring

/// `status --watch`: asks the agent every two seconds and draws the answer in place, until it is stopped.
struct StatusWatch: Sendable {
  let client: AgentClient
  /// The request, for a terminal of so many columns.
  let request: @Sendable (Int) -> String

  private static let every: Duration = .seconds(2)
  /// A terminal's other screen, so that what stood there before comes back; and no cursor.
  private static let begin = "\u{1b}[?1049h\u{1b}[?25l"
  private static let end = "\u{1b}[?25h\u{1b}[?1049l"

  /// Returns when a signal came or the reader went away. Throws the error of `ask` when no agent answers at first.
  ///
  /// - Returns: whether the agent answered the last time.
  func run() async throws -> Bool {
    let first = try await client.ask(request(Terminal().width))
    let isTerminal = Terminal().isTerminal
    let signals = processSignals(keepsIgnored: true)
    if isTerminal {
      // A stopped process could not give the screen and the cursor back.
      signal(SIGTSTP, SIG_IGN)
      printOutput(Self.begin)
    }
    let work = Task { await draw(first) }
    let watch = Task {
      for await _ in signals { work.cancel() }
    }
    let isAnswered = await work.value
    watch.cancel()
    if isTerminal { printOutput(Self.end) }
    forgetProcessSignals()
    return isAnswered
  }

  private func draw(_ first: String) async -> Bool {
    let time = TimeSource.system
    var picture = first
    var heard = time.instant()
    var trouble: CommandFailure?
    while !Task.isCancelled {
      let begin = time.instant()
      guard show(picture, trouble, age: heard.duration(to: begin)) else { break }
      do {
        try await time.sleep(until: begin + Self.every)
        picture = try await client.ask(request(Terminal().width))
        heard = time.instant()
        trouble = nil
      } catch let failure as CommandFailure {
        if !Task.isCancelled { trouble = failure }
      } catch {
        if !Task.isCancelled { trouble = CommandFailure("\(error)", status: ExitStatus.unknown) }
      }
    }
    return trouble == nil
  }

  /// False where the output is closed.
  private func show(_ picture: String, _ trouble: CommandFailure?, age: Duration) -> Bool {
    let terminal = Terminal()
    let note = trouble.map {
      "\(CheckState.down.mark) \($0.message.printable(maxBytes: 400)); asking again, what is below is "
        + "\(StatusFormat.length(age.microseconds)) old"
    }
    guard terminal.isTerminal else {
      guard let note else { return printOutput(picture + "\n") }
      printError("quartz-agent: \(note)")
      return true
    }
    let lines = picture.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    return printOutput(
      WatchFrame(note: note, lines: lines, width: terminal.width, height: terminal.height ?? .max).escapes)
  }
}

/// One picture on a terminal.
struct WatchFrame {
  /// Above the lines; nil: nothing.
  var note: String?
  var lines: [String]
  var width: Int
  /// Lines of the screen. Further lines are left out, and the last line says so.
  var height: Int

  /// Draws each line over the one that stood there, and clears what is left.
  var escapes: String {
    var shown = (note?.folded(width: width, hanging: 2, breaksWords: true) ?? []) + lines
    if shown.count > height {
      let left = shown.count - max(0, height - 1)
      shown = shown.prefix(max(0, height - 1)) + ["… and \(left) more lines".cut(columns: width)]
    }
    // A line that is full leaves the cursor on its last column, where clearing would take the last character.
    let drawn = shown.map { $0.visibleColumns < width ? $0 + "\u{1b}[K" : $0 }
    return "\u{1b}[H" + drawn.joined(separator: "\r\n") + (shown.isEmpty ? "" : "\r")
      + (shown.count < height ? "\r\n\u{1b}[J" : "")
  }
}
