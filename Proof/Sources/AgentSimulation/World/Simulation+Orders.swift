// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Monitoring

/// Orders by hand, at random times: of people who look at what was told, and of others.
extension Simulation {
  func planOrders() {
    guard let mean = scenario.orders else { return }
    clock.after(ordering.about(mean)) { [unowned self] in
      if !isEnding { order() }
      planOrders()
    }
  }

  private func order() {
    guard life.isAlive, !life.isPaused, agent?.orders != nil else { return }
    give(draw())
    // At once a second one, or the end of the process.
    if ordering.chance(3) { give(draw()) }
    if ordering.chance(4) {
      let doomed = life
      clock.after(ordering.time(.zero ... .milliseconds(ordering.pick([2, 6, 40_000])))) { [unowned self] in
        if life === doomed, life.isAlive, !life.isPaused, agent != nil { crash(cuts: ordering.chance(2)) }
      }
    }
  }

  private func draw() -> OperatorWish {
    let standing = orders.orders.filter { $0.lifted == nil && $0.until > wall }
    switch ordering.pick([0, 0, 1, 1, 1, 2, 3]) {
    case 0 where !tells.open.isEmpty:
      return OperatorWish(.acknowledge(incident: ordering.pick(tells.open).description), by: "ops")
    case 2 where !standing.isEmpty:
      let order = ordering.pick(standing)
      return OperatorWish(
        order.isMute ? .unmute(id: order.target.text) : .endMaintenance(id: order.target.text))
    case 3:
      return OperatorWish(
        .startMaintenance(
          target: target(isMute: false), length: ordering.time(.seconds(300) ... .seconds(3600)),
          skip: ordering.chance(3)))
    default:
      let length = ordering.time(.seconds(60) ... .seconds(ordering.pick([600, 3600, 10_800])))
      return OperatorWish(.mute(target: target(isMute: true), length: length), by: "ops")
    }
  }

  /// What is down, or anything; never what has an order of the kind already.
  private func target(isMute: Bool) -> OperatorTarget {
    if isMute, ordering.chance(6) { return ordering.pick([.everything, .tag("odd"), .tag("even")]) }
    let down = tells.down
    let checks = down.isEmpty || ordering.chance(3) ? inForce : down
    return checks.isEmpty ? .everything : .check(ordering.pick(checks).name)
  }

  private func give(_ wish: OperatorWish) {
    guard let agent, life.isAlive, !orders.hasOne(like: wish, at: wall) else { return }
    diary.write(self, .order("\(wish.kind)"))
    figures.orders += 1
    var covered: Set<UniqueID> = []
    if case .acknowledge(let word) = wish.kind, let incident = UniqueID(word) {
      covered = tells.covered(by: incident, now: clock.now)
      tells.acknowledged(incident)
    }
    let number = orders.ask(wish, at: wall, covered: covered)
    agent.act(wish) { [unowned self] in answered(number, $0, to: wish, by: agent) }
    clock.settle()
  }

  private func answered(
    _ number: Int, _ answer: OperatorAnswer, to wish: OperatorWish, by agent: SimulatedAgent
  ) {
    diary.write(self, .order("\(answer)"))
    guard let book = agent.orders else { return }
    if case .acknowledge(let word) = wish.kind, let incident = UniqueID(word) {
      tells.acknowledged(incident)
    }
    let found = orders.answer(number, answer, book, at: wall)
    if !clockWasSet { hold(found) }
  }
}

/// What people are told, and what the agent takes from elsewhere.
extension Simulation {
  /// From now on, or once it is over, messages get to people.
  func hinder(_ length: Duration) {
    free.people = max(free.people, clock.now + length)
    free.backend = max(free.backend, clock.now)
    free.list = max(free.list, clock.now)
    free.source = max(free.source, clock.now)
  }

  func told(_ message: AlertMessage) {
    let found = tells.arrived(message, orders, isLate: clock.now < max(resumed + .seconds(60), free.people))
    if message.kind == .recovered { orders.isOver(message.incident) }
    if !clockWasSet { hold(found) }
  }

