// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import QuartzAPI
import Synchronization

/// A store in memory that keeps the rules of the real one, and what was done to it.
final class MemoryQueue: DeliveryQueue {
  struct State: Sendable {
    var records: [QueuedRecord] = []
    var liveStart: UInt64 = 0
    var settled: Set<UInt64> = []
    var quarantined: [String: [UniqueID]] = [:]
    var liveStarts = 0
    /// Acknowledgements of what the lane did not hold.
    var strays: [String] = []
    /// A request is under way.
    var isSending = false
    var drainWatchers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Records ever appended.
  var count: Int { state.withLock { $0.records.count } }

  var snapshot: State { state.withLock { $0 } }

  init(_ records: [DeliveryRecord] = []) { append(records) }

  func append(_ records: [DeliveryRecord]) {
    state.withLock { state in
      for record in records {
        state.records.append(QueuedRecord(sequence: UInt64(state.records.count + 1), record: record))
      }
    }
  }

  /// Rows not acknowledged yet, in either lane.
  var open: Int {
    state.withLock { state in DeliveryLane.allCases.reduce(0) { $0 + state.pending($1).count } }
  }

  func pending(_ lane: DeliveryLane, limit: Int) async -> [QueuedRecord] {
    state.withLock { Array($0.pending(lane).prefix(limit)) }
  }

  /// Takes the oldest away, as a store does that is full.
  func drop(_ count: Int) {
    state.withLock { $0.settled.formUnion($0.records.prefix(count).map(\.sequence)) }
  }

  func beginDelivery(_ sequences: [UInt64]) async -> Set<UInt64> {
    state.withLock { state in
      state.isSending = true
      return Set(sequences.filter { !state.settled.contains($0) })
    }
  }

  func endDelivery() async { state.withLock { $0.isSending = false } }

  func acknowledge(_ lane: DeliveryLane, _ sequences: [UInt64]) async {
    let watchers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      for sequence in sequences where !state.holds(sequence, in: lane) {
        state.strays.append("\(lane) \(sequence)")
      }
      state.settled.formUnion(sequences)
      guard state.isDrained else { return [] }
      defer { state.drainWatchers = [] }
      return state.drainWatchers
    }
    for watcher in watchers { watcher.resume() }
  }

  /// Returns once everything appended is acknowledged.
  func drained() async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if !state.isDrained { state.drainWatchers.append(continuation) }
        return state.isDrained
      }
      if isDone { continuation.resume() }
    }
  }

  func quarantine(_ records: [QueuedRecord], code: String) async {
    state.withLock { $0.quarantined[code, default: []] += records.map(\.record.id) }
  }

  func startLiveLane() async {
    state.withLock { state in
      state.liveStarts += 1
      state.liveStart = UInt64(state.records.count)
    }
  }
}

extension MemoryQueue.State {
  var open: Int { DeliveryLane.allCases.reduce(0) { $0 + pending($1).count } }
  var isDrained: Bool { open == 0 }

  func holds(_ sequence: UInt64, in lane: DeliveryLane) -> Bool {
    !settled.contains(sequence) && (sequence <= liveStart) == (lane == .backlog) && sequence <= records.count
  }

  func pending(_ lane: DeliveryLane) -> [QueuedRecord] {
    (lane == .live ? records.dropFirst(Int(liveStart)) : records.prefix(Int(liveStart)))
      .filter { !settled.contains($0.sequence) }
  }
}

/// Bytes that outlive nothing but a restarted object in the same test.
final class MemoryBytes: DurableBytes {
  private let state: Mutex<(bytes: [UInt8]?, reads: Int, writes: Int)>

  init(_ bytes: [UInt8]? = nil) { state = Mutex((bytes, 0, 0)) }

  var bytes: [UInt8]? { state.withLock { $0.bytes } }
  var reads: Int { state.withLock { $0.reads } }
  var writes: Int { state.withLock { $0.writes } }

  func read() async throws(StateFile.Failure) -> [UInt8]? {
    // Others come in between.
    await Task.yield()
    return state.withLock { state in
      state.reads += 1
      return state.bytes
    }
  }

  func write(_ bytes: [UInt8]) async throws(StateFile.Failure) {
    state.withLock { $0 = (bytes, $0.reads, $0.writes + 1) }
  }
}
