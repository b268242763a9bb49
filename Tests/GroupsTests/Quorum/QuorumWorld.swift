// SPDX-License-Identifier: MIT

import Basics
import Groups
import Monitoring
import Synchronization
import TestSupport
import Testing

/// What a probe finds.
enum QuorumFinding: Sendable {
  case found(Verdict)
  case hangs
}

/// What is out there, and how often it was looked at.
final class QuorumScene: Sendable {
  /// What a probe finds in a place; nothing: that all is well.
  let finds = Mutex<[String: QuorumFinding]>([:])
  let probes = Mutex<[String: Int]>([:])

  func probe(_ place: String, _ time: TimeSource) async -> Verdict? {
    probes.withLock { $0[place, default: 0] += 1 }
    if case .found(let verdict) = finds.withLock({ $0[place] ?? .found(.ok) }) { return verdict }
    try? await time.sleep(for: .seconds(3600))
    return nil
  }
}

final class QuorumMark: Sendable {
  private let flag = Mutex(false)
  var isSet: Bool { flag.withLock { $0 } }
  func store(_ value: Bool) { flag.withLock { $0 = value } }
}

/// A lease of ten seconds at the store in memory, renewed as a member renews its own.
final class KeptLease: AgentLease {
  private struct State {
    var proof: LeaseProof?
    var trouble: StoreTrouble?
  }

  private let door: MemoryQuorumStore.Door
  private let time: TimeSource
  private let state = Mutex(State())

  init(_ door: MemoryQuorumStore.Door, _ time: TimeSource) { (self.door, self.time) = (door, time) }

  var proof: LeaseProof? { state.withLock { $0.proof } }
  var trouble: StoreTrouble? { state.withLock { $0.trouble } }
  func ended(_ lease: Int64) { state.withLock { if $0.proof?.lease == lease { $0.proof = nil } } }

  func run() async {
    var next = time.instant()
    repeat {
      let sent = time.instant()
      guard sent >= next || proof == nil else { continue }
      next = await renew(sent) ? sent + .milliseconds(3333) : sent + .seconds(1)
    } while (try? await time.sleep(for: .milliseconds(200))) != nil
  }

  /// - Returns: whether the store has answered.
  private func renew(_ sent: Instant) async -> Bool {
    guard let lease = proof?.lease else { return note(await door.grant(seconds: 10), sent) }
    return note(await door.keepAlive(lease).map { $0 ? lease : nil }, sent)
  }

  private func note(_ answer: Result<Int64?, StoreTrouble>, _ sent: Instant) -> Bool {
    state.withLock { state in
      switch answer {
      case .failure(let trouble):
        state.trouble = trouble
        return false
      case .success(let lease):
        (state.proof, state.trouble) = (lease.map { LeaseProof(lease: $0, at: sent) }, nil)
        return true
      }
    }
  }

  private func note(_ answer: Result<Int64, StoreTrouble>, _ sent: Instant) -> Bool {
    note(answer.map { Optional($0) }, sent)
  }
}

/// Three desks on one clock.
final class QuorumWorld: Sendable {
  static let down = Verdict(.connectRefused, phase: .connect, message: "refused")

  let clock = FakeClock()
  let store: MemoryQuorumStore
  let desks: [String: QuorumDesk]
  let leases: [KeptLease]
  let check: MonitoringCheck
  let scene = QuorumScene()
  private let isDone = QuorumMark()
  /// How often each place was looked from because others asked.
  var probes: [String: Int] { scene.probes.withLock { $0 } }

  init(from: Int = 2) throws {
    let store = MemoryQuorumStore(clock.time)
    self.store = store
    check = try Self.makeCheck("Shop", from: from)
    let (scene, clock) = (scene, clock)
    var (desks, leases) = ([String: QuorumDesk](), [KeptLease]())
    for place in ["london", "paris", "ny"] {
      let lease = KeptLease(store.seen(from: place), clock.time)
      leases.append(lease)
      desks[place] = QuorumDesk(
        place: place, store: store.seen(from: place), lease: lease, ttl: .seconds(10), time: clock.time
      ) { _ in await scene.probe(place, clock.time) }
    }
    (self.desks, self.leases) = (desks, leases)
    for desk in desks.values { desk.apply([check]) }
  }

