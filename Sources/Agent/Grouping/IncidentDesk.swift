// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Groups
import Logging
import Monitoring
import Scheduler
import Synchronization

/// The alerting state that a group shares: a mirror of the store, and writes to it.
final class IncidentDesk: IncidentShare {
  let writer: String
  private let group: GroupDesk
  private let store: any IncidentStore
  private let catalog: CheckCatalog
  private let ttl: Duration
  private let log: Logger
  private let time: TimeSource
  private let state: Mutex<State>

  private struct State {
    var mirror = IncidentMirror()
    /// Content of the mirror's entries.
    var entries: [UniqueID: ShareEntry] = [:]
    var garbled: [UniqueID] = []
    /// The mirror's version that they are of, and its store.
    var read = -1
    var world: UInt64 = 0
    /// When everything was known last: it was read then, or the store had not changed since.
    var readAt: Instant?
    /// Since when the store is not known as of now; `nil` when it is.
    var staleSince: Instant?
    var wasAway = false
    /// Since when members have different lists of checks.
    var apartSince: Instant?
    var watch: Task<WatchEnd, Never>?
    var trouble: StoreTrouble?
    /// Of the last look.
    var looked: Instant?
    var arrangements = 0
    /// Writes that wait, and those under way.
    var writes: [ShareWrite] = []
    var busy: Set<UniqueID> = []
  }

  /// Writes at once.
  private static let atOnce = 4
  /// Writes that wait: what does not fit is asked for again.
  private static let most = 256

  init(
    _ group: GroupDesk, store: any IncidentStore, catalog: CheckCatalog, ttl: Duration, log: Logger,
    time: TimeSource
  ) {
    writer = group.runner.name
    (self.group, self.store, self.catalog) = (group, store, catalog)
    (self.ttl, self.log, self.time) = (ttl, log, time)
    state = Mutex(State(staleSince: time.instant()))
  }

  /// `nil` where every incident is this agent's alone, or there are none.
  convenience init?(_ base: AgentBase) {
    guard base.settings.alerts != nil, let group = base.group, let store = base.outside.stores?.incidents
    else { return nil }
    self.init(
      group, store: store, catalog: base.catalog, ttl: group.section.ttl, log: base.log, time: base.time)
  }

  func role(of check: UniqueID) -> ShareRole { group.role(of: check) { catalog[$0] != nil } }

  func look() -> ShareView {
    let isPlaced = group.runner.isPlaced
    let alone = group.runner.isAlone
    let notifier = group.runner.notifier
    let (notifies, apart) = (group.runner.notifies, group.runner.apart)
    let (arrangements, proof) = (group.arrangements, group.runner.proof)
    let reading = time.reading()
    let now = reading.boot
    return state.withLock { state in
      wake(&state, now)
      if state.arrangements != arrangements {
        // What a silent watch did not tell of checks that are new here.
        state.arrangements = arrangements
        doubt(&state, now)
      }
      note(alone, &state, now)
      if let at = state.mirror.see(proof, in: store) { state.readAt = max(state.readAt ?? at, at) }
      update(&state, reading)
      var view = ShareView()
      view.entries = state.entries
      (view.world, view.revision, view.readAt) = (state.mirror.world, state.mirror.revision, state.readAt)
      // bounded: counts of what happened
      view.version = state.mirror.version &+ arrangements
      let apartSince = apart.isEmpty ? nil : state.apartSince ?? now
      state.apartSince = apartSince
      view.apart = apart
      view.notifier = notifier
      view.isDivided = apartSince.map { $0.duration(to: now) < AlertShare.settling } ?? false
      view.notifies = notifies && !view.isDivided
      let stale = state.staleSince.map { $0.duration(to: now) }
      if !isPlaced {
        view.touch = .settling
      } else if alone {
        view.touch = .away(stale ?? .zero)
      } else if let stale {
        view.touch = stale > ttl ? .away(stale) : .settling
      } else {
        view.touch = .fresh
      }
      return view
    }
  }

