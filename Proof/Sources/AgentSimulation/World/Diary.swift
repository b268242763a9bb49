// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Groups
import Monitoring

/// What happened, for who looks at a seed: all of it as it happens, or the last of it once a rule did not hold.
///
/// No lock: the simulator has one thread.
final class Diary: @unchecked Sendable {
  enum Line {
    case start(Int), kill, cut, stop, stopped, pause(Duration), resume, clock(Duration), healed
    case backend(String, Duration), pager(String, Duration), disk(String, Duration), reload(Int)
    case crowd(String, Duration), order(String), edit(String)
    case began(String, Timestamp), found(String, Timestamp, String, UInt64)
    case missed(UniqueID, Timestamp, Int, String), delivered(Timestamp), told(String, String)
    case violation(String), of(String, String), entry(IncidentEntry)

    var words: String {
      switch self {
      case .start(let number): "process \(number) starts"
      case .kill: "the process is killed"
      case .cut: "the power is cut"
      case .stop: "SIGTERM"
      case .stopped: "the process has ended"
      case .pause(let length): "the process stands still for \(length)"
      case .resume: "the process goes on"
      case .clock(let step): "the wall clock is set by \(step)"
      case .healed: "all is well from here on"
      case .crowd(let words, let length): "\(words) for \(length)"
      case .order(let words): "by hand: \(words)"
      case .edit(let words): words
      case .backend(let mood, let length): "backend: \(mood) for \(length)"
      case .pager(let mood, let length): "pager: \(mood) for \(length)"
      case .disk(let operation, let length): "disk: \(operation) fails for \(length)"
      case .reload(let count): "the configuration has \(count) checks"
      case .began(let check, let slot): "\(check) begins \(slot)"
      case .found(let check, let slot, let state, let sequence):
        "\(check) found \(state) at \(slot), record \(sequence)"
      case .missed(let check, let first, let count, let cause):
        "\(count) slots of \(check) missed from \(first): \(cause)"
      case .delivered(let slot): "a row of \(slot) arrives"
      case .told(let kind, let title): "message, \(kind): \(title)"
      case .of(let who, let words): "\(who): \(words)"
      case .entry(let entry): Diary.words(of: entry)
      case .violation(let words): "VIOLATION: \(words)"
      }
    }
  }

  fileprivate static func words(of entry: IncidentEntry) -> String {
    guard let value = entry.value else { return "store: the entry of \(entry.check) goes" }
    let now = ClockReading(boot: Instant(nanoseconds: 0), wall: .epoch)
    switch SharedValue(json: value, at: entry.check, now: now) {
    case nil: return "store: an entry that is none"
    case .alerts(let alerts):
      return "store: \(alerts.firingCount) alerts of \(entry.check) fire, by \(alerts.writer)"
    case .report(let shared): return "store: report \(shared.name)"
    case .incident(let shared):
      let incident = shared.incident
      let told = incident.isNotified ? incident.isResolveNotified ? "told that it is over" : "told" : "untold"
      let end = incident.end == nil ? incident.activeCount == 0 ? "quiet" : "open" : "over"
      return
        "store: incident \(incident.id) of \(incident.checks.count) checks by \(shared.writer): \(end), \(told)"
    }
  }

  private var lines: [(Timestamp, Line)] = []
  private var first = 0
  private let limit: Int
  private let isPrinted: Bool
  private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  /// - Parameter isPrinted: each line as it comes.
  init(limit: Int, isPrinted: Bool) { (self.limit, self.isPrinted) = (limit, isPrinted) }

  func write(_ simulation: Simulation, _ line: Line) { write(simulation.wall, line) }

  func write(_ wall: Timestamp, _ line: Line) {
    if isPrinted { print("\(wall) \(line.words)") }
    hash = (hash ^ UInt64(bitPattern: wall.microseconds)) &* 0x100_0000_01b3
    guard limit > 0 else { return }
    if lines.count < limit {
      lines.append((wall, line))
    } else {
      lines[first] = (wall, line)
      first = (first + 1) % limit
    }
  }

  /// Oldest first.
  var last: [String] {
    (0..<lines.count).map { lines[(first + $0) % lines.count] }.map { "\($0.0) \($0.1.words)" }
  }
}
