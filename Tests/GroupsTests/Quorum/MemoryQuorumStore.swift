// SPDX-License-Identifier: MIT

import Basics
import Groups
import Synchronization
import TestSupport

/// A store in memory: keys with leases, revisions, watchers. Each place may be cut off from it, or kept waiting.
final class MemoryQuorumStore: Sendable {
  struct Item {
    var value: [UInt8]
    var lease: Int64
    var revision: Int64
  }

  private struct State {
    var revision: Int64 = 0
    var keys: [QuorumKey: Item] = [:]
    var leases: [Int64: (ttl: Duration, end: Instant, place: String)] = [:]
    var nextLease: Int64 = 0
    var watchers: [Int: Watcher] = [:]
    var nextWatcher = 0
    var cut: Set<String> = []
    var rules: [String: Rule] = [:]
    var puts = 0
    var readings = 0
  }

  /// How the store is to one place.
  struct Rule {
    /// Of each call.
    var wait: Duration = .zero
    /// Calls that fail.
    var fails: Set<Call> = []
    /// Its watch tells nothing, and does not end.
    var isDeaf = false
  }

  enum Call { case keepAlive, put, question, claim, delete, read, audit }

  private struct Watcher {
    var place: String
    var tell: @Sendable (QuorumRows) -> Void
    var end: CheckedContinuation<WatchEnd, Never>
  }

  private let state = Mutex(State())
  private let time: TimeSource

  init(_ time: TimeSource) { self.time = time }

  /// Keys that were put.
  var puts: Int { state.withLock { $0.puts } }
  /// Times that everything was read.
  var readings: Int { state.withLock { $0.readings } }
  var keys: [QuorumKey] { state.withLock { Array($0.keys.keys) } }
  var paths: [String] { keys.map(\.path).sorted() }
  func value(_ key: QuorumKey) -> Item? { state.withLock { $0.keys[key] } }
  func vote(_ check: UniqueID, _ place: String) -> Vote? {
    value(.vote(check: check, place: place)).flatMap { Vote(json: $0.value) }
  }

  func rule(_ place: String, _ body: (inout Rule) -> Void) {
    state.withLock { body(&$0.rules[place, default: Rule()]) }
  }

  func cut(_ place: String, _ isCut: Bool = true) {
    state.withLock { state in
      if isCut { state.cut.insert(place) } else { state.cut.remove(place) }
    }
    endWatches(of: place)
  }

  func endWatches(of place: String) {
    let ended = state.withLock { state -> [Watcher] in
      let ended = state.watchers.filter { $0.value.place == place }
      for id in ended.keys { state.watchers[id] = nil }
      return Array(ended.values)
    }
    for watcher in ended { watcher.end.resume(returning: .trouble(Self.away)) }
  }

  static let away = StoreTrouble(.unreachable, "cut")

  /// Leases whose time is over end, and with them their keys.
  func expire() {
    let now = time.instant()
    change(nil) { state in
      for (lease, item) in state.leases where item.end <= now { state.leases[lease] = nil }
      return Self.sweep(&state)
    }
  }

  private static func sweep(_ state: inout State) -> [QuorumEntry] {
    var gone: [QuorumEntry] = []
    for (key, item) in state.keys where item.lease != 0 && state.leases[item.lease] == nil {
      gone.append(remove(key, &state))
    }
    return gone
  }

  private static func remove(_ key: QuorumKey, _ state: inout State) -> QuorumEntry {
    state.keys[key] = nil
    state.revision += 1
    return QuorumEntry(key, nil, revision: state.revision, lease: 0)
  }

  private static func put(
    _ key: QuorumKey, _ value: [UInt8], _ lease: Int64, _ state: inout State
  ) -> QuorumEntry {
    state.keys[key] = Item(value: value, lease: lease, revision: state.revision)
    return QuorumEntry(key, value, revision: state.revision, lease: lease)
  }

  /// What nobody's agent has put there: without a lease.
  func plant(_ key: QuorumKey, _ value: [UInt8]) {
    change(nil) { state in
      state.revision += 1
      return [Self.put(key, value, 0, &state)]
    }
  }

  @discardableResult
  private func change(_ place: String?, _ body: (inout State) -> [QuorumEntry]) -> Bool {
    let told = state.withLock { state -> (QuorumRows, [Watcher])? in
      if let place, state.cut.contains(place) { return nil }
      let before = state.keys.count
      let entries = body(&state)
      var rows = QuorumRows()
      (rows.entries, rows.growth) = (entries, state.keys.count - before)
      rows.revision = entries.map(\.revision).max() ?? 0
      return (rows, state.watchers.values.filter { state.rules[$0.place]?.isDeaf != true })
    }
    guard let (rows, watchers) = told else { return false }
    if !rows.entries.isEmpty { for watcher in watchers { watcher.tell(rows) } }
    return true
  }

  /// Gives back the leases of one place.
  func revokeLeases(of place: String) {
    change(nil) { state in
      state.leases = state.leases.filter { $0.value.place != place }
      return Self.sweep(&state)
    }
  }

