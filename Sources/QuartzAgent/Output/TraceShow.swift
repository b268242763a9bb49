// SPDX-License-Identifier: MIT

import Agent
import Basics
import Glibc
import Monitoring
import Network
import Synchronization
import Tracing

/// One trace on the command line: drawn while it runs, or waited for, until it is stopped.
struct TraceShow: Sendable {
  let request: TraceRequest
  let isLive: Bool
  let color: Bool

  /// A terminal's other screen, so that what stood there before comes back; and no cursor.
  private static let begin = "\u{1b}[?1049h\u{1b}[?25l"
  private static let end = "\u{1b}[?25h\u{1b}[?1049l"

  /// - Returns: the trace, as far as it came; `nil` when it did not come to anything.
  func run(_ tracer: Tracer) async -> (trace: RouteTrace?, wasStopped: Bool) {
    let latest = LatestTrace()
    let signals = processSignals(keepsIgnored: true)
    if isLive {
      // A stopped process could not give the screen and the cursor back.
      signal(SIGTSTP, SIG_IGN)
      printOutput(Self.begin)
    }
    let work = Task {
      try await tracer.trace(request) { picture in
        latest.value.withLock { $0 = picture }
        if isLive { draw(picture) }
      }
    }
    let watch = Task {
      for await _ in signals { work.cancel() }
    }
    let whole = try? await work.value
    watch.cancel()
    if isLive { printOutput(Self.end) }
    forgetProcessSignals()
    return (whole ?? latest.value.withLock { $0 }, whole == nil)
  }

  /// On the trace's own thread.
  private func draw(_ picture: RouteTrace) {
    let terminal = Terminal()
    var lines = RouteTraceText(picture, width: terminal.width, color: color, isComplete: false).lines
    lines.append("Ctrl-C ends it.")
    let frame = WatchFrame(
      note: nil, lines: lines, width: terminal.width, height: terminal.height ?? .max)
    if !printOutput(frame.escapes) { raise(SIGINT) }
  }
}

/// The trace so far.
private final class LatestTrace: Sendable {
  let value = Mutex<RouteTrace?>(nil)
}
