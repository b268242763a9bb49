// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Status
import Synchronization

/// How reading the configuration again went. That the file on disk was refused is remembered for as long as the agent runs
/// on what it said before: who looks at the status must not take the one for the other.
final class RefusedFile: Sendable {
  private struct State {
    var notice: Notice?
    /// Sections that changed since the start and that no reload applies.
    var waiting: [String] = []
    /// Of the configuration that is active.
    var targetsLeftOut = 0
    var figures: ReloadFigures
  }

  private let state: Mutex<State>

  /// - Parameter started: when the configuration was read first.
  init(started: Timestamp) { state = Mutex(State(figures: ReloadFigures(lastSuccess: started))) }

  var notices: [Notice] {
    state.withLock { state in
      let names = state.waiting.joined(separator: ", ")
      let restart = Notice.warning(
        .restart, "changed settings take effect at the next start: \(names)",
        hint: "restart the agent to apply them, or change them back")
      let count = state.targetsLeftOut
      let targets = Notice.warning(
        .discovery,
        "targets of discover that are left out, and not probed: \(count)",
        hint: "quartz-agent validate names up to 50 of each list, and why")
      return [state.notice, names.isEmpty ? nil : restart, count == 0 ? nil : targets].compactMap(\.self)
    }
  }
  var figures: ReloadFigures { state.withLock { $0.figures } }

  func refuse(_ errors: ConfigErrors, path: String) {
    let first = errors.problems.first.map { ": \($0.headline.printable(maxBytes: 200))" } ?? ""
    let more = errors.count > 1 ? ", and \(errors.count - 1) more" : ""
    let notice = Notice.warning(
      .configuration,
      "the configuration on disk was refused, the last valid one stays active\(first)\(more)",
      hint:
        "quartz-agent validate -c \(path.printable(maxBytes: 200)) lists every problem; the file is read again when it changes"
    )
    state.withLock { state in
      state.notice = notice
      state.figures.refused += 1
      state.figures.wasLastRefused = true
    }
  }

  /// The configuration on disk is valid but waits, because most entries of a list disappeared at once.
  func hold(_ objections: [String]) {
    let notice = Notice.warning(
      .configuration,
      "the configuration on disk is not applied yet: \(objections.prefix(3).joined(separator: "; "))",
      hint: "to apply it now, send SIGHUP (systemctl reload)")
    state.withLock { $0.notice = notice }
  }

  /// Names the sections that wait for a restart; empty: none does.
  func note(restartFor sections: [String]) { state.withLock { $0.waiting = sections } }

  /// Targets that make no check in the configuration that is active.
  func note(targetsLeftOut count: Int) { state.withLock { $0.targetsLeftOut = count } }

  func accept(at now: Timestamp) {
    state.withLock { state in
      state.notice = nil
      state.figures.taken += 1
      state.figures.wasLastRefused = false
      state.figures.lastSuccess = now
    }
  }
}

extension RefusedFile: AgentPart {
  func contribute(to metrics: inout MetricsView) { metrics.reloads = figures }
}
