// SPDX-License-Identifier: MIT

import AgentConfig
import Basics
import Monitoring
import Synchronization

/// Remembers that the file on disk was refused at a reload, for as long as the agent runs on what it said before: who
/// looks at the status must not take the one for the other.
final class RefusedFile: Sendable {
  private let state = Mutex<Notice?>(nil)

  var notice: Notice? { state.withLock { $0 } }

  func refuse(_ errors: ConfigErrors, path: String) {
    let first = errors.problems.first.map { ": \($0.headline.printable(maxBytes: 200))" } ?? ""
    let more = errors.count > 1 ? ", and \(errors.count - 1) more" : ""
    let notice = Notice.warning(
      .configuration,
      "the configuration on disk was refused, the old one stays in force\(first)\(more)",
      hint:
        "quartz-agent validate -c \(path.printable(maxBytes: 200)) says all of it; it is read again when it changes"
    )
    state.withLock { $0 = notice }
  }

  func accept() { state.withLock { $0 = nil } }
}