  /// A process that stood still may have lost its checks, and does not know it yet: what it knows is read again.
  private func wake(_ state: inout State, _ now: Instant) {
    let gap = state.looked?.duration(to: now) ?? .zero
    state.looked = now
    guard gap > max(ttl / 2, .seconds(3)) else { return }
    doubt(&state, now)
  }

  /// Reads the store again before any notification.
  private func doubt(_ state: inout State, _ now: Instant) {
    state.staleSince = state.staleSince ?? now
    readAgain(&state)
  }

  private func readAgain(_ state: inout State) {
    state.mirror.lose()
    state.watch?.cancel()
  }

  /// Notes that the store was away: its content may have changed when it is back.
  private func note(_ alone: Bool, _ state: inout State, _ now: Instant) {
    if alone {
      state.staleSince = state.staleSince ?? now
    } else if state.wasAway {
      state.staleSince = now
      readAgain(&state)
    }
    state.wasAway = alone
  }

  private func update(_ state: inout State, _ now: ClockReading) {
    guard state.read != state.mirror.version else { return }
    state.read = state.mirror.version
    // The revisions of another store say nothing of this one's.
    let before = state.world == state.mirror.world ? state.entries : [:]
    state.world = state.mirror.world
    let garbled = Set(state.garbled)
    state.garbled = []
    var entries: [UniqueID: ShareEntry] = [:]
    for (id, entry) in state.mirror.entries {
      if let known = before[id], known.changed == entry.changed {
        entries[id] = known
        // It is not understood for as long as it stays.
        if garbled.contains(id) { state.garbled.append(id) }
      } else {
        let value = entry.value.flatMap { SharedValue(json: $0, at: id, now: now) }
        // What is no entry says nothing: what was known stays.
        entries[id] = ShareEntry(value ?? before[id]?.value, changed: entry.changed)
        if value == nil { state.garbled.append(id) }
      }
    }
    state.entries = entries
  }

  func write(_ writes: [ShareWrite]) {
    guard !writes.isEmpty else { return }
    state.withLock { state in
      for write in writes where state.writes.count < Self.most {
        let checks = write.changes.map(\.id)
        guard state.busy.isDisjoint(with: checks) else { continue }
        state.busy.formUnion(checks)
        state.writes.append(write)
      }
    }
    bell.ring()
  }

  private let bell = Bell()

