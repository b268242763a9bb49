// SPDX-License-Identifier: MIT

import Basics
import Groups
import TestSupport

/// A store, some agents and the ways between them, in steps of 50 ms of one seeded time.
struct SimWorld {
  struct Watch {
    var number: Int
    /// Of the store's log.
    var next: Int
    var cluster: UInt64
    /// Nothing is told before then.
    var ready: Int
    /// It has died without a word.
    var isDeaf = false
  }

  struct Agent {
    var name: String
    var home: UniqueID
    var member: GroupMember
    var assignment: Set<UniqueID> = []
    var watch: Watch?
    var isDead = false
    /// Until then, milliseconds.
    var pausedUntil = 0
    var isCut = false
    /// Its readings are lost, and all else comes through.
    var cannotRead = false
    var hasLeft = false
    /// It was told to stop, and starts no more probes.
    var isStopping = false
    /// What its disk holds of the group.
    var memory: GroupMemory?
    /// For due slots.
    var looked: Int?
    /// What was asked and answered, to come at that time.
    var mail: [(at: Int, event: GroupMember.Event)] = []
    /// Requests under way to the store.
    var requests: [(at: Int, number: Int, request: StoreRequest)] = []
    /// What it works out aside, done at that time.
    var jobs: [(at: Int, job: PlacementJob)] = []
  }

  struct Check {
    var id: UniqueID
    var interval: Int
    var phase: Int
  }

  static let step = 50
  static let root = "/quartz/london/"
  let ttl = 5
  var now = 100_000
  var store = SimStore()
  var agents: [Agent] = []
  var checks: [Check] = []
  var random: SeededGenerator
  /// The store answers nobody.
  var isStoreAway = false
  /// It answers nothing, but watches go on.
  var isRefusing = false
  /// Of requests that are lost, in thousandths.
  var loss = 0
  /// Hashes that a member makes on the spot; nil: as in the agent, where these worlds are too small for more.
  var atOnce: Int?
  /// What was worked out aside.
  var jobs = 0
  /// What was taken over stays with the member, for a test to look at.
  var keepsTaken = false
  /// Who ran a slot, by check and slot.
  var runs: [UniqueID: [Int: Int]] = [:]

  init(
    seed: UInt64, agents count: Int, checks: Int, intervals: ClosedRange<Int> = 16...40, atOnce: Int? = nil
  ) {
    random = SeededGenerator(seed: seed)
    self.atOnce = atOnce
    for _ in 0..<checks {
      let interval = pick(intervals) * 1000
      self.checks.append(
        Check(
          id: UniqueID(high: random.next(), low: random.next()), interval: interval,
          phase: pick(0...(interval / Self.step - 1)) * Self.step))
    }
    for index in 0..<count { start("agent-\(index)", home: UniqueID(high: 9, low: UInt64(index))) }
  }

  mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  /// Both clocks; the wall's is an hour ahead.
  var reading: ClockReading {
    ClockReading(
      boot: Instant(nanoseconds: Int64(now) * 1_000_000),
      wall: Timestamp(milliseconds: Int64(now) + 3_600_000))
  }

  /// - Parameters:
  ///   - memory: of its disk; nil: there is none.
  ///   - isReturning: its state directory is one of before.
  ///   - awaitsList: it has no checks, and they are to come by `list`.
  mutating func start(
    _ name: String, home: UniqueID, recalling memory: GroupMemory? = nil, isReturning: Bool = false,
    awaitsList: Bool = false
  ) {
    var card = MemberCard()
    card.boot = UniqueID(high: random.next(), low: random.next())
    card.home = home
    var settings = GroupMember.Settings(name: name, ttl: .seconds(ttl), isReturning: isReturning)
    settings.atOnce = atOnce ?? settings.atOnce
    settings.awaitsList = awaitsList
    var member = GroupMember(settings, card: card, at: reading)
    if let memory { member.recall(memory) }
    let agent = Agent(name: name, home: home, member: member, memory: memory)
    if let index = agents.firstIndex(where: { $0.name == name && ($0.isDead || $0.hasLeft) }) {
      agents[index] = agent
    } else {
      agents.append(agent)
    }
    let index = agents.firstIndex { $0.member.card.boot == card.boot } ?? 0
    if !awaitsList { list(index) }
  }

  func status(_ index: Int) -> GroupStatus {
    GroupStatus(agents[index].member, group: "london")
  }

  /// It has the list now.
  mutating func list(_ index: Int) {
    handle(.checks(checks.map { Placement.GroupCheck($0.id, .api) }), by: index)
    handle(.listed, by: index)
  }

  mutating func advance(_ milliseconds: Int) {
    let end = now + milliseconds
    while now < end {
      now += Self.step
      store.expire(at: now)
      serve()
      for index in agents.indices where !agents[index].isDead && !agents[index].hasLeft {
        guard agents[index].pausedUntil <= now else { continue }
        deliver(index)
        handle(.tick, by: index)
        runSlots(index)
        if let fresh = agents[index].member.remembered(root: Self.root, at: reading.wall) {
          agents[index].memory = fresh
        }
      }
    }
  }

