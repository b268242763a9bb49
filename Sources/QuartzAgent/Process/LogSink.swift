// SPDX-License-Identifier: MIT

import Agent
import Basics
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
/// Lines go through a bounded queue to a thread of its own: a pipe without a reader may block that thread, never a
/// probe. Lines that do not fit are dropped and counted, and the count is the next line written. Lines of one class
/// (level and message) are limited to `perMinute`, so that a thousand failing checks do not drown the one line that
/// says why.
final class LogSink: Sendable {
  private struct State {
    var lines: [String] = []
    var dropped = 0
    var closing = false
    var minute: Int64 = 0
    var classes: [LineClass: Int] = [:]
    var suppressed = 0
  }

  private struct LineClass: Hashable {
    let level: Logger.Level
    let message: ByteText
  }

  private let state = Mutex(State())
  private let finished = DispatchSemaphore(value: 0)
  private let wake = DispatchSemaphore(value: 0)
  private let format: LogFormat
  /// Text lines go to systemd's journal, which stores time and priority itself.
  private let isJournal: Bool
  private let time: TimeSource
  private let write: @Sendable (String) -> Void

  static let queueLimit = 1000
  static let perMinute = 60
  /// Within a minute.
  static let mostClasses = 2000
  private static let others = LineClass(level: .info, message: ByteText(""))

  init(format: LogFormat, time: TimeSource, write: @escaping @Sendable (String) -> Void = { printError($0) })
  {
    isJournal = format == .text && Journal.isStandardError(processEnvironment())
    (self.format, self.time, self.write) = (format, time, write)
    _ = startThread { self.writeLoop() }
  }

  /// `message` is the line's class and so has no names or figures in it; those are metadata.
  func log(_ level: Logger.Level, _ label: String, _ message: String, _ metadata: Logger.Metadata) {
    let time = time.wall()
    let line = LogLine(time: time, level: level, label: label, message: message, metadata: metadata)
    state.withLock { state in
      if time.microseconds / 60_000_000 != state.minute { startMinute(at: time, &state) }
      var key = LineClass(level: level, message: ByteText(message))
      // Lines that are all different are one class as well once there are so many of them.
      if state.classes.count >= Self.mostClasses, state.classes[key] == nil { key = Self.others }
      state.classes[key, default: 0] += 1
      if state.classes[key, default: 0] > Self.perMinute {
        state.suppressed += 1
      } else {
        append(line, &state)
      }
    }
    wake.signal()
  }

  /// Writes what is queued, waiting at most two seconds for a reader.
  func drain() {
    let time = time.wall()
    state.withLock { state in
      startMinute(at: time, &state)
      state.closing = true
    }
    wake.signal()
    _ = finished.wait(timeout: .now() + .seconds(2))
  }

  private func append(_ line: LogLine, _ state: inout State) {
    if state.lines.count >= Self.queueLimit {
      state.dropped += 1
    } else {
      state.lines.append(line.rendered(format, forJournal: isJournal))
    }
  }

  /// Tells what the last minute left out, and counts again.
  private func startMinute(at time: Timestamp, _ state: inout State) {
    if state.suppressed > 0 { append(own("repeated lines left out", state.suppressed, at: time), &state) }
    state.minute = time.microseconds / 60_000_000
    state.classes.removeAll(keepingCapacity: true)
    state.suppressed = 0
  }

  private func own(_ message: String, _ count: Int, at time: Timestamp) -> LogLine {
    LogLine(time: time, level: .warning, label: "log", message: message, metadata: ["count": "\(count)"])
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
      for line in lines { write(line) }
      if dropped > 0 {
        write(
          own("lines dropped, standard error is not read", dropped, at: time.wall()).rendered(
            format, forJournal: isJournal))
      }
      if closing {
        finished.signal()
        return
      }
    }
  }
}

/// One event, before it is text.
private struct LogLine {
  var time: Timestamp
  var level: Logger.Level
  var label: String
  var message: String
  var metadata: Logger.Metadata

  private var fields: [(key: String, value: Logger.MetadataValue)] { metadata.sorted { $0.key < $1.key } }

  /// One line of at most 2 KiB, whatever the parts hold.
  func rendered(_ format: LogFormat, forJournal: Bool) -> String {
    if forJournal { return Journal.priority(level) + words.printable(maxBytes: 2048) }
    return format == .json ? json : "\(time.rfc3339) \(words)".printable(maxBytes: 2048)
  }

  private var words: String {
    let tail = fields.map { " \($0.key)=\(quoted("\($0.value)"))" }.joined()
    return "\(level.rawValue.uppercased()) \(label): \(message)\(tail)"
  }

  /// Values with spaces are quoted, so that a line can be taken apart again.
  private func quoted(_ value: String) -> String {
    value.contains(" ") || value.contains("\"") ? "\"" + value.replacing("\"", with: "'") + "\"" : value
  }

  private var json: String {
    var json = JSONWriter()
    json.object { json in
      json.field("time", time)
      json.field("level", level.rawValue)
      json.field("logger", label)
      json.field("message", message.printable(maxBytes: 1024))
      json.key("metadata")
      json.object { json in
        for (key, value) in fields {
          json.key(dynamic: key)
          json.string("\(value)".printable(maxBytes: 512))
        }
      }
    }
    return json.text
  }
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
