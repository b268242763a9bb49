// SPDX-License-Identifier: MIT

import Dispatch
import Logging
import Monitoring
import Synchronization

/// How log lines look.
enum LogFormat: String, CaseIterable {
  case text, json
}

/// The one writer of standard error for log lines.
///
/// Lines go through a bounded queue to a thread of its own: a pipe nobody reads may block that thread, never a
/// probe. What does not fit is dropped and counted, and the count is the next line written. Lines of one class
/// (level and message) are limited to `perMinute`, so that a thousand failing checks do not drown the one line that
/// says why.
final class LogSink: Sendable {
  private struct State {
    var lines: [String] = []
    var dropped = 0
    var closing = false
    var minute: Int64 = 0
    var classes: [String: Int] = [:]
    var suppressed = 0
  }

  private let state = Mutex(State())
  private let finished = DispatchSemaphore(value: 0)
  private let wake = DispatchSemaphore(value: 0)
  private let format: LogFormat
  private let now: @Sendable () -> Timestamp

  static let queueLimit = 1000
  static let perMinute = 60

  init(format: LogFormat, now: @escaping @Sendable () -> Timestamp = { .now() }) {
    self.format = format
    self.now = now
    _ = startThread { self.writeLoop() }
  }

  func log(_ level: Logger.Level, _ label: String, _ message: String, _ metadata: Logger.Metadata) {
    let time = now()
    let line =
      format == .json
      ? jsonLine(time, level, label, message, metadata) : textLine(time, level, label, message, metadata)
    state.withLock { state in
      guard admit(level, message, at: time, &state) else { return }
      if state.lines.count >= Self.queueLimit {
        state.dropped += 1
      } else {
        state.lines.append(line)
      }
    }
    wake.signal()
  }

  /// Writes what is queued, waiting at most two seconds for a reader.
  func drain() {
    state.withLock { $0.closing = true }
    wake.signal()
    _ = finished.wait(timeout: .now() + .seconds(2))
  }

  private func admit(_ level: Logger.Level, _ message: String, at time: Timestamp, _ state: inout State)
    -> Bool
  {
    let minute = time.microseconds / 60_000_000
    if minute != state.minute {
      if state.suppressed > 0 {
        let words = "\(state.suppressed) lines of repeated messages left out in the last minute"
        state.lines.append(
          format == .json
            ? jsonLine(time, .notice, "log", words, [:]) : textLine(time, .notice, "log", words, [:]))
      }
      state.minute = minute
      state.classes.removeAll(keepingCapacity: true)
      state.suppressed = 0
    }
    state.classes[message, default: 0] += 1
    if state.classes[message, default: 0] > Self.perMinute {
      state.suppressed += 1
      return false
    }
    return true
  }

  private func writeLoop() {
    while true {
      wake.wait()
      let (lines, dropped, closing) = state.withLock { state in
        defer {
          state.lines.removeAll(keepingCapacity: true)
          state.dropped = 0
        }
        return (state.lines, state.dropped, state.closing)
      }
      for line in lines { printError(line) }
      if dropped > 0 { printError(textLine(now(), .warning, "log", "\(dropped) log lines dropped", [:])) }
      if closing {
        finished.signal()
        return
      }
    }
  }
}

private func textLine(
  _ time: Timestamp, _ level: Logger.Level, _ label: String, _ message: String, _ metadata: Logger.Metadata
) -> String {
  var line = "\(time.rfc3339) \(level.rawValue.uppercased()) \(label): \(message)"
  for (key, value) in metadata.sorted(by: { $0.key < $1.key }) { line += " \(key)=\(value)" }
  return line.printable(maxBytes: 2048)
}

private func jsonLine(
  _ time: Timestamp, _ level: Logger.Level, _ label: String, _ message: String, _ metadata: Logger.Metadata
) -> String {
  var json = JSONWriter()
  json.object { json in
    json.field("time", time)
    json.field("level", level.rawValue)
    json.field("logger", label)
    json.field("message", message.printable(maxBytes: 1024))
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      json.key(dynamic: key)
      json.string("\(value)".printable(maxBytes: 512))
    }
  }
  return json.text
}

/// swift-log's face of the sink.
struct SinkHandler: LogHandler {
  let label: String
  let sink: LogSink
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    sink.log(
      event.level, label, "\(event.message)",
      metadata.merging(event.metadata ?? [:]) { _, new in new })
  }
}
