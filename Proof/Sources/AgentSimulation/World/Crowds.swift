// SPDX-License-Identifier: MIT

import Basics

// Slow peers and full budgets: who holds a body, and who has no room for one. They have dice of their own.

/// What is slow, or narrow, for a while.
enum Crowd: CaseIterable {
  /// Few answers may be under way at once, and a probe waits for its place.
  case narrow
  /// The same, and a probe comes again later.
  case postponing
  /// No answer may be under way, for something else holds all of the memory.
  case full
  /// Targets give their bodies byte by byte.
  case targets
  /// Those, with little room besides: they hold what others wait for.
  case both
  /// The receiver of results, or the store in which a group meets.
  case receiver
}

extension Crowd {
  /// What it is to a group.
  fileprivate var disturbance: Disturbances.Kind {
    switch self {
    case .narrow, .postponing, .full, .both: .crowded
    case .targets: .other
    case .receiver: .store(nil)
    }
  }
}

extension AnswerRoom {
  /// - Parameter patience: how long a probe waits for its place.
  func narrow(_ crowd: Crowd, patience: Duration) {
    switch crowd {
    case .narrow, .both: (places, self.patience) = (1, patience)
    case .postponing: (places, self.patience) = (1, nil)
    case .full: (places, self.patience) = (0, patience)
    case .targets, .receiver: break
    }
  }

  func widen() { places = AnswerRoom.many }
}

extension Simulation {
  func planCrowds() {
    if !crowding.chance(3) { planCrowd() }
  }

  private func planCrowd() {
    clock.after(crowding.about(.seconds(8 * 3600))) { [unowned self] in
      if !isEnding { crowd() }
      planCrowd()
    }
  }

  private func crowd() {
    guard let agent, life.isAlive, !life.isPaused else { return }
    let kind = crowding.pick(Crowd.allCases)
    let length = crowding.time(.seconds(20) ... .seconds(crowding.pick([120, 900])))
    diary.write(self, .crowd("\(kind)", length))
    agent.room.narrow(kind, patience: .seconds(crowding.pick([2, 20, 90])))
    targets.areSlow = kind == .targets || kind == .both
    backend.isDripping = kind == .receiver
    crowdedUntil = max(crowdedUntil, clock.now + length + .seconds(120))
    if kind == .receiver { free.backend = max(free.backend, clock.now + length + .seconds(1800)) }
    clock.after(length) { [unowned self] in endCrowds() }
  }

  func endCrowds() {
    agent?.room.widen()
    (targets.areSlow, backend.isDripping) = (false, false)
  }
}

extension GroupSimulation {
  func planCrowds() {
    clock.after(crowding.about(.seconds(900))) { [unowned self] in
      if !isEnding { crowd() }
      planCrowds()
    }
  }

  private func crowd() {
    let (seat, kind) = (crowding.pick(seats), crowding.pick(Crowd.allCases))
    guard seat.isRunning, let agent = seat.agent else { return }
    let length = crowding.time(.seconds(10) ... .seconds(120))
    write(seat, "\(kind) for \(length)")
    // A run that waits longer than it may last answers for no slot.
    agent.room.narrow(kind, patience: .seconds(1))
    if kind == .targets || kind == .both { targets.areSlow = true }
    let number = disturbances.begin(kind.disturbance, at: clock.now)
    let outage = kind == .receiver ? incidents.outages.begin(nil, at: clock.now) : nil
    if kind == .receiver { (store.isDripping, backend.isDripping) = (true, true) }
    clock.after(length) { [unowned self] in
      agent.room.widen()
      (targets.areSlow, store.isDripping, backend.isDripping) = (false, false, false)
      if let outage { incidents.outages.end(outage, at: clock.now) }
      disturbances.end(number, at: clock.now)
      write(seat, "has room again")
    }
  }
}
