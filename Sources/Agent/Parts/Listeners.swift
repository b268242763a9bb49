// SPDX-License-Identifier: MIT

import Basics
import Logging
import Monitoring
import StatusServer
import Synchronization

/// Listeners of the status servers, and which of them cannot listen now.
final class Listeners: Sendable {
  /// A listener as the operator knows it.
  struct Listener: Hashable, Sendable {
    var name: String  // own text: a constant
    /// Its key in the configuration.
    var key: String  // own text: a constant
    /// The log says where it listens.
    var isNamed = true
  }

  /// Starts `serve` again while it fails.
  typealias Serving = (@escaping @Sendable (ListenAddress) -> Void) async throws -> Void

  private let failing = Mutex<[Listener: Notice]>([:])
  private let log: Logger
  private let time: TimeSource

  /// Wait before the second try; each further wait is twice as long.
  static let firstPause: Duration = .seconds(1)
  static let longestPause: Duration = .seconds(60)

  init(log: Logger, time: TimeSource) { (self.log, self.time) = (log, time) }

  /// Serves until the task is cancelled.
  ///
  /// - Parameter serve: returns when its task is cancelled; reports where it listens.
  func keep(_ listener: Listener, _ serve: Serving) async {
    var pause = Self.firstPause
    while true {
      do {
        try await serve { [self] address in listens(listener, at: address) }
        return
      } catch {
        // A listener that was lost while it served is tried again at once.
        if note(error, of: listener) { pause = Self.firstPause }
        guard !Task.isCancelled, (try? await time.sleep(for: pause)) != nil else { return }
        pause = min(pause * 2, Self.longestPause)
      }
    }
  }

  private func listens(_ listener: Listener, at address: ListenAddress) {
    let wasFailing = failing.withLock { $0.removeValue(forKey: listener) } != nil
    if wasFailing { log.notice("the \(listener.name) listens again") }
    if listener.isNamed { log.notice("\(listener.name): \(address.pageURL)") }
  }

  /// True for the first failure in a row.
  private func note(_ error: any Error, of listener: Listener) -> Bool {
    let what = "the \(listener.name) is not available, probing continues: \(error)"
    let (notice, before) = failing.withLock { failing in
      let before = failing[listener]
      let notice = Notice.critical(
        .part(listener.name), what,
        hint: (error as? StatusServerError)?.hint(listener.key),
        since: before?.since ?? time.wall())
      failing[listener] = notice
      return (notice, before)
    }
    if before?.what != what { log.tell(notice) }
    return before == nil
  }
}

extension Listeners: AgentPart {
  var notices: [Notice] { failing.withLock { $0.sorted { $0.key.name < $1.key.name }.map(\.value) } }
  var shortcomings: [String] { notices.map { "\($0.place.text): \($0.what)" } }
}
