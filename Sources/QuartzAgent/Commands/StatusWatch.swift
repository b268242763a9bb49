// SPDX-License-Identifier: MIT

import Agent
import Basics
import Glibc
import Monitoring
import Status

/// `status --watch`: asks the agent every two seconds and draws the answer in place, until it is stopped.
struct StatusWatch: Sendable {
  let client: AgentClient
  /// At first.
  let keys: WatchKeys
  /// The request, for a terminal of so many columns.
  let request: @Sendable (Int, WatchKeys) -> String

  private enum Event: Sendable {
    case due
    case key(UInt8)
  }

  private static let every: Duration = .seconds(2)
  /// A terminal's other screen, so that what stood there before comes back; and no cursor.
  private static let begin = "\u{1b}[?1049h\u{1b}[?25l"
  private static let end = "\u{1b}[?25h\u{1b}[?1049l"

  /// Returns when a signal came or the reader went away. Throws the error of `ask` when no agent answers at first.
  ///
  /// - Returns: whether the agent answered the last time.
  func run() async throws -> Bool {
    let first = try await client.ask(request(Terminal().width, keys))
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
    let (events, sender) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingOldest(256))
    let input = Terminal().isTerminal ? KeyInput() : nil
    input?.read { sender.yield(.key($0)) }
    defer { input?.end() }
    let alarm: @Sendable (Instant) -> Task<Void, Never> = { due in
      Task { if (try? await time.sleep(until: due)) != nil { sender.yield(.due) } }
    }
    var (keys, picture, heard) = (keys, first, time.instant())
    var trouble: CommandFailure?
    var timer = alarm(heard + Self.every)
    defer { timer.cancel() }
    guard show(picture, trouble, age: .zero, foot: input == nil ? nil : keys.line) else { return true }
    for await event in events {
      var effect = WatchKeys.Effect.ask
      if case .key(let byte) = event { effect = keys.take(byte) }
      if case .quit = effect { break }
      if case .none = effect { continue }
      if case .ask = effect {
        timer.cancel()
        let begin = time.instant()
        do {
          picture = try await client.ask(request(Terminal().width, keys))
          (heard, trouble) = (time.instant(), nil)
        } catch {
          if Task.isCancelled { break }
          trouble = error as? CommandFailure ?? CommandFailure("\(error)", status: ExitStatus.unknown)
        }
        timer = alarm(begin + Self.every)
      }
      let age = heard.duration(to: time.instant())
      guard show(picture, trouble, age: age, foot: input == nil ? nil : keys.line) else { break }
    }
    return trouble == nil
  }

  /// False where the output is closed.
  ///
  /// - Parameter foot: the last line of a terminal; `nil` without keys.
  private func show(_ picture: String, _ trouble: CommandFailure?, age: Duration, foot: String?) -> Bool {
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
      WatchFrame(
        note: note, lines: lines, foot: foot, width: terminal.width, height: terminal.height ?? .max
      ).escapes)
  }
}

/// One picture on a terminal.
struct WatchFrame {
  /// Above the lines; nil: nothing.
  var note: String?
  var lines: [String]
  /// On the last line of the screen, also when the others end above it; `nil` for none.
  var foot: String?
  var width: Int
  /// Lines of the screen. Further lines are left out, and the last line says so.
  var height: Int

  /// Draws each line over the one that stood there, and clears what is left.
  var escapes: String {
    guard let foot, height > 1, height < .max else { return escapes(height) }
    return escapes(height - 1) + "\u{1b}[\(height);1H" + foot.cut(columns: width - 1) + "\u{1b}[K"
  }

  private func escapes(_ height: Int) -> String {
    var shown = (note?.folded(width: width, hanging: 2, breaksWords: true) ?? []) + lines
    if shown.count > height {
      let left = shown.count - max(0, height - 1)
      shown = shown.prefix(max(0, height - 1)) + ["… and \(counted(left, "more line"))".cut(columns: width)]
    }
    // A line that is full leaves the cursor on its last column, where clearing would take the last character.
    let drawn = shown.map { $0.visibleColumns < width ? $0 + "\u{1b}[K" : $0 }
    return "\u{1b}[H" + drawn.joined(separator: "\r\n") + (shown.isEmpty ? "" : "\r")
      + (shown.count < height ? "\r\n\u{1b}[J" : "")
  }
}
