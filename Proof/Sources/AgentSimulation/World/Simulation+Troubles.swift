// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// What goes wrong, and when: each kind of trouble comes again and again, by its own dice.
extension Simulation {
  func plan() {
    every(.seconds(3600), exactly: true) { $0.sweep() }
    every(.seconds(6 * 3600 + 7), exactly: true) { simulation in
      if let agent = simulation.agent, simulation.life.isAlive, !simulation.life.isPaused {
        simulation.judgeWindows(agent)
      }
    }
    every(scenario.kills) { $0.whenAlive { $0.crash(cuts: false) } }
    every(scenario.cuts) { simulation in
      simulation.whenAlive { simulation in
        // At once, or in the middle of one of the next writes.
        if simulation.trouble.chance(2) {
          simulation.life.fuse = Int.random(in: 1...40, using: &simulation.trouble)
        } else {
          simulation.crash(cuts: true)
        }
      }
    }
    every(scenario.stops) {
      $0.whenAlive { simulation in
        simulation.figures.stops += 1
        simulation.diary.write(simulation, .stop)
        simulation.agent?.terminate()
        simulation.clock.settle()
      }
    }
    every(scenario.pauses) { $0.pause() }
    every(scenario.clockSteps) { $0.stepClock() }
    every(scenario.backend) { $0.troubleBackend() }
    every(scenario.pager) { $0.troublePager() }
    every(scenario.disk) { $0.troubleDisk() }
    every(scenario.reloads) { $0.reload() }
    planCrowds()
    every(.seconds(60), exactly: true) { $0.look() }
    every(scenario.edits) { $0.editList() }
    every(scenario.discovery) { $0.editTargets() }
    every(scenario.uplink) { $0.cutUplink() }
    every(scenario.gateway) { $0.failGateway() }
    planOrders()
  }

  private func every(_ mean: Duration?, exactly: Bool = false, _ action: @escaping (Simulation) -> Void) {
    guard let mean else { return }
    clock.after(exactly ? mean : trouble.about(mean)) { [unowned self] in
      if !isEnding || exactly { action(self) }
      every(mean, exactly: exactly, action)
    }
  }

  private func whenAlive(_ action: (Simulation) -> Void) {
    if life.isAlive, !life.isPaused, agent != nil { action(self) }
  }

  /// SIGSTOP, a suspended machine, a host that has no time for its guest.
  private func pause() {
    whenAlive { _ in
      figures.pauses += 1
      let length = trouble.time(.seconds(1) ... .seconds(trouble.pick([20, 900, 10_800])))
      diary.write(self, .pause(length))
      let paused = life
      paused.pause()
      clock.after(length) { [unowned self] in
        guard paused === life, paused.isAlive else { return }
        slots.resumed(now: clock.now)
        resumed = clock.now
        hinder(.zero)
        diary.write(self, .resume)
        paused.resume()
      }
    }
  }

  private func stepClock() {
    let step = trouble.time(.seconds(-5000) ... .seconds(5000))
    diary.write(self, .clock(step))
    clockWasSet = true
    machine.offset += step.microseconds
    slots.clockStepped(now: clock.now)
    life.wake()
  }

  private func troubleBackend() {
    guard backend.mood == .well else { return }
    backend.mood = Backend.Mood.allCases.randomElement(using: &trouble) ?? .refusing
    let length = trouble.time(
      .seconds(30) ... .seconds(trouble.pick([600, 3600, scenario.hasSmallStore ? 40_000 : 14_400])))
    if trouble.chance(6) { backend.unwanted = trouble.pick(setup.checks).id }
    diary.write(self, .backend("\(backend.mood)", length))
    free.backend = max(free.backend, clock.now + length + .seconds(1800))
    clock.after(length) { [unowned self] in
      backend.mood = .well
      backend.unwanted = nil
      diary.write(self, .backend("well", .zero))
    }
  }

  private func troublePager() {
    guard pager.mood == .well else { return }
    pager.mood = Pager.Mood.allCases.randomElement(using: &trouble) ?? .refusing
    let length = trouble.time(.seconds(30) ... .seconds(trouble.pick([600, 7200])))
    alerts.troubled()
    diary.write(self, .pager("\(pager.mood)", length))
    // And until the next try of what failed.
    hinder(length + .seconds(400))
    clock.after(length) { [unowned self] in
      pager.mood = .well
      alerts.troubled()
    }
  }

  private func troubleDisk() {
    let (operation, code): (String, Int32) = trouble.pick([
      ("write", 5), ("sync", 5), ("write", 28), ("reserve", 28), ("rename", 5),
    ])
    let length = trouble.time(.seconds(1) ... .seconds(trouble.pick([10, 600])))
    diary.write(self, .disk(operation, length))
    machine.store.files.fail(operation, code, count: trouble.chance(2) ? 1 : -1)
    diskFailsUntil = clock.now + length + .seconds(90)
    let takesFiles = !trouble.chance(2)
    machine.filesFailUntil = clock.now + (takesFiles ? .zero : length)
    if !takesFiles {
      let start = filesFail.contains(clock.now) ? filesFail.lowerBound : clock.now
      filesFail = start...max(filesFail.upperBound, clock.now + length + .seconds(60))
    }
    alerts.troubled()
    hinder(length + .seconds(120))
    free.list = max(free.list, clock.now + length + .seconds(120))
    free.source = max(free.source, clock.now + length + .seconds(120))
    clock.after(length) { [unowned self] in
      machine.store.files.heal()
      diary.write(self, .disk("nothing", .zero))
    }
  }

  /// Checks come, go, come back, and get other intervals.
  private func reload() {
    var checks = setup.checks
    let place = Int.random(in: 0..<checks.count, using: &trouble)
    let old = checks[place]
    switch Int.random(in: 0..<3, using: &trouble) {
    case 0 where checks.count > 6: checks.remove(at: place)
    case 1:
      let back = scenario.setup.checks.first { check in !checks.contains { $0.id == check.id } }
      if let back { checks.append(back) }
    default:
      if let other = old.every(trouble.pick([.seconds(60), .seconds(120), .seconds(600)])),
        other.interval != old.interval
      {
        checks[place] = other
      }
    }
    setup.checks = checks
    diary.write(self, .reload(checks.count))
    let remote = (lists?.known ?? []).map(\.id)
    alerts.keep(Set(checks.map(\.id) + remote), wall: wall)
    guard life.isAlive, agent != nil else { return }
    if life.isPaused { return crash(cuts: false) }
    agent?.reload(setup)
    clock.settle()
  }

  /// No trouble from here on.
  func heal() {
    isEnding = true
    targets.isHealed = true
    backend.mood = .well
    backend.unwanted = nil
    pager.mood = .well
    backend.list?.mood = .well
    directory.mood = .well
    endCrowds()
    machine.store.files.heal()
    machine.filesFailUntil = Instant(nanoseconds: 0)
    life.fuse = nil
    if life.isPaused {
      slots.resumed(now: clock.now)
      life.resume()
      clock.settle()
    }
    diary.write(self, .healed)
  }
}

extension MonitoringCheck {
  /// The same at another pace.
  fileprivate func every(_ interval: Duration) -> MonitoringCheck? {
    var definition = CheckDefinition(self)
    definition.interval = interval
    if let failing = definition.plan.intervalFailing, failing >= interval {
      definition.plan.intervalFailing = nil
    }
    return try? MonitoringCheck(definition)
  }
}
