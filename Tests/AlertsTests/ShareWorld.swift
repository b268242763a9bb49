// SPDX-License-Identifier: MIT

import Basics
import Monitoring

@testable import Alerts

/// Some agents of a group under one clock: which agent runs which check is in the test's hand, the store is a dictionary that
/// takes changes as etcd does. The first agent that lives notifies, unless the test says otherwise.
struct ShareWorld {
  private struct Agent {
    var book: AlertBook
    var isDead = false
    /// What was written last, when there was something to write.
    var disk: [UInt8]?
  }

  /// As the store has it.
  struct Stored {
    var value: [UInt8]
    var changed: Int64
  }

  private var checks: [MonitoringCheck]
  private var agents: [Agent]
  private var owners: [UniqueID: Int] = [:]
  private var assistants: Set<UniqueID> = []
  private var now: Int64 = 0
  private(set) var store: [UniqueID: Stored] = [:]
  private var revision: Int64 = 10
  private var worldID: UInt64 = 1
  private var settings: AlertSettings
  private let writer = MessageWriter(agent: "test", region: nil, pageURL: nil)
  var isAway = false
  /// Agents that stand still.
  var asleep: Set<Int> = []
  /// Agents whose name another one has: they never read the store.
  var outside: Set<Int> = []
  /// The agents that take it for theirs to notify; `nil`: the first that lives.
  var notifying: Set<Int>?
  /// Each agent has a list of its own, without these checks: it runs all others. `nil`: all have the same list.
  var lacking: [Int: Set<UniqueID>]? { didSet { arrange() } }
  /// Agents whose receiver does not answer.
  var deaf: Set<Int> = []
  /// An agent that dies when a message of its own has arrived, before it notes it.
  var diesAfterSending: Int?
  private(set) var messages: [AlertMessage] = []
  private(set) var heard: [String] = []

  init(agents count: Int, _ checks: [MonitoringCheck], _ change: (inout AlertSettings) -> Void = { _ in }) {
    self.checks = checks
    var settings = makeSettings()
    settings.remind = .seconds(86_400)
    // What opens often within a minute of the test's is not held back for it.
    settings.flap.opens = FlapSettings.opens.upperBound
    settings.flap.within = FlapSettings.within.lowerBound
    change(&settings)
    self.settings = settings
    agents = []
    for number in 0..<count { agents.append(fresh(number, nil)) }
    for check in checks { owners[check.id] = 0 }
    arrange()
  }

  private func fresh(_ number: Int, _ saved: [UInt8]?) -> Agent {
    let json = saved.flatMap { try? JSONValue.parse($0) }
    return Agent(
      book: AlertBook(
        settings, saved: json, now: reading(now), generator: Counter(state: UInt64(number + 1) &* 1000)),
      disk: saved)
  }

  private func role(_ check: UniqueID, _ agent: Int) -> ShareRole {
    guard let owner = owners[check], lacking?[agent]?.contains(check) != true else { return .unlisted }
    if lacking != nil { return .owner }
    if owner == agent { return .owner }
    return assistants.contains(check) ? .assistant : .elsewhere
  }

  private func names(_ agent: Int) -> IncidentNames {
    IncidentNames(group: "london", checks: Set(owners.keys).subtracting(lacking?[agent] ?? []))
  }

  private mutating func arrange() {
    for number in agents.indices where !agents[number].isDead {
      let here = checks.filter { role($0.id, number).isRunHere }
      agents[number].book.apply(here, DependencyGraph(checks), names: names(number), now: reading(now))
    }
  }

  func owner(_ check: MonitoringCheck) -> Int { owners[check.id] ?? 0 }
  func isDead(_ agent: Int) -> Bool { agents[agent].isDead }
  var deadCount: Int { agents.count(where: \.isDead) }
  func incidents(_ agent: Int) -> [Incident] { agents[agent].book.incidents.opened }

  mutating func give(_ check: MonitoringCheck, to agent: Int) {
    owners[check.id] = agent
    assistants = []
    arrange()
  }

  /// It runs the check and notifies, with the store at hand.
  mutating func takeOver(_ check: MonitoringCheck, by agent: Int) {
    (isAway, notifying) = (false, [agent])
    give(check, to: agent)
  }

  var moment: Timestamp { after(now) }

  mutating func assist(_ check: MonitoringCheck) {
    assistants.insert(check.id)
    arrange()
  }

  mutating func remove(_ check: MonitoringCheck) {
    owners[check.id] = nil
    checks.removeAll { $0.id == check.id }
    arrange()
  }

  /// One agent reads its configuration again.
  mutating func reload(_ agent: Int, _ change: (inout AlertSettings) -> Void) {
    change(&settings)
    agents[agent].book.apply(settings, now: reading(now))
    arrange()
  }

  mutating func kill(_ agent: Int) { agents[agent].isDead = true }

