// SPDX-License-Identifier: MIT

import Basics
import Synchronization

/// Meaning of one line of a watch.
enum WatchLine<Told: Hashable & Sendable>: Hashable, Sendable {
  case changes(Told)
  case end(WatchEnd)
}

/// Reads a watch's body as it comes, on the engine's thread. A watch is one answer that does not end: a JSON object a line.
final class WatchLines<Told: Hashable & Sendable>: Sendable {
  private let name: String
  private let read: @Sendable ([UInt8]) -> WatchLine<Told>
  private let tell: @Sendable (Told) -> Void
  private let state = Mutex(State())

  private struct State {
    var lines = LineCutter()
    var hasBegun = false
    var end: WatchEnd?
  }

  /// - Parameters:
  ///   - name: of the watch, in messages.
  ///   - read: what a line says; after an end nothing is read.
  ///   - tell: is told what each line says, in their order, also where that is nothing.
  init(
    _ name: String, read: @escaping @Sendable ([UInt8]) -> WatchLine<Told>,
    tell: @escaping @Sendable (Told) -> Void
  ) {
    (self.name, self.read, self.tell) = (name, read, tell)
  }

  /// A line was understood.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }
  /// The end that the lines report. `nil` for none.
  var end: WatchEnd? { state.withLock { $0.end } }

  /// - Returns: false: the watch is over.
  func take(_ bytes: [UInt8]) -> Bool {
    guard let lines = state.withLock({ $0.lines.take(bytes) }) else {
      return finish(.trouble(StoreTrouble(.garbled, "a line of \(name) is longer than 4 MiB")))
    }
    for line in lines {
      switch read(line) {
      case .changes(let told):
        state.withLock { $0.hasBegun = true }
        tell(told)
      case .end(let end): return finish(end)
      }
    }
    return true
  }

  private func finish(_ end: WatchEnd) -> Bool {
    state.withLock { $0.end = $0.end ?? end }
    return false
  }
}

extension EtcdBody {
  /// All changes of keys from `start` on and before `end`, after a revision.
  static func watch(_ start: [UInt8], end: [UInt8], after revision: Int64) -> [UInt8] {
    object { json in
      json.key("create_request")
      json.object { json in
        range(&json, start, end: end)
        json.field("start_revision", String(revision.bounded(plus: 1)))
      }
    }
  }
}