  /// As one place sees it.
  func seen(from place: String) -> Door { Door(place: place, store: self) }

  struct Door: QuorumStore {
    let place: String
    fileprivate let store: MemoryQuorumStore

    func isIdle(_ position: StorePosition, _ mark: StoreMark) -> Bool { position.isIdle(mark) }

    /// - Returns: nil: the call fails.
    private func call<Value>(
      _ kind: Call?, _ body: (inout State) -> (Value, [QuorumEntry])
    ) async -> Result<Value, StoreTrouble> {
      let rule = store.state.withLock { $0.rules[place] } ?? Rule()
      if rule.wait > .zero { try? await store.time.sleep(for: rule.wait) }
      if let kind, store.state.withLock({ $0.rules[place]?.fails.contains(kind) == true }) {
        return .failure(away)
      }
      var value: Value?
      let isThere = store.change(place) { state in
        let (made, entries) = body(&state)
        value = made
        return entries
      }
      return isThere ? value.map { .success($0) } ?? .failure(away) : .failure(away)
    }

    func grant(seconds: Int64) async -> Result<Int64, StoreTrouble> {
      let now = store.time.instant()
      return await call(nil) { state in
        state.nextLease += 1
        state.leases[state.nextLease] = (.seconds(seconds), now + .seconds(seconds), place)
        return (state.nextLease, [])
      }
    }

    func keepAlive(_ lease: Int64) async -> Result<Bool, StoreTrouble> {
      store.expire()
      let now = store.time.instant()
      return await call(.keepAlive) { state in
        guard let ttl = state.leases[lease]?.ttl else { return (false, []) }
        state.leases[lease]?.end = now + ttl
        return (true, [])
      }
    }

    func readQuorum(from start: [UInt8]?, at revision: Int64) async -> Result<QuorumPage, StoreTrouble> {
      await call(.read) { state in
        // Three keys a page.
        let from = start.map { Int($0.first ?? 0) } ?? 0
        let all = state.keys.sorted { $0.key.path < $1.key.path }
        var rows = QuorumRows()
        rows.entries = all.dropFirst(from).prefix(3).map {
          QuorumEntry($0.key, $0.value.value, revision: $0.value.revision, lease: $0.value.lease)
        }
        (rows.growth, rows.revision) = (rows.entries.count, revision > 0 ? revision : state.revision)
        if from == 0 { state.readings += 1 }
        let next = from + 3 < all.count && from + 3 < 255 ? [UInt8(from + 3)] : nil
        return (QuorumPage(rows, next: next), [])
      }
    }

    func audit() async -> Result<QuorumAudit, StoreTrouble> {
      await call(.audit) { state in
        let newest = state.keys.values.map(\.revision).max() ?? 0
        return (QuorumAudit(count: state.keys.count, newest: newest), [])
      }
    }

    func put(_ rows: [(key: QuorumKey, value: [UInt8])], lease: Int64) async -> Result<Int64?, StoreTrouble> {
      let isQuestion = rows.contains { if case .question = $0.key { true } else { false } }
      return await call(isQuestion ? .question : .put) { state -> (Int64?, [QuorumEntry]) in
        guard state.leases[lease] != nil else { return (nil, []) }
        state.puts += rows.count
        state.revision += 1
        return (state.revision, rows.map { MemoryQuorumStore.put($0.key, $0.value, lease, &state) })
      }
    }

    func claim(_ key: QuorumKey, _ value: [UInt8], lease: Int64) async -> Result<Int64?, StoreTrouble> {
      await call(.claim) { state -> (Int64?, [QuorumEntry]) in
        if let there = state.keys[key], there.lease != 0 {
          return (there.lease == lease ? there.revision : nil, [])
        }
        state.revision += 1
        return (state.revision, [MemoryQuorumStore.put(key, value, lease, &state)])
      }
    }

    func delete(_ rows: [(key: QuorumKey, revision: Int64)]) async -> Result<Bool, StoreTrouble> {
      await call(.delete) { state in
        guard rows.allSatisfy({ state.keys[$0.key]?.revision == $0.revision }) else { return (false, []) }
        return (true, rows.map { MemoryQuorumStore.remove($0.key, &state) })
      }
    }

    func watchQuorum(
      after revision: Int64, _ tell: @escaping @Sendable (QuorumRows) -> Void
    ) async -> WatchEnd {
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
          guard isThere else { return continuation.resume(returning: .trouble(away)) }
          var rows = QuorumRows()
          rows.entries = store.state.withLock { state in
            state.keys.filter { $0.value.revision > revision }
              .map { QuorumEntry($0.key, $0.value.value, revision: $0.value.revision, lease: $0.value.lease) }
          }
          (rows.growth, rows.revision) = (rows.entries.count, rows.entries.map(\.revision).max() ?? 0)
          if !rows.entries.isEmpty { tell(rows) }
        }
      } onCancel: {
        let watcher = store.state.withLock { $0.watchers.removeValue(forKey: id) }
        watcher?.end.resume(returning: .over)
      }
    }
  }
}
