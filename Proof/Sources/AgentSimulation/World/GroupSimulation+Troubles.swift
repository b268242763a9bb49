// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// What goes wrong, and when.
extension GroupSimulation {
  func plan() {
    every(.seconds(60), exactly: true) { $0.sweep() }
    every(.seconds(5), exactly: true) { $0.look() }
    clock.after(.seconds(200)) { [unowned self] in every(scenario.meanTrouble) { $0.trouble($0.pick()) } }
    every(.seconds(700)) { [unowned self] _ in copy = store.content }
    planCrowds()
  }

  private func every(_ mean: Duration, exactly: Bool = false, _ action: @escaping (GroupSimulation) -> Void) {
    clock.after(exactly ? mean : trouble.about(mean)) { [unowned self] in
      if !isEnding || exactly { action(self) }
      every(mean, exactly: exactly, action)
    }
  }

  private func pick() -> GroupScenario.Trouble { trouble.pick(scenario.troubles) }

  private func trouble(_ kind: GroupScenario.Trouble) {
    switch kind {
    case .kill: one { crash($0, cuts: trouble.chance(4)) }
    case .stop: one { terminate($0) }
    case .pause: one { pause($0) }
    case .cutFromStore: one { cut($0) }
    case .cutFromBackend: one { cutFromBackend($0) }
    case .away:
      storeGoes(trouble.chance(3) ? .refusing : .away, for: trouble.time(.seconds(1)...scenario.ttl * 7))
    case .locked: storeGoes(.locked, for: trouble.time(.seconds(1)...scenario.ttl * trouble.pick([1, 5])))
    case .full: storeGoes(.full, for: trouble.time(.seconds(20) ... .seconds(180)))
    case .slow: slow()
    case .leader: changeLeader()
    case .leaderAndKill:
      one { crash($0, cuts: false) }
      clock.after(trouble.time(.zero...scenario.ttl)) { [unowned self] in changeLeader() }
    case .wipe: lose("is wiped") { $0.wipe() }
    case .restore:
      guard let copy else { return }
      let isNew = trouble.chance(2)
      lose("is set back\(isNew ? ", as another one" : "")", isCopy: true) {
        $0.restore(copy, isNewCluster: isNew)
      }
    case .compact: compact()
    case .deafen: one { deafen($0) }
    case .rolling: roll(seats[...])
    case .joinAndDie: one { joinAndDie($0) }
    case .dieInTheDark: one { dieInTheDark($0) }
    case .joinUnread: one { joinUnread($0) }
    case .blackout: blackout()
    case .targets: sour()
    case .pager: one { troublePager($0) }
    }
  }

  /// One that does nothing special so far.
  func one(_ action: (GroupSeat) -> Void) {
    let seat = trouble.pick(seats)
    if seat.isRunning { action(seat) }
  }

  /// SIGSTOP, or a suspended machine; sometimes while the store's word is on its way, and of those some find no network
  /// when they wake up.
  private func pause(_ seat: GroupSeat) {
    guard trouble.chance(2) else { return stand(seat) }
    let isLost = trouble.chance(3)
    seat.room.way.atRenewal = { [unowned self, unowned seat] in
      if seat.isRunning, !isEnding { stand(seat, andIsLost: isLost) }
    }
  }

  private func stand(_ seat: GroupSeat, andIsLost isLost: Bool = false) {
    figures.pauses += 1
    let length = trouble.time(.milliseconds(300)...scenario.ttl * trouble.pick([1, 2, 6]))
    if isLost {
      // What was on its way has arrived by then.
      clock.after(max(.milliseconds(200), length - .milliseconds(50))) { [unowned self] in
        if seat.life.isPaused { cut(seat) }
      }
    }
    write(seat, "stands still for \(length)")
    absent(seat, .down(seat.index))
    incidents.ended(seat.index, now: clock.now)
    let paused = seat.life
    paused.pause()
    noteAbsence()
    clock.after(length) { [unowned self] in
      guard paused === seat.life, paused.isAlive else { return }
      write(seat, "goes on")
      present(seat)
      disturbances.note(.other, at: clock.now)
      seat.resumed()
      noteAbsence()
      clock.after(.milliseconds(600)) { [unowned self] in judgeLease(seat) }
    }
  }

