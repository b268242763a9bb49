// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring
import Synchronization

// With a group: what others tell is not told here, and what is told here is known to the others.
extension AlertDesk {
  /// What is to be sent now.
  func due(_ now: Timestamp) -> [Outbox.Entry] {
    guard let share else { return state.withLock { $0.outbox.due(now) } }
    guard state.withLock({ $0.outbox.next != nil }) else { return [] }
    // By what is known now: the process may have stood still since it was decided.
    let view = share.look()
    state.withLock { $0.book.follow(view, now: now, role: share.role) }
    return state.withLock { state in
      var due: [Outbox.Entry] = []
      // One that is dropped makes room for the next.
      while true {
        let entries = state.outbox.due(now)
        guard !entries.isEmpty else { return due }
        var hasDropped = false
        for entry in entries {
          let turn = state.book.turn(of: entry.message, to: entry.channel, now: now, role: share.role)
          switch turn {
          case .send: due.append(entry)
          case .wait: state.outbox.unsend(entry, drops: false)
          case .drop:
            state.outbox.unsend(entry, drops: true)
            hasDropped = true
          }
        }
        if !hasDropped { return due }
      }
    }
  }

  /// What the group's store should know.
  func tellShare(_ share: (any IncidentShare)?) {
    guard let share else { return }
    let now = time.wall()
    let writes = state.withLock { state in
      state.book.writes(by: share.writer, now: now, role: share.role) { [outbox = state.outbox] in
        outbox.isWaiting($0, $1)
      }
    }
    share.write(writes)
  }
}