  /// Until the task is cancelled; what is to be written then is written yet.
  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.follow() }
      group.addTask { await self.audit() }
      group.addTask { for await _ in self.bell.rings { await self.work() } }
    }
    await Task { await self.work() }.value
  }

  private func follow() async {
    repeat {
      guard group.runner.isPlaced, !group.runner.isAlone else { continue }
      if state.withLock({ $0.staleSince != nil || $0.mirror.position.trust != .whole }), await !read() {
        continue
      }
      let watch = state.withLock { state in
        let after = state.mirror.position.told
        let watch = Task { [store] in
          await store.watchIncidents(after: after) { [weak self] changes in
            self?.state.withLock { $0.mirror.take(changes) }
          }
        }
        state.watch = watch
        // What was doubted since the reading has had no watch to end.
        if state.mirror.position.trust != .whole { watch.cancel() }
        return watch
      }
      let end = await withTaskCancellationHandler {
        await watch.value
      } onCancel: {
        watch.cancel()
      }
      state.withLock { state in
        state.mirror.take(end)
        if case .trouble(let trouble) = end { state.trouble = trouble }
      }
    } while (try? await time.sleep(for: .milliseconds(250))) != nil
  }

  /// - Returns: false: not everything could be read.
  func read() async -> Bool {
    let asked = state.withLock { $0.mirror.position.told }
    switch await store.readIncidents() {
    case .failure(let trouble):
      state.withLock { $0.trouble = trouble }
      return false
    case .success(let reading):
      state.withLock { state in
        take(reading, asked: asked, &state)
        state.trouble = nil
        if !group.runner.isAlone { state.staleSince = nil }
      }
      return true
    }
  }

  private func take(_ reading: IncidentReading, asked: Int64, _ state: inout State) {
    state.mirror.take(reading, asked: asked)
    state.readAt = time.instant()
  }

  /// Between two readings that ask whether the watch tells everything, where the store has changed meanwhile.
  private static let audits: Duration = .seconds(20)

  /// A watch can die without a word, as when a router forgets its connection.
  private func audit() async {
    var wait = Self.audits
    while (try? await time.sleep(for: wait)) != nil {
      let readAt = state.withLock(\.readAt)
      let rest = readAt.map { Self.audits - $0.duration(to: time.instant()) } ?? .zero
      wait = rest > .zero ? rest : Self.audits
      guard rest <= .zero, group.runner.isPlaced, !group.runner.isAlone else { continue }
      await look(isAudit: true)
    }
  }

  /// Takes a reading that was not made for a new watch.
  ///
  /// - Parameter isAudit: the watch should have told of everything in it; what it tells in a moment costs one more reading.
  private func look(isAudit: Bool) async {
    let asked = state.withLock { $0.mirror.position.told }
    guard case .success(let reading) = await store.readIncidents() else { return }
    state.withLock { state in
      let known = state.mirror.entries
      let isOther = reading.world != state.mirror.world
      take(reading, asked: asked, &state)
      if isOther || isAudit && state.mirror.entries != known { readAgain(&state) }
    }
  }

  private func work() async {
    while true {
      let writes = state.withLock { state in
        defer { state.writes.removeFirst(min(Self.atOnce, state.writes.count)) }
        return state.writes.prefix(Self.atOnce)
      }
      guard !writes.isEmpty else { return }
      await withDiscardingTaskGroup { group in
        for write in writes { group.addTask { await self.perform(write) } }
      }
    }
  }

  func commit(_ writes: [ShareWrite]) async -> ShareAnswer {
    for write in writes {
      let answer = await put(write)
      if answer != .written { return answer }
    }
    return .written
  }

  private func perform(_ write: ShareWrite) async {
    _ = await put(write)
    state.withLock { $0.busy.subtract(write.changes.map(\.id)) }
  }

  private func put(_ write: ShareWrite) async -> ShareAnswer {
    let changes = write.changes.map { IncidentChange($0.id, $0.value, replacing: $0.replacing) }
    switch await store.write(changes) {
    case .success(.some(let revision)):
      state.withLock { $0.mirror.took(changes, at: revision) }
      return .written
    case .success(.none):
      // Another agent was first: what is there now is asked for.
      await look(isAudit: false)
      return .refused
    case .failure(let trouble):
      state.withLock { $0.trouble = trouble }
      log.debug("an incident was not written to the group", metadata: ["problem": "\(trouble.words)"])
      return .unreachable
    }
  }

  /// Its problems.
  var notices: [Notice] {
    let (trouble, garbled, strange) = state.withLock { ($0.trouble, $0.garbled, $0.mirror.strange) }
    var notices: [Notice] = []
    if let trouble, !group.runner.isAlone {
      notices.append(
        .warning(.group, "the group's incidents are not shared: \(trouble.words)", hint: trouble.hint))
    }
    if strange.count > 0 {
      notices.append(
        .warning(
          .group,
          "\(counted(strange.count, "key")) of the group's incidents \(plural("is", strange.count, "are")) "
            + "passed over, such as \(strange.example ?? "?")",
          hint: "no agent writes it: look which other program writes below the group's prefix, and delete it")
      )
    }
    if let check = garbled.min() {
      let name = catalog[check]?.name ?? check.description
      let folder = "\(group.grid.name.printable(maxBytes: 100))/open/"
      notices.append(
        .warning(
          .group, "what the store says of the incident of \(name) is not understood",
          hint: "delete the key \(check) below \(folder) in etcd, unless a newer agent wrote it"))
    }
    return notices
  }
}

extension IncidentDesk: AgentPart {
  func services(_ picture: @escaping AgentPicture) -> [AgentService] { [{ await self.run() }] }
}