  private func cut(_ seat: GroupSeat) {
    let how = trouble.pick(["requests", "answers", "both ways", "large answers"])
    cut(seat, how: how, for: trouble.time(.seconds(1)...scenario.ttl * trouble.pick([1, 6])))
  }

  func cut(_ seat: GroupSeat, how: String, for length: Duration) {
    let way = seat.room.way
    write(seat, "is cut from the store, \(how), for \(length)")
    (way.losesRequests, way.losesAnswers) = (
      how == "requests" || how == "both ways", how == "answers" || how == "both ways"
    )
    way.losesLargeAnswers = how == "large answers"
    let number = disturbances.begin(.store(seat.index), at: clock.now)
    let outage = incidents.outages.begin(seat.index, at: clock.now)
    clock.after(length) { [unowned self] in
      incidents.outages.end(outage, at: clock.now)
      way.heal()
      store.reopen(way)
      write(seat, "reaches the store again")
      disturbances.end(number, at: clock.now)
      disturbances.note(.deaf, at: clock.now)
    }
  }

  private func troublePager(_ seat: GroupSeat) {
    guard seat.pager.mood == .well else { return }
    seat.pager.mood = trouble.pick([.refusing, .mute, .slow])
    let length = trouble.time(.seconds(10) ... .seconds(300))
    write(seat, "its receiver of messages is \(seat.pager.mood) for \(length)")
    // Who could not tell waits about as long again.
    incidents.deafUntil = max(incidents.deafUntil, clock.now + length * 3 + .seconds(60))
    clock.after(length) { seat.pager.mood = .well }
  }

  private func cutFromBackend(_ seat: GroupSeat) {
    let length = trouble.time(.seconds(30) ... .seconds(600))
    write(seat, "is cut from the backend for \(length)")
    seat.way.isCut = true
    clock.after(length) { seat.way.isCut = false }
  }

  func storeGoes(_ mood: LeaseStore.Mood, for length: Duration) {
    guard store.mood == .well else { return }
    diary.write(wall, .of("store", "is \(mood.rawValue) for \(length)"))
    let number = disturbances.begin(.store(nil), at: clock.now)
    let outage = incidents.outages.begin(nil, at: clock.now)
    store.set(mood)
    clock.after(length) { [unowned self] in
      incidents.outages.end(outage, at: clock.now)
      disturbances.end(number, at: clock.now)
      if mood != .full { disturbances.note(.leader, at: clock.now) }
      disturbances.note(.deaf, at: clock.now)
      store.set(.well)
      diary.write(wall, .of("store", "is well"))
    }
  }

  private func slow() {
    guard !store.isSlow else { return }
    let length = trouble.time(.seconds(20) ... .seconds(120))
    diary.write(wall, .of("store", "is slow for \(length)"))
    let number = disturbances.begin(.store(nil), at: clock.now)
    store.isSlow = true
    clock.after(length) { [unowned self] in
      store.isSlow = false
      disturbances.end(number, at: clock.now)
    }
  }

  private func changeLeader() {
    diary.write(wall, .of("store", "has a new leader"))
    disturbances.note(.leader, at: clock.now)
    store.changeLeader()
  }

  private func lose(_ words: String, isCopy: Bool = false, _ how: (LeaseStore) -> Void) {
    diary.write(wall, .of("store", words))
    disturbances.note(.store(nil), at: clock.now)
    disturbances.note(.leader, at: clock.now)
    disturbances.note(.deaf, at: clock.now)
    how(store)
    incidents.lost(isCopy: isCopy, now: clock.now)
  }

  func deafen(_ seat: GroupSeat) {
    write(seat, "hears nothing more of its watch")
    let number = disturbances.begin(.deaf, at: clock.now)
    store.deafen(seat.room.way)
    // It asks again by then.
    clock.after(.seconds(120)) { [unowned self] in disturbances.end(number, at: clock.now) }
  }

  /// What is probed fails for a while, so that there are incidents.
  private func sour() {
    targets.fail(trouble.pick(scenario.checks).id, for: trouble.time(.seconds(60) ... .seconds(900)))
  }

  /// No trouble from here on.
  func heal() {
    isEnding = true
    targets.isHealed = true
    disturbances.note(.other, at: clock.now)
    diary.write(wall, .healed)
  }
}
