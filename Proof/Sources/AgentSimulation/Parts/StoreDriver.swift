// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Spool

/// The store's thread, without a thread: it takes the same turns, when the mailbox rings and when one is due.
///
/// No lock: the simulator has one thread.
final class StoreDriver: @unchecked Sendable {
  private let life: Life
  private var store: TurnedSpool?
  /// The store as the rest of the agent has it.
  let spool: ResultSpool
  private var isTurning = false
  private var isDue = false
  private var isOver = false
  private var deadline: Int64?
  /// Told after each turn: everything up to this sequence is on the disk.
  var recorded: (UInt64) -> Void = { _ in }

  init(_ settings: SpoolSettings, life: Life, nonce: UInt64) {
    self.life = life
    let (machine, disk) = (life.machine, LifeDisk(files: life.machine.store.files, life: life))
    let bell = Bell()
    let store = TurnedSpool(settings, nonce: nonce, clock: { machine.reading }, ring: { bell.owner?.ring() })
    {
      () throws(FileFault) in disk
    }
    (self.store, spool) = (store, store.spool)
    bell.owner = self
  }

  /// Rings the driver of a store that is made before it.
  ///
  /// No lock: the simulator has one thread.
  private final class Bell: @unchecked Sendable {
    weak var owner: StoreDriver?
  }

  /// What a start found: the numbers of the results above this one.
  func found(after sequence: UInt64) -> Set<UInt64> { store?.results(after: sequence) ?? [] }

  var next: UInt64 { store?.next ?? 0 }

  /// The life ends between a ring and its turn: whoever rang is told so.
  func died() { if isDue { turn() } }

  /// The life is over, and whoever waited has been told.
  func dispose() {
    isOver = true
    store = nil
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
    guard let store, !isOver, !isTurning else { return }
    isTurning = true
    let next = store.turn()
    isTurning = false
    if life.isAlive, store.isSettled { recorded(store.next - 1) }
    switch next {
    case .wait(let until): wait(until: until)
    case .last: end(store)
    }
  }

  private func wait(until: Int64?) {
    deadline = until
    guard let until, life.isAlive else { return }
    life.at(Instant(microseconds: until)) { if self.deadline == until { self.turn() } }
  }

  private func end(_ store: TurnedSpool) {
    isOver = true
    store.end()
  }
}
