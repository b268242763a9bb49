// SPDX-License-Identifier: MIT

import Basics
import Groups
import Synchronization
import TestSupport

/// A store in memory: keys with leases, revisions, watchers. Each place may be cut off from it.
final class MemoryQuorumStore: Sendable {
  private struct State {
    var revision: Int64 = 0
    var keys: [QuorumKey: (value: [UInt8], lease: Int64, revision: Int64)] = [:]
    var leases: [Int64: (ttl: Duration, end: Instant)] = [:]
    var nextLease: Int64 = 0
    var watchers: [Int: Watcher] = [:]
    var nextWatcher = 0
    var cut: Set<String> = []
    var puts = 0
  }

  private struct Watcher {
    var place: String
    var tell: @Sendable ([QuorumEntry]) -> Void
    var end: CheckedContinuation<StoreTrouble?, Never>
  }

  private let state = Mutex(State())
  private let time: TimeSource

  init(_ time: TimeSource) { self.time = time }

  var puts: Int { state.withLock { $0.puts } }
  var keys: [QuorumKey] { state.withLock { Array($0.keys.keys) } }

  func cut(_ place: String, _ isCut: Bool = true) {
    let ended = state.withLock { state -> [Watcher] in
      if isCut { state.cut.insert(place) } else { state.cut.remove(place) }
      let ended = state.watchers.filter { $0.value.place == place }
      for id in ended.keys { state.watchers[id] = nil }
      return Array(ended.values)
    }
    for watcher in ended { watcher.end.resume(returning: Self.away) }
  }

  static let away = StoreTrouble(.unreachable, "cut")

  /// Leases whose time is over end, and with them their keys.
  func expire() {
    let now = time.instant()
    change(nil) { state in
      let dead = state.leases.filter { $0.value.end <= now }.map(\.key)
      for lease in dead { state.leases[lease] = nil }
      var gone: [QuorumEntry] = []
      for (key, item) in state.keys where state.leases[item.lease] == nil {
        state.keys[key] = nil
        state.revision += 1
        gone.append(QuorumEntry(key, nil, revision: state.revision))
      }
      return gone
    }
  }

  @discardableResult
  private func change(_ place: String?, _ body: (inout State) -> [QuorumEntry]) -> Bool {
    let told = state.withLock { state -> ([QuorumEntry], [Watcher])? in
      if let place, state.cut.contains(place) { return nil }
      let entries = body(&state)
      return (entries, Array(state.watchers.values))
    }
    guard let (entries, watchers) = told else { return false }
    if !entries.isEmpty { for watcher in watchers { watcher.tell(entries) } }
    return true
  }

  /// As one place sees it.
  func seen(from place: String) -> any QuorumStore { Door(place: place, store: self) }

  private struct Door: QuorumStore {
    let place: String
    let store: MemoryQuorumStore

    func grant(seconds: Int64) async -> Result<Int64, StoreTrouble> {
      var lease: Int64 = 0
      let now = store.time.instant()
      let isThere = store.change(place) { state in
        state.nextLease += 1
        lease = state.nextLease
        state.leases[lease] = (.seconds(seconds), now + .seconds(seconds))
        return []
      }
      return isThere ? .success(lease) : .failure(away)
    }

    func keepAlive(_ lease: Int64) async -> Result<Bool, StoreTrouble> {
      store.expire()
      var isAlive = false
      let now = store.time.instant()
      let isThere = store.change(place) { state in
        guard let ttl = state.leases[lease]?.ttl else { return [] }
        state.leases[lease]?.end = now + ttl
        isAlive = true
        return []
      }
      return isThere ? .success(isAlive) : .failure(away)
    }

    func readQuorum() async -> Result<(entries: [QuorumEntry], revision: Int64), StoreTrouble> {
      var entries: [QuorumEntry] = []
      var revision: Int64 = 0
      let isThere = store.change(place) { state in
        entries = state.keys.map { QuorumEntry($0.key, $0.value.value, revision: $0.value.revision) }
        revision = state.revision
        return []
      }
      return isThere ? .success((entries, revision)) : .failure(away)
    }

    func put(_ key: QuorumKey, _ value: [UInt8], lease: Int64) async -> Result<Int64, StoreTrouble> {
      var revision: Int64 = 0
      let isThere = store.change(place) { state in
        guard state.leases[lease] != nil else { return [] }
        state.puts += 1
        state.revision += 1
        revision = state.revision
        state.keys[key] = (value, lease, revision)
        return [QuorumEntry(key, value, revision: revision)]
      }
      return isThere && revision > 0 ? .success(revision) : .failure(away)
    }

    func create(_ key: QuorumKey, _ value: [UInt8], lease: Int64) async -> Result<Bool, StoreTrouble> {
      var isNew = false
      let isThere = store.change(place) { state in
        guard state.keys[key] == nil, state.leases[lease] != nil else { return [] }
        isNew = true
        state.revision += 1
        state.keys[key] = (value, lease, state.revision)
        return [QuorumEntry(key, value, revision: state.revision)]
      }
      return isThere ? .success(isNew) : .failure(away)
    }

    func delete(_ key: QuorumKey) async -> Result<Void, StoreTrouble> {
      let isThere = store.change(place) { state in
        guard state.keys.removeValue(forKey: key) != nil else { return [] }
        state.revision += 1
        return [QuorumEntry(key, nil, revision: state.revision)]
      }
      return isThere ? .success(()) : .failure(away)
    }

    func watchQuorum(
      after revision: Int64, _ tell: @escaping @Sendable ([QuorumEntry]) -> Void
    ) async -> StoreTrouble? {
      let id = store.state.withLock { state in
        state.nextWatcher += 1
        return state.nextWatcher
      }
      return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isThere = store.state.withLock { state in
            guard !state.cut.contains(place), !Task.isCancelled else { return false }
            state.watchers[id] = Watcher(place: place, tell: tell, end: continuation)
            return true
          }
          guard isThere else { return continuation.resume(returning: away) }
          let missed = store.state.withLock { state in
            state.keys.filter { $0.value.revision > revision }
              .map { QuorumEntry($0.key, $0.value.value, revision: $0.value.revision) }
          }
          if !missed.isEmpty { tell(missed) }
        }
      } onCancel: {
        let watcher = store.state.withLock { $0.watchers.removeValue(forKey: id) }
        watcher?.end.resume(returning: nil)
      }
    }
  }
}
