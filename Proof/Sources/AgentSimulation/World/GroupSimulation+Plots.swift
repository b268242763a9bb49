// SPDX-License-Identifier: MIT

import Basics

/// What goes wrong at once, or one after the other.
extension GroupSimulation {
  /// One after the other, as an update does it.
  func roll(_ rest: ArraySlice<GroupSeat>) {
    guard let seat = rest.first, !isEnding else { return }
    if seat.isRunning { terminate(seat) }
    clock.after(trouble.time(.seconds(8) ... .seconds(25))) { [unowned self] in roll(rest.dropFirst()) }
  }

  func joinAndDie(_ seat: GroupSeat) {
    crash(seat, cuts: false, restart: false)
    clock.after(scenario.ttl * 2) { [unowned self] in
      begin(seat)
      clock.after(trouble.time(.milliseconds(3) ... .milliseconds(300))) { [unowned self] in
        if seat.isRunning { crash(seat, cuts: false) }
      }
    }
  }

  /// Nobody is told of the death, for the store is away by then: only a standby helps.
  func dieInTheDark(_ seat: GroupSeat) {
    crash(seat, cuts: false, restart: false)
    clock.after(trouble.time(.zero...scenario.ttl)) { [unowned self] in
      storeGoes(.away, for: trouble.time(scenario.ttl * 5...scenario.ttl * 12))
    }
    clock.after(trouble.time(scenario.ttl * 6...scenario.ttl * 14)) { [unowned self] in begin(seat) }
  }

  /// It has a name in the group, and cannot read who else is there: the others go on with what is to be its own.
  func joinUnread(_ seat: GroupSeat) {
    crash(seat, cuts: false, restart: false)
    clock.after(scenario.ttl * 2) { [unowned self] in
      guard !seat.isUp else { return }
      let length = trouble.time(scenario.ttl * 2...scenario.ttl * 12)
      cut(seat, how: "large answers", for: length)
      let number = disturbances.begin(.unread(seat.index), at: clock.now)
      clock.after(length) { [unowned self] in disturbances.end(number, at: clock.now) }
      begin(seat)
    }
  }

  /// What nobody watches any more is forgotten. Sometimes connections end just then, and somebody restarts: what comes
  /// between two watches is forgotten, too.
  func compact() {
    diary.write(wall, .of("store", "compacts"))
    store.compact()
    switch trouble.pick([0, 1, 2, 3]) {
    case 0, 1: one { deafen($0) }
    case 2:
      one { terminate($0) }
      disturbances.note(.deaf, at: clock.now)
      store.endWatches()
      for number in 1...40 {
        clock.after(.milliseconds(100) * number) { [unowned self] in store.compact() }
      }
    default: break
    }
  }

  func blackout() {
    guard seats.allSatisfy(\.isRunning) else { return }
    if trouble.chance(2) { storeGoes(.away, for: trouble.time(.seconds(5) ... .seconds(90))) }
    for seat in seats { crash(seat, cuts: trouble.chance(2)) }
  }
}
