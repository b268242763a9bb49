// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A store without a thread of its own: its owner gives it a turn when it rings, and when one is due. For a world in which
/// everything happens in one order.
package final class TurnedSpool {
  private var core: SpoolCore
  private let mailbox: SpoolMailbox
  /// The store as the rest of an agent has it.
  package let spool: ResultSpool

  /// - Parameters:
  ///   - nonce: of the segments that this life begins.
  ///   - ring: called when a turn is asked for, in the middle of other work: it may take none at once.
  package init(
    _ settings: SpoolSettings, nonce: UInt64, clock: @escaping @Sendable () -> ClockReading,
    ring: @escaping @Sendable () -> Void,
    open: @escaping @Sendable () throws(FileFault) -> any SpoolFileSystem
  ) {
    core = SpoolCore(settings: settings, nonce: nonce, at: SpoolTime(clock()), open: open)
    core.attach(at: SpoolTime(clock()))
    mailbox = SpoolMailbox(
      settings: settings, next: core.nextSequence, status: core.status(at: SpoolTime(clock())),
      clock: { SpoolTime(clock()) }, driver: ring)
    spool = ResultSpool(mailbox)
  }

  package var next: UInt64 { core.nextSequence }

  /// Everything that was given to it is on the disk.
  package var isSettled: Bool {
    if case .durable = core.mode { core.held.entries.isEmpty } else { false }
  }

  /// Sequences of the results above this one.
  package func results(after sequence: UInt64) -> Set<UInt64> {
    var found: Set<UInt64> = []
    core.reader().results(after: sequence) { record, _ in
      found.insert(record.sequence)
      return true
    }
    return found
  }

  /// - Returns: what comes next.
  package func turn() -> SpoolTurn { turnSpool(&core, mailbox) }

  /// After the last turn.
  package func end() {
    endSpool(&core, mailbox)
    mailbox.released.open()
  }
}

extension SpoolTime {
  fileprivate init(_ reading: ClockReading) {
    self.init(wall: reading.wall, monotonic: reading.boot.microseconds)
  }
}
