// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Synchronization

// A watch is one answer that does not end: a JSON object a line.
extension EtcdStore {
  package func watch(
    after revision: Int64, _ tell: @escaping @Sendable ([StoreChange]) -> Void
  ) async throws(CancellationError) -> WatchEnd {
    let index = client.current
    let body = EtcdBody.object { json in
      json.key("create_request")
      json.object { json in
        EtcdBody.range(&json, Array(keys.head.utf8), end: EtcdKeys.end(of: keys.members))
        json.field("start_revision", String(revision.bounded(plus: 1)))
      }
    }
    let token: Redacted?
    switch try await client.token(at: index) {
    case .success(let found): token = found
    case .failure(let failure):
      client.leave(index)
      return .trouble(failure.trouble)
    }
    let lines = WatchLines(self, tell)
    let result = try await client.transfer(
      "v3/watch", body, token: token, at: index, timeout: EtcdClient.watchLength
    ) { lines.take($0) }
    if let end = lines.end { return end }
    // Told in full up to here; what comes next is the next watch's.
    switch result {
    case .failure(let failure):
      if lines.hasBegun, failure.timedOut { return .over }
      if lines.hasBegun { return .trouble(StoreTrouble(.unreachable, "the watch has ended")) }
      client.leave(index)
      return .trouble(failure.trouble)
    case .success(let report):
      if report.statusCode != 200 || !lines.hasBegun { client.leave(index) }
      return .trouble(StoreTrouble(.unreachable, "\(client.place(index)) has ended the watch"))
    }
  }

  /// One line of a watch.
  func read(_ line: [UInt8]) -> WatchLine {
    guard let json = try? JSONValue.parse(line, maxDepth: StoreBounds.depth) else {
      return .end(.trouble(StoreTrouble(.garbled, "a line of the watch is no JSON")))
    }
    guard let result = json["result"], EtcdHeader(result) != nil else {
      let failure = EtcdFailure(status: 0, json["error"], at: "etcd's watch")
      return .end(.trouble(failure.trouble))
    }
    if result["canceled"]?.bool == true {
      let compacted = result.etcdNumber("compact_revision") ?? 0
      let words = (result["cancel_reason"]?.string ?? "no reason given").printable(maxBytes: 200)
      return .end(
        compacted > 0 ? .compacted : .trouble(StoreTrouble(.noQuorum, "etcd ended the watch: \(words)")))
    }
    var changes: [StoreChange] = []
    for event in result["events"]?.array ?? [] {
      guard let row = event["kv"], let pair = EtcdPair(row) else {
        return .end(.trouble(StoreTrouble(.garbled, "an event of the watch is not understood")))
      }
      if let change = change(pair, isGone: event["type"]?.string == "DELETE") { changes.append(change) }
    }
    // Not the header's revision: it is the store's, and what lies between may still be on its way.
    return .changes(changes)
  }

  private func change(_ pair: EtcdPair, isGone: Bool) -> StoreChange? {
    if let name = keys.name(of: pair.key) {
      return isGone ? .gone(name: name, revision: pair.changed) : .card(entry(pair, name))
    }
    if keys.isBelowMembers(pair.key) {
      return .stray(added: isGone ? -1 : pair.created == pair.changed ? 1 : 0, revision: pair.changed)
    }
    guard pair.key == Array(keys.head.utf8) else { return nil }
    if isGone { return .noHead(revision: pair.changed) }
    guard let head = pair.value.flatMap({ ListHead(json: $0, revision: pair.changed) }) else {
      return .strangeHead(revision: pair.changed)
    }
    return .head(head, revision: pair.changed)
  }
}

enum WatchLine: Hashable, Sendable {
  case changes([StoreChange])
  case end(WatchEnd)
}

/// Reads a watch's body as it comes, on the engine's thread.
private final class WatchLines: Sendable {
  private let store: EtcdStore
  private let tell: @Sendable ([StoreChange]) -> Void
  private let state = Mutex(State())

  private struct State {
    var lines = LineCutter()
    var hasBegun = false
    var ends: [WatchEnd] = []
  }

  init(_ store: EtcdStore, _ tell: @escaping @Sendable ([StoreChange]) -> Void) {
    self.store = store
    self.tell = tell
  }

  var end: WatchEnd? { state.withLock { $0.ends.first } }
  /// A line was understood.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// - Returns: false: the watch is over.
  func take(_ bytes: [UInt8]) -> Bool {
    guard let lines = state.withLock({ $0.lines.take(bytes) }) else {
      state.withLock {
        $0.ends.append(.trouble(StoreTrouble(.garbled, "a line of the watch is longer than 4 MiB")))
      }
      return false
    }
    for line in lines {
      switch store.read(line) {
      case .changes(let changes):
        state.withLock { $0.hasBegun = true }
        if !changes.isEmpty { tell(changes) }
      case .end(let end):
        state.withLock { $0.ends.append(end) }
        return false
      }
    }
    return true
  }
}
