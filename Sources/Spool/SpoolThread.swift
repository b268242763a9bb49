// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// The writer: turns, until the mailbox closes.
func runSpool(_ core: consuming SpoolCore, _ mailbox: SpoolMailbox) {
  var core = core
  while case .wait(let deadline) = turnSpool(&core, mailbox) {
    mailbox.wait(until: deadline)
  }
  endSpool(&core, mailbox)
  mailbox.turn.end()
  mailbox.released.open()
}

/// The thread's next step after a turn.
package enum SpoolTurn: Hashable {
  /// The next one, at a wake-up or at this instant of the monotonic clock, in microseconds.
  case wait(until: Int64?)
  /// The mailbox closes.
  case last
}

/// One turn: a group of results, then jobs, then work that is due. A driver of the store in place of its thread, in one
/// order with everything else, takes the same turns.
func turnSpool(_ core: inout SpoolCore, _ mailbox: SpoolMailbox) -> SpoolTurn {
  let load = mailbox.take(at: mailbox.time.monotonic)
  let time = mailbox.time
  if !load.results.isEmpty || load.overflow != nil {
    let isRecorded = core.record(load.results.map(\.entry), overflow: load.overflow, at: time)
    // Before anyone who waited can ask.
    mailbox.publish(core.status(at: time), next: core.nextSequence)
    for result in load.results { result.waiter?.resume(returning: isRecorded) }
  }
  core.tick(at: time)
  for job in load.jobs { job.work(&core, time) }
  if load.isLast { return .last }
  mailbox.publish(core.status(at: time), next: core.nextSequence)
  return .wait(until: [load.dueAt, core.nextTick].compactMap { $0 }.min())
}

/// After the last turn: all of it on the disk, and the directory released.
func endSpool(_ core: inout SpoolCore, _ mailbox: SpoolMailbox) {
  let time = mailbox.time
  core.flush(at: time)
  for job in mailbox.endJobs() { job.work(&core, time) }
  mailbox.publish(core.status(at: time), next: core.nextSequence)
  core.close(at: time)
}
