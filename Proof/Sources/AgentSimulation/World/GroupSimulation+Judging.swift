// SPDX-License-Identifier: MIT

import Basics
import Groups
import Spool

/// What is held against the rules from time to time, and at the end.
extension GroupSimulation {
  func look() {
    let pictures = seats.filter(\.isRunning).compactMap { picture($0) }
    hold(placement.judgeAll(pictures, isFull: store.mood == .full, now: clock.now))
    hold(placement.judgeBlind(pictures, now: clock.now))
    for seat in seats {
      judgeLease(seat)
      hold(load.judge(seat.index, seat.name, watches: seat.room.way.watches))
    }
    guard disturbances.isCalm(from: clock.now, to: clock.now) else { return }
    calmLooks += 1
    hold(placement.judge(pictures, newest: store.content.revision))
  }

  private func picture(_ seat: GroupSeat) -> PlacementRules.Picture? {
    guard let runner = seat.agent?.member else { return nil }
    let (status, placed) = (runner.status, runner.placed)
    return PlacementRules.Picture(
      seat: seat.index, name: seat.name, lives: seat.since.duration(to: clock.now),
      isInside: status.isInside, isAlone: status.alone != nil,
      canRead: !seat.room.way.losesLargeAnswers, hasRival: status.journal.rival != nil,
      view: status.view, held: status.assignment.held, standingIn: status.assignment.standingIn,
      total: status.assignment.total,
      owners: Dictionary(uniqueKeysWithValues: placed.map { ($0.id, $0.owner) }),
      runs: Set(placed.filter(\.isHere).map(\.id)))
  }

  /// It has had a moment to look at its clock.
  func judgeLease(_ seat: GroupSeat) {
    guard seat.isRunning, seat.since.duration(to: clock.now) > .milliseconds(450),
      let status = seat.agent?.member?.status
    else { return }
    let start = seat.life.began
    hold(
      LeaseRules(ttl: scenario.ttl).judge(
        seat.name, proof: max(seat.room.way.proof ?? start, start), isAlone: status.alone != nil,
        now: clock.now))
  }

  func sweep() {
    hold(coverage.judge(now: clock.now, disturbances))
    hold(incidents.judge(now: clock.now) { disturbances.isCalm(from: $0, to: $1) })
    disturbances.forget(before: clock.now - .seconds(1800))
    for seat in seats {
      seat.sweep()
      figures.mostSleepers = max(figures.mostSleepers, seat.life.sleeping)
      figures.mostBytes = max(
        figures.mostBytes, GrowthRules.bytes(seat.machine) + GrowthRules.stateBytes(seat.machine))
    }
    figures.mostEvents = max(figures.mostEvents, clock.pending)
    if clock.pending > 20_000 { hold((.growth, "\(clock.pending) events are to come")) }
    if store.watches.count > 6 * seats.count { hold((.growth, "\(store.watches.count) watches are open")) }
  }

  /// All has been well for a while: what was recorded is there.
  func judgeEnd() {
    sweep()
    hold(incidents.judgeEnd())
    for seat in seats {
      guard let agent = seat.agent, seat.isRunning else {
        return hold((.ends, "\(seat.name) does not live at the end"))
      }
      let missing = seat.ledger.missing { seat.ledger[$0].map { rows.has($0.check, $0.slot) } ?? true }
        .filter { $0.startedAt.duration(to: seat.machine.reading.wall) > .seconds(600) }
      let counted = agent.spool.status().lostInGaps
      guard missing.count > counted else { continue }
      let first = missing.first.map { "the first is of \($0.slot)" } ?? ""
      hold(
        (
          .lost,
          "\(missing.count) results that \(seat.name) recorded have not arrived, \(counted) are counted; \(first)"
        ))
    }
  }
}
