// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Synchronization

// A watch is one answer that does not end: a JSON object a line.
extension EtcdQuorum {
  package func watchQuorum(
    after revision: Int64, _ tell: @escaping @Sendable (QuorumRows) -> Void
  ) async -> WatchEnd {
    let index = client.current
    let body = EtcdBody.object { json in
      json.key("create_request")
      json.object { json in
        EtcdBody.range(&json, Array(root.utf8), end: EtcdKeys.end(of: root))
        json.field("start_revision", String(revision.bounded(plus: 1)))
      }
    }
    guard let token = try? await client.token(at: index) else { return .over }
    guard case .success(let shown) = token else {
      client.leave(index)
      return .trouble(StoreTrouble(.unauthenticated, "the watch of the places has no token"))
    }
    let lines = QuorumLines(self, tell)
    let result = try? await client.transfer(
      "v3/watch", body, token: shown, at: index, timeout: EtcdClient.watchLength
    ) { lines.take($0) }
    if let end = lines.end { return end }
    switch result {
    case nil: return .over
    case .failure(let failure):
      // It was as long as it may be.
      if lines.hasBegun, failure.timedOut { return .over }
      client.leave(index)
      return .trouble(failure.trouble)
    case .success:
      client.leave(index)
      return .trouble(StoreTrouble(.unreachable, "\(client.place(index)) has ended the watch"))
    }
  }

  /// One line of a watch.
  func read(_ line: [UInt8]) -> QuorumLine {
    guard let json = try? JSONValue.parse(line, maxDepth: StoreBounds.depth), let result = json["result"]
    else { return .end(.trouble(StoreTrouble(.garbled, "a line of the places' watch is not understood"))) }
    guard result["canceled"]?.bool != true else {
      guard result.etcdNumber("compact_revision") ?? 0 <= 0 else { return .end(.compacted) }
      return .end(.trouble(StoreTrouble(.refused, "etcd has ended the places' watch")))
    }
    var rows = QuorumRows()
    for event in result["events"]?.array ?? [] {
      guard let row = event["kv"], let changed = row.etcdNumber("mod_revision"), changed > 0 else {
        return .end(.trouble(StoreTrouble(.garbled, "an event of the places' watch is not understood")))
      }
      let isGone = event["type"]?.string == "DELETE"
      take(row, isGone: isGone, into: &rows)
      rows.revision = max(rows.revision, changed)
      if isGone { rows.growth -= 1 }  // bounded: as many as are in memory
      if !isGone, row.etcdNumber("create_revision") == changed { rows.growth += 1 }  // bounded: likewise
    }
    return .rows(rows)
  }
}

enum QuorumLine: Hashable, Sendable {
  case rows(QuorumRows)
  case end(WatchEnd)
}

/// Reads a watch's body as it comes, on the engine's thread.
private final class QuorumLines: Sendable {
  private let store: EtcdQuorum
  private let tell: @Sendable (QuorumRows) -> Void
  private let state = Mutex(State())

  private struct State {
    var lines = LineCutter()
    var hasBegun = false
    var end: WatchEnd?
  }

  init(_ store: EtcdQuorum, _ tell: @escaping @Sendable (QuorumRows) -> Void) {
    (self.store, self.tell) = (store, tell)
  }

  /// A line was understood.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }
  /// What the lines say of the end.
  var end: WatchEnd? { state.withLock { $0.end } }

  /// - Returns: false: the watch is over.
  func take(_ bytes: [UInt8]) -> Bool {
    guard let lines = state.withLock({ $0.lines.take(bytes) }) else {
      state.withLock {
        $0.end = .trouble(StoreTrouble(.garbled, "a line of the places' watch is longer than 4 MiB"))
      }
      return false
    }
    for line in lines {
      switch store.read(line) {
      case .rows(let rows):
        state.withLock { $0.hasBegun = true }
        if rows.revision > 0 { tell(rows) }
      case .end(let end):
        state.withLock { $0.end = $0.end ?? end }
        return false
      }
    }
    return true
  }
}