  mutating func restart(_ number: Int) {
    agents[number] = fresh(number, agents[number].disk)
    // It does not know yet what is its own.
    agents[number].book.apply(checks, DependencyGraph(checks), names: names(number), now: reading(now))
    arrange()
  }

  mutating func restartAll() { for number in agents.indices where isDead(number) { restart(number) } }

  /// Its disk goes, as with a container.
  mutating func loseDisk(_ agent: Int) { agents[agent].disk = nil }

  /// The store as it was: its revisions go on from there.
  mutating func setBack(to copy: [UniqueID: Stored]) {
    store = copy
    revision = copy.values.map(\.changed).max() ?? 1
  }

  mutating func wipe() { (store, revision, worldID) = ([:], 3, worldID + 1) }

  mutating func garble(_ check: MonitoringCheck) {
    revision += 1
    store[check.id] = Stored(value: Array("[]".utf8), changed: revision)
  }

  mutating func acknowledge(_ agent: Int) {
    guard let id = agents[agent].book.incidents.opened.first?.id else { return }
    _ = agents[agent].book.acknowledge(
      id.description, by: "ann", note: nil, now: after(now).advanced(by: .microseconds(1234)))
  }

  mutating func fail(_ check: MonitoringCheck, by agent: Int) { note(result(check, .down, at: now), agent) }
  mutating func mend(_ check: MonitoringCheck, by agent: Int) { note(result(check, .up, at: now), agent) }

  private mutating func note(_ result: CheckResult, _ agent: Int) {
    guard !agents[agent].isDead else { return }
    agents[agent].book.note(result, now: reading(now))
  }

  /// So many seconds.
  mutating func pass(_ seconds: Int64) {
    for _ in 0..<seconds {
      for number in agents.indices where !agents[number].isDead && !asleep.contains(number) { tick(number) }
      now += 1
    }
  }

  private func view(_ agent: Int) -> ShareView {
    var view = ShareView()
    view.touch = outside.contains(agent) ? .settling : isAway ? .away(.seconds(20)) : .fresh
    (view.world, view.revision) = (worldID, revision)
    for (id, stored) in store {
      view.entries[id] = ShareEntry(
        SharedValue(json: stored.value, at: id, now: reading(now)), changed: stored.changed)
    }
    view.notifies = notifying?.contains(agent) ?? (agents.firstIndex { !$0.isDead } == agent)
    if lacking != nil {
      let others = agents.indices.filter { $0 != agent && !agents[$0].isDead }
      view.apart = Set(others.map { ByteText("agent-\($0)") })
    }
    view.version = Int(now)
    return view
  }

  private mutating func tick(_ number: Int) {
    let roles = { [self] (check: UniqueID) in role(check, number) }
    let moment = reading(now)
    func follow(_ world: inout ShareWorld) {
      world.agents[number].book.follow(
        world.view(number), writer: "agent-\(number)", now: moment, role: roles)
    }
    func tell(_ world: inout ShareWorld) {
      let writes = world.agents[number].book.writes(now: moment, role: roles)
      if !world.isAway { for write in writes { _ = world.take(write) } }
    }
    follow(&self)
    agents[number].book.advance(to: moment)
    tell(&self)
    follow(&self)
    for notification in agents[number].book.next(NotifyContext(now: moment, settings: settings)) {
      save(number)
      let writes = agents[number].book.commitment(notification, now: moment)
      guard writes.allSatisfy({ take($0) }) else {
        agents[number].book.abandon(notification, .refused, now: moment)
        continue
      }
      send(notification, number)
      if agents[number].isDead { return }
    }
    follow(&self)
    tell(&self)
    save(number)
  }

  private mutating func send(_ notification: Notification, _ number: Int) {
    guard let message = writer.message(notification, now: after(now)) else { return }
    guard !deaf.contains(number) else {
      return agents[number].book.finish(notification, .failed("deaf"), title: "", now: reading(now))
    }
    messages.append(message)
    heard.append("\(number) \(message.kind.rawValue) \(message.title)")
    if diesAfterSending == number {
      diesAfterSending = nil
      return kill(number)
    }
    agents[number].book.finish(notification, .delivered, title: message.title, now: reading(now))
  }

  private mutating func save(_ number: Int) {
    guard agents[number].book.isDirty else { return }
    var json = JSONWriter()
    let moment = reading(now)
    json.object { agents[number].book.encode(to: &$0, now: moment) }
    agents[number].disk = json.bytes
  }

  /// As etcd: all or nothing.
  private mutating func take(_ write: ShareWrite) -> Bool {
    guard write.changes.allSatisfy({ (store[$0.id]?.changed ?? 0) == $0.replacing }) else { return false }
    revision += 1
    for change in write.changes {
      store[change.id] = change.value.map { Stored(value: $0, changed: revision) }
    }
    return true
  }
}