  /// The store answers what has arrived, in the order of arrival.
  private mutating func serve() {
    for index in agents.indices {
      let due = agents[index].requests.filter { $0.at <= now }
      agents[index].requests.removeAll { $0.at <= now }
      for (_, number, request) in due {
        let isLost =
          isStoreAway || isRefusing || agents[index].isCut || agents[index].cannotRead && request == .read
        if isLost || pick(0...999) < loss {
          // The store may have done it all the same.
          if !isLost, pick(0...1) == 0 { _ = store.answer(request, as: agents[index].name, at: now) }
          let trouble = StoreTrouble(isStoreAway ? .noQuorum : .unreachable, "gone")
          agents[index].mail.append((now + 2000, .answer(number, .trouble(trouble))))
        } else {
          let answer = store.answer(request, as: agents[index].name, at: now)
          agents[index].mail.append((now + pick(0...2) * Self.step, .answer(number, answer)))
        }
      }
    }
  }

  private mutating func deliver(_ index: Int) {
    var due: [(at: Int, event: GroupMember.Event)] = []
    agents[index].mail.removeAll { mail in
      if mail.at <= now { due.append(mail) }
      return mail.at <= now
    }
    due.shuffle(using: &random)
    for mail in due { handle(mail.event, by: index) }
    let done = agents[index].jobs.filter { $0.at <= now }
    agents[index].jobs.removeAll { $0.at <= now }
    for (_, job) in done { act(on: agents[index].member.finish(job, at: reading), by: index) }
    tellWatch(index)
  }

  private mutating func tellWatch(_ index: Int) {
    guard var watch = agents[index].watch, watch.ready <= now, !watch.isDeaf else { return }
    if isStoreAway || agents[index].isCut || watch.cluster != store.cluster {
      agents[index].watch = nil
      let end = WatchEnd.trouble(StoreTrouble(.noQuorum, "no leader"))
      return handle(.watchEnded(watch.number, end), by: index)
    }
    guard watch.next < store.log.count else { return }
    let changes = Array(store.log[watch.next...])
    watch.next = store.log.count
    watch.ready = now + pick(0...6) * Self.step
    agents[index].watch = watch
    handle(.changes(watch: watch.number, changes), by: index)
  }

  mutating func handle(_ event: GroupMember.Event, by index: Int) {
    act(on: agents[index].member.handle(event, at: reading), by: index)
  }

  private mutating func act(on actions: [GroupMember.Action], by index: Int) {
    if var job = agents[index].member.takeJob() {
      job.run()
      jobs += 1
      agents[index].jobs.append((now + pick(1...40) * Self.step, job))
    }
    for action in actions {
      switch action {
      case .ask(let number, let request):
        agents[index].requests.append((now + pick(0...2) * Self.step, number, request))
      case .watch(let number, let revision): watch(number, after: revision, by: index)
      case .arrange: arrange(index)
      case .list: break
      case .done: agents[index].hasLeft = true
      }
    }
  }

  private mutating func watch(_ number: Int, after revision: Int64, by index: Int) {
    agents[index].watch = nil
    if revision < store.compacted {
      agents[index].mail.append((now + Self.step, .watchEnded(number, .compacted)))
      return
    }
    let next = store.log.firstIndex { $0.revision > revision } ?? store.log.count
    agents[index].watch = Watch(
      number: number, next: next, cluster: store.cluster, ready: now + pick(1...4) * Self.step)
  }

  private mutating func arrange(_ index: Int) {
    if keepsTaken {
      agents[index].assignment = Set(agents[index].member.assignment.revisions.keys)
      return
    }
    let (assignment, taken, _) = agents[index].member.takeArrangement(at: reading.boot)
    agents[index].assignment = Set(assignment.revisions.keys)
    guard !taken.isEmpty, !agents[index].isStopping else { return }
    for check in checks where taken.contains(check.id) { run(check, slot: slot(check, now)) }
  }

  private func slot(_ check: Check, _ time: Int) -> Int { (time - check.phase) / check.interval }

  private mutating func run(_ check: Check, slot: Int) { runs[check.id, default: [:]][slot, default: 0] += 1 }

  /// What came due since it last looked, which was long ago if it stood still: the latest slot of each check.
  private mutating func runSlots(_ index: Int) {
    let before = agents[index].looked ?? now - Self.step
    agents[index].looked = now
    guard !agents[index].assignment.isEmpty, !agents[index].isStopping else { return }
    for check in checks where slot(check, now) > slot(check, before) {
      if agents[index].assignment.contains(check.id) { run(check, slot: slot(check, now)) }
    }
  }

  /// Slots of this stretch that nobody ran, and those that several did.
  func judged(from start: Int, to end: Int) -> (missed: [String], doubled: [String]) {
    var missed: [String] = [], doubled: [String] = []
    for check in checks {
      for number in slot(check, start) + 1..<max(slot(check, start) + 1, slot(check, end)) {
        let count = runs[check.id]?[number] ?? 0
        if count == 0 { missed.append("\(check.id) at \(number * check.interval + check.phase)") }
        if count > 1 { doubled.append("\(check.id) at \(number * check.interval + check.phase): \(count)") }
      }
    }
    return (missed, doubled)
  }
}
