// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring

/// The writer: groups of results, then jobs, then what time demands; and again until the mailbox closes.
func runSpool(_ core: consuming SpoolCore, _ mailbox: SpoolMailbox, wakeUploader: @Sendable () -> Void) {
  var core = core
  while true {
    let load = mailbox.take(at: SpoolTime.now.monotonic)
    let time = SpoolTime.now
    if !load.results.isEmpty || load.overflow != nil {
      let isRecorded = core.record(load.results.map(\.entry), overflow: load.overflow, at: time)
      // Before anyone who waited can ask.
      mailbox.publish(core.status(at: time), next: core.nextSequence)
      for result in load.results { result.waiter?.resume(returning: isRecorded) }
      if load.results.contains(where: \.entry.deliverable) { wakeUploader() }
    }
    core.tick(at: time)
    for job in load.jobs { job.work(&core, time) }
    if load.isLast { break }
    mailbox.publish(core.status(at: time), next: core.nextSequence)
    let deadlines = [load.dueAt, core.nextTick].compactMap { $0 }
    mailbox.wait(until: deadlines.min())
  }
  let time = SpoolTime.now
  core.flush(at: time)
  for job in mailbox.endJobs() { job.work(&core, time) }
  mailbox.publish(core.status(at: time), next: core.nextSequence)
  core.close(at: time)
  mailbox.turn.end()
  for closer in mailbox.takeClosers() { closer.resume() }
}
