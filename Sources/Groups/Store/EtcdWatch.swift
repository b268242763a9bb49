// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

extension EtcdStore {
  package func watch(
    after revision: Int64, _ tell: @escaping @Sendable ([StoreChange]) -> Void
  ) async throws(CancellationError) -> WatchEnd {
    let index = client.current
    let body = EtcdBody.watch(
      Array(keys.head.utf8), end: EtcdKeys.end(of: keys.members), after: revision)
    let token: Redacted?
    switch try await client.token(at: index) {
    case .success(let found): token = found
    case .failure(let failure):
      client.leave(index)
      return .trouble(failure.trouble)
    }
    let lines = WatchLines("the watch", read: { read($0) }, tell: { if !$0.isEmpty { tell($0) } })
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
      if report.status != 200 || !lines.hasBegun { client.leave(index) }
      return .trouble(StoreTrouble(.unreachable, "\(client.place(index)) has ended the watch"))
    }
  }

  /// One line of a watch.
  func read(_ line: [UInt8]) -> WatchLine<[StoreChange]> {
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
