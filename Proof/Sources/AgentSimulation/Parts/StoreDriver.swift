// SPDX-License-Identifier: MIT

import Basics
import Monitoring

import Spool

/// The store's thread, without a thread: it takes the same turns, when the mailbox rings and when one is due.
///
/// No lock: the simulator has one thread.
final class StoreDriver: @unchecked Sendable {
  private let life: Life
  private var core: SpoolCore
  private var mailbox: SpoolMailbox?
  private var isTurning = false
  private var isDue = false
  private var isOver = false
  private var deadline: Int64?
  /// Told after each turn: everything up to this sequence is on the disk.
  var recorded: (UInt64) -> Void = { _ in }

  init(_ settings: SpoolSettings, life: Life, nonce: UInt64) {
    self.life = life
    let disk = LifeDisk(files: life.machine.store.files, life: life)
    core = SpoolCore(settings: settings, nonce: nonce, at: Self.time(life.machine)) { () throws(FileFault) in
      disk
    }
    core.attach(at: Self.time(life.machine))
  }

  private static func time(_ machine: Machine) -> SpoolTime {
    let reading = machine.reading
    return SpoolTime(wall: reading.wall, monotonic: reading.boot.microseconds)
  }

  /// The store as the rest of the agent has it.
  func open(_ settings: SpoolSettings) -> ResultSpool {
    let machine = life.machine
    let mailbox = SpoolMailbox(
      settings: settings, next: core.nextSequence, status: core.status(at: Self.time(machine)),
      clock: { Self.time(machine) }, driver: { self.ring() })
    self.mailbox = mailbox
    return ResultSpool(mailbox)
  }

  /// What a start found: the numbers of the results above this one.
  func found(after sequence: UInt64) -> Set<UInt64> {
    var found: Set<UInt64> = []
    core.reader().results(after: sequence) { record, _ in
      found.insert(record.sequence)
      return true
    }
    return found
  }

  var next: UInt64 { core.nextSequence }

  /// The life ends between a ring and its turn: whoever rang is told so.
  func died() { if isDue { turn() } }

  /// The life is over, and whoever waited has been told.
  func dispose() {
    isOver = true
    mailbox = nil
    recorded = { _ in }
  }

  private func ring() {
    // Whoever waits for a dead store waits no longer.
    guard life.isAlive else { return isTurning ? () : turn() }
    guard !isDue else { return }
    isDue = true
    life.after(.microseconds(40)) { self.turn() }
  }

  private func turn() {
    isDue = false
    guard let mailbox, !isOver, !isTurning else { return }
    isTurning = true
    let next = turnSpool(&core, mailbox) {}
    isTurning = false
    if life.isAlive, case .durable = core.mode, core.held.entries.isEmpty { recorded(core.nextSequence - 1) }
    switch next {
    case .wait(let until): wait(until: until)
    case .last: end(mailbox)
    }
  }

  private func wait(until: Int64?) {
    deadline = until
    guard let until, life.isAlive else { return }
    life.at(Instant(microseconds: until)) { if self.deadline == until { self.turn() } }
  }

  private func end(_ mailbox: SpoolMailbox) {
    isOver = true
    endSpool(&core, mailbox)
    mailbox.released.open()
  }
}
