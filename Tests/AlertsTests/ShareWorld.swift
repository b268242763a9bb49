// SPDX-License-Identifier: MIT

import Alerts
import Basics
import Monitoring

/// Some agents of a group under one clock: who has which check is in the test's hand, the store is a dictionary that takes
/// changes as etcd does.
struct ShareWorld {
  private struct Agent {
    var book: AlertBook
    var outbox: Outbox
    var isDead = false
    /// What was written last, when there was something to write.
    var disk: (book: [UInt8], outbox: [UInt8])?
  }

  private var checks: [MonitoringCheck]
  private var agents: [Agent]
  private var owners: [UniqueID: Int] = [:]
  private var assistants: Set<UniqueID> = []
  private var generator = Counter()
  private var now: Int64 = 0
  private(set) var store: [UniqueID: ShareEntry] = [:]
  private var revision: Int64 = 10
  private var worldID: UInt64 = 1
  private var settings = makeSettings()
  private let writer = MessageWriter(agent: "test", region: nil, pageURL: nil) { _ in [] }
  var isAway = false
  /// Who has all checks from the moment on in which the next message arrives.
  var givenAtDelivery: Int?
  /// Agents whose receiver does not answer.
  var deaf: Set<Int> = []
  /// What agents see who hear nothing of the store.
  private var frozen: [Int: [UniqueID: ShareEntry]] = [:]
  private(set) var messages: [AlertMessage] = []
  private(set) var heard: [String] = []

  init(agents count: Int, _ checks: [MonitoringCheck]) {
    self.checks = checks
    settings.remind = .seconds(86_400)
    agents = []
    for number in 0..<count { agents.append(fresh(number, nil)) }
    for check in checks { owners[check.id] = 0 }
    arrange()
  }

  private func fresh(_ number: Int, _ saved: (book: JSONValue, outbox: JSONValue)?) -> Agent {
    Agent(
      book: AlertBook(
        settings, saved: saved?.book, now: after(now), generator: Counter(state: UInt64(number + 1) &* 1000)),
      outbox: Outbox(saved?.outbox, channels: ["ops"], now: after(now)))
  }

  private func role(_ check: UniqueID, _ agent: Int) -> ShareRole {
    guard let owner = owners[check] else { return .unlisted }
    if owner == agent { return .owner }
    return assistants.contains(check) ? .assistant : .elsewhere
  }

  private mutating func arrange() {
    let names = IncidentNames(group: "london", checks: Set(owners.keys))
    for number in agents.indices where !agents[number].isDead {
      let here = checks.filter { role($0.id, number).isRunHere }
      agents[number].book.apply(here, DependencyGraph(checks), names: names, now: after(now))
    }
  }

  func owner(_ check: MonitoringCheck) -> Int { owners[check.id] ?? 0 }
  func isDead(_ agent: Int) -> Bool { agents[agent].isDead }
  var deadCount: Int { agents.count(where: \.isDead) }

  mutating func give(_ check: MonitoringCheck, to agent: Int) {
    owners[check.id] = agent
    assistants = []
    arrange()
  }

  mutating func assist(_ check: MonitoringCheck, _: Int) {
    assistants.insert(check.id)
    arrange()
  }

  mutating func remove(_ check: MonitoringCheck) {
    owners[check.id] = nil
    checks.removeAll { $0.id == check.id }
    arrange()
  }

  mutating func kill(_ agent: Int) { agents[agent].isDead = true }

  mutating func restart(_ number: Int) throws {
    let disk = agents[number].disk
    agents[number] = fresh(
      number, try disk.map { (try JSONValue.parse($0.book), try JSONValue.parse($0.outbox)) })
    agents[number].disk = disk
    // It does not know yet what is its own.
    agents[number].book.apply(
      checks, DependencyGraph(checks), names: IncidentNames(group: "london", checks: Set(owners.keys)),
      now: after(now))
    arrange()
  }

  mutating func restartAll() throws {
    for number in agents.indices where isDead(number) { try restart(number) }
  }

