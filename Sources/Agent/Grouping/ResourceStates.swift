// SPDX-License-Identifier: MIT

import AgentConfig
import Alerts
import Basics
import Groups
import Monitoring
import Network
import QuartzAPI
import Scheduler
import Synchronization

/// For `quartz.update_resources` in a group: a resource's checks may be with several agents, and one of them writes. So each
/// puts what its checks found last into the group's store, on a change only.
final class ResourceStates: Sendable {
  private let group: GroupDesk
  private let store: any IncidentStore
  private let catalog: CheckCatalog
  private let time: TimeSource
  private let state = Mutex(State())

  private struct State {
    var mirror = IncidentMirror()
    /// When everything was known last, or asked for.
    var lookedAt: Instant?
    /// The mirror's version that the updater has.
    var told = 0
    /// Not in the store yet.
    var waiting: [UniqueID: ResourceFinding] = [:]
    /// Since when a check has no member.
    var strays: [UniqueID: Instant] = [:]
  }

  private static let every: Duration = .milliseconds(500)
  /// Between two readings that ask whether the watch tells everything, where the store has changed meanwhile.
  private static let audits: Duration = .seconds(120)
  /// Changes of one transaction; etcd takes 128 operations.
  private static let atOnce = 60

  init(
    _ group: GroupDesk, store: any IncidentStore, catalog: CheckCatalog, time: TimeSource
  ) {
    (self.group, self.store) = (group, store)
    (self.catalog, self.time) = (catalog, time)
  }

  /// `nil` where no group writes the status of resources.
  convenience init?(_ base: AgentBase) {
    guard base.settings.quartz?.updateResources == true, let group = base.group,
      let store = base.outside.stores?.states
    else { return nil }
    self.init(group, store: store, catalog: base.catalog, time: base.time)
  }

  var sharing: ResourceUpdater.Sharing {
    ResourceUpdater.Sharing(
      isOurs: { [group] in group.runner.notifies },
      found: { [weak self] in self?.found($0, $1, at: $2) })
  }

  /// One result, from whichever thread found it.
  func found(_ check: UniqueID, _ state: CheckState, at: Timestamp) {
    guard group.role(of: check, isListed: { _ in true }) == .owner, catalog[check]?.resourceID != nil else {
      return
    }
    self.state.withLock { known in
      let there = known.mirror.entries[check]?.value.flatMap { ResourceFinding(json: $0) }
      known.waiting[check] = there?.state == state ? nil : ResourceFinding(state: state, at: at)
    }
  }

  /// Until the task is cancelled.
  ///
  /// - Parameter updater: told what others found.
  func run(_ updater: ResourceUpdater) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.follow() }
      group.addTask {
        while (try? await self.time.sleep(for: Self.every)) != nil {
          self.tell(updater)
          await self.write()
          await self.audit()
        }
      }
    }
  }

  private func follow() async {
    repeat {
      if state.withLock({ $0.mirror.position.trust != .whole }), await !read() { continue }
      let after = state.withLock { $0.mirror.position.told }
      let end = await store.watchIncidents(after: after) { [weak self] changes in
        self?.state.withLock { $0.mirror.take(changes) }
      }
      state.withLock { $0.mirror.take(end) }
    } while (try? await time.sleep(for: Self.every)) != nil
  }

  /// - Returns: false: it could not be read.
  func read() async -> Bool {
    let asked = state.withLock { $0.mirror.position.told }
    guard case .success(let reading) = await store.readIncidents() else { return false }
    let now = time.instant()
    state.withLock { state in
      state.mirror.take(reading, asked: asked)
      state.lookedAt = now
    }
    return true
  }

  /// A watch can die without a word.
  private func audit() async {
    let (proof, now) = (group.runner.proof, time.instant())
    let isDue = state.withLock { state in
      let seen = state.mirror.see(proof, in: store)
      if let seen { state.lookedAt = max(state.lookedAt ?? seen, seen) }
      guard let lookedAt = state.lookedAt, lookedAt.duration(to: now) >= Self.audits else { return false }
      state.lookedAt = now
      return true
    }
    if isDue { _ = await read() }
  }

  /// Passes on the other members' findings.
  private func tell(_ updater: ResourceUpdater) {
    let entries = state.withLock { state -> [IncidentEntry] in
      guard state.told != state.mirror.version else { return [] }
      state.told = state.mirror.version
      return Array(state.mirror.entries.values)
    }
    for entry in entries {
      guard let found = entry.value.flatMap({ ResourceFinding(json: $0) }),
        group.role(of: entry.check, isListed: { _ in true }) == .elsewhere
      else { continue }
      updater.note(entry.check, found.state, at: found.at)
    }
  }

  func write() async {
    let changes = state.withLock { state in
      state.waiting.sorted { $0.key < $1.key }.prefix(Self.atOnce).map { check, found in
        IncidentChange(check, found.json, replacing: state.mirror.entries[check]?.changed ?? 0)
      } + removed(&state).prefix(Self.atOnce)
    }
    guard !changes.isEmpty else { return }
    switch await store.write(changes) {
    case .success(.some(let revision)):
      state.withLock { state in
        state.mirror.took(changes, at: revision)
        for change in changes where state.waiting[change.check]?.json == change.value {
          state.waiting[change.check] = nil
        }
      }
    case .success(.none):
      _ = await read()
    case .failure: break
    }
  }

  /// Removes the rest of checks without a member, by the one that cleans.
  private func removed(_ state: inout State) -> [IncidentChange] {
    guard group.runner.notifies, !group.runner.isApart, group.runner.isPlaced else { return [] }
    let now = time.instant()
    var strays: [UniqueID: Instant] = [:]
    var gone: [IncidentChange] = []
    for (check, entry) in state.mirror.entries
    where group.role(of: check, isListed: { catalog[$0] != nil }) == .unlisted {
      let since = state.strays[check] ?? now
      strays[check] = since
      if since.duration(to: now) > .seconds(120) {
        gone.append(IncidentChange(check, nil, replacing: entry.changed))
      }
    }
    state.strays = strays
    return gone.sorted { $0.check < $1.check }
  }
}

/// Last state of a check.
struct ResourceFinding: Hashable, Sendable {
  var state: CheckState
  var at: Timestamp

  init(state: CheckState, at: Timestamp) { (self.state, self.at) = (state, at) }

  var json: [UInt8] {
    var json = JSONWriter(reserving: 64)
    json.object { json in
      json.field("state", state.rawValue)
      json.field("at", at)
    }
    return json.bytes
  }

  /// `nil` for bytes that are no finding.
  init?(json bytes: [UInt8]) {
    guard bytes.count <= 1024, let json = try? JSONValue.parse(bytes, maxDepth: 4),
      let state = json["state"]?.string.flatMap({ CheckState(word: $0) }),
      let at = json["at"]?.timestamp
    else { return nil }
    self.init(state: state, at: at)
  }
}