  static func makeCheck(_ name: String, from: Int = 2) throws -> MonitoringCheck {
    var definition = CheckDefinition()
    (definition.name, definition.type, definition.host) = (name, "tcp", "shop.example")
    definition.port = 443
    definition.plan.confirm = ConfirmSettings(from: from, of: ["london", "paris", "ny"])
    return try MonitoringCheck(definition, patterns: .unchecked)
  }

  /// What was said is written and told of.
  func pause(_ time: Duration = .milliseconds(500)) async throws { try await clock.time.sleep(for: time) }

  /// One more desk, as an agent of that place; it runs until the test's body is done with it.
  func desk(
    _ place: String, through door: String, _ checks: [MonitoringCheck],
    probe: @escaping @Sendable () async -> Verdict = { .ok }
  ) -> (desk: QuorumDesk, run: Task<Void, Never>) {
    let lease = KeptLease(store.seen(from: door), clock.time)
    let desk = QuorumDesk(
      place: place, store: store.seen(from: door), lease: lease, ttl: .seconds(10), time: clock.time
    ) { _ in await probe() }
    desk.apply(checks)
    let run = Task {
      await withDiscardingTaskGroup { group in
        group.addTask { await lease.run() }
        group.addTask { await desk.run() }
      }
    }
    return (desk, run)
  }

  func settle(_ desk: QuorumDesk, _ check: MonitoringCheck, _ verdict: Verdict) async -> QuorumDesk.Settled {
    await withCheckedContinuation { continuation in
      desk.take(result(verdict, of: check), of: check) { continuation.resume(returning: $0) }
    }
  }

  func result(_ verdict: Verdict, of check: MonitoringCheck? = nil) -> CheckResult {
    CheckResult(
      id: UniqueID(high: 1, low: 1), check: check ?? self.check, trigger: .schedule, scheduledAt: clock.wall,
      startedAt: clock.wall, late: .zero, verdict: verdict)
  }

  /// A result of the schedule in a place, and what becomes of it.
  func settle(_ place: String, _ verdict: Verdict) async throws -> QuorumDesk.Settled {
    let desk = try #require(desks[place])
    return await withCheckedContinuation { continuation in
      desk.take(result(verdict), of: check) { continuation.resume(returning: $0) }
    }
  }

  /// Time goes by in small steps until the body is done.
  func whileTimePasses<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws
    -> Value
  {
    let story = Task { [isDone] in
      defer { isDone.store(true) }
      return try await body()
    }
    while !isDone.isSet {
      // What is under way gets somewhere between two steps of the clock.
      try await Task.sleep(for: .milliseconds(1))
      clock.advance(by: .milliseconds(25))
      store.expire()
    }
    return try await story.value
  }
}

/// Runs the desks around a story.
func quorumStory(
  _ world: QuorumWorld, _ body: @escaping @Sendable (QuorumWorld) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for lease in world.leases { group.addTask { await lease.run() } }
    for desk in world.desks.values { group.addTask { await desk.run() } }
    let watch = Task {
      try await world.whileTimePasses {
        // Leases are there, and every place has said that all is well.
        try await world.clock.time.sleep(for: .seconds(1))
        for place in ["london", "paris", "ny"] { _ = try await world.settle(place, .ok) }
        try await world.pause()
        try await body(world)
      }
    }
    let outcome = await watch.result
    group.cancelAll()
    while let _ = try? await group.next() { world.clock.advance(by: .seconds(1)) }
    try outcome.get()
  }
}

final class QuorumCount: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}