  mutating func wipe() {
    (store, revision, worldID) = ([:], 3, worldID + 1)
  }

  mutating func freeze(_ agent: Int) { frozen[agent] = store }
  mutating func thaw() { frozen = [:] }

  mutating func garble(_ check: MonitoringCheck) {
    revision += 1
    store[check.id] = ShareEntry(nil, created: store[check.id]?.created ?? revision, changed: revision)
  }

  mutating func fail(_ check: MonitoringCheck, by agent: Int) { note(result(check, .down, at: now), agent) }
  mutating func mend(_ check: MonitoringCheck, by agent: Int) { note(result(check, .up, at: now), agent) }

  private mutating func note(_ result: CheckResult, _ agent: Int) {
    guard !agents[agent].isDead else { return }
    agents[agent].book.note(result, now: after(now))
  }

  /// So many seconds.
  mutating func pass(_ seconds: Int64) {
    for _ in 0..<seconds {
      for number in agents.indices where !agents[number].isDead {
        let before = owners
        tick(number)
        if owners != before { arrange() }
      }
      now += 1
    }
  }

  private func view(_ agent: Int) -> ShareView {
    var view = ShareView()
    view.touch = isAway ? .away(.seconds(20)) : .fresh
    (view.world, view.revision) = (worldID, revision)
    view.entries = frozen[agent] ?? store
    view.cleans = agent == (agents.firstIndex { !$0.isDead } ?? 0)
    view.version = Int(now)
    return view
  }

  private mutating func tick(_ number: Int) {
    let roles = { [self] (check: UniqueID) in role(check, number) }
    let moment = after(now)
    var agent = agents[number]
    agent.book.follow(view(number), now: moment, role: roles)
    for (decision, incidents) in agent.book.advance(to: moment, role: roles, isMuted: { _ in false }) {
      guard
        let message = writer.message(decision, incidents, cause: nil, now: moment, using: &generator)
      else { continue }
      agent.outbox.add(message, to: decision.channel, now: moment)
    }
    for entry in agent.outbox.due(moment) {
      switch agent.book.turn(of: entry.message, to: entry.channel, now: moment, role: roles) {
      case .drop: agent.outbox.unsend(entry, drops: true)
      case .wait: agent.outbox.unsend(entry, drops: false)
      case .send:
        guard !deaf.contains(number) else {
          agent.outbox.note(entry, .failed("deaf"), now: moment)
          continue
        }
        agent.outbox.note(entry, .delivered, now: moment)
        if let next = givenAtDelivery {
          givenAtDelivery = nil
          for check in checks { owners[check.id] = next }
        }
        agent.book.delivered(entry.message, to: "ops")
        messages.append(entry.message)
        heard.append("\(number) \(entry.message.kind.rawValue) \(entry.message.title)")
      }
    }
    let outbox = agent.outbox
    let writes = agent.book.writes(by: "agent-\(number)", now: moment, role: roles) {
      outbox.isWaiting($0, $1)
    }
    if !isAway { for write in writes { take(write) } }
    if agent.book.isDirty || agent.outbox.isDirty { save(&agent) }
    agents[number] = agent
  }

  private func save(_ agent: inout Agent) {
    var (book, outbox) = (JSONWriter(), JSONWriter())
    book.object { agent.book.encode(to: &$0) }
    agent.outbox.encode(to: &outbox)
    agent.disk = (book.bytes, outbox.bytes)
  }

  /// As etcd: all or nothing.
  private mutating func take(_ write: ShareWrite) {
    guard write.changes.allSatisfy({ (store[$0.check]?.changed ?? 0) == $0.replacing }) else { return }
    revision += 1
    for change in write.changes {
      // As it is read.
      let part = change.part?.json.flatMap { SharedPart(json: $0, of: change.check) }
      store[change.check] = part.map {
        ShareEntry($0, created: store[change.check]?.created ?? revision, changed: revision)
      }
    }
  }
}