  func tookList(_ checks: [MonitoringCheck]) {
    guard let known = lists?.known else { return }
    let ids = Set(known.map(\.id))
    let list = checks.filter { ids.contains($0.id) }.map {
      RemoteList.Listed(id: $0.id, interval: $0.interval)
    }
    let isWritten = !filesFail.contains(clock.now)
    hold(lists?.took(Set(list), isWritten: isWritten))
  }

  /// Every minute.
  func look() {
    guard let agent, life.isAlive, !life.isPaused, let book = agent.orders else { return }
    lookAtLists()
    guard !clockWasSet else { return }
    hold(orders.judge(book, at: wall))
    orders.forget(before: wall)
    let since = wall.advanced(by: .zero - TellRules.patience - .seconds(60))
    let plan = MaintenancePlan(setup.windows, checks: inForce)
    // A run that was under way when its check was removed ends after it, and has no message.
    let running = Set(inForce.map(\.id))
    hold(
      tells.owed(now: clock.now, free: free.people) { [orders, wall] check in
        !running.contains(check.id) || orders.mayHold(check, from: since, through: wall)
          || !plan.active(check.id, from: since, through: wall).isEmpty
      })
  }

  private func lookAtLists() {
    guard !clockWasSet else { return }
    hold(lists?.judge(now: clock.now, free: max(free.backend, free.list)))
    if backend.list != nil, areResourcesKnown {
      hold(resources.judge(backend.resources, now: clock.now, free: free.backend + .seconds(3600)))
    }
    guard let name = setup.discover.first?.cacheName, let bytes = machine.files[name] else { return }
    let kept = (try? TargetList(json: bytes))?.targets.map(\.address) ?? []
    hold(discovered?.took(Set(kept), isWritten: true))
    hold(discovered?.judge(now: clock.now, free: free.source))
  }
}

/// What happens to the lists, to the uplink and to what others depend on.
extension Simulation {
  func editList() {
    guard let list = backend.list else { return }
    guard !ordering.chance(3) else { return failList(list) }
    let words = list.edit()
    figures.edits += 1
    diary.write(self, .edit("in the API \(words)"))
    lists?.changed(to: list.listed, now: clock.now)
  }

  private func failList(_ list: RemoteList) {
    guard list.mood == .well else { return }
    list.mood = ordering.pick(RemoteList.Mood.allCases)
    let length = ordering.time(.seconds(60) ... .seconds(500))
    free.list = max(free.list, clock.now + length)
    diary.write(self, .edit("the API's list is \(list.mood) for \(length)"))
    clock.after(length) { list.mood = .well }
  }

  func editTargets() {
    if ordering.chance(2) {
      guard directory.mood == .well else { return }
      directory.mood = ordering.pick(Directory.Mood.allCases)
      let length = ordering.time(.seconds(60) ... .seconds(500))
      free.source = max(free.source, clock.now + length)
      diary.write(self, .edit("the source of targets is \(directory.mood) for \(length)"))
      clock.after(length) { [directory] in directory.mood = .well }
    } else {
      directory.edit()
      figures.edits += 1
      discovered?.changed(to: directory.targets, now: clock.now)
    }
  }

  func cutUplink() {
    guard !targets.areCutOff else { return }
    let length = ordering.time(.seconds(60) ... .seconds(1800))
    diary.write(self, .edit("the uplink is down for \(length)"))
    targets.areCutOff = true
    clock.after(length) { [targets] in targets.areCutOff = false }
  }

  /// What others depend on fails, and they with it, some of them a moment before.
  func failGateway() {
    let parents = Set(setup.parents.values)
    let length = ordering.time(.seconds(120) ... .seconds(2400))
    diary.write(self, .edit("what others depend on is down for \(length)"))
    for check in setup.checks where parents.contains(check.name) || setup.parents[check.name] != nil {
      let isSpared = setup.parents[check.name] != nil && ordering.chance(4)
      if !isSpared { targets.fail(check.id, for: length) }
    }
  }
}
